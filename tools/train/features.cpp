// SPDX-License-Identifier: Apache-2.0
#include "tools/train/features.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>

#include "gpu/hog/cascade_layout.hpp"
#include "gpu/image/grid_histogram.hpp"
#include "tools/train/random.hpp"

namespace kerb::train {
namespace {

constexpr int kSides[] = {1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 6, 8};

std::int16_t narrow(int n) { return static_cast<std::int16_t>(n); }

struct Box {
  int x, y, width, height;
};

/// Grown by so many cells each way, as far as the window goes.
Box grown(const Feature& f, int by, int columns, int rows) {
  const int x = std::max(0, f.x - by), y = std::max(0, f.y - by);
  return {x, y, std::min(columns, f.x + f.width + by) - x, std::min(rows, f.y + f.height + by) - y};
}

void set_divisor(Feature& f, int channel, const Box& box) {
  f.divisor = narrow(channel);
  f.divisor_x = narrow(box.x);
  f.divisor_y = narrow(box.y);
  f.divisor_width = narrow(box.width);
  f.divisor_height = narrow(box.height);
}

Feature draw_one(const hog::Channels& channels, int columns, int rows, const FeatureMix& mix,
                 Random& random) {
  const auto side = [&](int most) {
    return std::min(most, kSides[random.below(std::size(kSides))]);
  };
  const auto below = [&](int limit) {
    return static_cast<int>(random.below(static_cast<std::size_t>(limit)));
  };
  Feature f;
  f.channel = narrow(below(channels.count()));
  f.width = narrow(side(columns));
  f.height = narrow(side(rows));
  f.x = narrow(below(columns - f.width + 1));
  f.y = narrow(below(rows - f.height + 1));
  const int kind = below(mix.plain + mix.local + mix.neighbour);
  if (kind < mix.plain) return f;
  if (kind < mix.plain + mix.local) {
    constexpr int kMargins[] = {1, 2, 4};
    const Box around = grown(f, kMargins[below(3)], columns, rows);
    const bool gradient = f.channel < channels.bins;
    set_divisor(f, gradient && channels.magnitude ? channels.bins : f.channel, around);
    return f;
  }
  const int dx = below(5) - 2, dy = below(5) - 2;
  const int x = std::clamp(f.x + dx * f.width, 0, columns - f.width);
  const int y = std::clamp(f.y + dy * f.height, 0, rows - f.height);
  if (x == f.x && y == f.y) return f;
  set_divisor(f, f.channel, {x, y, f.width, f.height});
  return f;
}

/// Windows that are looked at together, feature by feature: their nodes fit the second cache, and a
/// feature's cuts are fetched once for all of them.
constexpr std::size_t kTogether = 16;

/// One worker's place: the nodes of some windows.
class Desk {
 public:
  Desk(const hog::Channels& channels, int grid, const Patches& patches)
      : planes_{count_of(patches.planes())},
        histogram_{
            {grid, channels.bins, channels.half_shifted, channels.magnitude, channels.colour},
            patches.window_width()} {
    level_.image_width = level_.width = patches.window_width();
    level_.image_height = level_.height = patches.window_height();
    level_.row_stride = patches.row_stride();
    rows_ = histogram_.cells(level_.height);
    size_ = histogram_.size_of(level_, rows_ + 1);
    nodes_.resize(size_ * kTogether);
    constexpr std::size_t kSlack = 64;  // vectors read past the end
    samples_.resize(patches.patch_size() + kSlack);
    pitch_ = (histogram_.cells(level_.width) + 1) * histogram_.lanes();
  }

  /// Window i as the `place`th of those together.
  void load(const Patches& patches, std::size_t i, std::size_t place) {
    std::memcpy(samples_.data(), patches.plane(i), patches.patch_size());
    const std::uint8_t* planes[3] = {};
    for (int p = 0; p < planes_; ++p)
      planes[p] = samples_.data() + static_cast<std::size_t>(p) * patches.plane_size();
    histogram_.build_rows(level_, planes, nodes_.data() + place * size_, rows_ + 1, 0, rows_);
  }

  /// As the engines compute it: see cascade_layout.hpp.
  [[nodiscard]] float value(const Feature& f, std::size_t place) const {
    const std::uint32_t* nodes = nodes_.data() + place * size_;
    const float sum = over(nodes, f.channel, f.x, f.y, f.width, f.height);
    if (f.divisor < 0) return sum;
    return sum /
           (over(nodes, f.divisor, f.divisor_x, f.divisor_y, f.divisor_width, f.divisor_height) +
            hog::kDivisorFloor);
  }

 private:
  [[nodiscard]] float over(const std::uint32_t* nodes, int channel, int x, int y, int width,
                           int height) const {
    const int lanes = histogram_.lanes();
    const std::uint32_t* upper = nodes + y * pitch_ + x * lanes + channel;
    const std::uint32_t* lower = upper + height * pitch_;
    return static_cast<float>((lower[width * lanes] - lower[0]) -
                              (upper[width * lanes] - upper[0]));
  }

  int planes_;
  cpu::GridHistogram histogram_;
  Level level_;
  int rows_ = 0;
  std::ptrdiff_t pitch_ = 0;
  std::size_t size_ = 0;  // numbers of one window
  std::vector<std::uint8_t> samples_;
  std::vector<std::uint32_t> nodes_;
};

/// How many cuts are no more than the value: its step.
std::uint8_t step_of(const float* cuts, float value) {
  int at = 0;
  for (int half = 128; half > 0; half /= 2)
    if (cuts[at + half - 1] <= value) at += half;
  return static_cast<std::uint8_t>(at);
}

}  // namespace

std::vector<Feature> draw_features(const hog::Channels& channels, int columns, int rows,
                                   const FeatureMix& mix, std::size_t count, std::uint64_t seed) {
  Random random{seed};
  std::vector<Feature> features;
  const auto less = [](const Feature& a, const Feature& b) {
    return std::memcmp(&a, &b, sizeof a) < 0;  // any order will do; there is no padding
  };
  std::set<Feature, decltype(less)> seen{less};
  for (std::size_t tries = 0; features.size() < count && tries < 8 * count; ++tries) {
    const Feature f = draw_one(channels, columns, rows, mix, random);
    if (seen.insert(f).second) features.push_back(f);
  }
  return features;
}

hog::TreeNode node_of(const Feature& f, int grid) {
  const auto pixels = [grid](int cells) { return narrow(cells * grid); };
  hog::TreeNode node;
  node.x = pixels(f.x);
  node.y = pixels(f.y);
  node.width = pixels(f.width);
  node.height = pixels(f.height);
  node.channel = f.channel;
  node.divisor = f.divisor;
  node.divisor_x = pixels(f.divisor_x);
  node.divisor_y = pixels(f.divisor_y);
  node.divisor_width = pixels(f.divisor_width);
  node.divisor_height = pixels(f.divisor_height);
  return node;
}

FeatureTable FeatureTable::build(const std::vector<Feature>& features,
                                 const hog::Channels& channels, int grid, const Patches& first,
                                 const Patches& second, std::size_t sampled, std::uint64_t seed,
                                 Workers& workers) {
  FeatureTable table;
  table.features_ = features.size();
  table.windows_ = first.size() + second.size();
  table.steps_.resize(table.features_ * table.windows_);
  table.cuts_.resize(table.features_ * (kSteps - 1));
  std::vector<Desk> desks;
  desks.reserve(static_cast<std::size_t>(workers.count()));
  for (int i = 0; i < workers.count(); ++i) desks.emplace_back(channels, grid, first);
  /// For windows [from, from + count) of `order`: visit(feature, place, value).
  const auto look = [&](int worker, const auto& order, std::size_t from, std::size_t count,
                        const auto& visit) {
    Desk& desk = desks[static_cast<std::size_t>(worker)];
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t window = order(from + k);
      const bool is_first = window < first.size();
      desk.load(is_first ? first : second, is_first ? window : window - first.size(), k);
    }
    for (std::size_t f = 0; f < features.size(); ++f)
      for (std::size_t k = 0; k < count; ++k) visit(f, from + k, desk.value(features[f], k));
  };
  const auto groups = [](std::size_t n) {
    return static_cast<int>((n + kTogether - 1) / kTogether);
  };
  // The cuts, from a sample: [feature][sampled].
  Random random{seed};
  const std::vector<std::size_t> drawn = draw(random, table.windows_, sampled);
  std::vector<float> values(table.features_ * drawn.size());
  workers.run(groups(drawn.size()), [&](int task, int worker) {
    const std::size_t from = static_cast<std::size_t>(task) * kTogether;
    look(
        worker, [&](std::size_t i) { return drawn[i]; }, from,
        std::min(kTogether, drawn.size() - from),
        [&](std::size_t f, std::size_t i, float value) { values[f * drawn.size() + i] = value; });
  });
  workers.run(groups(table.features_), [&](int task, int) {
    const std::size_t from = static_cast<std::size_t>(task) * kTogether;
    for (std::size_t f = from; f < std::min(from + kTogether, table.features_); ++f) {
      float* column = values.data() + f * drawn.size();
      std::sort(column, column + drawn.size());
      float* cuts = table.cuts_.data() + f * (kSteps - 1);
      for (std::size_t s = 0; s + 1 < kSteps; ++s)
        cuts[s] = column[(s + 1) * drawn.size() / kSteps];
    }
  });
  values = {};
  workers.run(groups(table.windows_), [&](int task, int worker) {
    const std::size_t from = static_cast<std::size_t>(task) * kTogether;
    look(
        worker, [](std::size_t i) { return i; }, from, std::min(kTogether, table.windows_ - from),
        [&](std::size_t f, std::size_t i, float value) {
          table.steps_[f * table.windows_ + i] =
              step_of(table.cuts_.data() + f * (kSteps - 1), value);
        });
  });
  return table;
}

}  // namespace kerb::train
