// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "firmware/types/ego_motion.hpp"
#include "firmware/types/person.hpp"
#include "firmware/types/view.hpp"
#include "hal/base/clock.hpp"
#include "hal/vision.hpp"

namespace kerb::track {

/// A person's appearance, for telling people apart; only the Appearance knows the numbers' meaning.
struct Signature {
  static constexpr int kSize = 48;
  bool known = false;
  std::array<float, kSize> values{};
};

/// Flow at a tracked person's expected place, since the previous frame.
struct BoxFlow {
  int points = 0;          ///< vectors used; 0: not measured
  float dx = 0, dy = 0;    ///< of the box's middle, pixels
  float growth = 0;        ///< share by which the box grew, 0.01: a hundredth
  float sigma_px = 0;      ///< of dx and dy
  float growth_sigma = 0;  ///< of growth
};

/// Result of the search for a tracked person by the spectrum of their clothes, where the camera has
/// bands.
struct Likeness {
  static constexpr std::uint8_t kNotLooked = 255, kSame = 200;
  std::uint32_t id = 0;  ///< of the person
  bool found = false;    ///< the place below is theirs, distinct from its surroundings
  float column = 0;      ///< most likely middle of their upper body, pixels
  float sigma_px = 0;    ///< its standard deviation
  /// Likeness of each detection's upper body, in the order of `boxes`: 0 not like them at all,
  /// kSame the same as when last seen.
  std::array<std::uint8_t, PersonList::kCapacity> of{};
};

/// All measurements of one frame for the tracker: plain data, so that they can be recorded and
/// replayed.
struct Senses {
  static constexpr int kMost = PersonList::kCapacity;
  Nanos captured{};
  bool looked = false;  ///< whether the detector ran on this frame; else `count` is 0
  int count = 0;        ///< detections, best first
  std::array<Detection, kMost> boxes{};
  std::array<Signature, kMost> looks{};       ///< of them, in their order
  std::array<bool, kMost> flow_says_moves{};  ///< of them: according to flow it moves by itself
  int followed = 0;                           ///< people tracked before this frame
  std::array<BoxFlow, kMost> flows{};         ///< of them, in the order of the last PersonList
  ego::VehicleMotion vehicle;                 ///< since the previous frame
  std::optional<double> yaw_rate_radps;       ///< from the picture, to the left
  std::optional<double> pitch_rad;            ///< of the camera above the road, from the picture
  double pitch_sigma_rad = 0;
  ViewMeasurement view;  ///< how far this picture shows people
  /// Where there are bands. None without bands, or where there was no time to search: colours then
  /// tell people apart. In records since format 3.
  static constexpr int kMostLikenesses = 8;
  int likenesses = 0;
  std::array<Likeness, kMostLikenesses> like{};
};

}  // namespace kerb::track
