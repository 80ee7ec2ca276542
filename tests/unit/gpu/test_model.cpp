// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <limits>

#include "gpu/hog/model.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/models.hpp"

using namespace kerb;
using namespace kerb::hog;
using namespace kerb::hog::test;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

void refused_as(const Model& model, const char* words) {
  const Status status = validate(model);
  TEST_ASSERT_ERROR(Errc::invalid_argument, status);
  const std::string text = describe(status.error());
  if (text.find(words) == std::string::npos) TEST_FAIL_MESSAGE((text + " != " + words).c_str());
}
template <typename Change>
void dense_refused(const char* words, Change&& change) {
  Model model = dense_model();
  change(std::get<DenseModel>(model.kind));
  refused_as(model, words);
}
template <typename Change>
void linear_refused(const char* words, Change&& change) {
  Model model = linear_cascade();
  change(std::get<CascadeModel>(model.kind));
  refused_as(model, words);
}
template <typename Change>
void trees_refused(const char* words, Change&& change) {
  Model model = tree_cascade();
  change(std::get<CascadeModel>(model.kind));
  refused_as(model, words);
}

TEST(good_models_pass) {
  TEST_ASSERT_OK(validate(dense_model(1, DenseKind::rhog)));
  TEST_ASSERT_OK(validate(dense_model(2, DenseKind::cells)));
  TEST_ASSERT_OK(validate(dense_model(3, DenseKind::integral)));
  TEST_ASSERT_OK(validate(linear_cascade(1, 20)));
  TEST_ASSERT_OK(validate(tree_cascade(1, 20)));
  Model nameless = dense_model();
  nameless.name = "";
  TEST_ASSERT_OK(validate(nameless));
}

TEST(names_that_cannot_name_a_file_are_refused) {
  Model model = dense_model();
  for (const char* name : {"a/b", "..", ".hidden", "a\\b", "two\nlines", "\x7f", "\xc3\xa4"}) {
    model.name = name;
    refused_as(model, "characters");
  }
  model.name = std::string("nul\0", 4);
  refused_as(model, "characters");
  model.name = std::string(256, 'x');
  refused_as(model, "255");
  model.name = std::string(255, 'x');
  TEST_ASSERT_OK(validate(model));
}

TEST(windows_without_a_person_are_refused) {
  dense_refused("sides", [](DenseModel& m) { m.geometry.window_width = 0; });
  dense_refused("sides", [](DenseModel& m) { m.geometry.window_height = -128; });
  dense_refused("sides", [](DenseModel& m) { m.geometry.window_width = 1025; });
  linear_refused("sides", [](CascadeModel& m) { m.geometry.window_height = 1025; });
  const auto person = [](auto change) {
    dense_refused("person", [&](DenseModel& m) { change(m.geometry); });
    linear_refused("person", [&](CascadeModel& m) { change(m.geometry); });
  };
  person([](Geometry& g) { g.person_x = -1; });
  person([](Geometry& g) { g.person_y = -1; });
  person([](Geometry& g) { g.person_x = 33; });
  person([](Geometry& g) { g.person_y = 33; });
  person([](Geometry& g) { g.person_width = 0; });
  person([](Geometry& g) { g.person_height = 0.5F; });
  person([](Geometry& g) { g.person_x = kNan; });
  person([](Geometry& g) { g.person_y = kNan; });
  person([](Geometry& g) { g.person_width = kInfinity; });
  person([](Geometry& g) { g.person_height = kNan; });
}

TEST(dense_models_that_break_a_rule_are_refused) {
  dense_refused("cells", [](DenseModel& m) { m.geometry.window_width = 63; });
  dense_refused("cells", [](DenseModel& m) {
    m.geometry = {8, 128, 0, 0, 8, 8};
    m.weights.clear();
  });
  dense_refused("kind", [](DenseModel& m) {
    const unsigned char value = 3;
    std::memcpy(&m.kind, &value, 1);
  });
  for (const float sigma : {0.0F, -1.0F, kNan, kInfinity})
    dense_refused("sigma", [=](DenseModel& m) { m.sigma = sigma; });
  for (const float clip : {0.0F, -1.0F, 1.5F, kNan})
    dense_refused("clip", [=](DenseModel& m) { m.clip = clip; });
  dense_refused("bias", [](DenseModel& m) { m.bias = kNan; });
  dense_refused("36 weights", [](DenseModel& m) { m.weights.pop_back(); });
  dense_refused("36 weights", [](DenseModel& m) { m.weights.push_back(0); });
  dense_refused("36 weights", [](DenseModel& m) { m.geometry.window_height = 136; });
  dense_refused("not a number", [](DenseModel& m) { m.weights[3779] = kInfinity; });
  dense_refused("over 1e9", [](DenseModel& m) { m.weights[0] = -2e9F; });
  dense_refused("1e9", [](DenseModel& m) { m.bias = 2e9F; });
}

TEST(stages_that_break_a_rule_are_refused) {
  linear_refused("stages", [](CascadeModel& m) { m.stages.clear(); });
  linear_refused("stages", [](CascadeModel& m) { m.stages.resize(kMaxStages + 1); });
  linear_refused("stage 1", [](CascadeModel& m) { m.stages[1].first = 0; });
  linear_refused("stage 0", [](CascadeModel& m) { m.stages[0].count = 0; });
  linear_refused("stage 0", [](CascadeModel& m) { m.stages[0].count = -1; });
  linear_refused("stage 0", [](CascadeModel& m) { m.stages[0].first = -1; });
  linear_refused("every learner", [](CascadeModel& m) { m.stages[2].count = 4; });
  linear_refused("every learner", [](CascadeModel& m) { m.stages.pop_back(); });
  linear_refused("every learner", [](CascadeModel& m) {
    m.stages[2].count = std::numeric_limits<std::int32_t>::max();
  });
  linear_refused("learners", [](CascadeModel& m) { m.linear.clear(); });
  linear_refused("learners", [](CascadeModel& m) { m.trees.resize(6); });
  linear_refused("65536 learners", [](CascadeModel& m) { m.linear.resize(kMaxLearners + 1); });
  linear_refused("nodes", [](CascadeModel& m) { m.nodes.resize(1); });
  linear_refused("leaves", [](CascadeModel& m) { m.leaves.resize(1); });
  linear_refused("bins", [](CascadeModel& m) { m.channels.bins = 8; });
  linear_refused("9 bins", [](CascadeModel& m) { m.channels.bins = 6; });
}

TEST(linear_learners_that_break_a_rule_are_refused) {
  linear_refused("learner 4", [](CascadeModel& m) { m.linear[4].x = -1; });
  linear_refused("within", [](CascadeModel& m) { m.linear[0].y = -1; });
  linear_refused("within", [](CascadeModel& m) { m.linear[0].x = 64; });
  linear_refused("within", [](CascadeModel& m) { m.linear[0].y = 32767; });
  linear_refused("within", [](CascadeModel& m) { m.linear[0].width = 0; });
  linear_refused("within", [](CascadeModel& m) { m.linear[0].height = -2; });
  linear_refused("even", [](CascadeModel& m) { m.linear[5].width = 7; });
  linear_refused("even", [](CascadeModel& m) { m.linear[5].height = 7; });
  linear_refused("over 1e9", [](CascadeModel& m) { m.linear[5].offset = 2e9F; });
  linear_refused("over 1e9", [](CascadeModel& m) {  // a slope of 0 does not make it harmless
    m.linear[5].slope = 0;
    m.linear[5].weights[0] = 3e38F;
  });
  linear_refused("not a number", [](CascadeModel& m) { m.linear[5].offset = kNan; });
  linear_refused("not a number", [](CascadeModel& m) { m.linear[5].slope = kInfinity; });
  linear_refused("not a number", [](CascadeModel& m) { m.linear[5].weights[35] = kNan; });
}

TEST(trees_that_break_a_rule_are_refused) {
  trees_refused("tree 5: its nodes", [](CascadeModel& m) { m.trees[5].node_count = 4; });
  trees_refused("its nodes", [](CascadeModel& m) { m.trees[0].node_count = 0; });
  trees_refused("its nodes", [](CascadeModel& m) {
    m.trees[0].node_count = 256;
    m.nodes.resize(300, m.nodes[0]);
  });
  trees_refused("its nodes", [](CascadeModel& m) { m.trees[0].first_node = -1; });
  trees_refused("its nodes", [](CascadeModel& m) {
    m.trees[0].first_node = std::numeric_limits<std::int32_t>::max();
  });
  trees_refused("its leaves", [](CascadeModel& m) { m.trees[5].leaf_count = 5; });
  trees_refused("its leaves", [](CascadeModel& m) { m.trees[0].leaf_count = 0; });
  trees_refused("its leaves", [](CascadeModel& m) { m.trees[0].first_leaf = -1; });
  trees_refused("rectangle", [](CascadeModel& m) { m.nodes[7].x = -1; });
  trees_refused("rectangle", [](CascadeModel& m) { m.nodes[7].width = 0; });
  trees_refused("rectangle", [](CascadeModel& m) { m.nodes[7].y = 128; });
  trees_refused("channel", [](CascadeModel& m) { m.nodes[7].channel = 13; });
  trees_refused("channel", [](CascadeModel& m) { m.nodes[7].channel = -1; });
  trees_refused("channel", [](CascadeModel& m) { m.nodes[7].divisor = 13; });
  trees_refused("channel", [](CascadeModel& m) { m.nodes[7].divisor = -2; });
  trees_refused("divisor", [](CascadeModel& m) {
    m.nodes[7].divisor = 9;
    m.nodes[7].divisor_width = 65;
  });
  trees_refused("later node", [](CascadeModel& m) { m.nodes[0].left = 0; });   // itself: for ever
  trees_refused("later node", [](CascadeModel& m) { m.nodes[1].right = 1; });  // the same
  trees_refused("later node", [](CascadeModel& m) { m.nodes[0].right = 3; });
  trees_refused("later node", [](CascadeModel& m) { m.nodes[0].left = ~4; });
  trees_refused("later node", [](CascadeModel& m) { m.nodes[0].left = -32768; });
  trees_refused("threshold", [](CascadeModel& m) { m.nodes[7].threshold = kNan; });
}

TEST(sums_that_could_overflow_are_refused) {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  trees_refused("32 bits", [](CascadeModel& m) { m.leaves[0] = kMost; });
  trees_refused("32 bits", [](CascadeModel& m) { m.leaves[0] = -kMost - 1; });
  trees_refused("32 bits", [](CascadeModel& m) { m.stages[0].threshold = -kMost; });
  linear_refused("32 bits", [](CascadeModel& m) { m.linear[0].pass = kMost; });
  linear_refused("32 bits", [](CascadeModel& m) { m.linear[0].fail = -kMost; });
  linear_refused("32 bits", [](CascadeModel& m) { m.linear[0].slope = 9e8F; });
  linear_refused("32 bits", [](CascadeModel& m) { m.linear[0].weights[0] = 1e9F; });
  linear_refused("32 bits", [](CascadeModel& m) { m.linear[0].offset = -1e6F; });
  // A soft cascade's thresholds do not add up.
  Model model = tree_cascade();
  auto& cascade = std::get<CascadeModel>(model.kind);
  for (Stage& stage : cascade.stages) stage.threshold = -1'000'000'000;
  refused_as(model, "32 bits");
  cascade.cumulative = true;
  TEST_ASSERT_OK(validate(model));
}

TEST(the_grid_is_the_coarsest_that_holds_every_rectangle) {
  CascadeModel linear;
  const auto learner = [](int x, int y, int width, int height) {
    LinearLearner l;
    l.x = static_cast<std::int16_t>(x), l.y = static_cast<std::int16_t>(y);
    l.width = static_cast<std::int16_t>(width), l.height = static_cast<std::int16_t>(height);
    return l;
  };
  struct Case {
    int x, y, width, height, grid;
  };
  for (const Case& c : {Case{0, 0, 16, 16, 8}, Case{8, 16, 16, 32, 8}, Case{8, 16, 24, 32, 4},
                        Case{4, 0, 16, 16, 4}, Case{0, 6, 16, 16, 2}, Case{0, 0, 12, 24, 2},
                        Case{0, 0, 24, 24, 4}, Case{5, 0, 10, 10, 1}, Case{1, 0, 16, 16, 1},
                        Case{0, 0, 2, 16, 1}, Case{32, 0, 64, 64, 8}, Case{22, 0, 44, 44, 2}}) {
    linear.linear = {learner(c.x, c.y, c.width, c.height)};
    TEST_ASSERT_EQUAL(c.grid, grid_of(linear));
  }
  linear.linear = {learner(0, 0, 16, 16), learner(4, 0, 16, 16)};
  TEST_ASSERT_EQUAL(4, grid_of(linear));

  CascadeModel trees;
  TreeNode node;
  node.x = 8, node.y = 16, node.width = 8, node.height = 24;
  node.divisor_x = 3;  // not looked at: there is no divisor
  trees.nodes = {node};
  TEST_ASSERT_EQUAL(8, grid_of(trees));
  trees.nodes[0].divisor = 0;
  TEST_ASSERT_EQUAL(1, grid_of(trees));
  trees.nodes[0].divisor_x = 0, trees.nodes[0].divisor_width = trees.nodes[0].divisor_height = 4;
  TEST_ASSERT_EQUAL(4, grid_of(trees));
}

}  // namespace
