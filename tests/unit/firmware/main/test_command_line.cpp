// SPDX-License-Identifier: Apache-2.0
// The command line: exit codes, one-line errors, signals, what it prints, a second one beside it.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "drivers/lock/device_lock.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/unit/firmware/main/program.hpp"

#if KERB_OPENCV
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#endif

using namespace kerb::test;
namespace fs = std::filesystem;

SET_UP() { g_folder = make_temp_folder(); }
TEAR_DOWN() { fs::remove_all(g_folder); }

namespace {

TEST(help_and_version_are_no_errors) {
  const Outcome help = kerbwatch("--help");
  TEST_ASSERT_EQUAL_INT(0, help.code);
  for (const char* word : {"run", "check", "demo", "config", "Exit codes"})
    TEST_ASSERT_TRUE_MESSAGE(help.out.find(word) != std::string::npos, word);
  TEST_ASSERT_EQUAL_INT(0, kerbwatch("run --help").code);
  const Outcome version = kerbwatch("--version");
  TEST_ASSERT_EQUAL_INT(0, version.code);
  TEST_ASSERT_TRUE(version.out.find("kerbwatch 0.") != std::string::npos);
}

TEST(a_wrong_command_line_is_bad_input) {
  for (const char* arguments : {"", "fly", "run", "check", "demo --seconds soon", "run --config"})
    TEST_ASSERT_EQUAL_INT_MESSAGE(2, kerbwatch(arguments).code, arguments);
}

TEST(a_time_is_a_number_that_a_run_can_have) {
  const std::string run = "run --config " + desk_config() + " --seconds ";
  for (const char* seconds : {"1e300", "nan", "-nan", "inf", "-inf", "-1", "0", "1s", "''"}) {
    expect_refused(kerbwatch(run + seconds), "--seconds");
    expect_refused(kerbwatch(std::string{"demo --seconds "} + seconds), "--seconds");
  }
}

TEST(an_unknown_command_is_named_with_those_there_are) {
  for (const char* arguments : {"bogus", "bogus --help", "bogus run", "Run", "''"}) {
    const Outcome o = kerbwatch(arguments);
    expect_refused(o, "kerbwatch: error: unknown command '");
    expect_refused(o, "run, guard, check, config, demo, counters, replay");
    TEST_ASSERT_EQUAL_STRING("", o.out.c_str());
  }
  expect_refused(kerbwatch("bogus"), "'bogus'");
  expect_refused(kerbwatch("check --confg a.toml"), "unknown option '--confg'");
}

/// As when the disk that a log goes to is full.
TEST(a_result_that_cannot_be_written_is_no_success) {
  const std::string record =
      std::string{KERB_SOURCE_DIR} + "/tests/unit/firmware/records/crossing.kwr";
  const std::string desk = desk_config();
  for (const std::string& arguments :
       {std::string{"config"}, "check --config " + desk, std::string{"--help"},
        std::string{"--version"}, std::string{"run --help"}, "replay " + record,
        "replay --json " + record, "run --seconds 3 --config " + desk,
        std::string{"demo --seconds 4"}}) {
    const Outcome o = shell("( " + std::string{KERBWATCH} + " " + arguments + " >/dev/full )");
    TEST_ASSERT_EQUAL_INT_MESSAGE(2, o.code, (arguments + "\n" + o.err).c_str());
    TEST_ASSERT_TRUE_MESSAGE(
        o.err.find("kerbwatch: error: write: stdout: No space left on device") != std::string::npos,
        (arguments + "\n" + o.err).c_str());
  }
}

TEST(the_printed_configuration_passes_its_own_check) {
  const Outcome printed = kerbwatch("config");
  TEST_ASSERT_EQUAL_INT(0, printed.code);
  const Outcome checked = kerbwatch("check --config " + config(printed.out));
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, checked.code, checked.err.c_str());
}

TEST(what_is_wrong_with_a_configuration_is_one_line_each) {
  expect_refused(kerbwatch("check --config /nowhere/kerbwatch.toml"), "/nowhere/kerbwatch.toml");
  expect_refused(kerbwatch("check --config " + config("[[camera]]\nwidht = 640\n")),
                 "did you mean");
  expect_refused(kerbwatch("run --config " + config("[clock]\nrate = 0\n")), "clock.rate = 0");
  const Outcome two =
      kerbwatch("check -c " + config("[clock]\nrate = 99\n[[camera]]\nwidth = 1\n"));
  TEST_ASSERT_EQUAL_INT(2, two.code);
  TEST_ASSERT_EQUAL_INT_MESSAGE(2, two.lines_of_error(), two.err.c_str());
}

const char kLamps[] =
    "[lamp]\nenabled = true\nchip = \"/dev/gpiochip99\"\nwarning_line = 0\nstatus_line = 1\n";

TEST(a_missing_device_is_named_in_one_line_by_a_strict_run) {
  const std::string quiet =
      "[can]\nenabled = false\n[log]\nlevel = \"error\"\n[events]\nenabled = false\n";
  const std::string pattern = "[[camera]]\nsource = \"pattern\"\n[detector]\nenabled = false\n";
  for (const auto& [text, named] :
       {std::pair<std::string, const char*>{quiet + "[[camera]]\ndevice = \"/dev/video99\"\n",
                                            "/dev/video99"},
        {quiet + "[[camera]]\ndevice = \"/dev/null\"\n", "/dev/null"},
        {quiet + pattern + kLamps, "/dev/gpiochip99"},
        {quiet + pattern + "[tone]\nenabled = true\ndevice = \"hw:99\"\n", "hw:99"},
        {quiet + pattern + "[watchdog]\nenabled = true\ndevice = \"/dev/watchdog99\"\n",
         "/dev/watchdog99"},
        {"[can]\ninterface = \"can99\"\n[log]\nlevel = \"error\"\n[events]\nenabled = false\n"
         "[thermal]\nenabled = false\n" +
             pattern,
         "can99"}})
    expect_refused(kerbwatch("run --strict --config " + config(text)), named);
}

TEST(a_missing_device_is_waited_for_and_the_start_is_failed_meanwhile) {
  // A camera of which nothing is known, one whose pictures are known, the bus, a lamp, a watchdog.
  struct Case {
    std::string text;
    const char* state;
    const char* named;
  };
  const std::string pattern =
      "[[camera]]\nsource = \"pattern\"\nwidth = 320\nheight = 240\n[detector]\n"
      "enabled = false\n";
  const std::string no_bus =
      "[can]\nenabled = false\nrequired = false\n[thermal]\nenabled = "
      "false\n[health]\nstart_ms = 500\n";
  for (const Case& c :
       {Case{"[[camera]]\ndevice = \"/dev/video99\"\n" + no_bus, "FAILED: camera_gone",
             "/dev/video99"},
        Case{"[[camera]]\ndevice = \"/dev/video99\"\nformat = \"yuyv\"\n[detector]\nenabled = "
             "false\n" +
                 no_bus,
             "FAILED: camera_gone", "/dev/video99"},
        Case{pattern + no_bus + kLamps, "DEGRADED: output_refused", "/dev/gpiochip99"},
        Case{pattern + no_bus + "[watchdog]\nenabled = true\ndevice = \"/dev/watchdog99\"\n",
             "DEGRADED: watchdog_refused", "/dev/watchdog99"},
        Case{pattern + "[thermal]\nenabled = false\n[can]\ninterface = \"can99\"\n",
             "DEGRADED: bus_lost", "can99"}}) {
    const Outcome o =
        kerbwatch("run --seconds 2 --config " +
                  config(c.text + "[events]\nenabled = false\n[record]\nenabled = false\n"));
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.err.c_str());
    TEST_ASSERT_TRUE_MESSAGE(o.err.find(c.state) != std::string::npos, o.err.c_str());
    TEST_ASSERT_TRUE_MESSAGE(o.err.find(c.named) != std::string::npos, o.err.c_str());
  }
}

TEST(a_gpu_that_is_demanded_and_missing_is_failed_and_waited_for) {
  const std::string path = desk_config("[vision]\nbackend = \"cuda\"\n");
  const std::string run = std::string{"CUDA_VISIBLE_DEVICES=-1 "} + KERBWATCH + " run ";
  const Outcome waits = shell(run + "--seconds 2 --config " + path);
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, waits.code, waits.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(waits.err.find("FAILED: vision_failed") != std::string::npos,
                           waits.err.c_str());
  expect_refused(shell(run + "--strict --config " + path), "GPU");
}

TEST(a_temperature_that_cannot_be_read_from_the_start_is_a_fault) {
  const Outcome o = kerbwatch(
      "run --seconds 6.5 --config " +
      config("[[camera]]\nsource = \"pattern\"\nwidth = 320\nheight = 240\n[detector]\nenabled = "
             "false\n[can]\nenabled = false\nrequired = false\n[health]\nmisaligned_deg = "
             "10\ndropped_degraded_percent = 50\n[thermal]\nroot = \"" +
             (g_folder / "no_zones").string() +
             "\"\n[events]\nenabled = false\n[record]\nenabled = false\n"));
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(o.err.find("thermal_unreadable") != std::string::npos, o.err.c_str());
}

TEST(no_model_is_a_fault_unless_detection_is_switched_off) {
  // The pattern jumps where a busy machine drops pictures: no knocked camera.
  const std::string quiet =
      "[health]\nstart_ms = 500\nmisaligned_deg = 10\ndropped_degraded_percent = "
      "50\n";
  const Outcome none = kerbwatch("run --seconds 1 --config " + desk_config(quiet));
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, none.code, none.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(none.err.find("FAILED: vision_failed") != std::string::npos,
                           none.err.c_str());
  const Outcome off =
      kerbwatch("run --seconds 2 --config " + desk_config(quiet + "[detector]\nenabled = false\n"));
  TEST_ASSERT_TRUE_MESSAGE(off.err.find("FAILED") == std::string::npos, off.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(off.err.find("signals_missing") != std::string::npos, off.err.c_str());
}

TEST(a_guard_starts_it_again_when_it_is_killed_and_ends_with_it) {
  // The guard is the shell's child; what it runs is the guard's.
  const std::string path = desk_config(), events = g_folder / "events.jsonl";
  const std::string wait_for = "for i in $(seq 300); do [ $(grep -c '\"started\"' " + events +
                               " 2>/dev/null || echo 0) -ge ";
  const std::string then = " ] && break; sleep 0.1; done; ";
  const Outcome o =
      shell("(" + std::string{KERBWATCH} + " guard --config " + path + " & guard=$!; " + wait_for +
            "1" + then + "kill -9 $(cat /proc/$guard/task/$guard/children); " + wait_for + "2" +
            then + "kill -TERM $guard; wait $guard)");
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(o.err.find("was killed by signal 9") != std::string::npos,
                           o.err.c_str());
  const std::string written = read(events);
  TEST_ASSERT_TRUE_MESSAGE(written.find("SIGTERM") != std::string::npos, written.c_str());
  expect_refused(kerbwatch("guard --config /nowhere.toml"), "/nowhere.toml");
}

#if KERB_OPENCV
/// A folder of `count` small JPEG pictures, 0.jpg and so on.
fs::path folder_of_pictures(int count) {
  const fs::path folder = g_folder / "pictures";
  fs::create_directory(folder);
  for (int i = 0; i < count; ++i) {
    cv::Mat picture{48, 64, CV_8UC3};
    cv::randu(picture, 0, 255);
    const std::string path = folder / (std::to_string(i) + ".jpg");
    TEST_ASSERT_TRUE(cv::imwrite(path, picture));
  }
  return folder;
}

void cut_in_half(const fs::path& file) { fs::resize_file(file, fs::file_size(file) / 2); }

std::string folder_config(const fs::path& folder, const std::string& log_level) {
  return config("[[camera]]\nsource = \"folder\"\nloop = true\ndevice = \"" + folder.string() +
                "\"\n[can]\nenabled = false\n[thermal]\nenabled = false\n[events]\n" +
                "enabled = false\n[log]\nlevel = \"" + log_level + "\"\n");
}

TEST(a_folder_with_only_a_truncated_picture_is_bad_input) {
  const fs::path folder = folder_of_pictures(1);
  cut_in_half(folder / "0.jpg");
  const Outcome o = kerbwatch("run --config " + folder_config(folder, "error"));
  expect_refused(o, "kerbwatch: error: truncated picture: ");
  expect_refused(o, "pictures/0.jpg");
}

TEST(a_truncated_picture_among_good_ones_is_named_once_in_the_log) {
  const fs::path folder = folder_of_pictures(3);
  cut_in_half(folder / "1.jpg");
  const Outcome o = kerbwatch("run --seconds 1.5 --config " + folder_config(folder, "warning"));
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.err.c_str());
  const std::size_t named = o.err.find("truncated picture: ");
  TEST_ASSERT_TRUE_MESSAGE(named != std::string::npos, o.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(o.err.find("pictures/1.jpg", named) != std::string::npos, o.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(o.err.find("truncated", named + 1) == std::string::npos, o.err.c_str());
}
#endif

TEST(what_it_counts_is_shown_for_people_and_machines) {
  const std::string path = desk_config();
  expect_refused(kerbwatch("counters --config " + path), "life");  // it has not run yet
  for (int i = 0; i < 2; ++i) {
    const Outcome o = kerbwatch("run --seconds 1.2 --config " + path);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.err.c_str());
  }
  const Outcome text = kerbwatch("counters --config " + path);
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, text.code, text.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(
      text.out.find("starts                            2") != std::string::npos, text.out.c_str());
  const Outcome json = kerbwatch("counters --json --config " + path);
  TEST_ASSERT_TRUE_MESSAGE(json.out.find("\"starts\": 2, \"interrupted\": 0") != std::string::npos,
                           json.out.c_str());
  fs::resize_file(g_folder / "life.a", 10);
  fs::resize_file(g_folder / "life.b", 10);
  expect_refused(kerbwatch("counters --config " + path), "read the counters");
  expect_refused(kerbwatch("counters --config " + desk_config("enabled = false\n")),
                 "life.enabled");
}

TEST(it_runs_for_as_long_as_told_and_leaves_a_log) {
  // STARTING ends after half a second, whether frames came or this machine stood still.
  const Outcome o = kerbwatch("run --seconds 1.5 --log-json --config " +
                              desk_config("[health]\nstart_ms = 500\n"));
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(o.out.find("delivered") != std::string::npos, o.out.c_str());
  TEST_ASSERT_TRUE_MESSAGE(o.out.find("prepare") != std::string::npos, o.out.c_str());
  TEST_ASSERT_EQUAL_CHAR('{', o.err.front());
  const std::string events = read(g_folder / "events.jsonl");
  for (const char* word :
       {"started", "health_changed", "detector_missing", "stopped", "--seconds reached"})
    TEST_ASSERT_TRUE_MESSAGE(events.find(word) != std::string::npos, events.c_str());
}

/// Starts one, and does `then` when its event log says that it runs (the camera that opened is a
/// finding of its first rounds), however long that takes here. Should it never, or not heed what it
/// is sent, it ends by itself, and the log has another reason.
std::string while_running(const std::string& config, const std::string& then) {
  return "(" + std::string{KERBWATCH} + " run --seconds 30 --config " + config +
         " & pid=$!; for i in $(seq 200); do grep -qs camera_opened " +
         (g_folder / "events.jsonl").string() + " && break; sleep 0.1; done; " + then + ")";
}

TEST(signals_end_it_in_order_and_the_reason_is_told) {
  for (const std::string signal : {"TERM", "HUP", "INT", "QUIT", "USR1"}) {
    fs::remove(g_folder / "events.jsonl");
    const Outcome o = shell(while_running(desk_config(), "kill -" + signal + " $pid; wait $pid"));
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, (signal + "\n" + o.err).c_str());
    const std::string reason = "SIG" + signal;
    for (const std::string& text : {read(g_folder / "events.jsonl"), o.err})
      TEST_ASSERT_TRUE_MESSAGE(text.find(reason) != std::string::npos,
                               (signal + "\n" + text).c_str());
    TEST_ASSERT_TRUE_MESSAGE(o.out.find("health: ") != std::string::npos, o.out.c_str());
  }
}

/// `first` runs; a second one with `second` must say which process has `what`.
void expect_one_at_a_time(const std::string& first, const std::string& second,
                          const std::string& what) {
  const std::string pid = g_folder / "pid";
  const std::string second_run = std::string{KERBWATCH} + " run --seconds 0.5 --config " + second +
                                 " 2>" + (g_folder / "second").string();
  const Outcome o =
      shell(while_running(first, "echo $pid >" + pid + "; " + second_run +
                                     "; code=$?; kill -KILL $pid; wait $pid; " + "exit $code"));
  const std::string told = read(g_folder / "second");
  TEST_ASSERT_EQUAL_INT_MESSAGE(2, o.code, told.c_str());
  TEST_ASSERT_EQUAL_INT_MESSAGE(1, std::count(told.begin(), told.end(), '\n'), told.c_str());
  const int number = std::atoi(read(pid).c_str());
  TEST_ASSERT_GREATER_THAN_INT(1, number);
  const std::string line = "kerbwatch: error: in use: " + what + " by process " +
                           std::to_string(number) + " (kerbwatch run";
  TEST_ASSERT_TRUE_MESSAGE(told.starts_with(line), (line + "\n" + told).c_str());
}

TEST(a_second_one_with_the_same_devices_or_files_says_who_has_them) {
  const std::string first = desk_config();
  // The same files; and one whose bus nobody can open would be refused for another reason.
  expect_one_at_a_time(first, first, (g_folder / "events.jsonl").string().substr(0, 50));
  // Killed without a chance to tidy up: the next one runs.
  TEST_ASSERT_EQUAL_INT(0, kerbwatch("run --seconds 0.5 --config " + first).code);
}

TEST(one_with_other_devices_and_the_demo_run_beside_it) {
  const std::string first = desk_config();
  const fs::path other = g_folder / "other.toml";
  std::string text = read(first);
  for (const char* name : {"events.jsonl", "records\""}) text.insert(text.find(name), "other-");
  std::ofstream{other} << text;
  const Outcome o = shell(while_running(
      first, std::string{KERBWATCH} + " run --seconds 0.5 --config " + other.string() + " && " +
                 KERBWATCH + " demo --seconds 4; code=$?; kill $pid; wait $pid; exit $code"));
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.err.c_str());
}

TEST(a_camera_or_bus_in_use_is_told_before_it_is_opened) {
  // Neither exists: whoever opened it first would say so instead.
  const std::string own = std::to_string(::getpid());
  const auto text = [&](const std::string& name) {
    return "[[camera]]\nsource = \"pattern\"\nwidth = 320\nheight = 240\n[can]\n" + name +
           "[thermal]\nenabled = false\n[record]\nenabled = false\n[events]\nenabled = ";
  };
  const kerb::Result<kerb::DeviceLock> bus = kerb::DeviceLock::take("bus", "no" + own);
  TEST_ASSERT_OK(bus);
  expect_refused(
      kerbwatch("run --config " + config(text("interface = \"no" + own + "\"\n") + "false\n")),
      ("in use: no" + own + " by process " + own).c_str());
  const kerb::Result<kerb::DeviceLock> camera = kerb::DeviceLock::take("camera", "/dev/no" + own);
  TEST_ASSERT_OK(camera);
  expect_refused(
      kerbwatch("run --config " + config("[[camera]]\ndevice = \"/dev/no" + own +
                                         "\"\n[can]\nenabled = false\n[events]\nenabled = false\n"
                                         "[record]\nenabled = false\n")),
      ("in use: /dev/no" + own + " by process " + own).c_str());
}

TEST(a_slow_clock_is_told) {
  const std::string slow = desk_config("[clock]\nrate = 0.5\n");
  const Outcome checked = kerbwatch("check --config " + slow);
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, checked.code, checked.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(checked.out.find("clock.rate is 0.5") != std::string::npos,
                           checked.out.c_str());
  const Outcome ran = kerbwatch("run --seconds 0.3 --config " + slow);
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, ran.code, ran.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(ran.err.find("clock.rate is 0.5") != std::string::npos, ran.err.c_str());
}

TEST(the_demo_shows_frames_stages_health_and_messages) {
  const Outcome o = kerbwatch("demo --seconds 4");
  for (const char* word :
       {"delivered", "prepare", "budget", "health: ", "status", "KW_Warning", "camera_silent"})
    TEST_ASSERT_TRUE_MESSAGE(o.out.find(word) != std::string::npos, o.out.c_str());
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.out.c_str());
}

TEST(the_demo_looks_for_people_when_it_has_a_model) {
  const fs::path model = model_file();
  const Outcome o = kerbwatch("demo --seconds 4 --model " + model.string());
  for (const char* word : {"KW_Objects", "detector bar", "lists of people", "camera_silent"})
    TEST_ASSERT_TRUE_MESSAGE(o.out.find(word) != std::string::npos, o.out.c_str());
  TEST_ASSERT_TRUE_MESSAGE(o.out.find("detection off") == std::string::npos, o.out.c_str());
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.out.c_str());
  fs::resize_file(model, 99);
  expect_refused(kerbwatch("demo --seconds 4 --model " + model.string()), "bars.kwm");
  const Installed models;
  const Outcome installed = kerbwatch("demo --seconds 4");
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, installed.code, installed.out.c_str());
  TEST_ASSERT_TRUE_MESSAGE(installed.out.find("detector red-bar") != std::string::npos,
                           installed.out.c_str());
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  setenv(kerb::hog::kModelsVariable, "/nowhere/models", 1);  // whatever this machine has
  return Start::run;
}
