// SPDX-License-Identifier: Apache-2.0
#include "drivers/v4l2/capture_queue.hpp"

#include <cerrno>
#include <utility>

namespace kerb::v4l2 {
namespace {

constexpr const char* kPrepare = "prepare camera buffers";

}  // namespace

Result<std::shared_ptr<CaptureQueue>> CaptureQueue::start(Device device, BufferMode mode, int count,
                                                          std::size_t size, FrameMemory& memory) {
  std::shared_ptr<CaptureQueue> queue{new CaptureQueue{std::move(device)}};
  bool ready = false;
  if (mode != BufferMode::mmap) {
    Status s = queue->prepare_userptr(count, size, memory);
    ready = static_cast<bool>(s);
    if (!s) {
      if (mode == BufferMode::userptr || s.error().code != Errc::unsupported) return s.error();
      queue->discard();
    }
  }
  if (!ready)
    if (Status s = queue->prepare_mmap(count, size); !s) return s.error();

  if (const int rc = queue->device_.stream(true); rc < 0) {
    if (rc == -ENOSPC)
      return queue->device_.error_text(Errc::io, "start camera", "no bandwidth left on its bus");
    return queue->device_.error(rc, "start camera");
  }
  return queue;
}

CaptureQueue::~CaptureQueue() {
  close();
  if (memory_ == V4L2_MEMORY_MMAP)
    for (Buffer& buffer : buffers_) unmap(buffer);
}

const char* CaptureQueue::memory_name() const noexcept {
  return memory_ == V4L2_MEMORY_USERPTR ? "userptr" : "mmap";
}

/// unsupported when the driver does not know this kind of memory.
Status CaptureQueue::request(std::uint32_t memory, int count) {
  const int granted = device_.request_buffers(memory, static_cast<std::uint32_t>(count));
  if (granted == -EINVAL || granted == -ENOTTY)
    return device_.error(granted, kPrepare, Errc::unsupported);
  if (granted < 0) return device_.error(granted, kPrepare);
  memory_ = memory;
  if (granted < 2)
    return device_.error_text(Errc::io, kPrepare, "asked for %d, got %d", count, granted);
  buffers_.resize(static_cast<std::size_t>(granted));
  return Done{};
}

Status CaptureQueue::prepare_userptr(int count, std::size_t size, FrameMemory& memory) {
  if (Status s = request(V4L2_MEMORY_USERPTR, count); !s) return s;
  for (Buffer& buffer : buffers_) {
    Result<MemoryBlock> block = memory.allocate(size);
    if (!block) return block.error();
    buffer.block = *std::move(block);
    buffer.data = buffer.block.data();
    buffer.size = size;
  }
  for (std::uint32_t i = 0; i < buffers_.size(); ++i)
    // Many drivers grant such buffers and then refuse the memory: not contiguous, not aligned, not
    // reachable.
    if (const int rc = enqueue(i); rc < 0) return device_.error(rc, kPrepare, Errc::unsupported);
  return Done{};
}

Status CaptureQueue::prepare_mmap(int count, std::size_t size) {
  if (Status s = request(V4L2_MEMORY_MMAP, count); !s) return s;
  for (std::uint32_t i = 0; i < buffers_.size(); ++i) {
    KernelBuffer info;
    info.index = i;
    if (const int rc = device_.buffer(VIDIOC_QUERYBUF, info); rc < 0)
      return device_.error(rc, kPrepare);
    if (info.length < size)
      return device_.error_text(Errc::io, kPrepare, "%u bytes where %zu are needed", info.length,
                                size);
    void* address = nullptr;
    if (const int rc = device_.map(info.length, info.map_offset, address); rc < 0)
      return device_.error(rc, kPrepare);
    buffers_[i].data = static_cast<std::uint8_t*>(address);
    buffers_[i].size = info.length;
  }
  for (std::uint32_t i = 0; i < buffers_.size(); ++i)
    if (const int rc = enqueue(i); rc < 0) return device_.error(rc, kPrepare);
  return Done{};
}

/// Undoes a prepare_...() that failed half-way. The kernel releases the memory first.
void CaptureQueue::discard() noexcept {
  if (!buffers_.empty()) device_.request_buffers(memory_, 0);
  buffers_.clear();
  queued_ = 0;
}

Status CaptureQueue::check() const noexcept {
  const std::lock_guard lock{mutex_};
  if (fault_ != 0) return device_.error(fault_, "return camera buffer", Errc::gone);
  if (queued_ == 0)
    return device_.error_text(Errc::would_block, "wait for camera frame",
                              "all buffers are on loan");
  return Done{};
}

Result<FilledBuffer> CaptureQueue::take() noexcept {
  constexpr const char* kTake = "take camera frame";
  const std::lock_guard lock{mutex_};
  KernelBuffer info;
  info.memory = memory_;
  if (const int rc = device_.buffer(VIDIOC_DQBUF, info); rc < 0) {
    if (rc == -EAGAIN || rc == -EINTR) return device_.error(rc, kTake, Errc::would_block);
    return device_.error(rc, kTake, Errc::gone);
  }
  if (info.index >= buffers_.size() || buffers_[info.index].lent)
    return device_.error_text(Errc::gone, kTake, "the driver returned unknown buffer %u",
                              info.index);
  Buffer& buffer = buffers_[info.index];
  buffer.lent = true;
  --queued_;
  return FilledBuffer{info, buffer.data, buffer.size};
}

void CaptureQueue::give_back(std::uint32_t index) noexcept {
  const std::lock_guard lock{mutex_};
  buffers_[index].lent = false;
  if (!device_.is_open()) return;
  if (const int rc = enqueue(index); rc < 0) fault_ = rc;
}

void CaptureQueue::close() noexcept {
  const std::lock_guard lock{mutex_};
  if (!device_.is_open()) return;
  device_.stream(false);
  if (memory_ == V4L2_MEMORY_MMAP)
    for (Buffer& buffer : buffers_)
      if (!buffer.lent) unmap(buffer);
  // A mapping keeps the device's file open; without this the device would stay busy until the last
  // frame on loan is returned.
  if (!buffers_.empty()) device_.request_buffers(memory_, 0);
  device_.close();
  // Only after this does nothing write to the buffers any more, even if the calls above failed.
  for (Buffer& buffer : buffers_)
    if (!buffer.lent) buffer.block = MemoryBlock{};
}

void CaptureQueue::unmap(Buffer& buffer) noexcept {
  if (std::uint8_t* data = std::exchange(buffer.data, nullptr); data != nullptr)
    device_.kernel().unmap(data, buffer.size);
}

int CaptureQueue::enqueue(std::uint32_t index) noexcept {
  KernelBuffer info;
  info.index = index;
  info.memory = memory_;
  info.data = memory_ == V4L2_MEMORY_USERPTR ? buffers_[index].data : nullptr;
  info.length = static_cast<std::uint32_t>(buffers_[index].size);
  const int rc = device_.buffer(VIDIOC_QBUF, info);
  if (rc >= 0) ++queued_;
  return rc;
}

}  // namespace kerb::v4l2
