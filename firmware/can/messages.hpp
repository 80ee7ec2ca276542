// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "firmware/types/health_state.hpp"
#include "firmware/types/self_test.hpp"
#include "firmware/types/vehicle_body.hpp"
#include "firmware/types/view.hpp"
#include "firmware/types/warning_level.hpp"

/// The messages of kerbwatch.dbc as plain data: SI units, nullopt for "signal not available".
/// Numbers of the enumerations are those on the bus: append, never renumber.
namespace kerb::can {

// Identifiers: 11 bits, classic frames of 8 bytes. To adapt to a vehicle, change these and the
// .dbc.
inline constexpr std::uint32_t kVehicleMotionId = 0x120;
inline constexpr std::uint32_t kWarningId = 0x220;
inline constexpr std::uint32_t kVehicleBodyId = 0x2A0;
inline constexpr std::uint32_t kObjectsId = 0x320;
inline constexpr std::uint32_t kDriverId = 0x2B0;
inline constexpr std::uint32_t kStatusId = 0x420;
inline constexpr std::uint32_t kReadyId = 0x428;
inline constexpr std::uint32_t kServiceId = 0x6B0;

// Part of the CRC of each message, but not of its bytes; independent of its identifier.
inline constexpr std::uint16_t kVehicleMotionDataId = 0x4B01;
inline constexpr std::uint16_t kVehicleBodyDataId = 0x4B02;
inline constexpr std::uint16_t kWarningDataId = 0x4B03;
inline constexpr std::uint16_t kObjectsDataId = 0x4B04;
inline constexpr std::uint16_t kStatusDataId = 0x4B05;
inline constexpr std::uint16_t kServiceDataId = 0x4B06;
inline constexpr std::uint16_t kReadyDataId = 0x4B07;
inline constexpr std::uint16_t kDriverDataId = 0x4B08;

/// KW_Status: ten times a second, and at once when the state changes.
struct StatusMessage {
  HealthReport health;            ///< its number: +-13107.1, steps of 0.1; NaN: not available
  bool detector_present = false;  ///< false: detection of people is off
  bool speed_valid = false;       ///< the vehicle's speed is known
  std::optional<double> camera_rate_hz;   ///< 0..126, steps of 1
  std::optional<double> dropped_percent;  ///< 0..100, steps of 1
  std::optional<double> board_celsius;    ///< -60..194, steps of 1
  std::uint8_t counter = 0;               ///< 0..15
};

/// KW_Warning: at once when it changes, every 50 ms while there is one and three times more, else
/// every 100 ms.
struct WarningMessage {
  WarningLevel level = WarningLevel::none;
  bool test = false;                          ///< requested by a workshop; no person is in danger
  std::optional<double> time_to_collision_s;  ///< 0..655.34, steps of 0.01
  std::optional<std::uint16_t> object_id;     ///< 0..65534, the person: an id of KW_Objects
  std::uint8_t counter = 0;                   ///< 0..15
};

/// KW_Ready: twice a second, and at once when it changes. Whether a warning would be given, and how
/// far people are seen.
struct ReadyMessage {
  Readiness readiness = Readiness::starting;
  std::optional<double> view_m;            ///< 0..127, steps of 0.5; ahead of the front bumper
  ViewLimit view_limit = ViewLimit::size;  ///< what ends the view; size where it is not known
  std::uint8_t counter = 0;                ///< 0..15
  SelfTestReport self_test{};              ///< at the start: the result of each part
};

inline constexpr int kMaxObjects = 15;
inline constexpr unsigned kObjectIds = 65535;  ///< 0..65534; 65535 means no particular person

/// One person of the object list, in the vehicle's frame: x forward from the front bumper, y to the
/// left.
struct ObjectMessage {
  std::uint16_t id = 0;            ///< 0..65534, kept as long as the person is tracked
  std::optional<double> x_m;       ///< 0..204.7, steps of 0.05
  std::optional<double> y_m;       ///< +-102.35, steps of 0.05
  std::optional<double> vx_mps;    ///< +-102.3 over ground, steps of 0.1
  std::optional<double> vy_mps;    ///< +-51.1 over ground, steps of 0.1
  std::optional<double> height_m;  ///< 0..5.08, steps of 0.02
  std::optional<double> age_s;     ///< 0..204.6 since first seen, steps of 0.1
};

/// VEH_Motion: the vehicle, every 20 ms.
struct VehicleMotion {
  std::optional<double> speed_mps;       ///< +-327.67, steps of 0.01; backwards is negative
  std::optional<double> yaw_rate_radps;  ///< +-16.3835, steps of 0.0005; to the left is positive
  std::uint8_t counter = 0;              ///< 0..15
  std::optional<double> steering_rad{};  ///< +-1.63835, steps of 0.00005; of the front wheels
};

/// VEH_Body: the vehicle, every 100 ms.
struct VehicleBody {
  TurnSignal turn_signal = TurnSignal::not_available;
  Gear gear = Gear::not_available;
  std::uint8_t counter = 0;  ///< 0..15
  /// Where the dials of the dashboard's brightness and of the volume are: 0..1, steps of 0.01.
  std::optional<double> lamp_brightness{}, sound_volume{};
};

/// VEH_Driver: the vehicle, every 100 ms where it has the buttons, and at once when one changes.
struct VehicleDriver {
  bool off_pressed = false;         ///< the button that switches warnings off, and on again
  bool confirm_pressed = false;     ///< the one that confirms it
  std::uint8_t counter = 0;         ///< 0..15
  std::uint8_t ignition_cycle = 0;  ///< 1..255, another with each ignition; 0: not counted
};

enum class ServiceRequest : std::uint8_t {
  stop = 0,  ///< end whatever test is running
  lamp_test = 1,
  sound_test = 2,
  warning_test = 3  ///< lamp, sound and KW_Warning (with its test flag) at the requested level
};

/// KW_Service: from a workshop tester, once for each request. Accepted only with service.enabled.
struct ServiceMessage {
  ServiceRequest request = ServiceRequest::stop;
  WarningLevel level = WarningLevel::none;
  double duration_s = 0;     ///< 0..25.4, steps of 0.1
  std::uint8_t counter = 0;  ///< 0..15
};

}  // namespace kerb::can
