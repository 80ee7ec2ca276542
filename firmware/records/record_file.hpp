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

/// A record, read and checked. Any bytes are handled: what is not a record is refused; from the
/// first damaged chunk on, everything is left out. Memory: the file, and about as much again.
class RecordFile {
 public:
  /// Fails: not_found, io, invalid_argument (not a record, longer than 1 GiB), unsupported (a
  /// format this program cannot read; Error::what says which program can), damaged (the header is
  /// not whole).
  static Result<RecordFile> read(const std::string& path);
  /// The same of bytes in memory; `name` is for errors.
  static Result<RecordFile> parse(std::vector<std::byte> bytes, std::string_view name);

  [[nodiscard]] const RecordHeader& header() const noexcept { return header_; }
  [[nodiscard]] std::uint16_t format() const noexcept { return format_; }
  /// The version of what decided: see kDecisionsVersion. 1 for formats that do not carry it.
  [[nodiscard]] std::uint32_t decisions_version() const noexcept { return decisions_version_; }
  /// The fields of the chunks.
  [[nodiscard]] const FieldTable& table() const noexcept { return *table_; }
  /// For `in(value)`: reads a chunk by the names of its fields. Borrows from this.
  [[nodiscard]] FieldReader reader(const Chunk& chunk) const noexcept;
  /// In the order of the file, without the header.
  [[nodiscard]] const std::vector<Chunk>& chunks() const noexcept { return chunks_; }
  /// Whether it has its end, and as many chunks as the end says: no power cut, no full disk, no
  /// damage.
  [[nodiscard]] bool whole() const noexcept { return whole_; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  [[nodiscard]] std::size_t good_bytes() const noexcept { return good_; }  ///< of size()

 private:
  RecordFile() = default;
  Status read_header(const Chunk& chunk, std::string_view name);

  std::vector<std::byte> bytes_;
  std::uint16_t format_ = 0;
  std::uint32_t decisions_version_ = 1;
  std::unique_ptr<const FieldTable> table_;
  RecordHeader header_;
  std::vector<Chunk> chunks_;
  bool whole_ = false;
  std::size_t good_ = 0;
};

}  // namespace kerb::records
