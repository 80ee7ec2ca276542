// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "firmware/ego/motion_estimator.hpp"
#include "firmware/lens/camera_geometry.hpp"
#include "firmware/track/existence.hpp"
#include "firmware/track/filter_settings.hpp"
#include "firmware/track/image_filter.hpp"
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

/// Assignment of detections to tracks, by the log-likelihood ratio of "this detection is this
/// person" to "it is not": `same` less the terms below. A logistic regression on pairs of tracks
/// and detections whose truth is known gave the weights; docs/results/tracking.md has the data.
/// What counts changes with the time since the last detection: at first where the box is, later how
/// the person looks. Weights go from the first value to `later` with the time constant `later_s`.
struct MatchSettings {
  double same = 6, same_later = 3.2;  ///< for a detection at the expected place, alike
  double place = 0.09;     ///< per squared standard deviation from the expected place and size, on
                           ///< the road or in the image, whichever is nearer
  double most_place = 40;  ///< squared standard deviations that count: boxes have heavy tails
  double spread = 0.08;    ///< per factor e by which the expected place is less certain than a box
  double overlap = 11, overlap_later = 3.5;        ///< for boxes that do not overlap at all
  double appearance = 2.2, appearance_later = 10;  ///< per difference of appearance, 0 to 1
  double most_different = 0.6;  ///< differences above count as this: light changes appearance
  double behind = 1.2;          ///< for a person covered by another; later nothing
  double doubtful = 0.25;       ///< per factor e by which a detection is likelier false than true,
  double most_doubt = 4;        ///< up to so many factors
  double later_s = 0.25;        ///< seconds
  double recent_s = 0.2;        ///< those seen within this time choose first
  double least = -2;  ///< pairs with a lower ratio are not matched: whoever is begun anew is lost
                      ///< for longer than whoever is mistaken
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
  double remember_s = 4;       ///< time since the last detection for which a confirmed person whose
                               ///< track has ended may get the same id again; not reported
  double longest_gap_s = 1.5;  ///< between frames: after a longer gap all tracks are dropped
  FilterSettings filter;
  ImageFilterSettings image;
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
