// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/ego/ego_motion.hpp"
#include "firmware/state/fields.hpp"
#include "firmware/track/camera_model.hpp"
#include "firmware/track/person.hpp"
#include "firmware/track/senses.hpp"
#include "firmware/track/tracker.hpp"
#include "hal/vision.hpp"

/// What the tracker takes in, tells and is set to, as records of warnings hold it: every field. A
/// struct that grows fails to compile here: list the new field too, and raise records::kFormat.
namespace kerb {

template <typename F>
void fields(F& f, FieldsOf<F, ego::VehicleMotion>& v) {
  static_assert(sizeof(ego::VehicleMotion) == 32, "a new field? list it, see above");
  f(v.speed_mps, v.yaw_rate_radps);
}
template <typename F>
void fields(F& f, FieldsOf<F, Detection>& d) {
  static_assert(sizeof(Detection) == 20, "a new field? list it, see above");
  f(d.x, d.y, d.w, d.h, d.score);
}

namespace track {

template <typename F>
void fields(F& f, FieldsOf<F, Signature>& s) {
  static_assert(sizeof(Signature) == 4 + 4 * Signature::kSize, "a new field? list it, see above");
  f(s.known);
  if (s.known) f(s.values);
}
template <typename F>
void fields(F& f, FieldsOf<F, BoxFlow>& b) {
  static_assert(sizeof(BoxFlow) == 24, "a new field? list it, see above");
  f(b.points, b.dx, b.dy, b.growth, b.sigma_px, b.growth_sigma);
}
/// Of a detection without an entry nothing is known.
template <typename F>
void likeness_fields(F& f, FieldsOf<F, Likeness>& l, int detections) {
  static_assert(sizeof(Likeness) == 16 + Senses::kMost, "a new field? list it, see above");
  f(l.id, l.found, l.column, l.sigma_px);
  for (std::size_t i = 0; i < static_cast<std::size_t>(detections); ++i) f(l.of[i]);
}
/// What the senses of format 2 take in memory: that of the ones since, without likenesses.
inline constexpr std::size_t kSensesWithoutLikenesses =
    sizeof(Senses) - 8 - Senses::kMostLikenesses * sizeof(Likeness);
/// The entries in use alone. Likenesses are the last, and left out where there are none: such
/// senses are those of format 2.
template <typename F>
void fields(F& f, FieldsOf<F, Senses>& s) {
  constexpr std::size_t kMost = Senses::kMost;
  static_assert(kSensesWithoutLikenesses ==
                    16 + kMost * (20 + sizeof(Signature) + 1 + 24) + 8 + 32 + 2 * 16 + 8,
                "a new field? list it, see above");
  f(s.captured, s.looked);
  f.count(s.count, Senses::kMost);
  for (std::size_t i = 0; i < static_cast<std::size_t>(s.count); ++i)
    f(s.boxes[i], s.looks[i], s.flow_says_moves[i]);
  f.count(s.followed, Senses::kMost);
  for (std::size_t i = 0; i < static_cast<std::size_t>(s.followed); ++i) f(s.flows[i]);
  f(s.vehicle, s.yaw_rate_radps, s.pitch_rad, s.pitch_sigma_rad);
  if constexpr (F::kReads) {
    s.likenesses = 0;
    if (!f.ok() || f.rest().empty()) return;
  } else {
    if (s.likenesses == 0) return;
  }
  f.count(s.likenesses, Senses::kMostLikenesses);
  for (std::size_t i = 0; i < static_cast<std::size_t>(s.likenesses); ++i)
    likeness_fields(f, s.like[i], s.count);
}
template <typename F>
void fields(F& f, FieldsOf<F, Person>& p) {
  static_assert(sizeof(Person) == 24 + 4 * 8 + 16 * 8 + 2 * 8 + 24 + 8 + 8,
                "a new field? list it, see above");
  f(p.id, p.first_seen, p.last_seen, p.x_m, p.y_m, p.vx_mps, p.vy_mps, p.covariance, p.height_m,
    p.height_sigma_m, p.box, p.certainty, p.confirmed, p.seen);
}
template <typename F>
void fields(F& f, FieldsOf<F, CameraModel>& c) {
  static_assert(sizeof(CameraModel) == 8 + 15 * 8, "a new field? list it, see above");
  f(c.width, c.height, c.focal_px, c.center_x, c.center_y, c.k1, c.k2, c.k3, c.p1, c.p2, c.height_m,
    c.pitch_rad, c.yaw_rad, c.roll_rad, c.ahead_m, c.left_m, c.pitch_sigma_rad);
}
template <typename F>
void fields(F& f, FieldsOf<F, FilterSettings>& s) {
  static_assert(sizeof(FilterSettings) == 22 * 8, "a new field? list it, see above");
  f(s.adult.mean_m, s.adult.sigma_m, s.child.mean_m, s.child.sigma_m, s.child_share,
    s.speed_sigma_mps, s.speed_time_s, s.wander, s.row_jitter, s.column_jitter, s.least_jitter_px,
    s.jitter_time_s, s.pitch_time_s, s.yaw_rate_sigma, s.yaw_unknown_sigma, s.speed_share,
    s.speed_unknown_mps, s.wander_unknown, s.flow_doubt, s.flow_least_px, s.flow_share,
    s.growth_least);
}
template <typename F>
void fields(F& f, FieldsOf<F, ExistenceSettings>& s) {
  static_assert(sizeof(ExistenceSettings) == 14 * 8 + 2 * 4 + 8 + 8,
                "a new field? list it, see above");
  f(s.score_even, s.score_scale, s.least_gain, s.most_gain, s.moves, s.surely_moves, s.strain,
    s.most_strain, s.miss, s.unseen, s.first, s.most, s.confirm, s.drop, s.confirm_hits,
    s.confirm_within, s.sure_score, s.tentative_misses);
}
template <typename F>
void fields(F& f, FieldsOf<F, MatchSettings>& s) {
  static_assert(sizeof(MatchSettings) == 12 * 8 + 8, "a new field? list it, see above");
  f(s.gate, s.least_overlap, s.overlap, s.appearance, s.most_different, s.doubtful, s.most_doubt,
    s.behind, s.limit, s.duplicate_overlap, s.duplicate_m, s.duplicate_mps, s.duplicate_frames);
}
template <typename F>
void fields(F& f, FieldsOf<F, TrackerSettings>& t) {
  static_assert(sizeof(TrackerSettings) == 5 * 8 + sizeof(FilterSettings) +
                                               sizeof(ExistenceSettings) + sizeof(MatchSettings),
                "a new field? list it, see above");
  f(t.birth_score, t.smallest_px, t.coast_s, t.coast_hidden_s, t.longest_gap_s, t.filter,
    t.existence, t.match);
}

}  // namespace track
}  // namespace kerb
