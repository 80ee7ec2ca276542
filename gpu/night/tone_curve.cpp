// SPDX-License-Identifier: Apache-2.0
#include "gpu/night/tone_curve.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/memory/upload.hpp"
#include "gpu/night/planes_check.hpp"
#include "gpu/night/tone_curve_math.hpp"

namespace kerb::night {
namespace {

constexpr const char* kMakeCurve = "make tone curve";

std::uint32_t in_256ths(double value) {
  return static_cast<std::uint32_t>(std::lround(value * tone::kOne));
}

/// Gains are those of a tile in its middle; beyond the outermost middles they stay.
std::vector<ToneCurve::Between> between_tiles(int side, int tiles) {
  const auto middle = [&](int tile) {  // doubled, so that it is whole
    return tone::tile_begin(tile, tiles, side) + tone::tile_begin(tile + 1, tiles, side) - 1;
  };
  std::vector<ToneCurve::Between> out(static_cast<std::size_t>(side));
  int tile = 0;
  for (int i = 0; i < side; ++i) {
    while (tile + 2 < tiles && 2 * i >= middle(tile + 1)) ++tile;
    const int from = middle(tile), to = middle(tile + 1);
    const int along = std::clamp(2 * i, from, to) - from, all = to - from;
    out[static_cast<std::size_t>(i)] = {static_cast<std::uint16_t>(tile),
                                        static_cast<std::uint16_t>((256 * along + all / 2) / all)};
  }
  return out;
}

}  // namespace

Status validate(const ToneCurveSettings& s) {
  struct Rule {
    bool holds;
    const char* text;
  };
  for (const Rule& rule : {Rule{s.target >= 1 && s.target <= 200, "target: 1..200"},
                           Rule{s.max_gain >= 1 && s.max_gain <= 16, "max_gain: 1..16"},
                           Rule{s.local >= 0 && s.local <= 1, "local: 0..1"},
                           Rule{s.max_slope >= 1 && s.max_slope <= 16, "max_slope: 1..16"}})
    if (!rule.holds) return Error{Errc::invalid_argument, 0, kMakeCurve, rule.text};
  return Done{};
}

Result<ToneCurve> ToneCurve::create(const Context& context, const ToneCurveSettings& settings,
                                    int width, int height, int planes) {
  if (Status ok = validate(settings); !ok) return ok.error();
  if (Status ok = check_shape(kMakeCurve, width, height, planes); !ok) return ok.error();
  ToneCurve made;
  made.fixed_ = {settings.target,
                 in_256ths(settings.max_gain) - tone::kOne,
                 in_256ths(settings.local),
                 in_256ths(settings.max_slope),
                 width,
                 height,
                 planes};
  made.on_device_ = context.backend() == Backend::cuda;
  made.columns_ = between_tiles(width, kColumns);
  made.rows_ = between_tiles(height, kRows);
  constexpr std::size_t kTables = std::size_t{kColumns} * kRows * tone::kLevels;
  if (!made.on_device_) {
    made.histograms_.resize(kTables);
    made.gains_.resize(kTables);
    return made;
  }
  if (Status ok = upload(context, made.columns_, made.device_columns_); !ok) return ok.error();
  if (Status ok = upload(context, made.rows_, made.device_rows_); !ok) return ok.error();
  Result<DeviceBuffer<std::uint32_t>> histograms =
      DeviceBuffer<std::uint32_t>::create(context, kTables);
  if (!histograms) return histograms.error();
  made.device_histograms_ = std::move(*histograms);
  Result<DeviceBuffer<std::uint16_t>> gains = DeviceBuffer<std::uint16_t>::create(context, kTables);
  if (!gains) return gains.error();
  made.device_gains_ = std::move(*gains);
  return made;
}

}  // namespace kerb::night
