// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "firmware/config/config.hpp"
#include "firmware/risk/people_estimator.hpp"
#include "firmware/types/camera.hpp"
#include "hal/vision.hpp"

/// A camera on a flat road, and the detector that sees whom it is told to.
namespace kerb::test {

/// Fits the pictures of FakeFrameSource, 640 x 480.
Camera road_camera();

/// As the product makes it.
std::unique_ptr<PeopleEstimator> road_watch(const CarSettings& car);

/// Somebody on the road: where they are before the rear axle, and how fast over ground.
struct Walker {
  double x_m = 0, y_m = 0, vx_mps = 0, vy_mps = 0;
  double height_m = 1.7;
  float score = 20;  ///< the detector is sure of them
};

/// The box a detector would find; nothing for who is not wholly in the picture.
std::optional<Detection> box_of(const Camera& camera, const Walker& w);

/// Sees whom it is told to see, the best first.
class Crowd final : public Detector {
 public:
  Status detect(const PreparedImage&, DetectionList& out) override;
  [[nodiscard]] const char* name() const noexcept override { return "crowd"; }
  /// From the next frame on. How many of them are in the picture.
  int show(const std::vector<Walker>& walkers);
  std::atomic<bool> broken{false};
  std::uint64_t (*meter)() noexcept = nullptr;  ///< read at every call
  std::atomic<std::uint64_t> at_call{0};

 private:
  std::mutex mutex_;
  DetectionList people_;
};

/// Grey pictures as they are.
class GreyPreparer final : public ImagePreparer {
 public:
  Result<PreparedImage> prepare(const RawImageView<Space::host>& image) override;
  [[nodiscard]] const char* backend() const noexcept override { return "plain"; }
  std::atomic<bool> stuck{false};
};

}  // namespace kerb::test
