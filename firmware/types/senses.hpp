// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "firmware/types/ego_motion.hpp"
#include "firmware/types/person.hpp"
#include "hal/base/clock.hpp"
#include "hal/vision.hpp"

namespace kerb::track {

/// What somebody looks like, for telling people apart: numbers whose meaning the Appearance knows.
struct Signature {
  static constexpr int kSize = 48;
  bool known = false;
  std::array<float, kSize> values{};
};

/// How the picture moves where a followed person is expected, since the frame before.
struct BoxFlow {
  int points = 0;          ///< vectors it rests on; 0: nothing measured
  float dx = 0, dy = 0;    ///< of the box's middle, pixels
  float growth = 0;        ///< share by which the box grew, 0.01: a hundredth
  float sigma_px = 0;      ///< of dx and dy
  float growth_sigma = 0;  ///< of growth
};

/// How one who is followed was looked for by the spectrum of what they wear, where the camera has
/// bands.
struct Likeness {
  static constexpr std::uint8_t kNotLooked = 255, kSame = 200;
  std::uint32_t id = 0;  ///< whom
  bool found = false;    ///< the place below is theirs, and stands out from what is around it
  float column = 0;      ///< of the middle of their upper body where it is likeliest, pixels
  float sigma_px = 0;    ///< of it
  /// Of each detection's upper body, in the order of `boxes`: 0 nothing like them, kSame as they
  /// were when last seen.
  std::array<std::uint8_t, PersonList::kCapacity> of{};
};

/// All that one frame tells the tracker: plain data, so that it can be written down and followed
/// again later.
struct Senses {
  static constexpr int kMost = PersonList::kCapacity;
  Nanos captured{};
  bool looked = false;  ///< whether the detector looked at this frame; else `count` is 0
  int count = 0;        ///< detections, best first
  std::array<Detection, kMost> boxes{};
  std::array<Signature, kMost> looks{};       ///< of them, in their order
  std::array<bool, kMost> flow_says_moves{};  ///< of them: the motion watch says it moves by itself
  int followed = 0;                           ///< people the tracker followed before this frame
  std::array<BoxFlow, kMost> flows{};         ///< of them, in the order of the last PersonList
  ego::VehicleMotion vehicle;                 ///< since the frame before
  std::optional<double> yaw_rate_radps;       ///< from the picture, to the left
  std::optional<double> pitch_rad;            ///< of the camera above the road, from the picture
  double pitch_sigma_rad = 0;
  /// Where there are bands; else, and where nobody had time to look, none: then colours tell people
  /// apart. In records of format 3 on.
  static constexpr int kMostLikenesses = 8;
  int likenesses = 0;
  std::array<Likeness, kMostLikenesses> like{};
};

}  // namespace kerb::track
