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
void fields(F& f, FieldsOf<F, OutlierSettings>& s) {
  static_assert(sizeof(OutlierSettings) == 8 + 10 * 8, "a new field? list it, see above");
  f.structure("OutlierSettings")("first_rounds", s.first_rounds)("start_sigma_m", s.start_sigma_m);
  f("box_outlier2", s.box_outlier2)("no_fit", s.no_fit)("flow_outlier2", s.flow_outlier2);
  f("flow_reject2", s.flow_reject2)("drift_gain", s.drift_gain)("drift_limit", s.drift_limit);
  f("drift_tolerance", s.drift_tolerance)("drift_penalty", s.drift_penalty);
  f("drift_speed_mps", s.drift_speed_mps);
}
template <typename F>
void fields(F& f, FieldsOf<F, FilterSettings>& s) {
  static_assert(sizeof(FilterSettings) == 41 * 8 + sizeof(OutlierSettings),
                "a new field? list it, see above");
  f.structure("FilterSettings")("adult_mean_m", s.adult.mean_m)("adult_sigma_m", s.adult.sigma_m);
  f("child_mean_m", s.child.mean_m)("child_sigma_m", s.child.sigma_m)("child_share", s.child_share);
  f("speed_sigma_mps", s.speed_sigma_mps)("speed_time_s", s.speed_time_s)("wander", s.wander);
  f("walks_share", s.walks_share)("starts_per_s", s.starts_per_s)("stops_per_s", s.stops_per_s);
  f("sway", s.sway)("motion_trust", s.motion_trust)("thing_mean_m", s.thing.mean_m);
  f("thing_sigma_m", s.thing.sigma_m)("thing_trust", s.thing_trust);
  f("thing_time_s", s.thing_time_s)("thing_most", s.thing_most)("thing_least", s.thing_least);
  f("pattern_drift", s.pattern_drift)("pattern_trust", s.pattern_trust);
  f("kerb_m", s.kerb_m)("kerb_sigma_m", s.kerb_sigma_m)("kerb_time_s", s.kerb_time_s);
  f("row_jitter", s.row_jitter)("column_jitter", s.column_jitter);
  f("least_jitter_px", s.least_jitter_px)("jitter_time_s", s.jitter_time_s);
  f("emerging_factor", s.emerging_factor)("emerging_s", s.emerging_s);
  f("pitch_time_s", s.pitch_time_s)("yaw_rate_sigma", s.yaw_rate_sigma);
  f("yaw_unknown_sigma", s.yaw_unknown_sigma)("speed_share", s.speed_share);
  f("speed_unknown_mps", s.speed_unknown_mps)("wander_unknown", s.wander_unknown);
  f("flow_doubt", s.flow_doubt)("flow_least_px", s.flow_least_px)("flow_share", s.flow_share);
  f("growth_least", s.growth_least)("edge_px", s.edge_px)("outliers", s.outliers);
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
  static_assert(sizeof(ExistenceSettings) == 19 * 8 + 2 * 4 + 8 + 8,
                "a new field? list it, see above");
  f.structure("ExistenceSettings")("score_even", s.score_even)("score_scale", s.score_scale);
  f("least_gain", s.least_gain)("most_gain", s.most_gain)("moves", s.moves);
  f("surely_moves", s.surely_moves)("strain", s.strain)("most_strain", s.most_strain);
  f("miss", s.miss)("unseen", s.unseen)("first", s.first)("most", s.most)("confirm", s.confirm);
  f("drop", s.drop)("confirm_hits", s.confirm_hits)("confirm_within", s.confirm_within);
  f("sure_score", s.sure_score)("tentative_misses", s.tentative_misses);
  f("certainty_offset", s.certainty_offset)("sum_weight", s.sum_weight);
  f("mean_weight", s.mean_weight)("motion_weight", s.motion_weight);
  f("height_weight", s.height_weight)("mean_scores", s.mean_scores);
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
void fields(F& f, FieldsOf<F, BoxFlowSettings>& s) {
  static_assert(sizeof(BoxFlowSettings) == 8 + 7 * 8 + 8 + 2 * 8,
                "a new field? list it, see above");
  f.structure("BoxFlowSettings")("min_vectors", s.min_vectors)("inner_width", s.inner_width);
  f("inner_top", s.inner_top)("inner_bottom", s.inner_bottom)("correlation", s.correlation);
  f("min_noise_px", s.min_noise_px)("near", s.near)("far", s.far);
  f("min_surroundings", s.min_surroundings)("like_sigmas", s.like_sigmas);
  f("own_share", s.own_share);
}
template <typename F>
void fields(F& f, FieldsOf<F, BoxSettings>& s) {
  static_assert(sizeof(BoxSettings) == 10 * 8 + 8, "a new field? list it, see above");
  f.structure("BoxSettings")("flow_valid", s.flow_valid);
  f("bias_gain", s.bias_gain)("max_bias", s.max_bias)("appearance_gain", s.appearance_gain);
  f("width_gain", s.width_gain)("middle_gain", s.middle_gain)("size_gain", s.size_gain);
  f("farther_share", s.farther_share)("head_off", s.head_off);
  f("farther_distance2", s.farther_distance2)("most_misfits", s.most_misfits);
}
template <typename F>
void fields(F& f, FieldsOf<F, BandSettings>& s) {
  static_assert(sizeof(BandSettings) == 5 * 8, "a new field? list it, see above");
  f.structure("BandSettings")("same", s.same)("same_scale", s.same_scale)("other", s.other);
  f("gate2", s.gate2)("breast_share", s.breast_share);
}
template <typename F>
void fields(F& f, FieldsOf<F, TrackerSettings>& t) {
  static_assert(sizeof(TrackerSettings) ==
                    10 * 8 + sizeof(FilterSettings) + sizeof(ImageFilterSettings) +
                        sizeof(ExistenceSettings) + sizeof(MatchSettings) +
                        sizeof(BoxFlowSettings) + sizeof(BoxSettings) + sizeof(BandSettings),
                "a new field? list it, see above");
  f.structure("TrackerSettings")("birth_score", t.birth_score)("smallest_px", t.smallest_px);
  f("coast_s", t.coast_s)("coast_hidden_s", t.coast_hidden_s)("remember_s", t.remember_s);
  f("longest_gap_s", t.longest_gap_s)("behind_camera_s", t.behind_camera_s);
  f("max_distance_m", t.max_distance_m)("max_sigma_across_m", t.max_sigma_across_m);
  f("memorable_share", t.memorable_share);
  f("filter", t.filter)("image", t.image)("existence", t.existence);
  // Up to format 4's first records it was "match", costs of another meaning: those are passed over.
  f("likelihood", t.match)("flow", t.flow)("boxes", t.boxes)("bands", t.bands);
}

}  // namespace kerb::track
