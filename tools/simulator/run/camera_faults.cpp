// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/run/camera_faults.hpp"

#include <algorithm>
#include <cmath>

#include "tools/simulator/base/random.hpp"
#include "tools/simulator/base/vec.hpp"
#include "tools/simulator/run/car.hpp"

namespace kerb::sim {
namespace {

void towards(std::vector<std::uint8_t>& bytes, int goal, double amount) {
  const int weight = static_cast<int>(std::lround(256 * std::clamp(amount, 0.0, 1.0)));
  for (std::uint8_t& b : bytes)
    b = static_cast<std::uint8_t>((b * (256 - weight) + goal * weight + 128) / 256);
}

}  // namespace

CameraFaults::CameraFaults(const Scenario& scenario, int channels)
    : scenario_{scenario}, channels_{channels} {}

void CameraFaults::shift(double degrees, std::vector<std::uint8_t>& bytes) {
  const CameraSpec& camera = scenario_.camera;
  const double focal = camera.width / 2.0 / std::tan(radians(camera.fov_deg) / 2);
  // Looking up moves the picture down, looking right moves it left; what was outside is not known.
  // In left-hand traffic it is turned to the left.
  const double turn = scenario_.street.left_hand ? -degrees / 2 : degrees / 2;
  const int down = static_cast<int>(std::lround(focal * std::tan(radians(degrees))));
  const int left = static_cast<int>(std::lround(focal * std::tan(radians(turn))));
  copy_ = bytes;
  const auto at = [&](int x, int y) {
    return (static_cast<std::size_t>(y) * static_cast<std::size_t>(camera.width) +
            static_cast<std::size_t>(x)) *
           static_cast<std::size_t>(channels_);
  };
  for (int y = 0; y < camera.height; ++y)
    for (int x = 0; x < camera.width; ++x) {
      const std::size_t from =
          at(std::clamp(x + left, 0, camera.width - 1), std::clamp(y - down, 0, camera.height - 1));
      std::copy_n(copy_.begin() + static_cast<std::ptrdiff_t>(from), channels_,
                  bytes.begin() + static_cast<std::ptrdiff_t>(at(x, y)));
    }
}

void CameraFaults::soil(double share, std::vector<std::uint8_t>& bytes) {
  const int width = scenario_.camera.width, height = scenario_.camera.height;
  if (dirt_.empty()) {
    dirt_.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 0);
    Random random{scenario_.seed * 7919u + 17};
    double covered = 0;
    const double goal = std::clamp(share, 0.0, 1.0) * static_cast<double>(dirt_.size());
    for (int spot = 0; spot < 4000 && covered < goal; ++spot) {
      const double radius = (0.02 + 0.1 * random.unit()) * width;
      const double cx = random.unit() * width, cy = random.unit() * height;
      const int x0 = std::max(0, static_cast<int>(cx - radius)),
                x1 = std::min(width - 1, static_cast<int>(cx + radius));
      const int y0 = std::max(0, static_cast<int>(cy - radius)),
                y1 = std::min(height - 1, static_cast<int>(cy + radius));
      for (int y = y0; y <= y1; ++y)
        for (int x = x0; x <= x1; ++x) {
          const double away = std::hypot(x - cx, y - cy) / radius;
          const double thick = std::clamp(1.6 * (1 - away), 0.0, 1.0);
          float& d = dirt_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                           static_cast<std::size_t>(x)];
          if (d < 0.5f && thick >= 0.5) ++covered;
          d = std::max(d, static_cast<float>(thick));
        }
    }
  }
  for (std::size_t i = 0; i < dirt_.size(); ++i)
    for (int c = 0; c < channels_; ++c) {
      std::uint8_t& b =
          bytes[i * static_cast<std::size_t>(channels_) + static_cast<std::size_t>(c)];
      const float mud = 70.0f - 12.0f * static_cast<float>(c);
      b = static_cast<std::uint8_t>(std::lround((1 - dirt_[i]) * static_cast<float>(b) +
                                                dirt_[i] * (0.12f * static_cast<float>(b) + mud)));
    }
}

bool CameraFaults::apply(double t, std::vector<std::uint8_t>& bytes) {
  using Kind = FaultSpec::Kind;
  bool comes = true, frozen = false;
  for (const FaultSpec& fault : scenario_.faults) {
    if (!active(fault, t)) continue;
    switch (fault.kind) {
      case Kind::camera_blinded:
        towards(bytes, 255, fault.amount);
        break;
      case Kind::camera_dark:
        towards(bytes, 0, fault.amount);
        break;
      case Kind::camera_dirty:
        soil(fault.amount, bytes);
        break;
      case Kind::camera_misaligned:
        shift(fault.amount, bytes);
        break;
      case Kind::camera_frozen:
        frozen = true;
        break;
      case Kind::camera_silent:
        comes = false;
        break;
      default:  // of its time, of vision, of the signals
        break;
    }
  }
  if (frozen && last_.size() == bytes.size()) bytes = last_;
  last_ = bytes;
  return comes;
}

double CameraFaults::stamp(double t) const {
  for (const FaultSpec& fault : scenario_.faults)
    if (fault.kind == FaultSpec::Kind::camera_time_jump && active(fault, t))
      return t + fault.amount;
  return t;
}

}  // namespace kerb::sim
