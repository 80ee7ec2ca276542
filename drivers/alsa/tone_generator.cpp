// SPDX-License-Identifier: Apache-2.0
#include "drivers/alsa/tone_generator.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kerb {
namespace {

constexpr double kEdge = 0.005, kShortestPulse = 0.002, kShortestPause = 0.001;  // seconds
constexpr double kFullScale = 32767;

// 0 at 0, 1 at 1, level at both ends.
double half_cosine(double x) noexcept { return 0.5 - 0.5 * std::cos(std::numbers::pi * x); }

bool same(const TonePattern& a, const TonePattern& b) noexcept {
  return a.frequency_hz == b.frequency_hz && a.pulses_per_s == b.pulses_per_s && a.duty == b.duty &&
         a.volume == b.volume;
}

struct Pulse {
  double period_s, on_s, edge_s;
};
Pulse shape(const TonePattern& pattern) noexcept {
  const double period = 1 / pattern.pulses_per_s;
  const double on = std::max(pattern.duty * period, kShortestPulse);
  const double pause = period - on;
  if (pause < kShortestPause) return {period, period, 0};
  return {period, on, std::min({kEdge, on, pause})};
}

}  // namespace

ToneGenerator::ToneGenerator(double sample_rate_hz) noexcept : rate_{sample_rate_hz} {}

void ToneGenerator::play(const TonePattern& pattern) noexcept {
  if (now_ && !leaving_ && same(*now_, pattern)) return;
  next_ = pattern;
  if (now_) {
    leaving_ = true;
  } else {
    start_next();
  }
}

void ToneGenerator::stop() noexcept {
  next_.reset();
  leaving_ = now_.has_value();
}

void ToneGenerator::fill(std::span<std::int16_t> mono) noexcept {
  for (std::int16_t& sample : mono) sample = now_ ? next_sample() : std::int16_t{0};
}

void ToneGenerator::start_next() noexcept {
  now_ = next_;
  next_.reset();
  leaving_ = false;
  fade_ = 1;
  pulse_time_s_ = 0;
  if (!now_) return;
  const Pulse pulse = shape(*now_);
  period_s_ = pulse.period_s;
  on_s_ = pulse.on_s;
  edge_s_ = pulse.edge_s;
}

// Rises over the first edge and falls over one that begins where the pulse ends: at half height it
// is on_s_ long.
double ToneGenerator::envelope() const noexcept {
  if (edge_s_ == 0) return pulse_time_s_ < kEdge ? half_cosine(pulse_time_s_ / kEdge) : 1;
  if (pulse_time_s_ < edge_s_) return half_cosine(pulse_time_s_ / edge_s_);
  if (pulse_time_s_ < on_s_) return 1;
  if (pulse_time_s_ < on_s_ + edge_s_) return half_cosine(1 - (pulse_time_s_ - on_s_) / edge_s_);
  return 0;
}

std::int16_t ToneGenerator::next_sample() noexcept {
  const double amplitude = now_->volume * envelope() * half_cosine(fade_);
  const double value = amplitude * std::sin(2 * std::numbers::pi * sine_phase_);
  sine_phase_ += now_->frequency_hz / rate_;
  sine_phase_ -= std::floor(sine_phase_);
  pulse_time_s_ += 1 / rate_;
  // A steady tone rises only once, so its time keeps running; a double counts samples for longer
  // than a car's life.
  if (edge_s_ > 0 && pulse_time_s_ >= period_s_) pulse_time_s_ -= period_s_;
  if (leaving_) {
    fade_ -= 1 / (kEdge * rate_);
    if (fade_ <= 0) start_next();
  }
  return static_cast<std::int16_t>(value * kFullScale);  // towards zero: never over the volume
}

}  // namespace kerb
