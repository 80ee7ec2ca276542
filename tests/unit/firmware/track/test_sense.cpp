// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "firmware/track/colour_appearance.hpp"
#include "firmware/track/tracker.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/track/walkers.hpp"

using namespace kerb;
using test::World;
using track::PersonList;
using track::Senses;
using track::Tracker;

namespace {

constexpr double kFrame = 1.0 / 30;

/// What the pipeline hands over, made of a world instead of pictures.
struct Pipeline {
  explicit Pipeline(std::uint64_t seed) : world{seed} {
    image.grey = {pixels.data(), 1280, 720, 1280};
  }
  void make() {
    if (!tracker)
      tracker = std::make_unique<Tracker>(world.camera, track::TrackerSettings{},
                                          track::make_colour_appearance());
  }
  /// Detections, and motion vectors on people and on what is behind them.
  void look() {
    found->count = 0;
    field->count = 0;
    field->has_previous = !before.empty();
    motion->people = 0;
    motion->ego.state = before.empty() ? ego::EgoState::no_previous : ego::EgoState::valid;
    motion->ego.interval = std::chrono::nanoseconds{33'333'333};
    std::vector<Detection> now;
    for (const test::WorldWalker& w : world.walkers) now.push_back(world.box_of(w));
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (now[i].h <= 0) continue;
      const Detection seen = world.noisy(now[i]);
      const auto k = static_cast<std::size_t>(found->count);
      motion->boxes[k] = seen;
      motion->of[k].verdict = i == 0 ? ego::RegionVerdict::moving : ego::RegionVerdict::standing;
      found->items[found->count++] = seen;
      ++motion->people;
      if (before.size() != now.size() || before[i].h <= 0) continue;
      const Detection& b = before[i];
      const float growth = now[i].h / b.h - 1;
      for (int n = 0; n < 40; ++n) {
        FlowVector& f = field->items[field->count++];
        f.x = b.x + b.w * (0.3F + 0.4F * static_cast<float>(world.dice.uniform()));
        f.y = b.y + b.h * (0.1F + 0.7F * static_cast<float>(world.dice.uniform()));
        const float mx = b.x + b.w / 2, my = b.y + b.h / 2;
        f.dx = now[i].x + now[i].w / 2 - mx + growth * (f.x - mx) +
               static_cast<float>(0.15 * world.dice.normal());
        f.dy = now[i].y + now[i].h / 2 - my + growth * (f.y - my) +
               static_cast<float>(0.15 * world.dice.normal());
      }
    }
    before = now;
  }
  void frame(bool looked, bool flow) {
    make();
    look();
    tracker->sense(world.now, image, looked ? found.get() : nullptr, flow ? field.get() : nullptr,
                   flow ? motion.get() : nullptr, {world.speed, world.yaw_rate}, *senses);
    tracker->step(*senses, *people);
    world.move(kFrame);
  }

  World world;
  std::vector<std::uint8_t> pixels = std::vector<std::uint8_t>(1280U * 720U, 90);
  PreparedImage image;
  std::unique_ptr<Tracker> tracker;
  std::unique_ptr<DetectionList> found = std::make_unique<DetectionList>();
  std::unique_ptr<MotionField> field = std::make_unique<MotionField>();
  std::unique_ptr<ego::MotionReport> motion = std::make_unique<ego::MotionReport>();
  std::unique_ptr<Senses> senses = std::make_unique<Senses>();
  std::unique_ptr<PersonList> people = std::make_unique<PersonList>();
  std::vector<Detection> before;
};

TEST(it_gathers_what_the_frame_tells) {
  Pipeline p{1};
  p.world.speed = 7;
  p.world.yaw_rate = 0.02;
  p.world.walkers = {{25, 3, 0, -1.4}, {18, -3, 0, 0}};
  p.motion->ego.yaw_rate_radps = 0.021;
  p.motion->ego.pitch_rad = 0.004;
  p.motion->ego.horizon_sigma_px = 1.1;
  for (int i = 0; i < 10; ++i) p.frame(true, true);
  const Senses& s = *p.senses;
  TEST_ASSERT_TRUE(s.looked);
  TEST_ASSERT_EQUAL(2, s.count);
  TEST_ASSERT_EQUAL(2, s.followed);
  TEST_ASSERT_TRUE(s.looks[0].known && s.looks[1].known);
  TEST_ASSERT_EQUAL(1, (s.flow_says_moves[0] ? 1 : 0) + (s.flow_says_moves[1] ? 1 : 0));
  TEST_ASSERT_EQUAL_DOUBLE(7, *s.vehicle.speed_mps);
  TEST_ASSERT_EQUAL_DOUBLE(0.021, *s.yaw_rate_radps);
  TEST_ASSERT_EQUAL_DOUBLE(0.004, *s.pitch_rad);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.001, s.pitch_sigma_rad);
  for (std::size_t i = 0; i < 2; ++i) {
    TEST_ASSERT_GREATER_THAN(15, s.flows[i].points);
    TEST_ASSERT_TRUE(s.flows[i].growth > 0 && s.flows[i].growth < 0.05F);
  }
  // A pitch that is known no better than the mounting says nothing new.
  p.motion->ego.horizon_sigma_px = 20;
  p.frame(true, true);
  TEST_ASSERT_FALSE(p.senses->pitch_rad.has_value());
}

TEST(a_frame_without_detector_and_flow_says_so) {
  Pipeline p{2};
  p.world.walkers = {{20, 0, 0, 0}};
  for (int i = 0; i < 5; ++i) p.frame(true, true);
  p.frame(false, false);
  TEST_ASSERT_FALSE(p.senses->looked);
  TEST_ASSERT_EQUAL(0, p.senses->count);
  TEST_ASSERT_EQUAL(1, p.senses->followed);
  TEST_ASSERT_EQUAL(0, p.senses->flows[0].points);
  TEST_ASSERT_FALSE(p.senses->yaw_rate_radps.has_value());
  TEST_ASSERT_EQUAL(1, p.people->count);
}

TEST(the_best_are_kept_of_too_many) {
  Pipeline p{3};
  p.make();
  DetectionList& found = *p.found;
  found.count = DetectionList::kCapacity;
  for (int i = 0; i < found.count; ++i)
    found.items[i] = {static_cast<float>(4 * i), 300, 40, 100, static_cast<float>(i * 37 % 256)};
  found.items[7].w = std::numeric_limits<float>::quiet_NaN();
  p.tracker->sense(p.world.now, p.image, &found, nullptr, nullptr, {}, *p.senses);
  TEST_ASSERT_EQUAL(Senses::kMost, p.senses->count);
  for (int i = 0; i < Senses::kMost; ++i) {
    const auto k = static_cast<std::size_t>(i);
    TEST_ASSERT_TRUE(p.senses->boxes[k].score >= 255 - Senses::kMost - 1);
    if (i > 0) TEST_ASSERT_TRUE(p.senses->boxes[k].score <= p.senses->boxes[k - 1].score);
  }
}

/// A detector that looks at every third frame, with flow in between: boxes move as people do.
TEST(flow_moves_boxes_between_detections) {
  double off[2] = {};
  for (const bool flow : {false, true}) {
    double sum = 0;
    int n = 0;
    for (unsigned seed = 0; seed < 12; ++seed) {
      Pipeline p{40 + seed};
      p.world.walkers = {{14, 4, 0, -1.6}, {18, -4, 0, 1.4}};
      p.world.wander = 0.5;
      for (int i = 0; i < 60; ++i) {
        p.frame(i % 3 == 0, flow);
        if (i < 9 || i % 3 == 0) continue;
        for (const Detection& truth : p.before)
          for (int k = 0; k < p.people->count; ++k) {
            const Detection& b = p.people->items[k].box;
            const double d = static_cast<double>(b.x + b.w / 2 - truth.x - truth.w / 2);
            if (std::abs(d) > static_cast<double>(truth.w)) continue;
            sum += d * d;
            ++n;
          }
      }
    }
    off[flow ? 1 : 0] = sum / n;
  }
  TEST_ASSERT_TRUE(off[1] < 0.8 * off[0]);
}

TEST(nothing_is_allocated_frame_by_frame) {
  Pipeline p{5};
  for (int i = 0; i < 30; ++i)
    p.world.walkers.push_back({12.0 + i, -6 + 0.4 * i, 0, i % 2 == 0 ? 0.4 : -0.4});
  p.make();
  p.frame(true, true);
  for (int i = 0; i < 30; ++i) {
    p.look();
    const std::uint64_t before = test::allocations();
    p.tracker->sense(p.world.now, p.image, i % 3 == 2 ? nullptr : p.found.get(), p.field.get(),
                     p.motion.get(), {p.world.speed, p.world.yaw_rate}, *p.senses);
    p.tracker->step(*p.senses, *p.people);
    TEST_ASSERT_EQUAL_UINT64(before, test::allocations());
    p.world.move(kFrame);
  }
  TEST_ASSERT_GREATER_THAN(15, p.people->count);
}

}  // namespace
