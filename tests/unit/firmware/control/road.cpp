// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/firmware/control/road.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "firmware/lens/camera_geometry.hpp"
#include "firmware/track/colour_appearance.hpp"

namespace kerb::test {

Camera road_camera() {
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

std::unique_ptr<PeopleEstimator> road_watch(const CarSettings& car) {
  return std::make_unique<PeopleEstimator>(
      road_camera(), track::TrackerSettings{},
      risk::CarShape{car.width_m, car.length_m, car.axle_to_bumper_m}, risk::ContactSettings{},
      track::make_colour_appearance());
}

std::optional<Detection> box_of(const Camera& camera, const Walker& w) {
  const auto foot = project(camera, {w.x_m, w.y_m}, 0);
  const auto head = project(camera, {w.x_m, w.y_m}, w.height_m);
  if (!foot || !head) return std::nullopt;
  const double h = foot->y - head->y, width = 0.4 * h, left = foot->x - width / 2;
  if (left < 0 || left + width > camera.width || head->y < 0 || foot->y > camera.height)
    return std::nullopt;
  return Detection{static_cast<float>(left), static_cast<float>(head->y), static_cast<float>(width),
                   static_cast<float>(h), w.score};
}

Status Crowd::detect(const PreparedImage&, DetectionList& out) {
  const std::lock_guard lock{mutex_};
  if (meter != nullptr) at_call = meter();
  out = people_;
  if (broken) return Error{Errc::device, 700, "launch"};
  return Done{};
}

int Crowd::show(const std::vector<Walker>& walkers) {
  const std::lock_guard lock{mutex_};
  people_.count = 0;
  for (const Walker& w : walkers)
    if (const auto box = box_of(road_camera(), w); box && people_.count < DetectionList::kCapacity)
      people_.items[people_.count++] = *box;
  std::stable_sort(people_.items, people_.items + people_.count,
                   [](const Detection& a, const Detection& b) { return a.score > b.score; });
  return people_.count;
}

Result<PreparedImage> GreyPreparer::prepare(const RawImageView<Space::host>& image) {
  while (stuck) std::this_thread::sleep_for(std::chrono::milliseconds{1});
  PreparedImage out;
  out.grey = {image.data, image.width, image.height, image.row_stride};
  return out;
}

}  // namespace kerb::test
