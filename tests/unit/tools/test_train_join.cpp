// SPDX-License-Identifier: Apache-2.0
// Two cascades made one: its scores are the mean of theirs.
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "gpu/hog/engine.hpp"
#include "gpu/hog/model_file.hpp"
#include "tests/support/test.hpp"
#include "tools/bench/street.hpp"
#include "tools/train/join.hpp"

namespace {

using namespace kerb;

hog::Model shipped(const char* name) {
  Result<hog::Model> model = hog::load(std::string{KERB_SOURCE_MODELS} + "/" + name);
  TEST_ASSERT_TRUE(model);
  return *std::move(model);
}

/// The score of each window that passes, in a street made by code.
std::map<int, float> scores(const hog::Model& model) {
  constexpr int kWidth = 320, kHeight = 240;
  const Result<Context> context = Context::create(BackendChoice::cpu);
  TEST_ASSERT_TRUE(context);
  Workers workers{1};
  hog::SearchSettings search;
  search.scale_step = 1.3F;
  search.stride = 4;
  const auto engine = hog::make_engine(*context, workers, model, search, kWidth, kHeight);
  TEST_ASSERT_TRUE(engine);
  const std::vector<std::uint8_t> street = bench::street_picture(kWidth, kHeight);
  hog::Picture<Space::host> picture;
  picture.grey = {street.data(), kWidth, kHeight, kWidth};
  const Result<hog::Engine::Hits> hits = (*engine)->search(picture, -1e9F);
  TEST_ASSERT_TRUE(hits);
  std::map<int, float> out;
  for (int i = 0; i < hits->count; ++i) out[hits->data[i].window] = hits->data[i].score;
  return out;
}

TEST(the_score_is_the_mean_of_both) {
  hog::Model first = shipped("default-grey.kwm"), second = first;
  auto& cascade = std::get<hog::CascadeModel>(first.kind);
  // As long as nobody is thrown out early, every window has a score.
  for (hog::Stage& stage : cascade.stages) stage.threshold = -(1 << 24);
  auto& weaker = std::get<hog::CascadeModel>(second.kind);
  weaker = cascade;
  for (std::int32_t& vote : weaker.leaves) vote /= 3;
  const Result<hog::Model> joined = train::join(first, second);
  TEST_ASSERT_TRUE(joined);
  TEST_ASSERT_EQUAL_STRING("default-grey", joined->name.c_str());
  const std::map<int, float> a = scores(first), b = scores(second), both = scores(*joined);
  TEST_ASSERT_GREATER_THAN(1000, a.size());
  TEST_ASSERT_EQUAL(a.size(), both.size());
  const float rounding =
      static_cast<float>(cascade.trees.size()) * hog::kVoteUnit;  // each vote is halved by itself
  for (const auto& [window, score] : both)
    TEST_ASSERT_FLOAT_WITHIN(rounding, (a.at(window) + b.at(window)) / 2, score);
}

TEST(what_the_first_throws_out_stays_out) {
  const hog::Model first = shipped("default-grey.kwm");
  const Result<hog::Model> joined = train::join(first, first);
  TEST_ASSERT_TRUE(joined);
  const std::map<int, float> alone = scores(first), both = scores(*joined);
  for (const auto& [window, score] : both) TEST_ASSERT_EQUAL(1, alone.count(window));
}

TEST(unlike_models_are_refused) {
  const hog::Model grey = shipped("default-grey.kwm");
  for (const char* other : {"default.kwm", "hog-svm.kwm", "hog-cascade.kwm"}) {
    const Result<hog::Model> joined = train::join(grey, shipped(other));
    TEST_ASSERT_FALSE_MESSAGE(joined, other);
    TEST_ASSERT_TRUE(joined.error().code == Errc::invalid_argument);
  }
}

}  // namespace
