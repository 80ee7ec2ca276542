// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/records/chunk.hpp"
#include "firmware/records/record_header.hpp"
#include "hal/base/result.hpp"

namespace kerb::records {

/// A chunk of a record that was read.
struct Chunk {
  ChunkKind kind{};
  std::uint8_t source = kControl;
  Nanos at{};
  std::span<const std::byte> payload;  ///< borrowed from the RecordFile
};

/// A record, read and checked. Any bytes are survived: what is not a record is refused, what is
/// damaged is left out, with all behind it. Memory: the file, and about as much again.
class RecordFile {
 public:
  /// Fails: not_found, io, invalid_argument (not a record, longer than 1 GiB), unsupported (another
  /// version's), damaged (not even its header is whole).
  static Result<RecordFile> read(const std::string& path);
  /// The same of bytes in memory; `name` is for errors.
  static Result<RecordFile> parse(std::vector<std::byte> bytes, std::string_view name);

  [[nodiscard]] const RecordHeader& header() const noexcept { return header_; }
  /// In the order of the file, without the header.
  [[nodiscard]] const std::vector<Chunk>& chunks() const noexcept { return chunks_; }
  /// Whether it has its end, and all chunks that counts: no power cut, no full disk, no damage.
  [[nodiscard]] bool whole() const noexcept { return whole_; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  [[nodiscard]] std::size_t good_bytes() const noexcept { return good_; }  ///< of size()

 private:
  RecordFile() = default;
  std::vector<std::byte> bytes_;
  RecordHeader header_;
  std::vector<Chunk> chunks_;
  bool whole_ = false;
  std::size_t good_ = 0;
};

}  // namespace kerb::records
