// SPDX-License-Identifier: Apache-2.0
#include "firmware/pipeline/camera_pipeline.hpp"

#include <functional>
#include <thread>

#include "hal/fake/frame_source.hpp"
#include "hal/fake/log.hpp"
#include "tests/support/unity.hpp"

using namespace kerb;
using std::chrono::milliseconds;
using std::chrono::seconds;

void setUp() {}
void tearDown() {}

namespace {

/// Grey pictures as they are; slow or failing when told to be.
class PlainPreparer final : public ImagePreparer {
 public:
  Result<PreparedImage> prepare(const RawImageView<Space::host>& image) override {
    if (pause.load() > 0) std::this_thread::sleep_for(milliseconds{pause.load()});
    if (broken) return Error{Errc::device, 700, "launch"};
    PreparedImage out;
    out.grey = {image.data, image.width, image.height, image.row_stride};
    return out;
  }
  [[nodiscard]] const char* backend() const noexcept override { return "plain"; }
  std::atomic<int> pause{0};
  std::atomic<bool> broken{false};
};

class OnePerson final : public Detector {
 public:
  Status detect(const PreparedImage&, DetectionList& out) override {
    out.count = 1;
    out.items[0] = {1, 2, 3, 4, 5};
    ++calls;
    return Done{};
  }
  [[nodiscard]] const char* name() const noexcept override { return "one person"; }
  std::atomic<int> calls{0};
};

struct Desk {
  SystemClock clock;
  FakeLog log;
  FakeFrameSource* camera = nullptr;
  PlainPreparer* preparer = nullptr;
  OnePerson* detector = nullptr;
  std::unique_ptr<CameraPipeline> pipeline;

  explicit Desk(HandOver hand_over = HandOver::newest, bool with_detector = false) {
    auto source = std::make_unique<FakeFrameSource>(clock);
    camera = source.get();
    auto preparing = std::make_unique<PlainPreparer>();
    preparer = preparing.get();
    std::unique_ptr<OnePerson> detecting;
    if (with_detector) detecting = std::make_unique<OnePerson>();
    detector = detecting.get();
    StageBudgets budgets;
    budgets.of.fill(seconds{10});
    const SourceOpener never = []() -> Result<std::unique_ptr<FrameSource>> {
      return Error{Errc::not_found, 0, "open"};
    };
    pipeline = std::make_unique<CameraPipeline>(
        std::make_unique<ReopeningSource>(std::move(source), FrameSourceInfo{}, never, clock, log),
        std::move(preparing), std::move(detecting), budgets, hand_over, clock);
  }
  /// Waits, at most ten seconds, until the facts are so.
  bool until(const std::function<bool(const PipelineFacts&)>& so) const {
    for (int i = 0; i < 5000; ++i) {
      if (so(pipeline->facts())) return true;
      std::this_thread::sleep_for(milliseconds{2});
    }
    return false;
  }
};

void test_every_frame_of_a_recording_goes_through_to_the_last() {
  Desk d{HandOver::every};
  d.camera->push(200, Nanos{1});
  d.camera->end_after_script();
  d.pipeline->start();
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.ended; }));
  TEST_ASSERT_EQUAL_UINT64(200, d.pipeline->facts().processed);
  TEST_ASSERT_EQUAL_UINT64(0, d.pipeline->facts().skipped);
  TEST_ASSERT_EQUAL_UINT64(200, d.pipeline->stage(Stage::total).frames);
  TEST_ASSERT_EQUAL_UINT64(0, d.pipeline->stage(Stage::detect).frames);
  TEST_ASSERT_NULL(d.pipeline->detector());
}

void test_a_recording_is_not_late_for_being_old() {
  Desk d{HandOver::every};
  FakeFrame old;
  old.captured = d.clock.now() - std::chrono::hours{1};
  d.camera->push(old);
  d.camera->end_after_script();
  d.pipeline->start();
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.ended; }));
  TEST_ASSERT_EQUAL_UINT64(1, d.pipeline->stage(Stage::total).frames);
  TEST_ASSERT_EQUAL_UINT64(0, d.pipeline->stage(Stage::total).over_budget);
}

void test_a_slow_stage_skips_frames_rather_than_fall_behind() {
  Desk d;
  d.preparer->pause = 50;
  d.camera->push(60, milliseconds{5});
  d.pipeline->start();
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.camera.delivered == 60; }));
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.processed + f.skipped == 60; }));
  d.pipeline->stop();
  TEST_ASSERT_GREATER_THAN_UINT64(30, d.pipeline->facts().skipped);
  TEST_ASSERT_EQUAL_INT(0, d.camera->loans());  // every buffer went back
}

void test_the_detector_gets_every_prepared_picture() {
  Desk d{HandOver::every, true};
  d.camera->push(20, Nanos{1});
  d.camera->end_after_script();
  d.pipeline->start();
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.ended; }));
  TEST_ASSERT_EQUAL_INT(20, d.detector->calls);
  TEST_ASSERT_EQUAL_UINT64(20, d.pipeline->stage(Stage::detect).frames);
  TEST_ASSERT_EQUAL_STRING("one person", d.pipeline->detector());
}

void test_each_trouble_of_the_camera_shows_as_its_condition() {
  Desk d;
  d.camera->push();
  d.pipeline->start();
  TEST_ASSERT_TRUE(
      d.until([](const PipelineFacts& f) { return f.condition == CameraCondition::delivering; }));
  TEST_ASSERT_TRUE(
      d.until([](const PipelineFacts& f) { return f.condition == CameraCondition::silent; }));
  for (int i = 0; i < 50; ++i) d.camera->fail_next({Errc::no_signal, 0, "no signal"});
  TEST_ASSERT_TRUE(
      d.until([](const PipelineFacts& f) { return f.condition == CameraCondition::no_signal; }));
  d.camera->push();
  TEST_ASSERT_TRUE(
      d.until([](const PipelineFacts& f) { return f.condition == CameraCondition::delivering; }));
  d.camera->fail_next({Errc::gone, 19, "unplugged"});
  TEST_ASSERT_TRUE(
      d.until([](const PipelineFacts& f) { return f.condition == CameraCondition::gone; }));
}

void test_both_threads_beat_even_without_a_frame() {
  Desk d;
  d.pipeline->start();
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.capture_beats > 5; }));
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.process_beats > 5; }));
}

void test_failing_operators_are_told_and_forgotten_when_they_work_again() {
  Desk d;
  d.preparer->broken = true;
  d.camera->push();
  d.pipeline->start();
  TEST_ASSERT_TRUE(d.until(
      [](const PipelineFacts& f) { return f.vision_error == static_cast<int>(Errc::device); }));
  TEST_ASSERT_EQUAL_UINT64(0, d.pipeline->facts().processed);
  d.preparer->broken = false;
  d.camera->push();
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.vision_error == -1; }));
}

void test_it_stops_at_any_moment_and_gives_every_buffer_back() {
  for (int i = 0; i < 20; ++i) {
    Desk d;
    d.camera->push(100, milliseconds{1});
    d.pipeline->start();
    std::this_thread::sleep_for(milliseconds{i});
    d.pipeline->stop();
    TEST_ASSERT_EQUAL_INT(0, d.camera->loans());
  }
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_every_frame_of_a_recording_goes_through_to_the_last);
  RUN_TEST(test_a_recording_is_not_late_for_being_old);
  RUN_TEST(test_a_slow_stage_skips_frames_rather_than_fall_behind);
  RUN_TEST(test_the_detector_gets_every_prepared_picture);
  RUN_TEST(test_each_trouble_of_the_camera_shows_as_its_condition);
  RUN_TEST(test_both_threads_beat_even_without_a_frame);
  RUN_TEST(test_failing_operators_are_told_and_forgotten_when_they_work_again);
  RUN_TEST(test_it_stops_at_any_moment_and_gives_every_buffer_back);
  return UNITY_END();
}
