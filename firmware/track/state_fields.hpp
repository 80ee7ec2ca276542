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
void matrix_fields(F& f, Derived& m) {
  for (Eigen::Index i = 0; i < m.size(); ++i) f(m.data()[i]);
}

template <typename F>
void fields(F& f, FieldsOf<F, Existence>& e) {
  static_assert(sizeof(Existence) == 40, "a new member? list it, see above");
  f(e.log_odds_, e.best_, e.second_, e.history_, e.misses_, e.moved_, e.confirmed_);
}
template <typename F>
void fields(F& f, FieldsOf<F, GroundFilter>& g) {
  static_assert(sizeof(GroundFilter) == (6 + 36 + 3) * 8 + 8, "a new member? list it, see above");
  matrix_fields(f, g.state_);
  matrix_fields(f, g.covariance_);
  f(g.strain_, g.log_fit_, g.drift_, g.speed_known_, g.larger_);
}
template <typename F>
void fields(F& f, FieldsOf<F, PersonFilter>& p) {
  static_assert(sizeof(PersonFilter) == 2 * sizeof(GroundFilter) + 2 * 8 + (6 + 36) * 8,
                "a new member? list it, see above");
  f(p.as_[0], p.as_[1], p.weight_[0], p.weight_[1]);
  matrix_fields(f, p.state_);
  matrix_fields(f, p.covariance_);
}
template <typename F>
void fields(F& f, FieldsOf<F, GroundFilter::Expected>& e) {
  static_assert(sizeof(GroundFilter::Expected) == 8 + (3 + 9) * 8,
                "a new member? list it, see above");
  f(e.in_front);
  matrix_fields(f, e.box);
  matrix_fields(f, e.spread);
}
/// found_by_bands_ is of one frame.
template <typename F>
void fields(F& f, FieldsOf<F, Track>& p) {
  static_assert(sizeof(Track) == 24 + sizeof(PersonFilter) + sizeof(Existence) + sizeof(Signature) +
                                     4 + sizeof(GroundFilter::Expected) + 3 * 8 + 24 + 3 * 8 +
                                     2 * 4 + 8,
                "a new member? list it, see above");
  f(p.id_, p.first_seen_, p.last_seen_, p.filter_, p.existence_, p.signature_, p.expected_);
  matrix_fields(f, p.bias_);
  f(p.box_, p.width_share_, p.score_, p.missed_s_, p.duplicate_frames_, p.boxes_, p.seen_);
}
/// seen_, usable_, taken_ and assignment_ are of one frame.
template <typename F>
void fields(F& f, FieldsOf<F, TrackList>& r) {
  f.count(r.count_, TrackList::kMost);
  for (int i = 0; i < r.count_; ++i) f(r.people_[static_cast<std::size_t>(i)]);
  f(r.next_id_);
}

}  // namespace kerb::track
