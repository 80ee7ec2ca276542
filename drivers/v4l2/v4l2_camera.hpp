// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>

#include "drivers/v4l2/kernel_io.hpp"
#include "hal/camera_settings.hpp"
#include "hal/frame_memory.hpp"
#include "hal/frame_source.hpp"

namespace kerb {

namespace v4l2 {
class CaptureQueue;
class DecodedPictures;
class ExposureControls;
class JpegDecoder;
class SignalMonitor;
struct Agreement;
}  // namespace v4l2

/// A V4L2 capture node, streaming from open() until destroyed. One thread at a time; frames may be
/// destroyed on any thread, even after the camera was closed.
///
/// - Pixels lie as the camera wrote them, in `memory` (userptr) or in the driver's own (mmap); see
///   CameraSettings::memory. MJPEG alone is copied: decoded to rgb24 in `memory` ("own").
/// - With a mosaic of N x N filters, columns and rows that do not fill a cell are cut off at the
///   right and at the bottom, and a Bayer format is reported as grey of its depth, because the
///   filters are not Bayer's.
/// - Time stamps are the kernel's where they are of CLOCK_MONOTONIC, else the time of next().
/// - `dropped` counts frames that the driver numbered and never delivered; not those that it marked
///   as damaged, or that came while there was no signal.
class V4l2Camera final : public FrameSource {
 public:
  /// Opens the camera as `settings` have it, and starts it. `memory`, `clock` and `kernel` must
  /// outlive the camera and every Frame of it. Fails, with the device and one line of reason:
  /// invalid_argument (the settings, or a control out of its range), not_found (no such node),
  /// unsupported (no camera, or not this format, size, control or memory), no_signal, io (in use,
  /// no permission, no bandwidth), gone.
  static Result<std::unique_ptr<V4l2Camera>> open(const CameraSettings& settings,
                                                  FrameMemory& memory, const Clock& clock,
                                                  KernelIo& kernel);
  ~V4l2Camera() override;

  /// As FrameSource; never end. Allocates nothing (MJPEG: see JpegDecoder). While there is no
  /// signal, frames that the driver still fills are discarded, each with a no_signal, so that a
  /// caller's loop does not spin.
  Result<Frame> next(Nanos timeout) override;
  [[nodiscard]] FrameSourceInfo info() const override { return info_; }
  [[nodiscard]] FrameCounters counters() const override { return counters_; }
  /// As v4l2::ExposureControls::find(); null unless the settings' exposure mode is people.
  [[nodiscard]] ExposureControl* exposure_control() noexcept override;

 private:
  struct Parts;
  explicit V4l2Camera(Parts parts);
  static Result<std::unique_ptr<V4l2Camera>> open_unguarded(const CameraSettings& settings,
                                                            FrameMemory& memory, const Clock& clock,
                                                            KernelIo& kernel);
  Result<Frame> take(Nanos now);
  Status decode(const std::uint8_t* data, std::size_t size, Frame& frame);
  Error no_frame(Nanos now, bool waited);
  Error damaged(const char* reason);
  void count(std::uint32_t kernel_sequence) noexcept;
  [[nodiscard]] Nanos time_of(std::uint32_t flags, Nanos kernel_time, Nanos now) const;

  const Clock& clock_;
  std::shared_ptr<v4l2::CaptureQueue> queue_;
  std::unique_ptr<v4l2::ExposureControls> exposure_;  // of queue_'s device
  std::unique_ptr<v4l2::SignalMonitor> signal_;
  std::unique_ptr<v4l2::Agreement> agreement_;
  std::unique_ptr<v4l2::JpegDecoder> decoder_;       // MJPEG only
  std::shared_ptr<v4l2::DecodedPictures> pictures_;  // MJPEG only
  FrameSourceInfo info_;
  FrameCounters counters_;
  bool has_sequence_ = false;
  std::uint32_t kernel_sequence_ = 0;
  std::uint64_t sequence_ = 0;
  Nanos last_captured_ = Nanos::min();
};

}  // namespace kerb
