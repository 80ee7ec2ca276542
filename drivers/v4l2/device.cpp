// SPDX-License-Identifier: Apache-2.0
#include "drivers/v4l2/device.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <utility>

namespace kerb::v4l2 {
namespace {

Nanos nanos_of(const timeval& time) noexcept {
  return std::chrono::seconds{time.tv_sec} + std::chrono::microseconds{time.tv_usec};
}

bool is_multi_planar(std::uint32_t buffer_type) noexcept {
  return buffer_type == V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE;
}

}  // namespace

Result<Device> Device::open(const std::string& path, KernelIo& kernel) {
  const int fd = kernel.open(path.c_str());
  if (fd < 0) {
    Errc code = Errc::io;
    if (fd == -ENOENT || fd == -ENODEV || fd == -ENXIO || fd == -ENOTDIR) code = Errc::not_found;
    if (fd == -EISDIR) code = Errc::unsupported;
    return Error{code, -fd, "open camera", std::string_view{path}};
  }
  Device device{fd, path, kernel};
  if (Status s = device.read_capabilities(); !s) return s.error();
  return device;
}

Device::Device(Device&& other) noexcept
    : fd_{std::exchange(other.fd_, -1)},
      path_{std::move(other.path_)},
      kernel_{other.kernel_},
      buffer_type_{other.buffer_type_} {}

void Device::close() noexcept {
  if (fd_ >= 0) kernel_->close(std::exchange(fd_, -1));
}

Status Device::read_capabilities() {
  v4l2_capability capability{};
  if (const int rc = call(VIDIOC_QUERYCAP, &capability); rc < 0) {
    if (rc != -ENOTTY && rc != -EINVAL) return error(rc, "open camera");
    return error_text(Errc::unsupported, "open camera", "not a V4L2 device");
  }
  const std::uint32_t has = (capability.capabilities & V4L2_CAP_DEVICE_CAPS) != 0
                                ? capability.device_caps
                                : capability.capabilities;
  if ((has & V4L2_CAP_VIDEO_CAPTURE) != 0) {
    buffer_type_ = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  } else if ((has & V4L2_CAP_VIDEO_CAPTURE_MPLANE) != 0) {
    buffer_type_ = V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE;
  } else {
    return error_text(Errc::unsupported, "open camera", "does not capture video");
  }
  if ((has & V4L2_CAP_STREAMING) == 0)
    return error_text(Errc::unsupported, "open camera", "captures, but cannot stream");
  return Done{};
}

int Device::call(unsigned long request, void* argument) const noexcept {
  // Signals cannot interrupt a non-blocking ioctl for ever: the bound is there so that nothing can.
  int rc = -EINTR;
  for (int attempt = 0; attempt < 100 && rc == -EINTR; ++attempt)
    rc = kernel_->ioctl(fd_, request, argument);
  return rc;
}

int Device::format(unsigned long request, KernelFormat& format) const noexcept {
  v4l2_format f{};
  f.type = buffer_type_;
  if (is_multi_planar(buffer_type_)) {
    v4l2_pix_format_mplane& pix = f.fmt.pix_mp;
    pix.width = format.width;
    pix.height = format.height;
    pix.pixelformat = format.fourcc;
    pix.field = format.field;
    pix.num_planes = static_cast<std::uint8_t>(format.planes);
    if (const int rc = call(request, &f); rc < 0) return rc;
    format = {pix.pixelformat,
              pix.width,
              pix.height,
              pix.field,
              pix.num_planes,
              pix.plane_fmt[0].bytesperline,
              pix.plane_fmt[0].sizeimage};
  } else {
    v4l2_pix_format& pix = f.fmt.pix;
    pix.width = format.width;
    pix.height = format.height;
    pix.pixelformat = format.fourcc;
    pix.field = format.field;
    if (const int rc = call(request, &f); rc < 0) return rc;
    format = {pix.pixelformat,  pix.width,    pix.height, pix.field, 1,
              pix.bytesperline, pix.sizeimage};
  }
  return 0;
}

int Device::buffer(unsigned long request, KernelBuffer& buffer) const noexcept {
  v4l2_buffer b{};
  v4l2_plane plane{};
  b.type = buffer_type_;
  b.memory = buffer.memory;
  b.index = buffer.index;
  const bool by_pointer = buffer.memory == V4L2_MEMORY_USERPTR && buffer.data != nullptr;
  const auto pointer = reinterpret_cast<unsigned long>(buffer.data);
  if (is_multi_planar(buffer_type_)) {
    b.m.planes = &plane;
    b.length = 1;
    plane.length = buffer.length;
    if (by_pointer) plane.m.userptr = pointer;
  } else {
    b.length = buffer.length;
    if (by_pointer) b.m.userptr = pointer;
  }
  if (const int rc = call(request, &b); rc < 0) return rc;
  buffer.index = b.index;
  buffer.flags = b.flags;
  buffer.sequence = b.sequence;
  buffer.timestamp = nanos_of(b.timestamp);
  if (is_multi_planar(buffer_type_)) {
    buffer.begin = plane.data_offset;
    buffer.end = plane.bytesused;
    buffer.length = plane.length;
    buffer.map_offset = plane.m.mem_offset;
  } else {
    buffer.begin = 0;
    buffer.end = b.bytesused;
    buffer.length = b.length;
    buffer.map_offset = b.m.offset;
  }
  return 0;
}

int Device::request_buffers(std::uint32_t memory, std::uint32_t count) const noexcept {
  v4l2_requestbuffers request{};
  request.type = buffer_type_;
  request.memory = memory;
  request.count = count;
  const int rc = call(VIDIOC_REQBUFS, &request);
  return rc < 0 ? rc : static_cast<int>(std::min<std::uint32_t>(request.count, VIDEO_MAX_FRAME));
}

int Device::stream(bool on) const noexcept {
  int type = static_cast<int>(buffer_type_);
  return call(on ? VIDIOC_STREAMON : VIDIOC_STREAMOFF, &type);
}

int Device::poll(short events, Nanos timeout) const noexcept {
  return kernel_->poll(fd_, events, timeout);
}

int Device::map(std::size_t size, std::size_t offset, void*& address) const noexcept {
  return kernel_->map(fd_, size, offset, address);
}

Error Device::error(int negative_errno, const char* where, Errc otherwise) const noexcept {
  Errc code = otherwise;
  if (negative_errno == -ENODEV || negative_errno == -ENXIO) code = Errc::gone;
  if (negative_errno == -ENOLINK || negative_errno == -ENOLCK) code = Errc::no_signal;
  return {code, -negative_errno, where, path()};
}

Error Device::error_text(Errc code, const char* where, const char* format, ...) const noexcept {
  char remark[113];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(remark, sizeof remark, format, arguments);
  va_end(arguments);
  Error error{code, 0, where, path()};
  error.what.append(": ").append(remark);
  return error;
}

}  // namespace kerb::v4l2
