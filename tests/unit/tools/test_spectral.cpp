// SPDX-License-Identifier: Apache-2.0
// Datacubes and curves.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"
#include "tools/spectral/envi.hpp"
#include "tools/spectral/roc.hpp"

namespace fs = std::filesystem;
static fs::path g_folder;

SET_UP() { g_folder = kerb::test::make_temp_folder(); }
TEAR_DOWN() { fs::remove_all(g_folder); }

namespace {

using namespace kerb;
using namespace kerb::spectral;

void put(const char* name, const std::string& bytes) {
  std::ofstream{g_folder / name, std::ios::binary} << bytes;
}

/// 3 x 2 pixels, 4 bands; the sample of band b at (x, y) is 100 * b + 10 * y + x, less 5.
constexpr int kW = 3, kH = 2, kN = 4;
int sample(int b, int y, int x) { return 100 * b + 10 * y + x - 5; }

std::string header(const char* interleave, int type, int order) {
  return "ENVI\ndescription = {\n of two lines}\nsamples = 3\nlines   = 2\nbands = 4\n"
         "header offset = 2\ndata type = " +
         std::to_string(type) + "\ninterleave = " + interleave +
         "\nbyte order = " + std::to_string(order) +
         "\nwavelength units = Micrometers\nwavelength = { 0.4, 0.6,\n 0.5, 0.7 }\n";
}

std::string samples(const std::string& interleave, bool big) {
  std::string out = "??";
  const auto one = [&](int b, int y, int x) {
    const auto bits = static_cast<std::uint16_t>(static_cast<std::int16_t>(sample(b, y, x)));
    const char low = static_cast<char>(static_cast<unsigned char>(bits & 0xFFU));
    const char high = static_cast<char>(static_cast<unsigned char>(bits >> 8U));
    out += big ? std::string{high, low} : std::string{low, high};
  };
  if (interleave == "bsq") {
    for (int b = 0; b < kN; ++b)
      for (int y = 0; y < kH; ++y)
        for (int x = 0; x < kW; ++x) one(b, y, x);
  } else if (interleave == "bil") {
    for (int y = 0; y < kH; ++y)
      for (int b = 0; b < kN; ++b)
        for (int x = 0; x < kW; ++x) one(b, y, x);
  } else {
    for (int y = 0; y < kH; ++y)
      for (int x = 0; x < kW; ++x)
        for (int b = 0; b < kN; ++b) one(b, y, x);
  }
  return out;
}

TEST(cubes_of_every_order_and_byte_order_are_the_same_cube) {
  for (const char* interleave : {"bsq", "bil", "bip"})
    for (const int order : {0, 1}) {
      put("c.hdr", header(interleave, 2, order));
      put("c.img", samples(interleave, order == 1));
      const Result<Cube> cube = read_envi((g_folder / "c.hdr").string());
      TEST_ASSERT_OK(cube);
      TEST_ASSERT_EQUAL_INT(kW, cube->width);
      TEST_ASSERT_EQUAL_INT(kH, cube->height);
      for (int b = 0; b < kN; ++b)
        for (int y = 0; y < kH; ++y)
          for (int x = 0; x < kW; ++x)
            TEST_ASSERT_EQUAL_FLOAT(sample(b, y, x), cube->band(b)[y * kW + x]);
      TEST_ASSERT_FLOAT_WITHIN(1e-3F, 600, static_cast<float>(cube->wavelengths[1]));
      TEST_ASSERT_EQUAL_INT(2, nearest_band(*cube, 510));
    }
}

TEST(cut_bands_are_means_of_neighbours_by_wavelength_and_never_negative) {
  put("c.hdr", header("bsq", 2, 0));
  put("c.img", samples("bsq", false));
  const Result<Cube> cube = read_envi((g_folder / "c.hdr").string());
  TEST_ASSERT_OK(cube);
  const Result<Cube> two = cut_bands(*cube, 2);
  TEST_ASSERT_OK(two);
  TEST_ASSERT_EQUAL_INT(2, two->bands);
  // By wavelength: bands 0 and 2, then 1 and 3. Band 0 at (0, 0) is -5, which counts as 0.
  TEST_ASSERT_EQUAL_FLOAT((0 + 195) / 2.0F, two->band(0)[0]);
  TEST_ASSERT_EQUAL_FLOAT((95 + 295) / 2.0F, two->band(1)[0]);
  TEST_ASSERT_FLOAT_WITHIN(1e-3F, 450, static_cast<float>(two->wavelengths[0]));
  TEST_ASSERT_ERROR(Errc::invalid_argument, cut_bands(*cube, 5));
  TEST_ASSERT_ERROR(Errc::invalid_argument, cut_bands(*cube, 0));
}

TEST(bad_cubes_are_refused) {
  const std::string path = (g_folder / "c.hdr").string();
  TEST_ASSERT_ERROR(Errc::not_found, read_envi(path));
  put("c.hdr", "no header\n");
  TEST_ASSERT_ERROR(Errc::damaged, read_envi(path));
  put("c.hdr", header("bsq", 2, 0));
  TEST_ASSERT_ERROR(Errc::not_found, read_envi(path));  // no samples beside it
  put("c.img", samples("bsq", false).substr(0, 49));
  TEST_ASSERT_ERROR(Errc::damaged, read_envi(path));
  put("c.img", samples("bsq", false));
  put("c.hdr", header("bsq", 5, 0));
  TEST_ASSERT_ERROR(Errc::unsupported, read_envi(path));
  put("c.hdr", header("spiral", 2, 0));
  TEST_ASSERT_ERROR(Errc::damaged, read_envi(path));
  put("c.hdr", "ENVI\nsamples = 3\nlines = 2\nbands = 4\ndata type = 2\nwavelength = {1, 2,\n");
  TEST_ASSERT_ERROR(Errc::damaged, read_envi(path));  // the brace never closes
  put("c.hdr", "ENVI\nsamples = 3\nlines = 2\nbands = 4\ndata type = 2\nwavelength = {1, 2}\n");
  TEST_ASSERT_ERROR(Errc::damaged, read_envi(path));  // two for four
  put("c.hdr", "ENVI\nsamples = -3\nlines = 2\nbands = 4\ndata type = 2\n");
  TEST_ASSERT_ERROR(Errc::damaged, read_envi(path));
  put("c.hdr", "ENVI\nsamples = 1\nlines = 1\nbands = 1\ndata type = 4\n");
  put("c.img", std::string{"\x00\x00\xC0\x7F", 4});  // not a number
  TEST_ASSERT_ERROR(Errc::damaged, read_envi(path));
}

TEST(areas_are_how_often_the_target_is_nearer) {
  TEST_ASSERT_EQUAL_DOUBLE(1, roc_of({1, 2}, {3, 4, 5}).area);
  TEST_ASSERT_EQUAL_DOUBLE(0, roc_of({6, 7}, {3, 4, 5}).area);
  TEST_ASSERT_EQUAL_DOUBLE(0.5, roc_of({1, 1}, {1, 1, 1}).area);
  // Of the six pairs: 2 is nearer than 3 and 4, 3.5 than 4; 1 is nearer than both.
  const std::vector<float> target = {2, 3.5F, 1}, background = {3, 4};
  double nearer = 0;
  for (const float t : target)
    for (const float b : background) nearer += t < b ? 1 : t == b ? 0.5 : 0;
  TEST_ASSERT_EQUAL_DOUBLE(nearer / 6, roc_of(target, background).area);
  const float far = std::numeric_limits<float>::infinity();
  TEST_ASSERT_EQUAL_DOUBLE(0.625, roc_of({1, far}, {2, far}).area);
}

TEST(hits_are_read_off_the_curve) {
  const Roc roc = roc_of({1, 2, 5, 6}, {3, 4, 7, 8});
  TEST_ASSERT_EQUAL_DOUBLE(0.5, roc.hits_at(0));
  TEST_ASSERT_EQUAL_DOUBLE(0.5, roc.hits_at(0.25));
  TEST_ASSERT_EQUAL_DOUBLE(1, roc.hits_at(0.5));
  TEST_ASSERT_EQUAL_DOUBLE(1, roc.hits_at(1));
  const Roc guess = roc_of({1, 1}, {1, 1});
  TEST_ASSERT_EQUAL_DOUBLE(0.3, guess.hits_at(0.3));
}

}  // namespace
