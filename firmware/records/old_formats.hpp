// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

/// Records written before format 4 do not name their fields. Never change this file.
namespace kerb::records {

/// What formats 2 and 3 carry of the sizes of the structs (on x86-64 and arm64 alike). Another
/// number: an intermediate version, whose fields are not known.
constexpr std::uint32_t layout_of_old_format(std::uint16_t format) noexcept {
  return format == 2 ? 0x03F322BAU : 0x46BADB3BU;
}

/// The fields of their chunks. Format 2 has no likenesses: they are left out where there are none.
inline constexpr std::string_view kTableOfOldFormats =
    "Camera width:i32 height:i32 focal_px:f64 center_x:f64 center_y:f64 k1:f64 k2:f64"
    " k3:f64 p1:f64 p2:f64 height_m:f64 pitch_rad:f64 yaw_rad:f64 roll_rad:f64 ahead_m:f64"
    " left_m:f64 pitch_sigma_rad:f64\n"
    "FilterSettings adult_mean_m:f64 adult_sigma_m:f64 child_mean_m:f64 child_sigma_m:f64"
    " child_share:f64 speed_sigma_mps:f64 speed_time_s:f64 wander:f64 row_jitter:f64"
    " column_jitter:f64 least_jitter_px:f64 jitter_time_s:f64 pitch_time_s:f64"
    " yaw_rate_sigma:f64 yaw_unknown_sigma:f64 speed_share:f64 speed_unknown_mps:f64"
    " wander_unknown:f64 flow_doubt:f64 flow_least_px:f64 flow_share:f64 growth_least:f64\n"
    "ExistenceSettings score_even:f64 score_scale:f64 least_gain:f64 most_gain:f64"
    " moves:f64 surely_moves:f64 strain:f64 most_strain:f64 miss:f64 unseen:f64 first:f64"
    " most:f64 confirm:f64 drop:f64 confirm_hits:i32 confirm_within:i32 sure_score:f64"
    " tentative_misses:i32\n"
    "MatchSettings gate:f64 least_overlap:f64 overlap:f64 appearance:f64 most_different:f64"
    " doubtful:f64 most_doubt:f64 behind:f64 limit:f64 duplicate_overlap:f64"
    " duplicate_m:f64 duplicate_mps:f64 duplicate_frames:i32\n"
    "TrackerSettings birth_score:f64 smallest_px:f64 coast_s:f64 coast_hidden_s:f64"
    " longest_gap_s:f64 filter:FilterSettings existence:ExistenceSettings"
    " match:MatchSettings\n"
    "CarShape width_m:f64 length_m:f64 axle_to_bumper_m:f64\n"
    "ContactSettings horizon_s:f64 person_radius_m:f64\n"
    "RecordHeader.cameras name:text model:Camera tracker:TrackerSettings car:CarShape"
    " contact:ContactSettings\n"
    "RecordHeader sensitivity:u8 cameras:[]RecordHeader.cameras began:i64 utc:i64 level:u8\n"
    "Detection x:f32 y:f32 w:f32 h:f32 score:f32\n"
    "Person id:u32 first_seen:i64 last_seen:i64 x_m:f64 y_m:f64 vx_mps:f64 vy_mps:f64"
    " covariance:[16]f64 height_m:f64 height_sigma_m:f64 box:Detection certainty:f64"
    " confirmed:bool seen:bool\n"
    "Contact probability:f64 expected_s:?f64 expected_sigma_s:f64 time_s:?f64 closest_m:f64"
    " closest_in_s:f64 ahead_m:f64 beside_m:f64\n"
    "PeopleReport.people person:Person contact:Contact\n"
    "PeopleReport at:i64 path_known:bool speed_mps:f64 acceleration_mps2:f64"
    " yaw_rate_radps:f64 people:[]PeopleReport.people\n"
    "Candidates.items id:u32 camera:i32 support:i64 reports:i32 last:i64 mean_likelihood:f64\n"
    "Candidates items:[]Candidates.items\n"
    "WarningDecision level:u8 time_to_collision_s:?f64 person:?u32 camera:i32\n"
    "WarningLogic creeping:bool slow:bool brakes:bool brakes_hard:bool steers:bool"
    " endangered:Candidates close:Candidates level:u8 since:i64 collision_wanted:i64"
    " information_wanted:i64 collision_ended:?i64 information_ended:?i64"
    " decision:WarningDecision\n"
    "LogicState reports:[4]?PeopleReport logic:WarningLogic\n"
    "DriverSide readiness:u8 speed_mps:?f64 yaw_rate_radps:?f64 gear:?u8 turn_signal:?u8\n"
    "Round now:i64 reports:[4]?i64 side:DriverSide decision:WarningDecision\n"
    "CanFrame.data byte:u8\n"
    "CanFrame id:u32 extended:bool remote:bool fd:bool bit_rate_switch:bool received:i64"
    " data:[]CanFrame.data\n"
    "Marker now:i64 from:u8 to:u8\n"
    "GroundFilter state:[6]f64 covariance:[36]f64 strain:f64 log_fit:f64 drift:f64"
    " speed_known:bool larger:bool\n"
    "PersonFilter as:[2]GroundFilter weight:[2]f64 state:[6]f64 covariance:[36]f64\n"
    "Existence log_odds:f64 best:f64 second:f64 history:u32 misses:i32 moved:u32"
    " confirmed:bool\n"
    "Signature values:?[48]f32\n"
    "GroundFilter.Expected in_front:bool box:[3]f64 spread:[9]f64\n"
    "Track id:u32 first_seen:i64 last_seen:i64 filter:PersonFilter existence:Existence"
    " signature:Signature expected:GroundFilter.Expected bias:[3]f64 box:Detection"
    " width_share:f64 score:f64 missed_s:f64 duplicate_frames:i32 boxes:i32 seen:bool\n"
    "TrackList.people person:Track\n"
    "TrackList people:[]TrackList.people next_id:u32\n"
    "Tracker.last person:Person\n"
    "Tracker tracks:TrackList at:?i64 pitch:f64 pitch_sigma:f64 last:[]Tracker.last\n"
    "CarPath at:i64 speed_at:i64 yaw_rate_at:i64 speed:?f64 yaw_rate:?f64 fast:f64"
    " slow:f64 acceleration:f64 yaw_acceleration:f64\n"
    "PaceEstimator.walkers id:u32 speed:f64 before:f64 seen_s:f64\n"
    "PaceEstimator at:i64 walkers:[]PaceEstimator.walkers\n"
    "PeopleEstimator tracker:Tracker path:CarPath judge:PaceEstimator\n"
    "Senses.boxes box:Detection look:Signature flow_says_moves:bool\n"
    "BoxFlow points:i32 dx:f32 dy:f32 growth:f32 sigma_px:f32 growth_sigma:f32\n"
    "Senses.flows flow:BoxFlow\n"
    "VehicleMotion speed_mps:?f64 yaw_rate_radps:?f64\n"
    "Senses.likenesses id:u32 found:bool column:f32 sigma_px:f32 of:[boxes]u8\n"
    "Senses captured:i64 looked:bool boxes:[]Senses.boxes flows:[]Senses.flows"
    " vehicle:VehicleMotion yaw_rate_radps:?f64 pitch_rad:?f64 pitch_sigma_rad:f64"
    " likenesses:~[]Senses.likenesses\n"
    "PictureHead captured:i64 format:u8 shrunk:u8 width:u16 height:u16\n"
    "Record header:RecordHeader logic_state:LogicState round:Round vehicle:CanFrame"
    " marker:Marker people_state:PeopleEstimator senses:Senses report:PeopleReport"
    " picture:PictureHead\n";

}  // namespace kerb::records
