// SPDX-License-Identifier: Apache-2.0
#include "tools/track/sort.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "tools/eval/assignment.hpp"

namespace kerb::lab {
namespace {

using eval::Box;
using State = Eigen::Matrix<double, 7, 1>;     // middle x, y, area, width / height; rates of three
using Measured = Eigen::Matrix<double, 4, 1>;  // the first four

constexpr int kArea = 2, kShape = 3, kAreaRate = 6;

Measured measured(const Box& b) { return {b.x + b.w / 2, b.y + b.h / 2, b.w * b.h, b.w / b.h}; }

/// Nothing where the filter has shrunk it to nothing.
std::optional<Box> box_of(const State& x) {
  const double w = std::sqrt(x[kArea] * x[kShape]);
  if (!(w > 0)) return std::nullopt;
  const double h = x[kArea] / w;
  return Box{x[0] - w / 2, x[1] - h / 2, w, h};
}

/// The authors' noise.
struct Noise {
  Eigen::Matrix<double, 7, 7> motion, process = Eigen::Matrix<double, 7, 7>::Identity(),
                                      start = Eigen::Matrix<double, 7, 7>::Identity();
  Eigen::Matrix<double, 4, 7> seen = Eigen::Matrix<double, 4, 7>::Zero();
  Eigen::Matrix4d measurement = Eigen::Matrix4d::Identity();

  Noise() {
    motion.setIdentity();
    motion(0, 4) = motion(1, 5) = motion(2, 6) = 1;
    seen.leftCols<4>().setIdentity();
    measurement.bottomRightCorner<2, 2>() *= 10;
    start.bottomRightCorner<3, 3>() *= 1000;
    start *= 10;
    process(kAreaRate, kAreaRate) *= 0.01;
    process.bottomRightCorner<3, 3>() *= 0.01;
  }
};

const Noise& noise() {
  static const Noise the;
  return the;
}

}  // namespace

struct Sort::Track {
  int id = 0;
  int unseen = 0;       // frames since the last detection
  int hits_in_row = 0;  // the one it began with not counted
  double score = 0;
  State x = State::Zero();
  Eigen::Matrix<double, 7, 7> p = noise().start;

  void predict() {
    if (x[kAreaRate] + x[kArea] <= 0) x[kAreaRate] = 0;
    x = noise().motion * x;
    p = noise().motion * p * noise().motion.transpose() + noise().process;
    if (unseen > 0) hits_in_row = 0;
    ++unseen;
  }

  void update(const eval::MotBox& seen) {
    unseen = 0;
    ++hits_in_row;
    score = seen.conf;
    const Eigen::Matrix<double, 4, 7>& h = noise().seen;
    const Eigen::Matrix4d s = h * p * h.transpose() + noise().measurement;
    const Eigen::Matrix<double, 7, 4> gain = p * h.transpose() * s.inverse();
    x += gain * (measured(seen.box) - h * x);
    const Eigen::Matrix<double, 7, 7> left = Eigen::Matrix<double, 7, 7>::Identity() - gain * h;
    p = left * p * left.transpose() + gain * noise().measurement * gain.transpose();
  }
};

Sort::Sort(const SortSettings& settings) : settings_{settings} {}
Sort::~Sort() = default;
Sort::Sort(Sort&&) noexcept = default;
Sort& Sort::operator=(Sort&&) noexcept = default;

std::vector<eval::MotBox> Sort::update(const std::vector<eval::MotBox>& detections) {
  ++frames_;
  std::vector<Box> expected;
  std::vector<Track> kept;
  for (Track& track : tracks_) {
    track.predict();
    if (const std::optional<Box> box = box_of(track.x)) {
      expected.push_back(*box);
      kept.push_back(std::move(track));
    }
  }
  tracks_ = std::move(kept);
  eval::Table overlaps{detections.size(), tracks_.size()};
  for (std::size_t i = 0; i < detections.size(); ++i)
    for (std::size_t j = 0; j < tracks_.size(); ++j)
      overlaps.at(i, j) = eval::overlap(detections[i].box, expected[j]);
  const std::vector<int> pairs = eval::best_pairs(overlaps);
  for (std::size_t i = 0; i < detections.size(); ++i) {
    const auto j = static_cast<std::size_t>(pairs[i]);
    if (pairs[i] >= 0 && overlaps.at(i, j) >= settings_.least_overlap) {
      tracks_[j].update(detections[i]);
    } else {
      Track& born = tracks_.emplace_back();
      born.score = detections[i].conf;
      born.x.head<4>() = measured(detections[i].box);
    }
  }
  std::vector<eval::MotBox> told;
  for (Track& track : tracks_) {
    if (track.id == 0) track.id = ++last_id_;
    const bool is_sure = track.hits_in_row >= settings_.min_hits || frames_ <= settings_.min_hits;
    if (track.unseen > 0 || !is_sure) continue;
    if (const std::optional<Box> box = box_of(track.x))
      told.push_back({track.id, *box, track.score, false});
  }
  std::erase_if(tracks_, [this](const Track& t) { return t.unseen > settings_.max_age; });
  return told;
}

}  // namespace kerb::lab
