// SPDX-License-Identifier: Apache-2.0
#include "firmware/diagnostics/dtc.hpp"

#include <cstdio>

namespace kerb::diagnostics {
namespace {

// B1A..: a body code of the manufacturer's own range, with 64 causes of 4 cameras each.
constexpr std::uint32_t kHighByte = 0x9A;
static_assert(kCauseCount <= 64 && kMostCameras == 4, "the middle byte holds cause and camera");

/// Types of failures of SAE J2012-DA, as far as they are used here.
enum FailureType : std::uint8_t {
  no_signal = 0x31,
  signal_invalid = 0x29,
  data_memory_failure = 0x44,
  over_temperature = 0x4B,
  signal_implausible = 0x64,
  alignment_incorrect = 0x78,
  missing_message = 0x87,
  bus_off = 0x88,
  performance = 0x92,
  component_internal = 0x96,
  component_obstructed = 0x97,
  no_subtype = 0x00
};

struct Row {
  Cause cause;
  FailureType failure;
  const char* meaning;
};
constexpr Row kRows[] = {
    {Cause::none, no_subtype, ""},
    {Cause::camera_silent, no_signal, "No frames from the camera"},
    {Cause::camera_no_signal, no_signal, "The camera's input has no signal"},
    {Cause::camera_gone, component_internal, "The camera's device has left: cable, power"},
    {Cause::camera_damaged, signal_invalid, "Corrupt frames: cable, interference"},
    {Cause::camera_frozen, component_internal, "The camera repeats the same picture"},
    {Cause::camera_blinded, component_obstructed, "The picture is white: sun, lamp"},
    {Cause::camera_dark, component_obstructed, "The picture is black: covered, no light"},
    {Cause::frames_dropped, performance, "Frames are lost by the camera or the board"},
    {Cause::board_hot, over_temperature, "The board is too hot"},
    {Cause::thermal_unreadable, component_internal, "The temperature cannot be read"},
    {Cause::bus_lost, bus_off, "The vehicle's bus is off or down"},
    {Cause::signals_missing, missing_message, "No speed from the vehicle"},
    {Cause::signals_implausible, signal_implausible, "Implausible speed or yaw rate"},
    {Cause::over_budget, performance, "A frame takes too long: the board is overloaded"},
    {Cause::output_refused, component_internal, "A lamp or the sound cannot be driven"},
    {Cause::event_log_refused, data_memory_failure, "The event log cannot be written"},
    {Cause::vision_failed, component_internal, "Detection has failed: model, GPU"},
    {Cause::flow_missing, component_internal, "Motion in the picture is not measured"},
    {Cause::records_refused, data_memory_failure, "Records of warnings cannot be written"},
    {Cause::camera_dirty, component_obstructed, "The picture has lost its detail: dirt, mist"},
    {Cause::camera_misaligned, alignment_incorrect, "The camera is out of alignment"},
    {Cause::signals_late, signal_implausible, "The vehicle's signals come late"},
    {Cause::bands_missing, component_internal, "Spectral bands are not searched"},
    {Cause::sending_refused, missing_message, "The bus does not take messages"},
    {Cause::bus_restart_refused, bus_off, "After bus-off the controller is not restarted"},
    {Cause::watchdog_refused, component_internal, "The watchdog cannot be opened or fed"},
    {Cause::gpu_missing, component_internal, "The GPU is missing: the CPU does its work"},
    {Cause::vision_stalled, performance, "The processing of pictures hangs"},
    {Cause::self_test_failed, component_internal, "The self-test at the start: a part has failed"},
};
static_assert(sizeof kRows / sizeof kRows[0] == kCauseCount, "every cause is a DTC");
constexpr bool in_order() {
  for (int i = 0; i < kCauseCount; ++i)
    if (static_cast<int>(kRows[i].cause) != i) return false;
  return true;
}
static_assert(in_order(), "a row stands at the number of its cause");

const Row& row(Cause cause) noexcept {
  const int index = static_cast<int>(cause);
  return kRows[index < kCauseCount ? index : 0];
}

}  // namespace

std::uint32_t dtc_of(DtcKey key) noexcept {
  const auto middle = static_cast<std::uint32_t>(slot_of(key));
  return kHighByte << 16 | middle << 8 | row(key.cause).failure;
}

std::optional<DtcKey> key_of(std::uint32_t dtc, int cameras) noexcept {
  const int slot = static_cast<int>(dtc >> 8 & 0xFFU);
  const DtcKey key{static_cast<Cause>(slot / kMostCameras), slot % kMostCameras};
  if (key.cause == Cause::none || slot >= kDtcSlots || dtc_of(key) != dtc) return std::nullopt;
  if (key.camera >= (is_of_camera(key.cause) ? cameras : 1)) return std::nullopt;
  return key;
}

Text<12> name_of_dtc(std::uint32_t dtc) noexcept {
  char text[13];
  std::snprintf(text, sizeof text, "%c%04X-%02X", "PCBU"[dtc >> 22 & 3U],
                static_cast<unsigned>(dtc >> 8 & 0x3FFFU), static_cast<unsigned>(dtc & 0xFFU));
  return text;
}

const char* meaning_of(Cause cause) noexcept { return row(cause).meaning; }

std::string render_dtc_table() {
  std::string out = "| DTC | bytes | cause | meaning |\n|---|---|---|---|\n";
  for (int c = 1; c < kCauseCount; ++c) {
    const Cause cause = static_cast<Cause>(c);
    for (int camera = 0; camera < (is_of_camera(cause) ? kMostCameras : 1); ++camera) {
      const std::uint32_t dtc = dtc_of({cause, camera});
      char bytes[8];
      std::snprintf(bytes, sizeof bytes, "%06X", static_cast<unsigned>(dtc));
      out += std::string{"| "} + name_of_dtc(dtc).c_str() + " | `" + bytes + "` | `" +
             name_of(cause) + "`";
      if (is_of_camera(cause)) out += ", camera " + std::to_string(camera);
      out += std::string{" | "} + meaning_of(cause) + " |\n";
    }
  }
  return out;
}

}  // namespace kerb::diagnostics
