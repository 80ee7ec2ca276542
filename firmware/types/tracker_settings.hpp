// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>

namespace kerb::track {

/// How tall people are, or things.
struct HeightPrior {
  double mean_m = 1.70, sigma_m = 0.10;
};

/// Boxes and flow that do not fit where a person is expected: see GroundFilter. Distances are in
/// standard deviations, `..2` squared ones. Higher limits: another person's box or flow does more
/// harm; lower ones: a real change of place or speed is followed later.
struct OutlierSettings {
  int first_rounds = 8;       ///< of an update that starts far from the solution
  double start_sigma_m = 60;  ///< of the position before the first box
  double box_outlier2 = 9;    ///< a box further off counts less
  double no_fit = -20;        ///< log-likelihood of a box that fits nowhere
  double flow_outlier2 = 6;   ///< a flow vector further off counts less,
  double flow_reject2 = 36;   ///< and from here on not at all: it is another's, or background
  // Boxes that move away from where the flow leads: the flow is that of the background.
  double drift_gain = 0.3;       ///< of each box in the running mean of its offset
  double drift_limit = 3;        ///< of one box's offset
  double drift_tolerance = 0.3;  ///< a mean offset up to this is noise
  double drift_penalty = 100;    ///< factor on the flow's variance per squared offset beyond it
  double drift_speed_mps = 1;    ///< in a slower car the background does not move: no penalty
};

/// Noise and priors of the Kalman filters of one track. Names without a unit are shares. Larger
/// process noise (wander) follows changes sooner and jitters more; larger jitter trusts boxes less.
struct FilterSettings {
  HeightPrior adult{1.70, 0.10}, child{1.25, 0.13};
  double child_share = 0.2;      ///< of people
  double speed_sigma_mps = 1.0;  ///< of people over ground, along each axis
  double speed_time_s = 2;       ///< a velocity decays with this time constant, so that no one
                                 ///< is predicted to walk away at 5 m/s
  double wander = 0.5;           ///< growth of the velocity's variance, m^2/s^3

  // Whether a person stands or walks: see PersonFilter.
  double walks_share = 0.5;   ///< of people when they are first detected
  double starts_per_s = 0.3;  ///< rate at which people who stand begin to walk,
  double stops_per_s = 0.3;   ///< and those who walk stop
  // The ground below their feet is not always the road's: a kerb is some 0.1 m high.
  double kerb_m = 0.05;        ///< mean height of that ground above the road,
  double kerb_sigma_m = 0.06;  ///< its standard deviation,
  double kerb_time_s = 4;      ///< and the time in which it changes: people step down
  double sway = 0.01;          ///< growth of the place's variance while they stand, m^2/s
  double motion_trust = 0.5;   ///< exponent of the evidence between standing and walking: errors of
                               ///< boxes and flow persist, so that each counts for less than one

  // Whether it is a person at all, or a thing of any height that stands: see PersonFilter.
  HeightPrior thing{1.1, 0.5};
  double thing_trust = 0.5;     ///< exponent of the evidence between person and thing
  double thing_time_s = 3;      ///< time constant with which that evidence is forgotten
  double thing_most = 3;        ///< largest log-odds for a person from this evidence,
  double thing_least = -4;      ///< and for a thing
  double pattern_drift = 0.05;  ///< growth of the variance of a pattern that is fixed in the
                                ///< image, heights^2/s: see ImagePattern
  double pattern_trust = 1;     ///< exponent of the evidence between a person and such a pattern

  double row_jitter = 0.05;     ///< of a box's upper and lower edge, in heights of the box
  double column_jitter = 0.02;  ///< of its middle, in heights of the box
  double least_jitter_px = 1;   ///< lower limit of both
  double edge_px = 2;           ///< a box this close to the picture's edge is cut by it
  double jitter_time_s = 0.05;  ///< correlation time of a detector's errors
  // What has just come into view is partly hidden, and its boxes grow with what is seen of it.
  double emerging_factor = 1;      ///< added to 1: factor on the jitter of its first box,
  double emerging_s = 0.15;        ///< and the time constant with which that fades
  double pitch_time_s = 2;         ///< correlation time of the car's nodding
  double yaw_rate_sigma = 0.005;   ///< of the reported yaw rate, rad/s
  double yaw_unknown_sigma = 0.1;  ///< where none is reported, rad/s
  double speed_share = 0.01;       ///< error of the car's speed
  double speed_unknown_mps = 8;    ///< where no speed is reported: standard deviation of the car's
  double wander_unknown = 4;       ///< likewise: growth of its variance, m^2/s^3
  double flow_doubt = 4;  ///< factor on the flow's standard deviation: neighbours err together
  double flow_least_px = 0.15;  ///< lower limit of the flow's standard deviation
  double flow_share = 0.03;     ///< error that grows with the flow's length
  double growth_least = 0.002;  ///< lower limit of the growth's standard deviation
  OutlierSettings outliers;
};

/// The existence score of a track, which grows and falls with detections, and its certainty.
/// Higher thresholds: fewer false people, later confirmation.
struct ExistenceSettings {
  double score_even = 6, score_scale = 1.9;  ///< a detection adds (score - even) / scale,
  double least_gain = 0, most_gain = 2;      ///< within these limits
  double moves = 0.1;                        ///< added where it or its background moves by itself
  double surely_moves = 2;                   ///< added where it surely moves by itself
  double strain = 0.06;  ///< taken off for each squared standard deviation by which size and place
                         ///< of a box do not fit a person on the road, up to `most_strain` of them
  double most_strain = 25;
  double miss = 0.2;     ///< taken off for each frame in which it should have been detected
  double unseen = 0.02;  ///< taken off for each frame in which it could not be detected
  double first = -1;     ///< start value, before the first detection's score
  double most = 4;       ///< upper limit
  double confirm = 2.2;  ///< a higher score confirms it,
  double drop = -2.2;    ///< a lower one ends it
  int confirm_hits = 3, confirm_within = 5;  ///< detections needed, out of this many frames
  // How sure it is that there is a person, log-odds: a logistic regression on tracks whose truth is
  // known. A detector repeats its error on one thing, so that the mean of the scores says more than
  // their sum.
  double certainty_offset = -0.3;
  double sum_weight = 0.4;     ///< of the sum above,
  double mean_weight = 0.9;    ///< of the mean of (score - even) / scale over the detections,
  double motion_weight = 0.7;  ///< of the evidence between a person and a thing,
  double height_weight = 0.5;  ///< and of that of the height: see PersonFilter::height_evidence()
  double sure_score = 10;    ///< two detections with this score confirm; so do two that surely move
  int tentative_misses = 4;  ///< in a row, before the track is confirmed: more drop it
  int mean_scores = 10;      ///< in the mean of the scores, about: the last ones count most
};

/// Noise of ImageFilter. Lengths are in heights of the box.
struct ImageFilterSettings {
  double column_jitter = 0.04;  ///< of a detection's middle
  double row_jitter = 0.05;
  double height_jitter = 0.07;
  double drift = 0.01;         ///< growth of the place's variance, heights^2/s
  double wander = 1;           ///< growth of the velocity's variance, heights^2/s^3
  double start_speed = 1;      ///< standard deviation of the velocity at first, heights/s
  double flow_share = 0.1;     ///< error of flow that grows with its length,
  double flow_least = 0.01;    ///< and its lower limit, heights
  double growth_least = 0.01;  ///< likewise of the growth, a share
  double flow_gate = 5;        ///< flow farther off, in standard deviations, is another thing\'s
};

/// Assignment of detections to tracks, by the log-likelihood ratio of "this detection is this
/// person" to "it is not": `same` less the terms below. A logistic regression on pairs of tracks
/// and detections whose truth is known gave the weights; docs/results/tracking.md has the data.
/// What counts changes with the time since the last detection: at first where the box is, later how
/// the person looks. Weights go from the first value to `later` with the time constant `later_s`.
struct MatchSettings {
  double same = 6, same_later = 3.2;  ///< for a detection at the expected place, alike
  double place = 0.09;     ///< per squared standard deviation from the expected place and size, on
                           ///< the road or in the image, whichever is nearer
  double most_place = 40;  ///< squared standard deviations that count: boxes have heavy tails
  double spread = 0.08;    ///< per factor e by which the expected place is less certain than a box
  double overlap = 11, overlap_later = 3.5;        ///< for boxes that do not overlap at all
  double appearance = 2.2, appearance_later = 10;  ///< per difference of appearance, 0 to 1
  double most_different = 0.6;  ///< differences above count as this: light changes appearance
  double behind = 1.2;          ///< for a person covered by another; later nothing
  double doubtful = 0.25;       ///< per factor e by which a detection is likelier false than true,
  double most_doubt = 4;        ///< up to so many factors
  double later_s = 0.25;        ///< seconds
  double recent_s = 0.2;        ///< those seen within this time choose first
  double least = -2;  ///< pairs with a lower ratio are not matched: whoever is begun anew is lost
                      ///< for longer than whoever is mistaken
  double duplicate_overlap = 0.7;  ///< overlap from which two tracks may be one person,
  double duplicate_m = 1.5;        ///< where they are this near on the road (or within a tenth of
                                   ///< the distance)
  double duplicate_mps = 1.2;      ///< and their velocities differ by less,
  int duplicate_frames = 10;       ///< for more frames than this, where both are confirmed
};

/// How the picture moves within a person's box: see flow_within(). Lengths are in widths and
/// heights of the box.
struct BoxFlowSettings {
  int min_vectors = 4;  ///< fewer give no flow
  // The inner part that is used: the rest shows the background.
  double inner_width = 0.5, inner_top = 0.08, inner_bottom = 0.85;
  double correlation = 2;     ///< variance factor: neighbouring vectors share pixels
  double min_noise_px = 0.1;  ///< for vectors that agree by chance
  // The surroundings: strips to the left and right of the box, from `near` to `far` from its
  // middle, of the same rows as the inner part.
  double near = 0.55, far = 1.5;
  int min_surroundings = 8;  ///< vectors; with fewer they are not known
  double like_sigmas = 3;    ///< a vector nearer to their motion is like them
  double own_share = 0.25;   ///< of the vectors within: from this share on, those that are unlike
                             ///< the surroundings are the thing's own
};

/// A person's boxes: running means over them (the share of each new box: larger follows sooner,
/// jitters more), and boxes that are another's, farther away.
struct BoxSettings {
  std::chrono::nanoseconds flow_valid{200'000'000};  ///< after the last detection
  double bias_gain = 0.2;         ///< of the box's constant offset from the filter's
  double max_bias = 0.3;          ///< limit of that offset, heights of the box
  double appearance_gain = 0.1;   ///< of the colours
  double width_gain = 0.3;        ///< of the ratio of width to height
  double middle_gain = 0.6;       ///< of the reported box's middle
  double size_gain = 0.3;         ///< of its size, which jumps by the detector's steps
  double farther_share = 0.6;     ///< of the expected height, and below
  double head_off = 0.1;          ///< of the head from where it is expected, expected heights
  double farther_distance2 = 36;  ///< squared standard deviations from the expected box
  int most_misfits = 3;           ///< in a row: the place begins anew
};

/// What spectral bands say of who a person is and where.
struct BandSettings {
  double same = 0.35;          ///< spectral difference, and below: surely the same person, who
  double same_scale = 0.2;     ///< may have turned round: their distance counts this much
  double other = 0.8;          ///< and above: surely another; light changes bands little
  double gate2 = 36;           ///< squared standard deviations, of a place found by bands
  double breast_share = 0.33;  ///< of a box's height: the middle of the upper body
};

struct TrackerSettings {
  double birth_score = 0;       ///< detections below never start a track
  double smallest_px = 40;      ///< smaller people are not expected to be detected
  double coast_s = 1;           ///< a track ends after this time without the expected detections
  double coast_hidden_s = 2.5;  ///< likewise, where the person is hidden
  double remember_s = 4;       ///< time since the last detection for which a confirmed person whose
                               ///< track has ended may get the same id again; not reported
  double longest_gap_s = 1.5;  ///< between frames: after a longer gap all tracks are dropped
  double behind_camera_s = 0.5;     ///< a track is kept this long after passing the camera
  double max_distance_m = 250;      ///< farther away nobody is tracked
  double max_sigma_across_m = 2.5;  ///< of the position, across the line of sight: more ends it
  double memorable_share = 0.5;  ///< of the box, within the image: else the person has left it and
                                 ///< is not remembered
  FilterSettings filter;
  ImageFilterSettings image;
  ExistenceSettings existence;
  MatchSettings match;
  BoxFlowSettings flow;
  BoxSettings boxes;
  BandSettings bands;
};

}  // namespace kerb::track
