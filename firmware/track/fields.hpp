// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/track/tracker.hpp"
#include "firmware/types/camera_fields.hpp"
#include "firmware/types/person_fields.hpp"

/// What the tracker is set to, as records of warnings hold it: every field. A struct that grows
/// fails to compile here: list the new field too.
/// If decisions depend on it, raise records::kDecisionsVersion.
namespace kerb::track {

template <typename F>
void fields(F& f, FieldsOf<F, FilterSettings>& s) {
  static_assert(sizeof(FilterSettings) == 33 * 8, "a new field? list it, see above");
  f.structure("FilterSettings")("adult_mean_m", s.adult.mean_m)("adult_sigma_m", s.adult.sigma_m);
  f("child_mean_m", s.child.mean_m)("child_sigma_m", s.child.sigma_m)("child_share", s.child_share);
  f("speed_sigma_mps", s.speed_sigma_mps)("speed_time_s", s.speed_time_s)("wander", s.wander);
  f("walks_share", s.walks_share)("starts_per_s", s.starts_per_s)("stops_per_s", s.stops_per_s);
  f("sway", s.sway)("motion_trust", s.motion_trust)("thing_mean_m", s.thing.mean_m);
  f("thing_sigma_m", s.thing.sigma_m)("thing_trust", s.thing_trust);
  f("thing_time_s", s.thing_time_s)("thing_most", s.thing_most)("thing_least", s.thing_least);
  f("row_jitter", s.row_jitter)("column_jitter", s.column_jitter);
  f("least_jitter_px", s.least_jitter_px)("jitter_time_s", s.jitter_time_s);
  f("pitch_time_s", s.pitch_time_s)("yaw_rate_sigma", s.yaw_rate_sigma);
  f("yaw_unknown_sigma", s.yaw_unknown_sigma)("speed_share", s.speed_share);
  f("speed_unknown_mps", s.speed_unknown_mps)("wander_unknown", s.wander_unknown);
  f("flow_doubt", s.flow_doubt)("flow_least_px", s.flow_least_px)("flow_share", s.flow_share);
  f("growth_least", s.growth_least);
}
template <typename F>
void fields(F& f, FieldsOf<F, ImageFilterSettings>& s) {
  static_assert(sizeof(ImageFilterSettings) == 10 * 8, "a new field? list it, see above");
  f.structure("ImageFilterSettings")("column_jitter", s.column_jitter)("row_jitter", s.row_jitter);
  f("height_jitter", s.height_jitter)("drift", s.drift)("wander", s.wander);
  f("start_speed", s.start_speed)("flow_share", s.flow_share)("flow_least", s.flow_least);
  f("growth_least", s.growth_least)("flow_gate", s.flow_gate);
}
template <typename F>
void fields(F& f, FieldsOf<F, ExistenceSettings>& s) {
  static_assert(sizeof(ExistenceSettings) == 14 * 8 + 2 * 4 + 8 + 8,
                "a new field? list it, see above");
  f.structure("ExistenceSettings")("score_even", s.score_even)("score_scale", s.score_scale);
  f("least_gain", s.least_gain)("most_gain", s.most_gain)("moves", s.moves);
  f("surely_moves", s.surely_moves)("strain", s.strain)("most_strain", s.most_strain);
  f("miss", s.miss)("unseen", s.unseen)("first", s.first)("most", s.most)("confirm", s.confirm);
  f("drop", s.drop)("confirm_hits", s.confirm_hits)("confirm_within", s.confirm_within);
  f("sure_score", s.sure_score)("tentative_misses", s.tentative_misses);
}
template <typename F>
void fields(F& f, FieldsOf<F, MatchSettings>& s) {
  static_assert(sizeof(MatchSettings) == 19 * 8 + 8, "a new field? list it, see above");
  f.structure("LikelihoodSettings")("same", s.same)("same_later", s.same_later)("place", s.place);
  f("most_place", s.most_place)("spread", s.spread)("overlap", s.overlap);
  f("overlap_later", s.overlap_later)("appearance", s.appearance);
  f("appearance_later", s.appearance_later)("most_different", s.most_different);
  f("behind", s.behind)("doubtful", s.doubtful)("most_doubt", s.most_doubt);
  f("later_s", s.later_s)("recent_s", s.recent_s)("least", s.least);
  f("duplicate_overlap", s.duplicate_overlap)("duplicate_m", s.duplicate_m);
  f("duplicate_mps", s.duplicate_mps)("duplicate_frames", s.duplicate_frames);
}
template <typename F>
void fields(F& f, FieldsOf<F, TrackerSettings>& t) {
  static_assert(sizeof(TrackerSettings) == 6 * 8 + sizeof(FilterSettings) +
                                               sizeof(ImageFilterSettings) +
                                               sizeof(ExistenceSettings) + sizeof(MatchSettings),
                "a new field? list it, see above");
  f.structure("TrackerSettings")("birth_score", t.birth_score)("smallest_px", t.smallest_px);
  f("coast_s", t.coast_s)("coast_hidden_s", t.coast_hidden_s)("remember_s", t.remember_s);
  f("longest_gap_s", t.longest_gap_s);
  f("filter", t.filter)("image", t.image)("existence", t.existence);
  // Up to format 4's first records it was "match", costs of another meaning: those are passed over.
  f("likelihood", t.match);
}

}  // namespace kerb::track
