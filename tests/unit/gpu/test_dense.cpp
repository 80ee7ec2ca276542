// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/gpu/test_dense.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <set>

#include "gpu/hog/dense_descriptor.hpp"
#include "gpu/hog/dense_plan.hpp"
#include "gpu/image/gradient_math.hpp"
#include "gpu/image/pyramid.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using namespace kerb::hog;
using namespace kerb::test;
using HostPicture = hog::Picture<Space::host>;

namespace {

constexpr float kLowest = -std::numeric_limits<float>::max();
constexpr DenseKind kKinds[] = {DenseKind::rhog, DenseKind::cells, DenseKind::integral};

std::uint32_t bits(float f) {
  std::uint32_t u = 0;
  std::memcpy(&u, &f, sizeof u);
  return u;
}

void check_vote(float dx, float dy, float magnitude, double degrees) {
  const dense::Vote vote = dense::vote_of(dx, dy);
  TEST_ASSERT_FLOAT_WITHIN(1e-5F * magnitude, magnitude, vote.lower + vote.upper);
  TEST_ASSERT_TRUE(vote.slot >= 0 && vote.slot <= 9);
  TEST_ASSERT_TRUE(vote.lower >= 0 && vote.upper >= 0);
  // Where the two bins' centres, weighted, say the gradient points to.
  const double at = (vote.slot - 0.5 + vote.upper / magnitude) * 20;
  const double off = std::remainder(at - degrees, 180);
  TEST_ASSERT_DOUBLE_WITHIN(0.02, 0, off);
}

TEST(votes_by_hand) {
  check_vote(3, 4, 5, std::atan2(4, 3) * 180 / std::numbers::pi);
  check_vote(0, 7, 7, 90);
  check_vote(0, -7, 7, 90);
  check_vote(7, 0, 7, 0);
  check_vote(-7, 0, 7, 0);
  check_vote(2, 2, std::sqrt(8.0F), 45);
  check_vote(-2, 2, std::sqrt(8.0F), 135);
  check_vote(2, -2, std::sqrt(8.0F), 135);
  const dense::Vote up = dense::vote_of(0, 8);  // exactly the centre of bin 4
  TEST_ASSERT_EQUAL(5, up.slot);
  TEST_ASSERT_EQUAL_FLOAT(8, up.lower);
  TEST_ASSERT_EQUAL_FLOAT(0, up.upper);
  const dense::Vote right = dense::vote_of(8, 0);  // between bins 8 and 0
  TEST_ASSERT_EQUAL(0, right.slot);
  TEST_ASSERT_EQUAL_FLOAT(4, right.lower);
  TEST_ASSERT_EQUAL_FLOAT(4, right.upper);
  const dense::Vote none = dense::vote_of(0, 0);
  TEST_ASSERT_EQUAL_FLOAT(0, none.lower + none.upper);
}

TEST(votes_point_where_the_arctangent_does) {
  for (int dy = -255; dy <= 255; dy += 3)
    for (int dx = -255; dx <= 255; dx += 3) {
      if (dx == 0 && dy == 0) continue;
      const double x = dx, y = dy;
      check_vote(static_cast<float>(dx), static_cast<float>(dy),
                 static_cast<float>(std::sqrt(x * x + y * y)),
                 std::atan2(y, x) * 180 / std::numbers::pi);
    }
}

TEST(the_largest_channel_wins_and_blue_before_green_before_red) {
  const auto is = [](dense::Gradient g, float dx, float dy) { return g.dx == dx && g.dy == dy; };
  TEST_ASSERT_TRUE(is(dense::largest({5, 0}, {0, 4}, {3, 0}), 5, 0));
  TEST_ASSERT_TRUE(is(dense::largest({4, 0}, {0, -5}, {3, 0}), 0, -5));
  TEST_ASSERT_TRUE(is(dense::largest({4, 0}, {0, 4}, {3, 3}), 3, 3));
  TEST_ASSERT_TRUE(is(dense::largest({4, 3}, {3, 4}, {0, 5}), 0, 5));
  TEST_ASSERT_TRUE(is(dense::largest({4, 3}, {3, 4}, {0, 1}), 3, 4));
}

TEST(shares_are_gaussian_times_ramp) {
  for (float sigma : {0.05F, 1.0F, 4.0F, 5.5F, 1000.0F}) {
    const dense::Shares shares = dense::shares_of(sigma);
    const double s = static_cast<double>(sigma);
    for (int place = 0; place < 16; ++place)
      for (int cell = 0; cell < 2; ++cell) {
        const double ramp = std::max(0.0, 1 - std::abs((place + 0.5) / 8 - 0.5 - cell));
        const double gauss = std::exp(-(place - 8.0) * (place - 8.0) / (2 * s * s));
        const float share = shares.of[place % 8][place / 8 * 2 + cell];
        TEST_ASSERT_DOUBLE_WITHIN(1e-7, ramp * gauss, static_cast<double>(share));
      }
  }
}

/// One block the straight way, in double: every pixel to every cell and bin, by its distance.
std::array<double, 36> block_by_definition(const DenseModel& model, const HostPicture& picture,
                                           int x0, int y0) {
  std::array<double, 36> block{};
  const int planes = model.kind == DenseKind::rhog && picture.rgb.count == 3 ? 3 : 1;
  for (int v = 0; v < 16; ++v)
    for (int u = 0; u < 16; ++u) {
      double dx = 0, dy = 0, norm = 0;
      for (int plane = 0; plane < planes; ++plane) {
        const auto image = planes == 3 ? picture.rgb.plane(plane) : picture.grey;
        const auto sample = [&](int x, int y) {
          const auto fold = [](int i, int n) { return i < 0 ? -i : i >= n ? 2 * n - 2 - i : i; };
          const double s = image.data[fold(y0 + v + y, image.height) * image.row_stride +
                                      fold(x0 + u + x, image.width)];
          return model.kind == DenseKind::rhog && model.gamma ? std::sqrt(s) : s;
        };
        const double gx = sample(1, 0) - sample(-1, 0), gy = sample(0, 1) - sample(0, -1);
        // Of equal ones the last plane, as the arithmetic has it.
        if (gx * gx + gy * gy < norm * norm * (1 - 1e-6)) continue;
        dx = gx;
        dy = gy;
        norm = std::sqrt(gx * gx + gy * gy);
      }
      const double turn = std::atan2(dy, dx) / std::numbers::pi;  // of 180 degrees
      const double angle = (turn - std::floor(turn)) * 9;
      for (int cell = 0; cell < 4; ++cell)
        for (int bin = 0; bin < 9; ++bin) {
          const int cx = cell % 2, cy = cell / 2;
          double& value = block.data()[cell * 9 + bin];
          if (model.kind == DenseKind::rhog) {
            const double sx = std::max(0.0, 1 - std::abs((u + 0.5) / 8 - 0.5 - cx));
            const double sy = std::max(0.0, 1 - std::abs((v + 0.5) / 8 - 0.5 - cy));
            const double sb = std::max(0.0, 1 - std::abs(std::remainder(angle - (bin + 0.5), 9)));
            const double s = static_cast<double>(model.sigma);
            const double gauss = std::exp(-((u - 8) * (u - 8) + (v - 8) * (v - 8)) / (2 * s * s));
            value += norm * sx * sy * sb * gauss;
          } else if (u / 8 == cx && v / 8 == cy) {
            const int ix = static_cast<int>(dx), iy = static_cast<int>(dy);
            if (gradient::bin_of(ix, iy, 9, false) == bin) value += std::round(8 * norm) / 8;
          }
        }
    }
  const auto length = [&] {
    double sum = 0;
    for (double v : block) sum += v * v;
    return std::sqrt(sum);
  };
  const double first = 1 / (length() + 3.6);
  for (double& v : block) v = std::min(v * first, static_cast<double>(model.clip));
  const double second = 1 / (length() + 1e-3);
  for (double& v : block) v *= second;
  return block;
}

TEST(descriptors_equal_their_definition) {
  for (DenseKind kind : kKinds)
    for (bool colour : {false, true})
      for (std::uint64_t seed : {1, 2}) {
        const DenseScene scene{45, 40, seed};
        DenseModel model = random_dense(kind, 32, 24, seed);
        const HostPicture picture = scene.view(colour);
        for (const auto& [x, y] : {std::pair{0, 0}, std::pair{13, 16}, std::pair{5, 3}}) {
          Result<std::vector<float>> values = descriptor(model, picture, x, y);
          TEST_ASSERT_OK(values);
          TEST_ASSERT_EQUAL(model.weights.size(), values->size());
          for (int by = 0; by < model.blocks_y(); ++by)
            for (int bx = 0; bx < model.blocks_x(); ++bx) {
              const auto expected = block_by_definition(model, picture, x + bx * 8, y + by * 8);
              for (std::size_t i = 0; i < 36; ++i)
                TEST_ASSERT_DOUBLE_WITHIN(
                    5e-4, expected[i],
                    static_cast<double>(
                        (*values)[static_cast<std::size_t>(by * model.blocks_x() + bx) * 36 + i]));
            }
        }
      }
}

TEST(a_flat_picture_has_no_values_and_scores_its_bias) {
  std::vector<std::uint8_t> flat(64 * 128, 77);
  HostPicture picture;
  picture.grey = {flat.data(), 64, 128, 64};
  Workers workers{1};
  for (DenseKind kind : kKinds) {
    const DenseModel model = random_dense(kind, 64, 128, 3);
    Result<std::vector<float>> values = descriptor(model, picture);
    TEST_ASSERT_OK(values);
    for (float v : *values) TEST_ASSERT_EQUAL_FLOAT(0, v);
    auto engine = make_dense_cpu(workers, {"", model}, {}, 64, 128);
    TEST_ASSERT_OK(engine);
    Result<Engine::Hits> hits = (*engine)->search(picture, model.bias);
    TEST_ASSERT_OK(hits);
    TEST_ASSERT_EQUAL(1, hits->count);
    TEST_ASSERT_EQUAL(0, hits->data[0].window);
    TEST_ASSERT_EQUAL_FLOAT(model.bias, hits->data[0].score);
    TEST_ASSERT_EQUAL(0, (*engine)->search(picture, model.bias * 1.001F)->count);
  }
}

/// Every `every`-th window of the engine against the descriptor of the level it is in.
void check_against_descriptors(Engine& engine, const HostPicture& picture, int every) {
  const SearchPlan& plan = engine.plan();
  const DenseModel& model = std::get<DenseModel>(engine.model().kind);
  Workers one{1};
  const bool colour = picture.rgb.count == 3;
  std::vector<std::uint8_t> levels(plan.pyramid.samples * 4);
  for (int plane = 0; plane < (colour ? 4 : 1); ++plane)
    TEST_ASSERT_OK(
        cpu::pyramid(one, plan.pyramid, plane == 0 ? picture.grey : picture.rgb.plane(plane - 1),
                     levels.data() + plan.pyramid.samples * static_cast<std::size_t>(plane)));
  Result<Engine::Hits> hits = engine.search(picture, kLowest);
  TEST_ASSERT_OK(hits);
  TEST_ASSERT_EQUAL(plan.window_count, hits->count);
  int number = 0;
  for (std::size_t i = 0; i < plan.windows.size(); ++i) {
    const Level& level = plan.pyramid.levels[i];
    const LevelWindows& windows = plan.windows[i];
    HostPicture with_rim;  // so that nothing is mirrored twice
    with_rim.grey = {levels.data() + level.offset, level.width + 2, level.height + 2,
                     level.row_stride};
    if (colour)
      with_rim.rgb = {levels.data() + plan.pyramid.samples + level.offset,
                      3,
                      level.width + 2,
                      level.height + 2,
                      level.row_stride,
                      static_cast<std::ptrdiff_t>(plan.pyramid.samples)};
    for (int row = 0; row < windows.rows; ++row)
      for (int column = 0; column < windows.columns; ++column, ++number) {
        const Hit& hit = hits->data[number];
        TEST_ASSERT_EQUAL(number, hit.window);
        if (number % every != 0) continue;
        Result<std::vector<float>> values =
            descriptor(model, with_rim, 1 + windows.first_x + column * plan.stride,
                       1 + windows.first_y + row * plan.stride);
        TEST_ASSERT_OK(values);
        Result<float> score = score_of(model, *values);
        TEST_ASSERT_OK(score);
        TEST_ASSERT_EQUAL_HEX32(bits(*score), bits(hit.score));
      }
  }
}

TEST(engines_equal_descriptors_bit_for_bit) {
  Workers workers{3};
  int cases = 0;
  for (DenseKind kind : kKinds)
    for (int stride : {8, 16, 4, 6, 24, 11}) {
      const bool colour = ++cases % 2 == 0;
      const DenseScene scene{61 + cases, 70 - cases, static_cast<std::uint64_t>(cases)};
      SearchSettings settings;
      settings.stride = stride;
      settings.scale_step = 1.3;
      settings.padding = cases % 3 == 0 ? 9 : 0;
      settings.min_height = cases % 4 == 0 ? 24 : 0;
      auto engine = make_dense_cpu(
          workers, {"", random_dense(kind, 32, 40, static_cast<std::uint64_t>(cases))}, settings,
          scene.width, scene.height);
      TEST_ASSERT_OK(engine);
      check_against_descriptors(**engine, scene.view(colour),
                                1 + (*engine)->plan().window_count / 13);
    }
}

TEST(a_wide_window_and_the_smallest_one) {
  Workers workers{2};
  for (const auto& [width, height] : {std::pair{16, 16}, std::pair{96, 24}, std::pair{64, 128}}) {
    const DenseScene scene{width + 37, height + 21, 5};
    SearchSettings settings;
    settings.scale_step = 1.2;
    auto engine = make_dense_cpu(workers, {"", random_dense(DenseKind::rhog, width, height, 4)},
                                 settings, scene.width, scene.height);
    TEST_ASSERT_OK(engine);
    check_against_descriptors(**engine, scene.view(true), 1 + (*engine)->plan().window_count / 7);
  }
}

TEST(one_window_and_none) {
  Workers workers{2};
  for (DenseKind kind : kKinds) {
    const Model model{"", random_dense(kind, 32, 40, 1)};
    const DenseScene one{32, 40, 1}, none{31, 40, 1}, dot{1, 1, 1};
    auto engine = make_dense_cpu(workers, model, {}, 32, 40);
    TEST_ASSERT_OK(engine);
    TEST_ASSERT_EQUAL(1, (*engine)->plan().window_count);
    check_against_descriptors(**engine, one.view(true), 1);
    for (const DenseScene* scene : {&none, &dot}) {
      engine = make_dense_cpu(workers, model, {}, scene->width, scene->height);
      TEST_ASSERT_OK(engine);
      Result<Engine::Hits> hits = (*engine)->search(scene->view(false), kLowest);
      TEST_ASSERT_OK(hits);
      TEST_ASSERT_EQUAL(0, hits->count);
    }
  }
}

std::vector<Hit> all_hits(Engine& engine, const HostPicture& picture, float threshold) {
  Result<Engine::Hits> hits = engine.search(picture, threshold);
  TEST_ASSERT_OK(hits);
  return {hits->data, hits->data + hits->count};
}

void check_equal(const std::vector<Hit>& a, const std::vector<Hit>& b) {
  TEST_ASSERT_EQUAL(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    TEST_ASSERT_EQUAL(a[i].window, b[i].window);
    TEST_ASSERT_EQUAL_HEX32(bits(a[i].score), bits(b[i].score));
  }
}

TEST(cells_and_integrals_agree_at_every_stride) {
  Workers workers{2};
  for (int stride : {8, 4, 3, 10}) {
    const DenseScene scene{150, 110, 7};
    SearchSettings settings;
    settings.stride = stride;
    settings.scale_step = 1.4;
    DenseModel model = random_dense(DenseKind::cells, 64, 64, 2);
    auto cells = make_dense_cpu(workers, {"", model}, settings, 150, 110);
    model.kind = DenseKind::integral;
    auto integral = make_dense_cpu(workers, {"", model}, settings, 150, 110);
    TEST_ASSERT_OK(cells);
    TEST_ASSERT_OK(integral);
    const auto hits = all_hits(**cells, scene.view(false), kLowest);
    TEST_ASSERT_TRUE(hits.size() > 30);
    check_equal(hits, all_hits(**integral, scene.view(true), kLowest));  // colour is not looked at
  }
}

TEST(neither_workers_nor_rounds_change_a_bit) {
  const DenseScene scene{140, 150, 9};
  SearchSettings settings;
  settings.stride = 6;
  settings.scale_step = 1.25;
  for (DenseKind kind : kKinds) {
    const Model model{"", random_dense(kind, 48, 64, 6)};
    Workers one{1}, four{4};
    auto plain = make_dense_cpu(one, model, settings, 140, 150);
    TEST_ASSERT_OK(plain);
    const auto expected = all_hits(**plain, scene.view(true), kLowest);
    for (std::size_t values : {std::size_t{1}, std::size_t{20000}, std::size_t{1} << 24}) {
      auto engine = dense::make_dense_cpu(four, model, settings, 140, 150, values);
      TEST_ASSERT_OK(engine);
      check_equal(expected, all_hits(**engine, scene.view(true), kLowest));
      check_equal(expected, all_hits(**engine, scene.view(true), kLowest));  // and once more
    }
  }
}

TEST(a_threshold_takes_what_reaches_it) {
  Workers workers{2};
  const DenseScene scene{120, 130, 3};
  auto engine =
      make_dense_cpu(workers, {"", random_dense(DenseKind::rhog, 32, 40, 6)}, {}, 120, 130);
  TEST_ASSERT_OK(engine);
  const auto all = all_hits(**engine, scene.view(false), kLowest);
  const float threshold = all[all.size() / 2].score;
  std::vector<Hit> expected;
  for (const Hit& hit : all)
    if (hit.score >= threshold) expected.push_back(hit);
  TEST_ASSERT_TRUE(expected.size() < all.size());
  check_equal(expected, all_hits(**engine, scene.view(false), threshold));
}

TEST(sheets_hold_every_window_once) {
  const DenseModel model = random_dense(DenseKind::rhog, 32, 40, 1);
  for (int stride = 1; stride <= 40; ++stride) {
    SearchSettings settings;
    settings.stride = stride;
    settings.scale_step = 1.5;
    Result<SearchPlan> search = plan_search(model.geometry, settings, 131, 97);
    TEST_ASSERT_OK(search);
    const dense::DensePlan plan = dense::plan_dense(model, *search, 5000);
    std::set<int> seen;
    std::size_t next = 0;
    for (const dense::Round& round : plan.rounds) {
      TEST_ASSERT_EQUAL(next, round.first_sheet);
      TEST_ASSERT_TRUE(round.sheets >= 1);
      std::size_t used = 0;
      for (int i = 0; i < round.sheets; ++i, ++next) {
        const dense::Sheet& s = plan.sheets[next];
        TEST_ASSERT_EQUAL(used, s.offset);
        used += s.values();
        const Level& level = search->pyramid.levels[static_cast<std::size_t>(s.level)];
        const LevelWindows& windows = search->windows[static_cast<std::size_t>(s.level)];
        TEST_ASSERT_TRUE(s.x >= 0 && s.x % plan.grid == 0 && s.x < 8);
        TEST_ASSERT_TRUE(s.x + (s.columns + 1) * 8 <= level.width);
        TEST_ASSERT_TRUE(s.y + (s.rows + 1) * 8 <= level.height);
        for (int row = 0; row < s.window_rows; ++row)
          for (int column = 0; column < s.window_columns; ++column) {
            const int number = s.first_window + row * s.window_pitch + column * s.window_step;
            TEST_ASSERT_TRUE(seen.insert(number).second);
            const int in_level = number - windows.first_window;
            const int bx = s.first_bx + column * s.step, by = s.first_by + row * s.step;
            TEST_ASSERT_EQUAL(in_level % windows.columns * stride, s.x + bx * 8);
            TEST_ASSERT_EQUAL(in_level / windows.columns * stride, s.y + by * 8);
            TEST_ASSERT_TRUE(bx + model.blocks_x() <= s.columns);
            TEST_ASSERT_TRUE(by + model.blocks_y() <= s.rows);
          }
      }
      TEST_ASSERT_TRUE(round.sheets == 1 || used <= 5000);
      TEST_ASSERT_TRUE(used <= plan.values);
    }
    TEST_ASSERT_EQUAL(plan.sheets.size(), next);
    TEST_ASSERT_EQUAL(search->window_count, seen.size());
  }
}

TEST(engines_say_what_they_do) {
  Workers workers{1};
  const DenseScene scene{120, 140, 3};
  const Model model{"someone", random_dense(DenseKind::cells, 32, 40, 6)};
  auto engine = make_dense_cpu(workers, model, {}, 120, 140);
  TEST_ASSERT_OK(engine);
  TEST_ASSERT_TRUE((*engine)->backend() == Backend::cpu);
  TEST_ASSERT_EQUAL(0, (*engine)->device_bytes());
  TEST_ASSERT_EQUAL_STRING("someone", (*engine)->model().name.c_str());
  Result<Work> work = (*engine)->count_work(scene.view(false));
  TEST_ASSERT_OK(work);
  TEST_ASSERT_EQUAL((*engine)->plan().window_count, work->windows);
  TEST_ASSERT_EQUAL(work->windows * 3 * 4, work->learners);
}

TEST(a_search_allocates_nothing) {
  Workers workers{2};
  const DenseScene scene{120, 140, 3};
  for (DenseKind kind : kKinds) {
    auto engine = make_dense_cpu(workers, {"", random_dense(kind, 32, 40, 6)}, {}, 120, 140);
    TEST_ASSERT_OK(engine);
    const HostPicture picture = scene.view(true);
    const auto before = allocations();
    const bool found = static_cast<bool>((*engine)->search(picture, 0));
    TEST_ASSERT_EQUAL(before, allocations());
    TEST_ASSERT_TRUE(found);
  }
}

TEST(engines_refuse_what_their_contract_refuses) {
  Workers workers{1};
  const DenseScene scene{64, 70, 3};
  const DenseModel good = random_dense(DenseKind::rhog, 32, 40, 6);
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    make_dense_cpu(workers, {"", CascadeModel{}}, {}, 64, 70));
  DenseModel model = good;
  model.weights.pop_back();
  TEST_ASSERT_ERROR(Errc::invalid_argument, make_dense_cpu(workers, {"", model}, {}, 64, 70));
  SearchSettings settings;
  settings.stride = 0;
  TEST_ASSERT_ERROR(Errc::invalid_argument, make_dense_cpu(workers, {"", good}, settings, 64, 70));
  TEST_ASSERT_ERROR(Errc::invalid_argument, make_dense_cpu(workers, {"", good}, {}, 0, 70));

  for (DenseKind kind : kKinds) {
    model = good;
    model.kind = kind;
    auto engine = make_dense_cpu(workers, {"", model}, {}, 64, 70);
    TEST_ASSERT_OK(engine);
    const auto refused = [&](const HostPicture& picture) {
      TEST_ASSERT_ERROR(Errc::invalid_argument, (*engine)->search(picture, 0));
      TEST_ASSERT_ERROR(Errc::invalid_argument, (*engine)->count_work(picture));
    };
    HostPicture picture = scene.view(true);
    TEST_ASSERT_OK((*engine)->search(picture, 0));
    picture.grey.width = 63;
    refused(picture);
    picture = scene.view(true);
    picture.grey.height = 71;
    refused(picture);
    picture = scene.view(true);
    picture.grey.data = nullptr;
    refused(picture);
    picture = scene.view(true);
    picture.grey.row_stride = 63;
    refused(picture);
    TEST_ASSERT_ERROR(Errc::unsupported, (*engine)->search(hog::Picture<Space::device>{}, 0.0F));
    // Colour that does not fit matters only where colour is looked at.
    for (int what = 0; what < 4; ++what) {
      picture = scene.view(true);
      if (what == 0) picture.rgb.count = 2;
      if (what == 1) picture.rgb.width = 65;
      if (what == 2) picture.rgb.data = nullptr;
      if (what == 3) picture.rgb.row_stride = 1;
      if (kind == DenseKind::rhog) {
        refused(picture);
      } else {
        TEST_ASSERT_OK((*engine)->search(picture, 0));
      }
    }
  }
}

TEST(descriptors_refuse_what_their_contract_refuses) {
  const DenseScene scene{64, 70, 3};
  const HostPicture picture = scene.view(false);
  const DenseModel good = random_dense(DenseKind::rhog, 32, 40, 6);
  TEST_ASSERT_OK(descriptor(good, picture, 32, 30));
  for (const auto& [x, y] :
       {std::pair{-1, 0}, std::pair{0, -1}, std::pair{33, 0}, std::pair{0, 31}})
    TEST_ASSERT_ERROR(Errc::invalid_argument, descriptor(good, picture, x, y));
  DenseModel model = good;
  model.geometry.window_width = 33;
  TEST_ASSERT_ERROR(Errc::invalid_argument, descriptor(model, picture));
  model.geometry.window_width = 2000000000;
  TEST_ASSERT_ERROR(Errc::invalid_argument, descriptor(model, picture));
  model = good;
  model.sigma = 0;
  TEST_ASSERT_ERROR(Errc::invalid_argument, descriptor(model, picture));
  model = good;
  model.weights.clear();  // not needed
  Result<std::vector<float>> values = descriptor(model, picture);
  TEST_ASSERT_OK(values);
  TEST_ASSERT_ERROR(Errc::invalid_argument, score_of(model, *values));
  values->pop_back();
  TEST_ASSERT_ERROR(Errc::invalid_argument, score_of(good, *values));
  HostPicture wrong = picture;
  wrong.grey.data = nullptr;
  TEST_ASSERT_ERROR(Errc::invalid_argument, descriptor(good, wrong));
  wrong = scene.view(true);
  wrong.rgb.count = 1;
  TEST_ASSERT_ERROR(Errc::invalid_argument, descriptor(good, wrong));
}

}  // namespace
