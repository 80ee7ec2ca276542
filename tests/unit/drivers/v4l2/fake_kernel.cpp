// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/drivers/v4l2/fake_kernel.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace kerb::test {
namespace {

std::uint32_t row_bytes(std::uint32_t fourcc, std::uint32_t width) {
  switch (fourcc) {
    case V4L2_PIX_FMT_GREY:
    case V4L2_PIX_FMT_NV12:
    case V4L2_PIX_FMT_SRGGB8:
    case V4L2_PIX_FMT_SBGGR8:
    case V4L2_PIX_FMT_SGRBG8:
    case V4L2_PIX_FMT_SGBRG8:
      return width;
    case V4L2_PIX_FMT_RGB24:
    case V4L2_PIX_FMT_BGR24:
      return 3 * width;
    case V4L2_PIX_FMT_MJPEG:
    case V4L2_PIX_FMT_JPEG:
      return 0;
    default:
      return 2 * width;
  }
}

template <typename T>
T& as(void* argument) {
  return *static_cast<T*>(argument);
}

}  // namespace

bool FakeKernel::is_multi_planar() const {
  return (capabilities & V4L2_CAP_VIDEO_CAPTURE) == 0 &&
         (capabilities & V4L2_CAP_VIDEO_CAPTURE_MPLANE) != 0;
}

int FakeKernel::calls(unsigned long request) const {
  const std::lock_guard lock{mutex_};
  const auto found = calls_.find(request);
  return found == calls_.end() ? 0 : found->second;
}

// --- what the test does to the device

void FakeKernel::fill(const Fill& fill) {
  const std::lock_guard lock{mutex_};
  fill_locked(fill);
}

void FakeKernel::fill_locked(const Fill& fill) {
  if (!streaming_ || queue_.empty()) return;
  const std::uint32_t index = queue_.front();
  queue_.pop_front();
  Buffer& buffer = buffers_[index];
  if (fill.content.empty())
    std::memset(buffer.memory, static_cast<int>(fill.sequence & 0xff), buffer.size);
  else
    std::memcpy(buffer.memory, fill.content.data(), std::min(fill.content.size(), buffer.size));
  done_.push_back({index, fill});
}

void FakeKernel::fill_after(Nanos delay, const Fill& fill) {
  after(delay, [this, fill] { fill_locked(fill); });
}

void FakeKernel::after(Nanos delay, std::function<void()> action) {
  timers_.push_back({delay, std::move(action)});
}

void FakeKernel::send_source_change() {
  if (subscribed_) ++pending_events_;
}

// --- the system calls

int FakeKernel::open(const char* name) noexcept {
  const std::lock_guard lock{mutex_};
  if (name != path || is_unplugged) return -ENOENT;
  if (auto& planned = failures[0]; !planned.empty()) {  // 0 stands for open()
    const int error = planned.front();
    planned.pop_front();
    return -error;
  }
  ++open_files_;
  return ++fd_;
}

int FakeKernel::close(int fd) noexcept {
  const std::lock_guard lock{mutex_};
  if (fd != fd_ || open_files_ == 0) {
    blame("close of a file that is not open");
    return -EBADF;
  }
  --open_files_;
  streaming_ = false;
  queue_.clear();
  done_.clear();
  subscribed_ = false;
  pending_events_ = 0;
  buffers_.clear();  // mapped memory stays until it is unmapped
  return 0;
}

int FakeKernel::poll(int fd, short events, Nanos timeout) noexcept {
  const std::lock_guard lock{mutex_};
  if (fd != fd_ || open_files_ == 0) {
    blame("poll of a closed file");
    return -EBADF;
  }
  if (timeout < Nanos::zero()) blame("poll without end");
  last_poll_ = timeout;
  for (;;) {
    if (poll_interruptions > 0) {
      --poll_interruptions;
      clock_.advance(std::min<Nanos>(timeout, std::chrono::milliseconds{1}) / clock_.slowness);
      return -EINTR;
    }
    if (const short now = ready(events); now != 0) return now;
    if (timeout == Nanos::zero()) return 0;
    Nanos step = timeout;
    for (const Timer& timer : timers_) step = std::min(step, timer.left);
    clock_.advance(step / clock_.slowness);
    timeout -= step;
    std::vector<Timer> rung;
    for (Timer& timer : timers_) timer.left -= step;
    std::erase_if(timers_, [&](const Timer& timer) {
      if (timer.left > Nanos::zero()) return false;
      rung.push_back(timer);
      return true;
    });
    for (const Timer& timer : rung) timer.action();
  }
}

short FakeKernel::ready(short events) {
  if (is_unplugged) return POLLERR | POLLHUP;
  if (is_broken || !streaming_) return POLLERR;
  if (fills_by_itself && done_.empty() && !queue_.empty()) {
    clock_.advance(std::chrono::milliseconds{1});
    fill_locked({next_sequence_++, clock_.now()});
  }
  short now = 0;
  if (!done_.empty()) now |= POLLIN;
  if (pending_events_ > 0) now |= POLLPRI;
  return static_cast<short>(now & events);
}

int FakeKernel::map(int fd, std::size_t size, std::size_t offset, void*& address) noexcept {
  const std::lock_guard lock{mutex_};
  const std::size_t index = offset / 4096;
  if (fd != fd_ || index >= buffers_.size() || buffers_[index].own == nullptr ||
      size > buffers_[index].own->size()) {
    blame("map of what is not there");
    return -EINVAL;
  }
  if (is_unplugged) return -ENODEV;
  address = buffers_[index].own->data();
  mapped_[address] = buffers_[index].own;
  return 0;
}

int FakeKernel::unmap(void* address, std::size_t) noexcept {
  const std::lock_guard lock{mutex_};
  if (mapped_.erase(address) == 0) blame("unmap of what is not mapped");
  return 0;
}

int FakeKernel::ioctl(int fd, unsigned long request, void* argument) noexcept {
  const std::lock_guard lock{mutex_};
  if (fd != fd_ || open_files_ == 0) {
    blame("ioctl on a closed file");
    return -EBADF;
  }
  ++calls_[request];
  if (is_unplugged) return -ENODEV;
  if (auto& planned = failures[request]; !planned.empty()) {
    const int error = planned.front();
    planned.pop_front();
    return -error;
  }
  return dispatch(request, argument);
}

int FakeKernel::dispatch(unsigned long request, void* argument) {
  switch (request) {
    case VIDIOC_QUERYCAP:
      return query_capability(as<v4l2_capability>(argument));
    case VIDIOC_ENUM_FMT:
      return list_format(as<v4l2_fmtdesc>(argument));
    case VIDIOC_ENUM_FRAMEINTERVALS:
      return list_interval(as<v4l2_frmivalenum>(argument));
    case VIDIOC_TRY_FMT:
    case VIDIOC_S_FMT:
      return change_format(request, as<v4l2_format>(argument));
    case VIDIOC_G_PARM:
      return frame_rate(as<v4l2_streamparm>(argument), false);
    case VIDIOC_S_PARM:
      return frame_rate(as<v4l2_streamparm>(argument), true);
    case VIDIOC_QUERY_EXT_CTRL:
      return query_control(as<v4l2_query_ext_ctrl>(argument));
    case VIDIOC_S_EXT_CTRLS:
      return set_controls(as<v4l2_ext_controls>(argument));
    case VIDIOC_G_EXT_CTRLS:
      return get_controls(as<v4l2_ext_controls>(argument));
    case VIDIOC_G_INPUT:
      if (has_input) as<int>(argument) = 2;
      return has_input ? 0 : -ENOTTY;
    case VIDIOC_ENUMINPUT:
      return read_input(as<v4l2_input>(argument));
    case VIDIOC_QUERY_DV_TIMINGS:
      if (signal_errno != 0) return -signal_errno;
      as<v4l2_dv_timings>(argument) = signal;
      return 0;
    case VIDIOC_G_DV_TIMINGS:
      as<v4l2_dv_timings>(argument) = timings_;
      return 0;
    case VIDIOC_S_DV_TIMINGS:
      timings_ = as<v4l2_dv_timings>(argument);
      return 0;
    case VIDIOC_SUBSCRIBE_EVENT:
      if (!has_events) return -EINVAL;
      if (as<v4l2_event_subscription>(argument).id != 2) blame("subscribed to another input");
      subscribed_ = true;
      return 0;
    case VIDIOC_DQEVENT:
      return take_event(as<v4l2_event>(argument));
    case VIDIOC_REQBUFS:
      return request_buffers(as<v4l2_requestbuffers>(argument));
    case VIDIOC_QUERYBUF:
      return query_buffer(as<v4l2_buffer>(argument));
    case VIDIOC_QBUF:
      return queue_buffer(as<v4l2_buffer>(argument));
    case VIDIOC_DQBUF:
      return dequeue_buffer(as<v4l2_buffer>(argument));
    case VIDIOC_STREAMON:
      return stream(true);
    case VIDIOC_STREAMOFF:
      return stream(false);
    default:
      return -ENOTTY;
  }
}

// --- what the device is

int FakeKernel::query_capability(v4l2_capability& capability) const {
  capability.capabilities = capabilities | V4L2_CAP_DEVICE_CAPS | V4L2_CAP_VIDEO_OUTPUT;
  capability.device_caps = capabilities;
  return 0;
}

int FakeKernel::list_format(v4l2_fmtdesc& entry) const {
  if (entry.index >= formats.size()) return -EINVAL;
  entry.pixelformat = formats[entry.index].fourcc;
  return 0;
}

int FakeKernel::list_interval(v4l2_frmivalenum& entry) const {
  for (const FakeFormat& format : formats)
    for (const FakeFormat::Size& size : format.sizes)
      if (format.fourcc == entry.pixel_format && size.width == entry.width &&
          size.height == entry.height && entry.index < size.rates_hz.size()) {
        entry.type = V4L2_FRMIVAL_TYPE_DISCRETE;
        entry.discrete = {1000, static_cast<std::uint32_t>(1000 * size.rates_hz[entry.index])};
        return 0;
      }
  return -EINVAL;
}

int FakeKernel::change_format(unsigned long request, v4l2_format& format) {
  if (request == VIDIOC_S_FMT && !buffers_.empty()) return -EBUSY;
  const bool planes = is_multi_planar();
  std::uint32_t fourcc = planes ? format.fmt.pix_mp.pixelformat : format.fmt.pix.pixelformat;
  std::uint32_t width = planes ? format.fmt.pix_mp.width : format.fmt.pix.width;
  std::uint32_t height = planes ? format.fmt.pix_mp.height : format.fmt.pix.height;
  const FakeFormat* chosen = &formats.front();
  for (const FakeFormat& candidate : formats)
    if (candidate.fourcc == fourcc) chosen = &candidate;
  const FakeFormat::Size* size = &chosen->sizes.front();
  for (const FakeFormat::Size& candidate : chosen->sizes)
    if (candidate.width == width && candidate.height == height) size = &candidate;

  v4l2_pix_format given{};
  given.pixelformat = fourcc = chosen->fourcc;
  given.width = width = size->width;
  given.height = height = size->height;
  given.field = field;
  const std::uint32_t row = row_bytes(fourcc, width);
  given.bytesperline = row == 0 ? 0 : row + row_padding;
  given.sizeimage = row == 0 ? 8192 + width * height : given.bytesperline * height;
  if (fourcc == V4L2_PIX_FMT_NV12) given.sizeimage = given.sizeimage * 3 / 2;
  if (size_image != 0) given.sizeimage = size_image;
  if (request == VIDIOC_S_FMT) format_ = given;
  if (!planes) {
    format.fmt.pix = given;
    return 0;
  }
  v4l2_pix_format_mplane& pix = format.fmt.pix_mp;
  pix.pixelformat = given.pixelformat;
  pix.width = given.width;
  pix.height = given.height;
  pix.field = given.field;
  pix.num_planes = 1;
  pix.plane_fmt[0].bytesperline = given.bytesperline;
  pix.plane_fmt[0].sizeimage = given.sizeimage;
  return 0;
}

int FakeKernel::frame_rate(v4l2_streamparm& parm, bool set) {
  v4l2_captureparm& capture = parm.parm.capture;
  if (set && takes_interval) frame_interval = capture.timeperframe;
  capture = {};
  if (has_time_per_frame) {
    capture.capability = V4L2_CAP_TIMEPERFRAME;
    capture.timeperframe = frame_interval;
  }
  return 0;
}

int FakeKernel::query_control(v4l2_query_ext_ctrl& control) const {
  const auto found = controls.find(control.id);
  if (found == controls.end()) return -EINVAL;
  control.type = found->second.type;
  control.minimum = found->second.minimum;
  control.maximum = found->second.maximum;
  control.step = found->second.step;
  control.flags = found->second.flags;
  return 0;
}

int FakeKernel::set_controls(v4l2_ext_controls& all) {
  for (std::uint32_t i = 0; i < all.count; ++i) {
    const auto found = controls.find(all.controls[i].id);
    if (found == controls.end()) return -EINVAL;
    FakeControl& control = found->second;
    if (control.refuses_with != 0) return -control.refuses_with;
    const std::int64_t value =
        control.type == V4L2_CTRL_TYPE_INTEGER64 ? all.controls[i].value64 : all.controls[i].value;
    if (value < control.minimum || value > control.maximum) return -ERANGE;
    if (value == control.refused) return -EINVAL;
    if ((control.flags & V4L2_CTRL_FLAG_READ_ONLY) != 0)
      blame("writes a control that is read-only");
    const auto step = static_cast<std::int64_t>(control.step);
    if (step > 1 && (value - control.minimum) % step != 0) blame("a value between two steps");
    control.value = value;
  }
  return 0;
}

int FakeKernel::get_controls(v4l2_ext_controls& all) const {
  for (std::uint32_t i = 0; i < all.count; ++i) {
    const auto found = controls.find(all.controls[i].id);
    if (found == controls.end()) return -EINVAL;
    if (found->second.refuses_with != 0) return -found->second.refuses_with;
    if (found->second.type == V4L2_CTRL_TYPE_INTEGER64)
      all.controls[i].value64 = found->second.value;
    else
      all.controls[i].value = static_cast<std::int32_t>(found->second.value);
  }
  return 0;
}

int FakeKernel::read_input(v4l2_input& input) const {
  if (!has_input || input.index != 2) return has_input ? -EINVAL : -ENOTTY;
  input.capabilities = input_capabilities;
  input.status = input_status;
  return 0;
}

int FakeKernel::take_event(v4l2_event& event) {
  if (pending_events_ == 0) return -ENOENT;
  event.type = V4L2_EVENT_SOURCE_CHANGE;
  event.pending = static_cast<std::uint32_t>(--pending_events_);
  return 0;
}

// --- its buffers

int FakeKernel::request_buffers(v4l2_requestbuffers& request) {
  const bool userptr = request.memory == V4L2_MEMORY_USERPTR;
  if (userptr ? !has_userptr : !has_mmap) return -EINVAL;
  if (streaming_) return -EBUSY;
  queue_.clear();
  done_.clear();
  buffers_.clear();
  memory_ = request.memory;
  if (request.count == 0) return 0;
  request.count = std::clamp(request.count, std::min(least_buffers, most_buffers), most_buffers);
  buffers_.resize(request.count);
  for (Buffer& buffer : buffers_) {
    if (userptr) continue;
    buffer.own = std::make_shared<std::vector<std::uint8_t>>(format_.sizeimage);
    buffer.memory = buffer.own->data();
    buffer.size = format_.sizeimage;
  }
  return 0;
}

int FakeKernel::query_buffer(v4l2_buffer& buffer) {
  if (buffer.index >= buffers_.size()) return -EINVAL;
  if (is_multi_planar()) {
    buffer.m.planes[0].length = format_.sizeimage;
    buffer.m.planes[0].m.mem_offset = buffer.index * 4096;
  } else {
    buffer.length = format_.sizeimage;
    buffer.m.offset = buffer.index * 4096;
  }
  return 0;
}

int FakeKernel::queue_buffer(v4l2_buffer& buffer) {
  if (buffer.index >= buffers_.size() || buffer.memory != memory_) {
    blame("queued a buffer that is not there");
    return -EINVAL;
  }
  Buffer& mine = buffers_[buffer.index];
  if (mine.queued) {
    blame("queued a buffer twice");
    return -EINVAL;
  }
  if (memory_ == V4L2_MEMORY_USERPTR) {
    if (userptr_refusal != 0) return -userptr_refusal;
    const unsigned long pointer =
        is_multi_planar() ? buffer.m.planes[0].m.userptr : buffer.m.userptr;
    mine.size = is_multi_planar() ? buffer.m.planes[0].length : buffer.length;
    mine.memory = reinterpret_cast<std::uint8_t*>(pointer);
    if (mine.memory == nullptr || mine.size < format_.sizeimage || pointer % 4096 != 0) {
      blame("queued memory that is too small or not aligned");
      return -EINVAL;
    }
  }
  mine.queued = true;
  queue_.push_back(buffer.index);
  return 0;
}

int FakeKernel::dequeue_buffer(v4l2_buffer& buffer) {
  if (is_broken) return -EIO;
  if (done_.empty()) return -EAGAIN;
  const Done done = done_.front();
  done_.pop_front();
  buffers_[done.index].queued = false;
  const auto size = static_cast<std::uint32_t>(buffers_[done.index].size);
  const std::uint32_t used =
      done.fill.bytes < 0 ? size : static_cast<std::uint32_t>(done.fill.bytes);
  buffer.index = done.index;
  buffer.sequence = done.fill.sequence;
  buffer.flags = done.fill.flags;
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(done.fill.timestamp);
  buffer.timestamp.tv_sec = micros.count() / 1000000;
  buffer.timestamp.tv_usec = micros.count() % 1000000;
  if (is_multi_planar()) {
    buffer.m.planes[0].bytesused = used;
    buffer.m.planes[0].length = size;
    buffer.m.planes[0].data_offset = done.fill.data_offset;
  } else {
    buffer.bytesused = used;
    buffer.length = size;
  }
  return 0;
}

int FakeKernel::stream(bool on) {
  if (on && queue_.size() < least_buffers) return -EINVAL;
  streaming_ = on;
  if (!on) {
    for (const std::uint32_t index : queue_) buffers_[index].queued = false;
    for (const Done& done : done_) buffers_[done.index].queued = false;
    queue_.clear();
    done_.clear();
  }
  return 0;
}

}  // namespace kerb::test
