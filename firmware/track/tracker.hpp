// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "firmware/ego/motion_estimator.hpp"
#include "firmware/lens/camera_geometry.hpp"
#include "firmware/types/fields.hpp"
#include "firmware/types/person.hpp"
#include "firmware/types/senses.hpp"
#include "firmware/types/tracker_settings.hpp"
#include "hal/motion.hpp"
#include "hal/vision.hpp"

namespace kerb::track {

/// Tells people apart by their appearance. One thread at a time; allocates nothing.
class Appearance {
 public:
  virtual ~Appearance() = default;
  /// The signature of this box of the picture; not `known` where the picture does not show it.
  virtual void sign(const PreparedImage& image, const Detection& box, Signature& out) = 0;
  /// 0: the same; 1: as different as possible. Exact: see firmware/exact.
  [[nodiscard]] virtual double distance(const Signature& a, const Signature& b) const noexcept = 0;
};

/// Tracks people from frame to frame: a Kalman filter on the road and a score of existence
/// for each, and the optimal assignment of detections to tracks. The same senses give the same
/// people, bit for bit. One thread at a time; allocates only when constructed.
class Tracker {
 public:
  Tracker(const Camera& camera, const TrackerSettings& settings,
          std::unique_ptr<Appearance> appearance);
  ~Tracker();

  /// Gathers one frame's measurements of the tracked and the detected people. `found` null: the
  /// detector did not run. `field` and `motion` null: motion was not measured.
  void sense(Nanos captured, const PreparedImage& image, const DetectionList* found,
             const MotionField* field, const ego::MotionReport* motion,
             const ego::VehicleMotion& vehicle, Senses& out) const;
  /// Updates the tracks with them. `out`: all people tracked now.
  void step(const Senses& senses, PersonList& out);
  /// After a gap in time: drops all tracks.
  void forget() noexcept;
  /// The whole state, for records of warnings; see firmware/types/fields.hpp. A tracker with the
  /// same settings continues from it exactly as this one does.
  void save(FieldWriter& out) const noexcept;
  void load(FieldReader& in) noexcept;
  void describe(FieldLister& out) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kerb::track
