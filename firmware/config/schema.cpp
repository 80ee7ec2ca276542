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
    {"clock", false, "How fast time runs."},
    {"camera", true, "A camera, or what stands in for one; once for each, at most four."},
    {"vision", false, "Where pictures are worked on."},
    {"detector", false,
     "Finding people. One model and one search for all cameras; see docs/kerblab.md for models."},
    {"flow", false, "Motion in the picture from frame to frame; see docs/motion.md."},
    {"ego", false,
     "What of the motion is the car's own, and what moves by itself; see docs/motion.md."},
    {"spectral", false,
     "Telling people apart by the bands of what they wear; see docs/tracking.md."},
    {"car", false, "The car the cameras sit in."},
    {"warning", false, "When the driver is warned."},
    {"can", false, "The vehicle's bus."},
    {"can.vehicle", false, "What is believed of the vehicle's signals; see docs/can.md."},
    {"lamp", false, "The lamps, on lines of a GPIO chip."},
    {"tone", false, "The sound of a collision warning."},
    {"watchdog", false,
     "A hardware watchdog. systemd's is used whenever it is there, and needs no setting."},
    {"thermal", false, "The board's temperature."},
    {"health", false, "When the state is DEGRADED or FAILED, and when it is good again."},
    {"budget", false, "The time each stage may take for a frame."},
    {"log", false, "Lines for people, on standard error."},
    {"events", false, "The event log: JSON lines in files of bounded size."},
    {"record", false, "A record of every warning, for later; see docs/records.md."},
    {"service", false, "Tests a workshop may ask for over the bus."},
};

constexpr Key kKeys[] = {
    number("clock", "rate", 0.01, 10, "s/s",
           "Seconds of the product's time in a second of life; 1 in a vehicle, less on an emulated "
           "board.",
           KERB_FIELD(clock_rate)),

    text("camera", "name", 32, TextRule::name, "What logs and events call it; no two the same.",
         KERB_CAMERA(name)),
    choice("camera", "source", kSources,
           "A V4L2 device, a test pattern, a folder of pictures or a video file.",
           KERB_CAMERA(kind)),
    path("camera", "device", "The device node, folder or file; unused by the pattern.",
         KERB_CAMERA(device)),
    integer("camera", "width", 64, 4096, "pixels", "Recordings keep their own size.",
            KERB_CAMERA(width)),
    integer("camera", "height", 64, 4096, "pixels", "Recordings keep their own size.",
            KERB_CAMERA(height)),
    number("camera", "rate_hz", 1, 240, "frames/s", "Frame rate asked for.", KERB_CAMERA(rate_hz)),
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
     "Wavelengths of the mosaic's bands, row by row, parted by commas (beyond 3000 it is heat); "
     "empty: not known, and each is as far from its neighbours.",
     KERB_CAMERA(bands_nm)},
    integer("camera", "exposure_us", 1, 1000000, "us", "Exposure time; unset: automatic.",
            KERB_CAMERA(exposure_us)),
    integer("camera", "gain", 0, 1000000, "camera's steps", "Gain; unset: automatic.",
            KERB_CAMERA(gain)),
    integer("camera", "buffers", 2, 16, "frames", "Frames the camera may fill ahead of us.",
            KERB_CAMERA(buffers)),
    choice("camera", "memory", kMemories,
           "Whose memory a V4L2 camera fills: ours (userptr) or the driver's (mmap).",
           KERB_CAMERA(memory)),
    choice("camera", "pace", kPaces,
           "A recording's frames as the clock has them due, or each as soon as it is asked for.",
           KERB_CAMERA(pace)),
    flag("camera", "loop", "Recordings start again at their end.", KERB_CAMERA(loop)),
    number("camera", "fov_deg", 5, 170, "degrees", "Angle of view from the left edge to the right.",
           KERB_CAMERA(fov_deg)),
    number("camera", "focal_px", 50, 20000, "pixels",
           "Focal length in pixels of the picture, where it is known better than fov_deg.",
           KERB_CAMERA(focal_px)),
    number("camera", "center_x", 0, 4096, "pixels",
           "Column of the lens's axis; unset: the picture's middle.", KERB_CAMERA(center_x)),
    number("camera", "center_y", 0, 4096, "pixels",
           "Row of the lens's axis; unset: the picture's middle.", KERB_CAMERA(center_y)),
    number("camera", "height_m", 0.1, 10, "m", "The camera above the road.", KERB_CAMERA(height_m)),
    number("camera", "pitch_deg", -45, 45, "degrees", "It looks upwards by so much.",
           KERB_CAMERA(pitch_deg)),
    number("camera", "yaw_deg", -45, 45, "degrees", "It looks to the left by so much.",
           KERB_CAMERA(yaw_deg)),
    number("camera", "roll_deg", -45, 45, "degrees", "Its right side is down by so much.",
           KERB_CAMERA(roll_deg)),
    number("camera", "ahead_m", -20, 20, "m", "The camera ahead of the rear axle.",
           KERB_CAMERA(ahead_m)),
    number("camera", "left_m", -3, 3, "m", "The camera to the left of the car's middle.",
           KERB_CAMERA(left_m)),
    number("camera", "pitch_sigma_deg", 0.01, 10, "degrees",
           "How well pitch_deg is known: its standard deviation.", KERB_CAMERA(pitch_sigma_deg)),
    number("camera", "k1", -5, 5, "",
           "The lens's distortion, as OpenCV's: radial, of the second power; see "
           "docs/calibration.md.",
           KERB_CAMERA(k1)),
    number("camera", "k2", -5, 5, "", "Of the fourth power.", KERB_CAMERA(k2)),
    number("camera", "k3", -5, 5, "", "Of the sixth power.", KERB_CAMERA(k3)),
    number("camera", "p1", -1, 1, "", "Tangential, upwards and downwards.", KERB_CAMERA(p1)),
    number("camera", "p2", -1, 1, "", "Tangential, sideways.", KERB_CAMERA(p2)),

    choice("vision", "backend", kBackends, "auto takes the GPU where there is one.",
           KERB_FIELD(vision_backend)),
    integer("vision", "threads", 0, 64, "threads",
            "For each camera where the CPU does the work; 0: the cores, shared between cameras.",
            KERB_FIELD(vision_threads)),

    flag("detector", "enabled", "Look for people.", KERB_FIELD(detector.enabled)),
    path_or_none("detector", "model",
                 "Model file; empty: default.kwm of the models that come with Kerbwatch.",
                 KERB_FIELD(detector.model)),
    path_or_none("detector", "grey_model",
                 "For cameras without colour, should the model look at it; empty: the file beside "
                 "it whose name ends in -grey.kwm.",
                 KERB_FIELD(detector.grey_model)),
    number(
        "detector", "threshold", -1000, 1000, "score",
        "A window counts from this score on; higher finds fewer people and errs less; unset: 4.6 "
        "below what the model advises for single pictures, for the tracker to sort out.",
        KERB_FIELD(detector.threshold)),
    number("detector", "scale_step", 1.01, 2, "",
           "From one size of person looked for to the next; unset: as the model advises on CUDA, "
           "1.15 on the CPU, which has less time (1.08 in an upright view, which is small).",
           KERB_FIELD(detector.scale_step)),
    integer("detector", "stride", 1, 64, "pixels",
            "From one window to the next, in the scaled picture; unset: as the model advises.",
            KERB_FIELD(detector.stride)),
    integer(
        "detector", "min_height", 0, 4096, "pixels",
        "Smallest person, in the view they are looked for in; less than the model's enlarges the "
        "picture; 0: the model's; unset: 40 for a camera that looks along the road, 64 for the "
        "upright view of one that looks down, else the model's.",
        KERB_FIELD(detector.min_height)),
    integer("detector", "max_height", 0, 4096, "pixels", "Tallest person; 0: no limit.",
            KERB_FIELD(detector.max_height)),
    integer("detector", "padding", 0, 256, "pixels",
            "How far a window may stand out of the scaled picture, for people at its edge; unset: "
            "as the model advises.",
            KERB_FIELD(detector.padding)),
    choice("detector", "fusion", kFusions,
           "How the hits of one person become one; auto: as the model advises.",
           KERB_FIELD(detector.fusion)),
    number("detector", "overlap", 0, 1, "",
           "Suppression: boxes that share more than this are one person; unset: as the model "
           "advises.",
           KERB_FIELD(detector.overlap)),
    choice("detector", "overlap_of", kOverlaps,
           "Suppression: what is shared is measured against the union, or the smaller of both; "
           "auto: as the model advises.",
           KERB_FIELD(detector.overlap_of)),
    integer("detector", "min_hits", 1, 1000, "windows", "A person needs so many.",
            KERB_FIELD(detector.min_hits)),
    integer("detector", "region_x", 0, 4096, "pixels", "Left edge of where people are looked for.",
            KERB_FIELD(detector.region_x)),
    integer("detector", "region_y", 0, 4096, "pixels", "Top edge of where people are looked for.",
            KERB_FIELD(detector.region_y)),
    integer("detector", "region_width", 0, 4096, "pixels", "0: all columns.",
            KERB_FIELD(detector.region_width)),
    integer("detector", "region_height", 0, 4096, "pixels", "0: all rows.",
            KERB_FIELD(detector.region_height)),
    choice(
        "detector", "view", kViews,
        "plain: people are looked for in the camera's picture; upright: in what a camera in its "
        "place that stands upright would see; auto: upright where the camera does not look along "
        "the road (pitch beyond 12 degrees, roll beyond 6, strong distortion).",
        KERB_FIELD(detector.view)),
    choice("detector", "ground", kGrounds,
           "auto: people who would float or be buried are not looked for, nor who is far to the "
           "side (not in the plain picture of a camera that does not look along the road); "
           "anywhere: all of the picture.",
           KERB_FIELD(detector.ground)),
    number("detector", "ground_shortest_m", 0.3, 3, "m", "Shortest person on the ground plane.",
           KERB_FIELD(detector.ground_shortest_m)),
    number("detector", "ground_tallest_m", 0.3, 3, "m", "Tallest person on the ground plane.",
           KERB_FIELD(detector.ground_tallest_m)),
    number("detector", "ground_slack_deg", 0, 20, "degrees",
           "Allowed up and down, for pitch, slopes and kerbs.",
           KERB_FIELD(detector.ground_slack_deg)),
    number("detector", "ground_side_m", 0, 100, "m",
           "Nobody farther to the side of straight ahead is looked for; 0: no limit.",
           KERB_FIELD(detector.ground_side_m)),

    flag("flow", "enabled", "Look at motion.", KERB_FIELD(flow.enabled)),
    choice("flow", "method", kFlows,
           "lk: dense Lucas-Kanade; ncc: dense block matching; points: Lucas-Kanade at corners; "
           "auto: points on the CPU, lk on CUDA.",
           KERB_FIELD(flow.method)),
    integer("flow", "width", 64, 4096, "pixels",
            "Wider pictures are made smaller by a whole number before motion is measured.",
            KERB_FIELD(flow.width)),
    integer("flow", "points", 100, 2048, "points", "Motion vectors a frame, at most.",
            KERB_FIELD(flow.points)),

    number("ego", "noise_px", 0.02, 5, "pixels",
           "Standard deviation of a good motion vector, in pixels of the camera's picture.",
           KERB_FIELD(ego.noise_px)),
    number("ego", "aim_tolerance_deg", 0.5, 30, "degrees",
           "So far the direction of travel may be from where pitch_deg and yaw_deg put it.",
           KERB_FIELD(ego.aim_tolerance_deg)),
    number("ego", "nearest_m", 0.2, 20, "m", "Nothing that stands is seen nearer than this.",
           KERB_FIELD(ego.nearest_m)),
    number("ego", "slope_deg", 0, 10, "degrees", "So far the road ahead may rise above flat.",
           KERB_FIELD(ego.slope_deg)),
    number("ego", "significance", 2, 20, "standard deviations",
           "From here on something moves by itself; higher says so less often and errs less.",
           KERB_FIELD(ego.significance)),
    number("ego", "walking_mps", 0.2, 3, "m/s",
           "A walk across the view that must be noticed before somebody counts as standing.",
           KERB_FIELD(ego.walking_mps)),

    flag("spectral", "enabled",
         "For cameras with a mosaic; false: shades of grey tell people apart there too.",
         KERB_FIELD(spectral.enabled)),
    number("spectral", "reach_nm", 5, 1000, "nm",
           "By so much light must move between bands, on average, to be nothing like somebody's "
           "clothes.",
           KERB_FIELD(spectral.reach_nm)),

    number("car", "width_m", 0.5, 3, "m", "Between its sides, without mirrors.",
           KERB_FIELD(car.width_m)),
    number("car", "length_m", 0.5, 20, "m", "From bumper to bumper.", KERB_FIELD(car.length_m)),
    number("car", "axle_to_bumper_m", 0, 15, "m", "From the rear axle to the front bumper.",
           KERB_FIELD(car.axle_to_bumper_m)),

    choice("warning", "sensitivity", kSensitivities, "How early the driver is warned.",
           KERB_FIELD(warning.sensitivity)),

    flag("can", "enabled", "Use the bus.", KERB_FIELD(can.enabled)),
    text("can", "interface", 15, TextRule::interface, "Network interface, as ip link shows it.",
         KERB_FIELD(can.interface)),
    flag("can", "fd", "Open it for CAN FD too; what we send stays classic.", KERB_FIELD(can.fd)),
    flag("can", "required", "Without the bus or the vehicle's speed the state is not ACTIVE.",
         KERB_FIELD(can.required)),

    integer("can.vehicle", "motion_stale_ms", 20, 5000, "ms",
            "Speed and yaw rate are stale after so long without a good message.",
            KERB_FIELD(can.vehicle.motion_stale)),
    integer("can.vehicle", "body_stale_ms", 100, 10000, "ms",
            "Turn signal and gear are stale after so long without a good message.",
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
            "Good messages in a row that end a signal's fault.",
            KERB_FIELD(can.vehicle.recover_messages)),

    flag("lamp", "enabled", "Drive the lamps. Find a free pair of lines first: gpioinfo.",
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
            "Silence after which it restarts the board, in life.", KERB_FIELD(watchdog.timeout_s)),

    flag("thermal", "enabled", "Watch the temperature.", KERB_FIELD(thermal.enabled)),
    path("thermal", "root", "Folder of the thermal zones.", KERB_FIELD(thermal.root)),
    number("thermal", "degraded_c", 30, 150, "degC", "DEGRADED from here.",
           KERB_FIELD(thermal.degraded_c)),
    number("thermal", "failed_c", 30, 150, "degC", "FAILED from here.",
           KERB_FIELD(thermal.failed_c)),
    number("thermal", "hysteresis_c", 0, 30, "degC", "So much cooler before it is good again.",
           KERB_FIELD(thermal.hysteresis_c)),

    integer("health", "start_ms", 100, 60000, "ms",
            "So long may the first frame take; until then the state is STARTING.",
            KERB_FIELD(health.start)),
    integer("health", "camera_silent_ms", 20, 5000, "ms", "Without a frame: DEGRADED.",
            KERB_FIELD(health.camera_silent)),
    integer("health", "camera_failed_ms", 50, 60000, "ms", "Without a frame: FAILED.",
            KERB_FIELD(health.camera_failed)),
    integer("health", "recover_ms", 0, 60000, "ms",
            "Good for so long, without a break, before a fault ends.", KERB_FIELD(health.recover)),
    number("health", "dropped_degraded_percent", 0.1, 100, "%", "Frames dropped: DEGRADED.",
           KERB_FIELD(health.dropped_degraded_percent)),
    number("health", "damaged_degraded_percent", 0.1, 100, "%", "Frames corrupt: DEGRADED.",
           KERB_FIELD(health.damaged_degraded_percent)),
    integer("health", "frozen_ms", 50, 60000, "ms", "Of identical pictures: DEGRADED.",
            KERB_FIELD(health.frozen)),
    number("health", "blinded_mean", 1, 255, "grey value",
           "Mean of the picture at or above: DEGRADED.", KERB_FIELD(health.blinded_mean)),
    number("health", "dark_mean", 0, 254, "grey value",
           "Mean of the picture at or below: DEGRADED.", KERB_FIELD(health.dark_mean)),
    number("health", "dirty_percent", 10, 100, "%",
           "So much of the picture lost the detail it had, at once: DEGRADED.",
           KERB_FIELD(health.dirty_percent)),
    number("health", "misaligned_deg", 1, 30, "degrees",
           "So far past where its calibration says a camera looks: DEGRADED.",
           KERB_FIELD(health.misaligned_deg)),
    integer("health", "bus_lost_ms", 50, 60000, "ms",
            "Without a working bus: DEGRADED, if it is required.", KERB_FIELD(health.bus_lost)),

    number("budget", "capture_ms", 0.01, 1000, "ms", "Taking a frame over from the camera.",
           KERB_FIELD(budget.capture)),
    number("budget", "prepare_ms", 0.01, 1000, "ms", "Raw picture to grey and bands.",
           KERB_FIELD(budget.prepare)),
    number("budget", "check_ms", 0.01, 1000, "ms", "Frozen, blinded, dark, dirty or out of line?",
           KERB_FIELD(budget.check)),
    number("budget", "flow_ms", 0.01, 1000, "ms",
           "Motion in the picture; where it takes longer, frames are left out.",
           KERB_FIELD(budget.flow)),
    number("budget", "detect_ms", 0.01, 1000, "ms", "Finding people.", KERB_FIELD(budget.detect)),
    number("budget", "motion_ms", 0.01, 1000, "ms", "What of the motion is the car's own.",
           KERB_FIELD(budget.motion)),
    number("budget", "spectral_ms", 0.01, 1000, "ms",
           "Looking at bands; where it takes longer, frames are left out.",
           KERB_FIELD(budget.spectral)),
    number("budget", "track_ms", 0.01, 1000, "ms", "Following people and judging the risk.",
           KERB_FIELD(budget.track)),
    number("budget", "publish_ms", 0.01, 1000, "ms", "Bus, lamps, sound.",
           KERB_FIELD(budget.publish)),

    choice("log", "level", kLevels, "The least grave line that is written.", KERB_FIELD(log_level)),

    flag("events", "enabled", "Write them.", KERB_FIELD(events.enabled)),
    path("events", "path", "The file being written; older ones get .1, .2 ... behind their name.",
         KERB_FIELD(events.path)),
    integer("events", "max_bytes", 16 << 10, 64 << 20, "bytes",
            "Of one file; then the next begins.", KERB_FIELD(events.max_bytes)),
    integer("events", "files", 1, 100, "files", "Kept, the one being written among them.",
            KERB_FIELD(events.files)),

    flag("record", "enabled", "Write them.", KERB_FIELD(record.enabled)),
    path("record", "path", "Their folder; it is made.", KERB_FIELD(record.path)),
    number("record", "before_s", 1, 60, "s", "Of what came before the warning.",
           KERB_FIELD(record.before_s)),
    number("record", "after_s", 0, 60, "s", "Of what came after its end.",
           KERB_FIELD(record.after_s)),
    integer("record", "max_megabytes", 8, 1 << 20, "MiB",
            "All records together; the oldest are deleted for a new one.",
            KERB_FIELD(record.max_megabytes)),
    flag("record", "pictures", "With small pictures, several a second.",
         KERB_FIELD(record.pictures)),
    choice("record", "what", kRecords, "All warnings, or collision warnings alone.",
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
