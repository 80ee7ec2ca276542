// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "firmware/pipeline/image_check.hpp"
#include "firmware/pipeline/stage_times.hpp"
#include "firmware/threads/latest_frame.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

struct CountingLender final : FrameLender {
  void give_back(std::uint32_t index) noexcept override { returned.push_back(index); }
  std::vector<std::uint32_t> returned;
};
Frame frame(const std::shared_ptr<CountingLender>& lender, std::uint32_t number) {
  Frame f;
  f.sequence = number;
  f.lease = FrameLease{lender, number};
  return f;
}

TEST(the_newest_frame_wins_and_the_older_goes_back_at_once) {
  auto lender = std::make_shared<CountingLender>();
  LatestFrame latest;
  TEST_ASSERT_FALSE(latest.put(frame(lender, 1)));
  TEST_ASSERT_TRUE(latest.put(frame(lender, 2)));
  TEST_ASSERT_EQUAL_size_t(1, lender->returned.size());
  TEST_ASSERT_EQUAL_UINT32(1, lender->returned[0]);
  {
    std::optional<Frame> taken = latest.take(Nanos::zero());
    TEST_ASSERT_TRUE(taken.has_value());
    TEST_ASSERT_EQUAL_UINT64(2, taken->sequence);
    TEST_ASSERT_EQUAL_size_t(1, lender->returned.size());
  }
  TEST_ASSERT_EQUAL_size_t(2, lender->returned.size());
  TEST_ASSERT_FALSE(latest.take(Nanos::zero()).has_value());
}

TEST(a_frame_that_replaces_an_offered_one_drops_none) {
  auto lender = std::make_shared<CountingLender>();
  LatestFrame latest;
  latest.offer(frame(lender, 1));
  TEST_ASSERT_FALSE(latest.put(frame(lender, 2)));
  latest.offer(frame(lender, 3));  // does not replace
  TEST_ASSERT_TRUE(latest.put(frame(lender, 4)));
  TEST_ASSERT_EQUAL_UINT64(4, latest.take(Nanos::zero())->sequence);
}

TEST(closing_lets_a_waiting_frame_go_and_wakes_everybody) {
  auto lender = std::make_shared<CountingLender>();
  LatestFrame latest;
  latest.put(frame(lender, 7));
  TEST_ASSERT_FALSE(latest.wait_until_taken(milliseconds{1}));
  latest.close();
  TEST_ASSERT_EQUAL_size_t(1, lender->returned.size());
  TEST_ASSERT_FALSE(latest.take(seconds{60}).has_value());  // does not wait
  TEST_ASSERT_TRUE(latest.wait_until_taken(seconds{60}));
}

TEST(every_stage_has_a_name_of_its_own_and_total_is_the_last) {
  std::set<std::string> names;
  for (int i = 0; i < kStageCount; ++i)
    TEST_ASSERT_TRUE(names.insert(name_of(static_cast<Stage>(i))).second);
  TEST_ASSERT_EQUAL_STRING("track", name_of(Stage::track));
  TEST_ASSERT_EQUAL_INT(kStageCount - 1, static_cast<int>(Stage::total));
}

TEST(stage_times_agree_with_sorting_all_of_them) {
  StageTimes times;
  times.set_budget(milliseconds{20});
  std::mt19937 random{5};
  std::lognormal_distribution<double> draw{2.0, 0.8};  // ms; median e^2 = 7.4
  std::vector<double> all;
  int over = 0;
  double sum = 0;
  for (int i = 0; i < 5000; ++i) {
    const Nanos spent{static_cast<Nanos::rep>(draw(random) * 1e6)};
    times.add(spent);
    all.push_back(static_cast<double>(spent.count()));
    sum += all.back();
    over += spent > milliseconds{20};
  }
  std::sort(all.begin(), all.end());
  const StageReport r = times.report();
  const auto count = [](Nanos n) { return static_cast<double>(n.count()); };
  TEST_ASSERT_EQUAL_UINT64(5000, r.frames);
  TEST_ASSERT_EQUAL_UINT64(over, r.over_budget);
  TEST_ASSERT_DOUBLE_WITHIN(1, all.back(), count(r.max));
  TEST_ASSERT_DOUBLE_WITHIN(sum / 5000 * 1e-6, sum / 5000, count(r.mean));
  TEST_ASSERT_DOUBLE_WITHIN(all[2500] * 0.07, all[2500], count(r.median));
  TEST_ASSERT_DOUBLE_WITHIN(all[4750] * 0.07, all[4750], count(r.p95));
}

TEST(stage_times_survive_the_extremes) {
  StageTimes times;
  TEST_ASSERT_EQUAL_INT64(0, times.report().median.count());
  times.add(Nanos{-5});  // a clock that was set back
  times.add(Nanos{0});
  times.add(std::chrono::hours{1});
  TEST_ASSERT_EQUAL_UINT64(3, times.report().frames);
  TEST_ASSERT_EQUAL_UINT64(0, times.report().over_budget);  // no budget, nothing over it
  TEST_ASSERT_TRUE(times.report().max == std::chrono::hours{1});
}

std::vector<std::uint8_t> noise(int size, std::uint32_t seed) {
  std::mt19937 random{seed};
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(size));
  for (std::uint8_t& p : pixels) p = static_cast<std::uint8_t>(random() % 100 + 50);
  return pixels;
}
ImageView<Space::host, const std::uint8_t> view(const std::vector<std::uint8_t>& pixels,
                                                int width) {
  return {pixels.data(), width, static_cast<int>(pixels.size()) / width, width};
}

TEST(the_look_measures_mean_and_deviation) {
  ImageCheck check;
  const auto pixels = noise(640 * 480, 1);
  double sum = 0, squares = 0;
  for (const double p : pixels) sum += p, squares += p * p;
  const double n = static_cast<double>(pixels.size()), mean = sum / n;
  const ImageStatistics look = check.update(view(pixels, 640), seconds{1});
  TEST_ASSERT_DOUBLE_WITHIN(2, mean, look.mean);  // a sample of 4,000
  TEST_ASSERT_DOUBLE_WITHIN(2, std::sqrt(squares / n - mean * mean), look.deviation);
}

TEST(a_frozen_picture_is_timed_from_its_first_showing) {
  ImageCheck check;
  const auto first = noise(640 * 480, 1);
  auto second = noise(640 * 480, 2);
  TEST_ASSERT_EQUAL_INT64(0, check.update(view(first, 640), seconds{1}).unchanged.count());
  TEST_ASSERT_TRUE(check.update(view(first, 640), seconds{2}).unchanged == seconds{1});
  TEST_ASSERT_TRUE(check.update(view(second, 640), seconds{3}).unchanged == Nanos::zero());
  TEST_ASSERT_TRUE(check.update(view(second, 640), seconds{7}).unchanged == seconds{4});
}

/// What a stalled DMA engine shows: the pictures in its buffers, in turn.
TEST(pictures_that_come_again_in_turn_are_frozen) {
  ImageCheck check, forgetful;
  check.remember(4);
  std::vector<std::vector<std::uint8_t>> pictures;
  for (unsigned i = 0; i < 4; ++i) pictures.push_back(noise(640 * 480, 10 + i));
  Nanos now = seconds{1};
  ImageStatistics last;
  for (int i = 0; i < 40; ++i) {
    now += milliseconds{33};
    const auto& picture = pictures[static_cast<std::size_t>(i % 4)];
    last = check.update(view(picture, 640), now);
    TEST_ASSERT_TRUE(forgetful.update(view(picture, 640), now).unchanged == Nanos::zero());
    TEST_ASSERT_EQUAL_INT64(std::max(0, i - 3) * 33, last.unchanged / milliseconds{1});
  }
  const auto fresh = noise(640 * 480, 99);
  TEST_ASSERT_TRUE(check.update(view(fresh, 640), now + milliseconds{33}).unchanged ==
                   Nanos::zero());
}

TEST(tiny_pictures_are_looked_at_too) {
  ImageCheck check;
  const std::vector<std::uint8_t> one{200};
  TEST_ASSERT_EQUAL_DOUBLE(200, check.update(view(one, 1), seconds{1}).mean);
  TEST_ASSERT_EQUAL_DOUBLE(0, check.update({}, seconds{2}).mean);
}

/// A street with texture that moves, then the same through mud: its detail is an eighth of what it
/// was. Mud on a third of the glass is not the picture; fog that comes slowly is weather.
TEST(detail_that_goes_at_once_is_dirt) {
  const auto street = noise(640 * 480, 5);
  const auto seen = [&street](int shift, double mud, double covered) {
    std::vector<std::uint8_t> out(street.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double value = street[(i + static_cast<std::size_t>(shift)) % street.size()];
      const bool under = static_cast<double>(i) < covered * static_cast<double>(out.size());
      out[i] = static_cast<std::uint8_t>(under ? (1 - mud) * value + mud * 60 : value);
    }
    return out;
  };
  ImageCheck check;
  Nanos now = seconds{1};
  const auto look = [&](int shift, double mud, double covered) {
    now += milliseconds{33};
    return check.update(view(seen(shift, mud, covered), 640), now).dull;
  };
  for (int i = 0; i < 60; ++i) TEST_ASSERT_TRUE(look(i, 0, 0) < 0.05);
  for (int i = 0; i < 20; ++i) TEST_ASSERT_DOUBLE_WITHIN(0.1, 0.33, look(i, 0.88, 0.33));
  for (int i = 0; i < 60; ++i) look(i, 0, 0);
  for (int i = 0; i < 60; ++i) TEST_ASSERT_TRUE(look(i, 0.88, 1) > 0.95);  // and stays so
  TEST_ASSERT_TRUE(look(0, 0, 0) < 0.05);
  for (int i = 0; i < 600; ++i)  // twenty seconds of fog rolling in
    TEST_ASSERT_TRUE(look(i, 0.7 * i / 600, 1) < 0.3);
}

/// What a car may turn through: a street of many edges, and beside it a wall with few. The camera
/// sees a part of it, moved by whole pixels, and smeared by its exposure in a turn.
class Panorama {
 public:
  static constexpr int kWidth = 320, kHeight = 200;
  explicit Panorama(int wall_from) : pixels_(std::size_t{kAll} * kHeight) {
    std::mt19937 random{7};
    std::vector<int> front(kAll / 24 + 1);  // of another brightness every 24 pixels
    for (int& f : front) f = static_cast<int>(random() % 70) + 70;
    std::vector<int> bricks(std::size_t{kAll / 3} * (kHeight / 3 + 1));
    for (int& b : bricks) b = static_cast<int>(random() % 60);
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kAll; ++x) {
        const int brick = bricks[static_cast<std::size_t>(y / 3 * (kAll / 3) + x / 3)];
        pixels_[static_cast<std::size_t>(y * kAll + x)] = static_cast<std::uint8_t>(
            front[static_cast<std::size_t>(x / 24)] + (x < wall_from ? brick : y / 10));
      }
  }
  /// `mud`: how much of the contrast is lost; `smear`: pixels to the side that are averaged.
  [[nodiscard]] std::vector<std::uint8_t> seen(double left, double mud, int smear,
                                               int noise) const {
    std::vector<std::uint8_t> out(std::size_t{kWidth} * kHeight);
    const int from = static_cast<int>(left);
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        int sum = 0;
        for (int i = 0; i <= smear; ++i)
          sum += pixels_[static_cast<std::size_t>(y * kAll + from + x + i)];
        const double value = (1 - mud) * sum / (smear + 1) + mud * 70;
        out[static_cast<std::size_t>(y * kWidth + x)] =
            static_cast<std::uint8_t>(value + (x * 7 + y * 13 + noise * 29) % 3);
      }
    return out;
  }

 private:
  static constexpr int kAll = 1200;
  std::vector<std::uint8_t> pixels_;
};

/// Stands for 3 s, turns by 60 degrees in two seconds as into a side street (half of the view a
/// second, after half a second of beginning), and stands again.
struct Turn {
  static constexpr double kRate = 30, kBegins = 3, kEnds = 5.5;
  double left = 0, speed = 0;  // pixels, pixels per second
  void step(double t) {
    const double wanted = t >= kBegins && t < kEnds ? 160 : 0;
    speed += std::clamp(wanted - speed, -320 / kRate, 320 / kRate);
    left += speed / kRate;
  }
};

TEST(a_turn_towards_something_plain_is_no_dirt) {
  for (const bool smears : {false, true}) {
    const Panorama street{350};
    ImageCheck check;
    Turn turn;
    double longest = 0, most = 0, lasts = 0;
    for (int i = 0; i < 9 * 30; ++i) {
      const double t = i / Turn::kRate;
      turn.step(t);
      const int smear = smears ? static_cast<int>(0.03 * turn.speed) : 0;  // 30 ms of exposure
      const auto picture = street.seen(turn.left, 0, smear, i);
      const double dull = check
                              .update(view(picture, Panorama::kWidth),
                                      seconds{1} + Nanos{static_cast<std::int64_t>(t * 1e9)})
                              .dull;
      most = std::max(most, dull);
      lasts = dull >= 0.5 ? lasts + 1 / Turn::kRate : 0;
      longest = std::max(longest, lasts);
    }
    std::printf("smears %d: at most %.0f %% dull, over half for %.2f s\n", smears, 100 * most,
                longest);
    TEST_ASSERT_TRUE(turn.left > 300);
    TEST_ASSERT_TRUE(longest < 0.2);  // 0.25 s would be told
  }
}

TEST(dirt_is_told_in_a_turn_and_after_it) {
  for (const double at : {1.0, 3.2, 4.0, 6.0}) {  // before, in and after the turn
    const Panorama street{1200};
    ImageCheck check;
    Turn turn;
    for (int i = 0; i < 10 * 30; ++i) {
      const double t = i / Turn::kRate;
      turn.step(t);
      const double mud = t >= at && t < at + 1.5 ? 0.85 : 0;
      const auto picture = street.seen(turn.left, mud, 0, i);
      const double dull = check
                              .update(view(picture, Panorama::kWidth),
                                      seconds{1} + Nanos{static_cast<std::int64_t>(t * 1e9)})
                              .dull;
      char what[64];
      std::snprintf(what, sizeof what, "dirt at %.1f s, at %.2f s: %.2f", at, t, dull);
      if (mud > 0) TEST_ASSERT_TRUE_MESSAGE(dull > 0.8, what);
      if (t < at || t > at + 1.7) TEST_ASSERT_TRUE_MESSAGE(dull < 0.5, what);
    }
  }
}

}  // namespace
