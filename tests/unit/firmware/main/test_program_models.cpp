// SPDX-License-Identifier: Apache-2.0
// Which model the program uses for which camera, and what it says of one that it cannot use.
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/temp_folder.hpp"
#include "tests/unit/firmware/main/program.hpp"

using namespace kerb::test;
namespace fs = std::filesystem;

SET_UP() { g_folder = make_temp_folder(); }
TEAR_DOWN() { fs::remove_all(g_folder); }

namespace {

TEST(check_loads_the_model_and_lays_its_search_out) {
  const Outcome none = kerbwatch("check --config " + desk_config());
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, none.code, none.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(
      none.out.find("detector none (detector.model is empty, and there is no default.kwm in "
                    "/nowhere/models)") != std::string::npos,
      none.out.c_str());
  const Outcome off = kerbwatch("check --config " + desk_config("[detector]\nenabled = false\n"));
  TEST_ASSERT_TRUE_MESSAGE(
      off.out.find("detector none (detector.enabled is false)") != std::string::npos,
      off.out.c_str());
  const fs::path model = model_file();
  const Outcome good = kerbwatch("check --config " + desk_config(detector_table(model)));
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, good.code, good.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(good.out.find("bars.kwm") != std::string::npos, good.out.c_str());
  const auto refused = [](const std::string& table, const char* part) {
    const Outcome o = kerbwatch("check --config " + desk_config(table));
    expect_refused(o, part);
    expect_refused(o, "detector.model = ");
  };
  refused(detector_table(model, "region_width = 20\nregion_height = 20\n"), "no window fits");
  refused(detector_table(model, "threshold = 20\n"), "detector.threshold = 20 is above 3.4");
  refused(detector_table("/nowhere/x.kwm"), "/nowhere/x.kwm: No such file");
  refused(detector_table(g_folder), "not a regular file");
  flip_a_bit(model);
  refused(detector_table(model), "checksum");
  fs::resize_file(model, 40);
  refused(detector_table(model), "40 bytes");
  fs::resize_file(model, 0);
  refused(detector_table(model), "not a model");
}

TEST(it_runs_with_a_model_and_says_so) {
  const Outcome o =
      kerbwatch("run --seconds 1.5 --config " +
                desk_config(detector_table(model_file()) + "[vision]\nbackend = \"cpu\"\n"));
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(o.err.find("bar for 320x240") != std::string::npos, o.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(o.out.find("detector bar") != std::string::npos, o.out.c_str());
  TEST_ASSERT_TRUE_MESSAGE(o.out.find("detection off") == std::string::npos, o.out.c_str());
  const std::string events = read(g_folder / "events.jsonl");
  TEST_ASSERT_TRUE_MESSAGE(events.find(R"("model":"bar","backend":"cpu")") != std::string::npos,
                           events.c_str());
  TEST_ASSERT_TRUE_MESSAGE(events.find("detector_missing") == std::string::npos, events.c_str());
}

TEST(the_installed_model_is_used_where_none_is_named) {
  const Installed models;
  const std::string cpu = "[vision]\nbackend = \"cpu\"\n";
  const Outcome checked = kerbwatch("check --config " + desk_config());
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, checked.code, checked.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(checked.out.find("models/default.kwm") != std::string::npos,
                           checked.out.c_str());
  const Outcome ran = kerbwatch("run --seconds 1.5 --config " + desk_config(cpu));
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, ran.code, ran.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(ran.err.find("red-bar for 320x240 in colour") != std::string::npos,
                           ran.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(ran.out.find("detector red-bar") != std::string::npos, ran.out.c_str());
  const std::string events = read(g_folder / "events.jsonl");
  TEST_ASSERT_TRUE_MESSAGE(events.find(R"("model":"red-bar","backend":"cpu")") != std::string::npos,
                           events.c_str());
  TEST_ASSERT_TRUE_MESSAGE(events.find("vision_failed") == std::string::npos, events.c_str());
}

TEST(what_the_configuration_leaves_open_is_as_the_model_advises) {
  const fs::path path = g_folder / "fine.kwm";
  kerb::hog::Model model = kerb::hog::test::bar_model();
  model.advice.stride = 4;
  model.advice.scale_step = 1.5F;
  model.advice.padding = 8;
  TEST_ASSERT_OK(kerb::hog::save(model, path));
  const auto windows = [&](const std::string& more) {
    const Outcome o =
        kerbwatch("run --seconds 0.5 --config " +
                  desk_config(detector_table(path, more) + "[vision]\nbackend = \"cpu\"\n"));
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.err.c_str());
    const std::size_t at = o.err.find("): ");
    TEST_ASSERT_TRUE_MESSAGE(at != std::string::npos, o.err.c_str());
    return std::atoi(o.err.c_str() + at + 3);
  };
  // All of the picture, and nobody smaller than the model's person.
  const std::string all = "ground = \"anywhere\"\nmin_height = 0\n";
  // 320 x 240: (320 + 16 - 64) / 4 + 1 columns and (240 + 16 - 128) / 4 + 1 rows; at 1.5 213 x 160,
  // at 2.25 142 x 107 with its padding too low.
  TEST_ASSERT_EQUAL_INT(69 * 33 + 42 * 13, windows(all));
  TEST_ASSERT_EQUAL_INT(35 * 17 + 21 * 7, windows(all + "stride = 8\n"));
  TEST_ASSERT_EQUAL_INT(33 * 15, windows(all + "stride = 8\npadding = 0\nscale_step = 2\n"));
  // Where the camera looks along the road: people far away too, but none who float.
  const int far = windows("ground = \"anywhere\"\n"), road = windows("");
  TEST_ASSERT_TRUE(far > 69 * 33 + 42 * 13);
  TEST_ASSERT_TRUE(road > 0 && road < far);
}

TEST(a_grey_camera_gets_the_grey_model) {
  const Installed models;
  const std::string grey =
      "[[camera]]\nname = \"b\"\nsource = \"pattern\"\nwidth = 320\n"
      "height = 240\nformat = \"grey8\"\n[vision]\nbackend = \"cpu\"\n";
  TEST_ASSERT_EQUAL_INT(0, kerbwatch("check --config " + desk_config(grey)).code);
  const Outcome ran = kerbwatch("run --seconds 1.5 --config " + desk_config(grey));
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, ran.code, ran.err.c_str());
  for (const char* part : {"red-bar for 320x240 in colour", "bar for 320x240 in grey"})
    TEST_ASSERT_TRUE_MESSAGE(ran.err.find(part) != std::string::npos, ran.err.c_str());
  for (const char* part : {"detector red-bar\n", "detector bar\n"})
    TEST_ASSERT_TRUE_MESSAGE(ran.out.find(part) != std::string::npos, ran.out.c_str());
  // Installed, but damaged: told before the drive.
  fs::resize_file(g_folder / "models/default-grey.kwm", 40);
  expect_refused(kerbwatch("check --config " + desk_config(grey)), "detector.grey_model = ");
  TEST_ASSERT_EQUAL_INT(0, kerbwatch("check --config " + desk_config()).code);
}

TEST(a_grey_camera_refuses_a_colour_model_without_a_grey_one) {
  const fs::path colour = g_folder / "colour.kwm", grey = model_file();
  TEST_ASSERT_OK(kerb::hog::save(kerb::hog::test::red_bar_model(), colour));
  const auto camera = [](const std::string& detector) {
    return "[[camera]]\nname = \"b\"\nsource = \"pattern\"\nwidth = 320\nheight = 240\n"
           "format = \"grey8\"\n" +
           detector;
  };
  const Outcome refused =
      kerbwatch("check --config " + desk_config(camera(detector_table(colour))));
  expect_refused(refused, "detector.grey_model must name one");
  expect_refused(refused, "colour.kwm");
  const auto with = [&](const fs::path& model) {
    return desk_config(camera(detector_table(colour, "grey_model = \"" + model.string() + "\"\n")));
  };
  TEST_ASSERT_EQUAL_INT(0, kerbwatch("check --config " + with(grey)).code);
  expect_refused(kerbwatch("check --config " + with(colour)), "detector.grey_model = ");
  expect_refused(kerbwatch("check --config " + with("/nowhere/x.kwm")), "/nowhere/x.kwm");
  fs::copy_file(grey, g_folder / "colour-grey.kwm");  // found by its name
  TEST_ASSERT_EQUAL_INT(
      0, kerbwatch("check --config " + desk_config(camera(detector_table(colour)))).code);
}

/// A second camera that sees heat, beside the desk's own.
std::string thermal_camera(const std::string& format) {
  return "[[camera]]\nname = \"heat\"\nkind = \"thermal\"\nsource = \"pattern\"\nwidth = 320\n"
         "height = 240\nformat = \"" +
         format + "\"\n";
}

TEST(a_thermal_camera_needs_a_thermal_model) {
  const std::string cpu = "[vision]\nbackend = \"cpu\"\n";
  const std::string line =
      "detector.thermal_model = \"\": make detector: camera heat is thermal and needs a thermal "
      "model: set detector.thermal_model";
  // Without any model, with one for light alone, and with one for grey cameras.
  expect_refused(kerbwatch("check --config " + desk_config(thermal_camera("grey16"))),
                 line.c_str());
  const fs::path grey = model_file();
  expect_refused(
      kerbwatch("check --config " + desk_config(thermal_camera("auto") + detector_table(grey))),
      line.c_str());
  const Installed models;
  expect_refused(kerbwatch("check --config " + desk_config(thermal_camera("grey8"))), line.c_str());
  // Detection off: then it needs none.
  const std::string off = "[detector]\nenabled = false\n";
  TEST_ASSERT_EQUAL_INT(
      0, kerbwatch("check --config " + desk_config(thermal_camera("grey16") + off)).code);
  // A product that runs without it says so and shows it.
  const Outcome ran =
      kerbwatch("run --seconds 1.5 --config " + desk_config(thermal_camera("grey16") + cpu));
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, ran.code, ran.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(
      ran.err.find("camera heat: make detector: camera heat is thermal and needs") !=
          std::string::npos,
      ran.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(
      read(g_folder / "events.jsonl").find("vision_failed") != std::string::npos, ran.err.c_str());
}

TEST(a_thermal_camera_gets_the_thermal_model_and_others_do_not) {
  const Installed models;
  const std::string cpu = "[vision]\nbackend = \"cpu\"\n";
  const fs::path beside = g_folder / "models/default-thermal.kwm";
  kerb::hog::Model model = kerb::hog::test::bar_model();
  model.name = "heat-bar";
  TEST_ASSERT_OK(kerb::hog::save(model, beside));
  for (const char* format : {"grey8", "grey14", "grey16", "yuyv", "nv12"}) {
    const std::string config = thermal_camera(format) + cpu;
    const Outcome checked = kerbwatch("check --config " + desk_config(config));
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, checked.code, checked.err.c_str());
    TEST_ASSERT_TRUE_MESSAGE(checked.out.find(", thermal " + beside.string()) != std::string::npos,
                             checked.out.c_str());
  }
  const Outcome ran =
      kerbwatch("run --seconds 1.5 --config " + desk_config(thermal_camera("grey14") + cpu));
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, ran.code, ran.err.c_str());
  for (const char* part :
       {"red-bar for 320x240 in colour", "heat-bar for 320x240 in heat", "320x240 grey14 thermal"})
    TEST_ASSERT_TRUE_MESSAGE(ran.err.find(part) != std::string::npos, ran.err.c_str());
  for (const char* part : {"detector red-bar\n", "detector heat-bar\n"})
    TEST_ASSERT_TRUE_MESSAGE(ran.out.find(part) != std::string::npos, ran.out.c_str());
  TEST_ASSERT_TRUE_MESSAGE(
      read(g_folder / "events.jsonl").find("vision_failed") == std::string::npos, ran.err.c_str());
  // Named, and wrong: told before the drive. Where no camera is thermal, nobody asks.
  const auto named = [](const fs::path& path) {
    return "[detector]\nthermal_model = \"" + path.string() + "\"\n";
  };
  const fs::path colour = g_folder / "models/default.kwm";
  expect_refused(
      kerbwatch("check --config " + desk_config(thermal_camera("grey16") + named(colour))),
      "camera heat is thermal, and this model needs colour");
  expect_refused(kerbwatch("check --config " +
                           desk_config(thermal_camera("grey16") + named("/nowhere/x.kwm"))),
                 "detector.thermal_model = \"/nowhere/x.kwm\": ");
  TEST_ASSERT_EQUAL_INT(0,
                        kerbwatch("check --config " + desk_config(named("/nowhere/x.kwm"))).code);
}

TEST(a_bad_model_is_told_by_a_product_that_runs) {
  const fs::path model = model_file();
  flip_a_bit(model);
  const Outcome o = kerbwatch("run --seconds 1.5 --config " + desk_config(detector_table(model)));
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.err.c_str());
  for (const char* part : {"checksum", "detection off", "FAILED: vision_failed"})
    TEST_ASSERT_TRUE_MESSAGE(o.err.find(part) != std::string::npos, o.err.c_str());
  const std::string events = read(g_folder / "events.jsonl");
  for (const char* part : {"detector_missing", "checksum", R"("to":"FAILED","cause":"vision_fai)"})
    TEST_ASSERT_TRUE_MESSAGE(events.find(part) != std::string::npos, events.c_str());
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  setenv(kerb::hog::kModelsVariable, "/nowhere/models", 1);  // whatever this machine has
  return Start::run;
}
