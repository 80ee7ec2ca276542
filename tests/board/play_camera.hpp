// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <thread>

#include "tests/board/vivid.hpp"
#include "tools/simulator/hil/play_file.hpp"

namespace kerb::board {

/// Shows a play's pictures through vivid's output; before it begins, the first one, every other
/// time with all its lowest bits flipped, so that nobody takes it for frozen. Any thread.
class PlayCamera {
 public:
  PlayCamera(VividNodes nodes, const sim::Play& play, double rate);
  PlayCamera(const PlayCamera&) = delete;
  PlayCamera& operator=(const PlayCamera&) = delete;
  ~PlayCamera();

  void begin(RealClock::time_point at);
  int shown() const { return shown_; }  ///< of the play's pictures

 private:
  void run();
  void stream();
  std::size_t due_picture() const;
  void draw(std::size_t picture, std::size_t stride, std::span<std::uint8_t> out);

  VividNodes nodes_;
  const sim::Play& play_;
  const double rate_;
  unsigned turn_ = 0;
  RealClock::time_point begin_;
  std::atomic<bool> begun_ = false, stop_ = false;
  std::atomic<int> shown_ = 0;
  std::thread thread_;
};

/// What comes out of vivid's capture side while a PlayCamera that has not begun writes to it.
struct LoopLook {
  int frames = 0;
  std::size_t different = 0;  ///< bytes, in the one most like the play's first picture
};
/// Looks until a frame is the same, or for some seconds. Nobody else may be capturing.
LoopLook look_through_loop(const VividNodes& nodes, const sim::Play& play);

}  // namespace kerb::board
