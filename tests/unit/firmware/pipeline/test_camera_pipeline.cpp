// SPDX-License-Identifier: Apache-2.0
#include "firmware/pipeline/camera_pipeline.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "hal/fake/flow_estimator.hpp"
#include "hal/fake/frame_source.hpp"
#include "hal/fake/log.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/control/road.hpp"

using namespace kerb;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

/// Grey pictures as they are; held up or failing when told to be.
class PlainPreparer final : public ImagePreparer {
 public:
  Result<PreparedImage> prepare(const RawImageView<Space::host>& image) override {
    while (holding) std::this_thread::sleep_for(milliseconds{1});
    if (broken) return Error{Errc::device, 700, "launch"};
    PreparedImage out;
    out.grey = {image.data, image.width, image.height, image.row_stride};
    return out;
  }
  [[nodiscard]] const char* backend() const noexcept override { return "plain"; }
  std::atomic<bool> holding{false};
  std::atomic<bool> broken{false};
};

class OnePerson final : public Detector {
 public:
  Status detect(const PreparedImage&, DetectionList& out) override {
    out.count = 1;
    out.items[0] = box;
    out.items[0].score += static_cast<float>(++calls);
    if (broken) return Error{Errc::device, 700, "launch"};
    return Done{};
  }
  [[nodiscard]] const char* name() const noexcept override { return "one person"; }
  [[nodiscard]] bool needs_motion() const noexcept override { return wants_motion; }
  void set_motion(const MotionField* motion) noexcept override {
    vectors.push_back(motion == nullptr ? -1 : motion->count);
  }
  Detection box{1, 2, 3, 4, 0};  // before the pipeline starts
  bool wants_motion = false;     // the same
  std::vector<int> vectors;      // given for each frame; -1: none
  std::atomic<int> calls{0};
  std::atomic<bool> broken{false};
};

/// What the pipeline told, frame by frame.
class Diary final : public PeopleSink {
 public:
  struct Page {
    Nanos captured{}, reported{};
    int boxes = -1, people = -1;
    const std::uint8_t* picture = nullptr;
    bool looked = false;
    Nanos looked_at{};
    double ahead_m = 0;  // of the first person
  };
  void before(Nanos, const track::Senses& senses, const PeopleEstimator&) noexcept override {
    pages.push_back({});
    pages.back().captured = senses.captured;
    pages.back().boxes = senses.count;
    pages.back().looked = senses.looked;
    if (at_before) at_before();
  }
  void after(Nanos, const risk::PeopleReport& report,
             const PreparedImage& image) noexcept override {
    pages.back().reported = report.at;
    pages.back().looked_at = report.looked_at;
    pages.back().ahead_m = report.people.items[0].x_m;
    pages.back().people = report.people.count;
    pages.back().picture = image.grey.data;
    ++ends;
  }
  std::vector<Page> pages;
  int ends = 0;
  std::function<void()> at_before;
};

struct Desk {
  SystemClock clock;
  FakeLog log;
  FakeFrameSource* camera = nullptr;
  PlainPreparer* preparer = nullptr;
  OnePerson* detector = nullptr;
  FakeFlowEstimator* flow = nullptr;
  std::unique_ptr<CameraPipeline> pipeline;

  explicit Desk(HandOver hand_over = HandOver::newest, bool with_detector = false,
                bool with_motion = false, bool with_watch = false) {
    auto source = std::make_unique<FakeFrameSource>(clock);
    camera = source.get();
    auto preparing = std::make_unique<PlainPreparer>();
    preparer = preparing.get();
    std::unique_ptr<OnePerson> detecting;
    if (with_detector) detecting = std::make_unique<OnePerson>();
    detector = detecting.get();
    std::unique_ptr<ego::MotionEstimator> motion;
    if (with_motion) {
      auto measuring = std::make_unique<FakeFlowEstimator>();
      flow = measuring.get();
      flow->scene = [](MotionField& field) {  // nothing moves
        for (field.count = 0; field.count < 400; ++field.count) {
          FlowVector& v = field.items[field.count];
          v.x = static_cast<float>(field.count % 20) * 32;
          v.y = static_cast<float>(field.count / 20) * 18;
        }
      };
      motion = std::make_unique<ego::MotionEstimator>(
          std::move(measuring), Camera{}, ego::EgoSettings{}, ego::MotionEstimatorSettings{});
    }
    StageBudgets budgets;
    budgets.of.fill(seconds{10});
    const SourceOpener never = []() -> Result<std::unique_ptr<FrameSource>> {
      return Error{Errc::not_found, 0, "open"};
    };
    pipeline = std::make_unique<CameraPipeline>(
        std::make_unique<ReopeningSource>(std::move(source), FrameSourceInfo{}, never, clock, log),
        std::move(preparing), std::move(detecting), budgets, hand_over, clock, std::move(motion),
        with_watch ? test::road_watch(CarSettings{}) : nullptr);
  }
  ~Desk() { preparer->holding = false; }
  /// Waits, at most ten seconds, until the facts are so. Before each look `feed` may give the
  /// camera more to do: what passes by itself could be over before this thread gets to look.
  bool until(
      const std::function<bool(const PipelineFacts&)>& so,
      const std::function<void()>& feed = [] {}) const {
    for (int i = 0; i < 5000; ++i) {
      feed();
      if (so(pipeline->facts())) return true;
      std::this_thread::sleep_for(milliseconds{2});
    }
    return false;
  }
};

TEST(every_frame_of_a_recording_goes_through_to_the_last) {
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

TEST(a_recording_is_not_late_for_being_old) {
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

TEST(a_slow_stage_skips_frames_rather_than_fall_behind) {
  Desk d;
  d.preparer->holding = true;
  d.camera->push(60, milliseconds{1});
  d.pipeline->start();
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.camera.delivered == 60; }));
  d.preparer->holding = false;
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.processed + f.skipped == 60; }));
  d.pipeline->stop();
  // The one being held, and the newest.
  TEST_ASSERT_LESS_OR_EQUAL_UINT64(2, d.pipeline->facts().processed);
  TEST_ASSERT_EQUAL_INT(0, d.camera->loans());  // every buffer went back
}

TEST(the_detector_gets_every_prepared_picture) {
  Desk d{HandOver::every, true};
  d.camera->push(20, Nanos{1});
  d.camera->end_after_script();
  d.pipeline->start();
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.ended; }));
  TEST_ASSERT_EQUAL_INT(20, d.detector->calls);
  TEST_ASSERT_EQUAL_UINT64(20, d.pipeline->stage(Stage::detect).frames);
  TEST_ASSERT_EQUAL_STRING("one person", d.pipeline->detector());
}

TEST(motion_is_measured_and_judged_with_what_the_car_tells) {
  Desk d{HandOver::every, true, true};
  TEST_ASSERT_EQUAL_STRING("fake", d.pipeline->flow());
  TEST_ASSERT_EQUAL_INT64(0, d.pipeline->motion().at.count());
  d.pipeline->set_vehicle(d.clock.now(), {0.0, 0.0});
  d.camera->push(20, milliseconds{10});
  d.camera->end_after_script();
  d.pipeline->start();
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.ended; }));
  TEST_ASSERT_EQUAL_INT(20, d.flow->calls);
  TEST_ASSERT_EQUAL_UINT64(20, d.pipeline->stage(Stage::flow).frames);
  TEST_ASSERT_EQUAL_UINT64(20, d.pipeline->stage(Stage::motion).frames);
  const ego::MotionReport& report = d.pipeline->motion();
  TEST_ASSERT_EQUAL_STRING("valid", name_of(report.ego.state));
  TEST_ASSERT_EQUAL_STRING("none", name_of(report.ego.travel));
  TEST_ASSERT_TRUE(report.ego.speed_mps.has_value());
  TEST_ASSERT_EQUAL_UINT64(20, report.totals.frames);
  TEST_ASSERT_EQUAL_UINT64(19, report.totals.valid);
  TEST_ASSERT_EQUAL_INT(1, report.people);
}

TEST(people_are_still_found_when_the_flow_fails) {
  Desk d{HandOver::every, true, true};
  d.flow->fail_next = Error{Errc::device, 700, "launch"};
  d.camera->push(1, milliseconds{10});
  d.camera->end_after_script();
  d.pipeline->start();
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.ended; }));
  TEST_ASSERT_EQUAL_INT(1, d.detector->calls);
  TEST_ASSERT_EQUAL_INT(1, d.pipeline->detections().people.count);
  TEST_ASSERT_EQUAL_INT(static_cast<int>(Errc::device), d.pipeline->facts().flow_error);
  TEST_ASSERT_EQUAL_INT(-1, d.pipeline->facts().vision_error);
  TEST_ASSERT_EQUAL_UINT64(1, d.pipeline->facts().processed);
}

// Whoever warns does not wait for the flow; and the flow judges the people of its own frame.
TEST(people_are_published_before_the_motion_is_looked_at) {
  Desk d{HandOver::every, true, true};
  std::vector<float> seen;  // the newest sighting when the flow begins, by its number
  std::vector<int> detected;
  d.flow->at_call = [&] {
    detected.push_back(d.detector->calls);
    seen.push_back(d.pipeline->detections().people.items[0].score);
  };
  d.camera->push(20, milliseconds{10});
  d.camera->end_after_script();
  d.pipeline->start();
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.ended; }));
  d.pipeline->stop();
  TEST_ASSERT_EQUAL_INT(20, seen.size());
  for (int i = 0; i < 20; ++i) {
    TEST_ASSERT_EQUAL_INT(i + 1, detected[static_cast<std::size_t>(i)]);
    TEST_ASSERT_EQUAL_FLOAT(static_cast<float>(i + 1), seen[static_cast<std::size_t>(i)]);
  }
  TEST_ASSERT_EQUAL_INT(1, d.pipeline->motion().people);
  TEST_ASSERT_EQUAL_FLOAT(20, d.pipeline->motion().boxes[0].score);
}

// ... unless the detector needs the motion since its last picture.
TEST(a_detector_that_needs_motion_gets_it_first) {
  Desk d{HandOver::every, true, true};
  d.detector->wants_motion = true;
  std::vector<int> detected;  // frames when the flow begins
  d.flow->at_call = [&] {
    detected.push_back(d.detector->calls);
    // The sixth frame fails; the seventh is then a first one.
    if (detected.size() == 6) d.flow->fail_next = Error{Errc::device, 700, "launch"};
  };
  d.camera->push(12, milliseconds{10});
  d.camera->end_after_script();
  d.pipeline->start();
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.ended; }));
  d.pipeline->stop();
  TEST_ASSERT_EQUAL_INT(12, d.detector->calls);
  TEST_ASSERT_EQUAL_INT(12, detected.size());
  TEST_ASSERT_EQUAL_INT(12, d.detector->vectors.size());
  for (int i = 0; i < 12; ++i) {
    TEST_ASSERT_EQUAL_INT(i, detected[static_cast<std::size_t>(i)]);
    const bool known = i != 0 && i != 5 && i != 6;
    TEST_ASSERT_EQUAL_INT(known ? 400 : -1, d.detector->vectors[static_cast<std::size_t>(i)]);
  }
  TEST_ASSERT_EQUAL_UINT64(11, d.pipeline->stage(Stage::motion).frames);
  TEST_ASSERT_EQUAL_INT(1, d.pipeline->motion().people);
}

TEST(a_detector_that_does_not_is_told_nothing) {
  Desk d{HandOver::every, true, true};
  d.camera->push(3, milliseconds{10});
  d.camera->end_after_script();
  d.pipeline->start();
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.ended; }));
  d.pipeline->stop();
  TEST_ASSERT_EQUAL_INT(0, d.detector->vectors.size());
}

/// Somebody 15 metres ahead whom the detector is sure of.
Detection sure() {
  Detection box = *test::box_of(test::road_camera(), {.x_m = 15, .y_m = 1});
  box.score = 20;
  return box;
}

TEST(whom_the_detector_finds_is_followed_and_every_frame_has_its_report) {
  Desk d{HandOver::every, true, false, true};
  d.detector->box = sure();
  TEST_ASSERT_TRUE(d.pipeline->follows());
  TEST_ASSERT_EQUAL_INT64(0, d.pipeline->people().at.count());
  Diary diary;
  d.pipeline->set_sink(&diary);
  d.pipeline->set_vehicle(d.clock.now(), {5.0, 0.0});
  d.camera->push(20, milliseconds{10});
  d.camera->end_after_script();
  d.pipeline->start();
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.ended; }));
  d.pipeline->stop();
  TEST_ASSERT_EQUAL_UINT64(20, d.pipeline->stage(Stage::track).frames);
  TEST_ASSERT_EQUAL_UINT64(20, d.pipeline->stage(Stage::total).frames);
  const risk::PeopleReport& report = d.pipeline->people();
  TEST_ASSERT_TRUE(report.path_known);
  TEST_ASSERT_DOUBLE_WITHIN(0.01, 5, report.speed_mps);
  TEST_ASSERT_EQUAL_INT(1, report.people.count);
  TEST_ASSERT_TRUE(report.people.items[0].confirmed);
  TEST_ASSERT_TRUE(report.people.items[0].seen);
  TEST_ASSERT_DOUBLE_WITHIN(3, 15, report.people.items[0].x_m);

  // The sink was told of each frame once, before and after, with the frame's own picture.
  TEST_ASSERT_EQUAL_size_t(20, diary.pages.size());
  TEST_ASSERT_EQUAL_INT(20, diary.ends);
  for (std::size_t i = 0; i < diary.pages.size(); ++i) {
    const Diary::Page& page = diary.pages[i];
    TEST_ASSERT_TRUE(i == 0 || page.captured > diary.pages[i - 1].captured);
    TEST_ASSERT_TRUE(page.captured == page.reported);
    TEST_ASSERT_TRUE(page.looked);
    TEST_ASSERT_EQUAL_INT(1, page.boxes);
    TEST_ASSERT_EQUAL_INT(1, page.people);
    TEST_ASSERT_NOT_NULL(page.picture);
  }
  TEST_ASSERT_TRUE(diary.pages.back().captured == report.at);
}

TEST(a_frame_is_told_to_the_sink_before_anybody_else) {
  Desk d{HandOver::every, true, false, true};
  d.detector->box = sure();
  Diary diary;
  std::vector<Nanos> published;
  diary.at_before = [&] { published.push_back(d.pipeline->people().at); };
  d.pipeline->set_sink(&diary);
  d.camera->push(10, milliseconds{1});
  d.camera->end_after_script();
  d.pipeline->start();
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.ended; }));
  d.pipeline->stop();
  TEST_ASSERT_EQUAL_size_t(10, published.size());
  TEST_ASSERT_TRUE(published[0] == Nanos::zero());
  for (std::size_t i = 1; i < published.size(); ++i)
    TEST_ASSERT_TRUE(published[i] == diary.pages[i - 1].captured);
}

TEST(flow_and_motion_reach_who_follows) {
  Desk d{HandOver::every, true, true, true};
  d.detector->box = sure();
  d.pipeline->set_vehicle(d.clock.now(), {0.0, 0.0});
  d.camera->push(20, milliseconds{10});
  d.camera->end_after_script();
  d.pipeline->start();
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.ended; }));
  d.pipeline->stop();
  TEST_ASSERT_EQUAL_UINT64(20, d.pipeline->stage(Stage::motion).frames);
  TEST_ASSERT_EQUAL_UINT64(20, d.pipeline->stage(Stage::track).frames);
  TEST_ASSERT_EQUAL_INT(1, d.pipeline->people().people.count);
  TEST_ASSERT_EQUAL_INT(1, d.pipeline->motion().people);
  // Nothing moves in the picture: so they stand.
  TEST_ASSERT_DOUBLE_WITHIN(0.3, 0, d.pipeline->people().people.items[0].vx_mps);
  TEST_ASSERT_DOUBLE_WITHIN(0.3, 0, d.pipeline->people().people.items[0].vy_mps);
}

TEST(a_frame_the_detector_failed_on_is_not_followed) {
  Desk d{HandOver::newest, true, false, true};
  d.detector->box = sure();
  Diary diary;
  d.pipeline->set_sink(&diary);
  d.camera->push();
  d.pipeline->start();
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.processed == 1; }));
  const Nanos seen = d.pipeline->people().looked_at;
  d.detector->broken = true;
  d.camera->push();
  TEST_ASSERT_TRUE(d.until(
      [](const PipelineFacts& f) { return f.vision_error == static_cast<int>(Errc::device); }));
  d.pipeline->stop();
  TEST_ASSERT_TRUE(d.pipeline->people().looked_at == seen);
  TEST_ASSERT_EQUAL(1, std::count_if(diary.pages.begin(), diary.pages.end(),
                                     [](const Diary::Page& page) { return page.looked; }));
}

/// The pages since the last one with a picture: those of people who were carried on.
std::vector<Diary::Page> carried(const Diary& diary) {
  std::vector<Diary::Page> out;
  for (const Diary::Page& page : diary.pages) {
    if (page.looked) out.clear();
    if (!page.looked) out.push_back(page);
  }
  return out;
}

TEST(without_pictures_people_are_carried_on) {
  Desk d{HandOver::every, true, true, true};
  d.pipeline->set_live();
  d.detector->box = sure();
  Diary diary;
  d.pipeline->set_sink(&diary);
  d.pipeline->set_vehicle(d.clock.now(), {5.0, 0.0});
  d.camera->push(20, milliseconds{10});
  d.pipeline->start();
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.processed == 20; }));
  const std::uint64_t beats = d.pipeline->facts().capture_beats;
  TEST_ASSERT_TRUE(d.until([&](const PipelineFacts& f) { return f.capture_beats >= beats + 8; }));
  d.pipeline->stop();
  const std::vector<Diary::Page> pages = carried(diary);
  TEST_ASSERT_TRUE(pages.size() >= 3);
  const Diary::Page* before = &diary.pages[diary.pages.size() - pages.size() - 1];
  const Nanos looked = before->captured;
  for (const Diary::Page& page : pages) {
    TEST_ASSERT_TRUE(page.captured >= before->captured + milliseconds{100});
    TEST_ASSERT_TRUE(page.looked_at == looked);
    TEST_ASSERT_EQUAL_INT(0, page.boxes);
    TEST_ASSERT_EQUAL_INT(1, page.people);
    TEST_ASSERT_NULL(page.picture);
    const double passed = std::chrono::duration<double>{page.captured - before->captured}.count();
    TEST_ASSERT_DOUBLE_WITHIN(1 + passed, 5 * passed, before->ahead_m - page.ahead_m);
    before = &page;
  }
  TEST_ASSERT_TRUE(risk::is_carried(d.pipeline->people()));
}

/// A picture that came late may be of before the moment up to which people were carried on.
TEST(after_a_gap_people_are_seen_again) {
  Desk d{HandOver::every, true, true, true};
  d.pipeline->set_live();
  d.detector->box = sure();
  Diary diary;
  d.pipeline->set_sink(&diary);
  d.pipeline->set_vehicle(d.clock.now(), {0.0, 0.0});
  d.camera->push(20, milliseconds{10});
  d.pipeline->start();
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.processed == 20; }));
  const std::uint64_t beats = d.pipeline->facts().capture_beats;
  TEST_ASSERT_TRUE(d.until([&](const PipelineFacts& f) { return f.capture_beats >= beats + 4; }));
  d.camera->push(20, milliseconds{10});
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.processed == 40; }));
  d.pipeline->stop();
  for (std::size_t i = 1; i < diary.pages.size(); ++i) {
    TEST_ASSERT_TRUE(diary.pages[i].captured >= diary.pages[i - 1].captured);
    TEST_ASSERT_EQUAL_INT(1, diary.pages[i].people);  // none is lost, none is there twice
  }
}

TEST(pictures_that_show_nobody_carry_people_on) {
  for (const int fill : {255, 0, -1}) {  // white; black; the same again
    Desk d{HandOver::every, true, false, true};
    d.detector->box = sure();
    d.pipeline->set_picture_limits({245, 4, 0.5});
    Diary diary;
    d.pipeline->set_sink(&diary);
    d.pipeline->set_vehicle(d.clock.now(), {5.0, 0.0});
    const Nanos start = d.clock.now();
    for (int i = 0; i < 60; ++i) {
      const int grey = i < 20 ? 100 + i : fill < 0 ? 119 : fill;
      d.camera->push(
          {.captured = start + i * milliseconds{10}, .fill = static_cast<std::uint8_t>(grey)});
    }
    d.camera->end_after_script();
    d.pipeline->start();
    TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.ended; }));
    d.pipeline->stop();
    const std::vector<Diary::Page> pages = carried(diary);
    TEST_ASSERT_EQUAL_size_t(4, pages.size());  // of 400 ms, every 100 ms
    TEST_ASSERT_EQUAL_size_t(20 + pages.size(), diary.pages.size());
    TEST_ASSERT_EQUAL_INT(1, pages.back().people);
    TEST_ASSERT_EQUAL_UINT64(60, d.pipeline->facts().finished);
  }
}

TEST(without_a_watch_nobody_is_followed_and_the_sink_hears_nothing) {
  Desk d{HandOver::every, true, true};
  TEST_ASSERT_FALSE(d.pipeline->follows());
  Diary diary;
  d.pipeline->set_sink(&diary);
  d.camera->push(20, milliseconds{1});
  d.camera->end_after_script();
  d.pipeline->start();
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.ended; }));
  d.pipeline->stop();
  TEST_ASSERT_EQUAL_INT(20, d.detector->calls);
  TEST_ASSERT_EQUAL_UINT64(0, d.pipeline->stage(Stage::track).frames);
  TEST_ASSERT_EQUAL_INT64(0, d.pipeline->people().at.count());
  TEST_ASSERT_EQUAL_INT(0, d.pipeline->people().people.count);
  TEST_ASSERT_TRUE(diary.pages.empty());
}

TEST(each_trouble_of_the_camera_shows_as_its_condition) {
  Desk d;
  const auto is = [](CameraCondition condition) {
    return [condition](const PipelineFacts& f) { return f.condition == condition; };
  };
  const auto film = [&] {
    if (d.camera->waiting() < 2) d.camera->push();
  };
  const auto no_signal = [&] { d.camera->fail_next({Errc::no_signal, 0, "no signal"}); };
  d.pipeline->start();
  TEST_ASSERT_TRUE(d.until(is(CameraCondition::delivering), film));
  TEST_ASSERT_TRUE(d.until(is(CameraCondition::silent)));
  TEST_ASSERT_TRUE(d.until(is(CameraCondition::no_signal), no_signal));
  TEST_ASSERT_TRUE(d.until(is(CameraCondition::delivering), film));
  d.camera->fail_next({Errc::gone, 19, "unplugged"});
  TEST_ASSERT_TRUE(d.until(is(CameraCondition::gone)));
}

TEST(both_threads_beat_even_without_a_frame) {
  Desk d;
  d.pipeline->start();
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.capture_beats > 5; }));
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.process_beats > 5; }));
}

/// So their priorities are set by themselves, before they have anything to do.
TEST(each_thread_says_its_role_first_and_on_itself) {
  Desk d;
  std::mutex mutex;
  std::map<std::thread::id, std::vector<ThreadRole>> told;
  d.pipeline->set_thread_start([&](ThreadRole role) {
    const std::lock_guard lock{mutex};
    told[std::this_thread::get_id()].push_back(role);
  });
  d.camera->push(3, milliseconds{1});
  d.pipeline->start();
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.processed > 0; }));
  d.pipeline->stop();
  TEST_ASSERT_EQUAL(2, told.size());
  TEST_ASSERT_EQUAL(0, told.count(std::this_thread::get_id()));
  bool captures = false, sees = false;
  for (const auto& [id, roles] : told) {
    TEST_ASSERT_EQUAL(1, roles.size());
    captures = captures || roles[0] == ThreadRole::capture;
    sees = sees || roles[0] == ThreadRole::vision;
  }
  TEST_ASSERT_TRUE(captures && sees);
}

TEST(failing_operators_are_told_and_forgotten_when_they_work_again) {
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

TEST(a_failing_detector_is_told_and_its_people_are_not) {
  Desk d{HandOver::newest, true};
  TEST_ASSERT_TRUE(d.pipeline->detections().at == Nanos::zero());
  const Nanos start = d.clock.now();
  d.camera->push();
  d.pipeline->start();
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.processed == 1; }));
  const Nanos seen = d.pipeline->detections().at;
  TEST_ASSERT_TRUE(seen > start);
  TEST_ASSERT_EQUAL_INT(1, d.pipeline->detections().people.count);
  TEST_ASSERT_EQUAL_FLOAT(1, d.pipeline->detections().people.items[0].score);
  d.detector->broken = true;
  d.camera->push();
  TEST_ASSERT_TRUE(d.until(
      [](const PipelineFacts& f) { return f.vision_error == static_cast<int>(Errc::device); }));
  TEST_ASSERT_EQUAL_UINT64(1, d.pipeline->facts().processed);
  TEST_ASSERT_TRUE(d.pipeline->detections().at == seen);
  TEST_ASSERT_EQUAL_FLOAT(1, d.pipeline->detections().people.items[0].score);
  d.detector->broken = false;
  d.camera->push();
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.processed == 2; }));
  TEST_ASSERT_TRUE(d.until([](const PipelineFacts& f) { return f.vision_error == -1; }));
  TEST_ASSERT_TRUE(d.pipeline->detections().at > seen);
  TEST_ASSERT_EQUAL_FLOAT(3, d.pipeline->detections().people.items[0].score);
}

/// A value is whole, never older than the one before, and the last one arrives.
TEST(the_newest_value_crosses_threads_whole) {
  struct Value {
    std::array<int, 64> all{};
  };
  Newest<Value> newest;
  TEST_ASSERT_EQUAL_INT(0, newest.latest().all[63]);
  constexpr int kLast = 20000;
  std::thread writer{[&] {
    for (int i = 1; i <= kLast; ++i) {
      newest.draft().all.fill(i);
      newest.publish();
    }
  }};
  int seen = 0;
  bool whole = true, in_order = true;
  while (seen < kLast && whole && in_order) {
    const Value& value = newest.latest();
    for (const int part : value.all) whole = whole && part == value.all[0];
    in_order = value.all[0] >= seen;
    seen = value.all[0];
  }
  writer.join();
  TEST_ASSERT_TRUE(whole);
  TEST_ASSERT_TRUE(in_order);
  TEST_ASSERT_EQUAL_INT(kLast, newest.latest().all[0]);  // and stays
}

TEST(it_stops_at_any_moment_and_gives_every_buffer_back) {
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
