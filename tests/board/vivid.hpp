// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/videodev2.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "tests/board/pattern.hpp"
#include "tests/board/posix.hpp"

namespace kerb::board {

/// The nodes of the first vivid instance: what is written to `output` comes out of `capture`.
struct VividNodes {
  std::string capture;
  std::string output;
};
VividNodes find_vivid();

/// A picture format both sides of the loop agree on.
struct LoopFormat {
  std::uint32_t fourcc = V4L2_PIX_FMT_GREY;
  std::uint32_t width = 1280;
  std::uint32_t height = 720;
  double rate = 15;  ///< frames per real second, within 0.5 of HDMI timings that vivid takes
};

std::string fourcc_name(std::uint32_t fourcc);

/// vivid's controls by the names the kernel gives them (docs/board.md lists those used).
class VividControls {
 public:
  /// Holds `node` open until close(): a node held open keeps a disconnected vivid disconnected.
  explicit VividControls(const std::string& node);
  bool has(const std::string& name) const { return controls_.contains(name); }
  void set(const std::string& name, std::int32_t value);
  void press(const std::string& name) { set(name, 1); }  ///< a button has no value
  std::int32_t get(const std::string& name) const;
  void close() { node_.close(); }
  const std::map<std::string, v4l2_query_ext_ctrl>& all() const { return controls_; }

 private:
  File node_;
  std::map<std::string, v4l2_query_ext_ctrl> controls_;
};

/// Puts the same HDMI timings on both sides, turns the loop on and the text off. Neither side may
/// have buffers. Throws BoardError when vivid has no timings of that size and rate.
void connect_loop(const VividNodes& nodes, const LoopFormat& format);

/// Everything V4L2 wants in one place: a queue of buffers of either direction.
class BufferQueue {
 public:
  struct Filled {
    std::uint32_t index = 0;
    std::uint32_t sequence = 0;
    std::uint32_t flags = 0;
    double time = 0;  ///< seconds, CLOCK_MONOTONIC
    std::span<std::uint8_t> bytes;
  };

  BufferQueue(const std::string& node, v4l2_buf_type type, v4l2_memory memory,
              const LoopFormat& format, std::uint32_t count);
  BufferQueue(const BufferQueue&) = delete;
  BufferQueue& operator=(const BufferQueue&) = delete;
  ~BufferQueue();

  std::size_t stride() const { return stride_; }
  std::size_t rows() const { return size_ / stride_; }  ///< of all planes, one below the other
  std::uint32_t count() const { return static_cast<std::uint32_t>(buffers_.size()); }
  std::span<std::uint8_t> buffer(std::uint32_t index) { return {buffers_[index], size_}; }
  void queue(std::uint32_t index);
  void stream_on();
  /// The next buffer the kernel is done with; nothing after `timeout_ms` or on an error, which is
  /// then in last_error() (0: time-out).
  std::optional<Filled> next(int timeout_ms);
  int last_error() const { return last_error_; }
  const File& node() const { return node_; }

 private:
  v4l2_buffer describe(std::uint32_t index) const;

  File node_;
  v4l2_buf_type type_;
  v4l2_memory memory_;
  std::size_t stride_ = 0;
  std::size_t size_ = 0;
  std::vector<std::uint8_t*> buffers_;
  std::vector<std::uint8_t> memory_of_ours_;  // USERPTR
  int last_error_ = 0;
};

/// What a FrameWriter shows.
enum class Show : std::uint8_t {
  numbered,  ///< frame after frame, each with its number
  frozen,    ///< the last frame, again and again
  black,     ///< as with the lens covered
  white,     ///< as with the sun in the lens
  damaged    ///< numbered, with one bit wrong: shows that a check can see it
};

/// Writes frames into vivid's output from a thread of its own, until destroyed. Restarts by itself
/// when the queue fails, as vivid's fatal streaming error hits both directions at once.
class FrameWriter {
 public:
  /// A new frame at most every `interval`. Two or more of vivid's frame times keep every frame on
  /// the output long enough to be captured at least once.
  FrameWriter(VividNodes nodes, LoopFormat format, std::chrono::milliseconds interval,
              std::uint32_t first_number = 1);
  ~FrameWriter();
  std::uint32_t written() const { return next_number_ - first_number_; }
  std::uint32_t last_number() const { return next_number_ - 1; }
  std::uint32_t restarts() const { return restarts_; }
  void show(Show what) { show_ = what; }

 private:
  void run();
  void stream();
  void draw(const Pattern& pattern, std::span<std::uint8_t> frame) const;

  VividNodes nodes_;
  LoopFormat format_;
  std::chrono::milliseconds interval_;
  std::uint32_t first_number_;
  std::atomic<std::uint32_t> next_number_;
  std::atomic<std::uint32_t> restarts_ = 0;
  std::atomic<Show> show_ = Show::numbered;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

/// A writer that shows every frame for two of vivid's frame times, once its first frame is written.
std::unique_ptr<FrameWriter> start_writer(const VividNodes& nodes, const LoopFormat& format);

}  // namespace kerb::board
