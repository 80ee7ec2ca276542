// SPDX-License-Identifier: Apache-2.0
// The frame loop allocates nothing. Camera, image operators, detector, flow, who follows people,
// the recorder of warnings with its pictures, hand-over, health, bus and lamps run as in the
// product; every call of the allocator in this process is counted once the frames flow. The event
// log's writer may allocate; that posting does not is shown in test_event_log_allocations.cpp. So
// may the recorder once there is a warning to write.
#include <chrono>
#include <thread>

#include "drivers/jpeg/jpeg_encoder.hpp"
#include "drivers/replay/open_replay.hpp"
#include "firmware/can/codec.hpp"
#include "firmware/control/controller.hpp"
#include "firmware/lens/camera_geometry.hpp"
#include "firmware/records/product_deciders.hpp"
#include "firmware/records/warning_recorder.hpp"
#include "gpu/flow/motion_points.hpp"
#include "gpu/hog/detector.hpp"
#include "gpu/image/preparer.hpp"
#include "hal/fake/can_bus.hpp"
#include "hal/fake/log.hpp"
#include "hal/fake/output_line.hpp"
#include "hal/fake/tone.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/control/road.hpp"
#include "tests/unit/gpu/bar_model.hpp"

using namespace kerb;
using kerb::test::allocations;
using std::chrono::milliseconds;

namespace {

struct Case {
  const char* format;
  int mosaic;
  bool colour = false;  // a model that needs it
};

/// What is told in the log, with words that take memory.
std::uint64_t changes_of(const Controller& controller) {
  const ControlTotals& totals = controller.totals();
  return totals.state_changes + totals.informations + totals.collisions;
}

/// Whom the product's detector finds, and people on the pavement.
class WithPeople final : public Detector {
 public:
  WithPeople(std::unique_ptr<Detector> inner, const Camera& camera) : inner_{std::move(inner)} {
    for (const test::Walker& w :
         {test::Walker{.x_m = 14, .y_m = 3}, test::Walker{.x_m = 18, .y_m = -3}})
      if (const auto box = test::box_of(camera, w)) boxes_.push_back(*box);
    TEST_ASSERT_EQUAL_size_t(2, boxes_.size());
  }
  Status detect(const PreparedImage& image, DetectionList& out) override {
    const Status found = inner_->detect(image, out);
    for (const Detection& box : boxes_)
      if (out.count < DetectionList::kCapacity) out.items[out.count++] = box;
    return found;
  }
  [[nodiscard]] const char* name() const noexcept override { return inner_->name(); }
  [[nodiscard]] bool needs_colour() const noexcept override { return inner_->needs_colour(); }

 private:
  std::unique_ptr<Detector> inner_;
  std::vector<Detection> boxes_;
};

void count_for(const Case& c) {
  const SystemClock clock;
  FakeLog log;
  Config config;
  CameraSettings& settings = config.cameras.front();
  settings.kind = CameraKind::pattern;
  settings.format = c.format;
  settings.mosaic = c.mosaic;
  settings.width = 240;
  settings.height = 180;
  settings.rate_hz = 60;
  // A slow machine is not what this is about.
  config.health.dropped_degraded_percent = 100;
  config.health.camera_silent = config.health.frozen = std::chrono::seconds{4};
  config.health.camera_failed = config.can.vehicle.motion_stale = std::chrono::seconds{5};

  Result<Context> context = Context::create(BackendChoice::cpu);
  TEST_ASSERT_OK(context);
  GpuFrameMemory memory{*context};
  const SourceOpener open = [&] { return open_replay(settings, memory, clock); };
  Result<std::unique_ptr<FrameSource>> source = open();
  TEST_ASSERT_OK(source);
  const FrameSourceInfo info = (*source)->info();
  Result<std::unique_ptr<Preparer>> preparer = Preparer::create(*context, &memory, info, c.colour);
  TEST_ASSERT_OK(preparer);
  Workers workers{2};
  hog::SearchSettings search;
  search.scale_step = 1.5;  // a slow machine must keep up
  hog::FusionSettings fusion;
  hog::Model model = hog::test::bar_model();
  if (c.colour) {  // and, as the models that ship, from octaves and with suppression
    model = hog::test::red_bar_model();
    std::visit([](auto& m) { m.geometry.scaling = Scaling::octaves; }, model.kind);
    fusion.kind = hog::FusionKind::suppression;
  }
  Result<std::unique_ptr<HogDetector>> detector = HogDetector::create(
      *context, workers, std::move(model), search, fusion, 0, settings.width, settings.height);
  TEST_ASSERT_OK(detector);
  flow::MotionPointsSettings points;
  points.widest = 120;
  Workers flow_workers{2};
  Result<std::unique_ptr<flow::MotionPoints>> flow =
      flow::MotionPoints::create(*context, flow_workers, points, settings.width, settings.height);
  TEST_ASSERT_OK(flow);
  ego::MotionEstimatorSettings watch;
  watch.points = 250;  // again, for a slow machine
  records::RecordedSettings recorded;
  recorded.cameras.push_back({.name = "pattern",
                              .model = camera_of(settings, settings.width, settings.height),
                              .tracker = {},
                              .car = {},
                              .contact = {}});
  CameraPipeline pipeline{
      std::make_unique<ReopeningSource>(std::move(*source), info, open, clock, log),
      std::move(*preparer),
      std::make_unique<WithPeople>(std::move(*detector), recorded.cameras[0].model),
      StageBudgets{},
      HandOver::newest,
      clock,
      std::make_unique<ego::MotionEstimator>(std::move(*flow), Camera{}, ego::EgoSettings{}, watch),
      records::make_people_estimator(recorded.cameras[0])};

  const test::TempFolder folder;
  records::RecorderOptions options;
  options.path = folder.path().string();
  Result<std::unique_ptr<JpegEncoder>> encoder = JpegEncoder::create(80);
  TEST_ASSERT_OK(encoder);
  Result<std::unique_ptr<records::WarningRecorder>> recorder =
      records::WarningRecorder::open(options, recorded, std::move(*encoder), log);
  TEST_ASSERT_OK(recorder);
  pipeline.set_sink(&(*recorder)->camera(0));

  FakeCanWire wire;
  FakeCanBus ours{wire, clock}, theirs{wire, clock};
  FakeOutputLine warning_lamp, status_lamp;
  FakeTone tone;
  ControlDevices devices;
  devices.bus = &ours;
  devices.warning_lamp = &warning_lamp;
  devices.status_lamp = &status_lamp;
  devices.tone = &tone;
  devices.recorder = recorder->get();
  Controller controller{config, devices, {{"pattern", &pipeline}}, clock, log};

  std::uint8_t counter = 0;
  const auto tick = [&] {
    can::VehicleMotion motion;
    motion.speed_mps = 0.0;
    motion.yaw_rate_radps = 0.0;
    motion.counter = counter++ & 15;
    static_cast<void>(theirs.send(can::encode(motion)));
    controller.tick(clock.now());
    while (theirs.receive(Nanos::zero())) {
    }
    std::this_thread::sleep_for(milliseconds{10});
  };
  const auto until = [&](const auto& so) {
    for (const Nanos end = clock.now() + std::chrono::seconds{60}; clock.now() < end && !so();)
      tick();
    return so();
  };
  pipeline.start();
  // A change of state is told in the log, with words that take memory: when this machine stood
  // still and the health noticed, the count begins again.
  bool steady = false;
  std::uint64_t before = 0, after = 0;
  for (int attempt = 0; attempt < 5 && !steady; ++attempt) {
    TEST_ASSERT_TRUE(until([&] {
      return controller.health().state == HealthState::active && pipeline.facts().processed >= 20;
    }));
    const std::uint64_t changes = changes_of(controller);
    const std::uint64_t frames_before = pipeline.facts().processed;
    before = allocations();
    const bool flowed = until([&] { return pipeline.facts().processed >= frames_before + 60; });
    after = allocations();
    TEST_ASSERT_TRUE(flowed);
    steady = controller.health().state == HealthState::active && changes_of(controller) == changes;
  }
  const risk::PeopleReport& people = pipeline.people();  // before the pipeline ends
  TEST_ASSERT_TRUE_MESSAGE(steady, "never sixty frames without a change of state");
  TEST_ASSERT_GREATER_THAN_UINT64(0, controller.totals().lists_sent);
  TEST_ASSERT_GREATER_THAN_UINT64(30, pipeline.stage(Stage::motion).frames);
  TEST_ASSERT_GREATER_THAN_UINT64(60, pipeline.stage(Stage::track).frames);
  TEST_ASSERT_GREATER_OR_EQUAL_INT(2, people.people.count);
  TEST_ASSERT_EQUAL_UINT64(0, (*recorder)->status().lost);
  TEST_ASSERT_FALSE((*recorder)->status().state_too_big);
  TEST_ASSERT_EQUAL_UINT64_MESSAGE(0, after - before, c.format);
  pipeline.stop();  // before the recorder goes
}

TEST(the_counter_counts) {
  const std::uint64_t before = allocations();
  const auto one = std::make_unique<int>(1);
  TEST_ASSERT_EQUAL_INT(1, *one);
  TEST_ASSERT_EQUAL_UINT64(before + 1, allocations());
}

TEST(the_product_allocates_nothing_while_frames_flow) {
  for (const Case& c : {Case{"yuyv", 0}, Case{"nv12", 0}, Case{"bayer10", 0}, Case{"grey12", 4},
                        Case{"nv12", 0, true}})
    count_for(c);
}

}  // namespace
