// SPDX-License-Identifier: Apache-2.0
// Flow fields as files, their errors, their colours. OpenCV, which reads and writes .flo files too,
// is the judge of ours.
#include <algorithm>
#include <cmath>
#include <limits>
#include <opencv2/video/tracking.hpp>
#include <string>

#include "gpu/flow/flow.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"
#include "tools/flow/colours.hpp"
#include "tools/flow/errors.hpp"
#include "tools/flow/flo_file.hpp"

namespace {

using namespace kerb;
using namespace kerb::lab;
using kerb::test::TempFolder;

Field made_field(int width, int height) {
  Field field{width, height};
  for (std::size_t i = 0; i < field.size(); ++i) {
    field.u[i] = 0.25F * static_cast<float>(i) - 3;
    field.v[i] = 7 - 1.5F * static_cast<float>(i % 11);
  }
  return field;
}

TEST(what_we_write_opencv_reads) {
  const TempFolder folder;
  const Field field = made_field(7, 5);
  const cv::Mat read = cv::readOpticalFlow(folder.write("a.flo", to_flo(field)));
  TEST_ASSERT_EQUAL_INT(7, read.cols);
  TEST_ASSERT_EQUAL_INT(5, read.rows);
  for (int i = 0; i < 35; ++i) {
    const auto vector = read.at<cv::Point2f>(i / 7, i % 7);
    TEST_ASSERT_EQUAL_FLOAT(field.u[static_cast<std::size_t>(i)], vector.x);
    TEST_ASSERT_EQUAL_FLOAT(field.v[static_cast<std::size_t>(i)], vector.y);
  }
}

TEST(what_opencv_writes_we_read) {
  const TempFolder folder;
  cv::Mat flow(3, 4, CV_32FC2);
  for (int i = 0; i < 12; ++i)
    flow.at<cv::Point2f>(i / 4, i % 4) = {static_cast<float>(i), -0.125F * static_cast<float>(i)};
  const std::string path = folder.at("b.flo");
  TEST_ASSERT_TRUE(cv::writeOpticalFlow(path, flow));
  const Result<Field> field = read_flo(path);
  TEST_ASSERT_OK(field);
  TEST_ASSERT_EQUAL_INT(4, field->width);
  TEST_ASSERT_EQUAL_INT(3, field->height);
  for (std::size_t i = 0; i < 12; ++i) {
    TEST_ASSERT_EQUAL_FLOAT(static_cast<float>(i), field->u[i]);
    TEST_ASSERT_EQUAL_FLOAT(-0.125F * static_cast<float>(i), field->v[i]);
  }
}

TEST(damaged_files_are_named) {
  const TempFolder folder;
  const std::string whole = to_flo(made_field(4, 4));
  struct Case {
    const char* name;
    std::string bytes;
    const char* part;
  };
  for (const Case& c :
       {Case{"none.flo", "", "PIEH"}, Case{"png.flo", "\x89PNG\r\n\x1a\n....", "PIEH"},
        Case{"head.flo", whole.substr(0, 11), "PIEH"},
        Case{"cut.flo", whole.substr(0, whole.size() - 1), "8 bytes a pixel"},
        Case{"more.flo", whole + "x", "8 bytes a pixel"},
        Case{"no-pixels.flo", std::string{"PIEH\xff\xff\0\0\xff\xff\0\0", 12}, "8 bytes a pixel"},
        Case{"huge.flo", std::string{"PIEH\0\0\0\x10\0\0\0\x10", 12}, "1..65535"},
        Case{"zero.flo", std::string{"PIEH\0\0\0\0\1\0\0\0", 12}, "1..65535"}}) {
    const Result<Field> field = read_flo(folder.write(c.name, c.bytes));
    TEST_ASSERT_FALSE_MESSAGE(field, c.name);
    const std::string text = describe(field.error());
    TEST_ASSERT_TRUE_MESSAGE(text.find(c.part) != std::string::npos, text.c_str());
    TEST_ASSERT_TRUE_MESSAGE(text.find(c.name) != std::string::npos, text.c_str());
  }
  TEST_ASSERT_ERROR(Errc::not_found, read_flo(folder.at("nothing.flo")));
}

TEST(errors_are_those_counted_by_hand) {
  Field truth{4, 1}, field{4, 1};
  truth.u = {0, 1, kUnknownFlow, 0};
  truth.v = {0, 0, kUnknownFlow, 0};
  field.u = {3, 1, 99, 0};
  field.v = {4, 0, 99, 2};
  const Result<FlowErrors> errors = flow_errors(field, truth);
  TEST_ASSERT_OK(errors);
  TEST_ASSERT_EQUAL_size_t(3, errors->pixels);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, (5.0 + 0 + 2) / 3, errors->end_point);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2.0 / 3, errors->over_one);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1.0 / 3, errors->over_three);
  // Angles between (3,4,1) and (0,0,1), none, and (0,2,1) and (0,0,1).
  const double degrees = 180 / 3.14159265358979323846;
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, (std::atan(5.0) + std::atan(2.0)) * degrees / 3, errors->angular);
}

TEST(a_vector_that_is_no_number_is_infinitely_wrong) {
  const Field truth{2, 1};
  Field field{2, 1};
  field.u[1] = std::numeric_limits<float>::quiet_NaN();
  const Result<FlowErrors> errors = flow_errors(field, truth);
  TEST_ASSERT_OK(errors);
  TEST_ASSERT_TRUE(errors->end_point > std::numeric_limits<double>::max());
}

TEST(fields_that_cannot_be_compared_are_refused) {
  TEST_ASSERT_ERROR(Errc::invalid_argument, flow_errors(Field{2, 3}, Field{3, 2}));
  Field nothing{2, 2};
  std::fill(nothing.u.begin(), nothing.u.end(), kUnknownFlow);
  TEST_ASSERT_ERROR(Errc::invalid_argument, flow_errors(Field{2, 2}, nothing));
}

TEST(flagged_and_doubtful_vectors_are_dropped_first) {
  const Field truth{10, 2};
  Field field{10, 2};
  field.quality.resize(20);
  field.flags.resize(20);
  for (std::size_t i = 0; i < 20; ++i) {
    field.u[i] = static_cast<float>(i);  // the error
    field.quality[i] = static_cast<std::uint8_t>(255 - i);
    field.flags[i] = flow::kValid;
  }
  // The best one by quality is not valid: it must count as the worst.
  field.u[0] = 100;
  field.flags[0] = flow::kTexturePoor;
  const Result<std::vector<CoveragePoint>> curve = coverage_curve(field, truth);
  TEST_ASSERT_OK(curve);
  TEST_ASSERT_EQUAL_size_t(20, curve->size());
  for (const CoveragePoint& point : *curve) {
    const auto kept = static_cast<int>(std::lround(point.coverage * 20));
    double sum = kept == 20 ? 100 : 0;
    for (int i = 1; i <= std::min(kept, 19); ++i) sum += i;
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, sum / kept, point.end_point);
  }
  Result<FlowErrors> errors = flow_errors(field, truth);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.95, errors->valid_share);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 10, errors->valid_error);
  TEST_ASSERT_EQUAL_size_t(0, coverage_curve(truth, truth)->size());
  field.flags[0] = flow::kMaskedOut;  // not asked for: does not count at all
  errors = flow_errors(field, truth);
  TEST_ASSERT_EQUAL_size_t(19, errors->pixels);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 10, errors->end_point);
}

TEST(equal_qualities_count_in_proportion) {
  const Field truth{4, 1};
  Field field{4, 1};
  field.u = {0, 1, 2, 5};
  field.quality.assign(4, 7);
  const Result<std::vector<CoveragePoint>> curve = coverage_curve(field, truth);
  for (const CoveragePoint& point : *curve) TEST_ASSERT_DOUBLE_WITHIN(1e-9, 2, point.end_point);
}

void expect_colour(double u, double v, int r, int g, int b) {
  const Rgb colour = flow_colour(u, v);
  TEST_ASSERT_INT_WITHIN(1, r, colour[0]);
  TEST_ASSERT_INT_WITHIN(1, g, colour[1]);
  TEST_ASSERT_INT_WITHIN(1, b, colour[2]);
}

TEST(colours_are_middleburys) {
  expect_colour(0, 0, 255, 255, 255);
  expect_colour(1, 0, 255, 0, 0);     // right: the wheel's first colour
  expect_colour(-1, 0, 0, 209, 255);  // left: its 28th, the third from cyan towards blue
  expect_colour(0.5, 0, 255, 127, 127);
  expect_colour(2, 0, 191, 0, 0);  // longer than full: darkened
}

TEST(drawings_leave_unknown_vectors_black_and_have_a_wheel) {
  Field field{2, 1};
  field.u = {3, kUnknownFlow};
  TEST_ASSERT_EQUAL_DOUBLE(3, longest(field));
  TEST_ASSERT_EQUAL_DOUBLE(1, longest(Field{2, 2}));
  const std::vector<std::uint8_t> drawn = draw_field(field, 3);
  TEST_ASSERT_EQUAL_size_t(6, drawn.size());
  TEST_ASSERT_EQUAL_UINT8(255, drawn[0]);
  for (std::size_t i = 3; i < 6; ++i) TEST_ASSERT_EQUAL_UINT8(0, drawn[i]);
  const std::vector<std::uint8_t> wheel = draw_wheel(21, {1, 2, 3});
  TEST_ASSERT_EQUAL_size_t(std::size_t{3} * 21 * 21, wheel.size());
  TEST_ASSERT_EQUAL_UINT8(1, wheel[0]);  // outside
  for (std::size_t c = 0; c < 3; ++c)    // the middle
    TEST_ASSERT_EQUAL_UINT8(255, wheel[3 * (10 * 21 + 10) + c]);
}

}  // namespace
