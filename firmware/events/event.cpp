// SPDX-License-Identifier: Apache-2.0
#include "firmware/events/event.hpp"

#include "firmware/events/event_line.hpp"
#include "firmware/log/json_text.hpp"

namespace kerb {
namespace {

void append_value(std::string& out, std::int64_t value) { out += std::to_string(value); }
void append_value(std::string& out, double value) { append_json(out, value); }
void append_value(std::string& out, bool value) { out += value ? "true" : "false"; }
void append_value(std::string& out, const Text<96>& value) { append_json(out, value.view()); }

}  // namespace

const char* name_of(EventKind kind) noexcept {
  switch (kind) {
    case EventKind::started:
      return "started";
    case EventKind::stopped:
      return "stopped";
    case EventKind::config_loaded:
      return "config_loaded";
    case EventKind::health_changed:
      return "health_changed";
    case EventKind::warning_changed:
      return "warning_changed";
    case EventKind::readiness_changed:
      return "readiness_changed";
    case EventKind::camera_opened:
      return "camera_opened";
    case EventKind::camera_lost:
      return "camera_lost";
    case EventKind::bus_state:
      return "bus_state";
    case EventKind::service_request:
      return "service_request";
    case EventKind::stage_over_budget:
      return "stage_over_budget";
    case EventKind::self_test:
      return "self_test";
    case EventKind::detector_loaded:
      return "detector_loaded";
    case EventKind::detector_missing:
      return "detector_missing";
    case EventKind::output_refused:
      return "output_refused";
    case EventKind::frames_summary:
      return "frames_summary";
    case EventKind::ego_changed:
      return "ego_changed";
    case EventKind::ego_motion:
      return "ego_motion";
    case EventKind::motion_summary:
      return "motion_summary";
    case EventKind::person_moves:
      return "person_moves";
    case EventKind::flow_missing:
      return "flow_missing";
    case EventKind::flow_too_slow:
      return "flow_too_slow";
    case EventKind::bands_missing:
      return "bands_missing";
    case EventKind::bus_restart_refused:
      return "bus_restart_refused";
    case EventKind::events_lost:
      return "events_lost";
    case EventKind::log_refused:
      return "log_refused";
    case EventKind::log_repaired:
      return "log_repaired";
  }
  return "unknown";
}

const char* name_of(Severity severity) noexcept {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "unknown";
}

bool is_durable(EventKind kind) noexcept {
  return kind == EventKind::started || kind == EventKind::stopped || kind == EventKind::self_test ||
         kind == EventKind::health_changed || kind == EventKind::warning_changed;
}

void append_line(std::string& out, const Event& event, const EventStamp& stamp) {
  out.append("{\"seq\":").append(std::to_string(stamp.seq));
  out.append(",\"run\":\"").append(stamp.run);
  out.append("\",\"time_ns\":").append(std::to_string(event.time.count()));
  out += ",\"utc\":\"";
  append_utc(out, stamp.utc);
  out.append("\",\"kind\":\"").append(name_of(event.kind));
  out.append("\",\"severity\":\"").append(name_of(event.severity));
  out += "\",\"data\":{";
  for (std::size_t i = 0; i < event.count && i < Event::kMaxFields; ++i) {
    const EventField& field = event.fields[i];
    out += i == 0 ? "\"" : ",\"";
    out.append(field.key.c_str()).append("\":");
    std::visit([&out](const auto& value) { append_value(out, value); }, field.value);
  }
  out += "}}\n";
}

}  // namespace kerb
