// SPDX-License-Identifier: Apache-2.0
#include "gpu/night/temporal_filter.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "gpu/night/planes_check.hpp"
#include "gpu/night/temporal_filter_math.hpp"

namespace kerb::night {
namespace {

constexpr const char* kMakeFilter = "make temporal filter";
constexpr float kFarthest = 1000;  // pixels: nothing moves so far from picture to picture

int parts(int side, int part) { return (side + part - 1) / part; }

/// The bin that a vector leads into; -1: none.
int bin_of(const TemporalFilter::Plan& plan, const FlowVector& v) {
  const float x = v.x + v.dx, y = v.y + v.dy;
  // Also false for what is no number.
  if (!(std::abs(v.dx) <= kFarthest && std::abs(v.dy) <= kFarthest && v.quality > 0 && x >= 0 &&
        y >= 0 && x < static_cast<float>(plan.width) && y < static_cast<float>(plan.height)))
    return -1;
  return static_cast<int>(y) / temporal::kBin * plan.bin_columns +
         static_cast<int>(x) / temporal::kBin;
}

TemporalFilter::Shift shift_of(const FlowVector& v) {
  const auto back = [](float d) {
    return static_cast<std::int16_t>(std::lround(-16 * static_cast<double>(d)));
  };
  return {back(v.dx), back(v.dy)};
}

bool differ(TemporalFilter::Shift a, TemporalFilter::Shift b) {
  return std::abs(a.x - b.x) > 16 || std::abs(a.y - b.y) > 16;
}

template <typename T>
Status make(const Context& context, DeviceBuffer<T>& buffer, std::size_t count) {
  Result<DeviceBuffer<T>> made = DeviceBuffer<T>::create(context, count);
  if (!made) return made.error();
  buffer = std::move(*made);
  return runtime::fill(context.stream().get(), buffer.device_data(), 0, count * sizeof(T));
}

}  // namespace

Status validate(const TemporalFilterSettings& s) {
  struct Rule {
    bool holds;
    const char* text;
  };
  for (const Rule& rule :
       {Rule{s.noise_floor >= 0.01 && s.noise_floor <= 10000, "noise_floor: 0.01..10000"},
        Rule{s.noise_slope >= -100 && s.noise_slope <= 100, "noise_slope: -100..100"},
        Rule{s.strength >= 0 && s.strength <= 0.95, "strength: 0..0.95"},
        Rule{s.agrees >= 0 && s.agrees <= 100, "agrees: 0..100"},
        Rule{s.differs > s.agrees && s.differs <= 1000, "differs: more than agrees, up to 1000"}})
    if (!rule.holds) return Error{Errc::invalid_argument, 0, kMakeFilter, rule.text};
  return Done{};
}

Result<TemporalFilter> TemporalFilter::create(const Context& context,
                                              const TemporalFilterSettings& settings, int width,
                                              int height, int planes) {
  if (Status ok = validate(settings); !ok) return ok.error();
  if (Status ok = check_shape(kMakeFilter, width, height, planes); !ok) return ok.error();
  TemporalFilter made;
  Plan& plan = made.plan_;
  plan.width = width;
  plan.height = height;
  plan.planes = planes;
  plan.columns = parts(width, temporal::kBlock);
  plan.rows = parts(height, temporal::kBlock);
  plan.bin_columns = parts(width, temporal::kBin);
  plan.bin_rows = parts(height, temporal::kBin);
  plan.noise_floor = static_cast<float>(settings.noise_floor);
  plan.noise_slope = static_cast<float>(settings.noise_slope);
  plan.differs = static_cast<float>(settings.differs);
  plan.full = static_cast<float>(std::round(256 * settings.strength));
  plan.fade = plan.full / static_cast<float>(settings.differs - settings.agrees);
  constexpr int kWindow = (2 * temporal::kReach + 1) * (2 * temporal::kReach + 1);
  plan.difference_unit = 8.0F / static_cast<float>(temporal::kFine * kWindow * planes);
  plan.signal_unit = 1.0F / static_cast<float>(temporal::kFine * planes);
  made.on_device_ = context.backend() == Backend::cuda;
  made.facts_.blocks = temporal::block_count(plan);
  if (Status ok = made.allocate(context); !ok) return ok.error();
  return made;
}

Status TemporalFilter::allocate(const Context& context) {
  const std::size_t count = pixels(), planes = static_cast<std::size_t>(plan_.planes);
  const auto blocks = static_cast<std::size_t>(temporal::block_count(plan_));
  const int bin_count = plan_.bin_columns * plan_.bin_rows;
  const auto bins = static_cast<std::size_t>(bin_count);
  qualities_.resize(bins);
  if (!on_device_) {
    bins_.resize(bins);
    for (std::size_t side = 0; side < 2; ++side) {
      past_[side].resize(planes * count);
      middle_[side].resize(count);
      sums_[side].resize(blocks);
      shifts_[side].resize(blocks);
    }
    differences_.resize(count);
    fits_.resize(blocks);
    ratios_.resize(temporal::kRatios);
    return Done{};
  }
  Result<DualBuffer<Bin>> both = DualBuffer<Bin>::create(context, Use::shared, bins);
  if (!both) return both.error();
  bins_there_ = std::move(*both);
  if (Status ok = make(context, past_there_, 2 * planes * count); !ok) return ok;
  if (Status ok = make(context, differences_there_, count); !ok) return ok;
  if (Status ok = make(context, middle_there_, 2 * count); !ok) return ok;
  if (Status ok = make(context, sums_there_, 2 * blocks); !ok) return ok;
  if (Status ok = make(context, shifts_there_, 2 * blocks); !ok) return ok;
  if (Status ok = make(context, counters_there_, temporal::kRatios + 2); !ok) return ok;
  return wait(context.stream());
}

void TemporalFilter::fill_bins(const MotionField* motion, Bin* bins) {
  std::fill(bins, bins + plan_.bin_columns * plan_.bin_rows, Bin{});
  if (motion == nullptr) return;
  // First the most trusted of each bin, then the most trusted of those that differ from it.
  for (int which = 0; which < 2; ++which) {
    std::fill(qualities_.begin(), qualities_.end(), 0.0F);
    for (int i = 0; i < motion->count; ++i) {
      const FlowVector& v = motion->items[i];
      const int at = bin_of(plan_, v);
      if (at < 0) continue;
      float& best = qualities_[static_cast<std::size_t>(at)];
      Bin& bin = bins[at];
      if (v.quality <= best || (which == 1 && !differ(shift_of(v), bin.shifts[0]))) continue;
      best = v.quality;
      bin.shifts[which] = shift_of(v);
      bin.count = which + 1;
    }
  }
}

}  // namespace kerb::night
