// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "firmware/ego/motion_watch.hpp"
#include "firmware/track/camera_model.hpp"
#include "firmware/track/person.hpp"
#include "firmware/track/senses.hpp"
#include "hal/motion.hpp"
#include "hal/vision.hpp"

namespace kerb::track {

/// Tells people apart by how they look. One thread at a time; allocates nothing.
class Appearance {
 public:
  virtual ~Appearance() = default;
  /// What is in this box of the picture; not known where the picture does not tell.
  virtual void sign(const PreparedImage& image, const Detection& box, Signature& out) = 0;
  /// 0 the same, 1 as different as can be. Exact: see firmware/exact.
  [[nodiscard]] virtual double distance(const Signature& a, const Signature& b) const noexcept = 0;
};

struct TrackerSettings {
  double birth_score = 0;  ///< detections below never begin a person
};

/// Follows people from frame to frame: a Kalman filter on the road for each, the best assignment of
/// detections to people, and a ledger of how sure it is of each. The same senses give the same
/// people, bit for bit. One thread at a time; allocates only when made.
class Tracker {
 public:
  Tracker(const CameraModel& camera, const TrackerSettings& settings,
          std::unique_ptr<Appearance> appearance);
  ~Tracker();

  /// Gathers what a frame tells about the people followed so far and the ones detected. `found`
  /// null: the detector did not look. `field` and `motion` null: nobody measured motion.
  void sense(Nanos captured, const PreparedImage& image, const DetectionList* found,
             const MotionField* field, const ego::MotionReport* motion,
             const ego::VehicleMotion& vehicle, Senses& out) const;
  /// Takes it in: everybody followed now.
  void step(const Senses& senses, PersonList& out);
  /// A gap in time: everybody is forgotten.
  void forget() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kerb::track
