// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "firmware/config/config.hpp"
#include "firmware/lens/camera_geometry.hpp"
#include "firmware/risk/people_estimator.hpp"
#include "firmware/track/colour_appearance.hpp"
#include "hal/vision.hpp"

/// A camera on a flat road, and the detector that sees whom it is told to.
namespace kerb::test {

/// Fits the pictures of FakeFrameSource, 640 x 480.
inline Camera road_camera() {
  Camera camera;
  camera.width = 640;
  camera.height = 480;
  camera.focal_px = 500;
  camera.center_x = 319.5;
  camera.center_y = 239.5;
  camera.height_m = 1.3;
  camera.ahead_m = 1.9;
  camera.pitch_sigma_rad = 0.005;
  return camera;
}

/// As the product makes it.
inline std::unique_ptr<PeopleEstimator> road_watch(const CarSettings& car) {
  return std::make_unique<PeopleEstimator>(
      road_camera(), track::TrackerSettings{},
      risk::CarShape{car.width_m, car.length_m, car.axle_to_bumper_m}, risk::ContactSettings{},
      track::make_colour_appearance());
}

/// Somebody on the road: where they are before the rear axle, and how fast over ground.
struct Walker {
  double x_m = 0, y_m = 0, vx_mps = 0, vy_mps = 0;
  double height_m = 1.7;
  float score = 20;  ///< the detector is sure of them
};

/// The box a detector would find; nothing for who is not wholly in the picture.
inline std::optional<Detection> box_of(const Camera& camera, const Walker& w) {
  const auto foot = project(camera, {w.x_m, w.y_m}, 0);
  const auto head = project(camera, {w.x_m, w.y_m}, w.height_m);
  if (!foot || !head) return std::nullopt;
  const double h = foot->y - head->y, width = 0.4 * h, left = foot->x - width / 2;
  if (left < 0 || left + width > camera.width || head->y < 0 || foot->y > camera.height)
    return std::nullopt;
  return Detection{static_cast<float>(left), static_cast<float>(head->y), static_cast<float>(width),
                   static_cast<float>(h), w.score};
}

/// Sees whom it is told to see, the best first.
class Crowd final : public Detector {
 public:
  Status detect(const PreparedImage&, DetectionList& out) override {
    const std::lock_guard lock{mutex_};
    if (meter != nullptr) at_call = meter();
    out = people_;
    if (broken) return Error{Errc::device, 700, "launch"};
    return Done{};
  }
  [[nodiscard]] const char* name() const noexcept override { return "crowd"; }
  /// From the next frame on. How many of them are in the picture.
  int show(const std::vector<Walker>& walkers) {
    const std::lock_guard lock{mutex_};
    people_.count = 0;
    for (const Walker& w : walkers)
      if (const auto box = box_of(road_camera(), w);
          box && people_.count < DetectionList::kCapacity)
        people_.items[people_.count++] = *box;
    std::stable_sort(people_.items, people_.items + people_.count,
                     [](const Detection& a, const Detection& b) { return a.score > b.score; });
    return people_.count;
  }
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
  Result<PreparedImage> prepare(const RawImageView<Space::host>& image) override {
    while (stuck) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    PreparedImage out;
    out.grey = {image.data, image.width, image.height, image.row_stride};
    return out;
  }
  [[nodiscard]] const char* backend() const noexcept override { return "plain"; }
  std::atomic<bool> stuck{false};
};

}  // namespace kerb::test
