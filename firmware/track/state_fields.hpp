// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <Eigen/Core>

#include "firmware/track/fields.hpp"
#include "firmware/track/track.hpp"
#include "firmware/track/track_list.hpp"
#include "firmware/types/fields.hpp"

/// The tracker's state from one frame to the next: every member except those that each frame fills
/// anew. A class that grows fails to compile here: list the new member too, or say why not.
namespace kerb::track {

template <typename F, typename Derived>
F& matrix_field(F& f, const char* name, Derived& m) {
  return f.array(name, m.data(), static_cast<std::size_t>(m.size()));
}

template <typename F>
void fields(F& f, FieldsOf<F, Existence>& e) {
  static_assert(sizeof(Existence) == 56, "a new member? list it, see above");
  f.structure("Existence")("log_odds", e.log_odds_)("best", e.best_)("second", e.second_);
  f("history", e.history_)("misses", e.misses_)("moved", e.moved_)("confirmed", e.confirmed_);
  f("mean", e.mean_)("count", e.count_);
}
template <typename F>
void fields(F& f, FieldsOf<F, GroundFilter>& g) {
  static_assert(sizeof(GroundFilter) == (7 + 49 + 3) * 8 + 8, "a new member? list it, see above");
  f.structure("GroundFilter");
  matrix_field(f, "state", g.state_);
  matrix_field(f, "covariance", g.covariance_);
  f("strain", g.strain_)("log_fit", g.log_fit_)("drift", g.drift_)("speed_known", g.speed_known_);
  f("larger", g.larger_);
}
template <typename F>
void fields(F& f, FieldsOf<F, ImagePattern>& p) {
  static_assert(sizeof(ImagePattern) == 6 * 8, "a new member? list it, see above");
  f.structure("ImagePattern")("place", p.place_)("variance", p.variance_);
}
template <typename F>
void fields(F& f, FieldsOf<F, PersonFilter>& p) {
  static_assert(sizeof(PersonFilter) == 5 * sizeof(GroundFilter) + 15 * 8 + (7 + 49) * 8,
                "a new member? list it, see above");
  f.structure("PersonFilter")("as", p.as_)("weight", p.weight_)("thing", p.thing_);
  f("person_evidence", p.person_evidence_)("flow_evidence", p.flow_evidence_);
  f("pattern", p.pattern_)("pattern_evidence", p.pattern_evidence_)("fit", p.fit_);
  f("thing_known", p.thing_known_)("heard", p.heard_);
  matrix_field(f, "state", p.all_.state);
  matrix_field(f, "covariance", p.all_.covariance);
}
template <typename F>
void fields(F& f, FieldsOf<F, GroundFilter::Expected>& e) {
  static_assert(sizeof(GroundFilter::Expected) == 8 + (3 + 9) * 8,
                "a new member? list it, see above");
  f.structure("GroundFilter.Expected")("in_front", e.in_front);
  matrix_field(f, "box", e.box);
  matrix_field(f, "spread", e.spread);
}
template <typename F>
void fields(F& f, FieldsOf<F, ImageAxis>& a) {
  static_assert(sizeof(ImageAxis) == 6 * 8, "a new member? list it, see above");
  f.structure("ImageAxis")("place", a.place)("rate", a.rate)("pp", a.pp)("pr", a.pr)("rr", a.rr);
  f("before", a.before);
}
template <typename F>
void fields(F& f, FieldsOf<F, ImageFilter>& i) {
  static_assert(sizeof(ImageFilter) == 3 * sizeof(ImageAxis), "a new member? list it, see above");
  f.structure("ImageFilter")("at", i.at_);
}
/// found_by_bands_ is of one frame.
template <typename F>
void fields(F& f, FieldsOf<F, Track>& p) {
  static_assert(sizeof(Track) == 24 + sizeof(PersonFilter) + sizeof(ImageFilter) +
                                     sizeof(Existence) + sizeof(Signature) + 4 +
                                     sizeof(GroundFilter::Expected) + 3 * 8 + 24 + 3 * 8 + 3 * 4 +
                                     4,
                "a new member? list it, see above");
  f.structure("Track")("id", p.id_)("first_seen", p.first_seen_)("last_seen", p.last_seen_);
  f("filter", p.filter_)("image", p.image_)("existence", p.existence_)("signature", p.signature_)(
      "expected", p.expected_);
  matrix_field(f, "bias", p.bias_);
  f("box", p.box_)("width_share", p.width_share_)("score", p.score_)("missed_s", p.missed_s_);
  f("duplicate_frames", p.duplicate_frames_)("boxes", p.boxes_)("misfits", p.misfits_);
  f("seen", p.seen_);
  f("lost", p.lost_);
}
/// seen_, usable_, taken_ and assignment_ are of one frame.
template <typename F>
void fields(F& f, FieldsOf<F, TrackList>& r) {
  f.structure("TrackList").list("people", r.count_, TrackList::kMost, [&](std::size_t i) {
    f("person", r.people_[i]);
  });
  f("next_id", r.next_id_);
}

}  // namespace kerb::track
