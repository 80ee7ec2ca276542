// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "firmware/types/fields.hpp"
#include "firmware/types/person.hpp"
#include "firmware/types/risk_settings.hpp"
#include "hal/base/clock.hpp"

namespace kerb::risk {

/// Measures how people change their pace across the car's path (along it, far away, hardly anything
/// is known). A person who has begun to walk will become faster; one who slows down is about to
/// stop. Keeps a running mean over half a second for each tracked person. One thread at a time;
/// allocates nothing; exact (see firmware/exact).
class PaceEstimator {
 public:
  /// All people, once a frame.
  void observe(Nanos at, const track::PersonList& people) noexcept;
  /// Change of a person's speed across, m/s^2; nothing for a person observed too briefly.
  [[nodiscard]] std::optional<double> change_mps2(std::uint32_t id) const noexcept;
  void reset() noexcept { *this = PaceEstimator{}; }
  /// The whole state, for records of warnings; see firmware/types/fields.hpp.
  void save(FieldWriter& out) const noexcept;
  void load(FieldReader& in) noexcept;
  void describe(FieldLister& out) const;

 private:
  struct Walker {
    std::uint32_t id = 0;
    double speed = 0, before = 0;  ///< now, and its running mean; m/s
    double seen_s = 0;             ///< observed for this long
  };
  template <typename F, typename Self>
  static void list(F& f, Self& s);
  Nanos at_{};
  int count_ = 0;
  std::array<Walker, track::PersonList::kCapacity> walkers_{};
};

/// Probabilities of what a person does next: keep the pace, stop, or walk faster.
struct PaceShares {
  double keeps = 1, stops = 0, speeds_up = 0;
  double speed_up_mps2 = 0;  ///< acceleration until
  double fastest_mps = 0;    ///< this speed is reached
};
/// For a person of this speed across the car's path, its standard deviation, their speed over
/// ground as far as it is sure, and the change of the first where known. A walking person may stop;
/// one who has surely begun to walk, and is still slower, will reach the usual pace. (Running is
/// not predicted: a person predicted to run would pass ahead of the car, and there would be no
/// warning.)
[[nodiscard]] PaceShares pace_shares(const PaceSettings& settings, double across_mps,
                                     double sigma_mps, double speed_mps,
                                     std::optional<double> change_mps2) noexcept;

}  // namespace kerb::risk
