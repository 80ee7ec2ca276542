// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hal/base/result.hpp"
#include "hal/can_bus.hpp"

namespace kerb::sim {

/// A scenario as the board plays it: pictures and vehicle messages, each with its time. Made on the
/// host, where rendering is fast; played on a board that may be many times slower than real time.
/// Pictures of one byte a pixel, grey or under a filter mosaic, smaller than the camera's by
/// `enlarge` in each direction.
struct Play {
  struct Message {
    double at = 0;
    CanFrame frame;
  };
  struct Shown {
    double at = 0;
    std::vector<std::uint8_t> pixels;  ///< width x height
  };
  std::string name;
  double seconds = 0;
  int width = 0, height = 0, enlarge = 1;
  std::vector<Message> messages;
  std::vector<Shown> pictures;
};

/// The file's bytes. Little-endian, whatever the machine.
[[nodiscard]] std::string render_play(const Play& play);
/// The inverse. Fails: damaged.
[[nodiscard]] Result<Play> parse_play(std::string_view bytes);

/// Draws a picture as large as the camera's: every sample a square. Rows are `stride` bytes apart;
/// what lies between them is left alone.
void enlarge(const Play& play, std::size_t picture, std::size_t stride,
             std::span<std::uint8_t> out) noexcept;

}  // namespace kerb::sim
