// SPDX-License-Identifier: Apache-2.0
#include "firmware/config/schema.hpp"

namespace kerb::config {
namespace {

using namespace schema;

template <typename P>
constexpr Field path(const char* name, const char* doc, P at) {
  return text(name, 1, 255, TextRule::printable, doc, at);
}
/// A path that may be empty, which then means none.
template <typename P>
constexpr Field path_or_none(const char* name, const char* doc, P at) {
  return text(name, 0, 255, TextRule::printable, doc, at);
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

constexpr Field kClock[] = {
    number("rate", 0.01, 10, "s/s",
           "Product time per real time: 1 in a vehicle, less on an emulated board.",
           KERB_AT(Config, clock_rate))};
constexpr Table kClockTable = table_of<Config>("clock", "Clock rate.", kClock);

constexpr Field kCamera[] = {
    text("name", 1, 32, TextRule::name, "Name in logs and events; unique.",
         KERB_AT(CameraSettings, name)),
    choice("source", kSources,
           "A V4L2 device, a test pattern, a folder of pictures or a video file.",
           KERB_AT(CameraSettings, kind)),
    path("device", "The device node, folder or file; unused by the pattern.",
         KERB_AT(CameraSettings, device)),
    integer("width", 64, 4096, "pixels",
            "Requested size of the pictures; recordings keep their own.",
            KERB_AT(CameraSettings, width)),
    integer("height", 64, 4096, "pixels",
            "Requested size of the pictures; recordings keep their own.",
            KERB_AT(CameraSettings, height)),
    number("rate_hz", 1, 240, "frames/s", "Requested frame rate.",
           KERB_AT(CameraSettings, rate_hz)),
    choice("format", kFormats, "Pixel format; auto takes the best the camera has.",
           KERB_AT(CameraSettings, format)),
    integer("mosaic", 0, 8, "pixels",
            "N of an N x N spectral filter pattern (2..8) over a grey or Bayer format; 0: none.",
            KERB_AT(CameraSettings, mosaic)),
    text(
        "bands_nm", 0, 400, TextRule::printable,
        "Wavelengths of the mosaic's bands, row by row, separated by commas (above 3000: thermal); "
        "empty: unknown, and the bands count as equally spaced.",
        KERB_AT(CameraSettings, bands_nm)),
    integer("exposure_us", 1, 1000000, "us", "Exposure time; unset: automatic.",
            KERB_AT(CameraSettings, exposure_us)),
    integer("gain", 0, 1000000, "camera's steps", "Gain; unset: automatic.",
            KERB_AT(CameraSettings, gain)),
    integer("buffers", 2, 16, "frames", "Frame buffers that the camera may fill in advance.",
            KERB_AT(CameraSettings, buffers)),
    choice("memory", kMemories,
           "Memory that a V4L2 camera fills: Kerbwatch's (userptr) or the driver's (mmap).",
           KERB_AT(CameraSettings, memory)),
    choice("pace", kPaces,
           "real: frames of a recording come at their time; recorded: each as soon as it is "
           "requested.",
           KERB_AT(CameraSettings, pace)),
    flag("loop", "Recordings start again at their end.", KERB_AT(CameraSettings, loop)),
    number("fov_deg", 5, 170, "degrees", "Horizontal angle of view.",
           KERB_AT(CameraSettings, fov_deg)),
    number("focal_px", 50, 20000, "pixels", "Focal length in pixels; replaces fov_deg.",
           KERB_AT(CameraSettings, focal_px)),
    number("center_x", 0, 4096, "pixels",
           "Column of the optical axis; unset: the middle of the picture.",
           KERB_AT(CameraSettings, center_x)),
    number("center_y", 0, 4096, "pixels",
           "Row of the optical axis; unset: the middle of the picture.",
           KERB_AT(CameraSettings, center_y)),
    number("height_m", 0.1, 10, "m", "Height of the camera above the road.",
           KERB_AT(CameraSettings, height_m)),
    number("pitch_deg", -45, 45, "degrees", "Pitch of the camera; upwards is positive.",
           KERB_AT(CameraSettings, pitch_deg)),
    number("yaw_deg", -45, 45, "degrees", "Yaw of the camera; to the left is positive.",
           KERB_AT(CameraSettings, yaw_deg)),
    number("roll_deg", -45, 45, "degrees", "Roll of the camera; right side down is positive.",
           KERB_AT(CameraSettings, roll_deg)),
    number("ahead_m", -20, 20, "m", "Distance of the camera ahead of the rear axle.",
           KERB_AT(CameraSettings, ahead_m)),
    number("left_m", -3, 3, "m", "Distance of the camera to the left of the car's middle.",
           KERB_AT(CameraSettings, left_m)),
    number("pitch_sigma_deg", 0.01, 10, "degrees", "Standard deviation of pitch_deg.",
           KERB_AT(CameraSettings, pitch_sigma_deg)),
    number("k1", -5, 5, "",
           "Lens distortion as in OpenCV: radial, second order; see docs/calibration.md.",
           KERB_AT(CameraSettings, k1)),
    number("k2", -5, 5, "", "Radial distortion, fourth order.", KERB_AT(CameraSettings, k2)),
    number("k3", -5, 5, "", "Radial distortion, sixth order.", KERB_AT(CameraSettings, k3)),
    number("p1", -1, 1, "", "Tangential distortion, vertical.", KERB_AT(CameraSettings, p1)),
    number("p2", -1, 1, "", "Tangential distortion, horizontal.", KERB_AT(CameraSettings, p2))};
constexpr Table kCameraTable = table_of<CameraSettings>(
    "camera", "A camera, or a replacement for one. One table for each, at most four.", kCamera);

constexpr Field kVision[] = {
    choice("backend", kBackends, "auto: CUDA where there is a GPU, otherwise the CPU.",
           KERB_AT(Config, vision_backend)),
    integer("threads", 0, 64, "threads",
            "CPU threads for each camera; 0: the cores are shared between the cameras.",
            KERB_AT(Config, vision_threads))};
constexpr Table kVisionTable = table_of<Config>("vision", "Where pictures are processed.", kVision);

constexpr Field kDetector[] = {
    flag("enabled", "Detect people.", KERB_AT(Config, detector.enabled)),
    path_or_none("model", "Model file; empty: default.kwm of the models that come with Kerbwatch.",
                 KERB_AT(Config, detector.model)),
    path_or_none("grey_model",
                 "Model for cameras without colour, where detector.model needs colour; empty: the "
                 "file beside it whose name ends in -grey.kwm.",
                 KERB_AT(Config, detector.grey_model)),
    number("threshold", -1000, 1000, "score",
           "Lowest score of a detection. Higher: fewer people, fewer errors. Unset: the model's "
           "threshold less its tracking margin, because the tracker removes errors.",
           KERB_AT(Config, detector.threshold)),
    number("scale_step", 1.01, 2, "",
           "Ratio between neighbouring sizes of the search; unset: the model's advice on CUDA; "
           "1.15 on the CPU to save time (1.08 in an upright view, which is small).",
           KERB_AT(Config, detector.scale_step)),
    integer("stride", 1, 64, "pixels",
            "Step between windows, in the scaled picture; unset: the model's advice.",
            KERB_AT(Config, detector.stride)),
    integer("min_height", 0, 4096, "pixels",
            "Height of the smallest person in the searched view; less than the model's height "
            "enlarges the picture. 0: the model's. Unset: 40 for a camera that looks along the "
            "road, 64 in an upright view, otherwise the model's.",
            KERB_AT(Config, detector.min_height)),
    integer("max_height", 0, 4096, "pixels", "Height of the tallest person; 0: no limit.",
            KERB_AT(Config, detector.max_height)),
    integer("padding", 0, 256, "pixels",
            "How far a window may extend beyond the scaled picture, for people at its edge; unset: "
            "the model's advice.",
            KERB_AT(Config, detector.padding)),
    choice("fusion", kFusions,
           "How several hits of one person are merged; auto: the model's advice.",
           KERB_AT(Config, detector.fusion)),
    number("overlap", 0, 1, "",
           "Suppression: boxes that overlap by more than this are one person; unset: the model's "
           "advice.",
           KERB_AT(Config, detector.overlap)),
    choice("overlap_of", kOverlaps,
           "Suppression: overlap relative to the union or to the smaller box; auto: the model's "
           "advice.",
           KERB_AT(Config, detector.overlap_of)),
    integer("min_hits", 1, 1000, "windows", "Fewest hits of a person.",
            KERB_AT(Config, detector.min_hits)),
    integer("region_x", 0, 4096, "pixels", "Left edge of the searched region.",
            KERB_AT(Config, detector.region_x)),
    integer("region_y", 0, 4096, "pixels", "Top edge of the searched region.",
            KERB_AT(Config, detector.region_y)),
    integer("region_width", 0, 4096, "pixels", "Width of the searched region; 0: all columns.",
            KERB_AT(Config, detector.region_width)),
    integer("region_height", 0, 4096, "pixels", "Height of the searched region; 0: all rows.",
            KERB_AT(Config, detector.region_height)),
    choice("view", kViews,
           "plain: search the camera's picture; upright: search the picture projected as from an "
           "upright camera; auto: upright where the camera does not look along the road (pitch "
           "beyond 12 degrees, roll beyond 6, strong distortion).",
           KERB_AT(Config, detector.view)),
    choice("ground", kGrounds,
           "auto: search only where people can stand on the road, within ground_side_m (not in the "
           "plain view of a camera that does not look along the road); anywhere: search the whole "
           "picture.",
           KERB_AT(Config, detector.ground)),
    number("ground_shortest_m", 0.3, 3, "m", "Height of the shortest person on the road.",
           KERB_AT(Config, detector.ground_shortest_m)),
    number("ground_tallest_m", 0.3, 3, "m", "Height of the tallest person on the road.",
           KERB_AT(Config, detector.ground_tallest_m)),
    number("ground_slack_deg", 0, 20, "degrees",
           "Tolerance up and down, for errors of the pitch, slopes and kerbs.",
           KERB_AT(Config, detector.ground_slack_deg)),
    number("ground_side_m", 0, 100, "m",
           "Largest distance to the side of straight ahead that is searched; 0: no limit.",
           KERB_AT(Config, detector.ground_side_m))};
constexpr Table kDetectorTable = table_of<Config>(
    "detector",
    "Detecting people. One model and one search for all cameras; see docs/kerblab.md for models.",
    kDetector);

constexpr Field kFlow[] = {
    flag("enabled", "Estimate motion.", KERB_AT(Config, flow.enabled)),
    choice("method", kFlows,
           "lk: dense Lucas-Kanade; ncc: dense block matching; points: Lucas-Kanade at corners; "
           "auto: points on the CPU, lk on CUDA.",
           KERB_AT(Config, flow.method)),
    integer("width", 64, 4096, "pixels",
            "Wider pictures are reduced by a whole factor before flow is measured.",
            KERB_AT(Config, flow.width)),
    integer("points", 100, 2048, "points", "Most motion vectors per frame.",
            KERB_AT(Config, flow.points))};
constexpr Table kFlowTable =
    table_of<Config>("flow", "Optical flow from frame to frame; see docs/motion.md.", kFlow);

constexpr Field kEgo[] = {
    number("noise_px", 0.02, 5, "pixels",
           "Standard deviation of a good motion vector, in pixels of the camera's picture.",
           KERB_AT(Config, ego.noise_px)),
    number("aim_tolerance_deg", 0.5, 30, "degrees",
           "Largest angle between the direction of travel and that of pitch_deg and yaw_deg.",
           KERB_AT(Config, ego.aim_tolerance_deg)),
    number("nearest_m", 0.2, 20, "m", "Nearest distance of standing objects in the picture.",
           KERB_AT(Config, ego.nearest_m)),
    number("slope_deg", 0, 10, "degrees", "Largest rise of the road ahead.",
           KERB_AT(Config, ego.slope_deg)),
    number("significance", 2, 20, "standard deviations",
           "Residual from which an object counts as moving. Higher: fewer moving objects, fewer "
           "errors.",
           KERB_AT(Config, ego.significance)),
    number("walking_mps", 0.2, 3, "m/s",
           "Speed across the view that must be measurable before a person counts as standing.",
           KERB_AT(Config, ego.walking_mps))};
constexpr Table kEgoTable = table_of<Config>(
    "ego",
    "Ego-motion: separating the car's own motion from objects that move; see docs/motion.md.",
    kEgo);

constexpr Field kSpectral[] = {
    flag("enabled",
         "Use the bands of cameras with a mosaic; false: people are told apart by shades of grey.",
         KERB_AT(Config, spectral.enabled)),
    number("reach_nm", 5, 1000, "nm",
           "Mean earth mover's distance at which the likeness to a person's clothes becomes 0.",
           KERB_AT(Config, spectral.reach_nm))};
constexpr Table kSpectralTable = table_of<Config>(
    "spectral",
    "Telling people apart by the spectral bands of their clothes; see docs/tracking.md.",
    kSpectral);

constexpr Field kCar[] = {
    number("width_m", 0.5, 3, "m", "Width of the car without mirrors.",
           KERB_AT(Config, car.width_m)),
    number("length_m", 0.5, 20, "m", "Length of the car from bumper to bumper.",
           KERB_AT(Config, car.length_m)),
    number("axle_to_bumper_m", 0, 15, "m", "Distance from the rear axle to the front bumper.",
           KERB_AT(Config, car.axle_to_bumper_m))};
constexpr Table kCarTable = table_of<Config>("car", "The car that carries the cameras.", kCar);

constexpr Field kWarning[] = {choice("sensitivity", kSensitivities,
                                     "How early the driver is warned.",
                                     KERB_AT(Config, warning.sensitivity))};
constexpr Table kWarningTable = table_of<Config>("warning", "When the driver is warned.", kWarning);

constexpr Field kCanVehicle[] = {
    integer("motion_stale_ms", 20, 5000, "ms",
            "Speed and yaw rate are stale after this time without a good message.",
            KERB_AT(Config, can.vehicle.motion_stale)),
    integer("body_stale_ms", 100, 10000, "ms",
            "Turn signal and gear are stale after this time without a good message.",
            KERB_AT(Config, can.vehicle.body_stale)),
    number("speed_min_mps", -50, 0, "m/s", "A lower speed is implausible.",
           KERB_AT(Config, can.vehicle.speed_min_mps)),
    number("speed_max_mps", 10, 150, "m/s", "A higher speed is implausible.",
           KERB_AT(Config, can.vehicle.speed_max_mps)),
    number("yaw_rate_max_radps", 0.1, 10, "rad/s", "A faster turn, either way, is implausible.",
           KERB_AT(Config, can.vehicle.yaw_rate_max_radps)),
    number("acceleration_max_mps2", 1, 100, "m/s2",
           "A faster change of speed, either way, is implausible.",
           KERB_AT(Config, can.vehicle.acceleration_max_mps2)),
    number("yaw_acceleration_max_radps2", 1, 100, "rad/s2",
           "A faster change of yaw rate, either way, is implausible.",
           KERB_AT(Config, can.vehicle.yaw_acceleration_max_radps2)),
    integer("recover_messages", 1, 50, "messages",
            "Consecutive good messages that end a signal's fault.",
            KERB_AT(Config, can.vehicle.recover_messages))};
constexpr Table kCanVehicleTable = table_of<Config>(
    "can.vehicle", "Which of the vehicle's signals are accepted; see docs/can.md.", kCanVehicle);

constexpr Field kCan[] = {
    flag("enabled", "Use the bus.", KERB_AT(Config, can.enabled)),
    text("interface", 1, 15, TextRule::interface, "Network interface, as ip link shows it.",
         KERB_AT(Config, can.interface)),
    flag("fd", "Open the interface for CAN FD, too; Kerbwatch sends classic frames only.",
         KERB_AT(Config, can.fd)),
    flag("required", "The state is not ACTIVE without the bus or the vehicle's speed.",
         KERB_AT(Config, can.required)),
    table("vehicle", "", kCanVehicleTable)};
constexpr Table kCanTable = table_of<Config>("can", "The vehicle's bus.", kCan);

constexpr Field kLamp[] = {
    flag("enabled", "Drive the lamps. First find two free lines with gpioinfo.",
         KERB_AT(Config, lamp.enabled)),
    path("chip", "GPIO character device.", KERB_AT(Config, lamp.chip)),
    integer("warning_line", 0, 1023, "line", "The red lamp: warnings.",
            KERB_AT(Config, lamp.warning_line)),
    integer("status_line", 0, 1023, "line", "The amber lamp: on unless ACTIVE.",
            KERB_AT(Config, lamp.status_line)),
    flag("active_low", "A low level lights the lamp.", KERB_AT(Config, lamp.active_low))};
constexpr Table kLampTable = table_of<Config>("lamp", "The lamps, on lines of a GPIO chip.", kLamp);

constexpr Field kTone[] = {
    flag("enabled", "Sound the warning.", KERB_AT(Config, tone.enabled)),
    text("device", 1, 255, TextRule::printable, "ALSA device, as aplay -L lists them.",
         KERB_AT(Config, tone.device)),
    number("frequency_hz", 800, 8000, "Hz", "Fundamental of the tone.",
           KERB_AT(Config, tone.collision.frequency_hz)),
    number("pulses_per_s", 6, 12, "1/s", "Pulses in a second.",
           KERB_AT(Config, tone.collision.pulses_per_s)),
    number("duty", 0.25, 0.95, "", "Share of a pulse's period that sounds.",
           KERB_AT(Config, tone.collision.duty)),
    number("volume", 0.01, 1, "", "Share of full scale.", KERB_AT(Config, tone.collision.volume))};
constexpr Table kToneTable = table_of<Config>("tone", "The sound of a collision warning.", kTone);

constexpr Field kWatchdog[] = {
    flag("enabled", "Arm the device: the board restarts when Kerbwatch hangs.",
         KERB_AT(Config, watchdog.enabled)),
    path("device", "Watchdog device.", KERB_AT(Config, watchdog.device)),
    integer("timeout_s", 1, 300, "s",
            "The board restarts after this time without a signal; real time.",
            KERB_AT(Config, watchdog.timeout_s))};
constexpr Table kWatchdogTable = table_of<Config>(
    "watchdog",
    "A hardware watchdog. systemd's is used whenever it is there, and needs no setting.",
    kWatchdog);

constexpr Field kThermal[] = {
    flag("enabled", "Monitor the temperature.", KERB_AT(Config, thermal.enabled)),
    path("root", "Folder of the thermal zones.", KERB_AT(Config, thermal.root)),
    number("degraded_c", 30, 150, "degC", "DEGRADED from here.",
           KERB_AT(Config, thermal.degraded_c)),
    number("failed_c", 30, 150, "degC", "FAILED from here.", KERB_AT(Config, thermal.failed_c)),
    number("hysteresis_c", 0, 30, "degC", "Hysteresis: the fault ends this far below its limit.",
           KERB_AT(Config, thermal.hysteresis_c))};
constexpr Table kThermalTable = table_of<Config>("thermal", "The board's temperature.", kThermal);

constexpr Field kHealth[] = {
    integer("start_ms", 100, 60000, "ms",
            "Longest time to the first frame; until then the state is STARTING.",
            KERB_AT(Config, health.start)),
    integer("camera_silent_ms", 20, 5000, "ms", "Time without a frame: DEGRADED.",
            KERB_AT(Config, health.camera_silent)),
    integer("camera_failed_ms", 50, 60000, "ms", "Time without a frame: FAILED.",
            KERB_AT(Config, health.camera_failed)),
    integer("recover_ms", 0, 60000, "ms", "Time without the fault, unbroken, before it ends.",
            KERB_AT(Config, health.recover)),
    number("dropped_degraded_percent", 0.1, 100, "%", "Share of dropped frames: DEGRADED.",
           KERB_AT(Config, health.dropped_degraded_percent)),
    number("damaged_degraded_percent", 0.1, 100, "%", "Share of corrupt frames: DEGRADED.",
           KERB_AT(Config, health.damaged_degraded_percent)),
    integer("frozen_ms", 50, 60000, "ms", "Time of identical pictures: DEGRADED.",
            KERB_AT(Config, health.frozen)),
    number("blinded_mean", 1, 255, "grey value", "Mean of the picture at or above: DEGRADED.",
           KERB_AT(Config, health.blinded_mean)),
    number("dark_mean", 0, 254, "grey value", "Mean of the picture at or below: DEGRADED.",
           KERB_AT(Config, health.dark_mean)),
    number("dirty_percent", 10, 100, "%",
           "Share of the picture that suddenly lost its detail: DEGRADED.",
           KERB_AT(Config, health.dirty_percent)),
    number("misaligned_deg", 1, 30, "degrees",
           "Angle between the camera's direction and its calibration: DEGRADED.",
           KERB_AT(Config, health.misaligned_deg)),
    integer("bus_lost_ms", 50, 60000, "ms",
            "Time without a working bus: DEGRADED, if can.required.",
            KERB_AT(Config, health.bus_lost))};
constexpr Table kHealthTable = table_of<Config>(
    "health", "Limits for the states DEGRADED and FAILED, and for recovery.", kHealth);

constexpr Field kBudget[] = {
    number("capture_ms", 0.01, 1000, "ms", "Getting a frame from the camera.",
           KERB_AT(Config, budget.capture)),
    number("prepare_ms", 0.01, 1000, "ms", "Converting the raw picture to grey and bands.",
           KERB_AT(Config, budget.prepare)),
    number("check_ms", 0.01, 1000, "ms",
           "Checking for a frozen, blinded, dark, dirty or misaligned camera.",
           KERB_AT(Config, budget.check)),
    number("flow_ms", 0.01, 1000, "ms",
           "Optical flow, on average; where it takes longer, frames are skipped.",
           KERB_AT(Config, budget.flow)),
    number("detect_ms", 0.01, 1000, "ms", "Detecting people.", KERB_AT(Config, budget.detect)),
    number("motion_ms", 0.01, 1000, "ms", "Ego-motion and who moves.",
           KERB_AT(Config, budget.motion)),
    number("spectral_ms", 0.01, 1000, "ms",
           "Spectral search, on average; where it takes longer, frames are skipped.",
           KERB_AT(Config, budget.spectral)),
    number("track_ms", 0.01, 1000, "ms", "Tracking people and predicting contacts.",
           KERB_AT(Config, budget.track)),
    number("publish_ms", 0.01, 1000, "ms", "Sending to bus, lamps and sound.",
           KERB_AT(Config, budget.publish))};
constexpr Table kBudgetTable =
    table_of<Config>("budget", "Time that each stage may take for a frame.", kBudget);

constexpr Field kLog[] = {
    choice("level", kLevels, "Lowest level that is written.", KERB_AT(Config, log_level))};
constexpr Table kLogTable = table_of<Config>("log", "The text log on standard error.", kLog);

constexpr Field kEvents[] = {
    flag("enabled", "Write the event log.", KERB_AT(Config, events.enabled)),
    path("path", "The current file; older ones are named .1, .2 ...", KERB_AT(Config, events.path)),
    integer("max_bytes", 16 << 10, 64 << 20, "bytes", "Largest size of one file.",
            KERB_AT(Config, events.max_bytes)),
    integer("files", 1, 100, "files", "Files kept, with the current one.",
            KERB_AT(Config, events.files))};
constexpr Table kEventsTable =
    table_of<Config>("events", "The event log: JSON lines in files of bounded size.", kEvents);

constexpr Field kRecord[] = {
    flag("enabled", "Write records.", KERB_AT(Config, record.enabled)),
    path("path", "Folder of the records; created if missing.", KERB_AT(Config, record.path)),
    number("before_s", 1, 60, "s", "Recorded time before the warning.",
           KERB_AT(Config, record.before_s)),
    number("after_s", 0, 60, "s", "Recorded time after the end of the warning.",
           KERB_AT(Config, record.after_s)),
    integer("max_megabytes", 8, 1 << 20, "MiB",
            "Size of all records together; the oldest are deleted for a new one.",
            KERB_AT(Config, record.max_megabytes)),
    flag("pictures", "Include small pictures, several per second.",
         KERB_AT(Config, record.pictures)),
    choice("what", kRecords, "Record all warnings, or only collision warnings.",
           KERB_AT(Config, record.what))};
constexpr Table kRecordTable =
    table_of<Config>("record", "Records of warnings; see docs/records.md.", kRecord);

constexpr Field kService[] = {
    flag("enabled", "Obey KW_Service: lamp and sound tests. Leave it off in traffic.",
         KERB_AT(Config, service_enabled))};
constexpr Table kServiceTable =
    table_of<Config>("service", "Tests that a workshop may request over the bus.", kService);

constexpr Field kConfig[] = {
    table("clock", "", kClockTable),
    tables("camera", 1, kMaxCameras, "", kCameraTable, KERB_AT(Config, cameras)),
    table("vision", "", kVisionTable),
    table("detector", "", kDetectorTable),
    table("flow", "", kFlowTable),
    table("ego", "", kEgoTable),
    table("spectral", "", kSpectralTable),
    table("car", "", kCarTable),
    table("warning", "", kWarningTable),
    table("can", "", kCanTable),
    table("lamp", "", kLampTable),
    table("tone", "", kToneTable),
    table("watchdog", "", kWatchdogTable),
    table("thermal", "", kThermalTable),
    table("health", "", kHealthTable),
    table("budget", "", kBudgetTable),
    table("log", "", kLogTable),
    table("events", "", kEventsTable),
    table("record", "", kRecordTable),
    table("service", "", kServiceTable)};
constexpr Table kConfigTable = table_of<Config>("", "The file as a whole.", kConfig);

}  // namespace

const Table& config_table() { return kConfigTable; }

}  // namespace kerb::config
