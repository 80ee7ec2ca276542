// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/tree_workload.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/image/grid_histogram.hpp"
#include "gpu/image/pyramid.hpp"
#include "gpu/image/to_luv.hpp"
#include "tools/bench/random.hpp"

namespace kerb::bench {
namespace {

using hog::CascadeModel;
using hog::TreeNode;
using Plane = ImageView<Space::host, const std::uint8_t>;

constexpr int kWidth = 64, kHeight = 128;  // the window

Status check(const TreeWorkloadSettings& s, const hog::Picture<Space::host>& picture) {
  const auto bad = [](const char* what) {
    return Error{Errc::invalid_argument, 0, "make tree workload", what};
  };
  if (s.grid != 1 && s.grid != 2 && s.grid != 4) return bad("grid: 1, 2 or 4");
  if (s.trees < 1 || s.trees > hog::kMaxLearners) return bad("trees: 1..65536");
  if (s.depth < 1 || s.depth > 6) return bad("depth: 1..6");
  if (!(s.divided >= 0 && s.divided <= 1)) return bad("divided: 0..1");
  if (!(s.mean >= 1 && s.mean <= 1000)) return bad("mean: 1..1000");
  if (s.colour && picture.rgb.count != 3) return bad("the picture has no colour");
  if (!s.colour && picture.grey.data == nullptr) return bad("no picture");
  return Done{};
}

/// The sums of every level of a picture, all kept: plain and slow, and none of the engines' code.
class Sums {
 public:
  static Result<Sums> build(Workers& workers, const GridSettings& grid, hog::SearchPlan plan,
                            const hog::Picture<Space::host>& picture) {
    Sums sums{std::move(plan)};
    const PyramidPlan& pyramid = sums.plan_.pyramid;
    std::vector<std::uint8_t> luv;
    Plane in[3] = {picture.grey, {}, {}};
    if (grid.colour) {
      const auto& rgb = picture.rgb;
      const std::ptrdiff_t size = std::ptrdiff_t{rgb.width} * rgb.height;
      luv.resize(3 * static_cast<std::size_t>(size));
      const PlanesView<Space::host, std::uint8_t> out{luv.data(), 3,         rgb.width,
                                                      rgb.height, rgb.width, size};
      if (Status ok = cpu::to_luv(rgb, out); !ok) return ok.error();
      for (int p = 0; p < 3; ++p) in[p] = out.plane(p);
    }
    constexpr std::size_t kSlack = 64;
    std::vector<std::uint8_t> levels[3];
    for (int p = 0; p < grid.planes(); ++p) {
      levels[p].resize(pyramid.samples + kSlack);
      if (Status ok = cpu::pyramid(workers, pyramid, in[p], levels[p].data()); !ok)
        return ok.error();
    }
    int widest = 1;
    for (const Level& level : pyramid.levels) widest = std::max(widest, level.width);
    cpu::GridHistogram histogram{grid, widest};
    sums.lanes_ = histogram.lanes();
    sums.grid_ = grid.grid;
    for (const Level& level : pyramid.levels) {
      const std::uint8_t* planes[3] = {};
      for (int p = 0; p < grid.planes(); ++p) planes[p] = levels[p].data() + level.offset;
      const int rows = histogram.cells(level.height);
      std::vector<std::uint32_t> nodes(histogram.size_of(level, rows + 1));
      histogram.build_rows(level, planes, nodes.data(), rows + 1, 0, rows);
      sums.nodes_.push_back(std::move(nodes));
    }
    return sums;
  }

  [[nodiscard]] int window_count() const { return plan_.window_count; }

  /// Where a window stands.
  struct Place {
    int level, x, y;  // nodes
  };
  [[nodiscard]] Place place_of(int window) const {
    int level = 0;
    while (level + 1 < static_cast<int>(plan_.windows.size()) &&
           plan_.windows[static_cast<std::size_t>(level) + 1].first_window <= window)
      ++level;
    const hog::LevelWindows& w = plan_.windows[static_cast<std::size_t>(level)];
    const int index = window - w.first_window;
    return {level, (w.first_x + index % w.columns * plan_.stride) / grid_,
            (w.first_y + index / w.columns * plan_.stride) / grid_};
  }

  /// What a question asks about.
  [[nodiscard]] float value(const TreeNode& n, const Place& at) const {
    const float sum = rectangle(n.channel, n.x, n.y, n.width, n.height, at);
    if (n.divisor < 0) return sum;
    return sum /
           (rectangle(n.divisor, n.divisor_x, n.divisor_y, n.divisor_width, n.divisor_height, at) +
            1.0F / 128);
  }

 private:
  explicit Sums(hog::SearchPlan plan) : plan_{std::move(plan)} {}
  [[nodiscard]] float rectangle(int channel, int x, int y, int width, int height,
                                const Place& at) const {
    const auto level = static_cast<std::size_t>(at.level);
    const int across = plan_.pyramid.levels[level].width / grid_ + 1;
    const std::uint32_t* nodes = nodes_[level].data();
    const auto node = [&](int i, int j) {
      return nodes[((at.y + j / grid_) * std::ptrdiff_t{across} + at.x + i / grid_) * lanes_ +
                   channel];
    };
    return static_cast<float>((node(x + width, y + height) - node(x, y + height)) -
                              (node(x + width, y) - node(x, y)));
  }

  hog::SearchPlan plan_;
  std::vector<std::vector<std::uint32_t>> nodes_;
  int lanes_ = 0, grid_ = 4;
};

std::int16_t narrow(int value) { return static_cast<std::int16_t>(value); }

TreeNode random_question(const TreeWorkloadSettings& s, int channels, Random& random) {
  struct Side {
    int from, length;
  };
  const auto side = [&](int whole) -> Side {
    const int cells = whole / s.grid, most = std::max(1, cells / 3);
    const int length = 1 + random.below(most);
    return {s.grid * random.below(cells - length + 1), s.grid * length};
  };
  TreeNode node;
  const Side x = side(kWidth), y = side(kHeight);
  node.x = narrow(x.from);
  node.width = narrow(x.length);
  node.y = narrow(y.from);
  node.height = narrow(y.length);
  node.channel = narrow(random.below(channels));
  if (static_cast<double>(random.unit()) < s.divided) {
    const Side dx = side(kWidth), dy = side(kHeight);
    node.divisor = 6;  // the magnitude
    node.divisor_x = narrow(dx.from);
    node.divisor_width = narrow(dx.length);
    node.divisor_y = narrow(dy.from);
    node.divisor_height = narrow(dy.length);
  }
  return node;
}

/// The median over some windows: either answer is as likely.
float median(const Sums& sums, const TreeNode& node, Random& random) {
  constexpr int kLooks = 31;
  float values[kLooks];
  for (float& value : values)
    value = sums.value(node, sums.place_of(random.below(sums.window_count())));
  std::nth_element(values, values + kLooks / 2, values + kLooks);
  return values[kLooks / 2];
}

int stage_size(int trees_before, bool grouped) {
  if (!grouped || trees_before < 32) return 1;
  if (trees_before < 64) return 2;
  if (trees_before < 128) return 4;
  return trees_before < 256 ? 8 : 16;
}

}  // namespace

Result<hog::Model> make_tree_workload(Workers& workers, const TreeWorkloadSettings& s,
                                      const hog::SearchSettings& search,
                                      const hog::Picture<Space::host>& picture) {
  if (Status ok = check(s, picture); !ok) return ok.error();
  CascadeModel model;
  model.channels = {6, false, true, s.colour};
  model.cumulative = true;
  const int width = s.colour ? picture.rgb.width : picture.grey.width;
  const int height = s.colour ? picture.rgb.height : picture.grey.height;
  Result<hog::SearchPlan> plan = hog::plan_search(model.geometry, search, width, height);
  if (!plan) return plan.error();
  if (plan->window_count == 0)
    return Error{Errc::invalid_argument, 0, "make tree workload", "the picture holds no window"};
  if (search.stride % s.grid != 0)
    return Error{Errc::invalid_argument, 0, "make tree workload", "a stride off the grid"};
  const GridSettings grid{s.grid, 6, false, true, s.colour};
  const Result<Sums> sums = Sums::build(workers, grid, std::move(*plan), picture);
  if (!sums) return sums.error();

  struct Survivor {
    Sums::Place place;
    std::int32_t window, votes;
  };
  std::vector<Survivor> alive;
  alive.reserve(static_cast<std::size_t>(sums->window_count()));
  for (int window = 0; window < sums->window_count(); ++window)
    alive.push_back({sums->place_of(window), window, 0});
  const auto all = static_cast<double>(alive.size());

  Random random{s.seed};
  const int questions = (1 << s.depth) - 1;
  int before_stage = 0;
  for (int t = 0; t < s.trees; ++t) {
    model.trees.push_back({static_cast<std::int32_t>(model.nodes.size()),
                           static_cast<std::int32_t>(model.leaves.size()), narrow(questions),
                           narrow(questions + 1)});
    const std::size_t first = model.nodes.size(), leaf = model.leaves.size();
    for (int q = 0; q < questions; ++q) {  // number 2 q + 1 and 2 q + 2 follow q
      TreeNode node = random_question(s, model.channels.count(), random);
      node.threshold = median(*sums, node, random);
      const auto next = [&](int child) {
        return narrow(child < questions ? child : ~(child - questions));
      };
      node.left = next(2 * q + 1);
      node.right = next(2 * q + 2);
      model.nodes.push_back(node);
    }
    for (int i = 0; i <= questions; ++i)
      model.leaves.push_back(static_cast<std::int32_t>(random.below(1 << 14)) - (1 << 13));

    for (Survivor& one : alive) {
      int next = 0;
      do {
        const TreeNode& node = model.nodes[first + static_cast<std::size_t>(next)];
        next = sums->value(node, one.place) < node.threshold ? node.left : node.right;
      } while (next >= 0);
      one.votes += model.leaves[leaf + static_cast<std::size_t>(~next)];
    }
    const int count = t + 1 - before_stage;
    if (count < stage_size(before_stage, s.grouped) && t + 1 < s.trees) continue;
    std::sort(alive.begin(), alive.end(), [](const Survivor& a, const Survivor& b) {
      return a.votes != b.votes ? a.votes < b.votes : a.window < b.window;
    });
    const double reach = 1 + (t + 1) / s.mean;
    const auto keep = static_cast<std::size_t>(std::lround(all / (reach * reach)));
    std::int32_t threshold = model.stages.empty() ? 0 : model.stages.back().threshold;
    if (!alive.empty())
      threshold = keep == 0 ? alive.back().votes + 1
                            : alive[alive.size() - std::min(keep, alive.size())].votes;
    model.stages.push_back({before_stage, count, threshold});
    std::erase_if(alive, [&](const Survivor& one) { return one.votes < threshold; });
    before_stage = t + 1;
  }
  hog::Model whole{"tree-workload", std::move(model), {}};
  if (Status ok = hog::validate(whole); !ok) return ok.error();
  return whole;
}

}  // namespace kerb::bench
