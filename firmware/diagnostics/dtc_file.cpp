// SPDX-License-Identifier: Apache-2.0
#include "firmware/diagnostics/dtc_file.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "firmware/diagnostics/small_file.hpp"
#include "hal/base/crc32.hpp"

namespace kerb::diagnostics {
namespace {

constexpr char kMagic[8] = {'K', 'W', 'D', 'T', 'C', '1', '\r', '\n'};
constexpr std::size_t kCycle = 40;
constexpr std::size_t kEntry = 3 + 2 * 16;
constexpr std::size_t kHead = sizeof kMagic + kCycle + 2;  // and the number of entries
constexpr std::size_t kMostBytes = kHead + 256 * kEntry + 4;

Error damaged() { return Error{Errc::damaged, 0, "read the trouble codes"}; }

void put(ByteWriter& out, const FreezeFrame& f) {
  out.put(f.utc_s);
  out.put(f.run_s);
  out.put(f.speed);
  out.put(f.readiness);
  out.put(f.state);
  out.put(f.number);
}

void take(ByteReader& in, FreezeFrame& f) {
  in.take(f.utc_s);
  in.take(f.run_s);
  in.take(f.speed);
  in.take(f.readiness);
  in.take(f.state);
  in.take(f.number);
}

}  // namespace

std::vector<std::byte> encode(const DtcImage& image) {
  std::vector<std::byte> out;
  out.reserve(kMostBytes);
  ByteWriter writer{out};
  for (const char c : kMagic) writer.put(static_cast<std::uint8_t>(c));
  std::array<char, kCycle> cycle{};
  image.cycle.view().copy(cycle.data(), cycle.size());
  for (const char c : cycle) writer.put(static_cast<std::uint8_t>(c));
  writer.put(static_cast<std::uint16_t>(image.entries.size()));
  for (const DtcEntry& e : image.entries) {
    writer.put(e.status);
    writer.put(e.occurrences);
    writer.put(e.cycles_healed);
    put(writer, e.first);
    put(writer, e.last);
  }
  writer.put(crc32(out.data(), out.size()));
  return out;
}

Result<DtcImage> decode(std::span<const std::byte> bytes) {
  if (bytes.size() < kHead + 4 || bytes.size() > kMostBytes) return damaged();
  for (std::size_t i = 0; i < sizeof kMagic; ++i)
    if (bytes[i] != static_cast<std::byte>(kMagic[i])) return damaged();
  const std::size_t covered = bytes.size() - 4;
  std::uint32_t crc = 0;
  ByteReader{bytes.subspan(covered)}.take(crc);
  if (crc != crc32(bytes.data(), covered)) return damaged();
  ByteReader reader{bytes.subspan(sizeof kMagic)};
  std::array<char, kCycle> cycle{};
  for (char& c : cycle) {
    std::uint8_t byte = 0;
    reader.take(byte);
    c = static_cast<char>(byte);
  }
  std::uint16_t count = 0;
  reader.take(count);
  if (covered != kHead + count * kEntry) return damaged();
  DtcImage image;
  const auto end = std::find(cycle.begin(), cycle.end(), '\0');
  image.cycle = std::string_view{cycle.data(), static_cast<std::size_t>(end - cycle.begin())};
  // Causes are only ever appended: an older version wrote fewer, a newer one more.
  for (std::size_t i = 0; i < std::min<std::size_t>(count, image.entries.size()); ++i) {
    DtcEntry& e = image.entries[i];
    reader.take(e.status);
    reader.take(e.occurrences);
    reader.take(e.cycles_healed);
    take(reader, e.first);
    take(reader, e.last);
  }
  return image;
}

Result<DtcImage> load_image(const std::string& path) {
  const Result<std::vector<std::byte>> bytes =
      read_small_file(path, kMostBytes, "read the trouble codes");
  if (!bytes) return bytes.error();
  Result<DtcImage> image = decode(*bytes);
  if (!image) return Error{Errc::damaged, 0, "read the trouble codes", std::string_view{path}};
  return image;
}

Status save_image(const std::string& path, const DtcImage& image) {
  return replace_small_file(path, encode(image), "write the trouble codes");
}

}  // namespace kerb::diagnostics
