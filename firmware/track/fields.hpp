// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/track/tracker.hpp"
#include "firmware/types/camera_fields.hpp"
#include "firmware/types/person_fields.hpp"

/// What the tracker is set to, as records of warnings hold it: every field. A struct that grows
/// fails to compile here: list the new field too, and raise records::kFormat.
namespace kerb::track {

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

}  // namespace kerb::track
