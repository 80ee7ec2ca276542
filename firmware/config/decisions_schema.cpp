// SPDX-License-Identifier: Apache-2.0
#include "firmware/config/decisions_schema.hpp"

namespace kerb::config {
namespace {

using namespace schema;

using track::BandSettings, track::BoxFlowSettings, track::BoxSettings, track::ExistenceSettings,
    track::FilterSettings, track::OutlierSettings, track::HeightPrior, track::MatchSettings,
    track::TrackerSettings;
constexpr Field kMotion[] = {
    number<&FilterSettings::adult, &HeightPrior::mean_m>("adult_m", 1.4, 2, "m",
                                                         "Mean height of adults."),
    number<&FilterSettings::adult, &HeightPrior::sigma_m>("adult_sigma_m", 0.02, 0.5, "m",
                                                          "Its standard deviation."),
    number<&FilterSettings::child, &HeightPrior::mean_m>("child_m", 0.8, 1.6, "m",
                                                         "Mean height of children."),
    number<&FilterSettings::child, &HeightPrior::sigma_m>("child_sigma_m", 0.02, 0.5, "m",
                                                          "Its standard deviation."),
    number<&FilterSettings::child_share>("child_share", 0, 0.9, "", "Share of children."),
    number<&FilterSettings::speed_sigma_mps>(
        "speed_sigma_mps", 0.2, 4, "m/s",
        "Standard deviation of the velocity of those who walk, along each axis."),
    number<&FilterSettings::speed_time_s>("speed_time_s", 0.3, 60, "s",
                                          "Time constant with which a velocity decays."),
    number<&FilterSettings::wander>("wander", 0.01, 10, "m²/s³",
                                    "Growth of the velocity's variance: how soon people turn."),
    number<&FilterSettings::walks_share>("walks_share", 0.01, 0.99, "",
                                         "Share of people who walk when they are first detected."),
    number<&FilterSettings::starts_per_s>("starts_per_s", 0, 5, "1/s",
                                          "Rate at which people who stand begin to walk."),
    number<&FilterSettings::stops_per_s>("stops_per_s", 0, 5, "1/s",
                                         "Rate at which people who walk stop."),
    number<&FilterSettings::kerb_m>("kerb_m", -0.5, 0.5, "m",
                                    "Mean height above the road of the ground people stand on: "
                                    "many are on a pavement."),
    number<&FilterSettings::kerb_sigma_m>("kerb_sigma_m", 0, 1, "m", "Its standard deviation."),
    number<&FilterSettings::kerb_time_s>("kerb_time_s", 0.1, 600, "s",
                                         "Time constant with which it changes: people step down."),
    number<&FilterSettings::sway>("sway", 0, 1, "m²/s",
                                  "Growth of the place's variance while a person stands."),
    number<&FilterSettings::motion_trust>(
        "motion_trust", 0.05, 1, "",
        "Weight of each box and flow as evidence between standing and walking; below 1, since "
        "their errors persist."),
    number<&FilterSettings::thing, &HeightPrior::mean_m>("thing_m", 0.3, 2, "m",
                                                         "Mean height of things."),
    number<&FilterSettings::thing, &HeightPrior::sigma_m>("thing_sigma_m", 0.1, 3, "m",
                                                          "Its standard deviation."),
    number<&FilterSettings::thing_trust>(
        "thing_trust", 0, 1, "",
        "Weight of each box and flow as evidence between a person and a thing that stands."),
    number<&FilterSettings::thing_time_s>("thing_time_s", 0.1, 60, "s",
                                          "Time constant with which that evidence is forgotten."),
    number<&FilterSettings::thing_most>("thing_most", 0, 10, "log-odds",
                                        "Most that this evidence says for a person."),
    number<&FilterSettings::thing_least>("thing_least", -10, 0, "log-odds",
                                         "Most that it says for a thing, negative."),
    number<&FilterSettings::pattern_drift>(
        "pattern_drift", 0, 5, "heights²/s",
        "Growth of the variance of a pattern that is fixed in the image."),
    number<&FilterSettings::pattern_trust>(
        "pattern_trust", 0, 1, "",
        "Weight of each box as evidence between a person and such a pattern."),
    number<&FilterSettings::row_jitter>("row_jitter", 0.005, 0.3, "heights of the box",
                                        "Error of a box's upper and lower edge."),
    number<&FilterSettings::column_jitter>("column_jitter", 0.005, 0.3, "heights of the box",
                                           "Error of its middle."),
    number<&FilterSettings::least_jitter_px>("least_jitter_px", 0.1, 10, "pixels",
                                             "Lower limit of both."),
    number<&FilterSettings::edge_px>("edge_px", 0, 100, "pixels",
                                     "A box this close to the edge of the image is cut by it."),
    number<&FilterSettings::jitter_time_s>("jitter_time_s", 0, 1, "s",
                                           "Correlation time of a detector's errors."),
    number<&FilterSettings::emerging_factor>(
        "emerging_factor", 0, 20, "",
        "The jitter of the first box of what comes into view is 1 plus this times as large: parts "
        "of it are still hidden."),
    number<&FilterSettings::emerging_s>("emerging_s", 0.01, 5, "s",
                                        "Time constant with which that fades."),
    number<&FilterSettings::pitch_time_s>("pitch_time_s", 0.1, 60, "s",
                                          "Correlation time of the car's nodding."),
    number<&FilterSettings::yaw_rate_sigma>("yaw_rate_sigma", 0.0001, 0.1, "rad/s",
                                            "Error of the reported yaw rate."),
    number<&FilterSettings::yaw_unknown_sigma>("yaw_unknown_sigma", 0.001, 1, "rad/s",
                                               "Where none is reported."),
    number<&FilterSettings::speed_share>("speed_share", 0, 0.2, "", "Error of the car's speed."),
    number<&FilterSettings::speed_unknown_mps>(
        "speed_unknown_mps", 0.5, 50, "m/s",
        "Standard deviation of the car's speed where none is reported."),
    number<&FilterSettings::wander_unknown>("wander_unknown", 0.01, 100, "m²/s³",
                                            "Likewise: growth of its variance."),
    number<&FilterSettings::flow_doubt>(
        "flow_doubt", 0.5, 20, "",
        "Factor on the standard deviation of the flow in a box: neighbours err together."),
    number<&FilterSettings::flow_least_px>("flow_least_px", 0.01, 5, "pixels",
                                           "Lower limit of that standard deviation."),
    number<&FilterSettings::flow_share>("flow_share", 0, 0.5, "",
                                        "Error that grows with the flow's length."),
    number<&FilterSettings::growth_least>("growth_least", 0.0001, 0.1, "",
                                          "Lower limit of the growth's standard deviation.")};
constexpr Table kMotionTable = table_of<FilterSettings>(
    "decisions.motion",
    "Where somebody is and how they move: stands or walks, adult, child or thing.", kMotion);

constexpr Field kOutliers[] = {
    integer<&OutlierSettings::first_rounds>(
        "first_rounds", 1, 50, "rounds", "Rounds of an update that starts far from its solution."),
    number<&OutlierSettings::start_sigma_m>(
        "start_sigma_m", 5, 500, "m", "Standard deviation of the place before the first box."),
    number<&OutlierSettings::box_outlier2>("box_outlier2", 1, 1000, "σ²",
                                           "A box farther from the expected one counts less."),
    number<&OutlierSettings::no_fit>(
        "no_fit", -1000, 0, "log-likelihood",
        "Of a box that fits no place: how much such a box tells against a hypothesis."),
    number<&OutlierSettings::flow_outlier2>("flow_outlier2", 0.5, 1000, "σ²",
                                            "Flow farther from the expected one counts less."),
    number<&OutlierSettings::flow_reject2>(
        "flow_reject2", 0.5, 10000, "σ²",
        "From here on it does not count: it is another's, or the background's."),
    number<&OutlierSettings::drift_gain>(
        "drift_gain", 0, 1, "",
        "Share of each box in the running mean of the offset from where the flow leads."),
    number<&OutlierSettings::drift_limit>("drift_limit", 0, 20, "σ", "Most of one box's offset."),
    number<&OutlierSettings::drift_tolerance>("drift_tolerance", 0, 10, "σ",
                                              "A mean offset up to this is noise."),
    number<&OutlierSettings::drift_penalty>(
        "drift_penalty", 0, 10000, "1/σ²",
        "Factor on the flow's variance per squared mean offset beyond it: the flow is that of the "
        "background."),
    number<&OutlierSettings::drift_speed_mps>(
        "drift_speed_mps", 0, 20, "m/s",
        "In a slower car the background does not move: no penalty.")};
constexpr Table kOutliersTable = table_of<OutlierSettings>(
    "decisions.outliers", "Boxes and flow that do not fit where a person is expected.", kOutliers);

constexpr Field kBoxFlow[] = {
    integer<&BoxFlowSettings::min_vectors>("min_vectors", 1, 100, "vectors",
                                           "Fewer within a box give no flow."),
    number<&BoxFlowSettings::inner_width>(
        "inner_width", 0.05, 1, "widths",
        "Inner part of a box that is used; the rest shows the background."),
    number<&BoxFlowSettings::inner_top>("inner_top", 0, 0.9, "heights",
                                        "Its upper edge, from the top of the box."),
    number<&BoxFlowSettings::inner_bottom>("inner_bottom", 0.1, 1, "heights",
                                           "Its lower edge, from the top of the box."),
    number<&BoxFlowSettings::correlation>("correlation", 1, 100, "",
                                          "Factor on the variance: neighbouring vectors share "
                                          "pixels."),
    number<&BoxFlowSettings::min_noise_px>("min_noise_px", 0.001, 5, "pixels",
                                           "Least noise, for vectors that agree by chance."),
    number<&BoxFlowSettings::near>(
        "near", 0.2, 5, "widths",
        "The surroundings are strips beside a box, from here on from its middle."),
    number<&BoxFlowSettings::far>("far", 0.3, 10, "widths", "They end here."),
    integer<&BoxFlowSettings::min_surroundings>("min_surroundings", 3, 256, "vectors",
                                                "With fewer their motion is not known."),
    number<&BoxFlowSettings::like_sigmas>("like_sigmas", 0.5, 20, "σ",
                                          "A vector nearer to their motion is like them."),
    number<&BoxFlowSettings::own_share>(
        "own_share", 0, 1, "",
        "From this share of the vectors within on, those unlike the surroundings are the thing's "
        "own.")};
constexpr Table kBoxFlowTable = table_of<BoxFlowSettings>(
    "decisions.flow", "How the image moves within a person's box.", kBoxFlow);

constexpr Field kBoxes[] = {
    integer<&BoxSettings::flow_valid>("flow_valid_ms", 0, 5000, "ms",
                                      "Time after the last detection for which flow counts."),
    number<&BoxSettings::bias_gain>("bias_gain", 0, 1, "",
                                    "Share of each box in the mean of its constant offset."),
    number<&BoxSettings::max_bias>("max_bias", 0, 2, "heights", "Most of that offset."),
    number<&BoxSettings::appearance_gain>("appearance_gain", 0, 1, "",
                                          "Likewise in the mean of the colours."),
    number<&BoxSettings::width_gain>("width_gain", 0, 1, "",
                                     "Likewise in the mean ratio of width to height."),
    number<&BoxSettings::middle_gain>("middle_gain", 0, 1, "",
                                      "Likewise in the middle of the reported box."),
    number<&BoxSettings::size_gain>("size_gain", 0, 1, "",
                                    "Likewise in its size, which jumps by the detector's steps."),
    number<&BoxSettings::farther_share>(
        "farther_share", 0, 1, "expected heights",
        "A box is that of another, farther away, if it is this small or smaller"
        " and both of the next two hold."),
    number<&BoxSettings::head_off>("head_off", 0, 1, "expected heights",
                                   "The head is farther than this from where it is expected."),
    number<&BoxSettings::farther_distance2>("farther_distance2", 0, 10000, "σ²",
                                            "The box is farther than this from the expected one."),
    integer<&BoxSettings::most_misfits>("most_misfits", 1, 100, "boxes",
                                        "So many of these in a row, and the place begins anew.")};
constexpr Table kBoxesTable = table_of<BoxSettings>(
    "decisions.boxes", "A person's boxes: running means, and boxes of somebody farther away.",
    kBoxes);

constexpr Field kBands[] = {
    number<&BandSettings::same>("same", 0, 1, "",
                                "Spectral difference below which it is surely the same person."),
    number<&BandSettings::same_scale>(
        "same_scale", 0, 1, "",
        "Factor on the distance from the expected place then: they may have turned round."),
    number<&BandSettings::other>("other", 0, 1, "", "Above, it is surely another."),
    number<&BandSettings::gate2>("gate2", 1, 10000, "σ²",
                                 "A place found by bands and farther off is another's."),
    number<&BandSettings::breast_share>("breast_share", 0, 1, "heights",
                                        "Middle of the upper body, from the top of a box.")};
constexpr Table kBandsTable = table_of<BandSettings>(
    "decisions.bands", "What spectral bands say of who a person is and where.", kBands);

constexpr Field kExistence[] = {
    number<&ExistenceSettings::certainty_offset>(
        "certainty_offset", -10, 10, "log-odds",
        "That there is a person, where nothing speaks for or against it."),
    number<&ExistenceSettings::sum_weight>("sum_weight", 0, 3, "",
                                           "Weight of the score's sum in the certainty."),
    number<&ExistenceSettings::mean_weight>(
        "mean_weight", 0, 10, "", "Likewise of the mean of (score - even) / score_scale."),
    number<&ExistenceSettings::motion_weight>(
        "motion_weight", 0, 3, "", "Likewise of the evidence between a person and a thing."),
    number<&ExistenceSettings::height_weight>(
        "height_weight", 0, 3, "",
        "Likewise of how much likelier the estimated height is for a person than for a thing."),
    number<&ExistenceSettings::score_scale>(
        "score_scale", 0.1, 20, "",
        "A detection adds its score less the model's even score, divided by this, in log-odds."),
    number<&ExistenceSettings::least_gain>("least_gain", -2, 2, "log-odds",
                                           "Least that a detection adds."),
    number<&ExistenceSettings::most_gain>("most_gain", 0.1, 10, "log-odds", "Most that it adds."),
    number<&ExistenceSettings::moves>("moves", 0, 5, "log-odds",
                                      "Added where it or its background moves by itself."),
    number<&ExistenceSettings::surely_moves>("surely_moves", 0, 5, "log-odds",
                                             "Added where it surely moves by itself."),
    number<&ExistenceSettings::strain>(
        "strain", 0, 1, "log-odds",
        "Taken off per squared standard deviation by which a box does not fit a person."),
    number<&ExistenceSettings::most_strain>("most_strain", 0, 1000, "",
                                            "Most of these that count."),
    number<&ExistenceSettings::miss>("miss", 0, 5, "log-odds",
                                     "Taken off per frame without the expected detection."),
    number<&ExistenceSettings::unseen>("unseen", 0, 5, "log-odds",
                                       "Taken off per frame in which it could not be detected."),
    number<&ExistenceSettings::first>("first", -10, 5, "log-odds",
                                      "Start, before the first detection."),
    number<&ExistenceSettings::most>("most", 0, 20, "log-odds", "Upper limit."),
    number<&ExistenceSettings::confirm>("confirm", -5, 20, "log-odds",
                                        "From here on a person is confirmed."),
    number<&ExistenceSettings::drop>("drop", -20, 5, "log-odds", "Below, the track ends."),
    integer<&ExistenceSettings::confirm_hits>("confirm_hits", 1, 30, "detections",
                                              "Detections needed to confirm."),
    integer<&ExistenceSettings::confirm_within>("confirm_within", 1, 30, "frames",
                                                "Out of this many frames."),
    integer<&ExistenceSettings::mean_scores>(
        "mean_scores", 1, 10000, "detections",
        "In the mean of the scores: older ones count less and less."),
    integer<&ExistenceSettings::tentative_misses>(
        "tentative_misses", 0, 100, "frames",
        "Without detection in a row that end a track which is not confirmed, if exceeded.")};
constexpr Table kExistenceTable = table_of<ExistenceSettings>(
    "decisions.existence", "Whether there is a person: evidence of detections.", kExistence);

constexpr Field kMatch[] = {
    number<&MatchSettings::same>("same", -20, 50, "log-odds",
                                 "That a detection at the expected place, alike, is this person."),
    number<&MatchSettings::same_later>("same_later", -20, 50, "log-odds",
                                       "The same for a person not detected for a while."),
    number<&MatchSettings::place>("place", 0, 5, "log-odds per σ²",
                                  "Taken off for the distance from the expected place and size."),
    number<&MatchSettings::most_place>("most_place", 1, 1000, "σ²",
                                       "Most of that distance that counts."),
    number<&MatchSettings::spread>("spread", 0, 5, "log-odds per factor e",
                                   "Taken off where the expected place is less certain."),
    number<&MatchSettings::overlap>("overlap", 0, 100, "log-odds",
                                    "Taken off where the boxes do not overlap at all."),
    number<&MatchSettings::overlap_later>("overlap_later", 0, 100, "log-odds",
                                          "The same for a person not detected for a while."),
    number<&MatchSettings::appearance>("appearance", 0, 100, "log-odds",
                                       "Taken off for a difference of appearance of 1."),
    number<&MatchSettings::appearance_later>("appearance_later", 0, 100, "log-odds",
                                             "The same for a person not detected for a while."),
    number<&MatchSettings::most_different>("most_different", 0, 1, "",
                                           "Differences above count as this."),
    number<&MatchSettings::behind>("behind", 0, 100, "log-odds",
                                   "Taken off for a person covered by another."),
    number<&MatchSettings::doubtful>("doubtful", 0, 100, "log-odds per factor e",
                                     "Taken off where a detection is likelier false than true."),
    number<&MatchSettings::most_doubt>("most_doubt", 0, 100, "", "Most of these factors."),
    number<&MatchSettings::later_s>("later_s", 0.01, 10, "s",
                                    "Time constant from the first values to the later ones."),
    number<&MatchSettings::recent_s>("recent_s", 0, 10, "s",
                                     "People detected within this time choose first."),
    number<&MatchSettings::least>("least", -50, 50, "log-odds", "Pairs with less are not matched."),
    number<&MatchSettings::duplicate_overlap>("duplicate_overlap", 0, 1, "",
                                              "Overlap from which two tracks may be one person."),
    number<&MatchSettings::duplicate_m>("duplicate_m", 0, 20, "m",
                                        "Largest distance between such tracks."),
    number<&MatchSettings::duplicate_mps>("duplicate_mps", 0, 20, "m/s",
                                          "Largest difference of their velocities."),
    integer<&MatchSettings::duplicate_frames>("duplicate_frames", 1, 1000, "frames",
                                              "For which both must be confirmed.")};
constexpr Table kMatchTable = table_of<MatchSettings>(
    "decisions.match", "Which detection is whose: a likelihood ratio for each pair.", kMatch);

using track::ImageFilterSettings;
constexpr Field kImage[] = {
    number<&ImageFilterSettings::column_jitter>("column_jitter", 0.001, 1, "heights",
                                                "Error of a detection's middle, across."),
    number<&ImageFilterSettings::row_jitter>("row_jitter", 0.001, 1, "heights",
                                             "Error of its middle, up and down."),
    number<&ImageFilterSettings::height_jitter>("height_jitter", 0.001, 1, "heights",
                                                "Error of its height."),
    number<&ImageFilterSettings::drift>("drift", 0, 10, "heights²/s",
                                        "Growth of the place's variance."),
    number<&ImageFilterSettings::wander>("wander", 0, 100, "heights²/s³",
                                         "Growth of the velocity's variance."),
    number<&ImageFilterSettings::start_speed>("start_speed", 0, 20, "heights/s",
                                              "Standard deviation of the velocity at first."),
    number<&ImageFilterSettings::flow_share>("flow_share", 0, 1, "",
                                             "Error of flow that grows with its length."),
    number<&ImageFilterSettings::flow_least>("flow_least", 0, 1, "heights",
                                             "Lower limit of the flow's error."),
    number<&ImageFilterSettings::growth_least>("growth_least", 0, 1, "", "Likewise of the growth."),
    number<&ImageFilterSettings::flow_gate>("flow_gate", 0.5, 100, "σ",
                                            "Flow farther off is another thing's.")};
constexpr Table kImageTable = table_of<ImageFilterSettings>(
    "decisions.image", "Following a box in the image, whatever the lens; lengths in heights of it.",
    kImage);

constexpr Field kTracks[] = {
    number<&TrackerSettings::smallest_px>("smallest_px", 8, 500, "pixels",
                                          "Smaller people are not expected to be detected."),
    number<&TrackerSettings::coast_s>(
        "coast_s", 0.1, 20, "s", "A track ends after this time without the expected detections."),
    number<&TrackerSettings::coast_hidden_s>("coast_hidden_s", 0.1, 60, "s",
                                             "Likewise where the person is hidden."),
    number<&TrackerSettings::remember_s>(
        "remember_s", 0, 60, "s",
        "Time for which a confirmed person whose track has ended may get the same id again."),
    number<&TrackerSettings::longest_gap_s>("longest_gap_s", 0.1, 20, "s",
                                            "Between frames; a longer gap ends all tracks."),
    number<&TrackerSettings::behind_camera_s>(
        "behind_camera_s", 0, 10, "s",
        "A track is kept for this time after it has passed the camera."),
    number<&TrackerSettings::max_distance_m>("max_distance_m", 20, 1000, "m",
                                             "Farther away nobody is tracked."),
    number<&TrackerSettings::max_sigma_across_m>(
        "max_sigma_across_m", 0.1, 50, "m",
        "A track ends where its place is less certain, across the line of sight."),
    number<&TrackerSettings::memorable_share>(
        "memorable_share", 0, 1, "",
        "Share of the box within the image, for one who is to be remembered.")};
constexpr Table kTracksTable =
    table_of<TrackerSettings>("decisions.tracks", "How long people are remembered.", kTracks);

using risk::BendSettings, risk::ContactSettings, risk::PaceSettings, risk::PathSettings,
    risk::TurnSettings;
constexpr Field kPath[] = {
    number<&PathSettings::wander_mps2>("wander_mps2", 0, 5, "m/s²",
                                       "What a driver may add to the side on a straight."),
    number<&PathSettings::bend_share>("bend_share", 0, 2, "",
                                      "Likewise in a bend: share of the lateral acceleration."),
    number<&PathSettings::bend_change_share>(
        "bend_change_share", 0, 2, "",
        "Where a bend begins or ends: share of the change of it that is expected."),
    number<&PathSettings::yaw_rate_sigma_radps>("yaw_rate_sigma_radps", 0, 0.5, "rad/s",
                                                "Error of the car's yaw rate."),
    number<&PathSettings::yaw_rate_unknown_radps>("yaw_rate_unknown_radps", 0, 2, "rad/s",
                                                  "Where no yaw rate is known."),
    number<&PathSettings::flow_yaw_sigma_radps>("flow_yaw_sigma_radps", 0.001, 0.5, "rad/s",
                                                "Error of the yaw rate by the road's flow; it "
                                                "counts where the car reports none, or a wrong "
                                                "one."),
    number<&PathSettings::yaw_contradiction_radps>(
        "yaw_contradiction_radps", 0.01, 1, "rad/s",
        "The reported yaw rate is wrong where it is further than this from the flow's for 0.3 s."),
    number<&PathSettings::steering_sigma_rad>("steering_sigma_rad", 0.0001, 0.2, "rad",
                                              "Error of the front wheels' angle, where reported."),
    number<&PathSettings::steering_share>("steering_share", 0, 1, "",
                                          "Error of the yaw rate that it gives, likewise."),
    number<&PathSettings::wheelbase_m>("wheelbase_m", 1, 10, "m",
                                       "Distance of the axles: turns the angle into a yaw rate."),
    number<&PathSettings::characteristic_mps>(
        "characteristic_mps", 5, 200, "m/s",
        "Speed at which the car's understeer halves that yaw rate."),
    number<&PathSettings::yaw_change_fades_s>("yaw_change_fades_s", 0.05, 5, "s",
                                              "Time constant with which a change of the yaw rate "
                                              "fades."),
    number<&PathSettings::speed_error_share>("speed_error_share", 0, 0.2, "",
                                             "Error of the car's speed."),
    number<&PathSettings::driver_sigma_mps2>("driver_sigma_mps2", 0, 5, "m/s²",
                                             "What a driver may change along the path."),
    number<&PathSettings::driver_share>("driver_share", 0, 2, "", "Likewise, per acceleration.")};
constexpr Table kPathTable = table_of<PathSettings>(
    "decisions.path", "Where the car goes: standard deviations of its predicted path.", kPath);

constexpr Field kBend[] = {
    number<&BendSettings::lasts_s>("lasts_s", 0, 60, "s",
                                   "Mean time that a bend still lasts; 0: for ever. Shorter: who "
                                   "stands where the bend would lead is warned of later."),
    number<&BendSettings::from_mps2>("from_mps2", 0, 10, "m/s²",
                                     "Lateral acceleration from which it is a bend."),
    number<&BendSettings::surely_mps2>("surely_mps2", 0, 10, "m/s²", "From here on surely one."),
    number<&BendSettings::straightens_s>("straightens_s", 0.1, 10, "s",
                                         "Time in which the car straightens at its end."),
    number<&BendSettings::turned_back_share>(
        "turned_back_share", 0, 10, "",
        "Where the steering is turned back: ends this much more often than once in the time that "
        "turning back would take. 0: that says nothing.")};
constexpr Table kBendTable = table_of<BendSettings>("decisions.bend", "Bends that may end.", kBend);

constexpr Field kTurn[] = {
    number<&TurnSettings::signalled_share>(
        "signalled_share", 0, 1, "",
        "Probability of a turn while the indicator blinks, at the speed of the road."),
    number<&TurnSettings::slowing_share>(
        "slowing_share", 0, 1, "", "Where the car also slows down, or is as slow as in turns."),
    number<&TurnSettings::begun_share>("begun_share", 0, 1, "",
                                       "Where it has also turned by `begun_rad`."),
    number<&TurnSettings::begun_rad>("begun_rad", 0.05, 1.5, "rad", "Heading that shows a turn."),
    number<&TurnSettings::untold_share>(
        "untold_share", 0, 1, "",
        "Probability that a bend as narrow as a turn ends as one, without an indicator, once twice "
        "`begun_rad` is turned."),
    number<&TurnSettings::begins_radius_m>("begins_radius_m", 5, 200, "m",
                                           "A wider bend is the road's, not a turn."),
    number<&TurnSettings::least_radius_m>("least_radius_m", 3, 50, "m", "Smallest radius."),
    number<&TurnSettings::most_radius_m>("most_radius_m", 3, 100, "m", "Largest radius."),
    number<&TurnSettings::angle_rad>("angle_rad", 0.2, 3.1, "rad", "Angle between the streets."),
    number<&TurnSettings::angle_half_rad>("angle_half_rad", 0, 1, "rad",
                                          "It may be this much more or less."),
    number<&TurnSettings::ramp_m>("ramp_m", 0.5, 20, "m",
                                  "Way over which the curvature grows, and falls."),
    number<&TurnSettings::within_m>(
        "within_m", 0, 50, "m",
        "The turn begins within this way after the first place at which it can."),
    number<&TurnSettings::lateral_mps2>("lateral_mps2", 0.5, 8, "m/s²",
                                        "Lateral acceleration, which gives the speed of a turn."),
    number<&TurnSettings::braking_mps2>("braking_mps2", 0.5, 8, "m/s²", "Braking before it.")};
constexpr Table kTurnTable = table_of<TurnSettings>(
    "decisions.turn", "A turn that the indicator tells of; see docs/warning.md.", kTurn);

constexpr Field kPace[] = {
    number<&PaceSettings::usual_mps>("usual_mps", 0.5, 3, "m/s",
                                     "Pace that one who has begun to walk reaches."),
    number<&PaceSettings::stopping_distance_m>("stopping_distance_m", 0.1, 5, "m",
                                               "Way of one who stops."),
    number<&PaceSettings::speeds_up_share>("speeds_up_share", 0, 1, "",
                                           "Largest probability of walking faster."),
    number<&PaceSettings::along_share>(
        "along_share", 0, 0.99, "",
        "Share of walkers who walk along the road. Larger: people on pavements are less often "
        "warned of, those who leave them later."),
    number<&PaceSettings::along_sigma_mps>("along_sigma_mps", 0.05, 3, "m/s",
                                           "Standard deviation of their speed."),
    number<&PaceSettings::across_sigma_mps>("across_sigma_mps", 0.02, 1, "m/s",
                                            "Likewise across the road."),
    number<&PaceSettings::in_way_ratio>(
        "in_way_ratio", 0.01, 1, "",
        "How much rarer people stand, or walk along the road, in the way of cars than beside it. "
        "Smaller: who stands where the car only may go is warned of later."),
    number<&PaceSettings::stays_m>(
        "stays_m", 0, 3, "m",
        "Who moves less than this until a contact, and in a second, counts like one who stands."),
    number<&PaceSettings::stops_share>("stops_share", 0, 1, "",
                                       "Probability that one who walks stops."),
    number<&PaceSettings::stops_slowing_share>("stops_slowing_share", 0, 1, "",
                                               "How much more where they slow down.")};
constexpr Table kPaceTable =
    table_of<PaceSettings>("decisions.pace", "What people who walk do next.", kPace);

constexpr Field kContact[] = {
    number<&ContactSettings::horizon_s>("horizon_s", 1, 6, "s", "How far ahead a contact is seen."),
    number<&ContactSettings::person_radius_m>("person_radius_m", 0.1, 1, "m",
                                              "Radius of a person, seen from above.")};
constexpr Table kContactTable =
    table_of<ContactSettings>("decisions.contact", "When car and person touch.", kContact);

constexpr Field kRules[] = {
    number<&WarningRules::likelihood>(
        "likelihood", 0.05, 0.99, "",
        "Of the contact, times the probability of a person: a collision warning begins from here "
        "on. `late` adds 0.15, `early` takes 0.05 off."),
    number<&WarningRules::standing_ahead_s>(
        "standing_ahead_s", 0.5, 5, "s",
        "Longest time to the contact at no speed; `late` -0.5, `early` +0.3."),
    number<&WarningRules::longer_ahead_s_per_mps>("longer_ahead_s_per_mps", 0, 0.5, "s per m/s",
                                                  "Added for the car's speed."),
    number<&WarningRules::most_ahead_s>("most_ahead_s", 0.5, 5, "s",
                                        "At most; `late` -0.4, `early` +0.5."),
    number<&WarningRules::late_sigmas>("late_sigmas", -3, 3, "σ",
                                       "A contact counts as this many standard deviations later."),
    integer<&WarningRules::reports>("reports", 1, 30, "frames", "That must ask for the warning."),
    number<&WarningRules::urgent_s>(
        "urgent_s", 0, 5, "s",
        "Farther ahead they must have asked for it as long as the contact is farther. Smaller: "
        "fewer false alarms, later warnings; `late` -0.4, `early` +0.5."),
    number<&WarningRules::detected_within_s>("detected_within_s", 0.03, 5, "s",
                                             "It begins only for a person detected so recently."),
    number<&WarningRules::blind_s>(
        "blind_s", 0, 2, "s",
        "Without pictures, people are carried on; one of them may cause a warning for so long."),
    number<&WarningRules::slow_kmh>("slow_kmh", 0, 30, "km/h", "Below, the car creeps."),
    number<&WarningRules::creeping_likelihood>("creeping_likelihood", 0.05, 0.999, "",
                                               "Likelihood that a warning then needs."),
    number<&WarningRules::creeping_ahead_s>("creeping_ahead_s", 0.2, 5, "s",
                                            "Longest time to the contact then."),
    number<&WarningRules::stay_likelihood>(
        "stay_likelihood", 0, 0.99, "",
        "A collision warning stays while a contact is this likely, also out of sight."),
    number<&WarningRules::stay_longer_s>("stay_longer_s", 0, 5, "s",
                                         "The contact may then be this much further ahead."),
    number<&WarningRules::lingers_s>("lingers_s", 0.1, 5, "s",
                                     "It ends after this time without a reason."),
    number<&WarningRules::lost_s>("lost_s", 0, 5, "s",
                                  "Where the track is lost: until the contact was expected, and "
                                  "this long at most."),
    number<&WarningRules::brakes_mps2>("brakes_mps2", 0.1, 10, "m/s²",
                                       "Braking that ends it at once when the danger has gone."),
    number<&WarningRules::brakes_hard_mps2>(
        "brakes_hard_mps2", 0.1, 12, "m/s²",
        "Braking with which it stays only as long as it would begin."),
    number<&WarningRules::steers_mps2>("steers_mps2", 0.1, 12, "m/s²",
                                       "Lateral acceleration that ends it at once likewise."),
    number<&WarningRules::information_kmh>("information_kmh", 0, 30, "km/h",
                                           "Information is given below this speed."),
    number<&WarningRules::close_ahead_m>(
        "close_ahead_m", 0.5, 10, "m",
        "For people who are at most this far from the front bumper."),
    number<&WarningRules::close_beside_m>("close_beside_m", 0, 5, "m",
                                          "And at most this far from the car's side."),
    number<&WarningRules::close_soon_s>("close_soon_s", 0, 3, "s",
                                        "People who will be there after this time count."),
    number<&WarningRules::close_evidence_s>("close_evidence_s", 0, 2, "s",
                                            "Time for which they must be there."),
    number<&WarningRules::information_lingers_s>("information_lingers_s", 0.1, 5, "s",
                                                 "It ends after this time without a reason.")};
constexpr Table kRulesTable = table_of<WarningRules>(
    "decisions.warning", "When the driver is told; `warning.sensitivity` shifts some.", kRules);

constexpr Field kDecisions[] = {
    table<&DecisionSettings::tracker, &TrackerSettings::filter>("motion", "", kMotionTable),
    table<&DecisionSettings::tracker, &TrackerSettings::existence>("existence", "",
                                                                   kExistenceTable),
    table<&DecisionSettings::tracker, &TrackerSettings::match>("match", "", kMatchTable),
    table<&DecisionSettings::tracker, &TrackerSettings::image>("image", "", kImageTable),
    table<&DecisionSettings::tracker, &TrackerSettings::filter, &FilterSettings::outliers>(
        "outliers", "", kOutliersTable),
    table<&DecisionSettings::tracker, &TrackerSettings::flow>("flow", "", kBoxFlowTable),
    table<&DecisionSettings::tracker, &TrackerSettings::boxes>("boxes", "", kBoxesTable),
    table<&DecisionSettings::tracker, &TrackerSettings::bands>("bands", "", kBandsTable),
    table<&DecisionSettings::tracker>("tracks", "", kTracksTable),
    table<&DecisionSettings::contact, &ContactSettings::path>("path", "", kPathTable),
    table<&DecisionSettings::contact, &ContactSettings::path, &PathSettings::bend>("bend", "",
                                                                                   kBendTable),
    table<&DecisionSettings::contact, &ContactSettings::path, &PathSettings::turn>("turn", "",
                                                                                   kTurnTable),
    table<&DecisionSettings::contact, &ContactSettings::pace>("pace", "", kPaceTable),
    table<&DecisionSettings::contact>("contact", "", kContactTable),
    table<&DecisionSettings::warning>("warning", "", kRulesTable)};

}  // namespace

constexpr TypedTable<DecisionSettings> kDecisionsTable{table_of<DecisionSettings>(
    "decisions",
    "Everything between a detection and a warning. Other values are compared by "
    "`kerblab sim sweep`; see docs/warning.md and docs/tracking.md before you change any.",
    kDecisions)};

}  // namespace kerb::config
