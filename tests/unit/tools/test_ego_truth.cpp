// SPDX-License-Identifier: Apache-2.0
// kerblab ego on recordings: what stands is not said to move, who walks across the view is.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/tools/kerblab_program.hpp"

namespace fs = std::filesystem;

namespace {

fs::path g_folder;

}  // namespace

SET_UP() { g_folder = kerb::test::make_temp_folder(); }
TEAR_DOWN() { fs::remove_all(g_folder); }

namespace {

using Json = nlohmann::json;
using namespace kerb::test;

constexpr double kPersonHeight = 1.7;

fs::path videos() {
  const char* set = std::getenv("KERB_DATA");
  return fs::path{set != nullptr ? set : KERB_DATA_DEFAULT} / "video";
}

std::vector<Json> run(const std::string& arguments) {
  expect_done(run_kerblab(
      g_folder, "ego --backend cpu --threads 2 --method points --json o.jsonl " + arguments));
  std::vector<Json> lines;
  std::ifstream in{g_folder / "o.jsonl"};
  for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
  return lines;
}

struct Verdicts {
  int moving = 0, standing = 0, unknown = 0;
  void add(const std::string& verdict) {
    ++(verdict == "moving" ? moving : verdict == "standing" ? standing : unknown);
  }
  [[nodiscard]] int all() const { return moving + standing + unknown; }
};

/// Of each region, the verdicts by the speed of its own box, in a picture whose camera stands.
struct BySpeed {
  Verdicts fast, slow;  // over 0.6 m/s, under 0.25 m/s
};
BySpeed by_speed(const std::vector<Json>& lines, double rate) {
  BySpeed out;
  std::map<int, std::pair<int, Json>> before;
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (const Json& region : lines[i]["regions"]) {
      const int id = region["id"].get<int>();
      const auto last = before.find(id);
      if (last != before.end() && last->second.first + 1 == static_cast<int>(i)) {
        const Json& b = last->second.second;
        const auto mid = [](const Json& r, const char* at, const char* size) {
          return r[at].get<double>() + r[size].get<double>() / 2;
        };
        const double px = std::hypot(mid(region, "x", "w") - mid(b, "x", "w"),
                                     mid(region, "y", "h") - mid(b, "y", "h"));
        const double speed = px * rate * kPersonHeight / region["h"].get<double>();
        if (speed > 0.6) out.fast.add(region["verdict"].get<std::string>());
        if (speed < 0.25) out.slow.add(region["verdict"].get<std::string>());
      }
      before[id] = {static_cast<int>(i), region};
    }
  return out;
}

/// The same boxes in each of these frames.
void write_boxes(int first, int last, const std::vector<std::string>& boxes) {
  std::ofstream out{g_folder / "boxes.txt"};
  for (int frame = first; frame <= last; ++frame)
    for (std::size_t i = 0; i < boxes.size(); ++i)
      out << frame << ',' << i + 1 << ',' << boxes[i] << ",1\n";
}

std::vector<Verdicts> of_boxes(const std::vector<Json>& lines, std::size_t count) {
  std::vector<Verdicts> out(count);
  for (std::size_t i = 1; i < lines.size(); ++i)
    for (const Json& region : lines[i]["regions"])
      out[region["id"].get<std::size_t>() - 1].add(region["verdict"].get<std::string>());
  return out;
}

std::string kitti() {
  return "--camera-stands --focal 711 --center 600 170 --height 1.65 --rate 10 --boxes ";
}
std::string kitti_frames() { return " " + (videos() / "KITTI-17/img1/0000[0-5]?.jpg").string(); }

TEST(walkers_before_a_standing_car_move_and_who_stands_mostly_does_not) {
  const std::vector<Json> lines =
      run(kitti() + (videos() / "KITTI-17/gt/gt.txt").string() + kitti_frames());
  TEST_ASSERT_EQUAL_INT(59, int(lines.size()));
  for (std::size_t i = 1; i < lines.size(); ++i) {
    TEST_ASSERT_EQUAL_STRING("valid", lines[i]["state"].get<std::string>().c_str());
    TEST_ASSERT_EQUAL_STRING("none", lines[i]["travel"].get<std::string>().c_str());
  }
  const BySpeed seen = by_speed(lines, 10);
  std::printf("over 0.6 m/s: %d moving, %d standing, %d unknown; under 0.25 m/s: %d, %d, %d\n",
              seen.fast.moving, seen.fast.standing, seen.fast.unknown, seen.slow.moving,
              seen.slow.standing, seen.slow.unknown);
  TEST_ASSERT_TRUE(seen.fast.all() > 50);
  TEST_ASSERT_TRUE(seen.fast.moving >= seen.fast.all() * 9 / 10);
  TEST_ASSERT_TRUE(seen.fast.standing <= seen.fast.all() / 50);
}

TEST(what_is_parked_and_built_stands) {
  write_boxes(1, 59, {"5,100,235,260", "480,30,120,100"});  // a van, a house
  const std::vector<Verdicts> seen = of_boxes(run(kitti() + "boxes.txt" + kitti_frames()), 2);
  for (const Verdicts& thing : seen) {
    std::printf("%d moving, %d standing, %d unknown\n", thing.moving, thing.standing,
                thing.unknown);
    TEST_ASSERT_EQUAL_INT(58, thing.all());
    TEST_ASSERT_EQUAL_INT(0, thing.moving);
    TEST_ASSERT_TRUE(thing.standing >= 52);
  }
}

TEST(from_a_bus_that_drives_a_taxi_at_the_lights_does_not_move) {
  write_boxes(40, 79, {"672,290,70,45"});
  const std::vector<Json> lines =
      run("--focal 650 --height 3 --rate 25 --width 960 --boxes boxes.txt " +
          (videos() / "MOT16-13_half_1-120/img1/0000[4-7]?.jpg").string());
  for (std::size_t i = 1; i < lines.size(); ++i)
    TEST_ASSERT_EQUAL_STRING("forward", lines[i]["travel"].get<std::string>().c_str());
  const Verdicts taxi = of_boxes(lines, 1)[0];
  std::printf("%d moving, %d standing, %d unknown\n", taxi.moving, taxi.standing, taxi.unknown);
  TEST_ASSERT_EQUAL_INT(39, taxi.all());
  TEST_ASSERT_TRUE(taxi.moving <= 2);
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  if (!fs::exists(videos() / "KITTI-17")) {
    std::printf("skipped: no videos at %s: set KERB_DATA\n", videos().c_str());
    return Start::skip;
  }
  return Start::run;
}
