// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "firmware/types/camera.hpp"
#include "firmware/types/fields.hpp"
#include "firmware/types/person.hpp"
#include "firmware/types/view.hpp"
#include "hal/base/clock.hpp"

namespace kerb {

/// How far a person in dark clothes can be seen now, for one camera: the pictures of the last
/// second, corrected by the tracked people of the last ten. A confirmed person whom the detector
/// finds again at a distance says that one sees so far (or that their clothes are light); one who
/// is not found, though in the picture and behind nobody, that one does not (or that something
/// hides them). Both change the distance within its uncertainty only: in daylight, where pictures
/// leave no doubt, hardly at all. One thread; allocates nothing; the same input gives the same
/// bits.
class ViewEstimator {
 public:
  /// `axle_to_bumper_m`: people are measured from the rear axle.
  ViewEstimator(const Camera& camera, double axle_to_bumper_m) noexcept
      : ViewEstimator{camera.width, camera.height, axle_to_bumper_m} {}

  /// One picture, and the people after it. `looked`: the detector searched it.
  ViewReport step(Nanos captured, const ViewMeasurement& measured, const track::PersonList& people,
                  bool looked) noexcept;

  /// The whole state, for records of warnings; see firmware/types/fields.hpp.
  void save(FieldWriter& out) const noexcept { list(out, *this); }
  void load(FieldReader& in) noexcept;
  void describe(FieldLister& out) const { list(out, *this); }

 private:
  ViewEstimator(int width, int height, double axle_to_bumper_m) noexcept
      : width_{width}, height_{height}, axle_to_bumper_m_{axle_to_bumper_m} {}
  static constexpr int kBins = 10;  // of distance, by its logarithm
  template <typename F, typename Self>
  static void list(F& f, Self& s) {
    f.structure("ViewEstimator")("known", s.known_)("at", s.at_)("log_distance", s.log_distance_);
    f("spread", s.spread_)("found", s.found_)("missed", s.missed_);
  }
  void collect(double dt, const track::PersonList& people) noexcept;

  int width_, height_;
  double axle_to_bumper_m_;
  bool known_ = false;
  Nanos at_{};
  double log_distance_ = 0, spread_ = 0;          // of the pictures
  std::array<double, kBins> found_{}, missed_{};  // independent looks at people
};

}  // namespace kerb
