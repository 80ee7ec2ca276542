// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "tools/eval/mot.hpp"

namespace kerb::lab {

/// Overlaps, frames and noise as published by ByteTrack's authors. Scores are those of the
/// detector, so the three of them have no published value.
struct ByteTrackSettings {
  double high_score = 4.5;         ///< detections of at least this score: the first association
  double low_score = 2;            ///< those between take part in the second
  double birth_margin = 0.5;       ///< above `high_score`: least score that starts a track
  double least_overlap = 0.2;      ///< in the first association
  double low_least_overlap = 0.5;  ///< in the second
  double new_least_overlap = 0.3;  ///< of a track's second detection with its first
  int max_lost = 30;               ///< frames for which a track is kept without a detection
};

/// ByteTrack (Zhang et al., "ByteTrack: Multi-Object Tracking by Associating Every Detection Box",
/// ECCV 2022), from the paper's description, for comparison. A Kalman filter of constant velocity
/// on each box (middle, shape, height; noise proportional to the height), and two Hungarian
/// assignments by overlap: detections of high score to all tracks, lost ones included, then those
/// of low score to the tracks left over that were not lost before. A track is reported from its
/// second detection in a row, in frames in which it has a detection, with the filter's box.
class ByteTrack {
 public:
  explicit ByteTrack(const ByteTrackSettings& settings);
  ~ByteTrack();
  ByteTrack(ByteTrack&&) noexcept;
  ByteTrack& operator=(ByteTrack&&) noexcept;

  /// The next frame's detections, in any order; ids of detections are not used. Returns the tracks
  /// reported in this frame, ids from 1, by id.
  std::vector<eval::MotBox> update(const std::vector<eval::MotBox>& detections);

 private:
  struct Track;
  using Boxes = std::vector<const eval::MotBox*>;
  void associate(const std::vector<Track*>& tracks, Boxes& detections, double least_overlap);

  ByteTrackSettings settings_;
  std::vector<Track> tracks_;
  int frames_ = 0, last_id_ = 0;
};

}  // namespace kerb::lab
