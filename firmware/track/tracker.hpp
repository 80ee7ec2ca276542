// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "firmware/ego/motion_estimator.hpp"
#include "firmware/lens/camera_geometry.hpp"
#include "firmware/track/existence.hpp"
#include "firmware/track/filter_settings.hpp"
#include "firmware/types/fields.hpp"
#include "firmware/types/person.hpp"
#include "firmware/types/senses.hpp"
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

/// Assignment of detections to tracks. The cost of a pair is the squared distance in standard
/// deviations, in the picture, plus the terms below.
struct MatchSettings {
  double gate = 25;                ///< largest squared distance; boxes have heavier tails than a
                                   ///< normal distribution
  double least_overlap = 0.1;      ///< of the boxes; below, half the gate
  double overlap = 12;             ///< cost of boxes that do not overlap at all
  double appearance = 20;          ///< cost of the largest difference of appearance
  double most_different = 0.6;     ///< a larger difference of appearance: another person
  double doubtful = 2;             ///< cost per factor e by which a detection is likelier to be
  double most_doubt = 4;           ///< false than true, up to so many factors
  double behind = 12;              ///< cost of standing behind another person
  double limit = 34;               ///< pairs that cost more are not matched
  double duplicate_overlap = 0.7;  ///< overlap from which two tracks may be one person,
  double duplicate_m = 1.5;        ///< where they are this near on the road (or within a tenth of
                                   ///< the distance)
  double duplicate_mps = 1.2;      ///< and their velocities differ by less,
  int duplicate_frames = 10;       ///< for more frames than this, where both are confirmed
};

struct TrackerSettings {
  double birth_score = 0;       ///< detections below never start a track
  double smallest_px = 40;      ///< smaller people are not expected to be detected
  double coast_s = 1;           ///< a track ends after this time without the expected detections
  double coast_hidden_s = 2.5;  ///< likewise, where the person is hidden
  double longest_gap_s = 1.5;   ///< between frames: after a longer gap all tracks are dropped
  FilterSettings filter;
  ExistenceSettings existence;
  MatchSettings match;
};

/// Tracks people from frame to frame: a Kalman filter on the road and a probability of existence
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
