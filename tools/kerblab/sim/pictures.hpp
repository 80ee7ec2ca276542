// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <opencv2/core.hpp>
#include <vector>

#include "tools/kerblab/sim/batch.hpp"

namespace kerb::lab {

/// Pictures of a run for a reader: the camera's picture with its faults, boxes around all visible
/// people, the firmware's detections, and its warning level.
class RunPainter {
 public:
  /// `width`: of the pictures; the camera's own when 0.
  RunPainter(const BatchRun& run, int width, int threads);
  ~RunPainter();
  /// BGR.
  [[nodiscard]] cv::Mat at(double t);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kerb::lab
