// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <numbers>
#include <vector>

#include "hal/fake/exposure_control.hpp"
#include "hal/frame_source.hpp"
#include "tests/support/random.hpp"

namespace kerb::test {

/// A sensor as a camera has it: light, noise, steps, clipping, and settings that show late.
struct SensorModel {
  int latency_frames = 2;   ///< of the first frames after a setting, so many show the one before
  double response = 1;      ///< grey value ~ light^response
  double read_noise = 0.3;  ///< grey values, at gain 1
  double full_well = 8000;  ///< photons of a white pixel at gain 1
  double flicker = 0;       ///< share of the light that swings with the mains
  double flicker_hz = 100;
  /// Light of a pixel (1: white after 1 ms at gain 1), at a time.
  std::function<double(double seconds, int x, int y)> scene;
};

/// Pictures of a SensorModel. Settings take their way: set() at any time between frames, shown by
/// the frames after `latency_frames` more.
class NightSensor {
 public:
  NightSensor(SensorModel model, int width, int height, const Exposure& start, std::uint64_t seed)
      : model_{std::move(model)}, width_{width}, height_{height}, shown_{start}, random_{seed} {
    pixels_.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  }
  void set(const Exposure& exposure) { coming_.push_back({model_.latency_frames, exposure}); }
  /// The next frame, begun at `seconds`.
  const std::vector<std::uint8_t>& expose(double seconds) {
    while (!coming_.empty() && coming_.front().frames <= 0) {
      shown_ = coming_.front().exposure;
      coming_.pop_front();
    }
    for (Coming& c : coming_) --c.frames;
    const double time_ms = static_cast<double>(shown_.time.count()) * 1e-6;
    const double light_ms = time_ms * (1 + model_.flicker * swing(seconds, time_ms * 1e-3));
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x) {
        const double share = std::max(0.0, model_.scene(seconds, x, y)) * light_ms;
        const double photons = share * model_.full_well;
        const double noisy = photons + std::sqrt(photons) * normal();
        const double linear = noisy / model_.full_well * shown_.gain +
                              model_.read_noise / 255 * shown_.gain * normal();
        const double shown = std::clamp(linear, 0.0, 1.0);
        const double grey = 255 * (model_.response == 1 ? shown : std::pow(shown, model_.response));
        pixels_[static_cast<std::size_t>(y * width_ + x)] =
            static_cast<std::uint8_t>(std::lround(grey));
      }
    return pixels_;
  }
  [[nodiscard]] const Exposure& shown() const { return shown_; }

 private:
  struct Coming {
    int frames;
    Exposure exposure;
  };
  /// Mean of the mains' swing over an exposure.
  [[nodiscard]] double swing(double begin, double time) const {
    if (time <= 0) return 0;
    const double w = 2 * std::numbers::pi * model_.flicker_hz;
    return (std::cos(w * begin) - std::cos(w * (begin + time))) / (w * time);
  }
  double normal() {  // the sum of 4 uniform numbers is near enough, and quick
    const std::uint64_t bits = random_.next();
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += static_cast<double>((bits >> (16 * i)) & 0xffff) / 65535.0;
    return (sum - 2) * std::sqrt(3.0);
  }

  SensorModel model_;
  int width_, height_;
  Exposure shown_;
  std::deque<Coming> coming_;
  Random random_;
  std::vector<std::uint8_t> pixels_;
};

/// A NightSensor as a FrameSource with exposure controls, at 30 frames a second of a clock of its
/// own: next() moves it, so that a minute passes in no time.
class NightCamera final : public FrameSource {
 public:
  NightCamera(SensorModel model, int width, int height, const Clock& clock,
              const ExposureRange& range = FakeExposureControl::default_range())
      : controls_{*this, range},
        sensor_{std::move(model), width, height, {range.longest / 4, 1}, 1},
        clock_{clock} {
    info_.name = "night";
    info_.width = width;
    info_.height = height;
    info_.rate_hz = 30;
    info_.memory = "own";
  }
  Result<Frame> next(Nanos) override {
    clock_.sleep_until(due_ == Nanos::zero() ? clock_.now() : due_);
    const Nanos now = clock_.now();
    due_ = now + std::chrono::microseconds{33333};
    const std::lock_guard lock{mutex_};
    Frame frame;
    // Frames may be read while the next is exposed, so each has its own memory.
    auto lent = std::make_shared<Picture>();
    lent->pixels = sensor_.expose(static_cast<double>(now.count()) * 1e-9);
    frame.image.data = lent->pixels.data();
    frame.image.width = info_.width;
    frame.image.height = info_.height;
    frame.image.row_stride = info_.width;
    frame.sequence = sequence_++;
    frame.captured = now;
    frame.lease = FrameLease{lent, 0};
    return frame;
  }
  [[nodiscard]] FrameSourceInfo info() const override { return info_; }
  [[nodiscard]] FrameCounters counters() const override { return {sequence_, 0, 0}; }
  [[nodiscard]] ExposureControl* exposure_control() noexcept override { return &controls_; }
  /// What the last frame showed. Any thread.
  [[nodiscard]] Exposure shown() const {
    const std::lock_guard lock{mutex_};
    return sensor_.shown();
  }
  [[nodiscard]] FakeExposureControl& fake() { return controls_.fake; }

 private:
  struct Picture final : FrameLender {
    std::vector<std::uint8_t> pixels;
    void give_back(std::uint32_t) noexcept override {}
  };
  struct Controls final : ExposureControl {
    Controls(NightCamera& owner, const ExposureRange& range) : camera{owner}, fake{range} {}
    [[nodiscard]] ExposureRange range() const noexcept override { return fake.range(); }
    Result<Exposure> read() override { return fake.read(); }
    Result<Exposure> set(const Exposure& wanted) override {
      Result<Exposure> done = fake.set(wanted);
      if (done) {
        const std::lock_guard lock{camera.mutex_};
        camera.sensor_.set(*done);
      }
      return done;
    }
    Status set_automatic() override { return fake.set_automatic(); }
    NightCamera& camera;
    FakeExposureControl fake;
  };

  mutable std::mutex mutex_;
  Controls controls_;
  NightSensor sensor_;
  const Clock& clock_;
  FrameSourceInfo info_;
  Nanos due_{};
  std::uint64_t sequence_ = 0;
};

}  // namespace kerb::test
