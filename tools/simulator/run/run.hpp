// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

#include "tools/simulator/judge/judge.hpp"
#include "tools/simulator/run/firmware.hpp"
#include "tools/simulator/run/painter.hpp"
#include "tools/simulator/run/vision_log.hpp"

namespace kerb::sim {

/// The product's defaults, except that no records of warnings are written.
[[nodiscard]] inline Config without_records() {
  Config config;
  config.record.enabled = false;
  return config;
}

struct RunOptions {
  Candidate candidate = Candidate::product;
  /// For the product; its camera becomes the scenario's. Leaves no records unless asked to.
  Config config = without_records();
  /// From a picture's exposure to when its result is known, seconds: a frame at 30 Hz. What is sent
  /// about a picture is sent that much later, however fast or slow this machine is.
  double latency_s = 0.033;
  PainterMaker painter = make_rendered_painter;
  int threads = 2;  ///< for drawing
  /// Of the product: keep all that vision delivers, in Run::vision.
  bool keep_vision = false;
  /// Of the product: this log instead of its vision, and no pictures are drawn.
  std::shared_ptr<const VisionLog> vision;
  /// Measure from the picture how well the person can be seen, where the scenario accepts a limited
  /// view: two pictures more.
  bool person_light = true;
  /// Called with each picture's time, what was found in it and who is followed; may be empty.
  std::function<void(double t, const DetectionList& found, const risk::PeopleReport& followed)>
      on_picture;
};

/// One run: what was sent, what is true, and what the judge says.
struct Run {
  Scenario scenario;
  Candidate candidate = Candidate::product;
  Truth truth;
  Trace trace;
  Judgement judgement;
  VisionLog vision;  ///< with RunOptions::keep_vision
  int pictures = 0;
  double took_s = 0;     ///< of life
  double drawing_s = 0;  ///< of that
};

/// Runs a scenario to its end as fast as the machine allows. The same scenario and options give the
/// same trace, whatever the machine. Fails: as make_product() and its variants; invalid_argument
/// (the log is of another scenario).
Result<Run> run_scenario(const Scenario& scenario, const RunOptions& options, Log& log);

}  // namespace kerb::sim
