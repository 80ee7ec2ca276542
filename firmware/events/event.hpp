// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "hal/base/clock.hpp"
#include "hal/base/text.hpp"

namespace kerb {

/// The kinds of events. docs/events.md describes the fields of each, docs/events.schema.json for
/// machines. Only the name is written, so the order is free.
enum class EventKind : std::uint8_t {
  started,
  stopped,
  config_loaded,
  health_changed,
  warning_changed,
  readiness_changed,
  camera_opened,
  camera_lost,
  bus_state,
  service_request,
  stage_over_budget,
  detector_loaded,
  detector_missing,
  output_refused,
  frames_summary,
  ego_changed,
  ego_motion,
  motion_summary,
  person_moves,
  flow_missing,
  flow_too_slow,
  bands_missing,
  bus_restart_refused,
  self_test,
  events_lost,   ///< written by the log itself: its queue was full
  log_refused,   ///< written by the log itself, afterwards: the disk had refused it
  log_repaired,  ///< written by the log itself: the last run left a damaged tail
};
inline constexpr std::size_t kEventKinds = 27;

/// error: someone must act. warning: degraded, still protecting. info: start, stop, settings,
/// counts.
enum class Severity : std::uint8_t { info, warning, error };

/// Stable lower-case names, as in the log.
[[nodiscard]] const char* name_of(EventKind kind) noexcept;
[[nodiscard]] const char* name_of(Severity severity) noexcept;
/// Whether it is synced to the disk at once, and may use the last quarter of the queue: starts and
/// stops, health and warnings.
[[nodiscard]] bool is_durable(EventKind kind) noexcept;

/// The name of a field: a literal of 1..32 characters a-z, 0-9 and _, checked when compiling.
class EventKey {
 public:
  static constexpr std::size_t kMax = 32;
  constexpr EventKey() = default;
  consteval EventKey(const char* literal) : text_{literal} {  // NOLINT(google-explicit-constructor)
    std::size_t n = 0;
    for (const char* c = literal; *c != '\0'; ++c, ++n)
      if (!((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '_')) throw "a-z, 0-9, _";
    if (n == 0 || n > kMax) throw "1..32 characters";
  }
  [[nodiscard]] constexpr const char* c_str() const noexcept { return text_; }

 private:
  const char* text_ = "";
};

struct EventField {
  EventKey key;
  std::variant<std::int64_t, double, bool, Text<96>> value;
};

/// One event. Plain data of fixed size: making and copying one allocates nothing.
/// Prefer the makers in events.hpp: they are what the schema describes.
class Event {
 public:
  static constexpr std::size_t kMaxFields = 12;

  Event() = default;
  Event(Nanos when, EventKind what, Severity how_bad) noexcept
      : time{when}, kind{what}, severity{how_bad} {}

  /// Adds a field. A ninth is dropped; keys are not checked for being unique. Text is cut at 96
  /// bytes; bytes that are not UTF-8 and numbers that are not finite are dealt with when it is
  /// written (U+FFFD, null).
  template <std::integral T>
  Event& with(EventKey key, T value) noexcept {
    if constexpr (std::same_as<T, bool>) return add(key, value);
    return add(key, static_cast<std::int64_t>(value));
  }
  Event& with(EventKey key, double value) noexcept { return add(key, value); }
  Event& with(EventKey key, std::string_view value) noexcept {
    return add(key, value.empty() ? Text<96>{} : Text<96>{value});
  }
  Event& with(EventKey key, const char* value) noexcept {
    return with(key, value == nullptr ? std::string_view{} : std::string_view{value});
  }

  Nanos time{};  ///< on the Clock
  EventKind kind = EventKind::started;
  Severity severity = Severity::info;
  std::uint8_t count = 0;  ///< fields used
  std::array<EventField, kMaxFields> fields{};

 private:
  template <typename T>
  Event& add(EventKey key, const T& value) noexcept {
    if (count < kMaxFields) fields[count++] = EventField{key, value};
    return *this;
  }
};

}  // namespace kerb
