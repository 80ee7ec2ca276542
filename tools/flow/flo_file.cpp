// SPDX-License-Identifier: Apache-2.0
#include "tools/flow/flo_file.hpp"

#include <bit>
#include <cstring>
#include <string_view>

#include "tools/files/text.hpp"

namespace kerb::lab {
namespace {

constexpr std::size_t kHead = 12;
constexpr const char* kWhere = "read flow";

void put(std::string& out, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8)
    out.push_back(static_cast<char>(static_cast<unsigned char>(value >> shift)));
}

std::uint32_t get(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return value;
}

}  // namespace

Result<Field> parse_flo(std::string_view bytes, const std::string& name) {
  const auto bad = [&](const char* wrong) { return files::line_error(kWhere, name, 0, wrong); };
  if (bytes.size() < kHead || !bytes.starts_with("PIEH"))
    return bad("no .flo file: it does not begin with PIEH and two sides");
  const std::uint32_t width = get(bytes, 4), height = get(bytes, 8);
  constexpr std::uint32_t kMost = 65535;
  if (width < 1 || height < 1 || width > kMost || height > kMost)
    return bad("sides of 1..65535 pixels expected");
  // Before a field of that size is made: two sides of 65535 would be 32 GiB.
  if (bytes.size() != kHead + std::uint64_t{8} * width * height)
    return bad("8 bytes a pixel expected behind the sides");
  Field field{static_cast<int>(width), static_cast<int>(height)};
  for (std::size_t i = 0; i < field.size(); ++i) {
    field.u[i] = std::bit_cast<float>(get(bytes, kHead + 8 * i));
    field.v[i] = std::bit_cast<float>(get(bytes, kHead + 8 * i + 4));
  }
  return field;
}

Result<Field> read_flo(const std::string& path) {
  const Result<std::string> bytes = files::read_text(kWhere, path);
  if (!bytes) return bytes.error();
  return parse_flo(*bytes, path);
}

std::string to_flo(const Field& field) {
  std::string out = "PIEH";
  out.reserve(kHead + 8 * field.size());
  put(out, static_cast<std::uint32_t>(field.width));
  put(out, static_cast<std::uint32_t>(field.height));
  for (std::size_t i = 0; i < field.size(); ++i) {
    put(out, std::bit_cast<std::uint32_t>(field.u[i]));
    put(out, std::bit_cast<std::uint32_t>(field.v[i]));
  }
  return out;
}

}  // namespace kerb::lab
