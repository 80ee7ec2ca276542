// SPDX-License-Identifier: Apache-2.0
#include "firmware/diagnostics/uds_identifiers.hpp"

#include <algorithm>

namespace kerb::diagnostics {
namespace {

constexpr std::uint16_t kFrameIds[] = {did::kUtc,       did::kRun,   did::kSpeed,
                                       did::kReadiness, did::kState, did::kNumber};

bool append_field(Response& out, std::uint16_t id, const FreezeFrame& f) noexcept {
  switch (id) {
    case did::kUtc:
      out.u32(f.utc_s);
      return true;
    case did::kRun:
      out.u32(f.run_s);
      return true;
    case did::kSpeed:
      out.u16(static_cast<std::uint16_t>(f.speed));
      return true;
    case did::kReadiness:
      out.u8(f.readiness);
      return true;
    case did::kState:
      out.u8(f.state);
      return true;
    case did::kNumber:
      out.u32(static_cast<std::uint32_t>(f.number));
      return true;
    default:
      return false;
  }
}

bool append_text(Response& out, std::string_view words, std::size_t length) noexcept {
  if (words.empty()) return false;
  out.text(words, length);
  return true;
}

}  // namespace

bool append_identifier(Response& out, std::uint16_t id, const Identity& who,
                       const Situation& s) noexcept {
  switch (id) {
    case did::kSoftware:
      return append_text(out, who.software.view(), 32);
    case did::kSerial:
      return append_text(out, who.serial.view(), 24);
    case did::kVin:
      return append_text(out, who.vin.view(), 17);
    case did::kSystem:
      return append_text(out, "Kerbwatch", 16);
    case did::kModel:
      return append_text(out, who.model.view(), 32);
    case did::kModelCrc:
      if (who.model.empty()) return false;
      out.u32(who.model_crc);
      return true;
    case did::kCalibration:
      out.u32(who.calibration_crc);
      return true;
    case did::kDecisions:
      out.u16(who.decisions);
      return true;
    case did::kCause: {
      const int camera = s.health.camera < 0 ? 0xFF : s.health.camera;
      out.u8(static_cast<std::uint8_t>(s.health.cause)).u8(static_cast<std::uint8_t>(camera));
      return true;
    }
    default:
      return append_field(out, id, freeze(s, s.health.number));
  }
}

bool append_counter(Response& out, std::uint16_t id, const LifeCounters& life) noexcept {
  constexpr std::uint64_t kMm = 100'000, kMs = 1000;  // in 0.1 km, in a second
  const auto put = [&](std::uint64_t value) {
    out.u32(static_cast<std::uint32_t>(std::min<std::uint64_t>(value, 0xFFFFFFFFU)));
    return true;
  };
  switch (id) {
    case did::kDistance:
      return put(life.distance_mm / kMm);
    case did::kRunTime:
      return put(life.run_ms / kMs);
    case did::kActiveTime:
      return put(life.active_ms / kMs);
    case did::kReadyTime:
      return put(life.ready_ms / kMs);
    case did::kStarts:
      return put(life.starts);
    case did::kInterrupted:
      return put(life.interrupted);
    case did::kInformations:
      return put(life.informations);
    case did::kCollisions:
      return put(life.collisions);
    case did::kFaults:
      for (const std::uint32_t count : life.faults)
        out.u16(static_cast<std::uint16_t>(std::min<std::uint32_t>(count, 0xFFFFU)));
      return true;
    default:
      return false;
  }
}

void append_frame(Response& out, const FreezeFrame& frame) noexcept {
  out.u8(sizeof kFrameIds / sizeof kFrameIds[0]);
  for (const std::uint16_t id : kFrameIds) {
    out.u16(id);
    append_field(out, id, frame);
  }
}

}  // namespace kerb::diagnostics
