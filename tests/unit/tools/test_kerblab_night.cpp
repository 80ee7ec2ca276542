// SPDX-License-Identifier: Apache-2.0
// kerblab night as a person meets it.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/test.hpp"
#include "tests/unit/tools/kerblab_folder.hpp"
#include "tools/bench/street.hpp"

namespace {

using Json = nlohmann::json;
using namespace kerb::test;

constexpr int kWidth = 160, kHeight = 120;

/// A part of one large street, so that several of them are a film that pans by whole pixels.
void cut_out(const std::string& name, int x, double brightness) {
  static const std::vector<std::uint8_t> street = kerb::bench::street_picture(400, 200);
  const cv::Mat whole{200, 400, CV_8UC1, const_cast<std::uint8_t*>(street.data())};
  cv::Mat grey, bgr;
  whole(cv::Rect{x, 40, kWidth, kHeight}).convertTo(grey, CV_8U, brightness);
  cv::merge(std::vector<cv::Mat>{grey, grey, grey}, bgr);
  TEST_ASSERT_TRUE(cv::imwrite((g_folder / name).string(), bgr));
}

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> out;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) out.push_back(Json::parse(line));
  return out;
}

double mean_of(const std::string& name) {
  const cv::Mat picture = cv::imread((g_folder / name).string());
  TEST_ASSERT_FALSE(picture.empty());
  const cv::Scalar mean = cv::mean(picture);
  return (mean[0] + mean[1] + mean[2]) / 3;
}

TEST(dark_pictures_are_brightened_and_bright_ones_are_not_touched) {
  cut_out("day.png", 20, 1);
  cut_out("dark.png", 20, 0.15);
  const Outcome o =
      kerblab("night --brighten --target 60 --gain 8 --out b --json - day.png dark.png");
  expect_done(o);
  const std::vector<Json> lines = lines_of(o.out);
  TEST_ASSERT_EQUAL_size_t(2, lines.size());
  TEST_ASSERT_EQUAL_DOUBLE(1, lines[0]["gain"].get<double>());
  TEST_ASSERT_TRUE(lines[1]["gain"].get<double>() > 2);
  const cv::Mat before = cv::imread((g_folder / "day.png").string());
  const cv::Mat after = cv::imread((g_folder / "b/day.png").string());
  TEST_ASSERT_EQUAL_DOUBLE(0, cv::norm(before, after, cv::NORM_INF));
  TEST_ASSERT_TRUE(mean_of("b/dark.png") > 2 * mean_of("dark.png"));
}

TEST(a_noisy_film_comes_nearer_to_the_truth) {
  std::string film;
  for (int i = 0; i < 8; ++i) {
    const std::string name = "f" + std::to_string(i) + ".png";
    cut_out(name, 20 + 2 * i, 0.3);
    film += name + "\n";
  }
  std::ofstream{g_folder / "film.txt"} << film;
  const std::string command =
      "night --smooth --noise-floor 36 --noise-slope 0 --add-noise 36 --truth @film.txt --json ";
  const Outcome with = kerblab(command + "- @film.txt");
  expect_done(with);
  const std::vector<Json> lines = lines_of(with.out);
  TEST_ASSERT_EQUAL_size_t(8, lines.size());
  TEST_ASSERT_FALSE(lines[0]["kept"].get<bool>());
  TEST_ASSERT_TRUE(lines[7]["kept"].get<bool>());
  TEST_ASSERT_DOUBLE_WITHIN(0.5, 32.6, lines[7]["psnr_before_db"].get<double>());
  TEST_ASSERT_TRUE(lines[7]["psnr_db"].get<double>() >
                   lines[7]["psnr_before_db"].get<double>() + 2);
  // Without flow less of it is followed.
  const Outcome without = kerblab(command + "a.jsonl --no-flow @film.txt");
  expect_done(without);
  TEST_ASSERT_TRUE(without.out.find("8 pictures, smoothed (") != std::string::npos);
  TEST_ASSERT_TRUE(without.out.find("PSNR ") != std::string::npos);
}

TEST(a_dark_street_is_seen_less_far_than_a_bright_one) {
  const cv::Mat bright{720, 1280, CV_8UC3, cv::Scalar{120, 120, 120}};
  const cv::Mat dark{720, 1280, CV_8UC3, cv::Scalar{5, 5, 5}};
  cv::imwrite((g_folder / "bright.png").string(), bright);
  cv::imwrite((g_folder / "dark.png").string(), dark);
  const Outcome o =
      kerblab("visibility --fov 60 --height 1.3 --bumper 1.7 --bands bright.png dark.png");
  expect_done(o);
  const std::vector<Json> lines = lines_of(o.out);
  TEST_ASSERT_EQUAL_size_t(2, lines.size());
  TEST_ASSERT_EQUAL_STRING("size", lines[0]["limit"].get<std::string>().c_str());
  TEST_ASSERT_DOUBLE_WITHIN(0.1, 45.4, lines[0]["distance_m"].get<double>());
  TEST_ASSERT_EQUAL_STRING("light", lines[1]["limit"].get<std::string>().c_str());
  TEST_ASSERT_TRUE(lines[1]["distance_m"].get<double>() < 20);
  TEST_ASSERT_EQUAL_DOUBLE(5, lines[1]["bands"][0]["level"].get<double>());
  expect_bad_input(kerblab("visibility"), "");
  expect_bad_input(kerblab("visibility none.png"), "none.png");
  expect_bad_input(kerblab("visibility --ratio 0 dark.png"), "ratio");
  expect_bad_input(kerblab("visibility --json dark.png dark.png"), "dark.png");
}

TEST(bad_input_is_one_line_and_leaves_nothing) {
  cut_out("a.png", 20, 0.3);
  expect_bad_input(kerblab("night"), "");
  expect_bad_input(kerblab("night --brighten none.png"), "none.png");
  expect_bad_input(kerblab("night --brighten --target 0 a.png"), "target");
  expect_bad_input(kerblab("night --smooth --strength 1 a.png"), "strength");
  expect_bad_input(kerblab("night --brighten --truth a.png a.png a.png"), "--truth");
  expect_bad_input(kerblab("night --brighten --json a.png a.png"), "a.png");
  expect_bad_input(kerblab("night --brighten --out . a.png"), "a.png");
  cv::imwrite((g_folder / "small.png").string(), cv::Mat{64, 64, CV_8UC3, cv::Scalar{9, 9, 9}});
  expect_bad_input(kerblab("night --smooth --out o a.png small.png"), "small.png");
  TEST_ASSERT_FALSE(fs::exists(g_folder / "o"));
}

}  // namespace
