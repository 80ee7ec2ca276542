// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/judge/sent.hpp"

#include <algorithm>
#include <map>

#include "firmware/can/codec.hpp"

namespace kerb::sim {
namespace {

double seconds_of(Nanos at) { return static_cast<double>(at.count()) * 1e-9; }

std::vector<Sent::Stretch> stretches_of(const std::vector<Trace::Level>& line, double seconds) {
  std::vector<Sent::Stretch> out;
  for (const Trace::Level& level : line) {
    if (level.on) out.push_back({seconds_of(level.at), seconds});
    if (!level.on && !out.empty()) out.back().end = seconds_of(level.at);
  }
  return out;
}

/// Follows the firmware's messages through a run.
class Listener {
 public:
  Listener(double seconds, Sent& sent) : seconds_{seconds}, sent_{sent} {}

  void take(double at, const CanFrame& frame) {
    ++sent_.frames;
    if (frame.id == can::kStatusId) {
      if (const Result<can::StatusMessage> status = can::decode_status(frame)) {
        count(frame.id, status->counter);
        take(at, *status);
      } else {
        ++sent_.undecodable;
      }
    } else if (frame.id == can::kWarningId) {
      if (const Result<can::WarningMessage> warning = can::decode_warning(frame)) {
        count(frame.id, warning->counter);
        take(at, *warning);
      } else {
        ++sent_.undecodable;
      }
    } else if (frame.id == can::kReadyId) {
      if (const Result<can::ReadyMessage> ready = can::decode_ready(frame)) {
        count(frame.id, ready->counter);
        take(at, *ready);
      } else {
        ++sent_.undecodable;
      }
    } else if (frame.id == can::kObjectsId) {
      if (const Result<can::ObjectFrame> object = can::decode_objects(frame)) {
        take(at, *object);
      } else {
        ++sent_.undecodable;
      }
    }
  }
  void finish() {
    if (view_limited_) sent_.limited_view.back().end = seconds_;
    if (not_ready_) sent_.not_ready.back().end = seconds_;
    sent_.status_gap = std::max(sent_.status_gap, seconds_ - status_at_);
    sent_.warning_silence = std::max(sent_.warning_silence, seconds_ - warning_at_);
    if (!warns_) return;
    sent_.warning_gap = std::max(sent_.warning_gap, seconds_ - warning_at_);
    sent_.warnings.back().end = seconds_;
    sent_.warnings.back().lasts = true;
  }

 private:
  void count(std::uint32_t id, std::uint8_t counter) {
    if (const auto last = counters_.find(id); last != counters_.end())
      if ((last->second + 1) % 16 != counter) ++sent_.counter_faults;
    counters_[id] = counter;
  }
  void take(double at, const can::StatusMessage& status) {
    sent_.status_gap = std::max(sent_.status_gap, at - status_at_);
    status_at_ = at;
    const HealthReport& health = status.health;
    if (sent_.states.empty() || sent_.states.back().health.state != health.state ||
        sent_.states.back().health.cause != health.cause)
      sent_.states.push_back({at, health});
  }
  void take(double at, const can::WarningMessage& warning) {
    const WarningLevel level = warning.test ? WarningLevel::none : warning.level;
    sent_.warning_silence = std::max(sent_.warning_silence, at - warning_at_);
    if (warns_) {
      sent_.warning_gap = std::max(sent_.warning_gap, at - warning_at_);
      if (sent_.warnings.back().level != level) {
        sent_.warnings.back().end = at;
        warns_ = false;
      }
    }
    warning_at_ = at;
    if (level == WarningLevel::none) return;
    const std::optional<int> of = warning.object_id;
    if (!warns_)
      sent_.warnings.push_back({level, at, at, false, warning.time_to_collision_s, of, of});
    if (of) sent_.warnings.back().last_of = of;
    warns_ = true;
  }
  void take(double at, const can::ReadyMessage& ready) {
    mark(ready.readiness == Readiness::limited_view, view_limited_, sent_.limited_view, at);
    mark(!can_warn(ready.readiness), not_ready_, sent_.not_ready, at);
  }
  /// Begins or ends a stretch where `is` changes.
  static void mark(bool is, bool& was, std::vector<Sent::Stretch>& stretches, double at) {
    if (is == was) return;
    was = is;
    if (is) {
      stretches.push_back({at, at});
    } else {
      stretches.back().end = at;
    }
  }
  void take(double at, const can::ObjectFrame& object) {
    if (object.count == 0 || (object.index == 0 && object.part == can::ObjectFrame::Part::place))
      sent_.people.push_back({at, object.count, std::nullopt, {}});
    if (sent_.people.empty() || object.count == 0) return;
    if (object.part != can::ObjectFrame::Part::place || !object.object.x_m) return;
    std::optional<double>& nearest = sent_.people.back().nearest_m;
    nearest = std::min(nearest.value_or(*object.object.x_m), *object.object.x_m);
    if (object.object.y_m)
      sent_.people.back().objects.push_back(
          {object.object.id, *object.object.x_m, *object.object.y_m});
  }

  double seconds_;
  Sent& sent_;
  std::map<std::uint32_t, std::uint8_t> counters_;
  double status_at_ = 0, warning_at_ = 0;
  bool warns_ = false, view_limited_ = false, not_ready_ = false;
};

}  // namespace

Sent decode_trace(const Trace& trace, double seconds) {
  Sent sent;
  Listener listener{seconds, sent};
  for (const Trace::Sent& frame : trace.frames) listener.take(seconds_of(frame.at), frame.frame);
  listener.finish();
  sent.lamp = stretches_of(trace.warning_lamp, seconds);
  sent.status_lamp = stretches_of(trace.status_lamp, seconds);
  bool sounds = false;
  for (const Trace::Sound& sound : trace.tone) {
    if (sounds) sent.tone.back().end = seconds_of(sound.at);
    sounds = sound.pattern.has_value();
    if (!sounds) continue;
    sent.tone.push_back({seconds_of(sound.at), seconds});
    sent.patterns.push_back(*sound.pattern);
  }
  return sent;
}

bool within(const std::vector<Sent::Stretch>& stretches, double t) noexcept {
  return std::any_of(stretches.begin(), stretches.end(),
                     [t](const Sent::Stretch& s) { return t >= s.begin && t < s.end; });
}

}  // namespace kerb::sim
