// SPDX-License-Identifier: Apache-2.0
// From the configuration to the camera's controls, with the product's own threads: only the camera
// and the clock are played.
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "firmware/config/config.hpp"
#include "firmware/vision/open_pipeline.hpp"
#include "firmware/vision/vision.hpp"
#include "hal/fake/clock.hpp"
#include "hal/fake/log.hpp"
#include "tests/support/night_camera.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using namespace std::chrono_literals;
using test::NightCamera;
using test::SensorModel;

namespace {

constexpr int kWidth = 256, kHeight = 144;

/// Noon until 5 s of the clock, night from 6 s on. The road's light goes down by 8 stops.
SensorModel nightfall() {
  SensorModel sensor;
  sensor.latency_frames = 3;
  sensor.scene = [](double t, int x, int y) {
    const double dusk = std::clamp(t - 5, 0.0, 1.0);
    const double light = 0.67 * std::exp2(-8 * dusk);
    if (y < kHeight / 2) return 16 * light;
    return (x / 8 + y / 8) % 9 == 0 ? std::max(light, 0.5) : light;  // lamps do not go down
  };
  return sensor;
}

struct Drive {
  Nanos noon_time{}, night_time{};
  double noon_gain = 0, night_gain = 0, night_level = 0;
  std::size_t settings = 0;
  bool controlled = false, automatic = false;
};

Drive drive(const std::string& exposure_table, FakeLog& log) {
  const std::string text = "[[camera]]\nformat = \"grey8\"\nwidth = " + std::to_string(kWidth) +
                           "\nheight = " + std::to_string(kHeight) + "\n" + exposure_table +
                           "[detector]\nenabled = false\n[flow]\nenabled = false\n"
                           "[vision]\nbackend = \"cpu\"\nthreads = 1\n";
  const LoadResult loaded = parse_config(text, "night.toml");
  if (!loaded.ok()) TEST_FAIL_MESSAGE(loaded.lines().front().c_str());
  const FakeClock clock;
  NightCamera* camera = nullptr;
  const SourceOpener open = [&]() -> Result<std::unique_ptr<FrameSource>> {
    auto made = std::make_unique<NightCamera>(nightfall(), kWidth, kHeight, clock);
    camera = made.get();
    return std::unique_ptr<FrameSource>{std::move(made)};
  };
  Result<std::unique_ptr<Vision>> vision = Vision::create(loaded.config, log);
  TEST_ASSERT_OK(vision);
  CameraSettings settings = loaded.config.cameras.front();
  // Every frame is processed, however busy this machine is; the clock is the camera's.
  settings.pace = Pace::recorded;
  settings.kind = CameraKind::pattern;
  Result<OpenedPipeline> opened =
      open_pipeline(loaded.config, settings, open, **vision, clock, log);
  TEST_ASSERT_OK(opened);
  CameraPipeline& pipeline = *opened->pipeline;
  pipeline.start();
  Drive out;
  const auto wait = [&](Nanos until) {
    while (clock.now() < until) std::this_thread::sleep_for(1ms);
  };
  wait(4900ms);
  out.noon_time = camera->shown().time;
  out.noon_gain = camera->shown().gain;
  wait(12s);
  pipeline.stop();
  out.night_time = camera->shown().time;
  out.night_gain = camera->shown().gain;
  out.night_level = pipeline.exposure().road.level;
  out.controlled = pipeline.exposure().controlled;
  out.settings = camera->fake().history().size();
  out.automatic = camera->fake().automatic();
  return out;
}

TEST(mode_people_follows_the_road_from_noon_to_night) {
  FakeLog log;
  const Drive d = drive("[camera.exposure]\nmode = \"people\"\nlongest_ms = 8\n", log);
  TEST_ASSERT_TRUE(d.controlled);
  TEST_ASSERT_FALSE(d.automatic);
  // The road at noon: grey 50 of 255 after 0.2 / 0.67 = 0.29 ms.
  const double noon_light_ms = static_cast<double>(d.noon_time.count()) * 1e-6 * d.noon_gain;
  TEST_ASSERT_DOUBLE_WITHIN(0.07, 0.29, noon_light_ms);
  TEST_ASSERT_TRUE(d.night_time == 8ms);
  TEST_ASSERT_DOUBLE_WITHIN(2.0, 0.2925 * 256 / 8, d.night_gain);
  TEST_ASSERT_DOUBLE_WITHIN(10, 50, d.night_level);
  TEST_ASSERT_TRUE(log.has("camera front: exposure set for people: 0.1 to 8 ms, gain 1 to 16"));
}

TEST(mode_camera_leaves_the_camera_alone) {
  for (const char* table : {"", "[camera.exposure]\nmode = \"camera\"\nlongest_ms = 8\n"}) {
    FakeLog log;
    const Drive d = drive(table, log);
    TEST_ASSERT_FALSE(d.controlled);
    TEST_ASSERT_TRUE(d.automatic);
    TEST_ASSERT_EQUAL(0, d.settings);
    TEST_ASSERT_FALSE(log.has("exposure"));
  }
}

}  // namespace
