// SPDX-License-Identifier: Apache-2.0
// The probability of contact against plain sampling: 100,000 futures drawn from all that is
// doubtful, each walked and driven in steps of a fiftieth of a second. (20,000 with --some.)
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "firmware/risk/contact.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/risk/people.hpp"

using namespace kerb;
using kerb::risk::CarPath;
using kerb::risk::CarShape;
using kerb::test::driven;
using kerb::test::somebody;

namespace {

constexpr double kTolerance = 0.05;  // as contact.hpp promises
constexpr double kStep = 0.02, kHorizon = 4, kRadius = 0.3;
int samples = 100000;

/// The lower triangle L with L L^T the covariance.
std::array<double, 16> root_of(const std::array<double, 16>& c) {
  std::array<double, 16> l{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = c[4 * i + j];
      for (std::size_t k = 0; k < j; ++k) sum -= l[4 * i + k] * l[4 * j + k];
      l[4 * i + j] = i == j ? std::sqrt(std::max(sum, 0.0)) : (l[5 * j] > 0 ? sum / l[5 * j] : 0);
    }
  return l;
}

/// The pose on a way after t seconds, between its knots.
risk::PathKnot pose_at(const risk::CarWay& way, double t) {
  const auto i =
      std::min(static_cast<std::size_t>(t / risk::CarWay::kStep_s), way.knots.size() - 2);
  const double share = t / risk::CarWay::kStep_s - static_cast<double>(i);
  const risk::PathKnot &a = way.knots[i], &b = way.knots[i + 1];
  const auto mix = [share](double from, double to) { return from + share * (to - from); };
  return {mix(a.x, b.x),
          mix(a.y, b.y),
          mix(a.cos, b.cos),
          mix(a.sin, b.sin),
          mix(a.speed, b.speed),
          mix(a.sigma_along, b.sigma_along),
          mix(a.sigma_across, b.sigma_across)};
}

/// Nobody is taken for one who walks along the road: test_along_road.cpp has those.
risk::ContactSettings any_way() {
  risk::ContactSettings settings;
  settings.pace.along_share = 0;
  return settings;
}

double sampled(const track::Person& person, const CarPath& path, const risk::PaceShares& shares) {
  const CarShape car;
  std::vector<std::vector<risk::PathKnot>> ways;
  for (const risk::CarWay& way : path.ways()) {
    ways.emplace_back();
    for (int i = 0; i * kStep <= kHorizon; ++i) ways.back().push_back(pose_at(way, i * kStep));
  }
  const std::array<double, 16> root = root_of(person.covariance);
  const double mean_speed = std::hypot(person.vx_mps, person.vy_mps);
  std::mt19937 random{4711};
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  int hits = 0;
  for (int n = 0; n < samples; ++n) {
    std::array<double, 4> z{}, s{person.x_m, person.y_m, person.vx_mps, person.vy_mps};
    for (double& value : z) value = normal(random);
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j <= i; ++j) s[i] += root[4 * i + j] * z[j];
    const double car_along = normal(random), car_across = normal(random);
    const double draw = uniform(random);
    const bool stops = draw < shares.stops;
    const bool faster = !stops && draw < shares.stops + shares.speeds_up;
    const double stops_in = 2 * risk::PaceSettings{}.stopping_distance_m / mean_speed;
    std::size_t way = 0;
    for (double left = uniform(random); way + 1 < ways.size(); ++way)
      if ((left -= path.ways()[way].share) < 0) break;
    double x = s[0], y = s[1], gain = 0;
    for (std::size_t i = 0; i < ways[way].size(); ++i) {
      const risk::PathKnot& f = ways[way][i];
      const double dx = x - f.x, dy = y - f.y;
      const double ahead = dx * f.cos + dy * f.sin - car_along * f.sigma_along;
      const double left = dy * f.cos - dx * f.sin - car_across * f.sigma_across;
      const double nearest_x =
          std::clamp(ahead, car.axle_to_bumper_m - car.length_m, car.axle_to_bumper_m);
      const double nearest_y = std::clamp(left, -car.width_m / 2, car.width_m / 2);
      if (std::hypot(ahead - nearest_x, left - nearest_y) <= kRadius && std::abs(f.speed) >= 0.3) {
        ++hits;
        break;
      }
      const double t = (static_cast<double>(i) + 0.5) * kStep;
      const double share = stops ? std::max(0.0, 1 - t / stops_in) : 1;
      if (faster)
        gain = std::min(gain + shares.speed_up_mps2 * kStep,
                        shares.fastest_mps - std::abs(person.vy_mps));
      const double uy = person.vy_mps < 0 ? -1 : 1;  // they speed up across the car's way
      x += s[2] * share * kStep;
      y += (s[3] * share + uy * gain) * kStep;
    }
  }
  return static_cast<double>(hits) / samples;
}

/// Place and velocity as a filter has them: who is further than thought is also faster.
track::Person correlated(track::Person person, double share) {
  const double place = std::sqrt(person.covariance[0]), speed = std::sqrt(person.covariance[10]);
  for (const std::size_t at : {std::size_t{2}, std::size_t{7}, std::size_t{8}, std::size_t{13}})
    person.covariance[at] = share * place * speed;
  return person;
}

struct Case {
  const char* name;
  track::Person person;
  CarPath path;
};

TEST(the_probability_is_that_of_sampling) {
  const Case cases[] = {
      {"crosses at the centre", somebody(23.6, -2.8, 0, 1.4), driven(10)},
      {"crosses, hardly known", somebody(23.6, -2.8, 0, 1.4, 0.5, 0.6), driven(10)},
      {"crosses at the corner", somebody(23.6, -3.9, 0, 1.4, 0.15, 0.2), driven(10)},
      {"runs across from the left", somebody(30, 6, 0, -2.2, 0.3, 0.4), driven(12)},
      {"stands at the kerb", somebody(20, -2.2, 0, 0, 0.2, 0.4), driven(8)},
      {"along the pavement", somebody(25, -2.7, -1.4, 0, 0.2, 0.3), driven(10)},
      {"walks ahead", somebody(45, -0.45, 1.4, 0, 0.8, 0.5), driven(20)},
      {"just seen, velocity unknown", somebody(14, -1.8, 0, 0.3, 0.2, 1.0), driven(10)},
      {"in a bend", somebody(17, 3, -0.5, -1, 0.3, 0.3), driven(8, 0.25)},
      {"outside a bend", somebody(15, 0.3, -1.3, -0.5, 0.3, 0.3), driven(7, 0.2)},
      {"the car brakes", somebody(16, -1, 0, 0.6, 0.3, 0.3), driven(9, 0, -3)},
      {"a filter's covariance", correlated(somebody(23.6, -3.2, 0, 1.2, 0.4, 0.4), 0.6),
       driven(10)},
      {"a filter's, the other way", correlated(somebody(23.6, -3.2, 0.5, 1, 0.4, 0.4), -0.5),
       driven(11, -0.05)},
      {"reversing", somebody(-5, 1.2, 0, -0.5, 0.3, 0.3), driven(-2)},
  };
  double worst = 0;
  for (const Case& c : cases) {
    const double across = std::abs(c.person.vy_mps), sigma = std::sqrt(c.person.covariance[15]);
    const double expected =
        sampled(c.person, c.path, risk::pace_shares({}, across, sigma, across, std::nullopt));
    const double actual = risk::ContactJudge{{}, any_way()}.judge(c.person, c.path).probability;
    std::printf("%-28s sampled %.3f, judged %.3f\n", c.name, expected, actual);
    worst = std::max(worst, std::abs(expected - actual));
  }
  std::printf("worst difference %.3f\n", worst);
  TEST_ASSERT_TRUE(worst <= kTolerance);
}

TEST(it_is_so_for_who_walks_faster_or_slower) {
  for (const double change : {0.6, 1.0, 2.0, -0.6}) {
    risk::ContactJudge judge{{}, any_way()};
    track::PersonList people;
    people.count = 1;
    // As long as the memory needs for the change to be all it sees.
    for (int i = 0; i <= 150; ++i) {
      people.items[0] =
          somebody(23.6, -2.4, 0, std::max(0.0, 0.7 + change * (i - 150) / 30.0), 0.2, 0.25);
      judge.observe(Nanos{std::llround((i + 1) * 1e9 / 30)}, people);
    }
    risk::PaceEstimator paces;
    for (int i = 0; i <= 150; ++i) {
      track::PersonList then;
      then.count = 1;
      then.items[0] = somebody(23.6, -2.4, 0, std::max(0.0, 0.7 + change * (i - 150) / 30.0));
      paces.observe(Nanos{std::llround((i + 1) * 1e9 / 30)}, then);
    }
    const risk::PaceShares shares = risk::pace_shares({}, 0.7, 0.25, 0.7, paces.change_mps2(7));
    TEST_ASSERT_TRUE(change > 0 ? shares.speeds_up > 0.1 : shares.stops > 0.2);
    const double expected = sampled(people.items[0], driven(10), shares);
    const double actual = judge.judge(people.items[0], driven(10)).probability;
    std::printf("changes by %4.1f m/s^2           sampled %.3f, judged %.3f\n", change, expected,
                actual);
    TEST_ASSERT_DOUBLE_WITHIN(kTolerance, expected, actual);
  }
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  if (!words.empty() && words[0] == "--some") samples = 20000;
  return Start::run;
}
