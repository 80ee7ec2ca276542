// SPDX-License-Identifier: Apache-2.0
// Cascades that reject sooner: thresholds against their definition, and models against the engine.
#include <algorithm>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "gpu/hog/engine.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/tools/train_pictures.hpp"
#include "tools/train/channels.hpp"
#include "tools/train/random.hpp"
#include "tools/train/rejection.hpp"

namespace {

using namespace kerb;
using namespace kerb::train;

using Sums = std::vector<std::int32_t>;

/// Whether somebody has a window that reaches all thresholds, person by person.
std::vector<bool> found(const std::vector<WindowTrace>& traces, const Sums& thresholds) {
  std::vector<bool> all;
  for (const WindowTrace& trace : traces) {
    const auto person = static_cast<std::size_t>(trace.person);
    if (all.size() <= person) all.resize(person + 1);
    bool passes = true;
    for (std::size_t s = 0; s < thresholds.size(); ++s)
      passes = passes && trace.sums[s] >= thresholds[s];
    if (passes) all[person] = true;
  }
  return all;
}

std::size_t count(const std::vector<bool>& all) {
  return static_cast<std::size_t>(std::count(all.begin(), all.end(), true));
}

TEST(one_window_of_each_person_is_enough) {
  // Person 0 has two windows: the second is better at first, and then gone.
  const std::vector<WindowTrace> traces{{0, {5, 2, 9}}, {0, {7, 1, 3}}, {1, {6, 4, 4}}};
  const Sums thresholds = rejection_thresholds(traces, 3, 1);
  // 6 = min(max(5, 7), 6): of person 0 only the second window is left, with 1 and 3.
  const Sums expected{6, 1, 3};
  TEST_ASSERT_TRUE(expected == thresholds);
}

/// Two of three may be given up: one after the first stage, as (1 - e^-2) / (1 - e^-4) of 2 are
/// 1.76, the other after the last.
TEST(people_are_given_up_early) {
  const std::vector<WindowTrace> traces{{0, {1, 9}}, {1, {2, 3}}, {2, {5, 7}}};
  const Sums expected{2, 7};
  TEST_ASSERT_TRUE(expected == rejection_thresholds(traces, 2, 1.0 / 3));
}

TEST(nobody_more_is_given_up_than_allowed) {
  Random random{3};
  constexpr std::size_t kStages = 40;
  std::vector<WindowTrace> traces;
  for (std::int32_t person = 0; person < 200; ++person)
    for (std::size_t w = 0; w < 1 + random.below(6); ++w) {
      WindowTrace trace{person, {}};
      std::int32_t sum = 0;
      for (std::size_t s = 0; s < kStages; ++s)
        trace.sums.push_back(sum += static_cast<std::int32_t>(random.below(1000)) - 400);
      traces.push_back(std::move(trace));
    }
  std::size_t passing_before = traces.size();
  for (const double keep : {1.0, 0.99, 0.9, 0.5}) {
    const Sums thresholds = rejection_thresholds(traces, kStages, keep);
    TEST_ASSERT_EQUAL(kStages, thresholds.size());
    const std::size_t kept = count(found(traces, thresholds));
    TEST_ASSERT_EQUAL(static_cast<std::size_t>(200 * keep + 0.5), kept);  // sums differ: no more
    // Those who are given up are given up for something: fewer windows pass.
    std::size_t passing = 0;
    for (const WindowTrace& trace : traces) passing += found({trace}, thresholds).back() ? 1 : 0;
    TEST_ASSERT_LESS_THAN(passing_before, passing);
    passing_before = passing;
  }
}

/// With all people kept, no stage's threshold can be higher: whoever sets it would be lost.
TEST(thresholds_are_the_highest_that_keep_everybody) {
  Random random{11};
  std::vector<WindowTrace> traces;
  for (std::int32_t person = 0; person < 60; ++person)
    for (int w = 0; w < 3; ++w) {
      WindowTrace trace{person, {}};
      for (int s = 0; s < 12; ++s)
        trace.sums.push_back(static_cast<std::int32_t>(random.below(100000)));
      traces.push_back(std::move(trace));
    }
  const Sums thresholds = rejection_thresholds(traces, 12, 1);
  TEST_ASSERT_EQUAL(60, count(found(traces, thresholds)));
  for (std::size_t s = 0; s < thresholds.size(); ++s) {
    Sums up_to(thresholds.begin(), thresholds.begin() + static_cast<std::ptrdiff_t>(s) + 1);
    ++up_to.back();
    TEST_ASSERT_LESS_THAN(60, count(found(traces, up_to)));
  }
}

constexpr int kWidth = 32, kHeight = 64, kPicture = 160, kFeet = 100;

/// "street N": a place with two people, 48 and 60 pixels tall.
Loader streets() {
  return [](const std::string& path, bool) -> Result<Pixels> {
    test::Canvas canvas{kPicture, 130, 70000 + std::stoull(path.substr(path.rfind(' ') + 1))};
    canvas.place();
    canvas.person(40, kFeet, 48);
    canvas.person(110, kFeet, 60);
    return canvas.finish();
  };
}
std::vector<Area> people() { return {{30, kFeet - 48, 20, 48}, {97.5, kFeet - 60, 25, 60}}; }

hog::Model trained(const Context& context, Workers& workers, Observer& observer) {
  ChannelSettings settings;
  settings.geometry = {kWidth, kHeight, 6, 8, 20, 48, Scaling::octaves};
  settings.channels = {6, false, true, false};
  settings.rounds = {48};
  settings.pool = 600;
  settings.boost.sample = 100;
  settings.first_negatives = 600;
  const auto open = [&](const char* kind, int number) {
    Result<PictureSet> set = PictureSet::open(
        test::names(kind, 0, number), test::made_pictures(kWidth, kHeight), {}, "", observer);
    TEST_ASSERT_OK(set);
    return *std::move(set);
  };
  PictureSet crops = open("crop", 60), places = open("place", 20);
  const SystemClock clock;
  Session session{clock, {}, "channels", text_of(settings), 0};
  Result<hog::Model> model =
      train_channels(context, workers, settings, crops, places, session, observer);
  TEST_ASSERT_OK(model);
  return *std::move(model);
}

struct Searched {
  std::size_t found = 0;
  double learners = 0;  // per window
};

/// By the engine itself: who is found, and with how much work.
Searched search(const Context& context, Workers& workers, const hog::Model& model,
                const RejectionSettings& settings, PictureSet& pictures) {
  Searched out;
  const auto engine = hog::make_engine(context, workers, model, settings.search, kPicture, 130);
  TEST_ASSERT_OK(engine);
  std::int64_t learners = 0, windows = 0;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const auto picture = pictures.get(i);
    const auto hits = (*engine)->search((*picture)->view(), settings.threshold);
    TEST_ASSERT_OK(hits);
    for (const Area& person : people()) {
      bool is_found = false;
      for (int h = 0; h < hits->count; ++h) {
        const auto place = (*engine)->plan().place(hits->data[h].window);
        const Detection b =
            (*engine)->plan().box(model.geometry(), place.level, place.x, place.y, 0);
        const double w = std::min(person.x + person.w, double{b.x} + double{b.w}) -
                         std::max(person.x, double{b.x});
        const double h2 = std::min(person.y + person.h, double{b.y} + double{b.h}) -
                          std::max(person.y, double{b.y});
        const double both = std::max(w, 0.0) * std::max(h2, 0.0);
        is_found |=
            both / (person.w * person.h + double{b.w} * double{b.h} - both) >= settings.overlap;
      }
      out.found += is_found ? 1 : 0;
    }
    const auto work = (*engine)->count_work((*picture)->view());
    TEST_ASSERT_OK(work);
    learners += work->learners;
    windows += work->windows;
  }
  out.learners = static_cast<double>(learners) / static_cast<double>(windows);
  return out;
}

TEST(a_model_rejects_sooner_and_finds_whom_it_says) {
  const Result<Context> context = Context::create(BackendChoice::cpu);
  TEST_ASSERT_OK(context);
  Workers workers{2};
  Observer observer;
  const hog::Model model = trained(*context, workers, observer);
  Result<PictureSet> pictures =
      PictureSet::open(test::names("street", 0, 20), streets(), {}, "", observer);
  TEST_ASSERT_OK(pictures);
  RejectionSettings settings;
  settings.search.scale_step = 1.1;
  settings.search.stride = 4;
  settings.threshold = 2;
  settings.windows_most = 1000000;
  const std::vector<std::vector<Area>> truth(20, people());
  const Searched before = search(*context, workers, model, settings, *pictures);
  TEST_ASSERT_GREATER_THAN(30, before.found);  // the test's own sense
  double last = before.learners;
  for (const double keep : {1.0, 0.9}) {
    settings.keep = keep;
    const Result<Rejection> made =
        set_rejection(*context, workers, model, *pictures, truth, settings, observer);
    TEST_ASSERT_OK(made);
    TEST_ASSERT_EQUAL(40, made->people);
    TEST_ASSERT_EQUAL(before.found, made->found);
    TEST_ASSERT_TRUE(static_cast<double>(made->kept) >= keep * static_cast<double>(made->found));
    const Searched after = search(*context, workers, made->model, settings, *pictures);
    TEST_ASSERT_EQUAL(made->kept, after.found);
    TEST_ASSERT_TRUE(after.learners < last);
    last = after.learners;
    // Scores are as before: the last stage is.
    const auto& was = std::get<hog::CascadeModel>(model.kind).stages;
    const auto& is = std::get<hog::CascadeModel>(made->model.kind).stages;
    TEST_ASSERT_EQUAL(was.back().threshold, is.back().threshold);
  }
}

TEST(what_is_no_cascade_of_trees_or_finds_nobody_is_refused) {
  const Result<Context> context = Context::create(BackendChoice::cpu);
  TEST_ASSERT_OK(context);
  Workers workers{1};
  Observer observer;
  Result<PictureSet> pictures =
      PictureSet::open(test::names("street", 0, 2), streets(), {}, "", observer);
  TEST_ASSERT_OK(pictures);
  hog::Model dense;
  dense.kind = hog::DenseModel{};
  const std::vector<std::vector<Area>> nobody(2);
  const auto refused = set_rejection(*context, workers, dense, *pictures, nobody, {}, observer);
  TEST_ASSERT_FALSE(refused);
  TEST_ASSERT_EQUAL(Errc::invalid_argument, refused.error().code);
  const hog::Model model = trained(*context, workers, observer);
  const std::vector<std::vector<Area>> hidden(2, {{60, 10, 10, 24}}), too_few(1, people());
  for (const auto& wrong : {nobody, hidden, too_few}) {
    const auto none = set_rejection(*context, workers, model, *pictures, wrong, {}, observer);
    TEST_ASSERT_FALSE(none);
    TEST_ASSERT_EQUAL(Errc::invalid_argument, none.error().code);
  }
}

}  // namespace
