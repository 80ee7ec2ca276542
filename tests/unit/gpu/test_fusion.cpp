// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "gpu/hog/deterministic_math.hpp"
#include "gpu/hog/fusion.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using namespace kerb::hog;

namespace {

// --- exp and log -------------------------------------------------------------------------------

TEST(exponentials_are_near_the_true_ones) {
  double worst = 0;
  for (int i = -800000; i <= 800000; i += 7) {
    const float x = static_cast<float>(i) / 10000;
    const double truth = std::exp(double{x});
    worst = std::max(worst, std::abs(double{exact_exp(x)} - truth) / truth);
  }
  TEST_ASSERT_TRUE(worst < 1.5e-7);
  worst = 0;
  for (int i = -70000; i <= 70000; ++i) {
    const double x = i / 100.0;
    worst = std::max(worst, std::abs(exact_exp(x) - std::exp(x)) / std::exp(x));
  }
  TEST_ASSERT_TRUE(worst < 4e-16);
  TEST_ASSERT_TRUE(exact_exp(0.0F) == 1.0F && exact_exp(0.0) == 1.0);
}

TEST(logarithms_are_near_the_true_ones) {
  double worst = 0;
  for (double x = 1e-6; x < 1e6; x *= 1.0007) {
    const double truth = std::log(x);
    worst = std::max(worst, std::abs(exact_log(x) - truth) / std::max(1.0, std::abs(truth)));
  }
  TEST_ASSERT_TRUE(worst < 4e-16);
  TEST_ASSERT_TRUE(exact_log(1.0) == 0.0);
}

/// The same on every machine: a checksum over the bits of many results, taken once.
TEST(the_bits_are_those_of_every_machine) {
  std::uint64_t hash = 14695981039346656037U;
  const auto take = [&hash](auto value) {
    unsigned char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 1099511628211U;
  };
  for (int i = -3000; i <= 3000; ++i) {
    take(exact_exp(static_cast<float>(i) / 128));
    take(exact_exp(static_cast<double>(i) / 128));
    take(exact_log(static_cast<double>(i + 3001) / 64));
  }
  TEST_ASSERT_EQUAL_HEX64(0xd2e1a9e8f8c7d5ebU, hash);
}

// --- fusing ------------------------------------------------------------------------------------

int below(std::mt19937& random, int limit) {
  return static_cast<int>(random() % static_cast<unsigned>(limit));
}

constexpr int kWidth = 1280, kHeight = 960;
const Geometry kGeometry;

const SearchPlan& plan() {
  static const SearchPlan plan = *plan_search(kGeometry, {}, kWidth, kHeight);
  return plan;
}

/// The window at a level's column and row.
Hit hit_at(int level, int column, int row, float score) {
  const LevelWindows& w = plan().windows[static_cast<std::size_t>(level)];
  TEST_ASSERT_TRUE(column >= 0 && column < w.columns && row >= 0 && row < w.rows);
  return {w.first_window + row * w.columns + column, score};
}
/// The window of a level whose person's centre is nearest to (x, y).
Hit hit_near(int level, double x, double y, float score) {
  const auto i = static_cast<std::size_t>(level);
  const LevelWindows& w = plan().windows[i];
  const double scale = plan().pyramid.levels[i].scale;
  const int column = static_cast<int>(std::lround((x / scale - 32) / 8));
  const int row = static_cast<int>(std::lround((y / scale - 64) / 8));
  return hit_at(level, std::clamp(column, 0, w.columns - 1), std::clamp(row, 0, w.rows - 1), score);
}

std::vector<Detection> fused(std::vector<Hit> hits, const FusionSettings& settings = {}) {
  std::sort(hits.begin(), hits.end(),
            [](const Hit& a, const Hit& b) { return a.window < b.window; });
  Result<std::unique_ptr<Fusion>> fusion = Fusion::create(settings);
  TEST_ASSERT_OK(fusion);
  DetectionList list;
  list.count = 7;  // what an earlier frame left
  (*fusion)->fuse({hits.data(), static_cast<int>(hits.size())}, kGeometry, plan(), list);
  return {list.items, list.items + list.count};
}

Detection box_of(const Hit& hit) {
  const SearchPlan& p = plan();
  std::size_t level = p.windows.size() - 1;
  while (p.windows[level].first_window > hit.window) --level;
  const int number = hit.window - p.windows[level].first_window;
  const int columns = p.windows[level].columns;
  return p.box(kGeometry, static_cast<int>(level), number % columns * 8, number / columns * 8,
               hit.score);
}

bool same(const Detection& a, const Detection& b) { return std::memcmp(&a, &b, sizeof a) == 0; }
void near_box(const Detection& expected, const Detection& actual, float pixels) {
  TEST_ASSERT_FLOAT_WITHIN(pixels, expected.x, actual.x);
  TEST_ASSERT_FLOAT_WITHIN(pixels, expected.y, actual.y);
  TEST_ASSERT_FLOAT_WITHIN(pixels, expected.w, actual.w);
  TEST_ASSERT_FLOAT_WITHIN(pixels, expected.h, actual.h);
  TEST_ASSERT_EQUAL_FLOAT(expected.score, actual.score);
}

// The same in double, with libm, all hits against all, every climb to its end.
struct Peak {
  double x, y, s, ix, iy;
  float score;
  int hits;
};
std::vector<Peak> by_definition(std::vector<Hit> hits, const FusionSettings& f) {
  std::sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) {
    return a.score != b.score ? a.score > b.score : a.window < b.window;
  });
  std::vector<Peak> points, peaks;
  for (const Hit& hit : hits) {
    const Detection box = box_of(hit);
    const double scale = double{box.h} / double{kGeometry.person_height};
    points.push_back({double{box.x} + double{box.w} / 2, double{box.y} + double{box.h} / 2,
                      std::log(scale), 1 / std::pow(scale * double{f.sigma_x}, 2),
                      1 / std::pow(scale * double{f.sigma_y}, 2), hit.score, 1});
  }
  const double is = 1 / (double{f.sigma_scale} * double{f.sigma_scale});
  for (const Peak& start : points) {
    Peak at = start;
    for (int step = 0; step < 20000; ++step) {
      double all = 0, hx = 0, hy = 0, x = 0, y = 0, s = 0;
      for (const Peak& p : points) {
        const double d = (p.x - at.x) * (p.x - at.x) * p.ix + (p.y - at.y) * (p.y - at.y) * p.iy +
                         (p.s - at.s) * (p.s - at.s) * is;
        // |H|^(-1/2), but for sigma_s
        const double t = f.unit_weights ? 1 : std::max(0.0, double{p.score});
        const double w = std::sqrt(p.ix * p.iy) * t * std::exp(-d / 2);
        all += w, hx += w * p.ix, hy += w * p.iy;
        x += w * p.ix * p.x, y += w * p.iy * p.y, s += w * p.s;
      }
      const Peak next{x / hx, y / hy, s / all, hx / all, hy / all, start.score, 1};
      const double moved =
          std::abs(next.x - at.x) + std::abs(next.y - at.y) + std::abs(next.s - at.s);
      at = next;
      if (moved < 1e-9) break;
    }
    const auto same_peak = std::find_if(peaks.begin(), peaks.end(), [&](const Peak& p) {
      return (p.x - at.x) * (p.x - at.x) * p.ix + (p.y - at.y) * (p.y - at.y) * p.iy +
                 (p.s - at.s) * (p.s - at.s) * is <
             0.01;
    });
    if (same_peak != peaks.end())
      ++same_peak->hits;
    else
      peaks.push_back(at);
  }
  return peaks;
}

/// `count` hits around a person, as detectors give them: best in the middle.
void add_person(std::vector<Hit>& hits, std::mt19937& random, double x, double y, int level,
                int count) {
  for (int i = 0; i < count; ++i) {
    const auto off = [&random] { return static_cast<int>(random() % 5 + random() % 5) - 4; };
    const int dx = off(), dy = off(), dl = off();
    const double scale = plan().pyramid.levels[static_cast<std::size_t>(level)].scale;
    const Hit hit =
        hit_near(std::clamp(level + dl, 0, static_cast<int>(plan().windows.size()) - 1),
                 x + dx * 6 * scale, y + dy * 6 * scale,
                 2.0F - 0.2F * static_cast<float>(std::abs(dx) + std::abs(dy) + std::abs(dl)) +
                     static_cast<float>(random() % 1000) / 5000);
    const bool is_there =
        std::any_of(hits.begin(), hits.end(), [&](const Hit& h) { return h.window == hit.window; });
    if (!is_there) hits.push_back(hit);
  }
}

TEST(mean_shift_finds_the_modes_of_the_definition) {
  for (std::uint32_t seed = 1; seed <= 4; ++seed)
    for (const bool unit : {false, true}) {
      std::mt19937 random{seed};
      std::vector<Hit> hits;
      // Apart: at least 2 of their own widths.
      add_person(hits, random, 150 + below(random, 20), 200, 2, 10);
      add_person(hits, random, 400, 500 + below(random, 20), 12, 25);
      add_person(hits, random, 700 + below(random, 20), 300, 6, 1);
      add_person(hits, random, 850 + below(random, 20), 310, 5, 15);
      add_person(hits, random, 1100, 600, 18, 15);
      FusionSettings settings;
      settings.unit_weights = unit;
      const std::vector<Detection> actual = fused(hits, settings);
      const std::vector<Peak> expected = by_definition(hits, settings);
      // Each of ours is one of theirs. Small modes within distance 1.5 of a better one may be
      // missing, none of the five people.
      TEST_ASSERT_TRUE(actual.size() >= 5 && actual.size() <= expected.size());
      for (const Detection& box : actual) {
        const double x = double{box.x} + double{box.w} / 2, y = double{box.y} + double{box.h} / 2;
        const double s = std::log(double{box.h} / 96);
        const bool found = std::any_of(expected.begin(), expected.end(), [&](const Peak& p) {
          return std::abs(p.x - x) * std::sqrt(p.ix) < 0.1 &&
                 std::abs(p.y - y) * std::sqrt(p.iy) < 0.1 && std::abs(p.s - s) < 0.1 * 0.26 &&
                 p.score >= box.score;
        });
        TEST_ASSERT_TRUE(found);
      }
    }
}

TEST(one_cluster_is_one_box_at_its_weighted_mean) {
  // Three windows side by side at one level, weights 1, 2, 1: by symmetry the mode is the middle.
  std::vector<Detection> boxes =
      fused({hit_at(3, 40, 30, 1), hit_at(3, 41, 30, 2), hit_at(3, 42, 30, 1)});
  TEST_ASSERT_EQUAL(1, boxes.size());
  near_box(box_of(hit_at(3, 41, 30, 2)), boxes[0], 0.01F);
  // Two of equal weight: between them.
  boxes = fused({hit_at(3, 40, 30, 1), hit_at(3, 40, 31, 1)});
  TEST_ASSERT_EQUAL(1, boxes.size());
  Detection middle = box_of(hit_at(3, 40, 30, 1));
  middle.y = (middle.y + box_of(hit_at(3, 40, 31, 1)).y) / 2;
  near_box(middle, boxes[0], 0.05F);
  // In scale: the geometric mean, as the centres agree.
  std::vector<Hit> scales = {hit_near(5, 500, 400, 1), hit_near(7, 500, 400, 1)};
  boxes = fused(scales);
  TEST_ASSERT_EQUAL(1, boxes.size());
  TEST_ASSERT_FLOAT_WITHIN(1.5F, static_cast<float>(96 * std::pow(1.05, 6)), boxes[0].h);
}

TEST(a_single_hit_is_its_own_box) {
  for (int level : {0, 9, static_cast<int>(plan().windows.size()) - 1}) {
    const Hit hit = hit_at(level, 0, 0, 0.5F);
    const std::vector<Detection> boxes = fused({hit});
    TEST_ASSERT_EQUAL(1, boxes.size());
    near_box(box_of(hit), boxes[0], 0.01F);
  }
}

TEST(people_apart_stay_apart) {
  std::mt19937 random{3};
  std::vector<Hit> hits;
  add_person(hits, random, 300, 400, 4, 20);
  const std::vector<Detection> one = fused(hits);
  TEST_ASSERT_EQUAL(1, one.size());
  add_person(hits, random, 420, 400, 4, 20);
  const std::vector<Detection> two = fused(hits);
  TEST_ASSERT_EQUAL(2, two.size());
  TEST_ASSERT_TRUE(two[0].score >= two[1].score);
}

TEST(far_away_hits_change_nothing_at_all) {
  std::mt19937 random{3};
  std::vector<Hit> hits;
  add_person(hits, random, 300, 400, 4, 21);
  const std::vector<Detection> alone = fused(hits);
  add_person(hits, random, 1000, 400, 4, 17);
  const std::vector<Detection> both = fused(hits);
  // They stand elsewhere in other batches, so sums may be rounded otherwise; no more than that.
  const bool found = std::any_of(both.begin(), both.end(), [&](const Detection& box) {
    return std::abs(box.x - alone[0].x) < 0.05F && std::abs(box.y - alone[0].y) < 0.05F &&
           box.score == alone[0].score;
  });
  TEST_ASSERT_TRUE(found);
}

TEST(scores_under_0_weigh_nothing) {
  TEST_ASSERT_EQUAL(0, fused({hit_at(3, 40, 30, -1)}).size());
  TEST_ASSERT_EQUAL(0, fused({hit_at(3, 40, 30, 0)}).size());
  // One of them beside a good one belongs to it, and does not pull.
  const std::vector<Detection> boxes = fused({hit_at(3, 40, 30, 1), hit_at(3, 41, 30, -1)});
  TEST_ASSERT_EQUAL(1, boxes.size());
  near_box(box_of(hit_at(3, 40, 30, 1)), boxes[0], 0.01F);
  FusionSettings unit;
  unit.unit_weights = true;
  TEST_ASSERT_EQUAL(1, fused({hit_at(3, 40, 30, -1)}, unit).size());
  FusionSettings lower;
  lower.zero = -2;
  TEST_ASSERT_EQUAL(1, fused({hit_at(3, 40, 30, -1)}, lower).size());
  TEST_ASSERT_EQUAL(0, fused({hit_at(3, 40, 30, -2)}, lower).size());
}

TEST(nobody_stands_outside_the_picture) {
  SearchSettings padded;
  padded.padding = 128;
  const Result<SearchPlan> around = plan_search(kGeometry, padded, 200, 300);
  TEST_ASSERT_OK(around);
  const LevelWindows& windows = around->windows[0];
  DetectionList out;
  for (const FusionKind kind :
       {FusionKind::mean_shift, FusionKind::suppression, FusionKind::none}) {
    FusionSettings settings;
    settings.kind = kind;
    const auto fusion = Fusion::create(settings);
    TEST_ASSERT_OK(fusion);
    int inside = 0;
    for (int n = 0; n < windows.columns * windows.rows; ++n) {
      const Hit hit{windows.first_window + n, 1};
      (*fusion)->fuse({&hit, 1}, kGeometry, *around, out);
      const Detection box =
          around->box(kGeometry, 0, n % windows.columns * 8, n / windows.columns * 8, 1);
      const float x = box.x + box.w / 2, y = box.y + box.h / 2;
      const bool is_inside = x >= 0 && x <= 200 && y >= 0 && y <= 300;
      TEST_ASSERT_EQUAL_INT(is_inside ? 1 : 0, out.count);
      inside += out.count;
    }
    TEST_ASSERT_TRUE(inside > 0 && inside < windows.columns * windows.rows);
  }
}

TEST(people_need_enough_hits) {
  std::mt19937 random{3};
  std::vector<Hit> hits;
  add_person(hits, random, 300, 400, 4, 20);
  hits.push_back(hit_near(4, 800, 400, 9));
  hits.push_back(hit_near(5, 800, 400, 8));
  for (const FusionKind kind : {FusionKind::mean_shift, FusionKind::suppression}) {
    FusionSettings settings;
    settings.kind = kind;
    settings.min_hits = 2;
    TEST_ASSERT_TRUE(fused(hits, settings).size() >= 2);
    settings.min_hits = 3;
    const std::vector<Detection> boxes = fused(hits, settings);
    TEST_ASSERT_TRUE(!boxes.empty());
    for (const Detection& box : boxes) TEST_ASSERT_TRUE(box.score < 8);
  }
}

float share(const Detection& a, const Detection& b, bool of_smaller) {
  const float w = std::min(a.x + a.w, b.x + b.w) - std::max(a.x, b.x);
  const float h = std::min(a.y + a.h, b.y + b.h) - std::max(a.y, b.y);
  if (w <= 0 || h <= 0) return 0;
  return w * h / (of_smaller ? std::min(a.w * a.h, b.w * b.h) : a.w * a.h + b.w * b.h - w * h);
}

TEST(suppression_keeps_the_best_of_those_that_overlap) {
  std::mt19937 random{8};
  std::vector<Hit> hits;
  for (int i = 0; i < 300; ++i)
    hits.push_back(hit_near(below(random, 20), below(random, kWidth), below(random, kHeight),
                            static_cast<float>(below(random, 50))));
  std::sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) {
    return a.score != b.score ? a.score > b.score : a.window < b.window;
  });
  for (const auto& [limit, of_smaller] :
       {std::pair{0.2F, false}, {0.5F, false}, {0.9F, false}, {0.3F, true}, {0.65F, true}}) {
    std::vector<Detection> expected;
    for (const Hit& hit : hits) {
      const Detection box = box_of(hit);
      if (std::none_of(expected.begin(), expected.end(),
                       [&, limit = limit, of_smaller = of_smaller](const Detection& taken) {
                         return share(taken, box, of_smaller) > limit;
                       }))
        expected.push_back(box);
    }
    FusionSettings settings;
    settings.kind = FusionKind::suppression;
    settings.overlap = limit;
    settings.of_smaller = of_smaller;
    const std::vector<Detection> actual = fused(hits, settings);
    expected.resize(std::min<std::size_t>(expected.size(), DetectionList::kCapacity));
    TEST_ASSERT_EQUAL(expected.size(), actual.size());
    for (std::size_t i = 0; i < actual.size(); ++i) TEST_ASSERT_TRUE(same(expected[i], actual[i]));
  }
}

TEST(none_gives_every_hit_best_first) {
  FusionSettings settings;
  settings.kind = FusionKind::none;
  settings.min_hits = 5;  // not for these
  const Hit a = hit_at(3, 1, 1, 1), b = hit_at(3, 2, 1, 3), c = hit_at(4, 1, 1, 1);
  const std::vector<Detection> boxes = fused({c, a, b}, settings);
  TEST_ASSERT_EQUAL(3, boxes.size());
  TEST_ASSERT_TRUE(same(box_of(b), boxes[0]));
  TEST_ASSERT_TRUE(same(box_of(a), boxes[1]));  // of equals the lower number
  TEST_ASSERT_TRUE(same(box_of(c), boxes[2]));
}

std::vector<Hit> many_hits(int count) {
  std::mt19937 random{11};
  std::vector<Hit> hits;
  for (int i = 0; i < count; ++i)
    hits.push_back(
        {static_cast<std::int32_t>(random() % static_cast<unsigned>(plan().window_count)),
         static_cast<float>(random() % 10000) / 1000});
  return hits;
}

TEST(the_best_max_hits_are_fused) {
  std::vector<Hit> hits = many_hits(1000);
  FusionSettings settings;
  settings.kind = FusionKind::none;
  settings.max_hits = 100;
  const std::vector<Detection> few = fused(hits, settings);
  settings.max_hits = 4096;
  const std::vector<Detection> all = fused(hits, settings);
  TEST_ASSERT_EQUAL(100, few.size());
  TEST_ASSERT_EQUAL(256, all.size());
  for (std::size_t i = 0; i < few.size(); ++i) TEST_ASSERT_TRUE(same(all[i], few[i]));
}

TEST(lists_are_never_overfull_and_fall_in_score) {
  for (const FusionKind kind :
       {FusionKind::mean_shift, FusionKind::suppression, FusionKind::none}) {
    FusionSettings settings;
    settings.kind = kind;
    const std::vector<Detection> boxes = fused(many_hits(2000), settings);
    TEST_ASSERT_TRUE(boxes.size() > 100 && boxes.size() <= 256);
    for (std::size_t i = 1; i < boxes.size(); ++i)
      TEST_ASSERT_TRUE(boxes[i - 1].score >= boxes[i].score);
  }
}

TEST(nothing_and_nonsense_give_nothing) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const FusionKind kind :
       {FusionKind::mean_shift, FusionKind::suppression, FusionKind::none}) {
    FusionSettings settings;
    settings.kind = kind;
    TEST_ASSERT_EQUAL(0, fused({}, settings).size());
    TEST_ASSERT_EQUAL(0, fused({{-1, 1},
                                {plan().window_count, 1},
                                {5, nan},
                                {6, std::numeric_limits<float>::infinity()}},
                               settings)
                             .size());
  }
  // Scores as large as floats are still make a box.
  const std::vector<Detection> boxes =
      fused({hit_at(3, 40, 30, 3e38F), hit_at(3, 41, 30, 3e38F), hit_at(3, 42, 30, 1e-38F)});
  TEST_ASSERT_EQUAL(1, boxes.size());
  TEST_ASSERT_TRUE(std::isfinite(boxes[0].x));
}

TEST(fusing_allocates_nothing) {
  std::vector<Hit> hits = many_hits(6000);
  for (const FusionKind kind :
       {FusionKind::mean_shift, FusionKind::suppression, FusionKind::none}) {
    FusionSettings settings;
    settings.kind = kind;
    settings.min_hits = 2;
    settings.max_hits = 500;
    const Result<std::unique_ptr<Fusion>> fusion = Fusion::create(settings);
    DetectionList list;
    plan();
    const std::uint64_t before = kerb::test::allocations();
    (*fusion)->fuse({hits.data(), static_cast<int>(hits.size())}, kGeometry, plan(), list);
    TEST_ASSERT_TRUE(before == kerb::test::allocations());
  }
}

TEST(settings_that_make_no_sense_are_refused) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto refused = [](auto change) {
    FusionSettings settings;
    change(settings);
    TEST_ASSERT_ERROR(Errc::invalid_argument, validate(settings));
    TEST_ASSERT_ERROR(Errc::invalid_argument, Fusion::create(settings));
  };
  TEST_ASSERT_OK(validate(FusionSettings{}));
  for (const float value : {0.0F, -1.0F, 1001.0F, nan}) {
    refused([=](FusionSettings& s) { s.sigma_x = value; });
    refused([=](FusionSettings& s) { s.sigma_y = value; });
    refused([=](FusionSettings& s) { s.sigma_scale = value; });
  }
  refused([](FusionSettings& s) { s.min_hits = 0; });
  refused([](FusionSettings& s) { s.overlap = -0.1F; });
  refused([](FusionSettings& s) { s.overlap = 1.1F; });
  refused([=](FusionSettings& s) { s.overlap = nan; });
  refused([](FusionSettings& s) { s.max_hits = 0; });
  refused([](FusionSettings& s) { s.max_hits = 65537; });
  refused([](FusionSettings& s) { s.kind = static_cast<FusionKind>(3); });
}

/// Bits of a whole fusion, taken once: the same on every machine.
TEST(boxes_have_the_same_bits_everywhere) {
  std::mt19937 random{21};
  std::vector<Hit> hits;
  for (int i = 0; i < 12; ++i) {
    const int x = 100 + below(random, 1000), y = 200 + below(random, 500);
    const int level = below(random, 15);
    add_person(hits, random, x, y, level, 12);
  }
  std::uint64_t hash = 14695981039346656037U;
  for (const Detection& box : fused(hits))
    for (const float value : {box.x, box.y, box.w, box.h, box.score}) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      hash = (hash ^ bits) * 1099511628211U;
    }
  TEST_ASSERT_EQUAL_HEX64(0xb227ccb7ada0ca6bU, hash);
}

}  // namespace
