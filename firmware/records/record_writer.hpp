// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "firmware/records/deciders.hpp"
#include "firmware/records/record_header.hpp"
#include "firmware/records/record_store.hpp"
#include "firmware/records/warning_recorder.hpp"
#include "firmware/threads/chunk_ring.hpp"

namespace kerb::records {

/// Turns chunks into records: keeps the last seconds in memory, finds in the rounds when a warning
/// begins, and writes until it is over. One thread.
class RecordWriter {
 public:
  /// `deciders`: what decides, for the version and the fields of its states. `history`: bytes of
  /// chunks that are kept.
  RecordWriter(const RecorderOptions& options, RecordedSettings settings, const Deciders& deciders,
               std::size_t history);

  /// Creates and counts the folder. An errno; 0: none.
  int scan() { return store_.scan(); }
  /// Whether the disk would take a record now. As scan().
  int probe() { return store_.probe(); }
  /// The next chunk, sealed. Those of one source come in order, and a round after the reports it
  /// saw. An errno the disk refused with; 0: none.
  int take(std::span<const std::byte> chunk);
  /// Hands what was taken to the disk, and forces it there once a second. As take().
  int flush();
  /// Ends the record that is being written, if there is one. As take().
  int finish();

  [[nodiscard]] bool recording() const noexcept { return store_.is_open(); }
  [[nodiscard]] std::uint64_t written() const noexcept { return written_; }
  [[nodiscard]] int left_over() const noexcept { return store_.left_over(); }
  [[nodiscard]] const std::string& path() const noexcept { return store_.path(); }

 private:
  using Steady = std::chrono::steady_clock;
  int judge(WarningLevel level, Nanos at);
  int begin(Nanos trigger, WarningLevel level);
  int write_history(Nanos from);
  int write(std::span<const std::byte> chunk);
  int write_if_followed(std::span<const std::byte> chunk);
  int empty_buffer();
  int refuse(int reason) noexcept;

  const RecorderOptions options_;
  const RecordedSettings settings_;
  const std::uint32_t decisions_version_;
  const std::string table_;        // of the fields
  std::vector<std::byte> header_;  // room for the header's chunk
  const std::uint64_t most_bytes_;
  ChunkRing history_;
  RecordStore store_;
  std::vector<std::byte> buffer_;
  std::uint64_t size_ = 0, chunks_ = 0;  // of the record being written
  std::array<bool, 256> followed_{};     // sources whose state is in it
  Nanos now_{}, began_{}, last_rise_{};
  std::optional<Nanos> calm_;
  WarningLevel level_ = WarningLevel::none;
  Steady::time_point synced_{};
  std::uint64_t written_ = 0;
};

}  // namespace kerb::records
