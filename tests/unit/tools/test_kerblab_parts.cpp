// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <opencv2/imgcodecs.hpp>
#include <string>

#include "gpu/hog/shipped_models.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"
#include "tools/import/opencv_models.hpp"
#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/input_files.hpp"
#include "tools/kerblab/app/numbers.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/model/models.hpp"
#include "tools/kerblab/model/searches.hpp"
#include "tools/kerblab/pictures/draw.hpp"
#include "tools/kerblab/pictures/pictures.hpp"

namespace {

namespace fs = std::filesystem;
using namespace kerb;
using namespace kerb::lab;
using kerb::test::TempFolder;

std::string text_of(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

long files_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator{folder}, fs::directory_iterator{});
}

// --- commands

TEST(a_command_this_build_does_not_have_says_so_whatever_follows) {
  CLI::App app{"test"};
  Action action;
  add_commands(app, action, {{"detect", nullptr}});
  const char* words[] = {"kerblab", "detect", "--json", "out.jsonl", "--help", "street.png"};
  app.parse(static_cast<int>(std::size(words)), words);
  TEST_ASSERT_TRUE(static_cast<bool>(action));
  TEST_ASSERT_EQUAL_INT(kBadInput, action());
}

// --- numbers

TEST(numbers_are_read_whole_or_refused) {
  const Result<std::vector<double>> four = parse_numbers("--x", "A,B", "1,-2.5,0,1e3", 4, 4);
  TEST_ASSERT_OK(four);
  TEST_ASSERT_EQUAL_DOUBLE(-2.5, (*four)[1]);
  TEST_ASSERT_EQUAL_DOUBLE(1000, (*four)[3]);
  for (const char* bad :
       {"", "1", "1,", ",1", "1,2,3", "1,x", "1 ,2", "1;2", "nan,1", "1,inf", "1,2px", "1,1e999"})
    TEST_ASSERT_ERROR(Errc::invalid_argument, parse_numbers("--x", "A,B", bad, 2, 2));
  const Error error = parse_numbers("--x", "A,B", "1,2,3", 2, 2).error();
  TEST_ASSERT_EQUAL_STRING("--x: '1,2,3' is not A,B", describe(error).c_str());
}

// --- outputs

TEST(a_file_is_replaced_whole) {
  const TempFolder folder;
  const std::string path = folder.write("out.json", "old and longer than the new one");
  TEST_ASSERT_OK(check_output(path));
  TEST_ASSERT_OK(write_output(path, "new"));
  TEST_ASSERT_EQUAL_STRING("new", text_of(path).c_str());
  TEST_ASSERT_EQUAL_INT(1, files_in(folder.path()));
}

TEST(what_cannot_be_written_is_known_before) {
  const TempFolder folder;
  TEST_ASSERT_ERROR(Errc::not_found, check_output(folder.path() / "no" / "out.json"));
  TEST_ASSERT_ERROR(Errc::invalid_argument, check_output(folder.path()));
  TEST_ASSERT_ERROR(Errc::invalid_argument, check_output(""));
  TEST_ASSERT_OK(check_output("-"));
  TEST_ASSERT_ERROR(Errc::io, write_output(folder.path() / "no" / "out.json", "x"));
}

TEST(a_device_is_written_to_and_not_replaced) {
  TEST_ASSERT_OK(check_output("/dev/null"));
  TEST_ASSERT_OK(write_output("/dev/null", "x"));
  TEST_ASSERT_TRUE(fs::is_character_file("/dev/null"));
  TEST_ASSERT_OK(check_output("/dev/stdout"));
  TEST_ASSERT_ERROR(Errc::invalid_argument, check_output("/dev/zero"));
}

TEST(outputs_and_inputs_are_told_apart) {
  const TempFolder folder;
  const std::string a = folder.write("a", "x"), b = folder.write("b", "x");
  fs::create_symlink("a", folder.at("link"));
  TEST_ASSERT_OK(check_apart({}, {a}));
  TEST_ASSERT_OK(check_apart({"-", b, folder.at("none")}, {a, folder.at("none")}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, check_apart({b, a}, {a}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, check_apart({folder.at("link")}, {b, a}));
}

TEST(a_folder_of_results_appears_at_once_or_not_at_all) {
  const TempFolder folder;
  const std::string drawn = folder.at("a/drawn");
  {
    Result<OutputFolder> out = OutputFolder::create(drawn);
    TEST_ASSERT_OK(out);
    std::ofstream{out->next("one", ".png")} << "1";
  }
  TEST_ASSERT_FALSE(fs::exists(drawn));
  {
    Result<OutputFolder> out = OutputFolder::create(drawn);
    TEST_ASSERT_OK(out);
    std::ofstream{out->next("one", ".png")} << "1";
    std::ofstream{out->next("one", ".png")} << "2";
    TEST_ASSERT_FALSE(fs::exists(drawn + "/one.png"));
    TEST_ASSERT_OK(out->commit());
  }
  TEST_ASSERT_EQUAL_STRING("1", text_of(drawn + "/one.png").c_str());
  TEST_ASSERT_EQUAL_STRING("2", text_of(drawn + "/one-2.png").c_str());
  TEST_ASSERT_EQUAL_INT(2, files_in(drawn));
  {  // one that was there stays, with what was in it
    Result<OutputFolder> out = OutputFolder::create(drawn);
    TEST_ASSERT_OK(out);
    std::ofstream{out->next("one", ".png")} << "3";
  }
  TEST_ASSERT_EQUAL_STRING("1", text_of(drawn + "/one.png").c_str());
  TEST_ASSERT_EQUAL_INT(2, files_in(drawn));
  TEST_ASSERT_ERROR(Errc::io, OutputFolder::create(folder.write("file", "") + "/drawn"));
}

// --- pictures

TEST(a_picture_is_read_as_grey_and_as_planes) {
  const TempFolder folder;
  cv::Mat picture{2, 3, CV_8UC3, cv::Scalar{10, 20, 30}};
  picture.at<cv::Vec3b>(1, 2) = {255, 0, 0};
  const std::string path = folder.at("a.png");
  TEST_ASSERT_TRUE(cv::imwrite(path, picture));
  const Result<LoadedPicture> loaded = load_picture(path, true);
  TEST_ASSERT_OK(loaded);
  const hog::Picture<Space::host> view = loaded->view();
  TEST_ASSERT_EQUAL_INT(3, view.grey.width);
  TEST_ASSERT_EQUAL_INT(2, view.grey.height);
  TEST_ASSERT_EQUAL_UINT8((9798 * 30 + 19235 * 20 + 3735 * 10 + 16384) >> 15, view.grey.data[0]);
  TEST_ASSERT_EQUAL_INT(3, view.rgb.count);
  TEST_ASSERT_EQUAL_UINT8(30, view.rgb.plane(0).data[0]);
  TEST_ASSERT_EQUAL_UINT8(20, view.rgb.plane(1).data[0]);
  TEST_ASSERT_EQUAL_UINT8(10, view.rgb.plane(2).data[0]);
  TEST_ASSERT_EQUAL_UINT8(255, view.rgb.plane(2).data[view.rgb.row_stride + 2]);
  const Result<LoadedPicture> plain = load_picture(path, false);
  TEST_ASSERT_OK(plain);
  TEST_ASSERT_EQUAL_INT(0, plain->view().rgb.count);
}

/// Counts of a thermal camera: black and white are where the product's range puts them, at the
/// counts of which half a hundredth is darker or brighter.
TEST(sixteen_bits_are_counts_and_come_in_their_range) {
  const TempFolder folder;
  for (const char* name : {"counts.png", "counts.pgm", "counts.tif"}) {
    cv::Mat counts(50, 80, CV_16UC1);
    std::vector<int> sorted;
    for (int y = 0; y < counts.rows; ++y)
      for (int x = 0; x < counts.cols; ++x) {
        const int count = 7000 + (x * 37 + y * 101) % 700 + (x == 3 && y == 3 ? 40000 : 0);
        counts.at<std::uint16_t>(y, x) = static_cast<std::uint16_t>(count);
        sorted.push_back(count);
      }
    std::sort(sorted.begin(), sorted.end());
    const auto n = sorted.size();
    const double dark = sorted[n * 50 / 10000], bright = sorted[n - 1 - n * 50 / 10000];
    const std::string path = folder.at(name);
    TEST_ASSERT_TRUE(cv::imwrite(path, counts));
    const Result<LoadedPicture> loaded = load_picture(path, false);
    TEST_ASSERT_OK(loaded);
    for (int y = 0; y < counts.rows; ++y)
      for (int x = 0; x < counts.cols; ++x) {
        const double level = 255 * (counts.at<std::uint16_t>(y, x) - dark) / (bright - dark);
        TEST_ASSERT_DOUBLE_WITHIN(1.01, std::clamp(level, 0.0, 255.0),
                                  loaded->grey[static_cast<std::size_t>(y * counts.cols + x)]);
      }
  }
}

TEST(what_is_no_picture_is_refused) {
  const TempFolder folder;
  TEST_ASSERT_ERROR(Errc::not_found, load_picture(folder.path() / "none.png", false));
  TEST_ASSERT_ERROR(Errc::invalid_argument, load_picture("/dev/zero", false));
  TEST_ASSERT_ERROR(Errc::invalid_argument, expand_list({"/dev/zero"}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, expand_list({"@/dev/zero"}));
  TEST_ASSERT_ERROR(Errc::damaged, load_picture(folder.write("empty.png", ""), false));
  TEST_ASSERT_ERROR(Errc::damaged, load_picture(folder.write("text.png", "hello"), false));
  for (const char* name : {"a.jpg", "a.png"}) {
    cv::Mat noise{64, 64, CV_8UC3};
    cv::randu(noise, 0, 255);
    const std::string path = folder.at(name);
    TEST_ASSERT_TRUE(cv::imwrite(path, noise));
    fs::resize_file(path, fs::file_size(path) / 2);
    TEST_ASSERT_ERROR(Errc::damaged, load_picture(path, false));
  }
}

TEST(a_list_stands_for_its_lines) {
  const TempFolder folder;
  const std::string a = folder.write("a.png", "x"), b = folder.write("b c.png", "x");
  const std::string list = folder.write("list.txt", a + "\n\n" + b + "\r\n" + a);
  const Result<std::vector<std::string>> paths = expand_list({b, "@" + list});
  TEST_ASSERT_OK(paths);
  TEST_ASSERT_TRUE((std::vector<std::string>{b, a, b, a}) == *paths);
  TEST_ASSERT_ERROR(Errc::not_found, expand_list({"@" + folder.at("none.txt")}));
  TEST_ASSERT_ERROR(Errc::not_found, expand_list({a, folder.at("none.png")}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, expand_list({folder.path()}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, expand_list({"@" + folder.write("empty.txt", "\n")}));
}

// --- drawing

TEST(a_better_score_has_another_colour_and_the_same_score_the_same) {
  TEST_ASSERT_TRUE(colour_of(1, 0) == colour_of(1.5F, 0.5F));
  TEST_ASSERT_FALSE(colour_of(0.1F, 0) == colour_of(1, 0));
  TEST_ASSERT_TRUE(colour_of(-3, 0) == colour_of(0, 0));
  for (const float score : {0.0F, 0.5F, 1.0F, 3.0F, 1e9F})
    for (int i = 0; i < 3; ++i)
      TEST_ASSERT_TRUE(colour_of(score, 0)[i] >= 0 && colour_of(score, 0)[i] <= 255);
}

TEST(boxes_are_drawn_where_they_are_and_may_stand_out) {
  DetectionList people;
  people.count = 3;
  people.items[0] = {20, 40, 20, 40, 2.5F};
  people.items[1] = {-10, -10, 30, 60, 0.5F};
  people.items[2] = {90, 90, 500, 500, 0.1F};
  cv::Mat picture{100, 100, CV_8UC3, cv::Scalar::all(128)};
  draw_detections(picture, people, 0);
  const cv::Scalar colour = colour_of(2.5F, 0);
  const auto& edge = picture.at<cv::Vec3b>(60, 20);
  for (int i = 0; i < 3; ++i) TEST_ASSERT_INT_WITHIN(40, colour[i], edge[i]);
  TEST_ASSERT_EQUAL_UINT8(128, picture.at<cv::Vec3b>(70, 30)[0]);  // inside stays
  cv::Mat tiny{1, 1, CV_8UC3, cv::Scalar::all(0)};
  draw_detections(tiny, people, 0);
}

// --- engines and models

TEST(the_default_model_is_a_valid_one) {
  setenv(hog::kModelsVariable, "/nowhere/models", 1);
  const Result<hog::Model> model = default_model();
  TEST_ASSERT_OK(model);
  TEST_ASSERT_OK(hog::validate(*model));
  TEST_ASSERT_EQUAL_size_t(3780, std::get<hog::DenseModel>(model->kind).weights.size());
  TEST_ASSERT_FALSE(default_model_note().empty());
}

TEST(searches_are_made_once_a_size_and_few_are_kept) {
  Result<Context> context = Context::create(BackendChoice::cpu);
  TEST_ASSERT_OK(context);
  Workers workers{1};
  SearchShelf shelf{*context, workers, *default_people_detector(), {}, {}};
  const Result<hog::PeopleSearch*> first = shelf.search(64, 128);
  TEST_ASSERT_OK(first);
  TEST_ASSERT_EQUAL_PTR(*first, *shelf.search(64, 128));
  TEST_ASSERT_EQUAL_INT(1, shelf.made());
  for (int width = 65; width < 68; ++width) TEST_ASSERT_OK(shelf.search(width, 128));
  TEST_ASSERT_EQUAL_PTR(*first, *shelf.search(64, 128));  // still there, and now the newest
  TEST_ASSERT_OK(shelf.search(80, 128));                  // takes the place of 65
  TEST_ASSERT_EQUAL_PTR(*first, *shelf.search(64, 128));
  TEST_ASSERT_EQUAL_INT(5, shelf.made());
  TEST_ASSERT_OK(shelf.search(65, 128));
  TEST_ASSERT_EQUAL_INT(6, shelf.made());
}

}  // namespace
