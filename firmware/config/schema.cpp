// SPDX-License-Identifier: Apache-2.0
#include "firmware/config/schema.hpp"

#include <array>
#include <chrono>

#include "firmware/config/words.hpp"

namespace kerb::config {
namespace {

template <typename T>
Slot slot_of(T& field) {
  if constexpr (std::is_enum_v<T>)
    return EnumRef{
        &field, [](void* object, int number) { *static_cast<T*>(object) = static_cast<T>(number); },
        [](const void* object) { return static_cast<int>(*static_cast<const T*>(object)); }};
  else
    return &field;
}

// A function that finds a field: the table below needs a hundred of them.
#define KERB_FIELD(field) [](Config& c, std::size_t) -> Slot { return slot_of(c.field); }
#define KERB_CAMERA(field) \
  [](Config& c, std::size_t camera) -> Slot { return slot_of(c.cameras[camera].field); }

using SlotFunction = Slot (*)(Config&, std::size_t);

constexpr Key flag(const char* table, const char* name, const char* doc, SlotFunction slot) {
  return {table, name, Kind::boolean, 0, 0, "", {}, TextRule::printable, doc, slot};
}
constexpr Key integer(const char* table, const char* name, double low, double high,
                      const char* unit, const char* doc, SlotFunction slot) {
  return {table, name, Kind::integer, low, high, unit, {}, TextRule::printable, doc, slot};
}
constexpr Key number(const char* table, const char* name, double low, double high, const char* unit,
                     const char* doc, SlotFunction slot) {
  return {table, name, Kind::number, low, high, unit, {}, TextRule::printable, doc, slot};
}
constexpr Key text(const char* table, const char* name, double longest, TextRule rule,
                   const char* doc, SlotFunction slot) {
  return {table, name, Kind::text, 1, longest, "", {}, rule, doc, slot};
}
constexpr Key path(const char* table, const char* name, const char* doc, SlotFunction slot) {
  return text(table, name, 255, TextRule::printable, doc, slot);
}
/// A path that may be empty, which then means none.
constexpr Key path_or_none(const char* table, const char* name, const char* doc,
                           SlotFunction slot) {
  return {table, name, Kind::text, 0, 255, "", {}, TextRule::printable, doc, slot};
}
constexpr Key choice(const char* table, const char* name, std::span<const char* const> choices,
                     const char* doc, SlotFunction slot) {
  return {table, name, Kind::choice, 0, 0, "", choices, TextRule::printable, doc, slot};
}

// In the order of their enumerations.
constexpr const char* kSources[] = {"v4l2", "pattern", "folder", "video"};
constexpr const char* kMemories[] = {"auto", "userptr", "mmap"};
constexpr const char* kPaces[] = {"real", "recorded"};
constexpr const char* kBackends[] = {"auto", "cpu", "cuda"};
constexpr const char* kFusions[] = {"auto", "mean-shift", "suppression"};
constexpr const char* kFlows[] = {"auto", "lk", "ncc", "points"};
constexpr const char* kOverlaps[] = {"auto", "union", "smaller"};
constexpr const char* kRecords[] = {"warnings", "collisions"};
constexpr const char* kViews[] = {"auto", "plain", "upright"};
constexpr const char* kGrounds[] = {"auto", "anywhere"};
constexpr const char* kSensitivities[] = {"late", "normal", "early"};
constexpr const char* kLevels[] = {"debug", "info", "warning", "error"};
// A text in CameraSettings: the names of PixelFormat, and two more.
constexpr const char* kFormats[] = {"auto",   "mjpeg",  "grey8",   "grey10", "grey12",
                                    "grey16", "yuyv",   "uyvy",    "nv12",   "rgb24",
                                    "bgr24",  "bayer8", "bayer10", "bayer12"};

constexpr Table kTables[] = {
    {"clock", false, "Clock rate."},
    {"camera", true, "A camera, or a replacement for one. One table for each, at most four."},
    {"vision", false, "Where pictures are processed."},
    {"detector", false,
     "Detecting people. One model and one search for all cameras; see docs/kerblab.md for models."},
    {"flow", false, "Optical flow from frame to frame; see docs/motion.md."},
    {"ego", false,
     "Ego-motion: separating the car's own motion from objects that move; see docs/motion.md."},
    {"spectral", false,
     "Telling people apart by the spectral bands of their clothes; see docs/tracking.md."},
    {"car", false, "The car that carries the cameras."},
    {"warning", false, "When the driver is warned."},
    {"can", false, "The vehicle's bus."},
    {"can.vehicle", false, "Which of the vehicle's signals are accepted; see docs/can.md."},
    {"lamp", false, "The lamps, on lines of a GPIO chip."},
    {"tone", false, "The sound of a collision warning."},
    {"watchdog", false,
     "A hardware watchdog. systemd's is used whenever it is there, and needs no setting."},
    {"thermal", false, "The board's temperature."},
    {"health", false, "Limits for the states DEGRADED and FAILED, and for recovery."},
    {"budget", false, "Time that each stage may take for a frame."},
    {"log", false, "The text log on standard error."},
    {"events", false, "The event log: JSON lines in files of bounded size."},
    {"record", false, "Records of warnings; see docs/records.md."},
    {"service", false, "Tests that a workshop may request over the bus."},
};

constexpr Key kKeys[] = {
    number("clock", "rate", 0.01, 10, "s/s",
           "Product time per real time: 1 in a vehicle, less on an emulated board.",
           KERB_FIELD(clock_rate)),

    text("camera", "name", 32, TextRule::name, "Name in logs and events; unique.",
         KERB_CAMERA(name)),
    choice("camera", "source", kSources,
           "A V4L2 device, a test pattern, a folder of pictures or a video file.",
           KERB_CAMERA(kind)),
    path("camera", "device", "The device node, folder or file; unused by the pattern.",
         KERB_CAMERA(device)),
    integer("camera", "width", 64, 4096, "pixels",
            "Requested size of the pictures; recordings keep their own.", KERB_CAMERA(width)),
    integer("camera", "height", 64, 4096, "pixels",
            "Requested size of the pictures; recordings keep their own.", KERB_CAMERA(height)),
    number("camera", "rate_hz", 1, 240, "frames/s", "Requested frame rate.", KERB_CAMERA(rate_hz)),
    choice("camera", "format", kFormats, "Pixel format; auto takes the best the camera has.",
           KERB_CAMERA(format)),
    integer("camera", "mosaic", 0, 8, "pixels",
            "N of an N x N spectral filter pattern (2..8) over a grey or Bayer format; 0: none.",
            KERB_CAMERA(mosaic)),
    {"camera",
     "bands_nm",
     Kind::text,
     0,
     400,
     "",
     {},
     TextRule::printable,
     "Wavelengths of the mosaic's bands, row by row, separated by commas (above 3000: thermal); "
     "empty: unknown, and the bands count as equally spaced.",
     KERB_CAMERA(bands_nm)},
    integer("camera", "exposure_us", 1, 1000000, "us", "Exposure time; unset: automatic.",
            KERB_CAMERA(exposure_us)),
    integer("camera", "gain", 0, 1000000, "camera's steps", "Gain; unset: automatic.",
            KERB_CAMERA(gain)),
    integer("camera", "buffers", 2, 16, "frames",
            "Frame buffers that the camera may fill in advance.", KERB_CAMERA(buffers)),
    choice("camera", "memory", kMemories,
           "Memory that a V4L2 camera fills: Kerbwatch's (userptr) or the driver's (mmap).",
           KERB_CAMERA(memory)),
    choice("camera", "pace", kPaces,
           "real: frames of a recording come at their time; recorded: each as soon as it is "
           "requested.",
           KERB_CAMERA(pace)),
    flag("camera", "loop", "Recordings start again at their end.", KERB_CAMERA(loop)),
    number("camera", "fov_deg", 5, 170, "degrees", "Horizontal angle of view.",
           KERB_CAMERA(fov_deg)),
    number("camera", "focal_px", 50, 20000, "pixels", "Focal length in pixels; replaces fov_deg.",
           KERB_CAMERA(focal_px)),
    number("camera", "center_x", 0, 4096, "pixels",
           "Column of the optical axis; unset: the middle of the picture.", KERB_CAMERA(center_x)),
    number("camera", "center_y", 0, 4096, "pixels",
           "Row of the optical axis; unset: the middle of the picture.", KERB_CAMERA(center_y)),
    number("camera", "height_m", 0.1, 10, "m", "Height of the camera above the road.",
           KERB_CAMERA(height_m)),
    number("camera", "pitch_deg", -45, 45, "degrees", "Pitch of the camera; upwards is positive.",
           KERB_CAMERA(pitch_deg)),
    number("camera", "yaw_deg", -45, 45, "degrees", "Yaw of the camera; to the left is positive.",
           KERB_CAMERA(yaw_deg)),
    number("camera", "roll_deg", -45, 45, "degrees",
           "Roll of the camera; right side down is positive.", KERB_CAMERA(roll_deg)),
    number("camera", "ahead_m", -20, 20, "m", "Distance of the camera ahead of the rear axle.",
           KERB_CAMERA(ahead_m)),
    number("camera", "left_m", -3, 3, "m",
           "Distance of the camera to the left of the car's middle.", KERB_CAMERA(left_m)),
    number("camera", "pitch_sigma_deg", 0.01, 10, "degrees", "Standard deviation of pitch_deg.",
           KERB_CAMERA(pitch_sigma_deg)),
    number("camera", "k1", -5, 5, "",
           "Lens distortion as in OpenCV: radial, second order; see docs/calibration.md.",
           KERB_CAMERA(k1)),
    number("camera", "k2", -5, 5, "", "Radial distortion, fourth order.", KERB_CAMERA(k2)),
    number("camera", "k3", -5, 5, "", "Radial distortion, sixth order.", KERB_CAMERA(k3)),
    number("camera", "p1", -1, 1, "", "Tangential distortion, vertical.", KERB_CAMERA(p1)),
    number("camera", "p2", -1, 1, "", "Tangential distortion, horizontal.", KERB_CAMERA(p2)),

    choice("vision", "backend", kBackends, "auto: CUDA where there is a GPU, otherwise the CPU.",
           KERB_FIELD(vision_backend)),
    integer("vision", "threads", 0, 64, "threads",
            "CPU threads for each camera; 0: the cores are shared between the cameras.",
            KERB_FIELD(vision_threads)),

    flag("detector", "enabled", "Detect people.", KERB_FIELD(detector.enabled)),
    path_or_none("detector", "model",
                 "Model file; empty: default.kwm of the models that come with Kerbwatch.",
                 KERB_FIELD(detector.model)),
    path_or_none("detector", "grey_model",
                 "Model for cameras without colour, where detector.model needs colour; empty: the "
                 "file beside it whose name ends in -grey.kwm.",
                 KERB_FIELD(detector.grey_model)),
    number("detector", "threshold", -1000, 1000, "score",
           "Lowest score of a detection. Higher: fewer people, fewer errors. Unset: the model's "
           "threshold less its tracking margin, because the tracker removes errors.",
           KERB_FIELD(detector.threshold)),
    number("detector", "scale_step", 1.01, 2, "",
           "Ratio between neighbouring sizes of the search; unset: the model's advice on CUDA; "
           "1.15 on the CPU to save time (1.08 in an upright view, which is small).",
           KERB_FIELD(detector.scale_step)),
    integer("detector", "stride", 1, 64, "pixels",
            "Step between windows, in the scaled picture; unset: the model's advice.",
            KERB_FIELD(detector.stride)),
    integer("detector", "min_height", 0, 4096, "pixels",
            "Height of the smallest person in the searched view; less than the model's height "
            "enlarges the picture. 0: the model's. Unset: 40 for a camera that looks along the "
            "road, 64 in an upright view, otherwise the model's.",
            KERB_FIELD(detector.min_height)),
    integer("detector", "max_height", 0, 4096, "pixels",
            "Height of the tallest person; 0: no limit.", KERB_FIELD(detector.max_height)),
    integer("detector", "padding", 0, 256, "pixels",
            "How far a window may extend beyond the scaled picture, for people at its edge; unset: "
            "the model's advice.",
            KERB_FIELD(detector.padding)),
    choice("detector", "fusion", kFusions,
           "How several hits of one person are merged; auto: the model's advice.",
           KERB_FIELD(detector.fusion)),
    number("detector", "overlap", 0, 1, "",
           "Suppression: boxes that overlap by more than this are one person; unset: the model's "
           "advice.",
           KERB_FIELD(detector.overlap)),
    choice("detector", "overlap_of", kOverlaps,
           "Suppression: overlap relative to the union or to the smaller box; auto: the model's "
           "advice.",
           KERB_FIELD(detector.overlap_of)),
    integer("detector", "min_hits", 1, 1000, "windows", "Fewest hits of a person.",
            KERB_FIELD(detector.min_hits)),
    integer("detector", "region_x", 0, 4096, "pixels", "Left edge of the searched region.",
            KERB_FIELD(detector.region_x)),
    integer("detector", "region_y", 0, 4096, "pixels", "Top edge of the searched region.",
            KERB_FIELD(detector.region_y)),
    integer("detector", "region_width", 0, 4096, "pixels",
            "Width of the searched region; 0: all columns.", KERB_FIELD(detector.region_width)),
    integer("detector", "region_height", 0, 4096, "pixels",
            "Height of the searched region; 0: all rows.", KERB_FIELD(detector.region_height)),
    choice("detector", "view", kViews,
           "plain: search the camera's picture; upright: search the picture projected as from an "
           "upright camera; auto: upright where the camera does not look along the road (pitch "
           "beyond 12 degrees, roll beyond 6, strong distortion).",
           KERB_FIELD(detector.view)),
    choice("detector", "ground", kGrounds,
           "auto: search only where people can stand on the road, within ground_side_m (not in the "
           "plain view of a camera that does not look along the road); anywhere: search the whole "
           "picture.",
           KERB_FIELD(detector.ground)),
    number("detector", "ground_shortest_m", 0.3, 3, "m",
           "Height of the shortest person on the road.", KERB_FIELD(detector.ground_shortest_m)),
    number("detector", "ground_tallest_m", 0.3, 3, "m", "Height of the tallest person on the road.",
           KERB_FIELD(detector.ground_tallest_m)),
    number("detector", "ground_slack_deg", 0, 20, "degrees",
           "Tolerance up and down, for errors of the pitch, slopes and kerbs.",
           KERB_FIELD(detector.ground_slack_deg)),
    number("detector", "ground_side_m", 0, 100, "m",
           "Largest distance to the side of straight ahead that is searched; 0: no limit.",
           KERB_FIELD(detector.ground_side_m)),

    flag("flow", "enabled", "Estimate motion.", KERB_FIELD(flow.enabled)),
    choice("flow", "method", kFlows,
           "lk: dense Lucas-Kanade; ncc: dense block matching; points: Lucas-Kanade at corners; "
           "auto: points on the CPU, lk on CUDA.",
           KERB_FIELD(flow.method)),
    integer("flow", "width", 64, 4096, "pixels",
            "Wider pictures are reduced by a whole factor before flow is measured.",
            KERB_FIELD(flow.width)),
    integer("flow", "points", 100, 2048, "points", "Most motion vectors per frame.",
            KERB_FIELD(flow.points)),

    number("ego", "noise_px", 0.02, 5, "pixels",
           "Standard deviation of a good motion vector, in pixels of the camera's picture.",
           KERB_FIELD(ego.noise_px)),
    number("ego", "aim_tolerance_deg", 0.5, 30, "degrees",
           "Largest angle between the direction of travel and that of pitch_deg and yaw_deg.",
           KERB_FIELD(ego.aim_tolerance_deg)),
    number("ego", "nearest_m", 0.2, 20, "m", "Nearest distance of standing objects in the picture.",
           KERB_FIELD(ego.nearest_m)),
    number("ego", "slope_deg", 0, 10, "degrees", "Largest rise of the road ahead.",
           KERB_FIELD(ego.slope_deg)),
    number("ego", "significance", 2, 20, "standard deviations",
           "Residual from which an object counts as moving. Higher: fewer moving objects, fewer "
           "errors.",
           KERB_FIELD(ego.significance)),
    number("ego", "walking_mps", 0.2, 3, "m/s",
           "Speed across the view that must be measurable before a person counts as standing.",
           KERB_FIELD(ego.walking_mps)),

    flag("spectral", "enabled",
         "Use the bands of cameras with a mosaic; false: people are told apart by shades of grey.",
         KERB_FIELD(spectral.enabled)),
    number("spectral", "reach_nm", 5, 1000, "nm",
           "Mean earth mover's distance at which the likeness to a person's clothes becomes 0.",
           KERB_FIELD(spectral.reach_nm)),

    number("car", "width_m", 0.5, 3, "m", "Width of the car without mirrors.",
           KERB_FIELD(car.width_m)),
    number("car", "length_m", 0.5, 20, "m", "Length of the car from bumper to bumper.",
           KERB_FIELD(car.length_m)),
    number("car", "axle_to_bumper_m", 0, 15, "m",
           "Distance from the rear axle to the front bumper.", KERB_FIELD(car.axle_to_bumper_m)),

    choice("warning", "sensitivity", kSensitivities, "How early the driver is warned.",
           KERB_FIELD(warning.sensitivity)),

    flag("can", "enabled", "Use the bus.", KERB_FIELD(can.enabled)),
    text("can", "interface", 15, TextRule::interface, "Network interface, as ip link shows it.",
         KERB_FIELD(can.interface)),
    flag("can", "fd", "Open the interface for CAN FD, too; Kerbwatch sends classic frames only.",
         KERB_FIELD(can.fd)),
    flag("can", "required", "The state is not ACTIVE without the bus or the vehicle's speed.",
         KERB_FIELD(can.required)),

    integer("can.vehicle", "motion_stale_ms", 20, 5000, "ms",
            "Speed and yaw rate are stale after this time without a good message.",
            KERB_FIELD(can.vehicle.motion_stale)),
    integer("can.vehicle", "body_stale_ms", 100, 10000, "ms",
            "Turn signal and gear are stale after this time without a good message.",
            KERB_FIELD(can.vehicle.body_stale)),
    number("can.vehicle", "speed_min_mps", -50, 0, "m/s", "A lower speed is implausible.",
           KERB_FIELD(can.vehicle.speed_min_mps)),
    number("can.vehicle", "speed_max_mps", 10, 150, "m/s", "A higher speed is implausible.",
           KERB_FIELD(can.vehicle.speed_max_mps)),
    number("can.vehicle", "yaw_rate_max_radps", 0.1, 10, "rad/s",
           "A faster turn, either way, is implausible.",
           KERB_FIELD(can.vehicle.yaw_rate_max_radps)),
    number("can.vehicle", "acceleration_max_mps2", 1, 100, "m/s2",
           "A faster change of speed, either way, is implausible.",
           KERB_FIELD(can.vehicle.acceleration_max_mps2)),
    number("can.vehicle", "yaw_acceleration_max_radps2", 1, 100, "rad/s2",
           "A faster change of yaw rate, either way, is implausible.",
           KERB_FIELD(can.vehicle.yaw_acceleration_max_radps2)),
    integer("can.vehicle", "recover_messages", 1, 50, "messages",
            "Consecutive good messages that end a signal's fault.",
            KERB_FIELD(can.vehicle.recover_messages)),

    flag("lamp", "enabled", "Drive the lamps. First find two free lines with gpioinfo.",
         KERB_FIELD(lamp.enabled)),
    path("lamp", "chip", "GPIO character device.", KERB_FIELD(lamp.chip)),
    integer("lamp", "warning_line", 0, 1023, "line", "The red lamp: warnings.",
            KERB_FIELD(lamp.warning_line)),
    integer("lamp", "status_line", 0, 1023, "line", "The amber lamp: on unless ACTIVE.",
            KERB_FIELD(lamp.status_line)),
    flag("lamp", "active_low", "A low level lights the lamp.", KERB_FIELD(lamp.active_low)),

    flag("tone", "enabled", "Sound the warning.", KERB_FIELD(tone.enabled)),
    text("tone", "device", 255, TextRule::printable, "ALSA device, as aplay -L lists them.",
         KERB_FIELD(tone.device)),
    number("tone", "frequency_hz", 800, 8000, "Hz", "Fundamental of the tone.",
           KERB_FIELD(tone.collision.frequency_hz)),
    number("tone", "pulses_per_s", 6, 12, "1/s", "Pulses in a second.",
           KERB_FIELD(tone.collision.pulses_per_s)),
    number("tone", "duty", 0.25, 0.95, "", "Share of a pulse's period that sounds.",
           KERB_FIELD(tone.collision.duty)),
    number("tone", "volume", 0.01, 1, "", "Share of full scale.",
           KERB_FIELD(tone.collision.volume)),

    flag("watchdog", "enabled", "Arm the device: the board restarts when Kerbwatch hangs.",
         KERB_FIELD(watchdog.enabled)),
    path("watchdog", "device", "Watchdog device.", KERB_FIELD(watchdog.device)),
    integer("watchdog", "timeout_s", 1, 300, "s",
            "The board restarts after this time without a signal; real time.",
            KERB_FIELD(watchdog.timeout_s)),

    flag("thermal", "enabled", "Monitor the temperature.", KERB_FIELD(thermal.enabled)),
    path("thermal", "root", "Folder of the thermal zones.", KERB_FIELD(thermal.root)),
    number("thermal", "degraded_c", 30, 150, "degC", "DEGRADED from here.",
           KERB_FIELD(thermal.degraded_c)),
    number("thermal", "failed_c", 30, 150, "degC", "FAILED from here.",
           KERB_FIELD(thermal.failed_c)),
    number("thermal", "hysteresis_c", 0, 30, "degC",
           "Hysteresis: the fault ends this far below its limit.",
           KERB_FIELD(thermal.hysteresis_c)),

    integer("health", "start_ms", 100, 60000, "ms",
            "Longest time to the first frame; until then the state is STARTING.",
            KERB_FIELD(health.start)),
    integer("health", "camera_silent_ms", 20, 5000, "ms", "Time without a frame: DEGRADED.",
            KERB_FIELD(health.camera_silent)),
    integer("health", "camera_failed_ms", 50, 60000, "ms", "Time without a frame: FAILED.",
            KERB_FIELD(health.camera_failed)),
    integer("health", "recover_ms", 0, 60000, "ms",
            "Time without the fault, unbroken, before it ends.", KERB_FIELD(health.recover)),
    number("health", "dropped_degraded_percent", 0.1, 100, "%",
           "Share of dropped frames: DEGRADED.", KERB_FIELD(health.dropped_degraded_percent)),
    number("health", "damaged_degraded_percent", 0.1, 100, "%",
           "Share of corrupt frames: DEGRADED.", KERB_FIELD(health.damaged_degraded_percent)),
    integer("health", "frozen_ms", 50, 60000, "ms", "Time of identical pictures: DEGRADED.",
            KERB_FIELD(health.frozen)),
    number("health", "blinded_mean", 1, 255, "grey value",
           "Mean of the picture at or above: DEGRADED.", KERB_FIELD(health.blinded_mean)),
    number("health", "dark_mean", 0, 254, "grey value",
           "Mean of the picture at or below: DEGRADED.", KERB_FIELD(health.dark_mean)),
    number("health", "dirty_percent", 10, 100, "%",
           "Share of the picture that suddenly lost its detail: DEGRADED.",
           KERB_FIELD(health.dirty_percent)),
    number("health", "misaligned_deg", 1, 30, "degrees",
           "Angle between the camera's direction and its calibration: DEGRADED.",
           KERB_FIELD(health.misaligned_deg)),
    integer("health", "bus_lost_ms", 50, 60000, "ms",
            "Time without a working bus: DEGRADED, if can.required.", KERB_FIELD(health.bus_lost)),

    number("budget", "capture_ms", 0.01, 1000, "ms", "Getting a frame from the camera.",
           KERB_FIELD(budget.capture)),
    number("budget", "prepare_ms", 0.01, 1000, "ms",
           "Converting the raw picture to grey and bands.", KERB_FIELD(budget.prepare)),
    number("budget", "check_ms", 0.01, 1000, "ms",
           "Checking for a frozen, blinded, dark, dirty or misaligned camera.",
           KERB_FIELD(budget.check)),
    number("budget", "flow_ms", 0.01, 1000, "ms",
           "Optical flow, on average; where it takes longer, frames are skipped.",
           KERB_FIELD(budget.flow)),
    number("budget", "detect_ms", 0.01, 1000, "ms", "Detecting people.", KERB_FIELD(budget.detect)),
    number("budget", "motion_ms", 0.01, 1000, "ms", "Ego-motion and who moves.",
           KERB_FIELD(budget.motion)),
    number("budget", "spectral_ms", 0.01, 1000, "ms",
           "Spectral search, on average; where it takes longer, frames are skipped.",
           KERB_FIELD(budget.spectral)),
    number("budget", "track_ms", 0.01, 1000, "ms", "Tracking people and predicting contacts.",
           KERB_FIELD(budget.track)),
    number("budget", "publish_ms", 0.01, 1000, "ms", "Sending to bus, lamps and sound.",
           KERB_FIELD(budget.publish)),

    choice("log", "level", kLevels, "Lowest level that is written.", KERB_FIELD(log_level)),

    flag("events", "enabled", "Write the event log.", KERB_FIELD(events.enabled)),
    path("events", "path", "The current file; older ones are named .1, .2 ...",
         KERB_FIELD(events.path)),
    integer("events", "max_bytes", 16 << 10, 64 << 20, "bytes", "Largest size of one file.",
            KERB_FIELD(events.max_bytes)),
    integer("events", "files", 1, 100, "files", "Files kept, with the current one.",
            KERB_FIELD(events.files)),

    flag("record", "enabled", "Write records.", KERB_FIELD(record.enabled)),
    path("record", "path", "Folder of the records; created if missing.", KERB_FIELD(record.path)),
    number("record", "before_s", 1, 60, "s", "Recorded time before the warning.",
           KERB_FIELD(record.before_s)),
    number("record", "after_s", 0, 60, "s", "Recorded time after the end of the warning.",
           KERB_FIELD(record.after_s)),
    integer("record", "max_megabytes", 8, 1 << 20, "MiB",
            "Size of all records together; the oldest are deleted for a new one.",
            KERB_FIELD(record.max_megabytes)),
    flag("record", "pictures", "Include small pictures, several per second.",
         KERB_FIELD(record.pictures)),
    choice("record", "what", kRecords, "Record all warnings, or only collision warnings.",
           KERB_FIELD(record.what)),

    flag("service", "enabled", "Obey KW_Service: lamp and sound tests. Leave it off in traffic.",
         KERB_FIELD(service_enabled)),
};
#undef KERB_FIELD
#undef KERB_CAMERA

std::string range_text(const Key& key) {
  std::string out = decimal(key.low) + ".." + decimal(key.high);
  if (*key.unit != '\0') out.append(" (").append(key.unit).append(")");
  return out;
}

std::string text_rule(const Key& key) {
  const std::string length = decimal(key.low) + ".." + decimal(key.high);
  switch (key.text_rule) {
    case TextRule::name:
      return length + " letters, digits, '-' or '_'";
    case TextRule::interface:
      return length + " characters without blanks and '/'";
    case TextRule::printable:
      break;
  }
  return length + " printable characters";
}

template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace

std::span<const Table> tables() { return kTables; }
std::span<const Key> keys() { return kKeys; }

const Table* find_table(std::string_view name) {
  for (const Table& table : kTables)
    if (name == table.name) return &table;
  return nullptr;
}

const Key* find_key(std::string_view table, std::string_view name) {
  for (const Key& key : kKeys)
    if (table == key.table && name == key.name) return &key;
  return nullptr;
}

std::string allowed(const Key& key) {
  switch (key.kind) {
    case Kind::boolean:
      return "true or false";
    case Kind::integer:
    case Kind::number:
      return range_text(key);
    case Kind::text:
      return text_rule(key);
    case Kind::choice:
      break;
  }
  std::string out = "one of ";
  for (const char* name : key.choices) {
    if (name != key.choices.front()) out += ", ";
    out += name;
  }
  return out;
}

const char* type_name(Kind kind) {
  constexpr const char* kNames[] = {"boolean", "integer", "number", "text", "text"};
  return kNames[static_cast<int>(kind)];
}

std::string value_text(const Key& key, const Config& config, std::size_t camera) {
  // Slots point into something that may be written to; reading through them leaves it as it is.
  const Slot slot = key.slot(const_cast<Config&>(config), camera);
  return std::visit(
      Overloaded{
          [](const bool* value) { return std::string{*value ? "true" : "false"}; },
          [](const int* value) { return std::to_string(*value); },
          [](const std::int64_t* value) { return std::to_string(*value); },
          [](const double* value) { return decimal(*value); },
          [](const std::string* value) { return quoted(*value, std::string::npos); },
          [](const Nanos* value) {
            return decimal(std::chrono::duration<double, std::milli>{*value}.count());
          },
          [](const std::optional<int>* value) {
            return *value ? std::to_string(**value) : std::string{};
          },
          [](const std::optional<double>* value) {
            return *value ? decimal(**value) : std::string{};
          },
          [&](const EnumRef& value) {
            return '"' +
                   std::string{key.choices[static_cast<std::size_t>(value.get(value.object))]} +
                   '"';
          },
      },
      slot);
}

}  // namespace kerb::config
