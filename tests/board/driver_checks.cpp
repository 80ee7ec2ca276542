// SPDX-License-Identifier: Apache-2.0
// Our V4L2 driver on vivid's loop: what it lends is what was written, frame by frame.
#include "drivers/v4l2/v4l2_camera.hpp"
#include "hal/fake/frame_memory.hpp"
#include "tests/board/firmware_checks.hpp"
#include "tests/board/pattern.hpp"
#include "tests/board/vivid.hpp"

namespace kerb::board {
namespace {

struct Read {
  int frames = 0;
  int unreadable = 0;    // no number in them
  int backwards = 0;     // a number lower than the one before
  int not_rising = 0;    // sequence or time stamp
  unsigned skipped = 0;  // numbers written and never seen
  std::size_t differences = 0;
  std::string error;
};

Read read_for(FrameSource& camera, double seconds) {
  Read seen;
  std::optional<std::uint32_t> last_number;
  std::optional<std::uint64_t> last_sequence;
  Nanos last_time{};
  const auto start = RealClock::now();
  while (seconds_since(start) < seconds) {
    const Result<Frame> frame = camera.next(std::chrono::milliseconds(500));
    if (!frame) {
      seen.error = describe(frame.error());
      return seen;
    }
    ++seen.frames;
    const auto& image = frame->image;
    const Pattern pattern(static_cast<std::size_t>(image.row_stride),
                          static_cast<std::size_t>(image.height));
    const std::span bytes{image.data, pattern.bytes()};
    if (last_sequence && (frame->sequence <= *last_sequence || frame->captured <= last_time))
      ++seen.not_rising;
    last_sequence = frame->sequence;
    last_time = frame->captured;
    const auto number = pattern.number_of(bytes);
    if (!number) {
      ++seen.unreadable;
      continue;
    }
    seen.differences += pattern.differences(*number, bytes);
    if (last_number && *number < *last_number) ++seen.backwards;
    if (last_number && *number > *last_number) seen.skipped += *number - *last_number - 1;
    last_number = number;
  }
  return seen;
}

void check_mode(Checks& checks, BufferMode mode, const char* mode_name) {
  const std::string name = text("our driver, %s: frames in order and unchanged", mode_name);
  checks.group(name, [&] {
    const VividNodes nodes = find_vivid();
    const LoopFormat format;
    connect_loop(nodes, format);
    const auto writer = start_writer(nodes, format);
    CameraSettings settings;
    settings.device = nodes.capture;
    settings.width = static_cast<int>(format.width);
    settings.height = static_cast<int>(format.height);
    settings.format = "grey8";
    settings.memory = mode;
    PageableFrameMemory memory;
    const SystemClock clock;
    LinuxIo kernel;
    const auto camera = V4l2Camera::open(settings, memory, clock, kernel);
    if (!camera) throw BoardError(describe(camera.error()));
    FrameSource& source = **camera;
    read_for(source, 0.3);  // what piled up while it was opened
    const auto dropped_before = source.counters().dropped;
    const Read seen = read_for(source, 2);
    const auto dropped = source.counters().dropped - dropped_before;
    checks.check(
        seen.frames >= 15 && seen.unreadable == 0 && seen.differences == 0 && seen.backwards == 0 &&
            seen.not_rising == 0 && seen.skipped <= dropped && seen.error.empty() &&
            std::string(source.info().memory) == mode_name,
        name,
        text("%d frames, %zu bytes changed, %d without a number, %d out of order, %u "
             "skipped, %llu told as dropped%s%s",
             seen.frames, seen.differences, seen.unreadable, seen.backwards + seen.not_rising,
             seen.skipped, static_cast<unsigned long long>(dropped), seen.error.empty() ? "" : ", ",
             seen.error.c_str()));
  });
}

}  // namespace

void check_driver(Checks& checks) {
  check_mode(checks, BufferMode::userptr, "userptr");
  check_mode(checks, BufferMode::mmap, "mmap");
}

}  // namespace kerb::board
