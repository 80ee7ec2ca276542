// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/schema/problem.hpp"
#include "firmware/threads/real_time.hpp"
#include "firmware/types/alert_levels.hpp"
#include "firmware/types/camera_pair.hpp"
#include "firmware/types/decisions.hpp"
#include "firmware/types/limited_view.hpp"
#include "firmware/types/sensitivity.hpp"
#include "firmware/types/vehicle_layout.hpp"
#include "firmware/types/vehicle_limits.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/log.hpp"
#include "hal/camera_settings.hpp"
#include "hal/tone.hpp"

namespace kerb {

enum class VisionBackend : std::uint8_t { automatic, cpu, cuda };

enum class FusionMethod : std::uint8_t { advised, mean_shift, suppression };
/// The area that suppression divides an overlap by: the union of both boxes, or the smaller one.
enum class OverlapMeasure : std::uint8_t { advised, joint, smaller };

/// Whether the search is limited to people who stand on the road, by the camera's calibration.
enum class GroundUse : std::uint8_t { automatic, anywhere };

/// The picture that is searched: the camera's, or that of an upright camera in its place.
enum class DetectorView : std::uint8_t { automatic, plain, upright };

/// Detecting people: the model, where and how finely to search, and how hits are merged. What is
/// unset (or `advised`) is the model file's advice.
struct DetectorSettings {
  bool enabled = true;        ///< false: detection off
  std::string model;          ///< file; empty: the one that comes with the product, if it is there
  std::string grey_model;     ///< for cameras without colour, where `model` needs it; empty: the
                              ///< one beside it whose name ends in -grey, if it is there
  std::string thermal_model;  ///< for thermal cameras; empty: the one beside `model` whose name
                              ///< ends in -thermal, if it is there
  std::optional<double> threshold;
  std::optional<double> scale_step;
  std::optional<int> stride;      ///< pixels of a scaled picture
  std::optional<int> min_height;  ///< of a person, pixels
  int max_height = 0;             ///< 0: no limit
  std::optional<int> padding;     ///< pixels of a scaled picture
  FusionMethod fusion = FusionMethod::advised;
  std::optional<double> overlap;
  OverlapMeasure overlap_of = OverlapMeasure::advised;
  int min_hits = 1;
  int region_x = 0, region_y = 0, region_width = 0, region_height = 0;  ///< 0 wide or high: all
  DetectorView view = DetectorView::automatic;
  GroundUse ground = GroundUse::automatic;
  double ground_shortest_m = 0.9, ground_tallest_m = 2.1;
  double ground_slack_deg = 0.8;
  double ground_side_m = 6;
};

/// What is done to dark pictures before people are searched in them; see docs/night.md.
struct NightSettings {
  bool curve = false;     ///< brighten them
  int target = 64;        ///< grey value: darker pictures are dark, and brightened to this mean
  double max_gain = 4;    ///< of the darkest values
  double local = 0.5;     ///< share of the local curves
  bool filter = false;    ///< average each with the ones before it
  double strength = 0.8;  ///< weight of the past
  double noise_floor = 6, noise_slope = 0.05;  ///< variance: floor + slope * grey value
};

enum class FlowMethod : std::uint8_t { automatic, lucas_kanade, block_matching, points };

/// Optical flow from frame to frame.
struct FlowSettings {
  bool enabled = true;  ///< false: motion estimation off
  FlowMethod method = FlowMethod::automatic;
  int width = 640;    ///< of the picture it is measured in: wider ones are reduced
  int points = 1200;  ///< most vectors per frame
};

/// Telling people apart by the spectral bands of their clothes, where a camera has bands.
struct SpectralSettings {
  bool enabled = true;   ///< false: people are told apart by colour or grey
  double reach_nm = 20;  ///< mean distance at which two signatures have no likeness
};

/// Ego-motion: separating the car's own motion from objects that move.
struct EgoMotionSettings {
  double noise_px = 0.25;
  double aim_tolerance_deg = 8;
  double nearest_m = 2;
  double slope_deg = 0.6;
  double significance = 4;
  double walking_mps = 1;
};

/// The car that carries the cameras.
struct CarSettings {
  double width_m = 1.8;
  double length_m = 4.5;
  double axle_to_bumper_m = 3.6;  ///< from the rear axle to the front
};

struct WarningSettings {
  Sensitivity sensitivity = Sensitivity::normal;
};

enum class SpeedUnit : std::uint8_t { mps, kmh, mph };
enum class AngleUnit : std::uint8_t { radians, degrees };
enum class Side : std::uint8_t { left, right };

/// How a message of the vehicle is protected, and how often it comes.
struct VehicleMessageSettings {
  std::string name;
  int cycle_ms = 0;  ///< 0: as the DBC file says
  std::string counter;
  int counter_values = 0;  ///< 0: all that its bits can tell
  Checksum checksum = Checksum::none;
  std::string checksum_signal;
  std::optional<int> data_id;
};

/// Which signals of the vehicle's DBC file say what Kerbwatch needs. Signals are "MESSAGE.SIGNAL";
/// empty: the vehicle does not have it. Lists of numbers are separated by commas.
struct VehicleMapping {
  std::string dbc;  ///< file; empty: the layout of kerbwatch.dbc
  std::string speed, speed_valid, speed_backwards;
  SpeedUnit speed_unit = SpeedUnit::mps;
  std::string yaw_rate, yaw_rate_valid, yaw_rate_right;
  AngleUnit yaw_rate_unit = AngleUnit::radians;
  Side yaw_rate_positive = Side::left;
  std::string steering, steering_valid, steering_right;
  AngleUnit steering_unit = AngleUnit::radians;
  Side steering_positive = Side::left;
  double steering_ratio = 1;  ///< of the steering wheel's angle to that of the front wheels
  std::string turn_signal, turn_signal_off, turn_signal_left, turn_signal_right, turn_signal_hazard,
      turn_signal_none;
  std::string left_indicator, right_indicator;
  std::string gear, gear_park, gear_reverse, gear_neutral, gear_drive, gear_none;
  std::string off_button, confirm_button, ignition_cycle;
  std::string lamp_brightness, sound_volume;
  std::vector<VehicleMessageSettings> messages;
};

struct CanSettings {
  bool enabled = true;
  std::string interface = "can0";
  bool fd = false;       ///< open the interface for CAN FD, too; sent frames stay classic
  bool required = true;  ///< the state is not ACTIVE without the bus or the vehicle's speed
  VehicleLimits vehicle;
  VehicleMapping mapping;
  VehicleLayout layout = kerbwatch_layout();  ///< what `mapping` comes to
};

/// Pulses on the lamps' supply that make them darker.
struct DimmerSettings {
  bool enabled = false;
  std::string chip = "/sys/class/pwm/pwmchip0";
  int channel = -1;  ///< -1: not set
  double frequency_hz = 1000;
  bool active_low = false;
  double darkest = AlertLevelSettings{}.darkest;
};

struct LampSettings {
  bool enabled = false;  ///< free lines depend on the board: none is driven by default
  std::string chip = "/dev/gpiochip0";
  int warning_line = -1;  ///< -1: not set
  int status_line = -1;
  bool active_low = false;  ///< both lamps; each may be so alone, too
  bool warning_active_low = false;
  bool status_active_low = false;
  DimmerSettings dimmer;
  [[nodiscard]] bool warning_is_low() const noexcept { return active_low || warning_active_low; }
  [[nodiscard]] bool status_is_low() const noexcept { return active_low || status_active_low; }
};

struct ToneSettings {
  bool enabled = false;
  std::string device = "default";
  TonePattern collision{};
  double quietest = AlertLevelSettings{}.quietest;
  double night_volume = AlertLevelSettings{}.night_volume;
};

struct WatchdogSettings {
  bool enabled =
      false;  ///< an armed one restarts a desk, too. systemd's is used whenever it is there.
  std::string device = "/dev/watchdog";
  int timeout_s = 10;  ///< real time
};

struct ThermalSettings {
  bool enabled = true;
  std::string root = "/sys/class/thermal";
  double degraded_c = 90;
  double failed_c = 100;
  double hysteresis_c = 5;
};

struct HealthSettings {
  Nanos start = std::chrono::milliseconds{5000};  ///< longest time to the first frame: STARTING
  Nanos camera_silent = std::chrono::milliseconds{250};   ///< without a frame: DEGRADED
  Nanos camera_failed = std::chrono::milliseconds{1000};  ///< without a frame: FAILED
  /// Of a processing that finishes nothing while frames wait: FAILED.
  Nanos vision_stalled = std::chrono::milliseconds{300};
  /// Of a GPU that has worked and then fails on every frame: a new process is tried. Zero: never.
  Nanos vision_restart = std::chrono::milliseconds{3000};
  Nanos recover = std::chrono::milliseconds{1000};  ///< time without the fault before it ends
  double dropped_degraded_percent = 10;
  double damaged_degraded_percent = 5;
  Nanos frozen = std::chrono::milliseconds{240};  ///< of identical pictures
  /// How long a thermal camera may show nothing new, or its closed shutter, while it calibrates.
  Nanos shutter = std::chrono::milliseconds{1000};
  double blinded_mean = 245;                        ///< mean grey value, 0..255, and above
  double dark_mean = 4;                             ///< mean grey value, 0..255, and below
  double dirty_percent = 50;                        ///< of the picture that lost its detail
  double misaligned_deg = 2;                        ///< from the calibrated direction
  Nanos bus_lost = std::chrono::milliseconds{500};  ///< without a working bus
};

/// The time each stage may take for one frame.
struct BudgetSettings {
  Nanos capture = std::chrono::milliseconds{5};
  Nanos prepare = std::chrono::milliseconds{5};
  Nanos check = std::chrono::milliseconds{3};
  Nanos flow = std::chrono::milliseconds{4};
  Nanos detect = std::chrono::milliseconds{18};
  Nanos motion = std::chrono::milliseconds{3};
  Nanos spectral = std::chrono::milliseconds{4};
  Nanos track = std::chrono::milliseconds{2};
  Nanos publish = std::chrono::milliseconds{2};
};

struct EventSettings {
  bool enabled = true;
  std::string path = "/var/log/kerbwatch/events.jsonl";
  std::int64_t max_bytes = 1 << 20;  ///< of one file
  int files = 8;                     ///< the one being written and the older ones
};

enum class RecordWhat : std::uint8_t { warnings, collisions };

/// A record of each warning: the seconds before and after. See docs/records.md.
struct RecordSettings {
  bool enabled = true;
  std::string path = "/var/lib/kerbwatch/records";
  double before_s = 8, after_s = 4;
  int max_megabytes = 512;  ///< of all records together; the oldest are deleted
  bool pictures = true;
  RecordWhat what = RecordWhat::warnings;
};

/// What is tried at the start. See docs/health.md.
struct SelfTestSettings {
  bool enabled = true;
  Nanos lamp = std::chrono::milliseconds{500};  ///< red lamp lit, at most until the start is over
  Nanos tone{};                                 ///< likewise the sound
};

/// What outlives every start: counters, and the driver's off switch. See docs/diagnostics.md.
struct LifeSettings {
  bool enabled = true;
  std::string path = "/var/lib/kerbwatch/life";
  Nanos interval = std::chrono::seconds{60};  ///< between two writes
};

/// A workshop's access over ISO-TP. See docs/diagnostics.md.
struct DiagnosticsSettings {
  bool enabled = false;  ///< who may use which identifiers is the vehicle's to say
  std::uint32_t request_id = 0x7B6, response_id = 0x7BE, functional_id = 0x7DF;
  std::string path = "/var/lib/kerbwatch/dtc";
  std::string serial;  ///< empty: the board's own, if it tells
  std::string vin;     ///< empty: not known
};

/// How the system runs the threads; see docs/health.md.
struct ThreadsSettings {
  ThreadSettings control, capture, vision, log;
  bool lock_memory = false;
  [[nodiscard]] RealTimeSettings real_time() const {
    return {.of = {control, capture, vision, log}, .lock_memory = lock_memory};
  }
};

/// All that a user may set. Plain data with usable defaults; built by load_config() or by a test.
struct Config {
  double clock_rate = 1.0;                                ///< of SystemClock
  std::vector<CameraSettings> cameras{CameraSettings{}};  ///< 1..kMaxCameras, names differ
  std::vector<CameraPair> camera_pairs;                   ///< of these; for most cars none
  VisionBackend vision_backend = VisionBackend::automatic;
  int vision_threads =
      0;  ///< of each camera on the CPU; 0: the cores are shared between the cameras
  NightSettings night;
  DetectorSettings detector;
  FlowSettings flow;
  EgoMotionSettings ego;
  SpectralSettings spectral;
  CarSettings car;
  WarningSettings warning;
  DecisionSettings decisions;
  LimitedViewSettings limited_view;
  CanSettings can;
  LampSettings lamp;
  ToneSettings tone;
  WatchdogSettings watchdog;
  ThermalSettings thermal;
  HealthSettings health;
  BudgetSettings budget;
  ThreadsSettings threads;
  LogLevel log_level = LogLevel::info;
  EventSettings events;
  RecordSettings record;
  DiagnosticsSettings diagnostics;
  SelfTestSettings self_test;
  LifeSettings life;
  bool service_enabled = false;  ///< accepts KW_Service requests from the bus: lamp and sound tests
};

inline constexpr int kMaxCameras = 4;
inline constexpr int kMaxCameraPairs = kMaxCameras * (kMaxCameras - 1) / 2;

/// A configuration, or all that is wrong with it.
struct LoadResult {
  Config config;                          ///< the defaults, unless ok()
  std::vector<schema::Problem> problems;  ///< in the order of the file
  [[nodiscard]] bool ok() const noexcept { return problems.empty(); }
  /// One line each: "FILE:LINE:COL: camera[0].width = 20000: must be 64..4096 (pixels)". Printable
  /// characters only, whatever was in the file.
  [[nodiscard]] std::vector<std::string> lines() const;
};

/// Reads and checks a TOML file of at most 1 MiB. Nothing is thrown; whatever is wrong is a
/// Problem.
[[nodiscard]] LoadResult load_config(const std::string& path);
/// The same for a text; `name` replaces the file's name. Any bytes are handled.
[[nodiscard]] LoadResult parse_config(std::string_view text, const std::string& name);
/// The same, where the text does not say otherwise as in `base`.
[[nodiscard]] LoadResult change_config(const Config& base, std::string_view text,
                                       const std::string& name);

/// A complete file with every key of `config`, each with its comment. parse_config() takes it back.
[[nodiscard]] std::string render_config(const Config& config);
[[nodiscard]] std::string render_default_config();
/// The reference of all keys in Markdown: what docs/configuration.md holds between its two marks.
[[nodiscard]] std::string render_config_reference();

}  // namespace kerb
