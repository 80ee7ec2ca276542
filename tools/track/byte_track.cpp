// SPDX-License-Identifier: Apache-2.0
#include "tools/track/byte_track.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cstddef>
#include <utility>

#include "tools/eval/assignment.hpp"

namespace kerb::lab {
namespace {

using eval::Box;
using ByteState = Eigen::Matrix<double, 8, 1>;  // middle x, y, width / height, height; their rates
using ByteMeasured = Eigen::Matrix<double, 4, 1>;  // the first four
using ByteCovariance = Eigen::Matrix<double, 8, 8>;

constexpr int kByteShape = 2, kByteHeight = 3;

/// Standard deviations: shares of the height, those of the shape as they are.
struct ByteNoise {
  double place = 1.0 / 20, rate = 1.0 / 160;
  double shape = 1e-2, shape_rate = 1e-5;   ///< of a step
  double shape_seen = 1e-1;                 ///< of a measurement
  double start_place = 2, start_rate = 10;  ///< factors on the first two, for a new track
};
constexpr ByteNoise kByteNoise{};

ByteMeasured byte_measured(const Box& b) { return {b.x + b.w / 2, b.y + b.h / 2, b.w / b.h, b.h}; }

Box byte_box(const ByteState& x) {
  const double h = x[kByteHeight], w = x[kByteShape] * h;
  return {x[0] - w / 2, x[1] - h / 2, w, h};
}

/// A diagonal covariance from standard deviations of place, shape and their rates.
ByteCovariance diagonal(double place, double shape, double rate, double shape_rate) {
  ByteState sigma;
  sigma << place, place, shape, place, rate, rate, shape_rate, rate;
  return sigma.cwiseAbs2().asDiagonal();
}

}  // namespace

struct ByteTrack::Track {
  int id = 0;
  int unseen = 0;  // frames since the last detection
  bool sure = false;
  double score = 0;
  ByteState x = ByteState::Zero();
  ByteCovariance p = ByteCovariance::Zero();

  explicit Track(const eval::MotBox& seen) : score{seen.conf} {
    x.head<4>() = byte_measured(seen.box);
    const double h = x[kByteHeight];
    p = diagonal(kByteNoise.start_place * kByteNoise.place * h, kByteNoise.shape,
                 kByteNoise.start_rate * kByteNoise.rate * h, kByteNoise.shape_rate);
  }

  void predict() {
    if (unseen > 0) x[kByteHeight + 4] = 0;  // a lost one keeps its size
    const double h = x[kByteHeight];
    ByteCovariance motion = ByteCovariance::Identity();
    motion.topRightCorner<4, 4>().setIdentity();
    x = motion * x;
    p = motion * p * motion.transpose() + diagonal(kByteNoise.place * h, kByteNoise.shape,
                                                   kByteNoise.rate * h, kByteNoise.shape_rate);
    ++unseen;
  }

  void update(const eval::MotBox& seen) {
    unseen = 0;
    score = seen.conf;
    const double place = kByteNoise.place * x[kByteHeight];
    const ByteMeasured sigma{place, place, kByteNoise.shape_seen, place};
    const Eigen::Matrix4d noise = sigma.cwiseAbs2().asDiagonal();
    const Eigen::Matrix<double, 8, 4> ph = p.leftCols<4>();
    const Eigen::Matrix4d spread = p.topLeftCorner<4, 4>() + noise;
    const Eigen::Matrix<double, 8, 4> gain = spread.llt().solve(ph.transpose()).transpose();
    x += gain * (byte_measured(seen.box) - x.head<4>());
    p -= gain * spread * gain.transpose();
  }
};

ByteTrack::ByteTrack(const ByteTrackSettings& settings) : settings_{settings} {}
ByteTrack::~ByteTrack() = default;
ByteTrack::ByteTrack(ByteTrack&&) noexcept = default;
ByteTrack& ByteTrack::operator=(ByteTrack&&) noexcept = default;

/// Gives the tracks the detections that overlap them most, in sum; what is taken leaves the list.
void ByteTrack::associate(const std::vector<Track*>& tracks, Boxes& detections,
                          double least_overlap) {
  eval::Table overlaps{detections.size(), tracks.size()};
  for (std::size_t i = 0; i < detections.size(); ++i)
    for (std::size_t j = 0; j < tracks.size(); ++j) {
      const double common = eval::overlap(detections[i]->box, byte_box(tracks[j]->x));
      overlaps.at(i, j) = common >= least_overlap ? common : 0;
    }
  const std::vector<int> pairs = eval::best_pairs(overlaps);
  Boxes left;
  for (std::size_t i = 0; i < detections.size(); ++i) {
    const auto j = static_cast<std::size_t>(pairs[i]);
    if (pairs[i] >= 0 && overlaps.at(i, j) > 0) {
      tracks[j]->update(*detections[i]);
    } else {
      left.push_back(detections[i]);
    }
  }
  detections = std::move(left);
}

std::vector<eval::MotBox> ByteTrack::update(const std::vector<eval::MotBox>& detections) {
  ++frames_;
  Boxes high, low;
  for (const eval::MotBox& d : detections) {
    if (d.conf >= settings_.high_score) {
      high.push_back(&d);
    } else if (d.conf >= settings_.low_score) {
      low.push_back(&d);
    }
  }
  for (Track& track : tracks_) track.predict();
  const auto pick = [this](auto&& is) {
    std::vector<Track*> picked;
    for (Track& track : tracks_)
      if (is(track)) picked.push_back(&track);
    return picked;
  };
  associate(pick([](const Track& t) { return t.sure; }), high, settings_.least_overlap);
  associate(pick([](const Track& t) { return t.sure && t.unseen == 1; }), low,
            settings_.low_least_overlap);
  associate(pick([](const Track& t) { return !t.sure; }), high, settings_.new_least_overlap);
  // A track without a second detection in the next frame was none.
  std::erase_if(tracks_, [this](const Track& t) {
    return t.sure ? t.unseen > settings_.max_lost : t.unseen > 0;
  });
  for (Track& track : tracks_) track.sure = true;
  for (const eval::MotBox* d : high) {
    if (d->conf < settings_.high_score + settings_.birth_margin) continue;
    tracks_.emplace_back(*d).sure = frames_ == 1;
    tracks_.back().id = ++last_id_;
  }
  std::vector<eval::MotBox> told;
  for (const Track& t : tracks_)
    if (t.sure && t.unseen == 0) told.push_back({t.id, byte_box(t.x), t.score, false});
  return told;
}

}  // namespace kerb::lab
