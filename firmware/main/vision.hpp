// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "firmware/config/config.hpp"
#include "hal/base/log.hpp"
#include "hal/frame_memory.hpp"
#include "hal/frame_source.hpp"
#include "hal/vision.hpp"

namespace kerb {

/// The vision side behind one door: backend, model, camera memory, and what is made from them. Must
/// outlive the pipelines.
class Vision {
 public:
  /// Fails when the configuration insists on CUDA and there is none. A model that cannot be loaded
  /// does not fail here: make_detector() tells.
  static Result<std::unique_ptr<Vision>> create(const Config& config, Log& log);
  virtual ~Vision() = default;
  virtual FrameMemory& frame_memory() = 0;
  virtual Result<std::unique_ptr<ImagePreparer>> make_preparer(const FrameSourceInfo& info) = 0;
  /// For one pipeline, with threads of its own where the CPU does the work. Nothing when the
  /// configuration names no model. Fails: as hog::load() and HogDetector::create().
  virtual Result<std::unique_ptr<Detector>> make_detector(const FrameSourceInfo& info) = 0;
};

/// Whether the detector can be made: loads the model, and lays its search out on the CPU for every
/// camera whose size the settings tell. Done when there is no model. Fails: as
/// Vision::make_detector().
Status check_detector(const Config& config);

}  // namespace kerb
