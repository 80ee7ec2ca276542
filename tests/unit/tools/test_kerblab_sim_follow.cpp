// SPDX-License-Identifier: Apache-2.0
// kerblab sim follow as a person meets it.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <string>

#include "tests/support/test.hpp"
#include "tests/unit/tools/kerblab_folder.hpp"

namespace {

using Json = nlohmann::json;
using namespace kerb::test;

void write(const std::string& name, const std::string& text) {
  std::ofstream{g_folder / name} << text;
}

/// What reflects `red` of what is from 740 to 860 nm, `beyond` of what is longer, and 0.22 of the
/// rest.
std::string cloth(const char* red, const char* beyond) {
  std::string out = "{ reflectance = [";
  for (int nm = 400; nm <= 1000; nm += 20)
    out += std::string{nm == 400 ? "" : ", "} + (nm < 740 ? "0.22" : nm < 860 ? red : beyond);
  return out + "] }";
}

/// Somebody in a wall's grey, but for what is beyond red, walks past it; another is in its way.
std::string street(const std::string& sensor) {
  const std::string theirs = cloth("0.4", "0.04"), walls = cloth("0.22", "0.22");
  return "seconds = 2\n[camera]\nwidth = 426\nheight = 240\nrate_hz = 15\nfov_deg = 40\n"
         "height_m = 1.3\nbehind_m = 1.7\n" +
         sensor +
         "\n[street]\nlanes = 2\nleft = \"fields\"\nright = \"fields\"\nclutter = 0\n"
         "[car]\nkmh = 0\n[light]\nkind = \"overcast\"\n"
         "[[props]]\nkind = \"wall\"\nat = [20, 0]\nheading_deg = 90\nsize = [40, 0.4, 6]\n"
         "colour = " +
         walls +
         "\n[[people]]\nname = \"one\"\nheight_m = 1.78\ntop = \"jacket\"\nbottom = \"trousers\"\n"
         "pattern = \"plain\"\ntop_colour = " +
         theirs + "\nbottom_colour = " + theirs +
         "\nstart = [7, -1]\nwalk = [{ to = [7, 2], kmh = 4.5 }]\n";
}

const char* const kMosaic =
    "sensor = \"mosaic\"\nbands = [{ centre_nm = 460 }, { centre_nm = 520 }, { centre_nm = 580 }, "
    "{ centre_nm = 640 }, { centre_nm = 690 }, { centre_nm = 760 }, { centre_nm = 810 }, "
    "{ centre_nm = 900 }, { centre_nm = 960 }]";

TEST(help_has_examples) {
  const Outcome o = kerblab("sim follow --help");
  expect_done(o);
  TEST_ASSERT_TRUE_MESSAGE(o.out.find("kerblab sim follow ") != std::string::npos, o.out.c_str());
}

TEST(somebody_in_a_walls_grey_is_followed_by_their_bands) {
  write("street.toml", street(kMosaic));
  const Outcome o =
      kerblab("sim follow street.toml --frames 12 --tiles 7 --sheet s.png --json f.json");
  expect_done(o);
  TEST_ASSERT_TRUE_MESSAGE(o.out.find("bands ") == 0, o.out.c_str());
  TEST_ASSERT_TRUE_MESSAGE(o.out.find("\ncolours ") != std::string::npos, o.out.c_str());
  const Json figures = Json::parse(read(g_folder / "f.json"));
  TEST_ASSERT_EQUAL_STRING("street", figures["scenario"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_INT(12, figures["frames"].get<int>());
  TEST_ASSERT_EQUAL_INT_MESSAGE(12, figures["bands"]["on_the_person"].get<int>(),
                                figures.dump().c_str());
  TEST_ASSERT_TRUE(figures["bands"]["worst_px"].get<double>() <
                   figures["half_width_px"].get<double>());
  for (const char* who : {"bands", "colours"}) {
    const Json& f = figures[who];
    TEST_ASSERT_TRUE(f["median_px"].get<double>() <= f["p95_px"].get<double>());
    TEST_ASSERT_TRUE(f["p95_px"].get<double>() <= f["worst_px"].get<double>());
  }
  const cv::Mat sheet = cv::imread((g_folder / "s.png").string());
  // Seven tiles, two a row: three fifths of 426 x 240, twice beside each other on 760.
  TEST_ASSERT_TRUE(sheet.cols > 1500 && sheet.rows > 4 * 120 && sheet.rows < 5 * 128);
  // Drawn or not, it is followed the same way; and figures may go to stdout.
  const Outcome again = kerblab("sim follow street.toml --frames 12 --json -");
  expect_done(again);
  TEST_ASSERT_EQUAL_STRING(figures.dump().c_str(), Json::parse(again.out).dump().c_str());
}

TEST(who_is_hidden_by_another_in_like_clothes_is_found_again) {
  // They pass each other from the 27th picture on.
  const Outcome o = kerblab("sim follow --suite camouflage --only follow --frames 60 --json -");
  expect_done(o);
  const Json figures = Json::parse(o.out);
  const int bands = figures["bands"]["on_the_person"].get<int>();
  TEST_ASSERT_TRUE_MESSAGE(bands >= 54, o.out.c_str());
  TEST_ASSERT_TRUE_MESSAGE(figures["colours"]["on_the_person"].get<int>() < bands - 10,
                           o.out.c_str());
}

TEST(what_cannot_be_followed_is_one_line_and_leaves_nothing) {
  write("street.toml", street(kMosaic));
  write("plain.toml", street("sensor = \"rgb\""));
  const long before = file_count(g_folder);
  const std::string out = " --sheet s.png --json f.json";
  expect_bad_input(kerblab("sim follow plain.toml" + out), "no mosaic");
  expect_bad_input(kerblab("sim follow nowhere.toml" + out), "nowhere.toml");
  expect_bad_input(kerblab("sim follow street.toml --frames 20 --person 2" + out), "--person 2");
  expect_bad_input(kerblab("sim follow street.toml --frames 31" + out), "--frames 31");
  expect_bad_input(kerblab("sim follow street.toml --frames 1" + out), "--frames");
  expect_bad_input(kerblab("sim follow street.toml --reach 1" + out), "--reach");
  expect_bad_input(kerblab("sim follow street.toml --tiles 0" + out), "--tiles");
  expect_bad_input(kerblab("sim follow street.toml --frames 12 --sheet s.gif"), ".png or .jpg");
  expect_bad_input(kerblab("sim follow street.toml --frames 12 --json street.toml"), "overwrite");
  expect_bad_input(kerblab("sim follow street.toml --frames 12 --sheet a.png --json a.png"),
                   "a.png");
  expect_bad_input(kerblab("sim follow street.toml --frames 12 --json no/such/folder.json"),
                   "no/such");
  expect_bad_input(kerblab("sim follow --suite nosuch" + out), "nosuch");
  TEST_ASSERT_EQUAL_INT(before, file_count(g_folder));
}

}  // namespace
