// SPDX-License-Identifier: Apache-2.0
#include "drivers/v4l2/v4l2_camera.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "drivers/v4l2/capture_queue.hpp"
#include "drivers/v4l2/controls.hpp"
#include "drivers/v4l2/decoded_pictures.hpp"
#include "drivers/v4l2/exposure_controls.hpp"
#include "drivers/v4l2/jpeg_decoder.hpp"
#include "drivers/v4l2/negotiate.hpp"
#include "drivers/v4l2/signal_monitor.hpp"

namespace kerb {
namespace {

using v4l2::Agreement;
using v4l2::CaptureQueue;
using v4l2::DecodedPictures;
using v4l2::Device;
using v4l2::FilledBuffer;
using v4l2::JpegDecoder;
using v4l2::KernelBuffer;
using v4l2::SignalMonitor;

constexpr const char* kWait = "wait for camera frame";
constexpr const char* kTake = "take camera frame";
constexpr Nanos kLongestWait =
    std::chrono::hours{24};  // far from where adding to a clock overflows

int rgb_stride(int width) noexcept { return (3 * width + 63) / 64 * 64; }

FrameSourceInfo describe(const CameraSettings& settings, const Agreement& agreement, double rate_hz,
                         const char* memory) {
  FrameSourceInfo info;
  info.name = std::string_view{settings.device};
  info.format = agreement.entry.pixels;
  info.bayer = agreement.entry.bayer;
  info.width = settings.width;
  info.height = settings.height;
  info.rate_hz = rate_hz;
  info.memory = agreement.entry.compressed ? "own" : memory;
  if (settings.mosaic > 0) {
    info.mosaic = settings.mosaic;
    info.format = v4l2::without_bayer(info.format);
    info.bayer = BayerOrder::rggb;
    info.width -= info.width % info.mosaic;
    info.height -= info.height % info.mosaic;
  }
  return info;
}

}  // namespace

struct V4l2Camera::Parts {
  const Clock& clock;
  std::shared_ptr<CaptureQueue> queue;
  std::unique_ptr<v4l2::ExposureControls> exposure;
  SignalMonitor signal;
  Agreement agreement;
  std::unique_ptr<JpegDecoder> decoder;
  std::shared_ptr<DecodedPictures> pictures;
  FrameSourceInfo info;
};

V4l2Camera::V4l2Camera(Parts parts)
    : clock_{parts.clock},
      queue_{std::move(parts.queue)},
      exposure_{std::move(parts.exposure)},
      signal_{std::make_unique<SignalMonitor>(parts.signal)},
      agreement_{std::make_unique<Agreement>(parts.agreement)},
      decoder_{std::move(parts.decoder)},
      pictures_{std::move(parts.pictures)},
      info_{parts.info} {}

V4l2Camera::~V4l2Camera() { queue_->close(); }

ExposureControl* V4l2Camera::exposure_control() noexcept { return exposure_.get(); }

Result<std::unique_ptr<V4l2Camera>> V4l2Camera::open(const CameraSettings& settings,
                                                     FrameMemory& memory, const Clock& clock,
                                                     KernelIo& kernel) {
  try {
    return open_unguarded(settings, memory, clock, kernel);
  } catch (const std::bad_alloc&) {
    return Error{Errc::io, ENOMEM, "open camera", std::string_view{settings.device}};
  }
}

Result<std::unique_ptr<V4l2Camera>> V4l2Camera::open_unguarded(const CameraSettings& settings,
                                                               FrameMemory& memory,
                                                               const Clock& clock,
                                                               KernelIo& kernel) {
  if (Status s = v4l2::validate(settings); !s) return s.error();
  Result<Device> device = Device::open(settings.device, kernel);
  if (!device) return device.error();
  Result<SignalMonitor> signal = SignalMonitor::start(*device);
  if (!signal) return signal.error();
  Result<Agreement> agreement = v4l2::set_format(*device, settings);
  if (!agreement) return agreement.error();
  Result<double> rate = v4l2::set_rate(*device, settings.rate_hz);
  if (!rate) return rate.error();
  if (*rate == 0) *rate = signal->rate_hz();
  if (Status s = v4l2::set_controls(*device, settings); !s) return s.error();

  std::unique_ptr<JpegDecoder> decoder;
  std::shared_ptr<DecodedPictures> pictures;
  if (agreement->entry.compressed) {
    Result<JpegDecoder> made = JpegDecoder::create();
    if (!made) return made.error();
    decoder = std::make_unique<JpegDecoder>(*std::move(made));
    const auto bytes = static_cast<std::size_t>(rgb_stride(settings.width)) *
                       static_cast<std::size_t>(settings.height);
    Result<std::shared_ptr<DecodedPictures>> room =
        DecodedPictures::create(memory, settings.buffers, bytes);
    if (!room) return room.error();
    pictures = *std::move(room);
  }
  Result<std::shared_ptr<CaptureQueue>> queue = CaptureQueue::start(
      *std::move(device), settings.memory, settings.buffers, agreement->format.size_image, memory);
  if (!queue) return queue.error();
  FrameSourceInfo info = describe(settings, *agreement, *rate, (*queue)->memory_name());
  info.buffers = (*queue)->count();
  std::unique_ptr<v4l2::ExposureControls> exposure;
  if (settings.exposure.mode == ExposureMode::people)
    exposure = v4l2::ExposureControls::find((*queue)->device(), settings);
  return std::unique_ptr<V4l2Camera>{
      new V4l2Camera{Parts{clock, *queue, std::move(exposure), *signal, *agreement,
                           std::move(decoder), std::move(pictures), info}}};
}

Result<Frame> V4l2Camera::next(Nanos timeout) {
  const Device& device = queue_->device();
  const Nanos patience = std::clamp(timeout, Nanos::zero(), kLongestWait);
  const Nanos deadline = clock_.now() + patience;
  if (Status s = queue_->check(); !s) return s.error();
  if (pictures_ != nullptr && !pictures_->has_free())
    return device.error_text(Errc::would_block, kWait, "all pictures are on loan");

  const short events = signal_->has_events() ? POLLIN | POLLPRI : POLLIN;
  for (;;) {
    const Nanos left = std::max(deadline - clock_.now(), Nanos::zero());
    const int ready = device.poll(events, clock_.real(left));
    const Nanos now = clock_.now();
    if (ready < 0 && ready != -EINTR && ready != -EAGAIN)
      return device.error(ready, kWait, Errc::gone);
    if (ready > 0 && (ready & POLLPRI) != 0)
      if (Status s = signal_->take_events(device, now); !s) return s.error();
    if (ready > 0 && (ready & ~POLLPRI) != 0) {
      Result<Frame> frame = take(now);
      if (frame || frame.error().code != Errc::would_block) return frame;
      if ((ready & (POLLERR | POLLHUP | POLLNVAL)) != 0)
        return device.error(-EIO, kTake, Errc::gone);
    }
    if (ready == 0 || left == Nanos::zero()) return no_frame(now, patience > Nanos::zero());
  }
}

/// Also fails with would_block, when poll() was wrong.
Result<Frame> V4l2Camera::take(Nanos now) {
  Result<FilledBuffer> taken = queue_->take();
  if (!taken) return taken.error();
  const KernelBuffer& filled = taken->info;
  Frame frame;
  frame.lease = FrameLease{queue_, filled.index};  // returns the buffer whatever happens below
  count(filled.sequence);
  if (signal_->is_due(now))
    if (Status s = signal_->check(queue_->device(), now, false); !s) return s.error();

  if ((filled.flags & V4L2_BUF_FLAG_ERROR) != 0) return damaged("marked as damaged by the driver");
  if (filled.end > taken->size || filled.begin > filled.end)
    return damaged("more bytes than the buffer has");
  const std::uint8_t* data = taken->memory + filled.begin;
  const std::size_t size = filled.end - filled.begin;

  RawImageView<Space::host>& image = frame.image;
  image.width = info_.width;
  image.height = info_.height;
  image.format = info_.format;
  image.bayer = info_.bayer;
  image.mosaic = info_.mosaic;
  if (decoder_ != nullptr) {
    if (Status s = decode(data, size, frame); !s) return s.error();
  } else {
    const v4l2::PictureLayout& layout = agreement_->layout;
    if (size < layout.bytes) return damaged("fewer bytes than the picture has");
    image.data = data;
    image.row_stride = layout.row_stride;
    if (image.format == PixelFormat::nv12) {
      image.chroma = data + layout.chroma_at;
      image.chroma_stride = layout.row_stride;
    }
  }
  frame.sequence = sequence_;
  frame.captured = last_captured_ = time_of(filled.flags, filled.timestamp, now);
  ++counters_.delivered;
  return frame;
}

/// Decodes into a buffer of `memory`, which the frame then holds instead of the kernel's buffer.
Status V4l2Camera::decode(const std::uint8_t* data, std::size_t size, Frame& frame) {
  const std::uint32_t index = pictures_->borrow();
  FrameLease picture{pictures_, index};
  const int stride = rgb_stride(info_.width);
  if (Status s =
          decoder_->decode(data, size, info_.width, info_.height, pictures_->data(index), stride);
      !s) {
    return damaged(s.error().what.c_str());
  }
  frame.image.data = pictures_->data(index);
  frame.image.row_stride = stride;
  frame.lease = std::move(picture);
  return Done{};
}

Error V4l2Camera::no_frame(Nanos now, bool waited) {
  const Device& device = queue_->device();
  if (waited || signal_->is_due(now))
    if (Status s = signal_->check(device, now, waited); !s) return s.error();
  return {Errc::timeout, 0, kWait, device.path()};
}

Error V4l2Camera::damaged(const char* reason) {
  ++counters_.damaged;
  return queue_->device().error_text(Errc::damaged, kTake, "%s", reason);
}

void V4l2Camera::count(std::uint32_t kernel_sequence) noexcept {
  const std::uint32_t step = kernel_sequence - std::exchange(kernel_sequence_, kernel_sequence);
  if (!std::exchange(has_sequence_, true)) {
    sequence_ = kernel_sequence;
  } else if (step == 0 || step > 0x80000000u) {
    ++sequence_;  // a driver that does not count, or restarted its count
  } else {
    sequence_ += step;
    counters_.dropped += step - 1;
  }
}

Nanos V4l2Camera::time_of(std::uint32_t flags, Nanos kernel_time, Nanos now) const {
  const bool is_monotonic =
      (flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC;
  Nanos captured = now;
  if (is_monotonic && kernel_time > Nanos::zero())
    captured = std::min(clock_.from_monotonic(kernel_time), now);  // never in the future
  return captured > last_captured_ ? captured : last_captured_ + Nanos{1};
}

}  // namespace kerb
