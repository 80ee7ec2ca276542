// SPDX-License-Identifier: Apache-2.0
#include "firmware/risk/pace.hpp"

#include <algorithm>
#include <cmath>

namespace kerb::risk {
namespace {

/// Fixed settings of PaceEstimator and pace_shares(); the suites of `kerblab sim run` and
/// tests/unit/firmware/risk show what a change does.
struct PaceTuning {
  double filter_s = 0.5;       ///< time constant of the speed's running mean
  double known_after_s = 0.1;  ///< observed for this long: the change of the speed is known
  double longest_gap_s = 0.5;  ///< between frames: after a longer one all is forgotten

  // Ramps: 0 up to the first number, 1 from the second on.
  double walks_mps[2] = {0.25, 0.5};      ///< speed from which a person walks rather than stands
  double certain_sigmas[2] = {0.6, 1.9};  ///< speed over its standard deviation: surely walks
  double speeding_up_mps2[2] = {0.25, 0.7};
  double slowing_mps2[2] = {0.3, 0.8};
  double to_pace_mps[2] = {0, 0.3};  ///< what is missing to the usual pace

  double speed_up_mps2[2] = {0.9, 1.8};  ///< limits of the acceleration that is predicted
};
constexpr PaceTuning kPaceTuning{};

/// 0 up to `from`, 1 from `to` on, linear in between.
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

void PaceEstimator::observe(Nanos at, const track::PersonList& people) noexcept {
  const double dt = static_cast<double>((at - at_).count()) * 1e-9;
  if (dt < 0 || dt > kPaceTuning.longest_gap_s) reset();
  at_ = at;
  const PaceEstimator old = *this;
  count_ = 0;
  for (int i = 0; i < people.count; ++i) {
    const track::Person& person = people.items[i];
    // Of who may stand, the velocity if they walk: a belief that grows is no change of pace.
    const double speed = std::abs(person.walks < 1 ? person.walking.vy_mps : person.vy_mps);
    if (!std::isfinite(speed) || !(person.walks > 0)) continue;
    Walker walker{person.id, speed, speed, 0};
    for (int k = 0; k < old.count_; ++k) {
      const Walker& was = old.walkers_[static_cast<std::size_t>(k)];
      if (was.id != person.id) continue;
      walker.before = was.before + (speed - was.before) * (dt / (kPaceTuning.filter_s + dt));
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
    if (walker.seen_s < kPaceTuning.known_after_s) return std::nullopt;
    return (walker.speed - walker.before) / kPaceTuning.filter_s;
  }
  return std::nullopt;
}

PaceShares pace_shares(const PaceSettings& settings, double across, double sigma, double speed,
                       std::optional<double> change) noexcept {
  PaceShares shares;
  const PaceTuning& t = kPaceTuning;
  const double walks = ramp(across, t.walks_mps[0], t.walks_mps[1]);
  const double surely = ramp(across, t.certain_sigmas[0] * sigma, t.certain_sigmas[1] * sigma);
  const double grows = ramp(change.value_or(0), t.speeding_up_mps2[0], t.speeding_up_mps2[1]);
  const double falls = ramp(-change.value_or(0), t.slowing_mps2[0], t.slowing_mps2[1]);
  shares.speed_up_mps2 = std::clamp(change.value_or(0), t.speed_up_mps2[0], t.speed_up_mps2[1]);
  shares.fastest_mps = settings.usual_mps;
  shares.speeds_up = settings.speeds_up_share * walks * surely * grows *
                     ramp(settings.usual_mps - speed, t.to_pace_mps[0], t.to_pace_mps[1]);
  shares.stops = walks * (settings.stops_share + settings.stops_slowing_share * falls) *
                 (1 - shares.speeds_up);
  shares.keeps = 1 - shares.stops - shares.speeds_up;
  return shares;
}

}  // namespace kerb::risk
