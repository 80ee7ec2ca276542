// SPDX-License-Identifier: Apache-2.0
#include "tests/board/vivid.hpp"

#include <linux/v4l2-dv-timings.h>
#include <poll.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace kerb::board {

std::string fourcc_name(std::uint32_t fourcc) {
  std::string name;
  for (unsigned shift = 0; shift < 32; shift += 8)
    name += static_cast<char>(fourcc >> shift & 0xffU);
  return name;
}

VividNodes find_vivid() {
  VividNodes nodes;
  for (int i = 0; i < 16; ++i) {
    const std::string path = "/dev/video" + std::to_string(i);
    if (!std::filesystem::exists(path)) continue;
    const File node(path, O_RDWR);
    v4l2_capability capability{};
    if (try_ioctl(node, VIDIOC_QUERYCAP, &capability) < 0) continue;
    const std::string driver(reinterpret_cast<const char*>(capability.driver));
    if (driver != "vivid") continue;
    const bool captures = (capability.device_caps & V4L2_CAP_VIDEO_CAPTURE) != 0;
    const bool outputs = (capability.device_caps & V4L2_CAP_VIDEO_OUTPUT) != 0;
    if (captures && nodes.capture.empty()) nodes.capture = path;
    if (outputs && nodes.output.empty()) nodes.output = path;
  }
  if (nodes.capture.empty() || nodes.output.empty())
    throw BoardError("no vivid with a capture and an output node");
  return nodes;
}

VividControls::VividControls(const std::string& node) : node_(node, O_RDWR | O_NONBLOCK) {
  constexpr std::uint32_t kNext = V4L2_CTRL_FLAG_NEXT_CTRL;
  v4l2_query_ext_ctrl query{};
  for (query.id = kNext; try_ioctl(node_, VIDIOC_QUERY_EXT_CTRL, &query) == 0; query.id |= kNext)
    controls_.emplace(query.name, query);
}

void VividControls::set(const std::string& name, std::int32_t value) {
  const auto found = controls_.find(name);
  if (found == controls_.end()) throw BoardError("vivid has no control \"" + name + "\"");
  v4l2_control control{found->second.id, value};
  must_ioctl(node_, VIDIOC_S_CTRL, &control, "set control \"" + name + "\"");
}

std::int32_t VividControls::get(const std::string& name) const {
  const auto found = controls_.find(name);
  if (found == controls_.end()) throw BoardError("vivid has no control \"" + name + "\"");
  v4l2_control control{found->second.id, 0};
  must_ioctl(node_, VIDIOC_G_CTRL, &control, "get control \"" + name + "\"");
  return control.value;
}

namespace {

double rate_of(const v4l2_bt_timings& bt) {
  const std::uint64_t total =
      std::uint64_t{V4L2_DV_BT_FRAME_WIDTH(&bt)} * V4L2_DV_BT_FRAME_HEIGHT(&bt);
  return total > 0 ? static_cast<double>(bt.pixelclock) / static_cast<double>(total) : 0;
}

// The slowest 720p vivid takes is limited by its least pixel clock of 14 MHz. These are CVT
// timings.
v4l2_dv_timings slow_720p() {
  v4l2_dv_timings timings{};
  timings.type = V4L2_DV_BT_656_1120;
  v4l2_bt_timings& bt = timings.bt;
  bt.width = 1280;
  bt.height = 720;
  bt.polarities = V4L2_DV_VSYNC_POS_POL;
  bt.pixelclock = 17'600'000;  // vivid rounds it to 17.5 MHz: 14.9 frames a second
  bt.hfrontporch = 32;
  bt.hsync = 128;
  bt.hbackporch = 160;
  bt.vfrontporch = 3;
  bt.vsync = 5;
  bt.vbackporch = 6;
  bt.standards = V4L2_DV_BT_STD_CVT;
  return timings;
}

bool fits(const v4l2_bt_timings& bt, const LoopFormat& format) {
  return bt.interlaced == 0 && bt.width == format.width && bt.height == format.height &&
         std::abs(rate_of(bt) - format.rate) < 0.5;
}

v4l2_dv_timings find_timings(const File& node, const LoopFormat& format) {
  v4l2_enum_dv_timings entry{};
  for (entry.index = 0; try_ioctl(node, VIDIOC_ENUM_DV_TIMINGS, &entry) == 0; ++entry.index)
    if (fits(entry.timings.bt, format)) return entry.timings;
  if (fits(slow_720p().bt, format)) return slow_720p();
  throw BoardError("vivid has no HDMI timings " + std::to_string(format.width) + "x" +
                   std::to_string(format.height) + " at " + std::to_string(format.rate));
}

}  // namespace

void connect_loop(const VividNodes& nodes, const LoopFormat& format) {
  for (const std::string& path : {nodes.output, nodes.capture}) {
    const File node(path, O_RDWR);
    v4l2_dv_timings timings = find_timings(node, format);
    must_ioctl(node, VIDIOC_S_DV_TIMINGS, &timings, "VIDIOC_S_DV_TIMINGS " + path);
  }
  VividControls controls(nodes.capture);
  controls.set("DV Timings Signal Mode", 0);  // the current timings: a good signal
  controls.set("OSD Text Mode", 2);           // no text in the picture
  controls.set("Loop Video", 1);
}

BufferQueue::BufferQueue(const std::string& node, v4l2_buf_type type, v4l2_memory memory,
                         const LoopFormat& format, std::uint32_t count)
    : node_(node, O_RDWR | O_NONBLOCK), type_(type), memory_(memory) {
  v4l2_format fmt{};
  fmt.type = type;
  fmt.fmt.pix.width = format.width;
  fmt.fmt.pix.height = format.height;
  fmt.fmt.pix.pixelformat = format.fourcc;
  fmt.fmt.pix.field = V4L2_FIELD_NONE;
  must_ioctl(node_, VIDIOC_S_FMT, &fmt, "VIDIOC_S_FMT " + node);
  const v4l2_pix_format& pix = fmt.fmt.pix;
  if (pix.width != format.width || pix.height != format.height || pix.pixelformat != format.fourcc)
    throw BoardError(node + " gives " + std::to_string(pix.width) + "x" +
                     std::to_string(pix.height) + " " + fourcc_name(pix.pixelformat));
  stride_ = pix.bytesperline;
  size_ = pix.sizeimage;

  v4l2_requestbuffers request{};
  request.count = count;
  request.type = type;
  request.memory = memory;
  must_ioctl(node_, VIDIOC_REQBUFS, &request, "VIDIOC_REQBUFS " + node);
  if (memory == V4L2_MEMORY_USERPTR) {
    constexpr std::size_t kPage = 4096;
    const std::size_t step = (size_ + kPage - 1) / kPage * kPage;
    memory_of_ours_.resize(step * request.count + kPage);
    const auto start = reinterpret_cast<std::uintptr_t>(memory_of_ours_.data());
    auto* aligned = memory_of_ours_.data() + (kPage - start % kPage) % kPage;
    for (std::uint32_t i = 0; i < request.count; ++i) buffers_.push_back(aligned + i * step);
    return;
  }
  for (std::uint32_t i = 0; i < request.count; ++i) {
    v4l2_buffer buffer = describe(i);
    must_ioctl(node_, VIDIOC_QUERYBUF, &buffer, "VIDIOC_QUERYBUF " + node);
    void* mapped = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, node_.get(),
                          static_cast<off_t>(buffer.m.offset));
    if (mapped == MAP_FAILED) fail_with_errno("mmap " + node);
    buffers_.push_back(static_cast<std::uint8_t*>(mapped));
  }
}

BufferQueue::~BufferQueue() {
  int type = static_cast<int>(type_);
  try_ioctl(node_, VIDIOC_STREAMOFF, &type);
  if (memory_ == V4L2_MEMORY_MMAP)
    for (std::uint8_t* buffer : buffers_) ::munmap(buffer, size_);
}

v4l2_buffer BufferQueue::describe(std::uint32_t index) const {
  v4l2_buffer buffer{};
  buffer.index = index;
  buffer.type = type_;
  buffer.memory = memory_;
  buffer.field = V4L2_FIELD_NONE;
  return buffer;
}

void BufferQueue::queue(std::uint32_t index) {
  v4l2_buffer buffer = describe(index);
  if (memory_ == V4L2_MEMORY_USERPTR) {
    buffer.m.userptr = reinterpret_cast<unsigned long>(buffers_[index]);
    buffer.length = static_cast<std::uint32_t>(size_);
  }
  if (type_ == V4L2_BUF_TYPE_VIDEO_OUTPUT) buffer.bytesused = static_cast<std::uint32_t>(size_);
  must_ioctl(node_, VIDIOC_QBUF, &buffer, "VIDIOC_QBUF");
}

void BufferQueue::stream_on() {
  int type = static_cast<int>(type_);
  must_ioctl(node_, VIDIOC_STREAMON, &type, "VIDIOC_STREAMON");
}

std::optional<BufferQueue::Filled> BufferQueue::next(int timeout_ms) {
  last_error_ = 0;
  const bool output = type_ == V4L2_BUF_TYPE_VIDEO_OUTPUT;
  pollfd waiting{node_.get(), static_cast<short>(output ? POLLOUT : POLLIN), 0};
  if (::poll(&waiting, 1, timeout_ms) <= 0) return std::nullopt;
  v4l2_buffer buffer = describe(0);
  if (try_ioctl(node_, VIDIOC_DQBUF, &buffer) < 0) {
    last_error_ = errno;
    return std::nullopt;
  }
  const double time = static_cast<double>(buffer.timestamp.tv_sec) +
                      static_cast<double>(buffer.timestamp.tv_usec) * 1e-6;
  return Filled{buffer.index, buffer.sequence, buffer.flags, time, {buffers_[buffer.index], size_}};
}

FrameWriter::FrameWriter(VividNodes nodes, LoopFormat format, std::chrono::milliseconds interval,
                         std::uint32_t first_number)
    : nodes_(std::move(nodes)),
      format_(format),
      interval_(interval),
      first_number_(first_number),
      next_number_(first_number),
      thread_([this] { run(); }) {}

FrameWriter::~FrameWriter() {
  stop_ = true;
  thread_.join();
}

void FrameWriter::run() {
  std::string told;
  while (!stop_) {
    try {
      stream();
    } catch (const BoardError& error) {
      if (told != error.what()) std::fprintf(stderr, "frame writer: %s\n", error.what());
      told = error.what();
    }
    if (stop_) return;
    ++restarts_;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

void FrameWriter::draw(const Pattern& pattern, std::span<std::uint8_t> frame) const {
  switch (show_.load()) {
    case Show::black:
      std::memset(frame.data(), 0, frame.size());
      return;
    case Show::white:
      std::memset(frame.data(), 0xff, frame.size());
      return;
    case Show::numbered:
    case Show::frozen:
      pattern.draw(next_number_, frame);
      return;
    case Show::damaged:
      pattern.draw(next_number_, frame);
      frame[pattern.bytes() / 2] ^= 0x01U;
      return;
  }
}

void FrameWriter::stream() {
  BufferQueue queue(nodes_.output, V4L2_BUF_TYPE_VIDEO_OUTPUT, V4L2_MEMORY_MMAP, format_, 4);
  const Pattern pattern(queue.stride(), queue.rows());
  std::vector<std::uint32_t> free_buffers;
  for (std::uint32_t i = 0; i < queue.count(); ++i) free_buffers.push_back(i);
  bool streaming = false;
  RealClock::time_point due = RealClock::now();
  while (!stop_) {
    if (free_buffers.empty()) {
      const auto done = queue.next(100);
      if (done) free_buffers.push_back(done->index);
      if (!done && queue.last_error() != 0) return;
      continue;
    }
    std::this_thread::sleep_until(due);
    due = std::max(due + interval_, RealClock::now() - interval_);
    const std::uint32_t index = free_buffers.back();
    free_buffers.pop_back();
    draw(pattern, queue.buffer(index));
    queue.queue(index);
    if (show_ != Show::frozen) ++next_number_;
    if (!streaming) queue.stream_on();
    streaming = true;
    while (const auto done = queue.next(0)) free_buffers.push_back(done->index);
    if (queue.last_error() != 0 && queue.last_error() != EAGAIN) return;
  }
}

std::unique_ptr<FrameWriter> start_writer(const VividNodes& nodes, const LoopFormat& format) {
  const std::chrono::milliseconds two_frames(static_cast<int>(2000 / format.rate));
  auto writer = std::make_unique<FrameWriter>(nodes, format, two_frames);
  const auto start = RealClock::now();
  while (writer->written() == 0) {
    if (seconds_since(start) > 3) throw BoardError("nothing can be written to " + nodes.output);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return writer;
}

}  // namespace kerb::board
