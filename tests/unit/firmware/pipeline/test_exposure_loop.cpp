// SPDX-License-Identifier: Apache-2.0
// Both sides of the loop in turn, as the two threads of a pipeline call them.
#include "firmware/pipeline/exposure_loop.hpp"

#include <cmath>
#include <cstdio>

#include "hal/fake/clock.hpp"
#include "hal/fake/frame_source.hpp"
#include "hal/fake/log.hpp"
#include "tests/support/night_camera.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using namespace std::chrono_literals;
using test::NightCamera;
using test::SensorModel;

namespace {

constexpr int kWidth = 320, kHeight = 180;

Camera small_camera() {
  Camera camera;
  camera.width = kWidth;
  camera.height = kHeight;
  camera.focal_px = 275;
  camera.center_x = 159.5;
  camera.center_y = 89.5;
  return camera;
}

/// A road of this light, striped so that it has some structure.
SensorModel road(double light) {
  SensorModel sensor;
  sensor.scene = [=](double, int x, int y) {
    if (y < kHeight / 2) return 16 * light;
    return light * (0.4 + 1.2 * x / kWidth);
  };
  return sensor;
}

struct Desk {
  FakeClock clock;
  FakeLog log;
  ExposureSettings settings;
  std::unique_ptr<ExposureLoop> loop;
  FrameExposure last;

  ExposureLoop& made(PixelFormat format = PixelFormat::grey8) {
    if (!loop) {
      settings.mode = ExposureMode::people;
      FrameSourceInfo info;
      info.format = format;
      info.rate_hz = 30;
      loop = std::make_unique<ExposureLoop>(settings, small_camera(), info, "front", log);
    }
    return *loop;
  }
  void run(FrameSource& source, int frames, std::uint64_t number = 0, bool standing = false) {
    for (int i = 0; i < frames; ++i) {
      made().apply(source, number, clock.now());
      const Result<Frame> frame = source.next(1s);
      TEST_ASSERT_OK(frame);
      const RawImageView<Space::host>& image = frame->image;
      last = loop->process({image.data, image.width, image.height, image.row_stride},
                           frame->sequence, frame->captured, standing);
    }
  }
};

TEST(by_night_and_by_day_the_road_gets_its_target) {
  for (const double light : {0.67, 0.05, 0.0014}) {
    Desk d;
    NightCamera camera{road(light), kWidth, kHeight, d.clock};
    d.run(camera, 120);
    TEST_ASSERT_TRUE(d.last.controlled && d.last.settled);
    TEST_ASSERT_FALSE(camera.fake().automatic());
    TEST_ASSERT_DOUBLE_WITHIN(0.26, 0, d.last.error_stops);
    TEST_ASSERT_DOUBLE_WITHIN(10, 50, d.last.road.level);
    // The frame's exposure is the one the sensor showed.
    TEST_ASSERT_TRUE(d.last.exposure.time == camera.shown().time);
    TEST_ASSERT_EQUAL_DOUBLE(camera.shown().gain, d.last.exposure.gain);
    TEST_ASSERT_EQUAL_UINT64(camera.fake().history().size(),
                             d.last.corrections + 1);  // and the start
    TEST_ASSERT_TRUE(
        d.log.has("camera front: exposure set for people: 0.1 to 10 ms, gain 1 to 16"));
    TEST_ASSERT_EQUAL(1, d.log.size());
  }
}

TEST(frames_of_a_transition_are_marked) {
  Desk d;
  NightCamera camera{road(0.0014), kWidth, kHeight, d.clock};
  int settled = 0, wrong = 0;
  for (int i = 0; i < 90; ++i) {
    d.run(camera, 1);
    if (!d.last.settled) continue;
    ++settled;
    if (d.last.exposure.time != camera.shown().time || d.last.exposure.gain != camera.shown().gain)
      ++wrong;
  }
  TEST_ASSERT_GREATER_THAN(20, settled);
  TEST_ASSERT_LESS_THAN(90, settled);
  TEST_ASSERT_EQUAL(0, wrong);
}

TEST(a_camera_without_controls_keeps_its_automatic_and_the_log_says_so_once) {
  Desk d;
  FrameSourceInfo info = FakeFrameSource::default_info();
  info.width = kWidth;
  info.height = kHeight;
  for (std::uint64_t number = 0; number < 3; ++number) {
    FakeFrameSource camera{d.clock, info};
    camera.push(5, 33ms);
    d.run(camera, 5, number);
    TEST_ASSERT_FALSE(d.last.controlled);
  }
  TEST_ASSERT_EQUAL(1, d.log.size());
  TEST_ASSERT_TRUE(d.log.has(
      "camera front has no exposure control that can be set: it keeps its own automatic exposure"));
}

TEST(another_source_is_taken_over_with_its_own_range) {
  Desk d;
  NightCamera first{road(0.0014), kWidth, kHeight, d.clock};
  d.run(first, 90, 0);
  ExposureRange other = FakeExposureControl::default_range();
  other.longest = 4ms;
  other.gain = {GainKind::decibel, 10, 0, 300, 1};
  NightCamera second{road(0.0056), kWidth, kHeight, d.clock, other};
  // An order for the first must not reach the second.
  d.run(second, 120, 1);
  TEST_ASSERT_TRUE(d.last.settled);
  TEST_ASSERT_TRUE(second.shown().time == 4ms);
  TEST_ASSERT_DOUBLE_WITHIN(0.26, 0, d.last.error_stops);
  for (const Exposure& e : second.fake().history()) TEST_ASSERT_TRUE(e.time <= 4ms);
}

TEST(a_setting_that_fails_is_tried_again) {
  Desk d;
  NightCamera camera{road(0.0014), kWidth, kHeight, d.clock};
  camera.fake().fail_next({Errc::io, 5, "read camera exposure", "night"});  // the start: unknown
  camera.fake().fail_next({Errc::io, 5, "set camera exposure", "night"});
  d.run(camera, 2);
  TEST_ASSERT_FALSE(camera.fake().automatic());
  d.run(camera, 4);
  // Later, too: nobody may believe in a setting that the camera does not have.
  for (int i = 0; i < 4; ++i)
    camera.fake().fail_next({Errc::io, 5, "set camera exposure", "night"});
  d.run(camera, 150);
  TEST_ASSERT_TRUE(d.last.controlled);
  TEST_ASSERT_DOUBLE_WITHIN(0.26, 0, d.last.error_stops);
  TEST_ASSERT_EQUAL(3, d.log.size());  // the range, and each failure once
  TEST_ASSERT_TRUE(d.log.has("camera front: set camera exposure: night: "));
}

TEST(controls_that_keep_failing_are_given_back) {
  Desk d;
  NightCamera camera{road(0.0014), kWidth, kHeight, d.clock};
  d.run(camera, 1);
  for (int i = 0; i < 5; ++i)
    camera.fake().fail_next({Errc::io, 5, "set camera exposure", "night"});
  d.run(camera, 120);
  TEST_ASSERT_FALSE(d.last.controlled);
  TEST_ASSERT_TRUE(camera.fake().automatic());
  TEST_ASSERT_TRUE(
      d.log.has("camera front refuses its exposure controls: automatic exposure is on again"));
  TEST_ASSERT_EQUAL(3, d.log.size());
  const std::size_t set = camera.fake().history().size();
  d.run(camera, 60);
  TEST_ASSERT_EQUAL(set, camera.fake().history().size());
}

TEST(noise_is_learnt_while_the_car_stands_and_given_out) {
  for (const double light : {0.05, 0.0028}) {  // gain 1, and a high one
    Desk d;
    SensorModel sensor = road(light);
    sensor.read_noise = 0.8;
    sensor.full_well = 6000;
    NightCamera camera{sensor, kWidth, kHeight, d.clock};
    d.run(camera, 120);
    TEST_ASSERT_FALSE(d.last.noise.known);  // it was not known to stand
    d.run(camera, 60, 0, true);
    TEST_ASSERT_TRUE(d.last.noise.known);
    // White is 6000 photons: their number varies by its root.
    const NoiseModel truth{0.8 * 0.8, 255.0 / 6000, true};
    const double gain = d.last.exposure.gain;
    std::printf("gain %.2f: read %.3f (%.3f), shot %.4f (%.4f)\n", gain, d.last.noise.read,
                truth.read, d.last.noise.shot, truth.shot);
    for (const double signal : {30.0, 60.0})
      TEST_ASSERT_DOUBLE_WITHIN(0.15 * truth.variance(signal, gain), truth.variance(signal, gain),
                                d.last.noise.variance(signal, gain));
  }
}

TEST(noise_of_the_configuration_is_given_out_as_it_is) {
  Desk d;
  d.settings.noise_read = 0.7;
  d.settings.noise_shot = 0.02;
  NightCamera camera{road(0.05), kWidth, kHeight, d.clock};
  d.run(camera, 60, 0, true);
  TEST_ASSERT_TRUE(d.last.noise.known);
  TEST_ASSERT_EQUAL_DOUBLE(0.7, d.last.noise.read);
  TEST_ASSERT_EQUAL_DOUBLE(0.02, d.last.noise.shot);
  // Of a picture that is encoded for a display the model does not hold, so none is learnt.
  Desk encoded;
  encoded.made(PixelFormat::yuyv);
  NightCamera other{road(0.05), kWidth, kHeight, encoded.clock};
  encoded.run(other, 120, 0, true);
  TEST_ASSERT_TRUE(encoded.last.controlled);
  TEST_ASSERT_FALSE(encoded.last.noise.known);
}

}  // namespace
