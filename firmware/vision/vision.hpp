// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "firmware/config/config.hpp"
#include "hal/base/log.hpp"
#include "hal/frame_memory.hpp"
#include "hal/frame_source.hpp"
#include "hal/motion.hpp"
#include "hal/spectral.hpp"
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
  /// With R G B planes for a detector that needs them. Fails: as Preparer::create().
  virtual Result<std::unique_ptr<ImagePreparer>> make_preparer(const FrameSourceInfo& info,
                                                               bool colour) = 0;
  /// For one pipeline, with threads of its own where the CPU does the work; a camera without colour
  /// gets the grey model, where the model looks at colour. Nothing when there is no model. Fails:
  /// as hog::load() and HogDetector::create(); unsupported (no model for a camera without colour).
  virtual Result<std::unique_ptr<Detector>> make_detector(const FrameSourceInfo& info,
                                                          const CameraSettings& camera) = 0;
  /// For one pipeline, with threads of its own where the CPU does the work. Nothing where the
  /// configuration wants none. Fails: as flow::MotionPoints::create().
  virtual Result<std::unique_ptr<FlowEstimator>> make_flow(const FrameSourceInfo& info) = 0;
  /// For one pipeline, with a thread of its own where the CPU does the work. Nothing for a camera
  /// without bands, or where the configuration wants none. Fails: as EmdMatcher::create().
  virtual Result<std::unique_ptr<SpectralMatcher>> make_spectral(const FrameSourceInfo& info,
                                                                 const CameraSettings& camera) = 0;
};

/// The files of the detector's models: those the configuration names, or those that come with the
/// product. Empty: there is none.
struct DetectorModels {
  std::string model;
  std::string grey;  ///< for cameras without colour, where `model` looks at it
};
[[nodiscard]] DetectorModels find_models(const DetectorSettings& settings);

/// Why there is no model, for a person.
[[nodiscard]] std::string why_no_model(const DetectorSettings& settings);

struct DetectorProblem {
  const char* key;   ///< of the configuration
  std::string file;  ///< the model it leads to
  Error error;
};
/// What is in the way of the detector: loads the models, and lays their search out on the CPU for
/// every camera whose size the settings tell. Nothing when all is well, or when there is no model.
[[nodiscard]] std::optional<DetectorProblem> check_detector(const Config& config);

}  // namespace kerb
