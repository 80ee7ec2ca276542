// SPDX-License-Identifier: Apache-2.0
// vivid: its loop from output to capture, and the faults it can be told to have.
#include <poll.h>

#include <cmath>
#include <memory>

#include "tests/board/hardware_checks.hpp"
#include "tests/board/vivid.hpp"

namespace kerb::board {
namespace {

using std::chrono::milliseconds;

constexpr unsigned kRandomFrames = 100;  // of which vivid drops some by chance
constexpr double kOneInAMillion = 4.9;   // standard deviations, either way

/// What a while of watching the capture side brought.
struct Watched {
  int frames = 0;
  int unreadable = 0;    // no number in them
  int flagged = 0;       // V4L2_BUF_FLAG_ERROR
  int backwards = 0;     // a number lower than the one before
  int repeated = 0;      // the same number again
  unsigned skipped = 0;  // numbers written and never seen
  unsigned gaps = 0;     // missing sequence numbers
  std::size_t differences = 0;
  double rate = 0;
  int error = 0;  // errno that ended it
};

class Watcher {
 public:
  Watcher(const VividNodes& nodes, v4l2_memory memory, const LoopFormat& format)
      : queue_(nodes.capture, V4L2_BUF_TYPE_VIDEO_CAPTURE, memory, format, 4),
        pattern_(queue_.stride(), queue_.rows()) {
    for (std::uint32_t i = 0; i < queue_.count(); ++i) queue_.queue(i);
    queue_.stream_on();
  }

  Watched watch(double seconds) {
    Watched seen;
    std::optional<std::uint32_t> last_number;
    std::optional<std::uint32_t> last_sequence;
    double first_time = 0;
    const auto start = RealClock::now();
    while (seconds_since(start) < seconds) {
      const auto frame = queue_.next(100);
      if (!frame && queue_.last_error() != 0) {
        seen.error = queue_.last_error();
        return seen;
      }
      if (!frame) continue;
      if (++seen.frames == 1) first_time = frame->time;
      if (seen.frames > 1) seen.rate = (seen.frames - 1) / (frame->time - first_time);
      if ((frame->flags & V4L2_BUF_FLAG_ERROR) != 0) ++seen.flagged;
      if (last_sequence) seen.gaps += frame->sequence - *last_sequence - 1;
      last_sequence = frame->sequence;
      const auto number = pattern_.number_of(frame->bytes);
      if (number) {
        seen.differences += pattern_.differences(*number, frame->bytes);
        if (last_number && *number < *last_number) ++seen.backwards;
        if (last_number && *number == *last_number) ++seen.repeated;
        if (last_number && *number > *last_number) seen.skipped += *number - *last_number - 1;
        last_number = number;
      } else {
        ++seen.unreadable;
      }
      queue_.queue(frame->index);
    }
    return seen;
  }

  /// Leaves what piled up in the queue, and what was under way when something was switched.
  void settle() { watch(0.4); }

  std::uint32_t input_status() {
    v4l2_input input{};
    must_ioctl(queue_.node(), VIDIOC_ENUMINPUT, &input, "VIDIOC_ENUMINPUT");
    return input.status;
  }
  short poll_flags() {
    pollfd waiting{queue_.node().get(), POLLIN, 0};
    ::poll(&waiting, 1, 1000);
    return waiting.revents;
  }
  /// STREAMOFF, queue again, STREAMON: all it takes after a fatal streaming error.
  void restart() {
    int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    must_ioctl(queue_.node(), VIDIOC_STREAMOFF, &type, "VIDIOC_STREAMOFF");
    for (std::uint32_t i = 0; i < queue_.count(); ++i) queue_.queue(i);
    queue_.stream_on();
  }

 private:
  BufferQueue queue_;
  Pattern pattern_;
};

void check_one_loop(Checks& checks, const VividNodes& nodes, const LoopFormat& format,
                    v4l2_memory memory) {
  const std::string name =
      text("loop %s %ux%u %s", fourcc_name(format.fourcc).c_str(), format.width, format.height,
           memory == V4L2_MEMORY_MMAP ? "mmap" : "userptr");
  checks.group(name, [&] {
    connect_loop(nodes, format);
    const auto writer = start_writer(nodes, format);
    Watcher watcher(nodes, memory, format);
    watcher.settle();
    const Watched seen = watcher.watch(1.5);
    checks.check(
        seen.frames >= 10 && seen.unreadable == 0 && seen.flagged == 0 && seen.backwards == 0 &&
            seen.differences == 0 && seen.skipped <= seen.gaps && seen.error == 0 &&
            seen.repeated < seen.frames - 1,
        name,
        text("%d frames at %.1f a second, %zu bytes changed, %d out of order, %u skipped, %u gaps",
             seen.frames, seen.rate, seen.differences, seen.backwards, seen.skipped, seen.gaps));
  });
}

}  // namespace

void check_camera_loop(Checks& checks) {
  checks.group("camera loop", [&] {
    const VividNodes nodes = find_vivid();
    for (const std::uint32_t fourcc :
         {V4L2_PIX_FMT_GREY, V4L2_PIX_FMT_YUYV, V4L2_PIX_FMT_NV12, V4L2_PIX_FMT_SRGGB10})
      check_one_loop(checks, nodes, LoopFormat{fourcc}, V4L2_MEMORY_MMAP);
    const LoopFormat format;
    check_one_loop(checks, nodes, format, V4L2_MEMORY_USERPTR);

    const auto writer = start_writer(nodes, format);
    writer->show(Show::damaged);
    Watcher watcher(nodes, V4L2_MEMORY_MMAP, format);
    watcher.settle();
    Watched seen = watcher.watch(1);
    checks.check(seen.frames > 0 && seen.differences == std::size_t(seen.frames),
                 "a wrong bit in a frame is noticed",
                 text("%zu changed bytes in %d frames", seen.differences, seen.frames));
    writer->show(Show::frozen);
    watcher.settle();
    seen = watcher.watch(1);
    checks.check(seen.frames > 2 && seen.repeated == seen.frames - 1, "a frozen picture",
                 text("%d of %d frames repeat the one before", seen.repeated, seen.frames));
  });
}

void check_camera_faults(Checks& checks) {
  checks.group("camera faults", [&] {
    const VividNodes nodes = find_vivid();
    const LoopFormat format;
    connect_loop(nodes, format);
    auto writer = start_writer(nodes, format);
    auto watcher = std::make_unique<Watcher>(nodes, V4L2_MEMORY_MMAP, format);
    VividControls controls(nodes.capture);
    Watched seen;
    const auto good_again = [&](const char* name) {
      watcher->settle();
      seen = watcher->watch(0.7);
      checks.check(seen.frames >= 4 && seen.unreadable == 0 && seen.flagged == 0 && seen.error == 0,
                   name, text("%d good frames of %d", seen.frames - seen.unreadable, seen.frames));
    };

    controls.set("DV Timings Signal Mode", 1);
    watcher->settle();
    seen = watcher->watch(0.7);
    checks.check(seen.frames >= 4 && seen.unreadable == seen.frames && seen.flagged == 0 &&
                     (watcher->input_status() & V4L2_IN_ST_NO_SIGNAL) != 0,
                 "no signal: noise and an input status",
                 text("%d of %d frames are noise, none flagged, input status 0x%x", seen.unreadable,
                      seen.frames, watcher->input_status()));
    controls.set("DV Timings Signal Mode", 0);
    good_again("signal again");

    controls.set("Percentage of Dropped Buffers", 40);
    watcher->settle();
    // Each is dropped by chance: of as many as there were, no fewer or more than in one of a
    // million such runs.
    unsigned delivered = 0, dropped = 0;
    for (int i = 0; i < 5 && delivered + dropped < kRandomFrames; ++i) {
      seen = watcher->watch(8);
      delivered += static_cast<unsigned>(seen.frames);
      dropped += seen.gaps;
    }
    const unsigned total = delivered + dropped;
    const double spread = kOneInAMillion * std::sqrt(0.4 * 0.6 * total);
    checks.check(total >= kRandomFrames && std::abs(dropped - 0.4 * total) <= spread,
                 "dropped buffers: gaps in the sequence",
                 text("%u of %u frames dropped, 40 %% asked for: %.0f, give or take %.0f by chance",
                      dropped, total, 0.4 * total, spread));
    controls.set("Percentage of Dropped Buffers", 100);
    watcher->settle();
    seen = watcher->watch(1);
    checks.check(seen.frames == 0 && seen.error == 0, "every buffer dropped: a silent camera",
                 text("%d frames in 1 s, errno %d", seen.frames, seen.error));
    controls.set("Percentage of Dropped Buffers", 0);
    good_again("frames again");

    std::atomic<bool> stop = false;
    std::thread presser([&] {
      while (!stop) {
        controls.press("Inject V4L2_BUF_FLAG_ERROR");
        std::this_thread::sleep_for(milliseconds(10));
      }
    });
    watcher->settle();
    seen = watcher->watch(1);
    stop = true;
    presser.join();
    // A press flags one buffer of either direction, and on a busy host the presser is late: a third
    // is far more than any camera may damage, and far more than comes unasked.
    checks.check(seen.frames >= 6 && seen.flagged * 3 >= seen.frames, "error flag",
                 text("%d of %d frames flagged", seen.flagged, seen.frames));
    good_again("no error flag again");

    controls.press("Inject Fatal Streaming Error");
    seen = watcher->watch(1);
    checks.check(seen.error == EIO, "fatal streaming error",
                 text("VIDIOC_DQBUF: %s", std::strerror(seen.error)));
    watcher->restart();
    watcher->watch(1);  // the writer has to come back as well
    good_again("stream restarted");

    controls.press("Disconnect");
    seen = watcher->watch(1);
    const short flags = watcher->poll_flags();
    checks.check(seen.error == ENODEV && (flags & POLLERR) != 0, "disconnect",
                 text("VIDIOC_DQBUF: %s, poll 0x%x", std::strerror(seen.error), flags));
    watcher.reset();
    writer.reset();
    const auto open_error = [&] {
      const File node(::open(nodes.capture.c_str(), O_RDWR | O_NONBLOCK));
      return node ? 0 : errno;
    };
    const int held = open_error();
    controls.close();
    const int released = open_error();
    checks.check(held == ENODEV && released == 0, "connected again when the last user closes",
                 text("open while a node is held: %s; after: %s", std::strerror(held),
                      std::strerror(released)));
    writer = start_writer(nodes, format);
    watcher = std::make_unique<Watcher>(nodes, V4L2_MEMORY_MMAP, format);
    good_again("frames after the disconnect");
  });
}

}  // namespace kerb::board
