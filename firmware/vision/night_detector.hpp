// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/memory/buffer.hpp"
#include "gpu/memory/context.hpp"
#include "gpu/memory/stream.hpp"
#include "gpu/memory/workers.hpp"
#include "gpu/night/temporal_filter.hpp"
#include "gpu/night/tone_curve.hpp"
#include "hal/vision.hpp"

namespace kerb {

/// What is done to dark pictures; with neither, nothing.
struct NightMeasures {
  int target = 64;  ///< mean grey value below which a picture is dark
  std::optional<night::ToneCurveSettings> curve;
  std::optional<night::TemporalFilterSettings> filter;
};

/// Runs another detector on a picture that is smoothed over time and brightened (gpu/night) where
/// it is dark, and on the picture itself where it is not. Only the planes that the other one reads
/// are changed, and only for it: everybody else sees the camera's picture. One thread at a time;
/// allocates only when made.
class NightDetector final : public Detector {
 public:
  /// For pictures of this size. `context` and `workers` must outlive it. Fails: as
  /// ToneCurve::create() and TemporalFilter::create(); device (no memory).
  static Result<std::unique_ptr<NightDetector>> create(const Context& context, Workers& workers,
                                                       const NightMeasures& measures, int width,
                                                       int height, std::unique_ptr<Detector> inner);
  /// On CUDA the picture must be on the device, where a Preparer leaves it. Fails: as the operators
  /// and the inner detector; invalid_argument (a dark picture that is not on the device).
  Status detect(const PreparedImage& image, DetectionList& out) override;
  [[nodiscard]] const char* name() const noexcept override { return inner_->name(); }
  [[nodiscard]] TrackingScores tracking_scores() const noexcept override {
    return inner_->tracking_scores();
  }
  [[nodiscard]] bool needs_colour() const noexcept override { return inner_->needs_colour(); }
  [[nodiscard]] bool needs_motion() const noexcept override { return filter_.has_value(); }
  void set_motion(const MotionField* motion) noexcept override { motion_ = motion; }

 private:
  NightDetector(const Context& context, Workers& workers, int target,
                std::unique_ptr<Detector> inner);
  Status allocate(const NightMeasures& measures, int width, int height);
  [[nodiscard]] bool is_dark(const ImageView<Space::host, const std::uint8_t>& grey) const noexcept;
  Status on_cpu(const PlanesView<Space::host, const std::uint8_t>& in, PreparedImage& dark);
  Status on_cuda(const PlanesView<Space::device, const std::uint8_t>& in, PreparedImage& dark);
  template <Space S>
  [[nodiscard]] PlanesView<S, std::uint8_t> planes(std::uint8_t* data) const noexcept {
    return {data, count_, width_, height_, width_, static_cast<std::ptrdiff_t>(width_) * height_};
  }

  const Context& context_;
  Workers& workers_;
  int target_;
  std::unique_ptr<Detector> inner_;
  int count_;  // planes that the inner detector needs
  int width_ = 0, height_ = 0;
  const MotionField* motion_ = nullptr;
  std::optional<night::ToneCurve> curve_;
  std::optional<night::TemporalFilter> filter_;
  std::vector<std::uint8_t> smooth_, bright_;
  std::optional<Stream> stream_;  // CUDA only; before the buffers: destroyed after them
  DeviceBuffer<std::uint8_t> smooth_there_, bright_there_;
};

}  // namespace kerb
