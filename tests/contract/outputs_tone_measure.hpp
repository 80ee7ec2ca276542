// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numbers>
#include <vector>

namespace kerb {

/// A recording of one channel.
struct Recording {
  std::vector<std::int16_t> samples;
  double rate_hz = 0;
};

/// What can be heard in a recording of a pulsed sine, told from its samples alone.
struct ToneMeasurement {
  double frequency_hz = 0;
  double pulses_per_s = 0;  ///< 0: steady, or fewer than three pulses
  double duty = 0;
  double peak = 0;      ///< of full scale
  double max_step = 0;  ///< between neighbouring samples
  int pulses = 0;       ///< whole ones
};

inline double middle_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

inline ToneMeasurement measure_tone(const Recording& recording) {
  const std::vector<std::int16_t>& x = recording.samples;
  ToneMeasurement m;
  int peak = 0, step = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    peak = std::max(peak, std::abs(int{x[i]}));
    if (i > 0) step = std::max(step, std::abs(x[i] - x[i - 1]));
  }
  m.peak = peak / 32767.0;
  m.max_step = step;
  if (peak < 100) return m;

  // Frequency: the middle one of the distances between rising zero crossings where it is loud, then
  // the mean of those that agree with it.
  std::vector<double> distances;
  double last = -1;
  int loudest = 0;
  for (std::size_t i = 1; i < x.size(); ++i) {
    loudest = std::max(loudest, std::abs(int{x[i]}));
    if (x[i - 1] >= 0 || x[i] < 0) continue;
    const double at = static_cast<double>(i) - x[i] / static_cast<double>(x[i] - x[i - 1]);
    if (last >= 0 && loudest > 0.9 * peak) distances.push_back(at - last);
    last = at;
    loudest = 0;
  }
  if (distances.size() < 3) return m;
  const double middle = middle_of(distances);
  double sum = 0;
  int agreeing = 0;
  for (const double d : distances)
    if (std::abs(d - middle) < 0.1 * middle) sum += d, ++agreeing;
  const double cycle = sum / agreeing;  // in samples
  m.frequency_hz = recording.rate_hz / cycle;

  // Envelope: mixed down to zero and averaged over two cycles, which is symmetric in time, so that
  // edges do not shift.
  const int half = static_cast<int>(std::lround(cycle));
  const auto n = static_cast<int>(x.size());
  std::vector<double> re(x.size() + 1), im(x.size() + 1);
  for (int i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * i / cycle;
    const auto k = static_cast<std::size_t>(i);
    re[k + 1] = re[k] + x[k] * std::cos(angle);
    im[k + 1] = im[k] + x[k] * std::sin(angle);
  }
  std::vector<double> rises, lengths;
  double previous = 0, rise = -1;
  const double threshold = peak / 2.0;
  for (int i = half; i + half <= n; ++i) {
    const auto a = static_cast<std::size_t>(i - half), b = static_cast<std::size_t>(i + half);
    const double level = std::hypot(re[b] - re[a], im[b] - im[a]) / half;
    const double at = i - (level - threshold) / (level - previous);
    if (i > half && previous < threshold && level >= threshold) {
      rise = at;
      rises.push_back(at);
    } else if (i > half && previous >= threshold && level < threshold && rise >= 0) {
      lengths.push_back(at - rise);
    }
    previous = level;
  }
  m.pulses = static_cast<int>(lengths.size());
  if (rises.size() < 3 || lengths.empty()) return m;
  // The middle ones, so that a drop-out on a slow machine does not count as a pattern.
  std::vector<double> periods;
  for (std::size_t i = 1; i < rises.size(); ++i) periods.push_back(rises[i] - rises[i - 1]);
  const double period = middle_of(periods);
  m.pulses_per_s = recording.rate_hz / period;
  m.duty = middle_of(lengths) / period;
  return m;
}

}  // namespace kerb
