// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/types/ego_motion.hpp"
#include "firmware/types/fields.hpp"
#include "firmware/types/person.hpp"
#include "firmware/types/senses.hpp"
#include "hal/vision.hpp"

/// What a frame tells the tracker and whom the tracker follows, as records of warnings hold it:
/// every field. A struct that grows fails to compile here: list the new field too, and raise
/// records::kFormat.
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

}  // namespace track
}  // namespace kerb
