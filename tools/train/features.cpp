// SPDX-License-Identifier: Apache-2.0
#include "tools/train/features.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>

#include "tools/train/random.hpp"
#include "tools/train/window_sums.hpp"

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
constexpr std::size_t kTogether = WindowSums::kPlaces;

/// A question in other units: both kinds have the same channels and rectangles.
template <typename To, typename From, typename Unit>
To converted(const From& from, const Unit& unit) {
  const auto side = [&unit](int value) { return narrow(unit(value)); };
  To to;
  to.x = side(from.x);
  to.y = side(from.y);
  to.width = side(from.width);
  to.height = side(from.height);
  to.channel = from.channel;
  to.divisor = from.divisor;
  to.divisor_x = side(from.divisor_x);
  to.divisor_y = side(from.divisor_y);
  to.divisor_width = side(from.divisor_width);
  to.divisor_height = side(from.divisor_height);
  return to;
}

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

hog::TreeNode node_of(const Feature& feature, int grid) {
  return converted<hog::TreeNode>(feature, [grid](int cells) { return cells * grid; });
}

Feature feature_of(const hog::TreeNode& node, int grid) {
  return converted<Feature>(node, [grid](int pixels) { return pixels / grid; });
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
  std::vector<WindowSums> desks;
  desks.reserve(static_cast<std::size_t>(workers.count()));
  for (int i = 0; i < workers.count(); ++i) desks.emplace_back(channels, grid, first);
  /// For windows [from, from + count) of `order`: visit(feature, place, value).
  const auto look = [&](int worker, const auto& order, std::size_t from, std::size_t count,
                        const auto& visit) {
    WindowSums& desk = desks[static_cast<std::size_t>(worker)];
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
