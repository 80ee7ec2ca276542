// SPDX-License-Identifier: Apache-2.0
// The frame loop allocates nothing. Camera, image operators, detector, hand-over, health, bus and
// lamps run as in the product; every call of the allocator in this process is counted once the
// frames flow. The event log's writer may allocate; that posting does not is shown in
// test_event_log_allocations.cpp.
#include <chrono>
#include <thread>

#include "drivers/replay/open_replay.hpp"
#include "firmware/can/codec.hpp"
#include "firmware/control/controller.hpp"
#include "gpu/hog/detector.hpp"
#include "gpu/image/preparer.hpp"
#include "hal/fake/can_bus.hpp"
#include "hal/fake/log.hpp"
#include "hal/fake/output_line.hpp"
#include "hal/fake/tone.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/unity.hpp"
#include "tests/unit/gpu/bar_model.hpp"

using namespace kerb;
using kerb::test::allocations;
using std::chrono::milliseconds;

void setUp() {}
void tearDown() {}

namespace {

struct Case {
  const char* format;
  int mosaic;
};

void count_for(const Case& c) {
  const SystemClock clock;
  FakeLog log;
  Config config;
  CameraSettings& settings = config.cameras.front();
  settings.kind = CameraKind::pattern;
  settings.format = c.format;
  settings.mosaic = c.mosaic;
  settings.width = 480;
  settings.height = 360;
  settings.rate_hz = 60;
  config.health.dropped_degraded_percent = 100;  // a slow machine is not what this is about

  Result<Context> context = Context::create(BackendChoice::cpu);
  TEST_ASSERT_OK(context);
  GpuFrameMemory memory{*context};
  const SourceOpener open = [&] { return open_replay(settings, memory, clock); };
  Result<std::unique_ptr<FrameSource>> source = open();
  TEST_ASSERT_OK(source);
  const FrameSourceInfo info = (*source)->info();
  Result<std::unique_ptr<Preparer>> preparer = Preparer::create(*context, &memory, info);
  TEST_ASSERT_OK(preparer);
  Workers workers{2};
  hog::SearchSettings search;
  search.scale_step = 1.5;  // a slow machine must keep up
  Result<std::unique_ptr<HogDetector>> detector = HogDetector::create(
      *context, workers, hog::test::bar_model(), search, {}, 0, settings.width, settings.height);
  TEST_ASSERT_OK(detector);
  CameraPipeline pipeline{
      std::make_unique<ReopeningSource>(std::move(*source), info, open, clock, log),
      std::move(*preparer),
      std::move(*detector),
      StageBudgets{},
      HandOver::newest,
      clock};

  FakeCanWire wire;
  FakeCanBus ours{wire, clock}, theirs{wire, clock};
  FakeOutputLine warning_lamp, status_lamp;
  FakeTone tone;
  ControlDevices devices;
  devices.bus = &ours;
  devices.warning_lamp = &warning_lamp;
  devices.status_lamp = &status_lamp;
  devices.tone = &tone;
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
  pipeline.start();
  for (int i = 0; i < 1000 && (controller.health().state != HealthState::active ||
                               pipeline.facts().processed < 20);
       ++i)
    tick();
  TEST_ASSERT_EQUAL_STRING("ACTIVE", name_of(controller.health().state));

  const std::uint64_t frames_before = pipeline.facts().processed;
  const std::uint64_t before = allocations();
  for (int i = 0; i < 1000 && pipeline.facts().processed < frames_before + 100; ++i) tick();
  const std::uint64_t after = allocations();
  TEST_ASSERT_GREATER_OR_EQUAL_UINT64(frames_before + 100, pipeline.facts().processed);
  TEST_ASSERT_GREATER_THAN_UINT64(0, controller.totals().lists_sent);
  TEST_ASSERT_EQUAL_UINT64_MESSAGE(0, after - before, c.format);
}

void test_the_counter_counts() {
  const std::uint64_t before = allocations();
  const auto one = std::make_unique<int>(1);
  TEST_ASSERT_EQUAL_INT(1, *one);
  TEST_ASSERT_EQUAL_UINT64(before + 1, allocations());
}

void test_the_product_allocates_nothing_while_frames_flow() {
  for (const Case& c : {Case{"yuyv", 0}, Case{"nv12", 0}, Case{"bayer10", 0}, Case{"grey12", 4}})
    count_for(c);
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_the_counter_counts);
  RUN_TEST(test_the_product_allocates_nothing_while_frames_flow);
  return UNITY_END();
}
