// SPDX-License-Identifier: Apache-2.0
// kerblab train crops: who is cut out of a picture, and how.
#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "tests/support/test.hpp"
#include "tests/unit/tools/kerblab_folder.hpp"

namespace {

using kerb::test::expect_bad_input;
using kerb::test::expect_done;

void write(const std::string& name, const std::string& text) {
  std::ofstream{g_folder / name} << text;
}

/// Three people as bars: one of 192 rows, one of 96, one of 60; grey around.
void make_street() {
  cv::Mat street(400, 600, CV_8UC3, cv::Scalar::all(100));
  cv::rectangle(street, cv::Rect(100, 120, 60, 192), cv::Scalar(0, 0, 255), cv::FILLED);
  cv::rectangle(street, cv::Rect(300, 150, 30, 96), cv::Scalar(0, 255, 0), cv::FILLED);
  cv::rectangle(street, cv::Rect(500, 150, 20, 60), cv::Scalar(255, 0, 0), cv::FILLED);
  TEST_ASSERT_TRUE(cv::imwrite((g_folder / "street.png").string(), street));
  write("street.csv",
        "street.png,100,120,60,192\nstreet.png,300,150,30,96\nstreet.png,500,150,20,60\n"
        "street.png,580,100,40,100\n");  // the last one leaves the picture
}

/// Where the pixels of one colour are: rows and columns of the crop.
cv::Rect bounds_of(const cv::Mat& crop, int channel) {
  cv::Mat planes[3], bright;
  cv::split(crop, planes);
  cv::threshold(planes[channel], bright, 180, 255, cv::THRESH_BINARY);
  return cv::boundingRect(bright);
}

TEST(people_stand_in_the_middle_96_high) {
  make_street();
  const auto o = kerblab("train crops --images street.png --truth street.csv --out people");
  expect_done(o);
  TEST_ASSERT_TRUE(o.out.find("2 crops of 2 people") != std::string::npos);
  TEST_ASSERT_EQUAL_INT(2, kerb::test::file_count(g_folder / "people"));
  const cv::Mat tall = cv::imread((g_folder / "people/00000.png").string());
  TEST_ASSERT_EQUAL_INT(96, tall.cols);
  TEST_ASSERT_EQUAL_INT(160, tall.rows);
  const cv::Rect red = bounds_of(tall, 2),
                 green = bounds_of(cv::imread((g_folder / "people/00001.png").string()), 1);
  TEST_ASSERT_INT_WITHIN(1, 32, red.y);
  TEST_ASSERT_INT_WITHIN(1, 96, red.height);
  TEST_ASSERT_INT_WITHIN(1, 33, red.x);
  TEST_ASSERT_INT_WITHIN(1, 30, red.width);
  TEST_ASSERT_INT_WITHIN(1, 32, green.y);
  TEST_ASSERT_INT_WITHIN(1, 96, green.height);
}

TEST(smaller_ones_and_every_second) {
  make_street();
  expect_done(
      kerblab("train crops --images street.png --truth street.csv --out all --min-height 50"));
  TEST_ASSERT_EQUAL_INT(3, kerb::test::file_count(g_folder / "all"));
  expect_done(kerblab(
      "train crops --images street.png --truth street.csv --out some --min-height 50 --every 2"));
  TEST_ASSERT_EQUAL_INT(2, kerb::test::file_count(g_folder / "some"));
}

TEST(boxes_too_wide_or_too_narrow_are_left_out) {
  make_street();
  expect_bad_input(kerblab("train crops --images street.png --truth street.csv --out people "
                           "--max-aspect 0.1"),
                   "no person is complete");
  expect_bad_input(kerblab("train crops --images street.png --truth street.csv --out people "
                           "--min-aspect 0.9"),
                   "no person is complete");
  expect_done(
      kerblab("train crops --images street.png --truth street.csv --out people "
              "--min-aspect 0.1 --max-aspect 0.9"));
  TEST_ASSERT_EQUAL_INT(2, kerb::test::file_count(g_folder / "people"));
}

TEST(what_cannot_be_is_said_and_nothing_is_written) {
  make_street();
  const std::string data = "train crops --images street.png --truth street.csv --out people ";
  expect_bad_input(kerblab(data + "--min-height 300"), "no person is complete");
  expect_bad_input(kerblab(data + "--min-height nan"), "--min-height");
  write("other.csv", "elsewhere.png,1,2,30,90\n");
  expect_bad_input(kerblab("train crops --images street.png --truth other.csv --out people"),
                   "contains none of the given pictures");
  write("street.png", "no picture");
  expect_bad_input(kerblab(data), "street.png");
  TEST_ASSERT_FALSE(fs::exists(g_folder / "people"));
}

}  // namespace
