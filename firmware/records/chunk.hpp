// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <string_view>

#include "firmware/types/fields.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/crc32.hpp"

/// Records of warnings: what a .kwr file is made of. docs/records.md describes it.
namespace kerb::records {

/// A file begins with these bytes; then come chunks to its end.
inline constexpr char kMagic[8] = {'K', 'W', 'R', 'E', 'C', 'O', 'R', 'D'};
/// The format: what is in front of each chunk, and the header up to its table of fields. The fields
/// themselves have names, and may change without a new format.
///   2, 3   no table: old_formats.hpp has it; and no version of decisions
///   4      a version of decisions and a table of fields in the header
/// Records of kOldestFormat on are read.
inline constexpr std::uint16_t kFormat = 4, kOldestFormat = 2, kFirstWithTable = 4;

/// Numbers in the file: append, never renumber. A new kind gets its name in name_of() and its
/// fields in deciders.cpp.
enum class ChunkKind : std::uint8_t {
  header = 1,        ///< the first chunk: see RecordHeader
  logic_state = 2,   ///< the warning logic before a round, and the reports it held
  round = 3,         ///< one round of the controller: what it saw, what it decided
  vehicle = 4,       ///< a CAN frame of the vehicle
  marker = 5,        ///< the level changed
  people_state = 6,  ///< a camera's people estimator before a frame
  senses = 7,        ///< the input of that frame: detections, flow, vehicle motion
  report = 8,        ///< the people reported for it
  picture = 9,
  gap = 10,  ///< data of this source is missing here: there was no room for it in memory
  end = 11   ///< the last chunk: the record is whole
};
/// The field of the table's root that has the fields of such chunks; empty: they have none.
[[nodiscard]] constexpr std::string_view name_of(ChunkKind kind) noexcept {
  constexpr std::string_view kNames[] = {"",        "header", "logic_state",  "round",
                                         "vehicle", "marker", "people_state", "senses",
                                         "report",  "picture"};
  const auto i = static_cast<std::size_t>(kind);
  return i < std::size(kNames) ? kNames[i] : std::string_view{};
}

/// The source of a chunk: a camera, by its index, or the controller.
inline constexpr std::uint8_t kControl = 0xFF;

/// In front of every chunk: 20 bytes.
struct ChunkHead {
  static constexpr std::size_t kSize = 20;
  std::uint32_t length = 0;  ///< of the payload
  ChunkKind kind{};
  std::uint8_t source = kControl;
  std::uint16_t spare = 0;
  Nanos at{};             ///< when it was written down
  std::uint32_t crc = 0;  ///< of all the above and the payload
};

/// No payload is longer: a picture of 4096 x 4096, uncompressed.
inline constexpr std::size_t kMostPayload = (std::size_t{16} << 20) + 4096;

[[nodiscard]] inline std::uint32_t crc_of(std::span<const std::byte> chunk) noexcept {
  return crc32(chunk.data() + ChunkHead::kSize, chunk.size() - ChunkHead::kSize,
               crc32(chunk.data(), ChunkHead::kSize - 4));
}

/// Writes the head in front of a payload that lies behind it; its CRC is left for seal().
inline void put_head(std::span<std::byte> chunk, ChunkKind kind, std::uint8_t source,
                     Nanos at) noexcept {
  FieldWriter out{chunk.first(ChunkHead::kSize)};
  out(static_cast<std::uint32_t>(chunk.size() - ChunkHead::kSize), kind, source, std::uint16_t{0},
      at, std::uint32_t{0});
}
/// Sets the CRC: 1 to 3 ns a byte, so the writer's thread does it.
inline void seal(std::span<std::byte> chunk) noexcept {
  const std::uint32_t crc = crc_of(chunk);
  std::memcpy(chunk.data() + ChunkHead::kSize - sizeof crc, &crc, sizeof crc);
}
[[nodiscard]] inline ChunkHead head_of(std::span<const std::byte> chunk) noexcept {
  ChunkHead head;
  FieldReader in{chunk.first(ChunkHead::kSize)};
  in(head.length, head.kind, head.source, head.spare, head.at, head.crc);
  return head;
}

}  // namespace kerb::records
