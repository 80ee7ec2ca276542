// SPDX-License-Identifier: Apache-2.0
#include "tools/spectral/envi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>

#include "tools/files/text.hpp"

namespace kerb::spectral {
namespace {

namespace fs = std::filesystem;
constexpr const char* kWhere = "read datacube";
constexpr int kMostSide = 65535, kMostBands = 4096;

using Fields = std::map<std::string, std::string>;

std::string lower(std::string_view text) {
  std::string out{text};
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// "key = value", where a value in braces may go on over lines.
Result<Fields> read_fields(const std::string& path) {
  const Result<std::string> text = files::read_text(kWhere, path);
  if (!text) return text.error();
  files::Lines lines{*text};
  std::string_view line;
  if (!lines.next(line) || files::trimmed(line) != "ENVI")
    return files::line_error(kWhere, path, 1, "not an ENVI header: must begin with ENVI");
  Fields fields;
  while (lines.next(line)) {
    const std::size_t sign = line.find('=');
    if (sign == std::string_view::npos) continue;  // a comment, or an empty line
    const int begun = lines.number();
    const std::string key = lower(files::trimmed(line.substr(0, sign)));
    std::string value{files::trimmed(line.substr(sign + 1))};
    while (!value.empty() && value.front() == '{' && value.find('}') == std::string::npos) {
      if (!lines.next(line)) return files::line_error(kWhere, path, begun, "a brace is not closed");
      value.append(" ").append(line);
    }
    fields[key] = value;
  }
  return fields;
}

/// A whole number within least..most.
Result<int> whole(const std::string& path, const Fields& fields, const char* key, int least,
                  int most, std::optional<int> otherwise = {}) {
  const auto at = fields.find(key);
  if (at == fields.end()) {
    if (otherwise) return *otherwise;
    return files::line_error(kWhere, path, 0, fmt::format("'{}' is missing", key));
  }
  const std::optional<double> value = files::number(at->second);
  if (!value || *value != std::floor(*value) || *value < least || *value > most)
    return files::line_error(
        kWhere, path, 0,
        fmt::format("{} = {}: must be {}..{}", key, at->second.substr(0, 20), least, most));
  return static_cast<int>(*value);
}

Result<std::vector<double>> wavelengths(const std::string& path, const Fields& fields, int bands) {
  std::vector<double> out;
  const auto at = fields.find("wavelength");
  if (at == fields.end()) return out;
  std::string_view list = at->second;
  if (list.size() < 2 || list.front() != '{')
    return files::line_error(kWhere, path, 0, "wavelength: must be a list in braces");
  list = list.substr(1, list.find('}') - 1);
  for (const std::string_view part : files::split(list, ',')) {
    const std::optional<double> value = files::number(part);
    if (!value || !(*value > 0))
      return files::line_error(kWhere, path, 0, fmt::format("wavelength '{}'", part.substr(0, 20)));
    out.push_back(*value);
  }
  if (static_cast<int>(out.size()) != bands)
    return files::line_error(kWhere, path, 0,
                             fmt::format("{} wavelengths for {} bands", out.size(), bands));
  const auto units = fields.find("wavelength units");
  if (units != fields.end() && lower(units->second).rfind("micro", 0) == 0)
    for (double& w : out) w *= 1000;
  return out;
}

std::optional<std::string> samples_beside(const std::string& header) {
  const fs::path stem = fs::path{header}.replace_extension();
  std::error_code ignored;
  for (const char* end : {"", ".img", ".dat", ".raw"}) {
    const std::string path = stem.string() + end;
    if (path != header && fs::is_regular_file(path, ignored)) return path;
  }
  return std::nullopt;
}

struct SampleKind {
  int type = 1, bytes = 1;
  bool big_endian = false;

  [[nodiscard]] float read(const char* at) const noexcept {
    std::uint32_t bits = 0;
    for (int i = 0; i < bytes; ++i) {
      const int shift = 8 * (big_endian ? bytes - 1 - i : i);
      bits |= std::uint32_t{static_cast<unsigned char>(at[i])} << shift;
    }
    switch (type) {
      case 2:
        return std::bit_cast<std::int16_t>(static_cast<std::uint16_t>(bits));
      case 4:
        return std::bit_cast<float>(bits);
      default:
        return static_cast<float>(bits);
    }
  }
};

Result<SampleKind> kind_of(const std::string& path, const Fields& fields) {
  SampleKind kind;
  const Result<int> type = whole(path, fields, "data type", 1, 15);
  if (!type) return type.error();
  const Result<int> order = whole(path, fields, "byte order", 0, 1, 0);
  if (!order) return order.error();
  kind.type = *type;
  kind.big_endian = *order == 1;
  if (kind.type != 1 && kind.type != 2 && kind.type != 4 && kind.type != 12)
    return files::line_error(kWhere, path, 0,
                             fmt::format("data type {}: must be 1, 2, 4 or 12", kind.type),
                             Errc::unsupported);
  kind.bytes = kind.type == 1 ? 1 : kind.type == 4 ? 4 : 2;
  return kind;
}

}  // namespace

Result<Cube> read_envi(const std::string& header) {
  const Result<Fields> fields = read_fields(header);
  if (!fields) return fields.error();
  const Result<int> width = whole(header, *fields, "samples", 1, kMostSide);
  const Result<int> height = whole(header, *fields, "lines", 1, kMostSide);
  const Result<int> bands = whole(header, *fields, "bands", 1, kMostBands);
  const Result<int> offset = whole(header, *fields, "header offset", 0, 1 << 30, 0);
  for (const Result<int>* one : {&width, &height, &bands, &offset})
    if (!*one) return one->error();
  const Result<SampleKind> kind = kind_of(header, *fields);
  if (!kind) return kind.error();
  const auto order_at = fields->find("interleave");
  const std::string order = order_at == fields->end() ? "bsq" : lower(order_at->second);
  if (order != "bsq" && order != "bil" && order != "bip")
    return files::line_error(kWhere, header, 0, "interleave: must be bsq, bil or bip");
  Cube cube;
  cube.width = *width;
  cube.height = *height;
  cube.bands = *bands;
  cube.are_floats = kind->type == 4;
  Result<std::vector<double>> nm = wavelengths(header, *fields, cube.bands);
  if (!nm) return nm.error();
  cube.wavelengths = std::move(*nm);
  const std::optional<std::string> path = samples_beside(header);
  if (!path)
    return files::line_error(kWhere, header, 0, "no data file beside it (.img, .dat, .raw)",
                             Errc::not_found);
  const Result<std::string> bytes = files::read_text(kWhere, *path);
  if (!bytes) return bytes.error();
  const auto w = static_cast<std::size_t>(cube.width), h = static_cast<std::size_t>(cube.height);
  const auto n = static_cast<std::size_t>(cube.bands), skip = static_cast<std::size_t>(*offset);
  const auto each = static_cast<std::size_t>(kind->bytes);
  if (bytes->size() < skip || (bytes->size() - skip) / each / w / h < n)
    return files::line_error(kWhere, *path, 0,
                             fmt::format("{} bytes: too short for its header", bytes->size()));
  cube.samples.resize(w * h * n);
  for (std::size_t b = 0; b < n; ++b)
    for (std::size_t y = 0; y < h; ++y)
      for (std::size_t x = 0; x < w; ++x) {
        const std::size_t at = order == "bsq"   ? (b * h + y) * w + x
                               : order == "bil" ? (y * n + b) * w + x
                                                : (y * w + x) * n + b;
        const float value = kind->read(bytes->data() + skip + at * each);
        if (!std::isfinite(value))
          return files::line_error(kWhere, *path, 0, "a sample is not a number");
        cube.samples[(b * h + y) * w + x] = value;
      }
  return cube;
}

Result<Cube> cut_bands(const Cube& cube, int count) {
  if (count < 1 || count > cube.bands)
    return Error{Errc::invalid_argument, 0, "bands",
                 Text<112>{fmt::format("{} of a cube of {}", count, cube.bands)}};
  std::vector<int> order(static_cast<std::size_t>(cube.bands));
  std::iota(order.begin(), order.end(), 0);
  if (!cube.wavelengths.empty())
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return cube.wavelengths[static_cast<std::size_t>(a)] <
             cube.wavelengths[static_cast<std::size_t>(b)];
    });
  Cube out;
  out.width = cube.width;
  out.height = cube.height;
  out.bands = count;
  out.samples.assign(static_cast<std::size_t>(count) * cube.area(), 0.0F);
  const std::size_t all = order.size(), n = static_cast<std::size_t>(count);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t from = k * all / n, to = (k + 1) * all / n;
    const auto part = 1.0F / static_cast<float>(to - from);
    double nm = 0;
    for (std::size_t i = from; i < to; ++i) {
      const float* in = cube.band(order[i]);
      float* sum = out.samples.data() + k * cube.area();
      for (std::size_t p = 0; p < cube.area(); ++p) sum[p] += std::max(0.0F, in[p]) * part;
      if (!cube.wavelengths.empty())
        nm += cube.wavelengths[static_cast<std::size_t>(order[i])] * static_cast<double>(part);
    }
    if (!cube.wavelengths.empty()) out.wavelengths.push_back(nm);
  }
  return out;
}

int nearest_band(const Cube& cube, double nanometres) noexcept {
  const auto nearer = [&](double a, double b) {
    return std::abs(a - nanometres) < std::abs(b - nanometres);
  };
  return static_cast<int>(
      std::min_element(cube.wavelengths.begin(), cube.wavelengths.end(), nearer) -
      cube.wavelengths.begin());
}

}  // namespace kerb::spectral
