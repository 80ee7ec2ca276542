// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "firmware/risk/contact.hpp"
#include "firmware/track/tracker.hpp"
#include "firmware/types/people_report.hpp"
#include "firmware/types/view_fields.hpp"
#include "firmware/visibility/view_estimator.hpp"

namespace kerb {

/// Turns one frame's measurements into tracked people and their probabilities of contact, for one
/// camera: tracker, car path and contact judge, and how far they are seen, for the pipeline and for
/// replays of records. One thread at a time; allocates only when constructed; the same senses give
/// the same bits.
class PeopleEstimator {
 public:
  PeopleEstimator(const Camera& camera, const track::TrackerSettings& settings,
                  const risk::CarShape& car, const risk::ContactSettings& contact,
                  std::unique_ptr<track::Appearance> appearance);

  /// As Tracker::sense().
  void sense(Nanos captured, const PreparedImage& image, const DetectionList* found,
             const MotionField* field, const ego::MotionReport* motion,
             const ego::VehicleMotion& vehicle, track::Senses& out) const {
    tracker_.sense(captured, image, found, field, motion, vehicle, out);
  }
  void step(const track::Senses& senses, risk::PeopleReport& out);
  /// The whole state, for records of warnings; see firmware/types/fields.hpp.
  void save(FieldWriter& out) const noexcept { list(out, *this); }
  void load(FieldReader& in) noexcept { list(in, *this); }
  void describe(FieldLister& out) const { list(out, *this); }

 private:
  template <typename F, typename Self>
  static void list(F& f, Self& s) {
    f.structure("PeopleEstimator")("tracker", s.tracker_)("path", s.path_)("judge", s.judge_);
    f("view", s.view_)("looked_at", s.looked_at_)("last_view", s.last_view_);
  }

  track::Tracker tracker_;
  risk::CarPath path_;
  risk::ContactJudge judge_;
  ViewEstimator view_;
  Nanos looked_at_{};     // when people were last searched for
  ViewReport last_view_;  // as of the last picture
};

}  // namespace kerb
