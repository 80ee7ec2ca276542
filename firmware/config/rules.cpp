// SPDX-License-Identifier: Apache-2.0
#include "firmware/config/rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numbers>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "firmware/config/bands.hpp"
#include "firmware/config/road_view.hpp"
#include "firmware/config/schema.hpp"
#include "firmware/schema/reference.hpp"
#include "firmware/schema/words.hpp"
#include "hal/base/pixel_format.hpp"

namespace kerb::config {
namespace {

using schema::decimal;

constexpr double kFovMin_deg = 10, kFovMax_deg = 170;  // as the range of fov_deg
constexpr double kRoadAheadMin_m = 10;  // of road in view: with less, people are seen too late
constexpr double kBeyondEndsMax_m = 0.5, kBeyondSidesMax_m = 0.3;  // on a bracket, in a mirror
constexpr double kPerson_m = 1.7;   // who must be tall enough in the picture kRoadAheadMin_m ahead
constexpr double kBesideMin_m = 1;  // beside the car: people who walk into its way
constexpr double kBudgetMost_ms = 300;       // an older report of people is not used for warnings
constexpr double kDroppedMost_percent = 50;  // of frames, without a word

constexpr std::uint32_t kServiceMessageId = 0x6B0;  // as in firmware/can, which stands above

class Rules {
 public:
  Rules(const Config& config, schema::Reader& reader) : config_{config}, reader_{reader} {}

  void check() {
    for (std::size_t i = 0; i < config_.cameras.size(); ++i) {
      check_camera(i);
      check_calibration(i);
      check_place(i);
      check_exposure(i);
    }
    for (std::size_t i = 1; i < config_.cameras.size(); ++i) check_pair(i);
    for (std::size_t i = 0; i < config_.camera_pairs.size(); ++i) check_camera_pair(i);
    need(config_.thermal.degraded_c < config_.thermal.failed_c, "thermal.degraded_c",
         {"thermal.failed_c"}, "must be less than thermal.failed_c");
    check_lamps();
    need(config_.health.camera_silent < config_.health.camera_failed, "health.camera_silent_ms",
         {"health.camera_failed_ms"}, "must be less than health.camera_failed_ms");
    check_detector();
    check_vehicle();
    check_decisions();
    need(config_.car.axle_to_bumper_m <= config_.car.length_m, "car.axle_to_bumper_m",
         {"car.length_m"}, "must not be more than car.length_m");
    need(!config_.service_enabled || config_.can.enabled, "service.enabled", {"can.enabled"},
         "must be false without the bus: can.enabled");
    check_diagnostics();
    check_threads();
  }

 private:
  static std::string camera_key(std::size_t camera, const char* name) {
    return "camera[" + std::to_string(camera) + "]." + name;
  }

  [[nodiscard]] std::string value_of(const std::string& key) const {
    return schema::value_at(config_table(), &config_, key);
  }

  /// `others`: other keys that the rule depends on; their values are printed with it.
  void need(bool holds, const std::string& key, std::initializer_list<std::string> others,
            std::string rule) {
    if (holds || reader_.is_bad(key)) return;
    std::string values;
    for (const std::string& other : others) {
      if (reader_.is_bad(other)) return;
      values += (values.empty() ? "" : ", ") + value_of(other);
    }
    if (!values.empty()) rule += " (" + values + ")";
    reader_.report(key, value_of(key), std::move(rule));
  }

  void check_lamps() {
    const LampSettings& lamp = config_.lamp;
    const char* const why = "must be set: which one is free depends on the board";
    need(!lamp.enabled || lamp.warning_line >= 0, "lamp.warning_line", {}, why);
    need(!lamp.enabled || lamp.status_line >= 0, "lamp.status_line", {}, why);
    need(lamp.status_line < 0 || lamp.warning_line != lamp.status_line, "lamp.status_line",
         {"lamp.warning_line"}, "must differ from lamp.warning_line");
    need(lamp.enabled || !lamp.dimmer.enabled, "lamp.dimmer.enabled", {"lamp.enabled"},
         "must be false without lamps: lamp.enabled");
    need(!lamp.dimmer.enabled || lamp.dimmer.channel >= 0, "lamp.dimmer.channel", {}, why);
  }

  void check_camera(std::size_t i) {
    const CameraSettings& camera = config_.cameras[i];
    const auto key = [&](const char* name) { return camera_key(i, name); };
    const bool live = camera.kind == CameraKind::v4l2;
    const bool recording = camera.kind == CameraKind::folder || camera.kind == CameraKind::video;
    const std::string source = key("source");

    need(!recording || reader_.has(key("device")), key("device"), {source},
         "must be set: the recording of this camera.source");
    need(live || camera.memory == BufferMode::automatic, key("memory"), {source},
         "must be \"auto\" unless camera.source is \"v4l2\"");
    need(!live || camera.pace == Pace::real, key("pace"), {source},
         "must be \"real\" for this camera.source");

    PixelFormat format{};
    const bool known = parse(camera.format, format);
    if (camera.imaging == Imaging::thermal) {
      const bool luma = known && (!has_colour(format) || format == PixelFormat::nv12 ||
                                  format == PixelFormat::yuyv || format == PixelFormat::uyvy);
      need(camera.format == "auto" || luma, key("format"), {key("kind")},
           "must be auto, a grey one, nv12, yuyv or uyvy for this camera.kind");
      need(camera.mosaic == 0, key("mosaic"), {key("kind")}, "must be 0 for this camera.kind");
    }
    const int depth = known ? bit_depth(format) : 16;
    need(camera.imaging == Imaging::visible || depth == 8 || camera.range_min_counts < 1 << depth,
         key("range_min_counts"), {key("format")},
         "must be less than the counts that camera.format has");
    need(camera.mosaic != 1, key("mosaic"), {}, "must be 0 or 2..8 (pixels)");
    need(camera.mosaic < 2 || (known && is_single_sample(format)), key("mosaic"), {key("format")},
         "must be 0 unless camera.format is a grey or bayer one");
    const std::optional<std::vector<double>> bands = parse_bands(camera.bands_nm);
    need(bands.has_value(), key("bands_nm"), {},
         "must be numbers of 200..20000 (nm), separated by commas");
    need(!bands || bands->empty() ||
             static_cast<int>(bands->size()) == camera.mosaic * camera.mosaic,
         key("bands_nm"), {key("mosaic")}, "must have one wavelength for each band of the mosaic");
    if (known && !recording) {
      need(size_fits(format, camera.width, 2), key("width"), {key("format")},
           "must be even for this camera.format");
      need(size_fits(format, 2, camera.height), key("height"), {key("format")},
           "must be even for this camera.format");
    }
    if (camera.pace == Pace::real) {
      // One frame and a half: with less, a working camera would count as silent.
      const double silent_ms =
          std::chrono::duration<double, std::milli>{config_.health.camera_silent}.count();
      const double least = 1500 / silent_ms;
      need(camera.rate_hz >= least, key("rate_hz"), {"health.camera_silent_ms"},
           "must be at least " + decimal(std::ceil(least * 100) / 100) +
               ", or health.camera_silent_ms longer");
      // One repeated frame is not a frozen picture.
      const double frozen_ms =
          std::chrono::duration<double, std::milli>{config_.health.frozen}.count();
      need(frozen_ms >= 2000 / camera.rate_hz, "health.frozen_ms", {key("rate_hz")},
           "must be two frames or more of every camera");
    }
  }

  /// Checks lens and mounting. A recording's size is known only when it runs, so its lens is
  /// checked where the file has the size.
  void check_calibration(std::size_t i) {
    const CameraSettings& camera = config_.cameras[i];
    const auto key = [&](const char* name) { return camera_key(i, name); };
    const bool recording = camera.kind == CameraKind::folder || camera.kind == CameraKind::video;
    if (recording && !(reader_.has(key("width")) && reader_.has(key("height")))) return;
    constexpr std::array kNeeded = {"width",    "height",    "fov_deg",  "focal_px", "center_x",
                                    "center_y", "pitch_deg", "roll_deg", "height_m", "k1",
                                    "k2",       "k3",        "p1",       "p2"};
    if (std::ranges::any_of(kNeeded, [&](const char* name) { return reader_.is_bad(key(name)); }))
      return;
    const bool wide = camera.center_x.value_or(0) <= camera.width - 1;
    const bool high = camera.center_y.value_or(0) <= camera.height - 1;
    need(wide, key("center_x"), {key("width")}, "must lie in the picture: less than camera.width");
    need(high, key("center_y"), {key("height")},
         "must lie in the picture: less than camera.height");
    if (!wide || !high) return;
    const RoadView view = road_view(camera);
    const std::string focal = camera.focal_px ? "focal_px" : "fov_deg";
    need(view.fov_deg >= kFovMin_deg && view.fov_deg <= kFovMax_deg, key("focal_px"),
         {key("width")},
         "makes an angle of view of " + rounded(view.fov_deg) +
             " degrees with camera.width, must be " + decimal(kFovMin_deg) + ".." +
             decimal(kFovMax_deg));
    if (view.folds) {
      // The first that is not zero: one of them must be wrong.
      const char* first = camera.k1 != 0   ? "k1"
                          : camera.k2 != 0 ? "k2"
                          : camera.k3 != 0 ? "k3"
                          : camera.p1 != 0 ? "p1"
                                           : "p2";
      need(false, key(first), {},
           "must not fold the picture: with k1 k2 k3 p1 p2 and " + focal +
               " as they are, two of its pixels show the same direction");
      return;  // what the camera sees is unknown then
    }
    need(view.lowest_deg < 0, key("pitch_deg"), {},
         "must show the road: the whole picture is above the horizon, by at least " +
             rounded(view.lowest_deg) + " degrees");
    need(view.farthest_road_m >= kRoadAheadMin_m, key("pitch_deg"), {},
         "must show the road " + decimal(kRoadAheadMin_m) + " m ahead: the picture ends " +
             rounded(view.farthest_road_m) + " m from the camera, " + decimal(kRoadAheadMin_m) +
             " m are needed");
    check_smallest(i, view);
  }

  /// Checks that people are found before they are at the bumper.
  void check_smallest(std::size_t i, const RoadView& view) {
    if (config_.detector.view == DetectorView::upright) return;  // has a scale of its own
    const double focal_px =
        config_.cameras[i].width / 2.0 / std::tan(view.fov_deg / 2 * std::numbers::pi / 180);
    const double person_px = focal_px * kPerson_m / kRoadAheadMin_m;
    need(config_.detector.min_height.value_or(0) <= person_px, "detector.min_height",
         {camera_key(i, "width")},
         "must be at most " + decimal(std::floor(person_px)) + ", the height of a person " +
             decimal(kRoadAheadMin_m) + " m from camera[" + std::to_string(i) + "]");
  }

  void check_exposure(std::size_t i) {
    const CameraSettings& camera = config_.cameras[i];
    const auto key = [&](const char* name) { return camera_key(i, name); };
    const bool camera_mode = camera.exposure.mode == ExposureMode::camera;
    const std::string mode = key("exposure.mode");
    need(camera_mode || camera.kind == CameraKind::v4l2, mode, {key("source")},
         "must be \"camera\" unless camera.source is \"v4l2\"");
    need(camera_mode || !camera.exposure_us, mode, {key("exposure_us")},
         "must be \"camera\" with a fixed camera.exposure_us");
    need(camera_mode || !camera.gain, mode, {key("gain")},
         "must be \"camera\" with a fixed camera.gain");
    need(camera.exposure.noise_read.has_value() == camera.exposure.noise_shot.has_value(),
         key(camera.exposure.noise_read ? "exposure.noise_read" : "exposure.noise_shot"), {},
         "must be set together: noise_read and noise_shot");
    if (camera.kind != CameraKind::v4l2) return;
    const double frame_ms = 1000 / camera.rate_hz;
    const std::string frame = "must not be more than a frame of camera.rate_hz: " +
                              decimal(std::floor(frame_ms * 100) / 100) + " ms";
    need(camera_mode || camera.exposure.longest_ms <= frame_ms, key("exposure.longest_ms"),
         {key("rate_hz")}, frame);
    need(camera.exposure_us.value_or(0) <= 1000 * frame_ms, key("exposure_us"), {key("rate_hz")},
         frame);
  }

  /// Checks that the camera is at the car.
  void check_place(std::size_t i) {
    const CameraSettings& camera = config_.cameras[i];
    const CarSettings& car = config_.car;
    if (reader_.is_bad("car.length_m") || reader_.is_bad("car.width_m")) return;
    const double behind = car.length_m - car.axle_to_bumper_m;
    if (behind < 0) return;  // already reported
    need(camera.ahead_m <= car.axle_to_bumper_m + kBeyondEndsMax_m, camera_key(i, "ahead_m"),
         {"car.axle_to_bumper_m"},
         "must be at the car: at most " + decimal(kBeyondEndsMax_m) +
             " more than car.axle_to_bumper_m");
    need(camera.ahead_m >= -behind - kBeyondEndsMax_m, camera_key(i, "ahead_m"),
         {"car.axle_to_bumper_m", "car.length_m"},
         "must be at the car: at least " + rounded(-behind - kBeyondEndsMax_m) +
             ", by car.axle_to_bumper_m and car.length_m");
    need(std::abs(camera.left_m) <= car.width_m / 2 + kBeyondSidesMax_m, camera_key(i, "left_m"),
         {"car.width_m"},
         "must be at the car: at most " + decimal(kBeyondSidesMax_m) +
             " beyond half of car.width_m");
  }

  static std::string rounded(double value) { return decimal(std::round(value * 10) / 10); }

  void check_detector() {
    const DetectorSettings& d = config_.detector;
    need(d.max_height == 0 || d.min_height.value_or(0) <= d.max_height, "detector.min_height",
         {"detector.max_height"}, "must not be more than detector.max_height");
    need(d.region_x == 0 || d.region_width > 0, "detector.region_x", {"detector.region_width"},
         "must be 0 unless detector.region_width is set");
    need(d.region_y == 0 || d.region_height > 0, "detector.region_y", {"detector.region_height"},
         "must be 0 unless detector.region_height is set");
    need(d.ground_shortest_m <= d.ground_tallest_m, "detector.ground_shortest_m",
         {"detector.ground_tallest_m"}, "must not be more than detector.ground_tallest_m");
    const double beside = config_.car.width_m / 2 + kBesideMin_m;
    need(d.ground_side_m == 0 || d.ground_side_m >= beside, "detector.ground_side_m",
         {"car.width_m"},
         "must be 0 or at least " + decimal(kBesideMin_m) + " m more than half of car.width_m");
  }

  /// What only an emulated board may have, whose clock is slower than real time: there, times and
  /// losses say nothing of the product.
  void check_threads() {
    const ThreadsSettings& t = config_.threads;
    for (const auto& [key, cpus] : {std::pair{"threads.control_cpus", &t.control.cpus},
                                    std::pair{"threads.capture_cpus", &t.capture.cpus},
                                    std::pair{"threads.vision_cpus", &t.vision.cpus},
                                    std::pair{"threads.log_cpus", &t.log.cpus}})
      need(parse_cpus(*cpus).has_value(), key, {},
           "must be CPUs and ranges of them, 0..1023, separated by commas");
    // A picture takes long: what decides and what reads cameras must not wait for it.
    need(t.vision.priority == 0 || t.vision.priority < t.control.priority,
         "threads.vision_priority", {"threads.control_priority"},
         "must be less than threads.control_priority");
    need(t.log.priority == 0 || t.log.priority < t.control.priority, "threads.log_priority",
         {"threads.control_priority"}, "must be less than threads.control_priority");
  }

  void check_vehicle() {
    if (config_.clock_rate < 1) return;
    need(config_.health.dropped_degraded_percent <= kDroppedMost_percent,
         "health.dropped_degraded_percent", {"clock.rate"},
         "must be at most " + decimal(kDroppedMost_percent) + " in a vehicle");
    const BudgetSettings& b = config_.budget;
    const std::array<std::pair<const char*, Nanos>, 9> stages{{{"capture", b.capture},
                                                               {"prepare", b.prepare},
                                                               {"check", b.check},
                                                               {"flow", b.flow},
                                                               {"detect", b.detect},
                                                               {"motion", b.motion},
                                                               {"spectral", b.spectral},
                                                               {"track", b.track},
                                                               {"publish", b.publish}}};
    Nanos sum{};
    for (const auto& [name, time] : stages) sum += time;
    const auto& longest =
        *std::ranges::max_element(stages, {}, [](const auto& s) { return s.second; });
    const double sum_ms = std::chrono::duration<double, std::milli>{sum}.count();
    need(sum_ms <= kBudgetMost_ms, "budget." + std::string{longest.first} + "_ms", {"clock.rate"},
         "must be less: all stages together have " + rounded(sum_ms) +
             " ms, and people who were seen more than " + decimal(kBudgetMost_ms) +
             " ms ago are not warned of");
  }

  void check_decisions() {
    const track::TrackerSettings& t = config_.decisions.tracker;
    need(t.flow.inner_top < t.flow.inner_bottom, "decisions.flow.inner_top",
         {"decisions.flow.inner_bottom"}, "must be less than decisions.flow.inner_bottom");
    need(t.flow.near < t.flow.far, "decisions.flow.near", {"decisions.flow.far"},
         "must be less than decisions.flow.far");
    need(t.filter.outliers.flow_outlier2 <= t.filter.outliers.flow_reject2,
         "decisions.outliers.flow_outlier2", {"decisions.outliers.flow_reject2"},
         "must not be more than decisions.outliers.flow_reject2");
    need(t.bands.same <= t.bands.other, "decisions.bands.same", {"decisions.bands.other"},
         "must not be more than decisions.bands.other");
  }

  void check_diagnostics() {
    const DiagnosticsSettings& d = config_.diagnostics;
    need(!d.enabled || config_.can.enabled, "diagnostics.enabled", {"can.enabled"},
         "must be false without the bus: can.enabled");
    need(d.response_id != d.request_id, "diagnostics.response_id", {"diagnostics.request_id"},
         "must differ from diagnostics.request_id");
    need(d.functional_id != d.request_id, "diagnostics.functional_id", {"diagnostics.request_id"},
         "must differ from diagnostics.request_id");
    need(d.functional_id != d.response_id, "diagnostics.functional_id", {"diagnostics.response_id"},
         "must differ from diagnostics.response_id");
    for (const auto& [id, key] : {std::pair{d.request_id, "diagnostics.request_id"},
                                  std::pair{d.response_id, "diagnostics.response_id"},
                                  std::pair{d.functional_id, "diagnostics.functional_id"}})
      need(id != kServiceMessageId, key, {}, "must differ from the 0x6B0 of KW_Service");
    need(d.vin.empty() || d.vin.size() == 17, "diagnostics.vin", {},
         "must have 17 characters, or none");
  }

  void check_pair(std::size_t i) {
    for (std::size_t k = 0; k < i; ++k) {
      const CameraSettings &a = config_.cameras[k], &b = config_.cameras[i];
      need(a.name != b.name, camera_key(i, "name"), {camera_key(k, "name")},
           "must differ from " + camera_key(k, "name"));
      const bool both_live = a.kind == CameraKind::v4l2 && b.kind == CameraKind::v4l2;
      need(!both_live || a.device != b.device, camera_key(i, "device"), {camera_key(k, "device")},
           "must differ from " + camera_key(k, "device"));
    }
  }

  /// Checks that it joins two cameras of this file that no other pair joins.
  void check_camera_pair(std::size_t i) {
    const auto key = [](std::size_t pair, const char* name) {
      return "camera_pair[" + std::to_string(pair) + "]." + name;
    };
    const CameraPair& pair = config_.camera_pairs[i];
    if (reader_.is_bad("camera")) return;
    std::string names;
    for (const CameraSettings& camera : config_.cameras)
      names += (names.empty() ? "" : ", ") + camera.name;
    const auto known = [&](const std::string& name) {
      return std::ranges::any_of(config_.cameras,
                                 [&](const CameraSettings& camera) { return camera.name == name; });
    };
    need(known(pair.first), key(i, "first"), {}, "must be the name of a camera: " + names);
    need(known(pair.second), key(i, "second"), {}, "must be the name of a camera: " + names);
    if (!known(pair.first) || !known(pair.second)) return;
    need(pair.first != pair.second, key(i, "second"), {key(i, "first")},
         "must differ from " + key(i, "first"));
    for (std::size_t k = 0; k < i; ++k) {
      const CameraPair& other = config_.camera_pairs[k];
      const bool same = (pair.first == other.first && pair.second == other.second) ||
                        (pair.first == other.second && pair.second == other.first);
      need(!same, key(i, "second"), {key(i, "first")},
           "must not join the cameras of camera_pair[" + std::to_string(k) + "] again");
    }
  }

  const Config& config_;
  schema::Reader& reader_;
};

}  // namespace

void check_rules(const Config& config, schema::Reader& reader) { Rules{config, reader}.check(); }

}  // namespace kerb::config
