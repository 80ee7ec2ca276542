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

/// Tells people apart by how they look. One thread at a time; allocates nothing.
class Appearance {
 public:
  virtual ~Appearance() = default;
  /// What is in this box of the picture; not known where the picture does not tell.
  virtual void sign(const PreparedImage& image, const Detection& box, Signature& out) = 0;
  /// 0 the same, 1 as different as can be. Exact: see firmware/exact.
  [[nodiscard]] virtual double distance(const Signature& a, const Signature& b) const noexcept = 0;
};

/// What makes a detection and a person belong together. Distances are squares of standard
/// deviations, in the picture.
struct MatchSettings {
  double gate = 25;                ///< boxes err more than a normal distribution has it
  double least_overlap = 0.1;      ///< of the boxes; below, half the gate
  double overlap = 12;             ///< what boxes that do not overlap at all cost
  double appearance = 20;          ///< what looking as different as can be costs
  double most_different = 0.6;     ///< who looks more different is somebody else
  double doubtful = 2;             ///< what a detection costs that is e times likelier to be none,
  double most_doubt = 4;           ///< up to so many times e
  double behind = 12;              ///< what standing behind another costs
  double limit = 34;               ///< what costs more is no match
  double duplicate_overlap = 0.7;  ///< of two people's boxes, from which they may be one
  double duplicate_m = 1.5;        ///< so near on the road, too; or a tenth of the distance
  double duplicate_mps = 1.2;      ///< and going the same way
  int duplicate_frames = 10;       ///< for so long, where both are confirmed
};

struct TrackerSettings {
  double birth_score = 0;       ///< detections below never begin a person
  double smallest_px = 40;      ///< people smaller than this in the picture are not missed
  double coast_s = 1;           ///< so long a person is followed who should be seen and is not
  double coast_hidden_s = 2.5;  ///< who stands behind another
  double longest_gap_s = 1.5;   ///< between frames: after longer, everybody is forgotten
  FilterSettings filter;
  ExistenceSettings existence;
  MatchSettings match;
};

/// Follows people from frame to frame: a Kalman filter on the road for each, the best assignment of
/// detections to people, and a ledger of how sure it is of each. The same senses give the same
/// people, bit for bit. One thread at a time; allocates only when made.
class Tracker {
 public:
  Tracker(const Camera& camera, const TrackerSettings& settings,
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
  /// All that it remembers, for records of warnings; see types/fields.hpp. Made with the same
  /// settings, it goes on from there as this one does.
  void save(FieldWriter& out) const noexcept;
  void load(FieldReader& in) noexcept;
  void describe(FieldLister& out) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kerb::track
