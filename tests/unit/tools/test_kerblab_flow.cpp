// SPDX-License-Identifier: Apache-2.0
// kerblab flow and kerblab eval flow as a person meets them.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <string>

#include "tests/support/test.hpp"
#include "tests/unit/tools/kerblab_folder.hpp"
#include "tools/flow/flo_file.hpp"

namespace {

using Json = nlohmann::json;
using namespace kerb::test;
using kerb::lab::Field;

constexpr int kWidth = 150, kHeight = 110, kRight = 3, kDown = -2;

void write(const std::string& name, const std::string& text) {
  fs::create_directories((g_folder / name).parent_path());
  std::ofstream{g_folder / name, std::ios::binary} << text;
}

/// A part of one large street, so that two of them are one picture moved by whole pixels.
void cut_out(const std::string& name, int x, int y, int width = kWidth, int height = kHeight) {
  static const std::vector<std::uint8_t> street = kerb::bench::street_picture(400, 300);
  fs::create_directories((g_folder / name).parent_path());
  const cv::Mat whole{300, 400, CV_8UC1, const_cast<std::uint8_t*>(street.data())};
  TEST_ASSERT_TRUE(cv::imwrite((g_folder / name).string(), whole(cv::Rect{x, y, width, height})));
}

/// frame10, frame11 and their truth: everything went by (kRight, kDown).
void write_pair(const std::string& folder) {
  cut_out(folder + "/frame10.png", 40, 40);
  cut_out(folder + "/frame11.png", 40 - kRight, 40 - kDown);
  Field truth{kWidth, kHeight};
  std::fill(truth.u.begin(), truth.u.end(), static_cast<float>(kRight));
  std::fill(truth.v.begin(), truth.v.end(), static_cast<float>(kDown));
  write(folder + "/flow10.flo", kerb::lab::to_flo(truth));
}

Field read_field(const std::string& name) {
  const kerb::Result<Field> field = kerb::lab::read_flo((g_folder / name).string());
  TEST_ASSERT_TRUE_MESSAGE(field, name.c_str());
  return *field;
}

constexpr const char* kPair = " p/frame10.png p/frame11.png --backend cpu ";

TEST(help_has_an_example_and_the_methods) {
  for (const char* command : {"flow --help", "eval flow --help"}) {
    const Outcome o = kerblab(command);
    expect_done(o);
    TEST_ASSERT_TRUE_MESSAGE(o.out.find("Example: kerblab ") != std::string::npos, o.out.c_str());
    TEST_ASSERT_TRUE_MESSAGE(o.out.find("opencv-dis-medium") != std::string::npos, o.out.c_str());
  }
}

TEST(both_methods_find_a_shift_and_write_what_was_asked_for) {
  write_pair("p");
  for (const std::string method : {"lk", "ncc", "ssd", "sad"}) {
    const Outcome o = kerblab("flow --method " + method + kPair +
                              "--out f.flo --draw f.png --truth p/flow10.flo --json -");
    expect_done(o);
    const Json report = Json::parse(o.out);
    TEST_ASSERT_EQUAL_STRING(method.c_str(), report["method"].get<std::string>().c_str());
    TEST_ASSERT_TRUE_MESSAGE(report["errors"]["valid_end_point"].get<double>() < 0.05,
                             o.out.c_str());
    TEST_ASSERT_TRUE(report["errors"]["valid_share"].get<double>() > 0.5);
    const Field field = read_field("f.flo");
    const std::size_t middle = std::size_t{kHeight / 2} * kWidth + kWidth / 2;
    TEST_ASSERT_EQUAL_FLOAT(kRight, field.u[middle]);
    TEST_ASSERT_EQUAL_FLOAT(kDown, field.v[middle]);
    const cv::Mat drawn = cv::imread((g_folder / "f.png").string());
    TEST_ASSERT_TRUE(drawn.cols > kWidth && drawn.rows >= kHeight);  // the wheel stands beside it
  }
}

TEST(opencvs_methods_are_there_for_comparison) {
  write_pair("p");
  for (const char* method : {"opencv-dis-fast", "opencv-farneback", "opencv-lk-median"}) {
    expect_done(kerblab(std::string{"flow --method "} + method + kPair + "--out f.flo"));
    const Field field = read_field("f.flo");
    const std::size_t middle = std::size_t{kHeight / 2} * kWidth + kWidth / 2;
    TEST_ASSERT_FLOAT_WITHIN(0.3F, kRight, field.u[middle]);
  }
}

TEST(tiles_and_masks_give_the_vectors_of_the_whole) {
  write_pair("p");
  cv::Mat mask(kHeight, kWidth, CV_8UC1, cv::Scalar{0});
  mask(cv::Rect{60, 30, 40, 30}) = 255;
  TEST_ASSERT_TRUE(cv::imwrite((g_folder / "mask.png").string(), mask));
  for (const std::string method : {"lk", "ncc"}) {
    const std::string common = "flow --method " + method + " --levels 2" + kPair;
    expect_done(kerblab(common + "--out whole.flo"));
    expect_done(kerblab(common + "--tile 64 --out tiled.flo"));
    expect_done(kerblab(common + "--mask mask.png --out part.flo"));
    TEST_ASSERT_TRUE(read(g_folder / "whole.flo") == read(g_folder / "tiled.flo"));
    const Field whole = read_field("whole.flo"), part = read_field("part.flo");
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        const auto i = static_cast<std::size_t>(y) * kWidth + static_cast<std::size_t>(x);
        const bool wanted = mask.at<std::uint8_t>(y, x) != 0;
        TEST_ASSERT_EQUAL_FLOAT(wanted ? whole.u[i] : 0.0F, part.u[i]);
        TEST_ASSERT_EQUAL_FLOAT(wanted ? whole.v[i] : 0.0F, part.v[i]);
      }
  }
}

TEST(tiles_with_a_reach_take_less_memory_and_without_one_the_command_says_so) {
  constexpr int kSide = 560;
  cv::Mat large(kSide, kSide, CV_8UC1);
  cv::randu(large, 0, 256);
  TEST_ASSERT_TRUE(cv::imwrite((g_folder / "a.png").string(), large));
  TEST_ASSERT_TRUE(cv::imwrite((g_folder / "b.png").string(), large));
  for (const std::string method : {"lk", "ncc"}) {
    const std::string common = "flow --method " + method + " a.png b.png --backend cpu --json - ";
    const Outcome whole = kerblab(common), default_tiles = kerblab(common + "--tile 64");
    const Outcome reach = kerblab(common + "--reach 4 --out whole.flo");
    const Outcome tiles = kerblab(common + "--reach 4 --tile 64 --out tiled.flo");
    for (const Outcome* o : {&whole, &default_tiles, &reach, &tiles}) expect_done(*o);
    const auto report = [](const Outcome& o, const char* key) {
      return Json::parse(o.out)[key].get<long>();
    };
    TEST_ASSERT_TRUE_MESSAGE(default_tiles.err.find("--reach") != std::string::npos,
                             default_tiles.err.c_str());
    TEST_ASSERT_EQUAL_INT(report(whole, "bytes"), report(default_tiles, "bytes"));
    TEST_ASSERT_TRUE(tiles.err.find("--reach") == std::string::npos);
    TEST_ASSERT_TRUE(report(tiles, "windows") > 1);
    TEST_ASSERT_TRUE_MESSAGE(report(tiles, "bytes") < report(reach, "bytes") / 2,
                             (reach.out + tiles.out).c_str());
    TEST_ASSERT_TRUE(read(g_folder / "whole.flo") == read(g_folder / "tiled.flo"));
  }
}

TEST(bad_input_is_one_line_and_leaves_nothing) {
  write_pair("p");
  cut_out("wide.png", 0, 0, kWidth + 1);
  cut_out("dot.png", 0, 0, 1, 1);
  write("empty.png", "");
  write("cut.flo", "PIEH");
  const long before = file_count(g_folder);
  const std::string out = " --out f.flo --draw f.png --backend cpu";
  expect_bad_input(kerblab("flow p/frame10.png wide.png" + out), "differ in size");
  expect_bad_input(kerblab("flow dot.png dot.png" + out), "1 x 1");
  expect_bad_input(kerblab("flow --method opencv-dis-medium dot.png dot.png" + out), "16");
  for (const char* setting : {"--tile 64", "--levels 2", "--reach 9"})
    expect_bad_input(
        kerblab("flow --method opencv-dis-medium p/frame10.png p/frame11.png " + (setting + out)),
        "OpenCV's");
  expect_bad_input(kerblab("flow --reach 501 p/frame10.png p/frame11.png" + out), "501");
  expect_bad_input(kerblab("flow --reach 257 --method ncc p/frame10.png p/frame11.png" + out),
                   "reach");
  expect_bad_input(kerblab("flow empty.png empty.png" + out), "empty.png");
  expect_bad_input(kerblab("flow none.png p/frame11.png" + out), "none.png");
  expect_bad_input(kerblab("flow p/frame10.png" + out), "");
  expect_bad_input(kerblab("flow --method best p/frame10.png p/frame11.png" + out), "--method");
  expect_bad_input(kerblab("flow p/frame10.png p/frame11.png --truth cut.flo" + out), "cut.flo");
  expect_bad_input(kerblab("flow p/frame10.png p/frame11.png --mask wide.png" + out), "");
  expect_bad_input(kerblab("flow p/frame10.png p/frame11.png --out p/frame10.png"), "overwrite");
  expect_bad_input(kerblab("flow p/frame10.png p/frame11.png --out no/f.flo"), "no");
  expect_bad_input(
      kerblab("flow --method opencv-dis-fast p/frame10.png p/frame11.png --mask p/frame10.png" +
              out),
      "--mask");
  expect_bad_input(kerblab("flow p/frame10.png p/frame11.png --out f.png --draw f.png"),
                   "two outputs");
  expect_bad_input(kerblab("flow p/frame10.png p/frame11.png --draw noext"), "noext");
  expect_bad_input(kerblab("flow p/frame10.png p/frame11.png --draw f.jpg"), ".png");
  expect_bad_input(kerblab("flow p/frame10.png p/frame11.png --out - --json -"), "two outputs");
  expect_bad_input(kerblab("ego p/frame10.png p/frame11.png --json o.jsonl --draw p --backend cpu"),
                   "overwrite");
  TEST_ASSERT_EQUAL_INT(before, file_count(g_folder));
}

TEST(the_table_goes_into_its_page_and_nothing_else_changes) {
  write_pair("pairs/one");
  write_pair("pairs/two");
  write("page.md",
        "before\n<!-- kerblab eval flow: begin -->\nold\n<!-- kerblab eval flow: end -->\nafter\n");
  expect_done(
      kerblab("eval flow pairs --repeat 1 --method ncc --method opencv-dis-fast --into page.md "
              "--json r.json "
              "--backend cpu"));
  const std::string page = read(g_folder / "page.md");
  TEST_ASSERT_EQUAL_size_t(0, page.find("before\n<!-- kerblab eval flow: begin -->\n"));
  TEST_ASSERT_TRUE(page.find("<!-- kerblab eval flow: end -->\nafter\n") != std::string::npos);
  TEST_ASSERT_TRUE(page.find("old") == std::string::npos);
  TEST_ASSERT_TRUE_MESSAGE(page.find("| one | two |") != std::string::npos, page.c_str());
  const Json report = Json::parse(read(g_folder / "r.json"));
  TEST_ASSERT_EQUAL_size_t(4, report["results"].size());
  for (const Json& row : report["results"])
    TEST_ASSERT_TRUE_MESSAGE(row["end_point"].get<double>() < 0.5, row.dump().c_str());
  write("plain.md", "no marks here\n");
  expect_bad_input(kerblab("eval flow pairs --into plain.md"), "plain.md");
  expect_bad_input(kerblab("eval flow nowhere"), "nowhere");
  fs::create_directory(g_folder / "nothing");
  expect_bad_input(kerblab("eval flow nothing"), "nothing");
}

TEST(the_bench_runs) {
  const Outcome o = kerblab("bench flow --quick --repeat 1 --backend cpu --json -");
  expect_done(o);
  const Json report = Json::parse(o.out);
  TEST_ASSERT_TRUE(report["results"].size() >= 14);
}

}  // namespace
