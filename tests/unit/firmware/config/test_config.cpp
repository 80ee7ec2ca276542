// SPDX-License-Identifier: Apache-2.0
// With --write as its argument it first writes what it would compare with: the reference in
// docs/configuration.md and the lines expected of the files in wrong/. Look at the difference
// before you commit it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/config/config.hpp"
#include "firmware/config/schema.hpp"
#include "firmware/schema/reference.hpp"
#include "firmware/schema/words.hpp"
#include "hal/base/pixel_format.hpp"
#include "tests/support/test.hpp"

namespace fs = std::filesystem;
using namespace kerb;
using namespace std::chrono_literals;
using schema::Field;
using schema::Kind;
using schema::Problem;

namespace {

const fs::path kRoot = KERB_SOURCE_DIR;
const fs::path kExamples = kRoot / "firmware/config/examples";
const fs::path kWrong = kRoot / "tests/unit/firmware/config/wrong";
const fs::path kReference = kRoot / "docs/configuration.md";
constexpr std::string_view kBegin =
    "<!-- keys: begin (made by unit_firmware_config config --write) -->\n";
constexpr std::string_view kEnd = "<!-- keys: end -->\n";

std::string read(const fs::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}
void write(const fs::path& path, const std::string& text) {
  std::ofstream{path, std::ios::binary} << text;
}
std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}
std::vector<fs::path> files_of(const fs::path& folder, const char* extension) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator{folder})
    if (entry.path().extension() == extension) out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}
/// The lines for a file of wrong/, named without its folder.
std::string lines_of(const fs::path& path) {
  return joined(parse_config(read(path), path.filename().string()).lines());
}
std::string with_reference(std::string document) {
  const std::size_t begin = document.find(kBegin), end = document.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos) return {};
  const std::size_t from = begin + kBegin.size();
  return document.replace(from, end - from, "\n" + render_config_reference());
}

/// A key, and the beginning of a file down to its table.
struct Key {
  const Field* field;
  std::string name;  ///< "can.vehicle.speed_max_mps"
  std::string head;  ///< "[can.vehicle]\n"
};
void add_keys(const schema::Table& table, const std::string& name, const std::string& head,
              std::vector<Key>& out) {
  for (const Field& field : table.fields) {
    const std::string full = schema::join(name, field.name);
    if (field.table != nullptr) {
      // A table of a camera needs the camera before it.
      const std::string before = head.starts_with("[[") ? head : "";
      const std::string own = field.kind == Kind::tables ? "[[" + full + "]]"
                                                         : schema::heading(field, full, field.name);
      add_keys(*field.table, full, before + own + "\n", out);
    } else {
      out.push_back({&field, full, head});
    }
  }
}
std::vector<Key> all_keys() {
  std::vector<Key> out;
  add_keys(config::config_table(), "", "", out);
  TEST_ASSERT_GREATER_THAN(100, out.size());
  return out;
}

void write_expectations() {
  write(kReference, with_reference(read(kReference)));
  for (const fs::path& path : files_of(kWrong, ".toml"))
    write(fs::path{path}.replace_extension(".expected"), lines_of(path));
}

TEST(an_empty_file_is_the_default) {
  const LoadResult result = parse_config("", "empty");
  TEST_ASSERT_EQUAL_STRING("", joined(result.lines()).c_str());
  TEST_ASSERT_EQUAL_STRING(render_default_config().c_str(), render_config(result.config).c_str());
}

TEST(the_default_file_reads_back_as_the_default) {
  const LoadResult result = parse_config(render_default_config(), "default");
  TEST_ASSERT_EQUAL_STRING("", joined(result.lines()).c_str());
  TEST_ASSERT_EQUAL_STRING(render_default_config().c_str(), render_config(result.config).c_str());
}

TEST(the_examples_are_good) {
  const std::vector<fs::path> examples = files_of(kExamples, ".toml");
  TEST_ASSERT_GREATER_OR_EQUAL(2, examples.size());
  for (const fs::path& path : examples)
    TEST_ASSERT_EQUAL_STRING("", joined(load_config(path.string()).lines()).c_str());
}

TEST(every_value_arrives_where_it_belongs) {
  const LoadResult result = load_config((kExamples / "two-cameras.toml").string());
  TEST_ASSERT_EQUAL(2, result.config.cameras.size());
  const CameraSettings& spectral = result.config.cameras[1];
  TEST_ASSERT_EQUAL_STRING("spectral", spectral.name.c_str());
  TEST_ASSERT_EQUAL_STRING("grey10", spectral.format.c_str());
  TEST_ASSERT_EQUAL(4, spectral.mosaic);
  TEST_ASSERT_EQUAL(8000, *spectral.exposure_us);
  TEST_ASSERT_FALSE(result.config.cameras[0].exposure_us.has_value());
  const LoadResult other = parse_config(
      "clock.rate = 0.25\nvision.backend = \"cuda\"\nhealth.camera_silent_ms = "
      "100\nbudget.check_ms = 0.5\n"
      "detector.thermal_model = \"heat.kwm\"\nhealth.shutter_ms = 2500\n"
      "detector.model = \"people.kwm\"\ndetector.fusion = \"suppression\"\n"
      "detector.ground = \"anywhere\"\ndetector.ground_slack_deg = 2.5\n"
      "record.enabled = false\nrecord.before_s = 12.5\nrecord.max_megabytes = 64\n"
      "record.what = \"collisions\"\nbudget.track_ms = 1.5\n"
      "detector.ground_side_m = 30.5\nvision.threads = 3\ndetector.threshold = -0.5\n"
      "events.max_bytes = 67108864\ncan.vehicle.motion_stale_ms = 77\nlog.level = \"error\"\n"
      "[[camera]]\nsource = \"video\"\ndevice = \"a.mp4\"\npace = \"recorded\"\nloop = false\n"
      "[[camera]]\nname = \"heat\"\nkind = \"thermal\"\nwidth = 640\nheight = 512\nformat = "
      "\"grey14\"\nrange_min_counts = 1000\n",
      "t");
  TEST_ASSERT_EQUAL_STRING("", joined(other.lines()).c_str());
  TEST_ASSERT_EQUAL_DOUBLE(0.25, other.config.clock_rate);
  TEST_ASSERT_EQUAL(VisionBackend::cuda, other.config.vision_backend);
  TEST_ASSERT_EQUAL(3, other.config.vision_threads);
  TEST_ASSERT_EQUAL_STRING("people.kwm", other.config.detector.model.c_str());
  TEST_ASSERT_EQUAL(FusionMethod::suppression, other.config.detector.fusion);
  TEST_ASSERT_EQUAL_DOUBLE(30.5, other.config.detector.ground_side_m);
  TEST_ASSERT_EQUAL_DOUBLE(2.5, other.config.detector.ground_slack_deg);
  TEST_ASSERT_EQUAL(GroundUse::anywhere, other.config.detector.ground);
  TEST_ASSERT_EQUAL(GroundUse::automatic, result.config.detector.ground);
  TEST_ASSERT_TRUE(result.config.record.enabled);
  TEST_ASSERT_FALSE(other.config.record.enabled);
  TEST_ASSERT_EQUAL_DOUBLE(12.5, other.config.record.before_s);
  TEST_ASSERT_EQUAL_INT(64, other.config.record.max_megabytes);
  TEST_ASSERT_EQUAL(RecordWhat::collisions, other.config.record.what);
  TEST_ASSERT_TRUE(other.config.budget.track == 1500us);
  TEST_ASSERT_TRUE(result.config.detector.model.empty());
  TEST_ASSERT_FALSE(result.config.detector.threshold.has_value());
  TEST_ASSERT_EQUAL_DOUBLE(-0.5, other.config.detector.threshold.value());
  TEST_ASSERT_TRUE(other.config.health.camera_silent == 100ms);
  TEST_ASSERT_TRUE(other.config.budget.check == 500us);
  TEST_ASSERT_EQUAL_INT64(67108864, other.config.events.max_bytes);
  TEST_ASSERT_TRUE(other.config.can.vehicle.motion_stale == 77ms);
  TEST_ASSERT_EQUAL(LogLevel::error, other.config.log_level);
  TEST_ASSERT_EQUAL(CameraKind::video, other.config.cameras[0].kind);
  TEST_ASSERT_EQUAL(Pace::recorded, other.config.cameras[0].pace);
  TEST_ASSERT_FALSE(other.config.cameras[0].loop);
  TEST_ASSERT_EQUAL(Imaging::visible, other.config.cameras[0].imaging);
  TEST_ASSERT_EQUAL(Imaging::thermal, other.config.cameras[1].imaging);
  TEST_ASSERT_EQUAL_STRING("grey14", other.config.cameras[1].format.c_str());
  TEST_ASSERT_EQUAL_INT(1000, other.config.cameras[1].range_min_counts);
  TEST_ASSERT_EQUAL_INT(255, other.config.cameras[0].range_min_counts);
  TEST_ASSERT_EQUAL_STRING("heat.kwm", other.config.detector.thermal_model.c_str());
  TEST_ASSERT_TRUE(other.config.health.shutter == 2500ms);
}

TEST(each_lamp_has_its_own_polarity_and_the_old_key_is_both) {
  struct Case {
    const char* text;
    bool warning, status;
  };
  for (const Case& c : {Case{"", false, false}, Case{"active_low = true\n", true, true},
                        Case{"status_active_low = true\n", false, true},
                        Case{"warning_active_low = true\n", true, false}}) {
    const LoadResult result = parse_config(std::string{"[lamp]\n"} + c.text, "lamps");
    TEST_ASSERT_TRUE_MESSAGE(result.ok(), c.text);
    TEST_ASSERT_EQUAL_MESSAGE(c.warning, result.config.lamp.warning_is_low(), c.text);
    TEST_ASSERT_EQUAL_MESSAGE(c.status, result.config.lamp.status_is_low(), c.text);
  }
}

TEST(each_wrong_file_gets_its_lines) {
  const std::vector<fs::path> wrong = files_of(kWrong, ".toml");
  TEST_ASSERT_GREATER_OR_EQUAL(10, wrong.size());
  for (const fs::path& path : wrong) {
    const std::string expected = read(fs::path{path}.replace_extension(".expected"));
    TEST_ASSERT_FALSE_MESSAGE(expected.empty(), path.c_str());
    TEST_ASSERT_EQUAL_STRING_MESSAGE(expected.c_str(), lines_of(path).c_str(), path.c_str());
  }
}

/// The heart of it, spelt out here as well: key, value and rule, each in its place.
TEST(a_problem_names_key_value_and_rule) {
  struct Case {
    const char *text, *key, *value, *rule;
  };
  constexpr Case kCases[] = {
      {"[[camera]]\nwidth = 20000", "camera[0].width", "20000", "must be 160..4096 (pixels)"},
      {"[tone]\nduty = 1.5", "tone.duty", "1.5", "must be 0.25..0.95"},
      {"[tone]\npulses_per_s = 5", "tone.pulses_per_s", "5", "must be 6..12 (1/s)"},
      {"[can]\ninterface = 0", "can.interface", "0", "is an integer, must be a string"},
      {"[can]\nenabled = \"yes\"", "can.enabled", "\"yes\"", "is a string, must be true or false"},
      {"[vision]\nbackend = \"cudda\"", "vision.backend", "\"cudda\"",
       "must be one of auto, cpu, cuda; did you mean 'cuda'?"},
      {"[health]\nrecover_sm = 1", "health.recover_sm", "1",
       "unknown key; did you mean 'recover_ms'?"},
      {"[thermal]\nfailed_c = 80", "thermal.degraded_c", "90",
       "must be less than thermal.failed_c (80)"},
      {"[decisions.flow]\ninner_top = 0.5\ninner_bottom = 0.5", "decisions.flow.inner_top", "0.5",
       "must be less than decisions.flow.inner_bottom (0.5)"},
      {"[decisions.flow]\nfar = 0.5", "decisions.flow.near", "0.55",
       "must be less than decisions.flow.far (0.5)"},
      {"[decisions.outliers]\nflow_reject2 = 5", "decisions.outliers.flow_outlier2", "6",
       "must not be more than decisions.outliers.flow_reject2 (5)"},
      {"[decisions.bands]\nother = 0.3", "decisions.bands.same", "0.35",
       "must not be more than decisions.bands.other (0.3)"},
      {"[lamp]\nwarning_line = 0\nstatus_line = 0", "lamp.status_line", "0",
       "must differ from lamp.warning_line (0)"},
      {"[lamp]\nenabled = true\nwarning_line = 3", "lamp.status_line", "-1",
       "must be set: which one is free depends on the board"},
      {"[lamp]\nenabled = true\nwarning_line = 3\nstatus_line = 4\n[lamp.dimmer]\nenabled = true",
       "lamp.dimmer.channel", "-1", "must be set: which one is free depends on the board"},
      {"[detector]\nscale_step = 1", "detector.scale_step", "1", "must be 1.01..2"},
      {"[detector]\nfusion = \"mean_shift\"", "detector.fusion", "\"mean_shift\"",
       "must be one of auto, mean-shift, suppression; did you mean 'mean-shift'?"},
      {"[detector]\nmin_height = 90\nmax_height = 80", "detector.min_height", "90",
       "must not be more than detector.max_height (80)"},
      {"[detector]\nregion_x = 8", "detector.region_x", "8",
       "must be 0 unless detector.region_width is set (0)"},
      {"[detector]\nground_shortest_m = 1.6\nground_tallest_m = 1.5", "detector.ground_shortest_m",
       "1.6", "must not be more than detector.ground_tallest_m (1.5)"},
      {"[detector]\nmodel = 7", "detector.model", "7",
       "is an integer, must be a string: 0..255 printable characters"},
      {"[clock]\nrate = nan", "clock.rate", "nan", "must be 0.1..1 (s/s)"},
      {"[watchdog]\ntimeout_s = 99999999999999999", "watchdog.timeout_s", "99999999999999999",
       "must be 2..60 (s)"},
      {"[health]\ncamera_silent_ms = 300\ncamera_failed_ms = 300", "health.camera_silent_ms", "300",
       "must be less than health.camera_failed_ms (300)"},
      {"[[camera]]\npitch_deg = 30", "camera[0].pitch_deg", "30",
       "must show the road: the whole picture is above the horizon, by at least "},
      {"[[camera]]\npitch_deg = -45", "camera[0].pitch_deg", "-45",
       "must show the road 10 m ahead: the picture ends 3.2 m from the camera, 10 m are needed"},
      {"[[camera]]\nroll_deg = 90", "camera[0].roll_deg", "90", "must be -45..45 (degrees)"},
      {"[[camera]]\nk1 = -0.9", "camera[0].k1", "-0.9",
       "must not fold the picture: with k1 k2 k3 p1 p2 and fov_deg as they are, two of its pixels "
       "show the same direction"},
      {"[[camera]]\nfocal_px = 500\np2 = 0.5", "camera[0].p2", "0.5",
       "must not fold the picture: with k1 k2 k3 p1 p2 and focal_px as they are"},
      {"[[camera]]\ncenter_x = 1280", "camera[0].center_x", "1280",
       "must lie in the picture: less than camera.width (1280)"},
      {"[[camera]]\ncenter_y = 900", "camera[0].center_y", "900",
       "must lie in the picture: less than camera.height (720)"},
      {"[[camera]]\nfocal_px = 20000", "camera[0].focal_px", "20000",
       "makes an angle of view of 3.7 degrees with camera.width, must be 10..170 (1280)"},
      {"[[camera]]\nahead_m = 5", "camera[0].ahead_m", "5",
       "must be at the car: at most 0.5 more than car.axle_to_bumper_m (3.6)"},
      {"[[camera]]\nahead_m = -1.5", "camera[0].ahead_m", "-1.5",
       "must be at the car: at least -1.4, by car.axle_to_bumper_m and car.length_m (3.6, 4.5)"},
      {"[[camera]]\nleft_m = 1.5", "camera[0].left_m", "1.5",
       "must be at the car: at most 0.3 beyond half of car.width_m (1.8)"},
      {"[car]\nlength_m = 3", "car.axle_to_bumper_m", "3.6",
       "must not be more than car.length_m (3)"},
      {"[[camera]]\nkind = \"termal\"", "camera[0].kind", "\"termal\"",
       "must be one of visible, thermal; did you mean 'thermal'?"},
      {"[[camera]]\nkind = \"thermal\"\nformat = \"bgr24\"", "camera[0].format", "\"bgr24\"",
       "must be auto, a grey one, nv12, yuyv or uyvy for this camera.kind (\"thermal\")"},
      {"[[camera]]\nkind = \"thermal\"\nformat = \"mjpeg\"", "camera[0].format", "\"mjpeg\"",
       "must be auto, a grey one, nv12, yuyv or uyvy for this camera.kind (\"thermal\")"},
      {"[[camera]]\nkind = \"thermal\"\nformat = \"grey16\"\nmosaic = 4", "camera[0].mosaic", "4",
       "must be 0 for this camera.kind (\"thermal\")"},
      {"[[camera]]\nkind = \"thermal\"\nformat = \"grey10\"\nrange_min_counts = 1024",
       "camera[0].range_min_counts", "1024",
       "must be less than the counts that camera.format has (\"grey10\")"},
      {"[[camera]]\nrange_min_counts = 65536", "camera[0].range_min_counts", "65536",
       "must be 16..65535 (counts)"},
      {"[health]\nshutter_ms = -1", "health.shutter_ms", "-1", "must be 0..5000 (ms)"},
      {"[warning]\nsensitivity = \"earl\"", "warning.sensitivity", "\"earl\"",
       "must be one of late, normal, early; did you mean 'early'?"},
  };
  for (const Case& c : kCases) {
    const LoadResult result = parse_config(c.text, "t.toml");
    TEST_ASSERT_EQUAL_MESSAGE(1, result.problems.size(), joined(result.lines()).c_str());
    const Problem& problem = result.problems[0];
    TEST_ASSERT_EQUAL_STRING(c.key, problem.key.c_str());
    TEST_ASSERT_EQUAL_STRING(c.value, problem.value.c_str());
    TEST_ASSERT_TRUE_MESSAGE(problem.rule.starts_with(c.rule), problem.rule.c_str());
    const std::string line = result.lines()[0];
    TEST_ASSERT_TRUE_MESSAGE(
        line.find(std::string{c.key} + " = " + c.value + ": " + c.rule) != std::string::npos,
        line.c_str());
  }
}

/// What a calibration may be: a rule must not refuse the cameras there are.
TEST(real_calibrations_are_allowed) {
  for (const char* text : {
           "[[camera]]\nfov_deg = 120\nk1 = -0.1\nk2 = 0.01\npitch_deg = -8\nroll_deg = 2\n",
           "[[camera]]\nfocal_px = 1182.4\ncenter_x = 644.1\ncenter_y = 352.8\nk1 = -0.33\n"
           "k2 = 0.12\nk3 = -0.02\np1 = 0.0004\np2 = -0.0007\npitch_deg = -2.5\nyaw_deg = 1\n",
           "[car]\nlength_m = 12\naxle_to_bumper_m = 8.7\nwidth_m = 2.55\n"
           "[[camera]]\nheight_m = 3.1\nahead_m = 8.9\nleft_m = -1.4\npitch_deg = -15\n",
           "[[camera]]\nfov_deg = 170\n",
           "[[camera]]\nfov_deg = 10\n",
           // A recording keeps its own size, which nobody knows yet.
           "[[camera]]\nsource = \"video\"\ndevice = \"a.mp4\"\ncenter_x = 1400\n"
           "focal_px = 17000\npitch_deg = 40\n",
       })
    TEST_ASSERT_EQUAL_STRING("", joined(parse_config(text, text).lines()).c_str());
  const Config config =
      parse_config(
          "[car]\nwidth_m = 2\nlength_m = 5\naxle_to_bumper_m = 4\n[warning]\nsensitivity = "
          "\"late\"\n[budget]\ntrack_ms = 1.5\n[[camera]]\npitch_sigma_deg = 0.2\nleft_m = 0.3\n",
          "t")
          .config;
  TEST_ASSERT_EQUAL_DOUBLE(2, config.car.width_m);
  TEST_ASSERT_EQUAL_DOUBLE(5, config.car.length_m);
  TEST_ASSERT_EQUAL_DOUBLE(4, config.car.axle_to_bumper_m);
  TEST_ASSERT_TRUE(config.warning.sensitivity == Sensitivity::late);
  TEST_ASSERT_TRUE(config.budget.track == 1500us);
  TEST_ASSERT_EQUAL_DOUBLE(0.2, config.cameras[0].pitch_sigma_deg);
  TEST_ASSERT_EQUAL_DOUBLE(0.3, config.cameras[0].left_m);
}

/// Settings with which Kerbwatch would start, and warn of nobody or tell of nothing.
TEST(what_would_make_it_silent_is_refused) {
  struct Case {
    const char *text, *key;
  };
  constexpr Case kCases[] = {
      {"[clock]\nrate = 0.01", "clock.rate"},  // a second without a camera would last 100 s
      {"[clock]\nrate = 2", "clock.rate"},
      {"[[camera]]\nwidth = 64", "camera[0].width"},
      {"[[camera]]\nrate_hz = 1", "camera[0].rate_hz"},
      {"[[camera]]\nfov_deg = 5", "camera[0].fov_deg"},
      {"[[camera]]\nheight_m = 10", "camera[0].height_m"},
      {"[[camera]]\nexposure_us = 1000000", "camera[0].exposure_us"},
      {"[[camera]]\nrate_hz = 120\nexposure_us = 9000", "camera[0].exposure_us"},
      {"[[camera]]\nrate_hz = 60\n[camera.exposure]\nmode = \"people\"\nlongest_ms = 20",
       "camera[0].exposure.longest_ms"},
      {"[[camera]]\n[camera.exposure]\ntarget = 5", "camera[0].exposure.target"},
      {"[detector]\nthreshold = 1000", "detector.threshold"},
      {"[detector]\nstride = 64", "detector.stride"},
      {"[detector]\nmin_height = 4096", "detector.min_height"},
      {"[detector]\nmin_height = 200", "detector.min_height"},  // nobody 10 m away is found
      {"[detector]\nmin_hits = 1000", "detector.min_hits"},
      {"[detector]\noverlap = 0", "detector.overlap"},
      {"[detector]\nground_shortest_m = 3\nground_tallest_m = 2.5", "detector.ground_shortest_m"},
      {"[detector]\nground_side_m = 0.1", "detector.ground_side_m"},
      {"[car]\nwidth_m = 0.5", "car.width_m"},
      {"[can.vehicle]\nmotion_stale_ms = 5000", "can.vehicle.motion_stale_ms"},
      {"[can.vehicle]\nspeed_max_mps = 10", "can.vehicle.speed_max_mps"},
      {"[can.vehicle]\nacceleration_max_mps2 = 1", "can.vehicle.acceleration_max_mps2"},
      {"[can.vehicle]\nyaw_rate_max_radps = 0.1", "can.vehicle.yaw_rate_max_radps"},
      {"[can.vehicle]\nsteering_max_rad = 0.1", "can.vehicle.steering_max_rad"},
      {"[watchdog]\ntimeout_s = 300", "watchdog.timeout_s"},
      {"[thermal]\nfailed_c = 150", "thermal.failed_c"},
      {"[health]\nstart_ms = 60000", "health.start_ms"},
      {"[health]\ncamera_silent_ms = 5000\ncamera_failed_ms = 60000", "health.camera_silent_ms"},
      {"[health]\nfrozen_ms = 60000", "health.frozen_ms"},
      {"[health]\nfrozen_ms = 100\n[[camera]]\nrate_hz = 9", "health.frozen_ms"},
      {"[health]\ndark_mean = 254", "health.dark_mean"},
      {"[health]\nblinded_mean = 1", "health.blinded_mean"},
      {"[health]\ndirty_percent = 100", "health.dirty_percent"},
      {"[health]\nmisaligned_deg = 30", "health.misaligned_deg"},
      {"[health]\nbus_lost_ms = 60000", "health.bus_lost_ms"},
      {"[health]\ndropped_degraded_percent = 100", "health.dropped_degraded_percent"},
      {"[budget]\ndetect_ms = 280", "budget.detect_ms"},  // with the others over 300 ms
  };
  for (const Case& c : kCases) {
    const LoadResult result = parse_config(c.text, "t.toml");
    TEST_ASSERT_TRUE_MESSAGE(
        std::ranges::any_of(result.problems, [&](const Problem& p) { return p.key == c.key; }),
        (c.text + ("\n" + joined(result.lines()))).c_str());
  }
}

/// What an emulated board needs, whose times and losses say nothing of the product.
TEST(a_slower_clock_may_have_long_budgets_and_lose_frames) {
  TEST_ASSERT_EQUAL_STRING(
      "", joined(parse_config("[clock]\nrate = 0.25\n[health]\ndropped_degraded_percent = 100\n"
                              "[budget]\ndetect_ms = 1000\ncheck_ms = 1000\n",
                              "t")
                     .lines())
              .c_str());
}

/// The limits must not refuse what is built: small thermal cameras, trucks, slow sensors.
TEST(real_installations_are_allowed) {
  for (const char* text : {
           "[[camera]]\nkind = \"thermal\"\nwidth = 160\nheight = 120\nrate_hz = 9\n"
           "format = \"grey14\"\nfov_deg = 57\n[health]\nshutter_ms = 1500\n",
           "[[camera]]\nwidth = 1920\nheight = 1080\nrate_hz = 120\nexposure_us = 8000\n",
           "[car]\nwidth_m = 2.55\nlength_m = 18.75\naxle_to_bumper_m = 8.6\n"
           "[[camera]]\nheight_m = 3.2\npitch_deg = -20\nfov_deg = 120\nahead_m = 8.5\n",
           "[car]\nwidth_m = 1.24\nlength_m = 2.34\naxle_to_bumper_m = 1.9\n"
           "[[camera]]\nheight_m = 1.2\nahead_m = 1\n",
           "[detector]\nthreshold = 6.6\nstride = 4\nmin_height = 128\nground_side_m = 0\n",
           "[can.vehicle]\nmotion_stale_ms = 100\nbody_stale_ms = 500\nspeed_max_mps = 90\n",
           "[watchdog]\ntimeout_s = 5\n[health]\ncamera_silent_ms = 150\n",
       })
    TEST_ASSERT_EQUAL_STRING_MESSAGE("", joined(parse_config(text, "t").lines()).c_str(), text);
}

TEST(the_limits_themselves_are_allowed_and_the_next_value_is_not) {
  for (const auto& [key, name, table] : all_keys()) {
    if (key->kind != Kind::integer && key->kind != Kind::number) continue;
    for (const bool upper : {false, true}) {
      const double limit = upper ? key->high : key->low;
      const double step = key->kind == Kind::integer ? 1 : std::max(std::abs(limit) * 1e-9, 1e-12);
      const std::string head = table + key->name + " = ";
      for (const bool past : {false, true}) {
        const double value = past ? limit + (upper ? step : -step) : limit;
        char text[64];
        std::snprintf(text, sizeof text, key->kind == Kind::integer ? "%.0f" : "%.13f", value);
        const LoadResult result = parse_config(head + text, "t");
        const bool refused = std::ranges::any_of(result.problems, [&](const Problem& problem) {
          return problem.rule == "must be " + allowed(*key);
        });
        TEST_ASSERT_EQUAL_MESSAGE(past, refused, (head + text + joined(result.lines())).c_str());
      }
    }
  }
}

TEST(what_cannot_be_a_file_gets_one_line) {
  const fs::path folder =
      fs::temp_directory_path() / ("kerb_config_" + std::to_string(std::random_device{}()));
  fs::create_directories(folder);
  const auto line = [&](const fs::path& path) {
    const LoadResult result = load_config(path.string());
    TEST_ASSERT_EQUAL(1, result.lines().size());
    return result.lines()[0];
  };
  const fs::path file = folder / "f.toml";
  TEST_ASSERT_EQUAL_STRING((file.string() + ": no such file").c_str(), line(file).c_str());
  TEST_ASSERT_EQUAL_STRING((folder.string() + ": is a directory, must be a file").c_str(),
                           line(folder).c_str());
  TEST_ASSERT_EQUAL_STRING("/dev/zero: must be a regular file", line("/dev/zero").c_str());
  TEST_ASSERT_EQUAL_STRING(": no such file", line("").c_str());
  write(file, std::string((1 << 20) + 1, '#'));
  TEST_ASSERT_TRUE(line(file).find("too large") != std::string::npos);
  write(file, std::string(1 << 20, '#'));
  TEST_ASSERT_TRUE(load_config(file.string()).ok());
  write(file, std::string{"\x7f"
                          "ELF\x02\x01\0\0",
                          8});
  TEST_ASSERT_EQUAL_STRING((file.string() + ": not a text file: zero byte at offset 6").c_str(),
                           line(file).c_str());
  write(file, "\xff\xfe\xfd");
  TEST_ASSERT_TRUE(line(file).find(":1:1: not valid TOML: ") != std::string::npos);
  write(file, "[can]\nfd = maybe\n");
  TEST_ASSERT_TRUE(line(file).find(":2:6: not valid TOML: ") != std::string::npos);
  fs::remove_all(folder);
}

TEST(letters_outside_ascii_are_fine_in_comments_and_strings_only) {
  struct Case {
    const char* text;
    int line, column;  // of the problem; 0: none
  };
  constexpr Case kCases[] = {
      {"# f\xc3\xbcr\n[tone]\ndevice = \"f\xc3\xbcr\"  # \xc3\xa9\n", 0, 0},
      {"[tone]\ndevice = 'f\xc3\xbcr'\n", 0, 0},
      {"\xef\xbb\xbf[tone]\ndevice = \"a\\\"\xc3\xbc\"\n", 0, 0},
      {"\xc3\xbc = 1\n", 1, 1},
      {"[tone]\ndevice = \"\xc3\xbc\" \xc3\xbc\n", 2, 14},
      {"[tone]\nenabled = \xc3\xbc\n", 2, 11},
      {"[tone]\ndevice = \"\"\"\\\n \xc3\xbc\"\"\"\n", 3, 2},
      {"[tone]\ndevice = '''\n\xc3\xbc'''\n", 3, 1},
      {"[tone]\ndevice = \"\"\"a\"\"\"\"\" \xc3\xbc\n", 2, 20},
      {"[tone]\ndevice = \"a\xc2\xa0\" \xc2\xa0\n", 2, 15},
  };
  for (const Case& c : kCases) {
    const LoadResult result = parse_config(c.text, "t");
    TEST_ASSERT_EQUAL_MESSAGE(c.line == 0 ? 0 : 1, result.problems.size(), c.text);
    if (c.line == 0) continue;
    TEST_ASSERT_EQUAL_MESSAGE(c.line, result.problems[0].where.line, c.text);
    TEST_ASSERT_EQUAL_MESSAGE(c.column, result.problems[0].where.column, c.text);
  }
}

TEST(a_table_without_a_name_is_told_where) {
  for (const char* text : {"[can]\n[.a]\n", "\n[=]", "\n[[ .a]]", "\n[", "\n[[[a]]]", "\n[\n]\n"}) {
    const LoadResult result = parse_config(text, "t");
    TEST_ASSERT_EQUAL_MESSAGE(1, result.problems.size(), text);
    TEST_ASSERT_TRUE_MESSAGE(
        result.lines()[0].starts_with("t:2:") || result.lines()[0].starts_with("t:3:"),
        result.lines()[0].c_str());
  }
}

TEST(a_refused_file_leaves_the_defaults) {
  const LoadResult result = parse_config("[tone]\nenabled = true\nduty = 7\n", "t");
  TEST_ASSERT_FALSE(result.ok());
  TEST_ASSERT_FALSE(result.config.tone.enabled);
}

TEST(the_schema_agrees_with_itself) {
  std::set<std::string> seen;
  const Field* format = nullptr;
  for (const auto& [key, name, head] : all_keys()) {
    TEST_ASSERT_TRUE_MESSAGE(seen.insert(name).second, name.c_str());
    TEST_ASSERT_TRUE_MESSAGE(
        std::string_view{key->doc}.ends_with('.') || std::string_view{key->doc}.ends_with('?'),
        name.c_str());
    if (name == "camera.format") format = key;
  }
  TEST_ASSERT_NOT_NULL(format);
  for (int i = 0; i <= static_cast<int>(PixelFormat::bayer12); ++i) {
    const std::string_view name = name_of(static_cast<PixelFormat>(i));
    TEST_ASSERT_TRUE(
        std::ranges::any_of(format->choices, [&](const char* choice) { return name == choice; }));
  }
}

/// Each key alone, at a value that is not its default: exactly its own line of the rendering
/// changes.
TEST(each_key_changes_its_own_field_only) {
  const Config fresh;
  const std::string defaults = render_default_config();
  for (const auto& [key, name, head] : all_keys()) {
    const std::string before =
        schema::value_at(config::config_table(), &fresh,
                         name.starts_with("camera.") ? "camera[0]" + name.substr(6) : name);
    std::string value;
    switch (key->kind) {
      case Kind::boolean:
        value = before == "true" ? "false" : "true";
        break;
      case Kind::integer:
      case Kind::number:
        value = std::to_string(static_cast<long>(key->high));
        if (value == before) value = std::to_string(static_cast<long>(key->low));
        if (key->high < 1) value = "0.5001";
        break;
      case Kind::text:
        value = "\"other\"";
        break;
      case Kind::choice:
        value = '"' + std::string{key->choices.back()} + '"';
        break;
      default:
        TEST_FAIL_MESSAGE(name.c_str());
    }
    const std::string text = head + key->name + " = " + value + "\n";
    const LoadResult result = parse_config(text, "t");
    if (!result.ok()) continue;  // against a rule between keys: its own test has it
    const std::string after = render_config(result.config);
    std::size_t differing = 0;
    std::vector<std::string> old_lines, new_lines;
    for (const auto& [from, to] : {std::pair{&defaults, &old_lines}, std::pair{&after, &new_lines}})
      for (std::size_t at = 0; at < from->size();) {
        const std::size_t end = from->find('\n', at);
        to->push_back(from->substr(at, end - at));
        at = end + 1;
      }
    TEST_ASSERT_EQUAL(old_lines.size(), new_lines.size());
    std::string changed;
    for (std::size_t i = 0; i < old_lines.size(); ++i)
      if (old_lines[i] != new_lines[i]) {
        ++differing;
        changed = new_lines[i];
      }
    TEST_ASSERT_EQUAL_MESSAGE(1, differing, text.c_str());
    TEST_ASSERT_EQUAL_STRING((std::string{key->name} + " = " + value).c_str(), changed.c_str());
  }
}

TEST(the_reference_in_docs_is_the_schema) {
  const std::string document = read(kReference);
  const std::string expected = with_reference(document);
  TEST_ASSERT_FALSE_MESSAGE(expected.empty(), "docs/configuration.md has lost its marks");
  TEST_ASSERT_TRUE_MESSAGE(
      document == expected,
      "docs/configuration.md is out of date: run unit_firmware_config config --write");
}

TEST(deep_nesting_is_survived) {
  std::string dots = "a";
  for (int i = 0; i < 3900; ++i) dots += ".a";
  TEST_ASSERT_FALSE(parse_config(dots + " = 1\n", "t").ok());
  TEST_ASSERT_FALSE(parse_config("[" + dots + "]\n", "t").ok());
  for (int i = 0; i < 100000; ++i) dots += ".a";
  TEST_ASSERT_FALSE(parse_config(dots + " = 1\n", "t").ok());
  TEST_ASSERT_FALSE(parse_config("a = " + std::string(500000, '['), "t").ok());
  std::string inline_tables = "a = ";
  for (int i = 0; i < 100000; ++i) inline_tables += "{a=";
  TEST_ASSERT_FALSE(parse_config(inline_tables, "t").ok());
}

TEST(any_bytes_are_survived) {
  std::vector<std::string> seeds{render_default_config()};
  for (const fs::path& folder : {kExamples, kWrong})
    for (const fs::path& path : files_of(folder, ".toml")) seeds.push_back(read(path));
  constexpr std::string_view kPieces[] = {
      "[",        "]",  "[[",   "\"",         "\"\"\"",
      "'",        "=",  "\n",   "{",          "}",
      ".",        ",",  "#",    "\\u",        "1e999",
      "-nan",     "0x", "_",    "\xff",       "\xe2\x80",
      "\xc3\xbc", "\\", "true", "2024-02-30", "9223372036854775808",
      "camera",   "\r", "\t"};
  std::mt19937 random{4};
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  int refused = 0;
  for (int round = 0; round < 4000; ++round) {
    // The whole default file is long; most rounds take the short ones.
    std::string text = seeds[round % 40 == 0 ? 0 : 1 + below(seeds.size() - 1)];
    for (std::size_t change = 1 + below(6); change > 0; --change) {
      const std::size_t at = below(text.size());
      switch (below(5)) {
        case 0:
          if (!text.empty()) text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, below(20));
          break;
        case 2:
          text.insert(at, kPieces[below(std::size(kPieces))]);
          break;
        case 3:
          text.insert(at, text.substr(below(text.size()), below(60)));
          break;
        default:
          text.resize(at);
      }
    }
    const LoadResult result = parse_config(text, "mutant");
    refused += result.ok() ? 0 : 1;
    for (const std::string& line : result.lines()) {
      TEST_ASSERT_TRUE(line.size() > 8 && line.size() < 1000);
      TEST_ASSERT_TRUE(std::ranges::none_of(
          line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }));
    }
  }
  TEST_ASSERT_GREATER_THAN(1000, refused);
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  if (!words.empty() && words[0] == "--write") write_expectations();
  return Start::run;
}
