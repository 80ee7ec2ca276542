// SPDX-License-Identifier: Apache-2.0
// Reflectances against published colours, and people's surfaces against what is known of them.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/test.hpp"
#include "tests/unit/simulator/random_person.hpp"
#include "tools/simulator/base/colour.hpp"
#include "tools/simulator/people/body.hpp"
#include "tools/simulator/people/spectra.hpp"

using namespace kerb::sim;
using kerb::test::random_person;

namespace {

double luminance(const Surface& s) { return xyz_of(s.reflectance)[1]; }
double at_nm(const Surface& s, double nm) { return reflectance_at(s.reflectance, nm); }

TEST(a_perfect_white_is_white_and_greys_keep_their_luminance) {
  for (const double r : {0.02, 0.18, 0.5, 1.0}) {
    const std::vector<double> flat(kReflectances, r);
    const auto rgb = srgb_of(flat);
    for (const double c : rgb) TEST_ASSERT_DOUBLE_WITHIN(0.003, linear_to_srgb(r), c);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, r, xyz_of(flat)[1]);
  }
}

/// Patches of the classic colour chart: reflectances at 400, 420 ... 780 nm as Ohta measured them
/// (1997), and the sRGB that is published for them.
struct Patch {
  const char* name;
  std::array<double, 20> reflectance;
  std::array<double, 3> rgb;
};
constexpr Patch kPatches[] = {
    {"dark skin",
     {0.065, 0.064, 0.055, 0.052, 0.054, 0.061, 0.070, 0.076, 0.087, 0.115,
      0.138, 0.154, 0.173, 0.204, 0.242, 0.282, 0.334, 0.409, 0.462, 0.421},
     {115, 82, 68}},
    {"light skin",
     {0.182, 0.201, 0.212, 0.240, 0.282, 0.301, 0.322, 0.292, 0.295, 0.358,
      0.494, 0.550, 0.574, 0.605, 0.652, 0.713, 0.762, 0.791, 0.801, 0.734},
     {194, 150, 130}},
    {"blue sky",
     {0.266, 0.336, 0.335, 0.322, 0.293, 0.260, 0.225, 0.198, 0.183, 0.163,
      0.150, 0.137, 0.123, 0.112, 0.105, 0.103, 0.102, 0.104, 0.106, 0.120},
     {98, 122, 157}},
    {"foliage",
     {0.050, 0.050, 0.054, 0.061, 0.067, 0.078, 0.155, 0.177, 0.137, 0.122,
      0.104, 0.098, 0.097, 0.095, 0.125, 0.247, 0.343, 0.364, 0.368, 0.341},
     {87, 108, 67}},
    {"bluish green",
     {0.252, 0.322, 0.353, 0.408, 0.523, 0.582, 0.569, 0.519, 0.436, 0.346,
      0.260, 0.221, 0.210, 0.211, 0.233, 0.252, 0.244, 0.260, 0.297, 0.296},
     {103, 189, 170}},
    {"orange",
     {0.054, 0.052, 0.052, 0.052, 0.055, 0.061, 0.086, 0.170, 0.297, 0.452,
      0.532, 0.566, 0.587, 0.604, 0.615, 0.628, 0.633, 0.638, 0.641, 0.582},
     {214, 126, 44}}};

TEST(a_colour_charts_reflectances_give_its_published_colours) {
  for (const Patch& patch : kPatches) {
    std::vector<double> r(patch.reflectance.begin(), patch.reflectance.end());
    r.resize(kReflectances, r.back());
    const auto rgb = srgb_of(r);
    for (std::size_t i = 0; i < 3; ++i)
      TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(8, patch.rgb[i], 255 * rgb[i], patch.name);
  }
}

TEST(a_narrow_red_reflectance_is_red_and_a_narrow_blue_one_blue) {
  std::vector<double> red(kReflectances, 0.02), blue(kReflectances, 0.02);
  for (std::size_t i = 0; i < kReflectances; ++i) {
    if (reflectance_nm(i) >= 620) red[i] = 0.7;
    if (reflectance_nm(i) <= 480) blue[i] = 0.7;
  }
  const auto r = srgb_of(red), b = srgb_of(blue);
  TEST_ASSERT_TRUE(r[0] > 3 * r[1] && r[0] > 3 * r[2]);
  TEST_ASSERT_TRUE(b[2] > 1.5 * b[1] && b[2] > 2 * b[0]);
}

TEST(skin_has_the_dips_of_blood_and_water_and_darkens_with_melanin) {
  double before = 1;
  for (const double melanin : {0.05, 0.2, 0.5, 1.0}) {
    const Surface s = skin_surface(melanin);
    TEST_ASSERT_TRUE(luminance(s) < before);
    before = luminance(s);
    TEST_ASSERT_TRUE(at_nm(s, 540) < at_nm(s, 500) + 0.05);
    TEST_ASSERT_TRUE(at_nm(s, 620) > 1.3 * at_nm(s, 580));  // the step beyond haemoglobin
    TEST_ASSERT_TRUE(at_nm(s, 980) < at_nm(s, 900));        // water
    TEST_ASSERT_TRUE(at_nm(s, 860) > 2 * at_nm(s, 460));
    TEST_ASSERT_TRUE(s.rgb[0] > s.rgb[1] && s.rgb[1] > s.rgb[2]);
  }
  // Individual typology angles: pale skin above 55 degrees, very dark below -30 (Chardon, 1991).
  const auto angle = [](const Surface& s) {
    const auto [x, y, z] = xyz_of(s.reflectance);
    const double l = 116 * std::cbrt(y) - 16;
    const double b = 200 * (std::cbrt(y) - std::cbrt(z / 1.089));
    return degrees(std::atan2(l - 50, b));
  };
  TEST_ASSERT_TRUE(angle(skin_surface(0.02)) > 40);
  TEST_ASSERT_TRUE(angle(skin_surface(1.0)) < -10);
}

TEST(dyed_cloth_is_bright_in_the_near_infrared_but_for_carbon) {
  for (int d = 0; d < static_cast<int>(Dye::count); ++d) {
    const auto dye = static_cast<Dye>(d);
    const Surface s = cloth_surface(Fibre::cotton, dye, 1);
    if (dye == Dye::carbon)
      TEST_ASSERT_TRUE(at_nm(s, 860) < 0.1);
    else
      TEST_ASSERT_TRUE(at_nm(s, 860) > 0.55);
    for (const double r : s.reflectance) TEST_ASSERT_TRUE(r > 0 && r < 1);
  }
  TEST_ASSERT_TRUE(luminance(cloth_surface(Fibre::cotton, Dye::black, 1)) < 0.05);
  TEST_ASSERT_TRUE(luminance(cloth_surface(Fibre::cotton, Dye::none, 1)) > 0.7);
}

TEST(each_surface_of_random_people_has_the_colour_of_its_reflectance) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const Clothing c = random_person(seed).clothing;
    for (const Surface* s : {&c.top_surface, &c.bottom_surface, &c.shoes, &c.hair, &c.skin}) {
      TEST_ASSERT_EQUAL_size_t(kReflectances, s->reflectance.size());
      const auto rgb = srgb_of(s->reflectance);
      for (std::size_t i = 0; i < 3; ++i) TEST_ASSERT_EQUAL_DOUBLE(rgb[i], s->rgb[i]);
    }
  }
}

TEST(most_people_wear_dark_clothes) {
  constexpr int kPeople = 2000;
  int dark = 0;
  for (std::uint32_t seed = 0; seed < kPeople; ++seed)
    if (luminance(random_person(seed).clothing.top_surface) < 0.18) ++dark;
  TEST_ASSERT_TRUE(dark > kPeople * 45 / 100 && dark < kPeople * 85 / 100);
}

TEST(parts_that_a_spec_leaves_open_come_from_its_seed) {
  PersonSpec p = random_person(7);
  const auto a = body_surfaces(p), b = body_surfaces(p);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c) {
      TEST_ASSERT_EQUAL_DOUBLE(a[i].rgb[c], b[i].rgb[c]);
      TEST_ASSERT_TRUE(a[i].rgb[c] >= 0 && a[i].rgb[c] <= 1);
    }
  TEST_ASSERT_EQUAL_DOUBLE(0, pattern_share(0, 0.3, 0.4, 7));
  double most = 0, least = 1;
  for (int i = 0; i < 200; ++i) {
    const double share = pattern_share(1, 0.1, 0.005 * i, 7);
    most = std::max(most, share);
    least = std::min(least, share);
  }
  TEST_ASSERT_EQUAL_DOUBLE(1, most);
  TEST_ASSERT_EQUAL_DOUBLE(0, least);
}

}  // namespace
