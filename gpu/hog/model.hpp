// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gpu/image/levels.hpp"
#include "gpu/net/network.hpp"
#include "hal/base/result.hpp"
#include "hal/vision.hpp"

/// The detectors' models: plain data, the same on every backend. model_file.hpp has the file
/// format.
namespace kerb::hog {

/// The search window, the person's box in it, in pixels, and how pictures are scaled for it.
/// Reported boxes are the person's.
struct Geometry {
  int window_width = 64, window_height = 128;
  float person_x = 16, person_y = 16, person_width = 32, person_height = 96;
  Scaling scaling = Scaling::plain;
};

enum class FusionKind : std::uint8_t { mean_shift, suppression, none };

/// How a model is meant to be used: the defaults of tools and product. See SearchSettings and
/// FusionSettings.
struct Advice {
  float threshold = 0;  ///< at which a box is worth acting on; lower scores are for curves
  float scale_step = 1.05F;
  int stride = 8, padding = 0;
  FusionKind fusion = FusionKind::mean_shift;
  float overlap = 0.5F;
  bool of_smaller = false;  ///< the overlap is a share of the smaller box, not of the union
  /// The product's tracker is given detections down to `threshold` less this: it removes errors
  /// over time. More: people are found sooner and farther away; more time and more false tracks.
  float tracking_margin = 4.6F;
  TrackingScores tracking{};  ///< relative to `threshold`
};

/// What a model's scores mean to a tracker.
[[nodiscard]] inline TrackingScores advised_tracking_scores(const Advice& advice) noexcept {
  const double threshold{advice.threshold};
  return {threshold + advice.tracking.even, threshold + advice.tracking.sure};
}

// --- dense HoG and a linear SVM --------------------------------------------------------------

enum class DenseKind : std::uint8_t {
  rhog,      ///< Dalal and Triggs: votes shared between bins and cells, Gaussian weight
  cells,     ///< "CPU-HC": whole votes, cell histograms shared between windows
  integral,  ///< "CPU-II": the same histograms from integral images; any stride costs the same
};

/// 2 x 2 cells of 8 x 8 pixels to a block, blocks every 8 pixels, 9 bins over 180 degrees.
struct DenseModel {
  static constexpr int kCell = 8, kBins = 9, kBlock = 16, kBlockValues = 36;
  Geometry geometry;
  DenseKind kind = DenseKind::rhog;
  bool gamma = true;    ///< rhog: square roots of the samples
  bool colour = false;  ///< rhog: trained on the strongest of R, G and B, and needs them
  float sigma = 4;      ///< rhog: of the Gaussian over a block, pixels
  float clip = 0.2F;    ///< L2-Hys
  float bias = 0;       ///< a window scores bias + sum of weight * value
  /// 36 to a block; blocks by rows from the top left. Of a block's 36: cell (0,0), (1,0), (0,1),
  /// (1,1) as (x, y), 9 bins each, the first over the angles from 0 to 20 degrees.
  std::vector<float> weights;

  [[nodiscard]] int blocks_x() const noexcept { return geometry.window_width / kCell - 1; }
  [[nodiscard]] int blocks_y() const noexcept { return geometry.window_height / kCell - 1; }
};

// --- the cascade -----------------------------------------------------------------------------

/// What is summed over rectangles, every sum a whole number:
///   [0, bins)   gradient magnitude (eighths) of the pixels with that orientation
///   bins        gradient magnitude of all, if `magnitude`
///   then 3      L, U, V of the pixels (0..255 each), if `colour`
struct Channels {
  int bins = 9;               ///< 9 or 6 over 180 degrees
  bool half_shifted = false;  ///< bins start half a bin's width later, as in OpenCV's cascades
  bool magnitude = false, colour = false;

  [[nodiscard]] int count() const noexcept { return bins + (magnitude ? 1 : 0) + (colour ? 3 : 0); }
};

/// Votes and thresholds of stages are in units of 1/65536: integers, whose sum does not depend on
/// the order.
inline constexpr float kVoteUnit = 1.0F / 65536;

/// 2 x 2 cells with 9 bins each, divided by their Euclidean norm, times 36 weights:
///   v = sum(weight * value) / (sqrt(sum(value^2)) + 1) - offset       (see cascade_layout.hpp)
///   vote = v >= 0 ? pass : fail, plus round(v * slope), the latter within -2^22..2^22
struct LinearLearner {
  std::int16_t x = 0, y = 0, width = 0,
               height = 0;  ///< the block in the window, pixels; even sides
  float offset = 0;
  std::int32_t pass = 0, fail = 0;
  float slope = 0;                  ///< in vote units
  std::array<float, 36> weights{};  ///< cells (0,0), (1,0), (0,1), (1,1) as (x, y), 9 bins each
};

/// The test of a tree's node: is the sum of a channel over a rectangle, divided by the sum of
/// another over another when `divisor` is set, less than the threshold? Then left, else right.
struct TreeNode {
  std::int16_t x = 0, y = 0, width = 0, height = 0;  ///< pixels in the window
  std::int16_t divisor_x = 0, divisor_y = 0, divisor_width = 0, divisor_height = 0;
  std::int16_t channel = 0, divisor = -1;  ///< divisor: a channel, or -1 for none
  std::int16_t left = 0, right = 0;  ///< >= 0: a later node of this tree; < 0: leaf ~left, ~right
  float threshold = 0;
};

struct TreeLearner {
  std::int32_t first_node = 0, first_leaf = 0;  ///< into CascadeModel::nodes and ::leaves
  std::int16_t node_count = 0, leaf_count = 0;
};

struct Stage {
  std::int32_t first = 0, count = 0;  ///< learners
  std::int32_t threshold = 0;         ///< a window passes when its sum of votes is at least this
};

/// One kind of learner for the whole cascade. A window's score is the sum over all stages of
/// (votes - threshold) * kVoteUnit, or for `cumulative` models, whose stages add to one running sum
/// (a soft cascade), the last sum less the last threshold.
struct CascadeModel {
  Geometry geometry;
  Channels channels;
  bool cumulative = false;
  std::vector<Stage> stages;
  std::vector<LinearLearner> linear;  ///< either these ...
  std::vector<TreeLearner> trees;     ///< ... or these
  std::vector<TreeNode> nodes;
  std::vector<std::int32_t> leaves;  ///< votes

  [[nodiscard]] int learner_count() const noexcept {
    return static_cast<int>(linear.empty() ? trees.size() : linear.size());
  }
};

// --- any model -------------------------------------------------------------------------------

/// A network that looks at a picture's candidates again. The model's windows then only propose:
///   candidates  the windows of `threshold` or more; of two whose boxes overlap by more than
///               `overlap` of their union the worse is left out, then all but the best `most`
///   score       the network's + cascade_share * the window's
///   box         as the network corrects it
/// The model's advice, its threshold first of all, is about these scores.
struct LookAgain {
  net::Network network;
  float threshold = 0;
  float overlap = 0.6F;
  int most = 32;  ///< 1..net::kMaxCandidates
  float cascade_share = 0;
};

struct Model {
  std::string name;  ///< of its card in models/
  std::variant<DenseModel, CascadeModel> kind;
  Advice advice{};
  std::optional<LookAgain> look_again{};

  [[nodiscard]] const Geometry& geometry() const noexcept {
    return std::visit([](const auto& m) -> const Geometry& { return m.geometry; }, kind);
  }
};

/// The limits of every model.
inline constexpr int kMaxWindowSide = 1024, kMaxLearners = 65536, kMaxStages = 65536,
                     kMaxTreeNodes = 255;
inline constexpr float kMaxWeight = 1e9F;  ///< and bias, offset, slope; without their signs

/// Done, or the first rule that is broken: sizes, places within the window, indices within their
/// tables, finite numbers, names that can name a file. Stages use all learners, each once and in
/// order. The sum of the absolute largest votes of all learners and thresholds (of all stages; of a
/// cumulative model the largest) fits 32 bits, so that no sum of an engine can overflow. Engines
/// take only models that pass.
Status validate(const Model& model);
/// The reason why a text cannot be a model's name; nullptr: it can.
[[nodiscard]] const char* wrong_with_name(const std::string& name) noexcept;

/// The side in pixels, 1, 2, 4 or 8, of the coarsest such grid on which all of a cascade's
/// rectangles begin and end (every rectangle's x, y, width and height, and for linear learners half
/// the width and height, are multiples of it).
[[nodiscard]] int grid_of(const CascadeModel& model) noexcept;

}  // namespace kerb::hog
