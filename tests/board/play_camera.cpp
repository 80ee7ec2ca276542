// SPDX-License-Identifier: Apache-2.0
#include "tests/board/play_camera.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace kerb::board {
namespace {

constexpr double kLookLimit = 5;  // real seconds

}  // namespace

PlayCamera::PlayCamera(VividNodes nodes, const sim::Play& play, double rate)
    : nodes_(std::move(nodes)), play_(play), rate_(rate), thread_([this] { run(); }) {}

PlayCamera::~PlayCamera() {
  stop_ = true;
  thread_.join();
}

void PlayCamera::begin(RealClock::time_point at) {
  begin_ = at;
  begun_ = true;
}

void PlayCamera::run() {
  try {
    stream();
  } catch (const BoardError& error) {
    std::fprintf(stderr, "play camera: %s\n", error.what());
  }
}

std::size_t PlayCamera::due_picture() const {
  if (!begun_) return 0;
  const double t = seconds_since(begin_) * rate_;
  const auto after =
      std::upper_bound(play_.pictures.begin(), play_.pictures.end(), t,
                       [](double at, const sim::Play::Shown& p) { return at < p.at; });
  return after == play_.pictures.begin()
             ? 0
             : static_cast<std::size_t>(after - play_.pictures.begin()) - 1;
}

void PlayCamera::draw(std::size_t picture, std::size_t stride, std::span<std::uint8_t> out) {
  sim::enlarge(play_, picture, stride, out);
  if (begun_ || ++turn_ % 2 == 0) return;
  // A camera's noise, never the same twice: the product takes pictures that come again for a fault.
  std::uint32_t noise = turn_ * 0x9E3779B9U;
  for (std::uint8_t& sample : out) {
    noise = noise * 1664525U + 1013904223U;
    sample ^= static_cast<std::uint8_t>(noise >> 31U);
  }
}

void PlayCamera::stream() {
  BufferQueue queue(nodes_.output, V4L2_BUF_TYPE_VIDEO_OUTPUT, V4L2_MEMORY_MMAP, LoopFormat{}, 4);
  std::vector<std::uint32_t> free_buffers;
  for (std::uint32_t i = 0; i < queue.count(); ++i) free_buffers.push_back(i);
  bool streaming = false;
  std::size_t last = play_.pictures.size();
  while (!stop_) {
    if (free_buffers.empty()) {
      if (const auto done = queue.next(100)) free_buffers.push_back(done->index);
      continue;
    }
    const bool playing = begun_;
    const std::size_t picture = due_picture();
    if (playing && picture == last) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      continue;
    }
    last = playing ? picture : play_.pictures.size();
    const std::uint32_t index = free_buffers.back();
    free_buffers.pop_back();
    draw(picture, queue.stride(), queue.buffer(index));
    queue.queue(index);
    if (playing) ++shown_;
    if (!streaming) queue.stream_on();
    streaming = true;
    while (const auto done = queue.next(0)) free_buffers.push_back(done->index);
    if (!playing) std::this_thread::sleep_for(std::chrono::milliseconds(130));
  }
}

LoopLook look_through_loop(const VividNodes& nodes, const sim::Play& play) {
  BufferQueue queue(nodes.capture, V4L2_BUF_TYPE_VIDEO_CAPTURE, V4L2_MEMORY_MMAP, LoopFormat{}, 4);
  for (std::uint32_t i = 0; i < queue.count(); ++i) queue.queue(i);
  queue.stream_on();
  std::vector<std::uint8_t> wanted(queue.stride() * queue.rows());
  sim::enlarge(play, 0, queue.stride(), wanted);
  LoopLook look;
  look.different = wanted.size();
  const auto start = RealClock::now();
  while (look.different > 0 && seconds_since(start) < kLookLimit) {
    const auto frame = queue.next(100);
    if (!frame) continue;
    ++look.frames;
    std::size_t different = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (frame->bytes[i] != wanted[i]) ++different;
    look.different = std::min(look.different, different);
    queue.queue(frame->index);
  }
  return look;
}

}  // namespace kerb::board
