// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "firmware/config/config.hpp"
#include "firmware/types/self_test.hpp"
#include "hal/base/log.hpp"
#include "hal/frame_memory.hpp"
#include "hal/frame_source.hpp"
#include "hal/motion.hpp"
#include "hal/spectral.hpp"
#include "hal/vision.hpp"

namespace kerb {

/// Makes the vision parts of the pipelines: it owns backend, models and camera memory. Must outlive
/// the pipelines.
class Vision {
 public:
  /// Fails when the configuration demands CUDA and there is none. A model that cannot be loaded is
  /// an error of make_detector(), not of this.
  static Result<std::unique_ptr<Vision>> create(const Config& config, Log& log);
  virtual ~Vision() = default;
  virtual FrameMemory& frame_memory() = 0;
  /// vision.backend = "auto" that became the CPU: the code with which CUDA was refused
  /// (unsupported: this program was built without it).
  [[nodiscard]] virtual std::optional<Errc> fell_back() const noexcept { return std::nullopt; }
  /// With R G B planes for a detector that needs them; with an automatic range for a thermal camera
  /// of more than 8 bits. Fails: as Preparer::create().
  virtual Result<std::unique_ptr<ImagePreparer>> make_preparer(const FrameSourceInfo& info,
                                                               const CameraSettings& camera,
                                                               bool colour) = 0;
  /// For one pipeline, with its own threads on the CPU; a camera without colour gets the grey
  /// model, where the model needs colour, and a thermal camera the thermal one. Nothing when there
  /// is no model. Fails: as hog::load() and HogDetector::create(); unsupported (no model for a
  /// camera without colour, or for a thermal one).
  virtual Result<std::unique_ptr<Detector>> make_detector(const FrameSourceInfo& info,
                                                          const CameraSettings& camera) = 0;
  /// For one pipeline, with its own threads on the CPU. Nothing with flow.enabled = false. Fails:
  /// as flow::MotionPoints::create().
  virtual Result<std::unique_ptr<FlowEstimator>> make_flow(const FrameSourceInfo& info) = 0;
  /// For one pipeline, with its own thread on the CPU. Nothing for a camera without bands, or with
  /// spectral.enabled = false. Fails: as EmdMatcher::create().
  virtual Result<std::unique_ptr<SpectralMatcher>> make_spectral(const FrameSourceInfo& info,
                                                                 const CameraSettings& camera) = 0;
  /// The detector's self-test: whether this camera's model finds the person of a built-in picture
  /// on this backend (firmware/vision/known_person.hpp). `not_run`: there is no model, or one of
  /// which this is not known. A failure is logged.
  virtual TestResult test_detector(const FrameSourceInfo& info, const CameraSettings& camera) {
    static_cast<void>(info), static_cast<void>(camera);
    return TestResult::not_run;
  }
};

/// The files of the detector's models: those the configuration names, or those that come with the
/// product. Empty: there is none.
struct DetectorModels {
  std::string model;
  std::string grey;     ///< for cameras without colour, where `model` needs colour
  std::string thermal;  ///< for thermal cameras
};
[[nodiscard]] DetectorModels find_models(const DetectorSettings& settings);

/// Why there is no model, as text.
[[nodiscard]] std::string why_no_model(const DetectorSettings& settings);

struct DetectorProblem {
  const char* key;   ///< of the configuration
  std::string file;  ///< the model it leads to
  Error error;
};
/// Checks the detector: loads the models, and plans their search on the CPU for every camera whose
/// picture size is known from the settings. Nothing when it works, or when there is no model.
[[nodiscard]] std::optional<DetectorProblem> check_detector(const Config& config);

}  // namespace kerb
