// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>
#include <vector>

#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/tools/train_pictures.hpp"
#include "tools/train/blocks.hpp"
#include "tools/train/random.hpp"
#include "tools/train/session.hpp"

namespace {

using namespace kerb;
using namespace kerb::train;
using kerb::test::TempFolder;

train::Observer g_nobody;

Result<PictureSet> open_places(int count, bool mirror = false) {
  PictureSet::Options options;
  options.mirror = mirror;
  return PictureSet::open(test::names("place", 0, count), test::made_pictures(32, 64), options,
                          "places", g_nobody);
}

// --- random numbers

TEST(drawing_gives_every_number_once_and_the_same_ones_for_the_same_seed) {
  Random one{7}, two{7}, other{8};
  const std::vector<std::size_t> a = draw(one, 100, 40), b = draw(two, 100, 40);
  TEST_ASSERT_TRUE(a == b);
  TEST_ASSERT_FALSE(a == draw(other, 100, 40));
  TEST_ASSERT_EQUAL_size_t(40, std::set<std::size_t>(a.begin(), a.end()).size());
  TEST_ASSERT_EQUAL_size_t(5, draw(one, 5, 40).size());
}

// --- the pool

TEST(the_pool_has_the_thesis_s_5029_blocks) {
  TEST_ASSERT_EQUAL_size_t(5029, block_pool(64, 128, 1).size());
  TEST_ASSERT_EQUAL_size_t(2719, block_pool(64, 128, 2).size());
  TEST_ASSERT_EQUAL_size_t(746, block_pool(64, 128, 4).size());
  TEST_ASSERT_EQUAL_size_t(2521, block_pool(64, 128, 4, true).size());
}

TEST(all_blocks_of_a_pool_lie_on_its_grid_and_in_the_window) {
  for (const int grid : {1, 2, 4})
    for (const bool fine : {false, true})
      for (const Block& b : block_pool(32, 64, grid, fine)) {
        TEST_ASSERT_TRUE(b.x >= 0 && b.y >= 0 && b.x + b.width <= 32 && b.y + b.height <= 64);
        for (const int n : {b.x, b.y, b.width / 2, b.height / 2})
          TEST_ASSERT_EQUAL_INT(0, n % grid);
      }
  TEST_ASSERT_GREATER_THAN(block_pool(64, 128, 4).size(), block_pool(64, 128, 4, true).size());
}

// --- pictures

TEST(folders_are_listed_by_name_and_other_files_left_out) {
  const TempFolder folder;
  for (const char* name : {"b/2.png", "b/1.JPG", "b/read.me", "a/x.pgm"}) folder.write(name, "x");
  const Result<std::vector<std::string>> list = list_pictures({folder.at("b"), folder.at("a")});
  TEST_ASSERT_OK(list);
  TEST_ASSERT_EQUAL_size_t(3, list->size());
  TEST_ASSERT_EQUAL_STRING(folder.at("b/1.JPG").c_str(), (*list)[0].c_str());
  TEST_ASSERT_EQUAL_STRING(folder.at("a/x.pgm").c_str(), (*list)[2].c_str());
}

void expect_error(const Error& error, Errc code, const char* part) {
  TEST_ASSERT_EQUAL_STRING(name_of(code), name_of(error.code));
  const std::string line = describe(error);
  TEST_ASSERT_TRUE_MESSAGE(line.find(part) != std::string::npos, line.c_str());
}

TEST(an_empty_or_missing_folder_is_named) {
  const TempFolder folder;
  folder.write("empty/notes.txt", "x");
  expect_error(list_pictures({folder.at("empty")}).error(), Errc::not_found, "empty");
  expect_error(list_pictures({folder.path() / "nowhere"}).error(), Errc::not_found, "nowhere");
}

TEST(a_crop_smaller_than_the_window_is_named) {
  PictureSet::Options options;
  options.least_width = 64;
  options.least_height = 128;
  const Result<PictureSet> set = PictureSet::open(
      test::names("crop", 3, 1), test::made_pictures(32, 64), options, "people", g_nobody);
  expect_error(set.error(), Errc::invalid_argument, "crop 3");
  expect_error(set.error(), Errc::invalid_argument, "48x80");
}

TEST(pictures_beyond_the_budget_are_read_again_and_must_be_the_same) {
  int reads = 0;
  bool altered = false;
  const Loader made = test::made_pictures(32, 64);
  PictureSet::Options options;
  options.budget = 100 * 110 + 120 * 110;  // two of the three
  Result<PictureSet> set = PictureSet::open(
      test::names("place", 0, 3),
      [&](const std::string& path, bool colour) {
        ++reads;
        Result<Pixels> pixels = made(path, colour);
        if (altered) pixels->grey[5] ^= 1;
        return pixels;
      },
      options, "places", g_nobody);
  TEST_ASSERT_OK(set);
  for (std::size_t i = 0; i < 3; ++i) TEST_ASSERT_OK(set->get(i));
  TEST_ASSERT_EQUAL_INT(4, reads);
  altered = true;
  TEST_ASSERT_OK(set->get(0));
  expect_error(set->get(2).error(), Errc::damaged, "place 2");
}

TEST(the_fingerprint_tells_other_pictures) {
  const Result<PictureSet> a = open_places(3), b = open_places(3), fewer = open_places(2),
                           mirror = open_places(3, true);
  TEST_ASSERT_TRUE(a->fingerprint() == b->fingerprint());
  TEST_ASSERT_FALSE(a->fingerprint() == fewer->fingerprint());
  TEST_ASSERT_FALSE(a->fingerprint() == mirror->fingerprint());
}

TEST(mirrored_pictures_are_the_others_the_other_way_round) {
  Result<PictureSet> set = open_places(1, true);
  TEST_ASSERT_EQUAL_size_t(2, set->size());
  const Result<std::shared_ptr<const Pixels>> a = set->get(0), b = set->get(1);
  for (int x = 0; x < 100; ++x)
    TEST_ASSERT_EQUAL_UINT8((*a)->grey[static_cast<std::size_t>(500 + x)],
                            (*b)->grey[static_cast<std::size_t>(500 + 99 - x)]);
}

TEST(what_is_avoided_is_mirrored_with_its_picture_and_told_by_the_fingerprint) {
  Result<PictureSet> set = open_places(2, true);
  const std::uint64_t before = set->fingerprint();
  set->avoid({{}, {{10, 20, 30, 60}}});
  TEST_ASSERT_FALSE(before == set->fingerprint());
  TEST_ASSERT_FALSE(set->avoids(0) || set->avoids(1));
  const float width = static_cast<float>(set->width(2));
  TEST_ASSERT_TRUE(set->is_avoided(2, {10, 20, 30, 60, 0}));
  TEST_ASSERT_FALSE(set->is_avoided(2, {width - 40, 20, 30, 60, 0}));
  TEST_ASSERT_TRUE(set->is_avoided(3, {width - 40, 20, 30, 60, 0}));
  TEST_ASSERT_FALSE(set->is_avoided(3, {10, 20, 30, 60, 0}));
  // Three tenths of it may lie inside.
  TEST_ASSERT_FALSE(set->is_avoided(2, {10, 62.5F, 30, 60, 0}));
  TEST_ASSERT_TRUE(set->is_avoided(2, {10, 61.5F, 30, 60, 0}));
}

TEST(every_so_manyth_is_held_out) {
  const Split split = hold_out(test::names("crop", 0, 11), 5);
  TEST_ASSERT_EQUAL_size_t(9, split.kept.size());
  TEST_ASSERT_EQUAL_size_t(2, split.held_out.size());
  TEST_ASSERT_EQUAL_STRING("crop 4", split.held_out[0].c_str());
  TEST_ASSERT_EQUAL_STRING("crop 9", split.held_out[1].c_str());
  TEST_ASSERT_EQUAL_size_t(0, hold_out(test::names("crop", 0, 11), 0).held_out.size());
}

TEST(crops_of_one_photograph_are_all_held_out_or_none) {
  std::vector<std::string> crops;
  for (int photograph = 0; photograph < 300; ++photograph)
    for (int person = 0; person <= photograph % 4; ++person)
      crops.push_back("street" + std::to_string(1000 + photograph) + "_" + std::to_string(person) +
                      ".png");
  const Split split = hold_out(crops, 3);
  TEST_ASSERT_EQUAL_size_t(crops.size(), split.kept.size() + split.held_out.size());
  TEST_ASSERT_TRUE(split.held_out.size() > crops.size() / 4);
  TEST_ASSERT_TRUE(split.held_out.size() < crops.size() / 2);
  for (const std::string& out : split.held_out)
    for (const std::string& kept : split.kept)
      TEST_ASSERT_FALSE_MESSAGE(out.substr(0, 10) == kept.substr(0, 10), out.c_str());
}

TEST(frames_of_a_video_are_held_out_in_runs) {
  std::vector<std::string> frames;  // all of one name but for the number: no end of a photograph
  frames.reserve(200);
  for (int i = 0; i < 200; ++i) frames.push_back("frame_" + std::to_string(1000 + i) + ".png");
  const Split split = hold_out(frames, 2);
  TEST_ASSERT_TRUE(split.held_out.size() >= 60 && split.held_out.size() <= 140);
}

}  // namespace
