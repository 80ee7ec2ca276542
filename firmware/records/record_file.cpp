// SPDX-License-Identifier: Apache-2.0
#include "firmware/records/record_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "firmware/records/old_formats.hpp"

namespace kerb::records {
namespace {

constexpr std::uintmax_t kMostFile = std::uintmax_t{1} << 30;

/// The chunk that begins here, if it is whole.
std::optional<Chunk> chunk_at(std::span<const std::byte> bytes) {
  if (bytes.size() < ChunkHead::kSize) return std::nullopt;
  const ChunkHead head = head_of(bytes);
  if (head.length > kMostPayload || head.length > bytes.size() - ChunkHead::kSize)
    return std::nullopt;
  const std::span<const std::byte> chunk = bytes.first(ChunkHead::kSize + head.length);
  if (crc_of(chunk) != head.crc) return std::nullopt;
  return Chunk{head.kind, head.source, head.at, chunk.subspan(ChunkHead::kSize)};
}

}  // namespace

Result<RecordFile> RecordFile::read(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error == std::errc::no_such_file_or_directory)
    return Error{Errc::not_found, error.value(), "read record", std::string_view{path}};
  if (error) return Error{Errc::io, error.value(), "read record", std::string_view{path}};
  if (size > kMostFile)
    return Error{Errc::invalid_argument, 0, "read record: longer than 1 GiB",
                 std::string_view{path}};
  std::vector<std::byte> bytes(size);
  std::ifstream in{path, std::ios::binary};
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (!in) return Error{Errc::io, EIO, "read record", std::string_view{path}};
  return parse(std::move(bytes), path);
}

/// In front of the fields: the format, a number, and the version of the product, at the same place
/// in every format from 2 on. The number is the version of decisions; up to format 3 it was made of
/// the sizes of the structs. From format 4 on the table of fields follows.
Status RecordFile::read_header(const Chunk& chunk, std::string_view name) {
  const Error damaged{Errc::damaged, 0, "read record: its header is damaged", name};
  FieldReader in{chunk.payload};
  std::uint32_t number = 0;
  in(format_, number);
  if (!in.ok()) return damaged;
  std::string& version = header_.settings.version;
  if (format_ >= kOldestFormat) in(version);
  if (!in.ok()) return damaged;
  std::string_view text = kTableOfOldFormats;
  if (format_ < kOldestFormat || format_ > kFormat ||
      (format_ < kFirstWithTable && number != layout_of_old_format(format_))) {
    const std::string words =
        "format " + std::to_string(format_) + ": replay it with " +
        (version.empty() ? std::string{"the version that wrote it"} : "kerbwatch " + version);
    return Error{Errc::unsupported, 0, "read record: written by another version",
                 std::string_view{words}};
  }
  if (format_ >= kFirstWithTable) {
    decisions_version_ = number;
    std::uint32_t length = 0;
    in(length);
    const std::span<const std::byte> bytes = in.bytes(length);
    text = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  Result<FieldTable> table = FieldTable::parse(text);
  if (!in.ok() || !table) return damaged;
  table_ = std::make_unique<const FieldTable>(std::move(*table));
  const FieldTable::Struct* root = table_->root_field(name_of(ChunkKind::header));
  if (root == nullptr) return damaged;
  FieldReader fields{in.rest(), *table_, *root};
  fields(header_);
  if (!fields.complete() || header_.settings.cameras.empty()) return damaged;
  return Done{};
}

FieldReader RecordFile::reader(const Chunk& chunk) const noexcept {
  if (const FieldTable::Struct* root = table_->root_field(name_of(chunk.kind)))
    return FieldReader{chunk.payload, *table_, *root};
  FieldReader none{chunk.payload, *table_, table_->root()};
  none.fail();
  return none;
}

Result<RecordFile> RecordFile::parse(std::vector<std::byte> bytes, std::string_view name) {
  if (bytes.size() < sizeof kMagic || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0)
    return Error{Errc::invalid_argument, 0, "read record: not a record of Kerbwatch", name};
  RecordFile file;
  file.bytes_ = std::move(bytes);
  const std::span<const std::byte> all{file.bytes_};
  std::size_t at = sizeof kMagic;

  const std::optional<Chunk> first = chunk_at(all.subspan(at));
  if (!first || first->kind != ChunkKind::header)
    return Error{Errc::damaged, 0, "read record: its header is damaged", name};
  if (Status read = file.read_header(*first, name); !read) return read.error();
  at += ChunkHead::kSize + first->payload.size();

  while (const std::optional<Chunk> chunk = chunk_at(all.subspan(at))) {
    at += ChunkHead::kSize + chunk->payload.size();
    if (chunk->kind == ChunkKind::end) {
      FieldReader last{chunk->payload};
      std::uint64_t written = 0;
      last(written);
      file.whole_ = at == all.size() && last.complete() && written == file.chunks_.size() + 1;
      break;
    }
    file.chunks_.push_back(*chunk);
  }
  file.good_ = at;
  return file;
}

}  // namespace kerb::records
