// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "firmware/records/crc32.hpp"
#include "firmware/types/fields.hpp"
#include "hal/base/clock.hpp"

/// Records of warnings: what a .kwr file is made of. docs/records.md describes it.
namespace kerb::records {

/// A file begins with these bytes; then come chunks to its end.
inline constexpr char kMagic[8] = {'K', 'W', 'R', 'E', 'C', 'O', 'R', 'D'};
/// Of the header and the chunks, as below and in record_fields.hpp. Raise it with any change.
///   3   senses may end with likenesses
/// Records of kOldestFormat on are read.
inline constexpr std::uint16_t kFormat = 3, kOldestFormat = 2;

/// Numbers in the file: append, never renumber.
enum class ChunkKind : std::uint8_t {
  header = 1,       ///< the first chunk: see RecordHeader
  logic_state = 2,  ///< the warning logic before a round, and the reports it held
  round = 3,        ///< one round of the controller: what it saw, what it decided
  vehicle = 4,      ///< a CAN frame of the vehicle
  marker = 5,       ///< the level changed
  watch_state = 6,  ///< a camera's people watch before a frame
  senses = 7,       ///< what the frame told
  report = 8,       ///< what came of it
  picture = 9,
  gap = 10,  ///< something of this source is missing here: nobody had time to write it down
  end = 11   ///< the last chunk: the record is whole
};

/// Whom a chunk is from: a camera, by its index, or the controller.
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
  return crc32(chunk.subspan(ChunkHead::kSize), crc32(chunk.first(ChunkHead::kSize - 4)));
}

/// Writes the head in front of a payload that lies behind it; its CRC is left for seal().
inline void put_head(std::span<std::byte> chunk, ChunkKind kind, std::uint8_t source,
                     Nanos at) noexcept {
  FieldWriter out{chunk.first(ChunkHead::kSize)};
  out(static_cast<std::uint32_t>(chunk.size() - ChunkHead::kSize), kind, source, std::uint16_t{0},
      at, std::uint32_t{0});
}
/// Sets the CRC. On the writer's side: it costs a nanosecond or three a byte.
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
