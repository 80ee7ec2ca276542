// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "hal/base/clock.hpp"
#include "hal/vision.hpp"

namespace kerb::track {

/// A tracked person, as of one frame.
struct Person {
  std::uint32_t id = 0;                 ///< from 1, never used twice by one tracker
  std::int8_t camera = -1;              ///< whose tracker gave the id; -1: that of the report
  Nanos first_seen{}, last_seen{};      ///< by the detector; the last also by spectral bands
  double x_m = 0, y_m = 0;              ///< in the car's frame (rear axle, forward, left)
  double vx_mps = 0, vy_mps = 0;        ///< over ground, along the car's axes
  std::array<double, 16> covariance{};  ///< of x, y, vx, vy; rows
  double walks = 1;                     ///< probability that they walk; otherwise they stand
  /// The same values where they walk, and where they stand: what is above is the mean of both.
  struct Walking {
    double x_m = 0, y_m = 0, vx_mps = 0, vy_mps = 0;
    std::array<double, 16> covariance{};
  } walking;
  struct Standing {
    double x_m = 0, y_m = 0;
    std::array<double, 4> covariance{};
  } standing;
  double height_m = 1.7, height_sigma_m = 0.1;
  Detection box;         ///< detected in this frame and smoothed, or the expected one
  double certainty = 0;  ///< probability that there is a person, 0..1
  bool confirmed = false;
  bool seen = false;  ///< by the detector, in this frame
};

/// The camera whose tracker gave a person's id, where camera `reports` tells of them: together they
/// are the person's identity. firmware/fuse gives one to people whom several cameras see.
[[nodiscard]] constexpr int identity_camera(const Person& person, int reports) noexcept {
  return person.camera < 0 ? reports : person.camera;
}

/// Room for a fixed number, so that the frame loop allocates nothing. Confirmed ones first, then by
/// distance.
struct PersonList {
  static constexpr int kCapacity = 64;
  int count = 0;
  Person items[kCapacity];
};

}  // namespace kerb::track
