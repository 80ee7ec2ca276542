// SPDX-License-Identifier: Apache-2.0
// kerblab emd, bench emd, spectral and eval spectral as a person meets them.
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "tests/support/test.hpp"
#include "tests/unit/tools/kerblab_folder.hpp"

namespace {

using Json = nlohmann::json;
using namespace kerb::test;

void write(const std::string& name, const std::string& text) {
  fs::create_directories((g_folder / name).parent_path());
  std::ofstream{g_folder / name, std::ios::binary} << text;
}
std::string read(const std::string& name) {
  std::ifstream file{g_folder / name, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}
void write_picture(const std::string& name, const cv::Mat& picture) {
  fs::create_directories((g_folder / name).parent_path());
  TEST_ASSERT_TRUE(cv::imwrite((g_folder / name).string(), picture));
}

constexpr int kWidth = 96, kHeight = 64;
const cv::Rect kPerson{40, 16, 12, 32};

/// A green street in which somebody in green stands, warm. Noise of a few levels.
cv::Mat visible() {
  cv::Mat out(kHeight, kWidth, CV_8UC3);
  cv::RNG random{1};
  random.fill(out, cv::RNG::UNIFORM, cv::Scalar{30, 90, 40}, cv::Scalar{70, 130, 80});
  return out;
}
cv::Mat thermal() {
  cv::Mat out(kHeight, kWidth, CV_8UC1);
  cv::RNG random{2};
  random.fill(out, cv::RNG::UNIFORM, 20, 50);
  cv::Mat person = out(kPerson);
  random.fill(person, cv::RNG::UNIFORM, 180, 220);
  return out;
}

TEST(help_has_examples) {
  for (const char* command :
       {"emd --help", "bench emd --help", "spectral --help", "eval spectral --help"}) {
    const Outcome o = kerblab(command);
    expect_done(o);
    TEST_ASSERT_TRUE_MESSAGE(o.out.find("kerblab ") != std::string::npos, o.out.c_str());
    TEST_ASSERT_TRUE_MESSAGE(o.out.find("Example") != std::string::npos, o.out.c_str());
  }
}

TEST(distances_by_hand_by_every_ground_and_solver) {
  // On a line 4 units go 1, 2 and so on: cumulated excess 3, 0, -2 of 8.
  const Outcome line = kerblab("emd 3,1,0,4 0,4,2,2");
  expect_done(line);
  TEST_ASSERT_EQUAL_STRING("0.625\n", line.out.c_str());  // (3 + 0 + 2) / 8
  const Outcome circle = kerblab("emd --ground circle 4,0,0,0,0 0,0,0,0,4");
  TEST_ASSERT_EQUAL_STRING("1\n", circle.out.c_str());
  const Outcome flat = kerblab("emd --ground flat 4,0,0 1,3,0");
  TEST_ASSERT_EQUAL_STRING("0.75\n", flat.out.c_str());
  write("costs.txt", "# no line, circle or the like\n0 1 5\n1,0,2\n\n5\t2 0.5 # not a metric\n");
  write("from.txt", "2,0,1\n0,0,3\n");
  write("to.txt", "0 3 0\n1 1 1\n");
  std::string first;
  for (const char* solver : {"auto", "atlas", "packed", "network", "exact"}) {
    const Outcome o =
        kerblab(std::string{"emd --ground costs.txt --backend cpu --json - --solver "} + solver +
                " @from.txt @to.txt");
    expect_done(o);
    const Json report = Json::parse(o.out);
    TEST_ASSERT_FALSE(report["metric"].get<bool>());
    TEST_ASSERT_FALSE(report["rounded"].get<bool>());
    // (2 * 1 + 1 * 2) / 3; all from bin 3: 2, and (5 + 2 + 0.5) / 3.
    TEST_ASSERT_FLOAT_WITHIN(1e-6F, 4.0F / 3, report["results"][0]["distance"][0].get<float>());
    TEST_ASSERT_FLOAT_WITHIN(1e-6F, 2, report["results"][1]["distance"][0].get<float>());
    TEST_ASSERT_FLOAT_WITHIN(1e-6F, 2.5F, report["results"][1]["distance"][1].get<float>());
    if (report["solver"] == "exact") continue;  // has no costs in whole numbers
    if (first.empty()) first = report["results"].dump();
    TEST_ASSERT_EQUAL_STRING(first.c_str(), report["results"].dump().c_str());
  }
}

TEST(distances_are_by_the_costs_as_given) {
  write("wide.txt", "0 .001 1000\n.001 0 1000\n1000 1000 0\n");  // more than whole numbers span
  write("tenths.txt", "0 .1 .3\n.1 0 .2\n.3 .2 0\n");
  for (const char* solver : {"atlas", "network"}) {
    const Outcome o = kerblab(std::string{"emd --ground wide.txt 1,0,1 0,1,1 --solver "} + solver);
    expect_done(o);
    TEST_ASSERT_EQUAL_STRING("0.0005\n", o.out.c_str());
  }
  TEST_ASSERT_EQUAL_STRING("0.3\n", kerblab("emd --ground tenths.txt 5,0,0 0,0,5").out.c_str());
  TEST_ASSERT_EQUAL_STRING("0.1\n",
                           kerblab("emd --partial --ground tenths.txt 5,0,0 0,3,0").out.c_str());
}

TEST(weights_may_be_as_large_or_small_as_numbers_are) {
  for (const char* weights : {"1e300,1e300,0", "1e-320,1e-320,0", "1e308,1e308,0"}) {
    const Outcome o = kerblab(std::string{"emd --mass 200 0,0,1 "} + weights);
    expect_done(o);
    TEST_ASSERT_EQUAL_STRING("1.5\n", o.out.c_str());
  }
}

TEST(unequal_totals_are_shares_or_matched_in_part) {
  const Outcome shares = kerblab("emd --json - 0.3,0.7,0 0,0,7");
  expect_done(shares);
  const Json report = Json::parse(shares.out);
  TEST_ASSERT_EQUAL_STRING("exact", report["solver"].get<std::string>().c_str());
  TEST_ASSERT_FALSE(report["rounded"].get<bool>());
  TEST_ASSERT_TRUE(std::abs(report["results"][0]["distance"][0].get<double>() - 1.3) < 1e-12);
  const Outcome rounded = kerblab("emd --json - --mass 20 0.33,0.67,0 0,0,7");
  expect_done(rounded);
  TEST_ASSERT_TRUE(Json::parse(rounded.out)["rounded"].get<bool>());
  TEST_ASSERT_FLOAT_WITHIN(1e-6F, 1.35F,  // 7 of 20 parts two steps, 13 one
                           Json::parse(rounded.out)["results"][0]["distance"][0].get<float>());
  const Outcome partial = kerblab("emd --partial 3,0,0 0,1,1");
  expect_done(partial);
  TEST_ASSERT_EQUAL_STRING("1.5\n", partial.out.c_str());  // one unit stays where it is
  TEST_ASSERT_EQUAL_STRING("1.5\n", kerblab("emd --partial 0.3,0,0 0,.1,.1").out.c_str());
}

/// A NumPy file of doubles, as NumPy writes it.
std::string npy(const std::string& shape, const std::vector<double>& values) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize(117, ' ');
  std::string out{"\x93NUMPY\x01\x00\x76\x00", 10};
  out += header + "\n";
  for (const double value : values) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int i = 0; i < 8; ++i)
      out.push_back(static_cast<char>(static_cast<unsigned char>(bits >> (8 * i) & 0xFFU)));
  }
  return out;
}

TEST(arrays_in_and_out) {
  write("s.npy", npy("3, 3", {1, 0, 0, .5, .5, 0, 0, 0, 2}));
  write("t.npy", npy("3,", {0, 0, 1}));
  write("g.npy", npy("3, 3", {0, .1, .3, .1, 0, .25, .3, .25, 0}));
  const Outcome o = kerblab("emd --signatures s.npy --target t.npy --ground g.npy --out d.npy");
  expect_done(o);
  TEST_ASSERT_EQUAL_STRING("", o.out.c_str());
  TEST_ASSERT_TRUE(read("d.npy") == npy("3,", {.3, .275, 0}));
  write("t.npy", npy("2, 3", {0, 0, 1, 1, 0, 0}));
  expect_done(kerblab("emd @s.npy @t.npy --out d.npy"));
  TEST_ASSERT_TRUE(read("d.npy") == npy("3, 2", {2, 0, 1.5, .5, 0, 2}));
  // Beyond what the product's signatures hold.
  std::vector<double> first(40, 0), last(40, 0);
  first.front() = last.back() = 1;
  write("s.npy", npy("40,", first));
  write("t.npy", npy("40,", last));
  expect_done(kerblab("emd --signatures s.npy --target t.npy --out d.npy"));
  TEST_ASSERT_TRUE(read("d.npy") == npy("1,", {39}));

  write("s.npy", npy("2, 2", {1, 2, 3, -4}));
  write("t.npy", npy("2,", {1, 1}));
  expect_bad_input(kerblab("emd --signatures s.npy --target t.npy --out e.npy"),
                   "s.npy: row 2: -4 is below zero");
  write("s.npy", npy("2, 2", {1, 2, std::nan(""), 4}));
  expect_bad_input(kerblab("emd --signatures s.npy --target t.npy --out e.npy"), "row 2");
  write("s.npy", npy("2, 2", {1, 2, 3}));
  expect_bad_input(kerblab("emd --signatures s.npy --target t.npy --out e.npy"), "24 bytes");
  write("s.npy", npy("2, 2", {1, 2, 3, 4}));
  expect_bad_input(kerblab("emd --signatures s.npy --target t.npy --ground g.npy --out e.npy"),
                   "2 rows of 2 costs");
  expect_bad_input(kerblab("emd --signatures s.npy --out e.npy"), "--target");
  expect_bad_input(kerblab("emd --signatures s.npy --target t.npy 1,2 --out e.npy"), "from");
  expect_bad_input(kerblab("emd --signatures s.npy --target t.npy --out s.npy"), "overwrite");
  TEST_ASSERT_FALSE(fs::exists(g_folder / "e.npy"));
}

TEST(histograms_that_cannot_be_are_one_line) {
  write("bad.txt", "1 2 x\n");
  write("costs.txt", "0 1\n1 0\n");
  write("below.txt", "0 1\n-1 0\n");
  write("far.txt", "0 1\n1e300 0\n");
  write("empty.txt", "# nothing\n");
  expect_bad_input(kerblab("emd 1,2,3 1,2"), "bins");
  expect_bad_input(kerblab("emd 1,nan 1,2"), "nan");
  expect_bad_input(kerblab("emd 0,0 1,2"), "empty");
  expect_bad_input(kerblab("emd 1,-2 1,2"), "-2 is below zero");
  expect_bad_input(kerblab("emd 1 1"), "2..16");
  expect_bad_input(kerblab("emd .1 .2"), "2..256");
  expect_bad_input(kerblab("emd --solver network 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1 "
                           "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"),
                   "17 bins: must be 2..16");
  expect_bad_input(kerblab("emd @bad.txt 1,2,3"), "bad.txt");
  expect_bad_input(kerblab("emd @none.txt 1,2,3"), "none.txt");
  expect_bad_input(kerblab("emd @empty.txt 1,2,3"), "empty.txt");
  expect_bad_input(kerblab("emd --ground costs.txt 1,2,3 1,2,3"), "costs.txt");
  expect_bad_input(kerblab("emd --ground below.txt 1,2 1,2"), "below.txt:2: '-1' is below zero");
  expect_bad_input(kerblab("emd --ground far.txt 1,2 1,2"), "far.txt:2: cost 1e+300");
  expect_bad_input(kerblab("emd --ground nowhere.txt 1,2 1,2"), "nowhere.txt");
  expect_bad_input(kerblab("emd --partial --solver packed 0.5,0.5 1,2"), "--partial");
  expect_bad_input(kerblab("emd --solver exact --mass 5 1,2 1,2"), "--mass");
  expect_bad_input(kerblab("emd --solver exact --backend cuda 1,2 1,2"), "--backend");
  expect_bad_input(kerblab("emd --ground costs.txt --solver best 1,2 1,2"), "--solver");
  expect_bad_input(kerblab("emd 1,2"), "");
  expect_bad_input(kerblab("emd --json bad.txt @bad.txt 1,2"), "overwrite");
}

TEST(somebody_warm_stands_out_where_colours_do_not_tell) {
  write_picture("v.png", visible());
  write_picture("t.png", thermal());
  for (const char* how : {"", " --window 7"}) {
    const Outcome o = kerblab(
        "spectral v.png --thermal t.png --box 40,16,12,32 --backend cpu "
        "--draw d.png --json -" +
        std::string{how});
    expect_done(o);
    const Json areas = Json::parse(o.out)["area_under_roc"];
    TEST_ASSERT_TRUE_MESSAGE(areas["emd"].get<double>() > 0.99, o.out.c_str());
    TEST_ASSERT_TRUE_MESSAGE(areas["three_colours_euclidean"].get<double>() < 0.7, o.out.c_str());
    const cv::Mat drawn = cv::imread((g_folder / "d.png").string());
    TEST_ASSERT_TRUE(drawn.cols > 3 * kWidth && drawn.rows > kHeight);
  }
}

TEST(every_source_of_bands_can_be_read) {
  // Four bands: 2 x 2 tiles, whose last is bright in the box alone.
  cv::Mat raw(2 * kHeight, 2 * kWidth, CV_16UC1), beside(kHeight, 4 * kWidth, CV_8UC1);
  std::string cube;
  for (int y = 0; y < kHeight; ++y)
    for (int b = 0; b < 4; ++b)
      for (int x = 0; x < kWidth; ++x) {
        const int value = b < 3 ? 100 : kPerson.contains({x, y}) ? 200 : 20;
        raw.at<std::uint16_t>(2 * y + b / 2, 2 * x + b % 2) = static_cast<std::uint16_t>(5 * value);
        beside.at<std::uint8_t>(y, b * kWidth + x) = static_cast<std::uint8_t>(value);
        cube.push_back(static_cast<char>(static_cast<unsigned char>(value)));
      }
  write_picture("raw.png", raw);
  write_picture("beside.png", beside);
  write("c.img", cube);
  write("c.hdr",
        "ENVI\nsamples = 96\nlines = 64\nbands = 4\ndata type = 1\ninterleave = bil\n"
        "wavelength = {450, 550, 650, 900}\n");
  write("beyond.csv", "a,1,1,5,5\na,90,1,7,5\nb,1,20,5,5\n");
  expect_bad_input(kerblab("eval spectral --cube c.hdr --bands 4 --boxes beyond.csv"),
                   "beyond.csv:2: box outside the picture of 96 x 64");
  for (const char* source :
       {"--mosaic 2 raw.png --nm 450,550,650,900", "--mosaic 2 raw.png", "--beside 4 beside.png",
        "--cube c.hdr --bands 4", "--cube c.hdr --bands 4 --dark 0 --ground line"}) {
    const Outcome o =
        kerblab(std::string{"spectral --backend cpu --json - --box 41,20,10,20 "} + source);
    expect_done(o);
    const Json report = Json::parse(o.out);
    TEST_ASSERT_EQUAL_INT(kWidth, report["width"].get<int>());
    // All pixels are one of two signatures.
    TEST_ASSERT_TRUE(report["solved"].get<int>() == 2 || report["solver"] == "closed");
    TEST_ASSERT_TRUE_MESSAGE(report["area_under_roc"]["emd"].get<double>() > 0.97, o.out.c_str());
  }
}

/// As test_every_source_of_bands_can_be_read(), in floats from 0 to 1.
std::string float_cube(float person, float elsewhere) {
  std::string cube;
  for (int b = 0; b < 4; ++b)
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        const float value = b < 3 ? 0.4F : kPerson.contains({x, y}) ? person : elsewhere;
        const auto bits = std::bit_cast<std::uint32_t>(value);
        for (int i = 0; i < 4; ++i)
          cube.push_back(static_cast<char>(static_cast<unsigned char>(bits >> (8 * i) & 0xFFU)));
      }
  return cube;
}

TEST(a_cube_of_parts_of_one_is_not_rounded_away) {
  write("f.hdr", "ENVI\nsamples = 96\nlines = 64\nbands = 4\ndata type = 4\n");
  write("f.img", float_cube(0.3F, 0.1F));  // both would be 0
  const std::string command =
      "spectral --backend cpu --json - --box 41,20,10,20 --cube f.hdr --bands 4";
  const Outcome o = kerblab(command);
  expect_done(o);
  TEST_ASSERT_TRUE_MESSAGE(Json::parse(o.out)["area_under_roc"]["emd"].get<double>() > 0.97,
                           o.out.c_str());
  write("f.img", float_cube(0.3F, -0.1F));
  expect_bad_input(kerblab(command), "below zero");
  write("f.img", float_cube(0.3F, std::nanf("")));
  expect_bad_input(kerblab(command), "not a number");
}

TEST(a_box_over_all_has_no_area) {
  write_picture("v.png", visible());
  const Outcome o = kerblab("spectral v.png --backend cpu --box 0,0,96,64 --draw d.png --json -");
  expect_done(o);
  TEST_ASSERT_TRUE_MESSAGE(Json::parse(o.out)["area_under_roc"]["emd"].is_null(), o.out.c_str());
  TEST_ASSERT_TRUE_MESSAGE(o.err.find("ROC –,") != std::string::npos, o.err.c_str());
}

TEST(options_without_effect_are_one_line) {
  write_picture("v.png", visible());
  const std::string spectral = "spectral v.png --box 1,1,5,5 ";
  expect_bad_input(kerblab(spectral + "--dark nan"), "--dark");
  expect_bad_input(kerblab(spectral + "--dark-cost nan"), "--dark-cost");
  expect_bad_input(kerblab(spectral + "--mosaic 2 --nm 450,550,650,-5"), "--nm");
  expect_bad_input(kerblab(spectral + "--bins 5"), "--window");
  expect_bad_input(kerblab(spectral + "--bands 4"), "--cube");
  for (const char* option : {"--smooth 3", "--dark 1", "--dark-cost 1", "--no-balance"})
    expect_bad_input(kerblab(spectral + "--window 5 " + option), "--window");
  expect_bad_input(kerblab(spectral + "--dark-cost 1 --ground line"), "--ground");
  expect_bad_input(kerblab("eval spectral d --boxes b.csv"), "--cube");
}

TEST(pictures_that_do_not_fit_are_one_line_and_leave_nothing) {
  write_picture("v.png", visible());
  write_picture("t.png", thermal()(cv::Rect{0, 0, kWidth - 1, kHeight}));
  write("c.hdr", "ENVI\n");
  const long before = file_count(g_folder);
  const std::string out = " --draw d.png --json r.json";
  expect_bad_input(kerblab("spectral v.png --thermal t.png --box 1,1,5,5" + out), "thermal");
  expect_bad_input(kerblab("spectral v.png --box 90,1,10,5" + out), "--box");
  expect_bad_input(kerblab("spectral v.png --box 1,1,0,5" + out), "--box");
  expect_bad_input(kerblab("spectral v.png --box 1,1,5" + out), "--box");
  expect_bad_input(kerblab("spectral --box 1,1,5,5" + out), "picture");
  expect_bad_input(kerblab("spectral v.png --cube c.hdr --box 1,1,5,5" + out), "picture");
  expect_bad_input(kerblab("spectral --cube c.hdr --box 1,1,5,5" + out), "c.hdr");
  expect_bad_input(kerblab("spectral --mosaic 4 v.png --box 1,1,5,5" + out), "--dark 0");
  expect_bad_input(kerblab("spectral --beside 5 v.png --box 1,1,5,5" + out), "side by side");
  expect_bad_input(kerblab("spectral --mosaic 2 --nm 1,2 v.png --box 1,1,5,5" + out), "4 bands");
  expect_bad_input(kerblab("spectral --window 4 v.png --box 1,1,5,5" + out), "odd");
  expect_bad_input(kerblab("spectral v.png --box 1,1,5,5 --draw d.jpg"), ".png");
  expect_bad_input(kerblab("spectral v.png --box 1,1,5,5 --draw v.png"), "overwrite");
  expect_bad_input(kerblab("spectral --solver closed v.png --box 1,1,5,5" + out), "closed form");
  expect_bad_input(kerblab("eval spectral nowhere" + std::string{" --json r.json"}),
                   "no such folder");
  expect_bad_input(kerblab("eval spectral --cube c.hdr --json r.json"), "--boxes");
  TEST_ASSERT_EQUAL_INT(before, file_count(g_folder));
}

TEST(the_evaluation_judges_pairs_and_writes_its_page) {
  write_picture("d/vi/7.png", visible());
  write_picture("d/ir/7.png", thermal());
  // The middle (46, 32) and sides (12, 32) in parts of 96 x 64; and a car, which is nobody.
  write("d/labels/7.txt", "0 0.479167 0.5 0.125 0.5\n2 0.8 0.5 0.1 0.2\n");
  write("d/labels/classes.txt", "person\nbicycle\ncar\n");
  write("page.md",
        "a\n<!-- kerblab eval spectral: begin -->\nold\n<!-- kerblab eval spectral: end -->\nb\n");
  expect_done(
      kerblab("eval spectral d --backend cpu --every 1 --window 7 --into page.md --json r.json "
              "--plot roc.svg --draw drawn --most 1"));
  const Json report = Json::parse(read(g_folder / "r.json"));
  TEST_ASSERT_EQUAL_INT(1, report["targets"].get<int>());
  TEST_ASSERT_EQUAL_size_t(10, report["means"].size());
  for (const Json& way : report["means"]) {
    const std::string name = way["way"];
    const double area = way["mean"];
    const bool heat = name.rfind("bands", 0) == 0 || name.rfind("windows", 0) == 0;
    TEST_ASSERT_TRUE_MESSAGE(heat ? area > 0.97 : area < 0.8, way.dump().c_str());
  }
  const std::string page = read(g_folder / "page.md");
  TEST_ASSERT_TRUE_MESSAGE(page.find("| bands, EMD | ") != std::string::npos, page.c_str());
  TEST_ASSERT_TRUE(page.find("old") == std::string::npos);
  TEST_ASSERT_TRUE(read(g_folder / "roc.svg").find("<svg") != std::string::npos);
  TEST_ASSERT_TRUE(fs::exists(g_folder / "drawn/best-7.png"));
  write("d/labels/7.txt", "0 0.5 0.5\n");
  expect_bad_input(kerblab("eval spectral d"), "7.txt");
}

TEST(the_bench_runs_and_writes_table_and_plot) {
  write("page.md", "a\n<!-- kerblab bench emd: begin -->\n<!-- kerblab bench emd: end -->\nb\n");
  expect_done(
      kerblab("bench emd --quick --backend cpu --threads 1 --json r.json --into page.md "
              "--plot p.svg --plot p.png"));
  const Json report = Json::parse(read(g_folder / "r.json"));
  TEST_ASSERT_TRUE(report["results"].size() >= 13);
  for (const Json& row : report["results"])
    TEST_ASSERT_TRUE_MESSAGE(row["per_second"].get<double>() > 0, row.dump().c_str());
  const std::string page = read(g_folder / "page.md");
  TEST_ASSERT_TRUE_MESSAGE(page.find("cv::EMD") != std::string::npos, page.c_str());
  TEST_ASSERT_TRUE_MESSAGE(page.find("| picture, 64x48, cpu, cold |") != std::string::npos,
                           page.c_str());
  TEST_ASSERT_TRUE(read(g_folder / "p.svg").find("<svg") != std::string::npos);
  TEST_ASSERT_FALSE(cv::imread((g_folder / "p.png").string()).empty());
  expect_bad_input(kerblab("bench emd --quick --plot p.jpg"), "p.jpg");
}

TEST(the_tables_of_another_machine) {
  const auto row = [](const char* what, double ms) {
    const Json one{{"what", what},    {"width", 1920},          {"height", 1080},
                   {"bins", 11},      {"solver", "atlas"},      {"backend", "cuda"},
                   {"threads", 0},    {"cache", "cold"},        {"transfers", ""},
                   {"median_ms", ms}, {"best_ms", 1},           {"worst_ms", 9},
                   {"solved", 5},     {"per_second", 1e3 / ms}, {"duplicates", 6},
                   {"cached", 7},     {"equals_cpu", true}};
    return one.dump() + "\n";
  };
  const std::string rows = row("picture", 0.5) + row("random, all hash alike", 3) +
                           row("random, no cache, no duplicates", 2) + row("random", 2.5);
  write("far.jsonl", R"({"machine":"far away","repeats":5})"
                     "\n" +
                         rows);
  write("page.md", "a\n<!-- kerblab bench emd: begin -->\n<!-- kerblab bench emd: end -->\nb\n");
  expect_done(kerblab("bench emd --from far.jsonl --into page.md --plot p.svg --json r.json"));
  const std::string page = read(g_folder / "page.md");
  for (const char* line :
       {"| picture, 1920x1080, cuda, cold | 2000 |", "| the paper's, a C2050: 9.9 to 117.1, ",
        "| random, all hash alike | 3.000 | 333 | 1.50 | 5 | 7 |", "| random, cold | 2.500 |"})
    TEST_ASSERT_TRUE_MESSAGE(page.find(line) != std::string::npos, page.c_str());
  TEST_ASSERT_TRUE(read(g_folder / "r.json").find("far away") != std::string::npos);
  write("odd.jsonl", "{\"what\":\"picture\"}\n");
  expect_bad_input(kerblab("bench emd --from odd.jsonl"), "odd.jsonl");
  expect_bad_input(kerblab("bench emd --from nowhere.jsonl"), "nowhere.jsonl");
  write("empty.jsonl", "");
  write("idle.jsonl", R"({"machine":"far away","repeats":5})"
                      "\n");
  for (const char* nothing : {"empty.jsonl", "idle.jsonl"})
    expect_bad_input(kerblab(std::string{"bench emd --into page.md --from "} + nothing),
                     "the file has no rows");
  TEST_ASSERT_EQUAL_STRING(page.c_str(), read(g_folder / "page.md").c_str());
}

}  // namespace
