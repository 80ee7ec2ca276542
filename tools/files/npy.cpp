// SPDX-License-Identifier: Apache-2.0
#include "tools/files/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>

#include "tools/files/text.hpp"

namespace kerb::files {
namespace {

static_assert(std::endian::native == std::endian::little, "values are copied as they lie");

constexpr std::string_view kMagic{"\x93NUMPY", 6};

/// What follows "'key':" in the header, which is written as a Python dictionary.
std::string_view after_key(std::string_view header, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::string name = fmt::format("{0}{1}{0}", quote, key);
    const std::size_t at = header.find(name);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = trimmed(header.substr(at + name.size()));
    if (!rest.empty() && rest.front() == ':') return trimmed(rest.substr(1));
  }
  return {};
}

/// "(3, 4)", "(3,)" or "()".
std::optional<std::vector<std::size_t>> shape_of(std::string_view text) {
  const std::size_t end = text.find(')');
  if (text.empty() || text.front() != '(' || end == std::string_view::npos) return std::nullopt;
  std::vector<std::size_t> shape;
  for (const std::string_view part : split(text.substr(1, end - 1), ',')) {
    if (part.empty()) continue;
    std::size_t side = 0;
    const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), side);
    if (error != std::errc{} || stop != part.data() + part.size()) return std::nullopt;
    shape.push_back(side);
  }
  return shape;
}

template <typename T>
double value_at(const char* bytes, bool swapped) {
  std::array<char, sizeof(T)> raw{};
  std::memcpy(raw.data(), bytes, sizeof(T));
  if (swapped) std::reverse(raw.begin(), raw.end());
  return static_cast<double>(std::bit_cast<T>(raw));
}

struct Kind {
  std::string_view name;  ///< as in the header, without the order of bytes
  std::size_t size;
  double (*value)(const char*, bool);
};
constexpr Kind kKinds[] = {{"b1", 1, value_at<std::uint8_t>},  {"u1", 1, value_at<std::uint8_t>},
                           {"u2", 2, value_at<std::uint16_t>}, {"u4", 4, value_at<std::uint32_t>},
                           {"u8", 8, value_at<std::uint64_t>}, {"i1", 1, value_at<std::int8_t>},
                           {"i2", 2, value_at<std::int16_t>},  {"i4", 4, value_at<std::int32_t>},
                           {"i8", 8, value_at<std::int64_t>},  {"f4", 4, value_at<float>},
                           {"f8", 8, value_at<double>}};

template <typename T>
std::string written(const std::vector<T>& values, const std::vector<std::size_t>& shape) {
  std::string sides;
  for (const std::size_t side : shape)
    sides += fmt::format("{}{}", sides.empty() ? "" : ", ", side);
  std::string header = fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   sizeof(T), sides, shape.size() == 1 ? "," : "");
  constexpr std::size_t kBefore = kMagic.size() + 4;
  header.append((64 - (kBefore + header.size() + 1) % 64) % 64, ' ');
  header += '\n';
  std::string out{kMagic};
  out += {'\x01', '\x00', static_cast<char>(header.size() & 255U),
          static_cast<char>(header.size() >> 8)};
  out += header;
  const std::size_t at = out.size();
  out.resize(at + values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(out.data() + at, values.data(), values.size() * sizeof(T));
  return out;
}

}  // namespace

bool is_npy(std::string_view bytes) noexcept { return bytes.substr(0, kMagic.size()) == kMagic; }

Result<NpyTable> parse_npy(const char* where, std::string_view path, std::string_view bytes) {
  const auto wrong = [&](std::string_view what, Errc code = Errc::damaged) {
    return line_error(where, path, 0, what, code);
  };
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]));
  };
  if (!is_npy(bytes) || bytes.size() < 12) return wrong("no NumPy array");
  const std::size_t version = byte(6);
  if (version < 1 || version > 3)
    return wrong(fmt::format("NumPy format {}: 1, 2 or 3 expected", version), Errc::unsupported);
  const std::size_t begin = version == 1 ? 10 : 12;
  const std::size_t length =
      byte(8) + (byte(9) << 8) + (version == 1 ? 0 : (byte(10) << 16) + (byte(11) << 24));
  if (length > bytes.size() - begin) return wrong("cut off within its header");
  const std::string_view header = bytes.substr(begin, length);
  const std::string_view descr = after_key(header, "descr"),
                         order = after_key(header, "fortran_order");
  const std::optional<std::vector<std::size_t>> shape = shape_of(after_key(header, "shape"));
  const bool fortran = order.substr(0, 4) == "True";
  if (descr.empty() || !shape || (!fortran && order.substr(0, 5) != "False"))
    return wrong("its header cannot be read");
  const std::size_t quoted = descr.find(descr.front(), 1);
  const std::string_view name = descr.substr(1, quoted == std::string_view::npos ? 0 : quoted - 1);
  const auto* const kind =
      name.size() == 3 ? std::find_if(std::begin(kKinds), std::end(kKinds),
                                      [&](const Kind& k) { return name.substr(1) == k.name; })
                       : std::end(kKinds);
  if (kind == std::end(kKinds) || std::string_view{"<>|="}.find(name[0]) == std::string_view::npos)
    return wrong(fmt::format("numbers of kind {}: float32, float64 or whole numbers expected",
                             descr.substr(0, 12)),
                 Errc::unsupported);
  if (shape->empty() || shape->size() > 2)
    return wrong(fmt::format("{} dimensions: 1 or 2 expected", shape->size()), Errc::unsupported);

  NpyTable table;
  table.rows = shape->size() == 1 ? 1 : shape->front();
  table.columns = shape->back();
  const std::string_view data = bytes.substr(begin + length);
  const std::size_t most = data.size() / kind->size;  // what is within `most` cannot overflow
  if (table.rows > std::max<std::size_t>(most, 1) || table.columns > most ||
      table.rows * table.columns * kind->size != data.size())
    return wrong(
        fmt::format("{} bytes of values for {} x {}", data.size(), table.rows, table.columns));
  table.values.reserve(table.rows * table.columns);
  const bool swapped = name[0] == '>';
  for (std::size_t i = 0; i < table.rows; ++i)
    for (std::size_t j = 0; j < table.columns; ++j) {
      const std::size_t at = fortran ? j * table.rows + i : i * table.columns + j;
      table.values.push_back(kind->value(data.data() + at * kind->size, swapped));
    }
  return table;
}

std::string to_npy(const std::vector<float>& values, const std::vector<std::size_t>& shape) {
  return written(values, shape);
}
std::string to_npy(const std::vector<double>& values, const std::vector<std::size_t>& shape) {
  return written(values, shape);
}

}  // namespace kerb::files
