// SPDX-License-Identifier: Apache-2.0
// The stage `spectral` in its place: between what is sensed and who is followed, within its budget,
// and failing. Time moves only where the matcher takes some.
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "firmware/pipeline/camera_pipeline.hpp"
#include "hal/fake/frame_source.hpp"
#include "hal/fake/log.hpp"
#include "hal/fake/spectral_matcher.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/control/road.hpp"
#include "tests/unit/firmware/control/step_clock.hpp"

using namespace kerb;
using std::chrono::milliseconds;

namespace {

/// What the tracker was given, frame by frame.
class Diary final : public PeopleSink {
 public:
  struct Page {
    Nanos captured{};
    int likenesses = 0, looks = 0, people = 0;
  };
  explicit Diary(const FakeSpectralMatcher* matcher) : matcher_{matcher} {}
  void before(Nanos, const track::Senses& senses, const PeopleEstimator&) noexcept override {
    pages.push_back(
        {senses.captured, senses.likenesses, matcher_ != nullptr ? matcher_->looks.load() : 0, 0});
  }
  void after(Nanos, const risk::PeopleReport& report, const PreparedImage&) noexcept override {
    pages.back().people = report.people.count;
  }
  std::vector<Page> pages;

 private:
  const FakeSpectralMatcher* matcher_;
};

/// One person ahead, in every frame.
struct Desk {
  static constexpr Nanos kBudget = milliseconds{4}, kFrame = milliseconds{33};

  explicit Desk(HandOver hand_over = HandOver::newest, bool with_bands = true) {
    auto source = std::make_unique<FakeFrameSource>(clock);
    camera = source.get();
    auto crowd = std::make_unique<test::Crowd>();
    crowd->show({{.x_m = 15}});
    std::unique_ptr<SpectralSearch> spectral;
    if (with_bands) {
      auto made = std::make_unique<FakeSpectralMatcher>();
      matcher = made.get();
      matcher->says.x = 319.5F;
      spectral = std::make_unique<SpectralSearch>(std::move(made), kBudget);
    }
    StageBudgets budgets;
    budgets.of[static_cast<std::size_t>(Stage::spectral)] = kBudget;
    const SourceOpener never = []() -> Result<std::unique_ptr<FrameSource>> {
      return Error{Errc::not_found, 0, "open"};
    };
    pipeline = std::make_unique<CameraPipeline>(
        std::make_unique<ReopeningSource>(std::move(source), FrameSourceInfo{}, never, clock, log),
        std::make_unique<test::GreyPreparer>(), std::move(crowd), budgets, hand_over, clock,
        nullptr, test::road_watch(CarSettings{}), std::move(spectral));
    diary = std::make_unique<Diary>(matcher);
    pipeline->set_sink(diary.get());
  }
  /// So long does each look and each lesson take.
  void takes(Nanos look, Nanos learn) {
    matcher->at_search = [this, look] { clock.advance(look); };
    matcher->at_learn = [this, learn] { clock.advance(learn); };
  }
  /// Shows frames, each seen through to its end before the next.
  void show(int frames) {
    pipeline->start();
    for (int i = 0; i < frames; ++i) {
      clock.advance(kFrame);
      camera->push();
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
      while (camera->waiting() > 0 || camera->loans() > 0) {
        TEST_ASSERT_TRUE_MESSAGE(std::chrono::steady_clock::now() < end, "a frame gets stuck");
        std::this_thread::sleep_for(std::chrono::microseconds{50});
      }
    }
  }
  /// The camera is told first: it waits by a clock that stands still.
  void stop() {
    camera->end_after_script();
    pipeline->stop();
  }
  ~Desk() { stop(); }
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;
  [[nodiscard]] StageReport spectral() const { return pipeline->stage(Stage::spectral); }

  test::StepClock clock;
  FakeLog log;
  FakeFrameSource* camera = nullptr;
  FakeSpectralMatcher* matcher = nullptr;
  std::unique_ptr<Diary> diary;
  std::unique_ptr<CameraPipeline> pipeline;
};

/// The frame from which on somebody is looked for.
int first_look(const Desk& d) {
  for (std::size_t i = 0; i < d.diary->pages.size(); ++i)
    if (d.diary->pages[i].looks > 0) return static_cast<int>(i);
  TEST_FAIL_MESSAGE("nobody was ever looked for");
  return -1;
}

TEST(it_looks_before_the_tracker_and_learns_after_people_are_told) {
  Desk d;
  std::vector<bool> told_first;
  d.matcher->at_learn = [&] {
    told_first.push_back(d.pipeline->people().at == d.diary->pages.back().captured);
  };
  d.show(20);
  d.stop();
  TEST_ASSERT_EQUAL_STRING("fake", d.pipeline->spectral());
  TEST_ASSERT_EQUAL_UINT64(20, d.spectral().frames);
  const int first = first_look(d);
  TEST_ASSERT_TRUE(first > 0);  // learned at first
  for (int i = 0; i < 20; ++i) {
    const Diary::Page& page = d.diary->pages[static_cast<std::size_t>(i)];
    TEST_ASSERT_EQUAL_INT(i < first ? 0 : i - first + 1, page.looks);
    TEST_ASSERT_EQUAL_INT(i < first ? 0 : 1, page.likenesses);
  }
  TEST_ASSERT_EQUAL_INT(20 - first + 1, d.matcher->learned[0]);
  TEST_ASSERT_FALSE(told_first.empty());
  for (const bool so : told_first) TEST_ASSERT_TRUE(so);
  const SpectralTotals totals = d.pipeline->facts().spectral;
  TEST_ASSERT_EQUAL_UINT64(d.matcher->looks, totals.frames);
  TEST_ASSERT_EQUAL_UINT64(d.matcher->looks, totals.searches);
  TEST_ASSERT_EQUAL_UINT64(0, totals.passed);
}

TEST(its_time_is_its_own_and_not_the_trackers) {
  Desk d;
  d.takes(milliseconds{2}, milliseconds{1});
  d.show(20);
  d.stop();
  TEST_ASSERT_EQUAL_INT64(Nanos{milliseconds{3}}.count(), d.spectral().max.count());
  TEST_ASSERT_EQUAL_UINT64(0, d.spectral().over_budget);
  TEST_ASSERT_EQUAL_INT64(0, d.pipeline->stage(Stage::track).max.count());
  TEST_ASSERT_EQUAL_INT64(Nanos{milliseconds{3}}.count(),
                          d.pipeline->stage(Stage::total).max.count());
  TEST_ASSERT_EQUAL_UINT64(0, d.pipeline->facts().spectral.passed);
}

TEST(over_its_budget_frames_are_left_out_and_people_are_followed_in_all) {
  Desk d;
  d.takes(milliseconds{9}, milliseconds{3});  // three budgets
  d.show(62);
  d.stop();
  const SpectralTotals totals = d.pipeline->facts().spectral;
  TEST_ASSERT_INT_WITHIN(2, 20, static_cast<int>(totals.frames));  // of 60, a third
  TEST_ASSERT_INT_WITHIN(3, 40, static_cast<int>(totals.passed));
  TEST_ASSERT_EQUAL_UINT64(totals.frames, d.spectral().over_budget);
  TEST_ASSERT_EQUAL_UINT64(62, d.spectral().frames);
  TEST_ASSERT_EQUAL_UINT64(62, d.pipeline->facts().processed);
  for (std::size_t i = 5; i < d.diary->pages.size(); ++i)
    TEST_ASSERT_EQUAL_INT(1, d.diary->pages[i].people);
  TEST_ASSERT_EQUAL_INT(-1, d.pipeline->facts().spectral_error);
}

TEST(a_recording_waits_for_it) {
  Desk d{HandOver::every};
  d.takes(milliseconds{9}, milliseconds{3});
  d.show(30);
  d.stop();
  const SpectralTotals totals = d.pipeline->facts().spectral;
  TEST_ASSERT_EQUAL_UINT64(0, totals.passed);
  TEST_ASSERT_EQUAL_UINT64(30 - static_cast<std::uint64_t>(first_look(d)), totals.frames);
}

TEST(while_it_fails_people_are_followed_without_and_after_it_as_before) {
  Desk d;
  d.show(10);
  const int looks = d.matcher->looks;
  TEST_ASSERT_TRUE(looks > 0);
  TEST_ASSERT_EQUAL_INT(-1, d.pipeline->facts().spectral_error);
  d.matcher->broken = true;
  for (int i = 0; i < 10; ++i) {
    d.show(1);
    TEST_ASSERT_EQUAL_INT(static_cast<int>(Errc::device), d.pipeline->facts().spectral_error);
    TEST_ASSERT_EQUAL_INT(-1, d.pipeline->facts().vision_error);
    TEST_ASSERT_EQUAL_INT(0, d.diary->pages.back().likenesses);
    TEST_ASSERT_EQUAL_INT(1, d.diary->pages.back().people);
  }
  d.matcher->broken = false;
  d.show(1);
  TEST_ASSERT_EQUAL_INT(-1, d.pipeline->facts().spectral_error);
  TEST_ASSERT_EQUAL_INT(1, d.diary->pages.back().likenesses);
  TEST_ASSERT_EQUAL_INT(looks + 1, d.matcher->looks);
  d.stop();
  const risk::PeopleReport& report = d.pipeline->people();
  TEST_ASSERT_EQUAL_INT(1, report.people.count);
  TEST_ASSERT_TRUE(report.people.items[0].confirmed);
  TEST_ASSERT_TRUE(d.log.lines().empty());  // whoever handles it tells it, once
}

TEST(failing_slowly_is_kept_within_the_budget_too) {
  Desk d;
  d.show(5);
  d.takes(milliseconds{40}, milliseconds{0});  // a time-out
  d.matcher->broken = true;
  d.show(40);
  d.stop();
  TEST_ASSERT_TRUE(d.pipeline->facts().spectral.passed >= 33);  // tried in one of ten
  TEST_ASSERT_EQUAL_INT(static_cast<int>(Errc::device), d.pipeline->facts().spectral_error);
}

TEST(without_bands_there_is_no_such_stage) {
  Desk d{HandOver::newest, false};
  d.show(10);
  d.stop();
  TEST_ASSERT_NULL(d.pipeline->spectral());
  TEST_ASSERT_EQUAL_UINT64(0, d.spectral().frames);
  TEST_ASSERT_EQUAL_UINT64(10, d.pipeline->stage(Stage::track).frames);
  TEST_ASSERT_EQUAL_INT(0, d.diary->pages.back().likenesses);
}

}  // namespace
