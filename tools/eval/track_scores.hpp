// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "tools/eval/mot.hpp"

namespace kerb::eval {

/// How well tracks agree with the truth: counts, which add up over sequences, and what the
/// literature makes of them. A rate with a zero denominator (no people, no boxes) is 1 if there is
/// no error and 0 otherwise.
struct TrackScores {
  static constexpr int kAlphas = 19;  ///< HOTA's least overlaps: 0.05, 0.10 ... 0.95
  [[nodiscard]] static constexpr double alpha(int i) noexcept { return 0.05 * (i + 1); }

  int frames = 0;      ///< with somebody in truth or tracks
  int people = 0;      ///< boxes in the truth
  int identities = 0;  ///< different people in the truth
  int boxes = 0;       ///< of tracks, those to be ignored not counted
  int tracks = 0;      ///< with such a box
  int ignored = 0;     ///< boxes of tracks that lie on what is to be ignored

  // CLEAR-MOT, at an overlap of 0.5
  int hits = 0, false_alarms = 0, misses = 0;
  int switches = 0;   ///< a person has another track than when last found
  int fragments = 0;  ///< a person is found again after being lost
  int mostly_tracked = 0, partly_tracked = 0, mostly_lost = 0;  ///< over 0.8 of the time, under 0.2
  double overlap_sum = 0;                                       ///< of the hits

  int identity_hits = 0;  ///< boxes of the best one-to-one choice of tracks for people

  struct AtAlpha {
    double hits = 0, false_alarms = 0, misses = 0;
    double association = 0;  ///< for each hit how well track and person agree, summed
    double overlap = 0;      ///< of the hits, summed
  };
  std::array<AtAlpha, kAlphas> at{};

  [[nodiscard]] double mota() const noexcept;  ///< may be under 0
  [[nodiscard]] double motp() const noexcept;  ///< mean overlap of the hits
  [[nodiscard]] double recall() const noexcept;
  [[nodiscard]] double precision() const noexcept;
  [[nodiscard]] double idf1() const noexcept;
  [[nodiscard]] double id_recall() const noexcept;
  [[nodiscard]] double id_precision() const noexcept;
  [[nodiscard]] double hota() const noexcept;  ///< these four: means over the alphas
  [[nodiscard]] double det_a() const noexcept;
  [[nodiscard]] double ass_a() const noexcept;
  [[nodiscard]] double loc_a() const noexcept;

  /// Adds up sequences; ids of different sequences are different people.
  TrackScores& operator+=(const TrackScores& other) noexcept;
};

/// Holds tracks against the truth (see parse_mot_truth_tracks() and parse_mot_tracks()), by the
/// overlap (intersection over union) of boxes as they are.
///
/// What is ignored, as MOTChallenge does: in each frame people and boxes to ignore together are
/// paired with the tracks' boxes for the largest sum of overlaps, each 0.5 at least; a track's box
/// that is paired with one to ignore counts neither for nor against. Boxes to ignore need not be
/// found.
///
/// CLEAR-MOT (Bernardin and Stiefelhagen 2008): in each frame whoever had a track in the frame
/// before keeps it while they overlap by 0.5; the others are paired for the largest sum of
/// overlaps, each 0.5 at least. IDF1 (Ristani et al. 2016): one track for one person over the whole
/// sequence, so that as many boxes as possible overlap by 0.5. HOTA (Luiten et al. 2021): pairs in
/// each frame by overlap times how well the two agree over the whole sequence. Where definitions
/// leave a choice, TrackEval's was taken, but for frames without any track: there everybody is
/// lost, as in every other frame.
[[nodiscard]] TrackScores score_tracks(const MotBoxes& truth, const MotBoxes& tracks);

}  // namespace kerb::eval
