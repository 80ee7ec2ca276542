// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/types/ego_motion.hpp"
#include "firmware/types/fields.hpp"
#include "firmware/types/person.hpp"
#include "firmware/types/senses.hpp"
#include "firmware/types/view_fields.hpp"
#include "hal/vision.hpp"

/// What a frame tells the tracker and whom the tracker follows, as records of warnings hold it:
/// every field. A struct that grows fails to compile here: list the new field too.
/// If decisions depend on it, raise records::kDecisionsVersion.
namespace kerb {

template <typename F>
void fields(F& f, FieldsOf<F, ego::VehicleMotion>& v) {
  static_assert(sizeof(ego::VehicleMotion) == 64, "a new field? list it, see above");
  f.structure("VehicleMotion")("speed_mps", v.speed_mps)("yaw_rate_radps", v.yaw_rate_radps);
  f("steering_rad", v.steering_rad)("turn_signal", v.turn_signal);
  f("speed_sigma_mps", v.speed_sigma_mps);
}
template <typename F>
void fields(F& f, FieldsOf<F, Detection>& d) {
  static_assert(sizeof(Detection) == 20, "a new field? list it, see above");
  f.structure("Detection")("x", d.x)("y", d.y)("w", d.w)("h", d.h)("score", d.score);
}

namespace track {

template <typename F>
void fields(F& f, FieldsOf<F, Signature>& s) {
  static_assert(sizeof(Signature) == 4 + 4 * Signature::kSize, "a new field? list it, see above");
  f.structure("Signature").optional("values", s.known, s.values);
}
template <typename F>
void fields(F& f, FieldsOf<F, BoxFlow>& b) {
  static_assert(sizeof(BoxFlow) == 24, "a new field? list it, see above");
  f.structure("BoxFlow")("points", b.points)("dx", b.dx)("dy", b.dy)("growth", b.growth);
  f("sigma_px", b.sigma_px)("growth_sigma", b.growth_sigma);
}
/// Of a detection without an entry nothing is known.
template <typename F>
void likeness_fields(F& f, FieldsOf<F, Likeness>& l, int detections) {
  static_assert(sizeof(Likeness) == 16 + Senses::kMost, "a new field? list it, see above");
  f("id", l.id)("found", l.found)("column", l.column)("sigma_px", l.sigma_px);
  f.sized("of", "boxes", l.of.data(), detections);
}
/// The entries in use alone. Likenesses are the last, and left out where there are none.
template <typename F>
void fields(F& f, FieldsOf<F, Senses>& s) {
  constexpr std::size_t kMost = Senses::kMost;
  static_assert(sizeof(Senses) == 16 + kMost * (20 + sizeof(Signature) + 1 + 24) + 8 + 64 + 2 * 16 +
                                      8 + sizeof(ViewMeasurement) + 8 +
                                      Senses::kMostLikenesses * sizeof(Likeness),
                "a new field? list it, see above");
  f.structure("Senses")("captured", s.captured)("looked", s.looked);
  f.list("boxes", s.count, Senses::kMost, [&](std::size_t i) {
    f("box", s.boxes[i])("look", s.looks[i])("flow_says_moves", s.flow_says_moves[i]);
  });
  f.list("flows", s.followed, Senses::kMost, [&](std::size_t i) { f("flow", s.flows[i]); });
  f("vehicle", s.vehicle)("yaw_rate_radps", s.yaw_rate_radps)("pitch_rad", s.pitch_rad);
  f("pitch_sigma_rad", s.pitch_sigma_rad)("view", s.view);
  f.tail_list("likenesses", s.likenesses, Senses::kMostLikenesses,
              [&](std::size_t i) { likeness_fields(f, s.like[i], s.count); });
}
template <typename F>
void fields(F& f, FieldsOf<F, Person>& p) {
  static_assert(sizeof(Person) == 24 + 4 * 8 + 16 * 8 + 8 + 20 * 8 + 6 * 8 + 2 * 8 + 24 + 8 + 8,
                "a new field? list it, see above");
  f.structure("Person")("id", p.id)("camera", p.camera)("first_seen", p.first_seen);
  f("last_seen", p.last_seen);
  f("x_m", p.x_m)("y_m", p.y_m)("vx_mps", p.vx_mps)("vy_mps", p.vy_mps)("covariance", p.covariance);
  f("walks", p.walks)("walking_x_m", p.walking.x_m)("walking_y_m", p.walking.y_m);
  f("walking_vx_mps", p.walking.vx_mps)("walking_vy_mps", p.walking.vy_mps);
  f("walking_covariance", p.walking.covariance)("standing_x_m", p.standing.x_m);
  f("standing_y_m", p.standing.y_m)("standing_covariance", p.standing.covariance);
  f("height_m", p.height_m)("height_sigma_m", p.height_sigma_m)("box", p.box);
  f("certainty", p.certainty)("confirmed", p.confirmed)("seen", p.seen);
}

}  // namespace track
}  // namespace kerb
