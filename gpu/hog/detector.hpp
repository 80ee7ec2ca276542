// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "gpu/hog/people_search.hpp"
#include "hal/vision.hpp"

namespace kerb {

/// A Detector from a model of gpu/hog, see PeopleSearch. One thread at a time; detect() allocates
/// nothing.
class HogDetector final : public Detector {
 public:
  /// For pictures of this size. `context`, and on the CPU `workers`, must outlive it; no two
  /// detectors that run at once may share their workers. Fails: invalid_argument (model, settings
  /// or threshold; no window fits the picture, so that nothing could be detected), io or device (no
  /// memory).
  static Result<std::unique_ptr<HogDetector>> create(const Context& context, Workers& workers,
                                                     hog::Model model,
                                                     const hog::SearchSettings& search,
                                                     const hog::FusionSettings& fusion,
                                                     float threshold, int width, int height);

  /// On CUDA a picture on the device is searched in place; any other is uploaded. Also fails with
  /// invalid_argument where a model needs colour and the picture has none.
  Status detect(const PreparedImage& image, DetectionList& out) override;
  /// The model's.
  [[nodiscard]] const char* name() const noexcept override { return search_->model().name.c_str(); }
  [[nodiscard]] bool needs_colour() const noexcept override { return colour_; }
  /// As the model advises.
  [[nodiscard]] TrackingScores tracking_scores() const noexcept override {
    return hog::advised_tracking_scores(search_->model().advice);
  }
  [[nodiscard]] const hog::Engine& engine() const noexcept { return search_->engine(); }

 private:
  HogDetector(std::unique_ptr<hog::PeopleSearch> search, float threshold) noexcept;

  std::unique_ptr<hog::PeopleSearch> search_;
  float threshold_;
  bool colour_;  // the model needs it
};

}  // namespace kerb
