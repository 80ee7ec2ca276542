// SPDX-License-Identifier: Apache-2.0
// What the controller makes of motion: what the car told reaches the pipeline, and what the
// pipeline found reaches the event log and the state.
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "firmware/can/codec.hpp"
#include "firmware/control/controller.hpp"
#include "hal/fake/can_bus.hpp"
#include "hal/fake/flow_estimator.hpp"
#include "hal/fake/frame_source.hpp"
#include "hal/fake/log.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/events/scratch.hpp"

using namespace kerb;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

class PlainPreparer final : public ImagePreparer {
 public:
  Result<PreparedImage> prepare(const RawImageView<Space::host>& image) override {
    PreparedImage out;
    out.grey = {image.data, image.width, image.height, image.row_stride};
    return out;
  }
  [[nodiscard]] const char* backend() const noexcept override { return "plain"; }
};

class OnePerson final : public Detector {
 public:
  Status detect(const PreparedImage&, DetectionList& out) override {
    out.count = 1;
    out.items[0] = {400, 300, 60, 150, 1};
    return Done{};
  }
  [[nodiscard]] const char* name() const noexcept override { return "one person"; }
};

/// A car at a kerb: nothing moves but, when told to, somebody.
struct Kerb {
  Scratch scratch;
  SystemClock clock;
  FakeLog log;
  Config config;
  FakeCanWire wire;
  FakeCanBus ours{wire, clock}, theirs{wire, clock};
  FakeFrameSource* camera = nullptr;
  FakeFlowEstimator* flow = nullptr;
  std::atomic<bool> walks{false}, flow_fails{false};
  std::unique_ptr<EventLog> events;
  std::unique_ptr<CameraPipeline> pipeline;
  std::unique_ptr<Controller> controller;
  Nanos next_motion{}, next_frame{};
  std::uint8_t counter = 0;
  int pictures = 0;
  std::optional<double> speed = 0.0, yaw_rate = 0.0;

  explicit Kerb(std::optional<Error> flow_error = {}, Nanos expected_look = {}) {
    config.health.recover = milliseconds{200};
    // How slow this machine is says nothing here: an emulated one skips frames and misses budgets.
    config.health.dropped_degraded_percent = 100;
    config.health.camera_silent = config.health.frozen = config.health.bus_lost = seconds{20};
    config.health.camera_failed = seconds{30};
    config.can.vehicle.motion_stale = config.can.vehicle.body_stale = seconds{20};
    config.budget = {seconds{9}, seconds{9}, seconds{9}, milliseconds{4},
                     seconds{9}, seconds{9}, seconds{9}};
    auto source = std::make_unique<FakeFrameSource>(clock);
    camera = source.get();
    std::unique_ptr<ego::MotionEstimator> motion;
    if (!flow_error) {
      auto measuring = std::make_unique<FakeFlowEstimator>();
      flow = measuring.get();
      flow->scene = [](MotionField& field) {
        for (field.count = 0; field.count < 600; ++field.count)
          field.items[field.count] = {static_cast<float>(field.count % 30) * 42,
                                      static_cast<float>(field.count / 30) * 36, 0, 0, 1};
      };
      flow->at_call = [this] {
        flow->closer = walks ? 40 : 0;
        flow->closer_dx = 9;
        if (flow_fails) flow->fail_next = Error{Errc::device, 700, "launch"};
      };
      ego::MotionEstimatorSettings settings;
      settings.flow_budget = seconds{expected_look > Nanos::zero() ? 0 : 1};
      if (expected_look > Nanos::zero()) settings.flow_budget = milliseconds{4};
      motion = std::make_unique<ego::MotionEstimator>(std::move(measuring), Camera{},
                                                      ego::EgoSettings{}, settings);
      motion->expect(expected_look);
    }
    const SourceOpener never = []() -> Result<std::unique_ptr<FrameSource>> {
      return Error{Errc::not_found, 0, "open"};
    };
    pipeline = std::make_unique<CameraPipeline>(
        std::make_unique<ReopeningSource>(std::move(source), FrameSourceInfo{}, never, clock, log),
        std::make_unique<PlainPreparer>(), std::make_unique<OnePerson>(), StageBudgets{},
        HandOver::newest, clock, std::move(motion));
    EventLogOptions options;
    options.path = scratch.path("events.jsonl");
    Result<std::unique_ptr<EventLog>> opened = EventLog::open(options, clock);
    TEST_ASSERT_OK(opened);
    events = std::move(*opened);
    ControlDevices devices;
    devices.bus = &ours;
    devices.events = events.get();
    controller = std::make_unique<Controller>(
        config, devices,
        std::vector<ControlledCamera>{{"front", pipeline.get(), {}, std::move(flow_error)}}, clock,
        log);
    next_motion = next_frame = clock.now();
    pipeline->start();
  }

  void step() {
    const Nanos now = clock.now();
    if (now >= next_motion) {
      can::VehicleMotion message;
      message.speed_mps = speed;
      message.yaw_rate_radps = yaw_rate;
      message.counter = counter++ & 15;
      static_cast<void>(theirs.send(can::encode(message)));
      next_motion = now + milliseconds{20};
    }
    if (now >= next_frame && camera->waiting() < 2) {
      FakeFrame frame;
      frame.fill = static_cast<std::uint8_t>(100 + pictures++ % 50);
      camera->push(frame);
      next_frame = now + milliseconds{20};
    }
    controller->tick(now);
    clock.sleep_until(now + milliseconds{5});
  }
  bool until(const std::function<bool()>& so, Nanos limit = seconds{20}) {
    for (const Nanos end = clock.now() + limit; clock.now() < end;) {
      step();
      if (so()) return true;
    }
    return false;
  }
  bool reaches(HealthState state, Cause cause) {
    return until(
        [&] { return controller->health().state == state && controller->health().cause == cause; });
  }
  /// The data of all events of a kind so far.
  std::vector<json> told(const std::string& kind) {
    std::vector<json> out;
    TEST_ASSERT_TRUE(events->flush(seconds{10}));
    for (const std::string& line : lines_of(slurp(scratch.path("events.jsonl"))))
      if (const json event = json::parse(line); event["kind"] == kind) out.push_back(event["data"]);
    return out;
  }
};

bool is_valid(Kerb& k) {
  return k.until([&] { return k.pipeline->motion().ego.state == ego::EgoState::valid; });
}

TEST(what_the_car_tells_reaches_the_pipeline) {
  Kerb k;
  TEST_ASSERT_TRUE(is_valid(k));
  TEST_ASSERT_TRUE(k.until([&] { return k.pipeline->motion().ego.speed_mps.has_value(); }));
  TEST_ASSERT_EQUAL_DOUBLE(0, *k.pipeline->motion().ego.speed_mps);
  k.speed = std::nullopt;
  TEST_ASSERT_TRUE(k.until([&] { return !k.pipeline->motion().ego.speed_mps.has_value(); }));
}

TEST(a_change_of_the_own_motions_state_is_an_event_once_a_second_at_most) {
  Kerb k;
  TEST_ASSERT_TRUE(is_valid(k));
  k.until([&] { return false; }, milliseconds{1500});
  const std::vector<json> changes = k.told("ego_changed");
  TEST_ASSERT_GREATER_OR_EQUAL_INT(1, changes.size());
  TEST_ASSERT_LESS_OR_EQUAL_INT(3, changes.size());
  TEST_ASSERT_EQUAL_STRING("off", changes.front()["from"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_STRING("valid", changes.back()["to"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_STRING("none", changes.back()["travel"].get<std::string>().c_str());
  TEST_ASSERT_FALSE(changes.back()["yaw_distrusted"].get<bool>());
}

TEST(a_yaw_rate_that_is_not_believed_is_told) {
  Kerb k;
  TEST_ASSERT_TRUE(is_valid(k));
  k.yaw_rate = 0.4;  // of a car that stands
  const auto distrusted = [&] {
    const std::vector<json> changes = k.told("ego_changed");
    return !changes.empty() && changes.back()["yaw_distrusted"].get<bool>() &&
           changes.back()["to"] == "valid";
  };
  TEST_ASSERT_TRUE(k.until(distrusted));
}

TEST(who_moves_is_told_and_not_again_for_a_while) {
  Kerb k;
  TEST_ASSERT_TRUE(is_valid(k));
  TEST_ASSERT_EQUAL_INT(0, k.told("person_moves").size());
  k.walks = true;
  TEST_ASSERT_TRUE(k.until([&] { return k.pipeline->motion().totals.moving > 20; }));
  const std::vector<json> moves = k.told("person_moves");
  TEST_ASSERT_EQUAL_INT(1, moves.size());
  TEST_ASSERT_EQUAL_DOUBLE(400, moves[0]["x"].get<double>());
  TEST_ASSERT_DOUBLE_WITHIN(1, 9, moves[0]["residual_px"].get<double>());
}

TEST(the_summary_counts_and_a_standing_car_has_no_focus) {
  Kerb k;
  k.walks = true;
  TEST_ASSERT_TRUE(k.until([&] { return k.pipeline->motion().totals.moving > 20; }));
  k.pipeline->stop();
  k.controller->finish(k.clock.now());
  const std::vector<json> summaries = k.told("motion_summary"), motions = k.told("ego_motion");
  TEST_ASSERT_EQUAL_INT(1, summaries.size());
  const ego::MotionTotals& t = k.pipeline->motion().totals;
  TEST_ASSERT_EQUAL_UINT64(t.frames, summaries[0]["frames"].get<std::uint64_t>());
  TEST_ASSERT_EQUAL_UINT64(t.valid, summaries[0]["valid"].get<std::uint64_t>());
  TEST_ASSERT_EQUAL_UINT64(t.moving, summaries[0]["moving"].get<std::uint64_t>());
  TEST_ASSERT_EQUAL_INT(1, motions.size());
  TEST_ASSERT_EQUAL_STRING("none", motions[0]["travel"].get<std::string>().c_str());
  TEST_ASSERT_TRUE(motions[0]["foe_x"].is_null());
  TEST_ASSERT_TRUE(motions[0]["foe_y"].is_null());
}

TEST(a_flow_that_fails_on_frames_degrades_is_told_once_and_recovers) {
  Kerb k;
  TEST_ASSERT_TRUE(is_valid(k));
  TEST_ASSERT_TRUE(k.reaches(HealthState::active, Cause::none));
  k.flow_fails = true;
  TEST_ASSERT_TRUE(k.reaches(HealthState::degraded, Cause::flow_missing));
  k.until([] { return false; }, milliseconds{300});
  TEST_ASSERT_EQUAL_INT(1, k.told("flow_missing").size());
  TEST_ASSERT_GREATER_THAN_INT64(0, k.pipeline->detections().at.count());  // people are found
  k.flow_fails = false;
  TEST_ASSERT_TRUE(k.reaches(HealthState::active, Cause::none));
}

TEST(a_flow_that_could_not_be_made_is_the_same) {
  Kerb k{Error{Errc::unsupported, 0, "make flow", "too small a picture"}};
  TEST_ASSERT_TRUE(k.reaches(HealthState::degraded, Cause::flow_missing));
  TEST_ASSERT_DOUBLE_WITHIN(0.1, static_cast<double>(Errc::unsupported),
                            k.controller->health().number);
  const std::vector<json> missing = k.told("flow_missing");
  TEST_ASSERT_EQUAL_INT(1, missing.size());
  TEST_ASSERT_TRUE(missing[0]["detail"].get<std::string>().find("too small") != std::string::npos);
  TEST_ASSERT_EQUAL_STRING("front", missing[0]["camera"].get<std::string>().c_str());
}

TEST(a_flow_that_is_too_slow_is_told_once_and_does_not_degrade) {
  Kerb k{{}, milliseconds{700}};
  TEST_ASSERT_TRUE(k.until([&] { return !k.told("flow_too_slow").empty(); }));
  TEST_ASSERT_TRUE(k.reaches(HealthState::active, Cause::none));
  k.until([] { return false; }, milliseconds{300});
  const std::vector<json> slow = k.told("flow_too_slow");
  TEST_ASSERT_EQUAL_INT(1, slow.size());
  TEST_ASSERT_EQUAL_DOUBLE(700, slow[0]["look_ms"].get<double>());
  TEST_ASSERT_EQUAL_INT(0, k.flow->calls);
  const std::vector<json> changes = k.told("ego_changed");
  TEST_ASSERT_EQUAL_INT(1, changes.size());
  TEST_ASSERT_EQUAL_STRING("too_slow", changes[0]["to"].get<std::string>().c_str());
}

}  // namespace
