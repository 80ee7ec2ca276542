// SPDX-License-Identifier: Apache-2.0
// What vision delivered in a run, kept and used again: the same decisions without pictures.
#include "tools/simulator/run/vision_log.hpp"

#include <cmath>
#include <fstream>
#include <iterator>
#include <string>

#include "gpu/hog/model_file.hpp"
#include "hal/base/splitmix.hpp"
#include "hal/fake/log.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/bar_model.hpp"
#include "tests/unit/simulator/crossing.hpp"
#include "tools/simulator/run/run.hpp"

using namespace kerb;
using namespace kerb::sim;
using kerb::test::TempFolder;

namespace {

/// Large enough for the model of the test.
Scenario crossing() {
  Scenario s = sim::test::crossing();
  s.seconds = 4.5;
  s.camera.width = 320;
  s.camera.height = 192;
  s.camera.sensor = Sensor::grey;
  return s;
}

/// A bright bar, what the test's model takes for a person, wanders before a wall of fixed texture.
class BarPainter final : public Painter {
 public:
  explicit BarPainter(const CameraSpec& camera)
      : width_{static_cast<std::size_t>(camera.width)},
        height_{static_cast<std::size_t>(camera.height)} {}
  void paint(const World& /*world*/, double t, std::vector<std::uint8_t>& bytes) override {
    bytes.resize(width_ * height_);
    const auto left = 40 + static_cast<std::size_t>(std::lround(t * 30));
    for (std::size_t y = 0; y < height_; ++y)
      for (std::size_t x = 0; x < width_; ++x) {
        const bool bar = y >= 60 && y < 156 && x >= left && x < left + 32;
        const auto wall = 40 + splitmix64(y / 6 * width_ + x / 6) % 30 + noise_.next() % 3;
        bytes[y * width_ + x] = static_cast<std::uint8_t>(bar ? 250 : wall);
      }
  }

 private:
  std::size_t width_, height_;
  SplitMix64 noise_{1};
};

RunOptions product(const std::string& model) {
  RunOptions options;
  options.painter = [](const Scenario& scenario, int /*threads*/) {
    return std::make_unique<BarPainter>(scenario.camera);
  };
  options.config.vision_backend = VisionBackend::cpu;
  options.config.vision_threads = 1;
  options.config.detector.model = model;
  return options;
}

Run run(const Scenario& scenario, const RunOptions& options) {
  FakeLog log;
  Result<Run> done = run_scenario(scenario, options, log);
  if (!done) TEST_FAIL_MESSAGE(describe(done.error()).c_str());
  return std::move(*done);
}

std::string model_in(const TempFolder& folder) {
  const std::string path = folder.at("bar.kwm");
  TEST_ASSERT_OK(hog::save(hog::test::bar_model(), path));
  return path;
}

TEST(a_log_makes_the_run_send_the_same_again) {
  const TempFolder folder;
  RunOptions options = product(model_in(folder));
  options.keep_vision = true;
  Run kept = run(crossing(), options);
  std::size_t found = 0, vectors = 0;
  for (const VisionFrame& frame : kept.vision.frames) {
    found += frame.found.size();
    vectors += frame.vectors.size();
  }
  const std::string counts = std::to_string(kept.vision.frames.size()) + " frames, " +
                             std::to_string(found) + " found, " + std::to_string(vectors);
  TEST_ASSERT_TRUE_MESSAGE(kept.vision.frames.size() > 100 && found > 100 && vectors > 1000,
                           counts.c_str());

  const std::string path = folder.at("crossing.vision");
  TEST_ASSERT_OK(write_vision_log(path, kept.vision));
  Result<VisionLog> read = read_vision_log(path);
  TEST_ASSERT_OK(read);
  RunOptions again = product("");  // no model, and nothing drawn
  again.painter = nullptr;
  again.vision = std::make_shared<VisionLog>(std::move(*read));
  const Run decided = run(crossing(), again);
  TEST_ASSERT_TRUE(render_trace(kept.trace) == render_trace(decided.trace));

  Scenario other = crossing();
  other.car.speeds = {{0, 12, 3}};
  FakeLog log;
  TEST_ASSERT_ERROR(Errc::invalid_argument, run_scenario(other, again, log));
}

/// Boxes as a perfect detector would give them, by hand: a person of 1.75 m on a flat road.
TEST(decisions_are_made_from_the_log_alone) {
  const Scenario scenario = crossing();
  const TempFolder folder;
  RunOptions options = product(model_in(folder));
  options.keep_vision = true;
  VisionLog log = run(scenario, options).vision;
  const double focal = scenario.camera.width / 2.0 /
                       std::tan(scenario.camera.fov_deg / 2 * 3.14159265358979323846 / 180);
  for (VisionFrame& frame : log.frames) {
    const double t =
        static_cast<double>((frame.captured - log.frames.front().captured).count()) * 1e-9;
    const double depth = 40.25 + scenario.camera.behind_m - 10 * t, left = -4 + t;
    const double scale = focal / depth;
    const double foot = scenario.camera.height / 2.0 + scale * scenario.camera.height_m;
    const double middle = scenario.camera.width / 2.0 - scale * left;
    const auto tall = static_cast<float>(1.75 * scale);
    frame.found = {{static_cast<float>(middle) - 0.2F * tall, static_cast<float>(foot) - tall,
                    0.4F * tall, tall, 100}};
    frame.looks.clear();
    frame.vectors.clear();
    frame.measured = false;
    frame.spread = 0;
  }
  RunOptions again = product("");
  again.vision = std::make_shared<VisionLog>(log);
  const Run warned = run(scenario, again);
  TEST_ASSERT_TRUE(warned.judgement.warned_before_impact.has_value());
  TEST_ASSERT_TRUE(*warned.judgement.warned_before_impact > 1.5);
  for (VisionFrame& frame : log.frames) frame.found.clear();
  again.vision = std::make_shared<VisionLog>(log);
  TEST_ASSERT_FALSE(run(scenario, again).judgement.warned_before_impact.has_value());
}

TEST(what_a_log_does_not_hold_is_refused) {
  const TempFolder folder;
  RunOptions options = product(model_in(folder));
  options.keep_vision = true;
  FakeLog log;
  Scenario faulty = crossing();
  faulty.faults = {{FaultSpec::Kind::camera_dark, 1, 2, 1}};
  TEST_ASSERT_ERROR(Errc::unsupported, run_scenario(faulty, options, log));
  options.config.record.enabled = true;
  TEST_ASSERT_ERROR(Errc::unsupported, run_scenario(crossing(), options, log));
}

TEST(a_damaged_log_is_refused) {
  const TempFolder folder;
  VisionLog log;
  log.run = "street";
  log.detector = "somebody";
  log.frames.resize(3);
  log.frames[1].found = {{1, 2, 3, 4, 5}};
  log.frames[1].looks.resize(1);
  log.frames[2].vectors.resize(5);
  const std::string path = folder.at("whole.vision");
  TEST_ASSERT_OK(write_vision_log(path, log));
  TEST_ASSERT_OK(read_vision_log(path));
  std::ifstream file{path, std::ios::binary};
  const std::string whole{std::istreambuf_iterator<char>{file}, {}};
  for (std::size_t size = 0; size < whole.size(); ++size)
    TEST_ASSERT_ERROR(Errc::invalid_argument,
                      read_vision_log(folder.write("cut.vision", whole.substr(0, size))));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    TEST_ASSERT_ERROR(Errc::invalid_argument,
                      read_vision_log(folder.write("flipped.vision", flipped)));
  }
  TEST_ASSERT_ERROR(Errc::not_found, read_vision_log(folder.at("none.vision")));
}

}  // namespace
