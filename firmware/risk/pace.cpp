// SPDX-License-Identifier: Apache-2.0
#include "firmware/risk/pace.hpp"

#include <algorithm>
#include <cmath>

namespace kerb::risk {
namespace {

constexpr double kMemory = 0.5;      // seconds
constexpr double kKnownAfter = 0.1;  // seconds
constexpr double kGap = 0.5;         // seconds: all is forgotten

/// 0 up to `from`, 1 from `to` on; in between in between.
double ramp(double x, double from, double to) noexcept {
  return x <= from ? 0 : x >= to ? 1 : (x - from) / (to - from);
}

}  // namespace

template <typename F, typename Self>
void PaceEstimator::list(F& f, Self& s) {
  static_assert(sizeof(Walker) == 32 && sizeof(PaceEstimator) == 16 + sizeof(walkers_),
                "a new member? list it");
  f.structure("PaceEstimator")("at", s.at_);
  f.list("walkers", s.count_, track::PersonList::kCapacity, [&](std::size_t i) {
    auto& w = s.walkers_[i];
    f("id", w.id)("speed", w.speed)("before", w.before)("seen_s", w.seen_s);
  });
}
void PaceEstimator::save(FieldWriter& out) const noexcept { list(out, *this); }
void PaceEstimator::load(FieldReader& in) noexcept { list(in, *this); }
void PaceEstimator::describe(FieldLister& out) const { list(out, *this); }

void PaceEstimator::look(Nanos at, const track::PersonList& people) noexcept {
  const double dt = static_cast<double>((at - at_).count()) * 1e-9;
  if (dt < 0 || dt > kGap) reset();
  at_ = at;
  const PaceEstimator old = *this;
  count_ = 0;
  for (int i = 0; i < people.count; ++i) {
    const track::Person& person = people.items[i];
    const double speed = std::abs(person.vy_mps);
    if (!std::isfinite(speed)) continue;
    Walker walker{person.id, speed, speed, 0};
    for (int k = 0; k < old.count_; ++k) {
      const Walker& was = old.walkers_[static_cast<std::size_t>(k)];
      if (was.id != person.id) continue;
      walker.before = was.before + (speed - was.before) * (dt / (kMemory + dt));
      walker.seen_s = was.seen_s + dt;
      break;
    }
    walkers_[static_cast<std::size_t>(count_++)] = walker;
  }
}

std::optional<double> PaceEstimator::change_mps2(std::uint32_t id) const noexcept {
  for (int k = 0; k < count_; ++k) {
    const Walker& walker = walkers_[static_cast<std::size_t>(k)];
    if (walker.id != id) continue;
    if (walker.seen_s < kKnownAfter) return std::nullopt;
    return (walker.speed - walker.before) / kMemory;
  }
  return std::nullopt;
}

PaceShares pace_shares(double speed, double sigma, std::optional<double> change) noexcept {
  PaceShares shares;
  const double walks = ramp(speed, 0.25, 0.5);  // rather than stands
  const double surely = ramp(speed, 0.6 * sigma, 1.9 * sigma);
  const double grows = ramp(change.value_or(0), 0.25, 0.7);
  const double falls = ramp(-change.value_or(0), 0.3, 0.8);
  shares.speed_up_mps2 = std::clamp(change.value_or(0), 0.9, 1.8);
  shares.fastest_mps = kWalkingPace;
  shares.speeds_up = 0.75 * walks * surely * grows * ramp(kWalkingPace - speed, 0, 0.3);
  shares.stops = walks * (0.2 + 0.4 * falls) * (1 - shares.speeds_up);
  shares.keeps = 1 - shares.stops - shares.speeds_up;
  return shares;
}

}  // namespace kerb::risk
