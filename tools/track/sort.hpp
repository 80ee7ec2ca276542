// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "tools/eval/mot.hpp"

namespace kerb::lab {

/// Defaults as published by SORT's authors.
struct SortSettings {
  int max_age = 1;             ///< frames for which a track is kept without a detection
  int min_hits = 3;            ///< consecutive detections before a track is reported
  double least_overlap = 0.3;  ///< of a detection with where its track is expected
};

/// SORT (Bewley et al., "Simple Online and Realtime Tracking", 2016), for comparison: a Kalman
/// filter of constant velocity on each box (its middle, area and shape), Hungarian assignment by
/// overlap, nothing else. Noise, ages and the order of things are those of the authors' program. A
/// track is reported only in frames in which it has a detection, with the filter's box.
class Sort {
 public:
  explicit Sort(const SortSettings& settings);
  ~Sort();
  Sort(Sort&&) noexcept;
  Sort& operator=(Sort&&) noexcept;

  /// The next frame's detections, in any order; ids of detections are not used. Returns the tracks
  /// reported in this frame, ids from 1, by id.
  std::vector<eval::MotBox> update(const std::vector<eval::MotBox>& detections);

 private:
  struct Track;
  SortSettings settings_;
  std::vector<Track> tracks_;
  int frames_ = 0, last_id_ = 0;
};

}  // namespace kerb::lab
