// SPDX-License-Identifier: Apache-2.0
#include "firmware/config/schema.hpp"

#include "firmware/config/can_schema.hpp"
#include "firmware/config/decisions_schema.hpp"

namespace kerb::config {
namespace {

using namespace schema;

template <auto... Members>
constexpr Field path(const char* name, const char* doc) {
  return text<Members...>(name, 1, 255, TextRule::printable, doc);
}
/// A path that may be empty, which then means none.
template <auto... Members>
constexpr Field path_or_none(const char* name, const char* doc) {
  return text<Members...>(name, 0, 255, TextRule::printable, doc);
}

// In the order of their enumerations.
constexpr const char* kSources[] = {"v4l2", "pattern", "folder", "video"};
constexpr const char* kImagings[] = {"visible", "thermal"};
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
constexpr const char* kViewLamps[] = {"off", "slow_blink", "on"};
constexpr const char* kExposureModes[] = {"camera", "people"};
constexpr const char* kMains[] = {"none", "50hz", "60hz"};
constexpr const char* kGainKinds[] = {"linear", "decibel"};
constexpr const char* kLevels[] = {"debug", "info", "warning", "error"};
// A text in CameraSettings: the names of PixelFormat, and two more.
constexpr const char* kFormats[] = {"auto",   "mjpeg",  "grey8",  "grey10",  "grey12",
                                    "grey14", "grey16", "yuyv",   "uyvy",    "nv12",
                                    "rgb24",  "bgr24",  "bayer8", "bayer10", "bayer12"};

// Limits: what an installation can need, and no more. A value with which Kerbwatch would start and
// warn of nobody, or tell of no fault, is refused. What is not obvious is said at its table; what
// depends on other keys is in rules.cpp.

// Below 1 only on an emulated board (it has 0.25 and 0.5), which is slower than real time.
constexpr Field kClock[] = {number<&Config::clock_rate>(
    "rate", 0.1, 1, "s/s",
    "Product time per real time: 1 in a vehicle, less on an emulated board.")};
constexpr Table kClockTable = table_of<Config>("clock", "Clock rate.", kClock);

constexpr Field kCameraExposure[] = {
    choice<&ExposureSettings::mode>(
        "mode", kExposureModes,
        "camera: the camera sets exposure and gain itself; people: Kerbwatch sets them, by how "
        "bright the road is where people stand."),
    number<&ExposureSettings::longest_ms>(
        "longest_ms", 0.1, 50, "ms",
        "Longest exposure time, against motion blur. With 10 and the default lens, a person who "
        "crosses at 1.5 m/s 10 m ahead smears over 1.7 pixels."),
    number<&ExposureSettings::most_gain>(
        "most_gain", 1, 256, "",
        "Largest amplification, against noise; 1: the camera's least gain only."),
    number<&ExposureSettings::target>(
        "target", 20, 150, "grey value",
        "Brightness of the road, 0..255; unset: 50 for raw formats (grey, bayer), 90 for others."),
    choice<&ExposureSettings::mains>(
        "mains", kMains,
        "Street lamps flicker at twice the frequency of the mains: exposure times of a period (10 "
        "or 8.33 ms) or more are then whole periods."),
    integer<&ExposureSettings::latency_frames>(
        "latency_frames", 1, 16, "frames",
        "Frames until a new setting shows, at most. More than the camera needs: slower; fewer: "
        "overshoots."),
    number<&ExposureSettings::step_us>(
        "step_us", 0.1, 1000, "us",
        "Time of a step of the control V4L2_CID_EXPOSURE, for cameras that have no other; unset: a "
        "line of the sensor, if the camera says how long one is."),
    choice<&ExposureSettings::gain_kind>(
        "gain_kind", kGainKinds,
        "What the steps of the camera's gain control are: linear or decibel."),
    number<&ExposureSettings::gain_unit>(
        "gain_unit", 0.1, 10000, "steps",
        "linear: steps that add the least gain once more; decibel: steps of a decibel. Unset: the "
        "control's minimum, or 16 where that is 0; 10 for decibel."),
    number<&ExposureSettings::noise_read>(
        "noise_read", 0, 400, "grey values squared",
        "Noise in the dark, at gain 1; unset: estimated while the car stands (raw formats only)."),
    number<&ExposureSettings::noise_shot>("noise_shot", 0, 20, "grey values",
                                          "Noise that grows with the signal, at gain 1; unset: "
                                          "estimated as noise_read.")};
constexpr Table kCameraExposureTable = table_of<ExposureSettings>(
    "camera.exposure", "Exposure and gain of a V4L2 camera; see docs/exposure.md.",
    kCameraExposure);

// The smallest and slowest cameras are thermal ones: 160 x 120, and 9 frames/s where exported.
// Mounted as low as a grille and as high as a bus. With an angle of view under 10 degrees the way
// of whoever crosses is not in view.
constexpr Field kCamera[] = {
    text<&CameraSettings::name>("name", 1, 32, TextRule::name, "Name in logs and events; unique."),
    choice<&CameraSettings::kind>(
        "source", kSources, "A V4L2 device, a test pattern, a folder of pictures or a video file."),
    choice<&CameraSettings::imaging>(
        "kind", kImagings,
        "visible: an ordinary camera; thermal: one that sees heat, which needs "
        "detector.thermal_model; see docs/thermal.md."),
    path<&CameraSettings::device>("device",
                                  "The device node, folder or file; unused by the pattern."),
    integer<&CameraSettings::width>("width", 160, 4096, "pixels",
                                    "Requested size of the pictures; recordings keep their own."),
    integer<&CameraSettings::height>("height", 120, 4096, "pixels",
                                     "Requested size of the pictures; recordings keep their own."),
    number<&CameraSettings::rate_hz>("rate_hz", 5, 120, "frames/s", "Requested frame rate."),
    choice<&CameraSettings::format>("format", kFormats,
                                    "Pixel format; auto takes the best the camera has."),
    integer<&CameraSettings::mosaic>(
        "mosaic", 0, 8, "pixels",
        "N of an N x N spectral filter pattern (2..8) over a grey or Bayer format; 0: none."),
    text<&CameraSettings::bands_nm>(
        "bands_nm", 0, 400, TextRule::printable,
        "Wavelengths of the mosaic's bands, row by row, separated by commas (above 3000: thermal); "
        "empty: unknown, and the bands count as equally spaced."),
    integer<&CameraSettings::range_min_counts>(
        "range_min_counts", 16, 65535, "counts",
        "Thermal camera with more than 8 bits: smallest range of counts from black to white. Less: "
        "more contrast and more noise in a scene of one temperature."),
    integer<&CameraSettings::exposure_us>("exposure_us", 10, 100000, "us",
                                          "Exposure time; unset: automatic."),
    integer<&CameraSettings::gain>("gain", 0, 65535, "camera's steps", "Gain; unset: automatic."),
    integer<&CameraSettings::buffers>("buffers", 2, 16, "frames",
                                      "Frame buffers that the camera may fill in advance."),
    choice<&CameraSettings::memory>(
        "memory", kMemories,
        "Memory that a V4L2 camera fills: Kerbwatch's (userptr) or the driver's (mmap)."),
    choice<&CameraSettings::pace>(
        "pace", kPaces,
        "real: frames of a recording come at their time; recorded: each as soon as it is "
        "requested."),
    flag<&CameraSettings::loop>("loop", "Recordings start again at their end."),
    number<&CameraSettings::fov_deg>("fov_deg", 10, 170, "degrees", "Horizontal angle of view."),
    number<&CameraSettings::focal_px>("focal_px", 50, 20000, "pixels",
                                      "Focal length in pixels; replaces fov_deg."),
    number<&CameraSettings::center_x>(
        "center_x", 0, 4096, "pixels",
        "Column of the optical axis; unset: the middle of the picture."),
    number<&CameraSettings::center_y>("center_y", 0, 4096, "pixels",
                                      "Row of the optical axis; unset: the middle of the picture."),
    number<&CameraSettings::height_m>("height_m", 0.2, 5, "m",
                                      "Height of the camera above the road."),
    number<&CameraSettings::pitch_deg>("pitch_deg", -45, 45, "degrees",
                                       "Pitch of the camera; upwards is positive."),
    number<&CameraSettings::yaw_deg>("yaw_deg", -45, 45, "degrees",
                                     "Yaw of the camera; to the left is positive."),
    number<&CameraSettings::roll_deg>("roll_deg", -45, 45, "degrees",
                                      "Roll of the camera; right side down is positive."),
    number<&CameraSettings::ahead_m>("ahead_m", -20, 20, "m",
                                     "Distance of the camera ahead of the rear axle."),
    number<&CameraSettings::left_m>("left_m", -3, 3, "m",
                                    "Distance of the camera to the left of the car's middle."),
    number<&CameraSettings::pitch_sigma_deg>("pitch_sigma_deg", 0.05, 5, "degrees",
                                             "Standard deviation of pitch_deg."),
    number<&CameraSettings::k1>(
        "k1", -5, 5, "",
        "Lens distortion as in OpenCV: radial, second order; see docs/calibration.md."),
    number<&CameraSettings::k2>("k2", -5, 5, "", "Radial distortion, fourth order."),
    number<&CameraSettings::k3>("k3", -5, 5, "", "Radial distortion, sixth order."),
    number<&CameraSettings::p1>("p1", -1, 1, "", "Tangential distortion, vertical."),
    number<&CameraSettings::p2>("p2", -1, 1, "", "Tangential distortion, horizontal."),
    table<&CameraSettings::exposure>("exposure", "", kCameraExposureTable)};
constexpr Table kCameraTable = table_of<CameraSettings>(
    "camera", "A camera, or a replacement for one. One table for each, at most four.", kCamera);

constexpr Field kCameraPair[] = {
    text<&CameraPair::first>("first", 1, 32, TextRule::name,
                             "Name of the camera that the other keys are relative to."),
    text<&CameraPair::second>("second", 1, 32, TextRule::name, "Name of the camera described."),
    number<&CameraPair::ahead_m>("ahead_m", -5, 5, "m",
                                 "Distance of the second camera ahead of the first, along the "
                                 "first camera's optical axis."),
    number<&CameraPair::left_m>("left_m", -5, 5, "m",
                                "Distance to the left of the first, in its picture."),
    number<&CameraPair::up_m>("up_m", -5, 5, "m", "Distance above the first, in its picture."),
    number<&CameraPair::pitch_deg>("pitch_deg", -45, 45, "degrees",
                                   "Pitch relative to the first; upwards is positive."),
    number<&CameraPair::yaw_deg>("yaw_deg", -45, 45, "degrees",
                                 "Yaw relative to the first; to the left is positive."),
    number<&CameraPair::roll_deg>("roll_deg", -45, 45, "degrees",
                                  "Roll relative to the first; right side down is positive."),
    number<&CameraPair::position_sigma_m>(
        "position_sigma_m", 0.0001, 10, "m",
        "Standard deviation of the position, of its least certain coordinate."),
    number<&CameraPair::angle_sigma_deg>(
        "angle_sigma_deg", 0.0001, 10, "degrees",
        "Standard deviation of the angles, of the least certain one.")};
constexpr Table kCameraPairTable = table_of<CameraPair>(
    "camera_pair",
    "How a camera is placed relative to another, by kerblab calibrate pair; see "
    "docs/calibration.md. Nothing uses it yet.",
    kCameraPair);

constexpr Field kVision[] = {
    choice<&Config::vision_backend>("backend", kBackends,
                                    "auto: CUDA where there is a GPU, otherwise the CPU."),
    integer<&Config::vision_threads>(
        "threads", 0, 64, "threads",
        "CPU threads for each camera; 0: the cores are shared between the cameras."),
    flag<&Config::night, &NightSettings::curve>(
        "night_curve", "Brighten dark pictures before people are detected; see docs/night.md."),
    integer<&Config::night, &NightSettings::target>(
        "night_target", 20, 128, "grey value",
        "Pictures of a lower mean are dark, and brightened to it. Brighter ones are not touched."),
    number<&Config::night, &NightSettings::max_gain>(
        "night_gain", 1, 16, "", "Largest factor by which the darkest values are multiplied."),
    number<&Config::night, &NightSettings::local>(
        "night_local", 0, 1, "",
        "Share of the curves of 8 x 6 parts of the picture; 0: one curve for the whole picture."),
    flag<&Config::night, &NightSettings::filter>(
        "night_filter",
        "Smooth the noise of dark pictures along the optical flow before people are detected."),
    number<&Config::night, &NightSettings::strength>(
        "night_strength", 0, 0.95, "",
        "Weight of earlier pictures in night_filter. Higher: smoother, and slower to forget."),
    number<&Config::night, &NightSettings::noise_floor>(
        "noise_floor", 0.1, 1000, "grey values squared",
        "Variance of the cameras' noise at black, for night_filter."),
    number<&Config::night, &NightSettings::noise_slope>(
        "noise_slope", -5, 5, "grey values",
        "Growth of that variance per grey value; negative for most cameras with a gamma curve.")};
constexpr Table kVisionTable = table_of<Config>("vision", "Where pictures are processed.", kVision);

// Models' thresholds are 0..7, and people score up to some 10 more; see also check_detector(). With
// more than a few hits asked for, or no overlap at all of two people, people are lost.
constexpr Field kDetector[] = {
    flag<&DetectorSettings::enabled>("enabled", "Detect people."),
    path_or_none<&DetectorSettings::model>(
        "model", "Model file; empty: default.kwm of the models that come with Kerbwatch."),
    path_or_none<&DetectorSettings::grey_model>(
        "grey_model",
        "Model for cameras without colour, where detector.model needs colour; empty: the "
        "file beside it whose name ends in -grey.kwm."),
    path_or_none<&DetectorSettings::thermal_model>(
        "thermal_model",
        "Model for thermal cameras; empty: the file beside detector.model whose name ends in "
        "-thermal.kwm."),
    number<&DetectorSettings::threshold>(
        "threshold", -20, 20, "score",
        "Lowest score of a detection. Higher: fewer people, fewer errors. Unset: the model's "
        "threshold less its tracking margin, because the tracker removes errors."),
    number<&DetectorSettings::scale_step>(
        "scale_step", 1.01, 2, "",
        "Ratio between neighbouring sizes of the search; unset: the model's advice on CUDA; "
        "1.15 on the CPU to save time (1.08 in an upright view, which is small)."),
    integer<&DetectorSettings::stride>(
        "stride", 1, 32, "pixels",
        "Step between windows, in the scaled picture; unset: the model's advice."),
    integer<&DetectorSettings::min_height>(
        "min_height", 0, 480, "pixels",
        "Height of the smallest person in the searched view; less than the model's height "
        "enlarges the picture. 0: the model's. Unset: 40 for a camera that looks along the "
        "road, 64 in an upright view, otherwise the model's."),
    integer<&DetectorSettings::max_height>("max_height", 0, 4096, "pixels",
                                           "Height of the tallest person; 0: no limit."),
    integer<&DetectorSettings::padding>(
        "padding", 0, 64, "pixels",
        "How far a window may extend beyond the scaled picture, for people at its edge; unset: "
        "the model's advice."),
    choice<&DetectorSettings::fusion>(
        "fusion", kFusions, "How several hits of one person are merged; auto: the model's advice."),
    number<&DetectorSettings::overlap>(
        "overlap", 0.1, 0.95, "",
        "Suppression: boxes that overlap by more than this are one person; unset: the model's "
        "advice."),
    choice<&DetectorSettings::overlap_of>(
        "overlap_of", kOverlaps,
        "Suppression: overlap relative to the union or to the smaller box; auto: the model's "
        "advice."),
    integer<&DetectorSettings::min_hits>("min_hits", 1, 20, "windows", "Fewest hits of a person."),
    integer<&DetectorSettings::region_x>("region_x", 0, 4096, "pixels",
                                         "Left edge of the searched region."),
    integer<&DetectorSettings::region_y>("region_y", 0, 4096, "pixels",
                                         "Top edge of the searched region."),
    integer<&DetectorSettings::region_width>("region_width", 0, 4096, "pixels",
                                             "Width of the searched region; 0: all columns."),
    integer<&DetectorSettings::region_height>("region_height", 0, 4096, "pixels",
                                              "Height of the searched region; 0: all rows."),
    choice<&DetectorSettings::view>(
        "view", kViews,
        "plain: search the camera's picture; upright: search the picture projected as from an "
        "upright camera; auto: upright where the camera does not look along the road (pitch "
        "beyond 12 degrees, roll beyond 6, strong distortion)."),
    choice<&DetectorSettings::ground>(
        "ground", kGrounds,
        "auto: search only where people can stand on the road, within ground_side_m (not in the "
        "plain view of a camera that does not look along the road); anywhere: search the whole "
        "picture."),
    number<&DetectorSettings::ground_shortest_m>("ground_shortest_m", 0.5, 1.8, "m",
                                                 "Height of the shortest person on the road."),
    number<&DetectorSettings::ground_tallest_m>("ground_tallest_m", 1.2, 2.5, "m",
                                                "Height of the tallest person on the road."),
    number<&DetectorSettings::ground_slack_deg>(
        "ground_slack_deg", 0, 10, "degrees",
        "Tolerance up and down, for errors of the pitch, slopes and kerbs."),
    number<&DetectorSettings::ground_side_m>(
        "ground_side_m", 0, 50, "m",
        "Largest distance to the side of straight ahead that is searched; 0: no limit.")};
constexpr Table kDetectorTable = table_of<DetectorSettings>(
    "detector", "Detecting people. One search for all cameras; for models see docs/kerblab.md.",
    kDetector);

constexpr Field kFlow[] = {
    flag<&FlowSettings::enabled>("enabled", "Estimate motion."),
    choice<&FlowSettings::method>(
        "method", kFlows,
        "lk: dense Lucas-Kanade; ncc: dense block matching; points: Lucas-Kanade at corners; "
        "auto: points on the CPU, lk on CUDA."),
    integer<&FlowSettings::width>(
        "width", 160, 1920, "pixels",
        "Wider pictures are reduced by a whole factor before flow is measured."),
    integer<&FlowSettings::points>("points", 100, 2048, "points",
                                   "Most motion vectors per frame.")};
constexpr Table kFlowTable =
    table_of<FlowSettings>("flow", "Optical flow from frame to frame; see docs/motion.md.", kFlow);

constexpr Field kEgo[] = {
    number<&EgoMotionSettings::noise_px>(
        "noise_px", 0.05, 2, "pixels",
        "Standard deviation of a good motion vector, in pixels of the camera's picture."),
    number<&EgoMotionSettings::aim_tolerance_deg>(
        "aim_tolerance_deg", 2, 20, "degrees",
        "Largest angle between the direction of travel and that of pitch_deg and yaw_deg."),
    number<&EgoMotionSettings::nearest_m>("nearest_m", 0.5, 10, "m",
                                          "Nearest distance of standing objects in the picture."),
    number<&EgoMotionSettings::slope_deg>("slope_deg", 0, 10, "degrees",
                                          "Largest rise of the road ahead."),
    number<&EgoMotionSettings::significance>(
        "significance", 2, 10, "standard deviations",
        "Residual from which an object counts as moving. Higher: fewer moving objects, fewer "
        "errors."),
    number<&EgoMotionSettings::walking_mps>(
        "walking_mps", 0.3, 2, "m/s",
        "Speed across the view that must be measurable before a person counts as standing.")};
constexpr Table kEgoTable = table_of<EgoMotionSettings>(
    "ego",
    "Ego-motion: separating the car's own motion from objects that move; see docs/motion.md.",
    kEgo);

constexpr Field kSpectral[] = {
    flag<&SpectralSettings::enabled>(
        "enabled",
        "Use the bands of cameras with a mosaic; false: people are told apart by shades of grey."),
    number<&SpectralSettings::reach_nm>(
        "reach_nm", 5, 200, "nm",
        "Mean earth mover's distance at which the likeness to a person's clothes becomes 0.")};
constexpr Table kSpectralTable = table_of<SpectralSettings>(
    "spectral",
    "Telling people apart by the spectral bands of their clothes; see docs/tracking.md.",
    kSpectral);

// From a cart that is pushed to an articulated bus.
constexpr Field kCar[] = {
    number<&CarSettings::width_m>("width_m", 0.6, 2.6, "m", "Width of the car without mirrors."),
    number<&CarSettings::length_m>("length_m", 1, 19, "m",
                                   "Length of the car from bumper to bumper."),
    number<&CarSettings::axle_to_bumper_m>("axle_to_bumper_m", 0, 15, "m",
                                           "Distance from the rear axle to the front bumper.")};
constexpr Table kCarTable = table_of<CarSettings>("car", "The car that carries the cameras.", kCar);

constexpr Field kWarning[] = {choice<&WarningSettings::sensitivity>(
    "sensitivity", kSensitivities, "How early the driver is warned.")};
constexpr Table kWarningTable =
    table_of<WarningSettings>("warning", "When the driver is warned.", kWarning);

constexpr Field kLimitedView[] = {
    flag<&LimitedViewSettings::enabled>(
        "enabled",
        "Tell the driver when people are seen only nearer than the car needs to stop. Warnings do "
        "not depend on it."),
    number<&LimitedViewSettings::reaction_s>(
        "reaction_s", 0.3, 3, "s",
        "Time from a person in view to the brakes, of Kerbwatch (0.3) and the driver. Longer: told "
        "at lower speeds."),
    number<&LimitedViewSettings::braking_mps2>(
        "braking_mps2", 2, 10, "m/s2",
        "Deceleration of the stopping distance. Less (wet road, loaded truck): told at lower "
        "speeds."),
    choice<&LimitedViewSettings::lamp>(
        "lamp", kViewLamps,
        "What the status lamp (amber) does meanwhile; slow_blink: a second on, a second off.")};
constexpr Table kLimitedViewTable = table_of<LimitedViewSettings>(
    "limited_view", "When the driver is told that people are seen too late (docs/warning.md).",
    kLimitedView);

using Threads = ThreadsSettings;
constexpr Field kThreads[] = {
    integer<&Threads::control, &ThreadSettings::priority>(
        "control_priority", 0, 98, "",
        "SCHED_FIFO priority of the thread that decides and warns; 0: the usual policy."),
    integer<&Threads::capture, &ThreadSettings::priority>(
        "capture_priority", 0, 98, "", "The same for the threads that read the cameras."),
    integer<&Threads::vision, &ThreadSettings::priority>(
        "vision_priority", 0, 98, "",
        "The same for the threads that process pictures, those of vision.threads included."),
    integer<&Threads::log, &ThreadSettings::priority>(
        "log_priority", 0, 98, "", "The same for the thread that writes the log."),
    text<&Threads::control, &ThreadSettings::cpus>(
        "control_cpus", 0, 200, TextRule::printable,
        "CPUs that thread may run on, such as \"0,2-3\"; empty: any."),
    text<&Threads::capture, &ThreadSettings::cpus>("capture_cpus", 0, 200, TextRule::printable,
                                                   "The same for the threads of cameras."),
    text<&Threads::vision, &ThreadSettings::cpus>("vision_cpus", 0, 200, TextRule::printable,
                                                  "The same for the processing of pictures."),
    text<&Threads::log, &ThreadSettings::cpus>("log_cpus", 0, 200, TextRule::printable,
                                               "The same for the log."),
    flag<&Threads::lock_memory>("lock_memory",
                                "Keep all memory in RAM (mlockall), so that nothing waits for a "
                                "page.")};
constexpr Table kThreadsTable = table_of<Threads>(
    "threads", "How the system runs Kerbwatch's threads; see docs/health.md.", kThreads);

// Below 5 % a lamp may not be seen at all; under 100 Hz it flickers.
constexpr Field kDimmer[] = {
    flag<&DimmerSettings::enabled>("enabled",
                                   "Dim both lamps: a PWM channel switches their supply. Without "
                                   "pulses the supply must be on."),
    path<&DimmerSettings::chip>("chip", "PWM chip, a folder of /sys/class/pwm."),
    integer<&DimmerSettings::channel>("channel", -1, 63, "", "Channel of that chip; -1: not set."),
    number<&DimmerSettings::frequency_hz>("frequency_hz", 100, 20000, "Hz", "Of the pulses."),
    flag<&DimmerSettings::active_low>("active_low", "A low level is the bright one."),
    number<&DimmerSettings::darkest>("darkest", 0.05, 1, "",
                                     "Share of the full brightness in the dark, or where the "
                                     "vehicle's dashboard is darkest.")};
constexpr Table kDimmerTable = table_of<DimmerSettings>(
    "lamp.dimmer", "The brightness of both lamps; see docs/warning.md.", kDimmer);

constexpr Field kLamp[] = {
    flag<&LampSettings::enabled>("enabled",
                                 "Drive the lamps. First find two free lines with gpioinfo."),
    path<&LampSettings::chip>("chip", "GPIO character device."),
    integer<&LampSettings::warning_line>("warning_line", -1, 1023, "line",
                                         "The red lamp: warnings; -1: not set."),
    integer<&LampSettings::status_line>("status_line", -1, 1023, "line",
                                        "The amber lamp: on unless it is ACTIVE and ready; -1: "
                                        "not set."),
    flag<&LampSettings::active_low>(
        "active_low", "A low level lights both lamps, whatever the next two keys say."),
    flag<&LampSettings::warning_active_low>("warning_active_low",
                                            "A low level lights the red one."),
    flag<&LampSettings::status_active_low>("status_active_low",
                                           "A low level lights the amber one, so that a pull-down "
                                           "lights it while nothing drives it."),
    table<&LampSettings::dimmer>("dimmer", "", kDimmerTable)};
constexpr Table kLampTable =
    table_of<LampSettings>("lamp", "The lamps, on lines of a GPIO chip.", kLamp);

constexpr Field kTone[] = {
    flag<&ToneSettings::enabled>("enabled", "Sound the warning."),
    text<&ToneSettings::device>("device", 1, 255, TextRule::printable,
                                "ALSA device, as aplay -L lists them."),
    number<&ToneSettings::collision, &TonePattern::frequency_hz>("frequency_hz", 800, 8000, "Hz",
                                                                 "Fundamental of the tone."),
    number<&ToneSettings::collision, &TonePattern::pulses_per_s>("pulses_per_s", 6, 12, "1/s",
                                                                 "Pulses in a second."),
    number<&ToneSettings::collision, &TonePattern::duty>("duty", 0.25, 0.95, "",
                                                         "Share of a pulse's period that sounds."),
    number<&ToneSettings::collision, &TonePattern::volume>("volume", 0.01, 1, "",
                                                           "Share of full scale."),
    number<&ToneSettings::quietest>("quietest", 0.1, 1, "",
                                    "Share of it where the vehicle's volume is lowest."),
    number<&ToneSettings::night_volume>(
        "night_volume", 0.1, 1, "", "Share of it in the dark, where the vehicle tells no volume.")};
constexpr Table kToneTable =
    table_of<ToneSettings>("tone", "The sound of a collision warning.", kTone);

// Under two seconds a camera that is opened slowly would restart the board; for longer than a
// minute nobody may drive with a program that hangs.
constexpr Field kWatchdog[] = {
    flag<&WatchdogSettings::enabled>("enabled",
                                     "Arm the device: the board restarts when Kerbwatch hangs."),
    path<&WatchdogSettings::device>("device", "Watchdog device."),
    integer<&WatchdogSettings::timeout_s>(
        "timeout_s", 2, 60, "s",
        "The board restarts after this time without a signal; real time.")};
constexpr Table kWatchdogTable = table_of<WatchdogSettings>(
    "watchdog",
    "A hardware watchdog. systemd's is used whenever it is there, and needs no setting.",
    kWatchdog);

// Boards switch themselves off at 105 to 125 degC.
constexpr Field kThermal[] = {
    flag<&ThermalSettings::enabled>("enabled", "Monitor the temperature."),
    path<&ThermalSettings::root>("root", "Folder of the thermal zones."),
    number<&ThermalSettings::degraded_c>("degraded_c", 50, 120, "degC", "DEGRADED from here."),
    number<&ThermalSettings::failed_c>("failed_c", 60, 125, "degC", "FAILED from here."),
    number<&ThermalSettings::hysteresis_c>("hysteresis_c", 1, 20, "degC",
                                           "Hysteresis: the fault ends this far below its limit.")};
constexpr Table kThermalTable =
    table_of<ThermalSettings>("thermal", "The board's temperature.", kThermal);

// A fault must be told in the time that docs/health.md promises (a lost camera: 300 ms), whatever
// is set; a limit of grey values must lie beyond what a street has.
constexpr Field kHealth[] = {
    integer<&HealthSettings::start>(
        "start_ms", 500, 30000, "ms",
        "Longest time to the first frame; until then the state is STARTING."),
    integer<&HealthSettings::camera_silent>("camera_silent_ms", 50, 300, "ms",
                                            "Time without a frame: DEGRADED."),
    integer<&HealthSettings::camera_failed>("camera_failed_ms", 200, 5000, "ms",
                                            "Time without a frame: FAILED."),
    integer<&HealthSettings::vision_stalled>(
        "vision_stalled_ms", 100, 5000, "ms",
        "Time in which the processing finishes no frame though frames wait: FAILED."),
    integer<&HealthSettings::vision_restart>(
        "vision_restart_ms", 0, 60000, "ms",
        "Time in which a GPU that has worked fails on every frame: Kerbwatch ends, to be started "
        "again. 0: never."),
    integer<&HealthSettings::recover>("recover_ms", 100, 10000, "ms",
                                      "Time without the fault, unbroken, before it ends."),
    number<&HealthSettings::dropped_degraded_percent>("dropped_degraded_percent", 1, 100, "%",
                                                      "Share of dropped frames: DEGRADED."),
    number<&HealthSettings::damaged_degraded_percent>("damaged_degraded_percent", 1, 50, "%",
                                                      "Share of corrupt frames: DEGRADED."),
    integer<&HealthSettings::frozen>("frozen_ms", 100, 2000, "ms",
                                     "Time of identical pictures: DEGRADED."),
    integer<&HealthSettings::shutter>(
        "shutter_ms", 0, 5000, "ms",
        "Thermal cameras: time for which the picture may stand still, or show the closed shutter, "
        "before that counts as frozen, blinded, dark or dirty."),
    number<&HealthSettings::blinded_mean>("blinded_mean", 200, 255, "grey value",
                                          "Mean of the picture at or above: DEGRADED."),
    number<&HealthSettings::dark_mean>("dark_mean", 0, 40, "grey value",
                                       "Mean of the picture at or below: DEGRADED."),
    number<&HealthSettings::dirty_percent>(
        "dirty_percent", 20, 90, "%",
        "Share of the picture that suddenly lost its detail: DEGRADED."),
    number<&HealthSettings::misaligned_deg>(
        "misaligned_deg", 1, 10, "degrees",
        "Angle between the camera's direction and its calibration: DEGRADED."),
    integer<&HealthSettings::bus_lost>("bus_lost_ms", 100, 5000, "ms",
                                       "Time without a working bus: DEGRADED, if can.required.")};
constexpr Table kHealthTable = table_of<HealthSettings>(
    "health", "Limits for the states DEGRADED and FAILED, and for recovery.", kHealth);

constexpr Field kBudget[] = {
    number<&BudgetSettings::capture>("capture_ms", 0.1, 1000, "ms",
                                     "Getting a frame from the camera."),
    number<&BudgetSettings::prepare>("prepare_ms", 0.1, 1000, "ms",
                                     "Converting the raw picture to grey and bands."),
    number<&BudgetSettings::check>(
        "check_ms", 0.1, 1000, "ms",
        "Checking for a frozen, blinded, dark, dirty or misaligned camera."),
    number<&BudgetSettings::flow>(
        "flow_ms", 0.1, 1000, "ms",
        "Optical flow, on average; where it takes longer, frames are skipped."),
    number<&BudgetSettings::detect>("detect_ms", 0.1, 1000, "ms", "Detecting people."),
    number<&BudgetSettings::motion>("motion_ms", 0.1, 1000, "ms", "Ego-motion and who moves."),
    number<&BudgetSettings::spectral>(
        "spectral_ms", 0.1, 1000, "ms",
        "Spectral search, on average; where it takes longer, frames are skipped."),
    number<&BudgetSettings::track>("track_ms", 0.1, 1000, "ms",
                                   "Tracking people and predicting contacts."),
    number<&BudgetSettings::publish>("publish_ms", 0.1, 1000, "ms",
                                     "Sending to bus, lamps and sound.")};
constexpr Table kBudgetTable =
    table_of<BudgetSettings>("budget", "Time that each stage may take for a frame.", kBudget);

constexpr Field kLog[] = {
    choice<&Config::log_level>("level", kLevels, "Lowest level that is written.")};
constexpr Table kLogTable = table_of<Config>("log", "The text log on standard error.", kLog);

constexpr Field kEvents[] = {
    flag<&EventSettings::enabled>("enabled", "Write the event log."),
    path<&EventSettings::path>("path", "The current file; older ones are named .1, .2 ..."),
    integer<&EventSettings::max_bytes>("max_bytes", 16 << 10, 64 << 20, "bytes",
                                       "Largest size of one file."),
    integer<&EventSettings::files>("files", 1, 100, "files", "Files kept, with the current one.")};
constexpr Table kEventsTable = table_of<EventSettings>(
    "events", "The event log: JSON lines in files of bounded size.", kEvents);

constexpr Field kRecord[] = {
    flag<&RecordSettings::enabled>("enabled", "Write records."),
    path<&RecordSettings::path>("path", "Folder of the records; created if missing."),
    number<&RecordSettings::before_s>("before_s", 1, 60, "s", "Recorded time before the warning."),
    number<&RecordSettings::after_s>("after_s", 0, 60, "s",
                                     "Recorded time after the end of the warning."),
    integer<&RecordSettings::max_megabytes>(
        "max_megabytes", 8, 1 << 20, "MiB",
        "Size of all records together; the oldest are deleted for a new one."),
    flag<&RecordSettings::pictures>("pictures", "Include small pictures, several per second."),
    choice<&RecordSettings::what>("what", kRecords,
                                  "Record all warnings, or only collision warnings.")};
constexpr Table kRecordTable =
    table_of<RecordSettings>("record", "Records of warnings; see docs/records.md.", kRecord);

// A driver must see a lamp that is lit, and shall not take it for a warning.
constexpr Field kSelfTest[] = {
    flag<&SelfTestSettings::enabled>(
        "enabled", "Try detector, lamps, sound, watchdog and storage at the start."),
    integer<&SelfTestSettings::lamp>(
        "lamp_ms", 0, 3000, "ms",
        "Light the red lamp for so long; the start does not wait for it. 0: not at all."),
    integer<&SelfTestSettings::tone>(
        "tone_ms", 0, 500, "ms",
        "Sound the tone for so long. 0: silence, and its device is opened all the same.")};
constexpr Table kSelfTestTable = table_of<SelfTestSettings>(
    "self_test", "What is tried at the start; see docs/health.md.", kSelfTest);

constexpr Field kLife[] = {
    flag<&LifeSettings::enabled>("enabled", "Keep counters and the driver's off switch."),
    path<&LifeSettings::path>("path", "The files that keep them: with .a and .b after it."),
    integer<&LifeSettings::interval>(
        "interval_ms", 10000, 3600000, "ms",
        "Time between two writes: what a power cut may cost. The off switch does not wait.")};
constexpr Table kLifeTable =
    table_of<LifeSettings>("life", "What outlives every start; see docs/diagnostics.md.", kLife);

constexpr Field kService[] = {flag<&Config::service_enabled>(
    "enabled", "Obey KW_Service: lamp and sound tests. Leave it off in traffic.")};
constexpr Table kServiceTable =
    table_of<Config>("service", "Tests that a workshop may request over the bus.", kService);

// Above the messages of a vehicle in service, so that they never delay one.
constexpr double kFirstTesterId = 0x600, kLastTesterId = 0x7FF;
constexpr Field kDiagnostics[] = {
    flag<&DiagnosticsSettings::enabled>(
        "enabled",
        "Answer a workshop's tester, and keep trouble codes. First find identifiers "
        "that no other control unit of the vehicle uses."),
    integer<&DiagnosticsSettings::request_id>(
        "request_id", kFirstTesterId, kLastTesterId, "",
        "Identifier of requests to this control unit (the default is 0x7B6)."),
    integer<&DiagnosticsSettings::response_id>(
        "response_id", kFirstTesterId, kLastTesterId, "",
        "Identifier of its responses (the default is 0x7BE)."),
    integer<&DiagnosticsSettings::functional_id>(
        "functional_id", kFirstTesterId, kLastTesterId, "",
        "Identifier of requests to all control units (the default is 0x7DF)."),
    path<&DiagnosticsSettings::path>("path", "File that keeps the trouble codes."),
    text<&DiagnosticsSettings::serial>("serial", 0, 24, TextRule::printable,
                                       "Serial number that a tester reads; empty: the board's."),
    text<&DiagnosticsSettings::vin>("vin", 0, 17, TextRule::name,
                                    "Vehicle identification number; empty: not known.")};
constexpr Table kDiagnosticsTable = table_of<DiagnosticsSettings>(
    "diagnostics", "A workshop's access: UDS over ISO-TP; see docs/diagnostics.md.", kDiagnostics);

constexpr Field kConfig[] = {
    table("clock", "", kClockTable),
    tables<&Config::cameras>("camera", 1, kMaxCameras, "", kCameraTable),
    tables<&Config::camera_pairs>("camera_pair", 0, kMaxCameraPairs, "", kCameraPairTable),
    table("vision", "", kVisionTable),
    table<&Config::detector>("detector", "", kDetectorTable),
    table<&Config::flow>("flow", "", kFlowTable),
    table<&Config::ego>("ego", "", kEgoTable),
    table<&Config::spectral>("spectral", "", kSpectralTable),
    table<&Config::car>("car", "", kCarTable),
    table<&Config::warning>("warning", "", kWarningTable),
    table<&Config::decisions>("decisions", "", kDecisionsTable),
    table<&Config::limited_view>("limited_view", "", kLimitedViewTable),
    table<&Config::can>("can", "", kCanTable),
    table<&Config::threads>("threads", "", kThreadsTable),
    table<&Config::lamp>("lamp", "", kLampTable),
    table<&Config::tone>("tone", "", kToneTable),
    table<&Config::watchdog>("watchdog", "", kWatchdogTable),
    table<&Config::thermal>("thermal", "", kThermalTable),
    table<&Config::health>("health", "", kHealthTable),
    table<&Config::budget>("budget", "", kBudgetTable),
    table("log", "", kLogTable),
    table<&Config::events>("events", "", kEventsTable),
    table<&Config::record>("record", "", kRecordTable),
    table<&Config::self_test>("self_test", "", kSelfTestTable),
    table<&Config::life>("life", "", kLifeTable),
    table("service", "", kServiceTable),
    table<&Config::diagnostics>("diagnostics", "", kDiagnosticsTable)};
constexpr Table kConfigTable = table_of<Config>("", "The file as a whole.", kConfig);

}  // namespace

const Table& config_table() { return kConfigTable; }

}  // namespace kerb::config
