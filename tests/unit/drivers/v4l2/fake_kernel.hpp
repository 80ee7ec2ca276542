// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <linux/videodev2.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "drivers/v4l2/kernel_io.hpp"

namespace kerb::test {

/// Time that passes only while the fake kernel's poll() waits.
class TestClock final : public Clock {
 public:
  [[nodiscard]] Nanos now() const override { return now_; }
  [[nodiscard]] Nanos from_monotonic(Nanos kernel_time) const override { return kernel_time; }
  [[nodiscard]] Nanos real(Nanos duration) const override { return duration * slowness; }
  void sleep_until(Nanos instant) const override { now_ = std::max(now_, instant); }
  void advance(Nanos by) { now_ += by; }
  int slowness = 1;  ///< seconds of life to a second of this clock

 private:
  mutable Nanos now_ = std::chrono::seconds{100};
};

struct FakeFormat {
  struct Size {
    std::uint32_t width, height;
    std::vector<double> rates_hz = {};  ///< listed as intervals; none: the driver lists none
  };
  std::uint32_t fourcc;
  std::vector<Size> sizes;  ///< any other is turned into the first
};

struct FakeControl {
  std::int64_t minimum, maximum, value = 0;
  std::uint64_t step = 1;
  std::uint32_t type = V4L2_CTRL_TYPE_INTEGER, flags = 0;
  int refuses_with = 0;       ///< errno
  std::int64_t refused = -1;  ///< only this value is refused, with EINVAL: a menu has gaps
};

/// What the next filled buffer holds.
struct Fill {
  std::uint32_t sequence = 0;
  Nanos timestamp{};
  std::uint32_t flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
  std::int64_t bytes = -1;                 ///< bytesused; -1: all of the buffer
  std::vector<std::uint8_t> content = {};  ///< else every byte is the sequence number
  std::uint32_t data_offset = 0;           ///< multi-planar only
};

/// One V4L2 capture device and its driver, played: formats, controls, input, timings, events, both
/// kinds of buffers, and faults. It also watches its user: what no driver would forgive ends up in
/// `violations`.
class FakeKernel final : public KernelIo {
 public:
  explicit FakeKernel(TestClock& clock) : clock_{clock} {}

  // What the device is. To be changed before it is opened, or where a test says so.
  std::string path = "/dev/video0";
  std::uint32_t capabilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
  std::vector<FakeFormat> formats = {{V4L2_PIX_FMT_YUYV, {{64, 48}}}};
  std::uint32_t row_padding = 0;
  std::uint32_t field = V4L2_FIELD_NONE;
  std::uint32_t size_image = 0;  ///< 0: what the format needs
  std::map<std::uint32_t, FakeControl> controls;
  bool has_time_per_frame = true;
  v4l2_fract frame_interval{1, 30};
  bool takes_interval = true;  ///< S_PARM changes it
  bool has_input = true;
  std::uint32_t input_capabilities = 0, input_status = 0;
  v4l2_dv_timings signal{};  ///< what is on the cable
  int signal_errno = 0;      ///< what QUERY_DV_TIMINGS says instead
  bool has_events = false;
  bool has_userptr = true, has_mmap = true;
  int userptr_refusal = 0;  ///< errno of QBUF
  std::uint32_t least_buffers = 2, most_buffers = 32;
  bool is_unplugged = false, is_broken = false;       ///< ENODEV everywhere; EIO from the queue
  bool fills_by_itself = false;                       ///< a frame is there whenever a buffer is
  int poll_interruptions = 0;                         ///< so many polls end with EINTR after 1 ms
  std::map<unsigned long, std::deque<int>> failures;  ///< errno of the next calls of an ioctl

  /// Fills the oldest queued buffer; without one the frame is lost. For a streaming device.
  void fill(const Fill& fill);
  /// The same, `delay` of real time into the waits that follow.
  void fill_after(Nanos delay, const Fill& fill);
  void after(Nanos delay, std::function<void()> action);
  void send_source_change();

  // What the user did.
  [[nodiscard]] int open_files() const { return open_files_; }
  [[nodiscard]] int mappings() const { return static_cast<int>(mapped_.size()); }
  [[nodiscard]] std::size_t queued() const { return queue_.size(); }
  [[nodiscard]] std::size_t buffers() const { return buffers_.size(); }
  [[nodiscard]] bool is_streaming() const { return streaming_; }
  [[nodiscard]] int calls(unsigned long request) const;
  [[nodiscard]] const v4l2_dv_timings& timings() const { return timings_; }
  [[nodiscard]] Nanos last_poll() const { return last_poll_; }
  std::string violations;

  int open(const char* name) noexcept override;
  int close(int fd) noexcept override;
  int ioctl(int fd, unsigned long request, void* argument) noexcept override;
  int poll(int fd, short events, Nanos timeout) noexcept override;
  int map(int fd, std::size_t size, std::size_t offset, void*& address) noexcept override;
  int unmap(void* address, std::size_t size) noexcept override;

 private:
  struct Buffer {
    std::shared_ptr<std::vector<std::uint8_t>> own;  // mmap
    std::uint8_t* memory = nullptr;                  // where the device writes
    std::size_t size = 0;
    bool queued = false;
  };
  struct Done {
    std::uint32_t index;
    Fill fill;
  };
  int dispatch(unsigned long request, void* argument);
  int query_capability(v4l2_capability& capability) const;
  int list_format(v4l2_fmtdesc& entry) const;
  int list_interval(v4l2_frmivalenum& entry) const;
  int change_format(unsigned long request, v4l2_format& format);
  int frame_rate(v4l2_streamparm& parm, bool set);
  int query_control(v4l2_query_ext_ctrl& control) const;
  int set_controls(v4l2_ext_controls& all);
  int get_controls(v4l2_ext_controls& all) const;
  int read_input(v4l2_input& input) const;
  int take_event(v4l2_event& event);
  int request_buffers(v4l2_requestbuffers& request);
  int query_buffer(v4l2_buffer& buffer);
  int queue_buffer(v4l2_buffer& buffer);
  int dequeue_buffer(v4l2_buffer& buffer);
  int stream(bool on);
  void fill_locked(const Fill& fill);
  [[nodiscard]] short ready(short events);
  [[nodiscard]] bool is_multi_planar() const;
  void blame(const std::string& what) { violations += what + "; "; }

  TestClock& clock_;
  mutable std::recursive_mutex mutex_;
  int open_files_ = 0;
  int fd_ = 40;
  v4l2_pix_format format_{};
  v4l2_dv_timings timings_{};
  std::vector<Buffer> buffers_;
  std::deque<std::uint32_t> queue_;
  std::deque<Done> done_;
  std::map<void*, std::shared_ptr<std::vector<std::uint8_t>>> mapped_;
  std::uint32_t memory_ = 0;
  bool streaming_ = false;
  bool subscribed_ = false;
  int pending_events_ = 0;
  std::uint32_t next_sequence_ = 0;
  struct Timer {
    Nanos left;
    std::function<void()> action;
  };
  std::vector<Timer> timers_;
  std::map<unsigned long, int> calls_;
  Nanos last_poll_{};
};

}  // namespace kerb::test
