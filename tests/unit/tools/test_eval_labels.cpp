// SPDX-License-Identifier: Apache-2.0
// What detections are, by the truth: made pictures whose answers are known.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/test.hpp"
#include "tools/eval/labels.hpp"

namespace {

using namespace kerb::eval;
using Json = nlohmann::json;

Box standing(double x, double y, double h) { return {x, y, kAspect * h, h}; }

/// p: person, d: duplicate, i: ignored, f: false alarm; in the order given.
std::string letters(const Labels& labels) {
  std::string out;
  for (const LabelledDetection& d : labels.detections)
    out += "pdif"[static_cast<std::size_t>(d.label)];
  return out;
}

TEST(each_detection_has_its_label_in_the_order_given) {
  const std::vector<TruthBox> truth{{standing(500, 0, 100), true, 1},
                                    {standing(0, 0, 100), false, 1},
                                    {standing(200, 0, 100), false, 1}};
  const std::vector<ScoredBox> detections{{standing(200, 5, 100), -3},  // the second person
                                          {standing(0, 10, 100), 2},    // worse, of the first
                                          {standing(900, 0, 100), 9},   // of nobody
                                          {standing(0, 0, 100), 5},     // the first person
                                          {standing(500, 4, 80), 1}};   // on a region to ignore
  const Labels labels = label(truth, {}, detections, {});
  TEST_ASSERT_EQUAL_STRING("pdfpi", letters(labels).c_str());
  TEST_ASSERT_EQUAL_size_t(2, labels.people.size());
  TEST_ASSERT_EQUAL_DOUBLE(0, labels.people[0].box.x);
  TEST_ASSERT_EQUAL_DOUBLE(5, *labels.people[0].found);
  TEST_ASSERT_EQUAL_DOUBLE(-3, *labels.people[1].found);
  TEST_ASSERT_EQUAL_size_t(1, *labels.detections[0].person);
  TEST_ASSERT_EQUAL_size_t(0, *labels.detections[1].person);
  TEST_ASSERT_EQUAL_size_t(0, *labels.detections[3].person);
  TEST_ASSERT_FALSE(labels.detections[2].person.has_value());
  TEST_ASSERT_FALSE(labels.detections[4].person.has_value());
  // Moved down by 5 and by 10 of 100: 95 of 105 rows are shared, and 90 of 110.
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 95.0 / 105, labels.detections[0].overlap);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 90.0 / 110, labels.detections[1].overlap);
  TEST_ASSERT_EQUAL_DOUBLE(0, labels.detections[2].overlap);
  TEST_ASSERT_EQUAL_size_t(1, labels.ignored.size());
  TEST_ASSERT_EQUAL_DOUBLE(500, labels.ignored[0].x);
}

TEST(a_near_miss_is_false_and_says_how_near) {
  // Moved down by 40 of 100: 60 of 140 rows are shared.
  const Labels labels =
      label({{standing(0, 0, 100), false, 1}}, {}, {{standing(0, 40, 100), 1}}, {});
  TEST_ASSERT_EQUAL_STRING("f", letters(labels).c_str());
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 60.0 / 140, labels.detections[0].overlap);
  TEST_ASSERT_FALSE(labels.people[0].found.has_value());
}

TEST(a_false_one_partly_on_an_ignored_region_says_how_much) {
  const Labels labels = label({{standing(0, 0, 100), true, 1}}, {},
                              {{standing(0, 70, 100), 1}, {standing(0, 40, 100), 1}}, {});
  TEST_ASSERT_EQUAL_STRING("fi", letters(labels).c_str());
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.3, labels.detections[0].ignored_share);
  TEST_ASSERT_EQUAL_DOUBLE(0, labels.detections[0].overlap);
}

TEST(a_person_between_two_is_the_nearest_that_is_free) {
  // The better detection takes the first person. The worse one is nearer to the first, but the
  // second is free: as judge() has it.
  const std::vector<TruthBox> truth{{standing(0, 0, 100), false, 1},
                                    {standing(0, 30, 100), false, 1}};
  const Labels labels = label(truth, {}, {{standing(0, 0, 100), 2}, {standing(0, 10, 100), 1}}, {});
  TEST_ASSERT_EQUAL_STRING("pp", letters(labels).c_str());
  TEST_ASSERT_EQUAL_size_t(1, *labels.detections[1].person);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 80.0 / 120, labels.detections[1].overlap);
  // The other way round in the truth: what is nearest and taken comes last.
  const Labels turned =
      label({truth[1], truth[0]}, {}, {{standing(0, 0, 100), 2}, {standing(0, 10, 100), 1}}, {});
  TEST_ASSERT_EQUAL_size_t(0, *turned.detections[1].person);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 80.0 / 120, turned.detections[1].overlap);
}

TEST(what_is_too_small_or_tall_to_count_is_ignored_and_still_reported) {
  MatchSettings match;
  match.min_height = 50;
  match.max_height = 200;
  const std::vector<TruthBox> truth{{standing(0, 0, 30), false, 1},
                                    {standing(300, 0, 100), false, 0.4}};
  const Labels labels = label(truth, {},
                              {{standing(100, 0, 39), 1},
                               {standing(100, 0, 41), 1},
                               {standing(100, 0, 250), 1},
                               {standing(300, 0, 100), 1}},
                              match);
  TEST_ASSERT_EQUAL_STRING("ifip", letters(labels).c_str());
  TEST_ASSERT_EQUAL_size_t(1, labels.people.size());
  TEST_ASSERT_EQUAL_size_t(1, labels.ignored.size());
  match.min_visible = 0.5;
  const Labels hidden = label(truth, {}, {{standing(300, 0, 100), 1}}, match);
  TEST_ASSERT_EQUAL_STRING("i", letters(hidden).c_str());
  TEST_ASSERT_EQUAL_size_t(2, hidden.ignored.size());
}

TEST(false_ones_are_named_by_the_thing_they_stand_on) {
  const std::vector<TruthThing> things{{{100, 0, 41, 100}, "bin"}, {{300, 0, 10, 100}, "pole"}};
  const Labels labels = label({{standing(100, 0, 100), false, 1}}, things,
                              {{standing(290, 0, 100), 3},
                               {standing(600, 0, 100), 2},
                               {standing(100, 0, 100), 4},
                               {standing(100, 20, 100), 1}},
                              {});
  TEST_ASSERT_EQUAL_STRING("ffpd", letters(labels).c_str());
  TEST_ASSERT_EQUAL_STRING("pole", labels.detections[0].thing.c_str());
  TEST_ASSERT_EQUAL_STRING("", labels.detections[1].thing.c_str());
  TEST_ASSERT_EQUAL_STRING("", labels.detections[2].thing.c_str());
  TEST_ASSERT_EQUAL_STRING("", labels.detections[3].thing.c_str());
  // A person stands where the bin is; nobody is at the pole.
  TEST_ASSERT_EQUAL_DOUBLE(1, labels.things[0].overlap);
  TEST_ASSERT_EQUAL_DOUBLE(0, labels.things[1].overlap);
  TEST_ASSERT_FALSE(labels.things[1].ignored);
}

TEST(things_in_a_region_to_ignore_are_marked) {
  const Labels labels = label({{{0, 0, 200, 200}, true, 1}},
                              {{{10, 10, 41, 100}, "bin"}, {{180, 10, 41, 100}, "bin"}}, {}, {});
  TEST_ASSERT_TRUE(labels.things[0].ignored);
  TEST_ASSERT_FALSE(labels.things[1].ignored);
  MatchSettings match;
  match.min_height = 50;  // detections under 40 are left out
  const Labels small = label({}, {{{0, 0, 20, 39}, "bin"}, {{0, 0, 20, 40}, "bin"}}, {}, match);
  TEST_ASSERT_TRUE(small.things[0].ignored);
  TEST_ASSERT_FALSE(small.things[1].ignored);
}

TEST(a_line_is_json_with_all_of_it) {
  LabelledPicture picture{"day", "mine", "a \"b\".png", 640, 480, {}};
  picture.labels = label({{{1.5, 2, 41, 100}, false, 1}, {{300, 0, 50, 50}, true, 1}},
                         {{{500, 0, 20, 90}, "bin"}},
                         {{{1.5, 2, 41, 100}, static_cast<double>(842.1F)},
                          {{1.5, 2, 41, 100}, 0.25},
                          {{500, 0, 37, 90}, 0.1},
                          {{300, 0, 20, 49}, -1}},
                         {});
  const std::string line = to_json_line(picture);
  TEST_ASSERT_EQUAL_INT('\n', line.back());
  TEST_ASSERT_TRUE(line.find('\n') == line.size() - 1);
  const Json json = Json::parse(line);
  TEST_ASSERT_EQUAL_STRING("day", json["set"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_STRING("mine", json["model"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_STRING("a \"b\".png", json["image"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_INT(640, json["width"].get<int>());
  TEST_ASSERT_EQUAL_INT(480, json["height"].get<int>());
  TEST_ASSERT_EQUAL_DOUBLE(842.1, json["people"][0]["found"].get<double>());  // not 842.09997...
  TEST_ASSERT_EQUAL_DOUBLE(1.5, json["people"][0]["x"].get<double>());
  TEST_ASSERT_EQUAL_INT(1, int(json["ignored"].size()));
  TEST_ASSERT_EQUAL_STRING("bin", json["things"][0]["class"].get<std::string>().c_str());
  const Json& found = json["detections"];
  TEST_ASSERT_EQUAL_INT(4, int(found.size()));
  for (int i = 0; i < 4; ++i) {
    constexpr const char* kLabels[] = {"person", "duplicate", "false", "ignored"};
    TEST_ASSERT_EQUAL_STRING(kLabels[i], found[i]["label"].get<std::string>().c_str());
  }
  TEST_ASSERT_EQUAL_DOUBLE(842.1, found[0]["score"].get<double>());
  TEST_ASSERT_EQUAL_INT(0, found[0]["truth"].get<int>());
  TEST_ASSERT_EQUAL_DOUBLE(1, found[0]["overlap"].get<double>());
  TEST_ASSERT_FALSE(found[0].contains("thing"));
  TEST_ASSERT_EQUAL_INT(0, found[1]["truth"].get<int>());
  TEST_ASSERT_EQUAL_STRING("bin", found[2]["thing"].get<std::string>().c_str());
  TEST_ASSERT_FALSE(found[2].contains("truth"));
  TEST_ASSERT_EQUAL_DOUBLE(0, found[2]["overlap"].get<double>());
  TEST_ASSERT_FALSE(found[3].contains("overlap"));

  // Badly placed: a false alarm, and on whom.
  picture.labels = label({{{200, 0, 41, 100}, false, 1}, {{0, 0, 41, 100}, false, 1}}, {},
                         {{{25, 0, 41, 100}, 1}}, {});
  const Json beside = Json::parse(to_json_line(picture))["detections"][0];
  TEST_ASSERT_EQUAL_STRING("false", beside["label"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_INT(1, beside["truth"].get<int>());
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 16.0 / 66, beside["overlap"].get<double>());

  picture.labels = label({{{0, 0, 41, 100}, false, 1}}, {}, {{{300, 0, 41, 100}, 1}}, {});
  const Json nothing = Json::parse(to_json_line(picture));
  TEST_ASSERT_TRUE(nothing["people"][0]["found"].is_null());
  TEST_ASSERT_TRUE(nothing["detections"][0]["thing"].is_null());
  TEST_ASSERT_TRUE(nothing["ignored"].is_array() && nothing["ignored"].empty());
}

}  // namespace
