// SPDX-License-Identifier: Apache-2.0
#include "firmware/diagnostics/life.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>

#include "firmware/diagnostics/small_file.hpp"
#include "hal/base/crc32.hpp"

namespace kerb::diagnostics {
namespace {

constexpr char kLifeMagic[8] = {'K', 'W', 'L', 'I', 'F', 'E', '1', '\n'};
constexpr std::size_t kLifeBytes =
    sizeof kLifeMagic + 8 + 1 + 1 + 1 + 4 * 8 + 4 * 4 + kFaultCounters * 4 + 4;

Error damaged_counters(std::string_view what = {}) {
  return Error{Errc::damaged, 0, "read the counters", what};
}

std::string copy_of(const std::string& path, std::uint64_t sequence) {
  return path + (sequence % 2 == 0 ? ".a" : ".b");
}

template <typename T>
void add(T& counter, std::uint64_t more) noexcept {
  const std::uint64_t room = std::numeric_limits<T>::max() - counter;
  counter = static_cast<T>(counter + std::min(more, room));
}

/// Adds `dt` to a counter of milliseconds, and keeps what is left over.
void add_time(std::uint64_t& counter, Nanos& rest, Nanos dt) noexcept {
  rest += dt;
  const auto whole = std::chrono::floor<std::chrono::milliseconds>(rest);
  rest -= whole;
  add(counter, static_cast<std::uint64_t>(whole.count()));
}

/// Both counters and their names, in one order.
template <typename Visit>
void each(const LifeImage& image, const Visit& visit) {
  const LifeCounters& c = image.counters;
  const auto hours = [](std::uint64_t ms) { return static_cast<double>(ms) / 3.6e6; };
  visit("distance_km", static_cast<double>(c.distance_mm) / 1e6, 1);
  visit("hours", hours(c.run_ms), 2);
  visit("hours_active", hours(c.active_ms), 2);
  visit("hours_ready", hours(c.ready_ms), 2);
  visit("starts", c.starts, 0);
  visit("interrupted", c.interrupted, 0);
  visit("warnings_information", c.informations, 0);
  visit("warnings_collision", c.collisions, 0);
}

std::string text_of(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

}  // namespace

std::vector<std::byte> encode(const LifeImage& image) {
  std::vector<std::byte> out;
  out.reserve(kLifeBytes);
  ByteWriter writer{out};
  for (const char c : kLifeMagic) writer.put(static_cast<std::uint8_t>(c));
  writer.put(image.sequence);
  writer.put(static_cast<std::uint8_t>(image.running ? 1 : 0));
  writer.put(static_cast<std::uint8_t>(image.off_switch.off ? 1 : 0));
  writer.put(image.off_switch.ignition_cycle);
  const LifeCounters& c = image.counters;
  for (const std::uint64_t value : {c.distance_mm, c.run_ms, c.active_ms, c.ready_ms})
    writer.put(value);
  for (const std::uint32_t value : {c.starts, c.interrupted, c.informations, c.collisions})
    writer.put(value);
  for (const std::uint32_t value : c.faults) writer.put(value);
  writer.put(crc32(out.data(), out.size()));
  return out;
}

Result<LifeImage> decode_life(std::span<const std::byte> bytes) {
  if (bytes.size() != kLifeBytes) return damaged_counters();
  std::uint32_t crc = 0;
  ByteReader{bytes.subspan(kLifeBytes - 4)}.take(crc);
  if (crc != crc32(bytes.data(), kLifeBytes - 4)) return damaged_counters();
  for (std::size_t i = 0; i < sizeof kLifeMagic; ++i)
    if (bytes[i] != static_cast<std::byte>(kLifeMagic[i])) return damaged_counters();
  ByteReader reader{bytes.subspan(sizeof kLifeMagic)};
  LifeImage image;
  std::uint8_t running = 0, off = 0;
  reader.take(image.sequence);
  reader.take(running);
  reader.take(off);
  reader.take(image.off_switch.ignition_cycle);
  image.running = running != 0;
  image.off_switch.off = off != 0;
  LifeCounters& c = image.counters;
  for (std::uint64_t* value : {&c.distance_mm, &c.run_ms, &c.active_ms, &c.ready_ms})
    reader.take(*value);
  for (std::uint32_t* value : {&c.starts, &c.interrupted, &c.informations, &c.collisions})
    reader.take(*value);
  for (std::uint32_t& value : c.faults) reader.take(value);
  return image;
}

Result<LifeImage> load_life(const std::string& path) {
  std::optional<LifeImage> newest;
  std::optional<Error> why;
  for (const std::uint64_t copy : {0, 1}) {
    const std::string file = copy_of(path, copy);
    const Result<std::vector<std::byte>> bytes =
        read_small_file(file, kLifeBytes, "read the counters");
    Result<LifeImage> image = bytes ? decode_life(*bytes) : Result<LifeImage>{bytes.error()};
    if (image) {
      if (!newest || image->sequence > newest->sequence) newest = *image;
    } else if (image.error().code == Errc::damaged) {
      why = damaged_counters(file);
    } else if (!why || why->code == Errc::not_found) {
      why = image.error();
    }
  }
  if (newest) return *newest;
  return *why;
}

Status save_life(const std::string& path, const LifeImage& image) {
  return replace_small_file(copy_of(path, image.sequence), encode(image), "write the counters");
}

std::string render_life(const LifeImage& image) {
  std::string out;
  each(image, [&](const char* name, double value, int digits) {
    char line[64];
    std::snprintf(line, sizeof line, "%-22s %12s\n", name, text_of(value, digits).c_str());
    out += line;
  });
  for (int i = 1; i < kCauseCount; ++i) {
    const std::uint32_t count = image.counters.faults[static_cast<std::size_t>(i)];
    if (count == 0) continue;
    char line[64];
    std::snprintf(line, sizeof line, "fault %-22s %6u\n", name_of(static_cast<Cause>(i)), count);
    out += line;
  }
  return out;
}

std::string render_life_json(const LifeImage& image) {
  std::string out = "{";
  each(image, [&](const char* name, double value, int digits) {
    out += std::string{"\""} + name + "\": " + text_of(value, digits == 0 ? 0 : 6) + ", ";
  });
  out += "\"faults\": {";
  const char* comma = "";
  for (int i = 1; i < kCauseCount; ++i) {
    const std::uint32_t count = image.counters.faults[static_cast<std::size_t>(i)];
    if (count == 0) continue;
    out +=
        std::string{comma} + "\"" + name_of(static_cast<Cause>(i)) + "\": " + std::to_string(count);
    comma = ", ";
  }
  return out + "}}\n";
}

LifeTally::LifeTally(const LifeImage& kept) noexcept : image_{kept} {
  add(image_.counters.starts, 1);
  if (kept.running) add(image_.counters.interrupted, 1);
  image_.running = true;
}

void LifeTally::round(const LifeRound& round, const HealthMonitor& monitor) noexcept {
  LifeCounters& c = image_.counters;
  const Nanos dt =
      last_ ? std::clamp(round.now - *last_, Nanos::zero(), kLongestRound) : Nanos::zero();
  last_ = round.now;
  add_time(c.run_ms, run_, dt);
  if (round.state == HealthState::active) add_time(c.active_ms, active_, dt);
  if (can_warn(round.readiness)) add_time(c.ready_ms, ready_, dt);
  if (round.speed_mps && std::isfinite(*round.speed_mps)) {
    rest_mm_ += std::abs(*round.speed_mps) * std::chrono::duration<double, std::milli>{dt}.count();
    const double whole = std::floor(rest_mm_);
    rest_mm_ -= whole;
    add(c.distance_mm, static_cast<std::uint64_t>(whole));
  }
  // The program's own counters begin with 0, or go back to it.
  const auto grown = [](std::uint64_t now, std::uint64_t& before) {
    const std::uint64_t more = now > before ? now - before : 0;
    before = now;
    return more;
  };
  add(c.informations, grown(round.informations, informations_));
  add(c.collisions, grown(round.collisions, collisions_));
  count_faults(monitor);
}

void LifeTally::count_faults(const HealthMonitor& monitor) noexcept {
  for (int i = 1; i < kCauseCount; ++i) {
    const Cause cause = static_cast<Cause>(i);
    for (int camera = 0; camera < (is_of_camera(cause) ? HealthMonitor::kMaxCameras : 1);
         ++camera) {
      const auto first = static_cast<std::size_t>(i) * std::size_t{HealthMonitor::kMaxCameras};
      bool& there = there_[first + static_cast<std::size_t>(camera)];
      const bool is = monitor.severity(cause, camera) != PartState::fine;
      if (is && !there) add(image_.counters.faults[static_cast<std::size_t>(i)], 1);
      there = is;
    }
  }
}

}  // namespace kerb::diagnostics
