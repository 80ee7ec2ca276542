// SPDX-License-Identifier: Apache-2.0
// With --write as its argument it first writes what it would compare with: the reference in
// docs/kerblab.md.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "firmware/schema/reference.hpp"
#include "tests/support/test.hpp"
#include "tools/eval/picture_sets.hpp"

namespace {

using namespace kerb::eval;

const std::filesystem::path kReference = std::filesystem::path{KERB_SOURCE_DIR} / "docs/kerblab.md";
constexpr std::string_view kBegin =
    "<!-- keys of sets: begin (made by unit_tools eval_sets --write) -->\n";
constexpr std::string_view kEnd = "<!-- keys of sets: end -->\n";

std::string page() {
  std::ifstream in{kReference, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}
std::string with_reference(std::string document) {
  const std::size_t begin = document.find(kBegin), end = document.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos) return {};
  const std::size_t from = begin + kBegin.size();
  return document.replace(from, end - from,
                          "\n" + kerb::schema::reference(picture_sets_table(), 4));
}

std::string problems_of(const PictureSets& sets) {
  std::string out;
  for (const kerb::schema::Problem& problem : sets.problems) out += problem.line() + "\n";
  return out;
}

TEST(a_set_has_its_pictures_truth_and_rules) {
  const PictureSets got = parse_picture_sets(R"(
[[set]]
name = "day"
images = ["vi", "@more.txt", "/abs/olute"]
names = "*D.jpg"
list = "held-out.txt"
truth = ["truth.csv"]
negatives = ["none"]
people = ["person", "worker"]
ignore = ["cyclist"]
column = "contrast"
column_least = 5
least_height = 50
greatest_height = 400
least_visible = 0.5
search_min_height = 48
resample_block = 10
models = ["thermal"]
camera = { focal_px = 565, height_m = 1.22, horizon_row = -7.5 }

[[set]]
name = "night"
images = ["n"]
truth = ["t"]
)",
                                             "judging/sets.toml", "/data");
  TEST_ASSERT_EQUAL_STRING("", problems_of(got).c_str());
  TEST_ASSERT_EQUAL_INT(2, int(got.sets.size()));
  const PictureSet& day = got.sets[0];
  TEST_ASSERT_EQUAL_STRING("day", day.name.c_str());
  TEST_ASSERT_EQUAL_INT(3, int(day.images.size()));
  TEST_ASSERT_EQUAL_STRING("/data/vi", day.images[0].c_str());
  TEST_ASSERT_EQUAL_STRING("@/data/more.txt", day.images[1].c_str());
  TEST_ASSERT_EQUAL_STRING("/abs/olute", day.images[2].c_str());
  TEST_ASSERT_EQUAL_STRING("judging/held-out.txt", day.list.c_str());
  TEST_ASSERT_EQUAL_STRING("/data/truth.csv", day.truth[0].c_str());
  TEST_ASSERT_EQUAL_STRING("/data/none", day.negatives[0].c_str());
  TEST_ASSERT_EQUAL_STRING("worker", day.rules.people[1].c_str());
  TEST_ASSERT_EQUAL_INT(1, int(day.rules.ignored.size()));
  TEST_ASSERT_EQUAL_STRING("contrast", day.rules.least[0].column.c_str());
  TEST_ASSERT_EQUAL_DOUBLE(5, day.rules.least[0].value);
  TEST_ASSERT_EQUAL_DOUBLE(50, day.match.min_height);
  TEST_ASSERT_EQUAL_DOUBLE(400, day.match.max_height);
  TEST_ASSERT_EQUAL_DOUBLE(0.5, day.match.min_visible);
  TEST_ASSERT_EQUAL_INT(48, day.search_min_height);
  TEST_ASSERT_EQUAL_INT(10, day.block);
  TEST_ASSERT_EQUAL_STRING("thermal", day.models[0].c_str());
  TEST_ASSERT_EQUAL_DOUBLE(565, day.camera.value().focal_px);
  TEST_ASSERT_EQUAL_DOUBLE(1.22, day.camera->height_m);
  TEST_ASSERT_EQUAL_DOUBLE(-7.5, day.camera->horizon_row);
  const PictureSet& night = got.sets[1];
  TEST_ASSERT_FALSE(night.camera.has_value());
  TEST_ASSERT_EQUAL_STRING("*", night.names.c_str());
  TEST_ASSERT_TRUE(night.list.empty() && night.rules.least.empty() && night.models.empty());
  TEST_ASSERT_EQUAL_INT(8, int(night.rules.ignored.size()));
  TEST_ASSERT_EQUAL_INT(1, night.block);
  TEST_ASSERT_TRUE(night.match.max_height > 1e9);
}

struct Fault {
  const char *text, *part;
};
constexpr const char* kGood = "[[set]]\nname = \"a\"\nimages = [\"i\"]\ntruth = [\"t\"]\n";

TEST(what_is_wrong_with_a_file_of_sets_is_said_with_its_place) {
  for (const Fault& f :
       {Fault{"", "set"}, Fault{"[[set]]\nimages = [\"i\"]\ntruth = [\"t\"]\n", "set[0].name"},
        Fault{"[[set]]\nname = \"a\"\ntruth = [\"t\"]\n", "set[0].images"},
        Fault{"[[set]]\nname = \"a\"\nimages = [\"i\"]\n", "set[0].truth"},
        Fault{"[[set]]\nname = \"a/b\"\nimages = [\"i\"]\ntruth = [\"t\"]\n", "s.toml:2"},
        Fault{"[[set]]\nname = \"a\"\nimages = \"i\"\ntruth = [\"t\"]\n", "array"},
        Fault{"[[set]]\nname = \"a\"\nimages = [\"\"]\ntruth = [\"t\"]\n", "array"},
        Fault{"[[set]]\nname = \"a\"\nimages = [\"i\"]\ntruth = [\"t\"]\ncolumn = \"c\"\n",
              "column_least"},
        Fault{"[[set]]\nname = \"a\"\nimages = [\"i\"]\ntruth = [\"t\"]\nleast_height = 50\n"
              "greatest_height = 40\n",
              "greater than least_height"},
        Fault{"[[set]]\nname = \"a\"\nimages = [\"i\"]\ntruth = [\"t\"]\nfoo = 1\n", "foo"},
        Fault{"[[set]]\nname = \"a\"\nimages = [\"i\"]\ntruth = [\"t\"]\n"
              "camera = { focal_px = 500, height_m = 1.2 }\n",
              "set[0].camera"},
        Fault{"[[set]]\nname = \"a\"\nimages = [\"i\"]\ntruth = [\"t\"]\n"
              "[set.camera]\nfocal_px = 0\nheight_m = 1.2\nhorizon_row = 5\n",
              "focal_px"},
        Fault{"[[set]\n", "s.toml:1"}}) {
    const PictureSets got = parse_picture_sets(f.text, "s.toml", "d");
    TEST_ASSERT_TRUE_MESSAGE(got.sets.empty(), f.text);
    TEST_ASSERT_TRUE_MESSAGE(problems_of(got).find(f.part) != std::string::npos,
                             (std::string{f.text} + ": " + problems_of(got)).c_str());
  }
  std::string two = kGood;
  two += kGood;
  const PictureSets twice = parse_picture_sets(two, "s.toml", "d");
  TEST_ASSERT_TRUE(problems_of(twice).find("set[1].name") != std::string::npos);
  TEST_ASSERT_FALSE(read_picture_sets("/no/such.toml", "").problems.empty());
}

TEST(pictures_are_chosen_by_pattern_and_list) {
  PictureSet set;
  TEST_ASSERT_TRUE(is_taken(set, {}, "a/b/1.jpg"));
  set.names = "*D.jpg";
  TEST_ASSERT_TRUE(is_taken(set, {}, "a/b/1D.jpg"));
  TEST_ASSERT_FALSE(is_taken(set, {}, "a/bD.jpg/1N.jpg"));
  set.list = "l.txt";
  TEST_ASSERT_FALSE(is_taken(set, {}, "a/1D.jpg"));
  TEST_ASSERT_TRUE(is_taken(set, {"1D.jpg", "1N.jpg"}, "a/1D.jpg"));
  TEST_ASSERT_FALSE(is_taken(set, {"1D.jpg", "1N.jpg"}, "a/1N.jpg"));
}

TEST(the_reference_in_docs_is_the_schema) {
  const std::string document = page(), expected = with_reference(document);
  TEST_ASSERT_FALSE_MESSAGE(expected.empty(), "docs/kerblab.md has lost its marks");
  TEST_ASSERT_TRUE_MESSAGE(document == expected,
                           "docs/kerblab.md is out of date: run unit_tools eval_sets --write");
}

}  // namespace

BEFORE_SUITE(words) {
  if (!words.empty() && words[0] == "--write") {
    const std::string text = with_reference(page());
    std::ofstream{kReference, std::ios::binary} << text;
  }
  return kerb::test::Start::run;
}
