// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/hil/make_play.hpp"

#include <cmath>

#include "hal/fake/can_bus.hpp"
#include "hal/fake/clock.hpp"
#include "tools/simulator/run/camera_faults.hpp"
#include "tools/simulator/run/car.hpp"
#include "tools/simulator/run/firmware.hpp"

namespace kerb::sim {
namespace {

/// As the board's camera would see it: its size, grey or, under a filter mosaic, its bands.
Scenario for_board(const Scenario& scenario, int enlarge) {
  Scenario out = scenario;
  out.camera.width = kBoardWidth / enlarge;
  out.camera.height = kBoardHeight / enlarge;
  out.camera.blur_px = scenario.camera.blur_px * out.camera.width / scenario.camera.width;
  out.camera.rate_hz = kBoardPictureRate;
  if (scenario.camera.sensor != Sensor::mosaic) out.camera.sensor = Sensor::grey;
  return out;
}

void add_messages(const World& world, Play& play) {
  FakeClock clock;
  FakeCanWire wire;
  FakeCanBus car_bus{wire, clock}, listener{wire, clock};
  Car car{world, car_bus};
  constexpr double kStep = 0.01;
  for (long i = 0; static_cast<double>(i) * kStep <= play.seconds; ++i) {
    const double t = static_cast<double>(i) * kStep;
    car.tick(t);
    while (const Result<CanFrame> frame = listener.receive(Nanos::zero()))
      play.messages.push_back({t, *frame});
  }
}

}  // namespace

Result<Play> make_play(const Scenario& scenario, const PainterMaker& painter, int threads,
                       int enlarge) {
  if (enlarge > 1 && mosaic_side(scenario.camera) > 0)
    return Error{Errc::unsupported, 0, "play on the board",
                 Text<112>{scenario.name + ": a mosaic cannot be enlarged"}};
  for (const FaultSpec& fault : scenario.faults)
    if (fault.kind == FaultSpec::Kind::camera_silent ||
        fault.kind == FaultSpec::Kind::camera_time_jump ||
        fault.kind == FaultSpec::Kind::vision_hangs)
      return Error{
          Errc::unsupported, 0, "play on the board",
          Text<112>{scenario.name + ": the board's camera cannot simulate " + name_of(fault.kind)}};
  const Scenario seen = for_board(scenario, enlarge);
  const World world{seen};
  Play play;
  play.name = scenario.name;
  play.seconds = scenario.seconds;
  play.width = seen.camera.width;
  play.height = seen.camera.height;
  play.enlarge = enlarge;
  add_messages(world, play);
  const std::unique_ptr<Painter> paints = painter(seen, threads);
  CameraFaults faults{seen, channels_of(seen.camera.sensor)};
  for (long i = 0; static_cast<double>(i) / kBoardPictureRate < play.seconds; ++i) {
    Play::Shown picture;
    picture.at = static_cast<double>(i) / kBoardPictureRate;
    paints->paint(world, picture.at, picture.pixels);
    faults.apply(picture.at, picture.pixels);
    play.pictures.push_back(std::move(picture));
  }
  return play;
}

Config board_config(const Config& base, const Scenario& scenario, double rate) {
  Config config = config_for(base, scenario);
  CameraSettings& camera = config.cameras.front();
  camera.kind = CameraKind::v4l2;
  camera.device = "/dev/video0";
  camera.width = kBoardWidth;
  camera.height = kBoardHeight;
  camera.rate_hz = 30;
  camera.format = "grey8";
  camera.mosaic = mosaic_side(scenario.camera);
  camera.pace = Pace::real;
  config.clock_rate = rate;
  config.vision_backend = VisionBackend::cpu;
  config.vision_threads = 1;  // the player needs the other core
  config.can.interface = "vcan0";
  config.lamp = {};
  config.lamp.enabled = true;
  config.lamp.warning_line = 0;
  config.lamp.status_line = 1;
  config.tone.enabled = true;
  config.tone.device = "hw:Loopback,0,0";
  // How long a stage takes, and what is dropped for it, says nothing of a board that is emulated.
  const Nanos long_time = std::chrono::milliseconds{1000};
  config.budget = {long_time, long_time, long_time, long_time,
                   long_time, long_time, long_time, long_time};
  config.health.dropped_degraded_percent = 100;
  config.record.enabled = false;  // nobody reads them, and pictures are compressed for long
  return config;
}

CommonRules board_rules() {
  CommonRules rules;
  rules.status_gap = 0.4;
  rules.warning_gap = 0.3;
  rules.warning_silence = 0.4;
  rules.outputs = 0.3;
  return rules;
}

}  // namespace kerb::sim
