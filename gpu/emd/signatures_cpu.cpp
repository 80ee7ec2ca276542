// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <vector>

#include "gpu/emd/signatures_math.hpp"

namespace kerb::emd::cpu {
namespace {

using Counts = std::uint8_t __attribute__((vector_size(16)));
constexpr int kTile = 256;  // columns a task takes at once
constexpr int kRim = 7;     // half the largest window
constexpr int kRowsOfTask = 64;

/// Histograms of columns as high as the window, moved down row by row; along the row a window's
/// histogram is the one before, and one column more, and one less.
void window_rows(const ImageView<Space::host, const std::uint8_t>& in,
                 const WindowSettings& settings, const ImageView<Space::host, Signature>& out,
                 int x_from, int x_to, int y_from, int y_to) {
  const int half = settings.window / 2, columns = x_to - x_from + 2 * half;
  std::array<std::array<std::uint8_t, kMaxBins>, kTile + 2 * kRim> column{};
  std::array<std::ptrdiff_t, kTile + 2 * kRim> place{};
  for (int c = 0; c < columns; ++c)
    place[static_cast<std::size_t>(c)] = std::clamp(x_from - half + c, 0, in.width - 1);
  const auto row = [&](int y) { return in.data + std::clamp(y, 0, in.height - 1) * in.row_stride; };
  const auto add = [&](const std::uint8_t* samples, std::uint8_t amount) {
    for (std::size_t c = 0; c < static_cast<std::size_t>(columns); ++c) {
      std::uint8_t& count = column[c][settings.levels[samples[place[c]]]];
      count = static_cast<std::uint8_t>(count + amount);
    }
  };
  for (int y = y_from - half; y < y_from + half; ++y) add(row(y), 1);
  for (int y = y_from; y < y_to; ++y) {
    add(row(y + half), 1);
    Counts sum{};
    const auto of = [&](int c) {
      Counts counts;
      std::memcpy(&counts, column[static_cast<std::size_t>(c)].data(), sizeof counts);
      return counts;
    };
    for (int c = 0; c < 2 * half; ++c) sum += of(c);
    Signature* to = out.data + y * out.row_stride + x_from;
    for (int x = 0; x < x_to - x_from; ++x) {
      sum += of(x + 2 * half);
      std::memcpy(to[x].bins.data(), &sum, sizeof sum);
      sum -= of(x);
    }
    add(row(y - half), 255);  // one less
  }
}

template <typename T>
void band_row(const PlanesView<Space::host, const T>& in, const BandSettings& settings, int y,
              Signature* out) {
  const int count = settings.bands;
  for (int x = 0; x < in.width; ++x) {
    std::uint32_t values[kMaxBins] = {}, bins[kMaxBins];
    std::uint32_t sum = 0;
    for (int k = 0; k < count; ++k) {
      const auto i = static_cast<std::size_t>(k);
      values[k] = lit(in.data[k * in.plane_stride + y * in.row_stride + x], settings.black[i],
                      settings.gain[i]);
      sum += values[k];
    }
    out[x] = {};
    if (sum == 0) continue;
    share_out(values, sum, count, static_cast<std::uint32_t>(settings.mass), bins);
    for (std::size_t k = 0; k < kMaxBins; ++k) out[x].bins[k] = static_cast<std::uint8_t>(bins[k]);
  }
}

}  // namespace

Status window_signatures(Workers& workers, const ImageView<Space::host, const std::uint8_t>& in,
                         const WindowSettings& settings,
                         const ImageView<Space::host, Signature>& out) {
  if (Status ok = check_signatures(in.data, in.width, in.height, in.row_stride, out); !ok)
    return ok;
  if (Status ok = check_window(settings); !ok) return ok;
  const int across = (in.width + kTile - 1) / kTile;
  const int down = (in.height + kRowsOfTask - 1) / kRowsOfTask;
  workers.run(across * down, [&](int task, int) {
    const int x = task % across * kTile, y = task / across * kRowsOfTask;
    window_rows(in, settings, out, x, std::min(x + kTile, in.width), y,
                std::min(y + kRowsOfTask, in.height));
  });
  return Done{};
}

template <typename T>
Status band_signatures(Workers& workers, const PlanesView<Space::host, const T>& in,
                       const BandSettings& settings, const ImageView<Space::host, Signature>& out) {
  if (Status ok = check_signatures(in.data, in.width, in.height, in.row_stride, out); !ok)
    return ok;
  if (Status ok = check_bands(settings, in.count, in.height, in.row_stride, in.plane_stride); !ok)
    return ok;
  constexpr int kRows = 8;
  workers.run((in.height + kRows - 1) / kRows, [&](int task, int) {
    for (int y = task * kRows; y < std::min((task + 1) * kRows, in.height); ++y)
      band_row(in, settings, y, out.data + y * out.row_stride);
  });
  return Done{};
}
template Status band_signatures(Workers&, const PlanesView<Space::host, const std::uint8_t>&,
                                const BandSettings&, const ImageView<Space::host, Signature>&);
template Status band_signatures(Workers&, const PlanesView<Space::host, const std::uint16_t>&,
                                const BandSettings&, const ImageView<Space::host, Signature>&);

}  // namespace kerb::emd::cpu
