// SPDX-License-Identifier: Apache-2.0
// What the matcher of bands is made of: bins and their ground distance, signatures of places, boxes
// in likelihoods.
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "gpu/emd/band_sampler.hpp"
#include "gpu/emd/likely_box.hpp"
#include "gpu/memory/workers.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/band_picture.hpp"

using namespace kerb;
using namespace kerb::emd;
using namespace kerb::test;

namespace {

TEST(bands_in_any_order_become_bins_by_wavelength) {
  const BandLayout l = layout_of({650, 450, 850, 550}, 4);
  TEST_ASSERT_EQUAL_INT(4, l.bins);
  const int bins[] = {2, 0, 3, 1};
  TEST_ASSERT_EQUAL_INT_ARRAY(bins, l.bin_of.data(), 4);
  const double places[] = {4.5, 5.5, 6.5, 8.5};
  for (std::size_t i = 0; i < 4; ++i) TEST_ASSERT_EQUAL_DOUBLE(places[i], l.positions[i]);
}

TEST(unknown_wavelengths_are_one_apart_and_heat_is_near_the_reddest) {
  const BandLayout unknown = layout_of({}, 4);
  for (std::size_t i = 0; i < 4; ++i)
    TEST_ASSERT_EQUAL_DOUBLE(static_cast<double>(i), unknown.positions[i]);
  const BandLayout heat = layout_of({10000, 450, 650, 550}, 4);
  TEST_ASSERT_EQUAL_DOUBLE(8.5, heat.positions[3]);
  TEST_ASSERT_EQUAL_INT(3, heat.bin_of[0]);
}

TEST(many_bands_share_bins_with_their_neighbours_evenly) {
  for (const int bands : {9, 10, 16, 25, 64}) {
    const BandLayout l = layout_of({}, bands);
    TEST_ASSERT_EQUAL_INT(std::min(bands, 10), l.bins);
    TEST_ASSERT_EQUAL_INT(bands, std::accumulate(l.members.begin(), l.members.end(), 0));
    for (int i = 1; i < bands; ++i) {
      const std::size_t at = static_cast<std::size_t>(i);
      TEST_ASSERT_TRUE(l.bin_of[at] == l.bin_of[at - 1] || l.bin_of[at] == l.bin_of[at - 1] + 1);
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(l.bins); ++i)
      TEST_ASSERT_INT_WITHIN(1, bands / l.bins, l.members[i]);
  }
}

TEST(the_ground_is_a_metric_with_the_dark_equally_far_from_all) {
  for (const std::vector<double>& nm :
       {std::vector<double>{450, 550, 650, 900}, std::vector<double>{}}) {
    const Result<Ground> made = ground_of(layout_of(nm, 4));
    TEST_ASSERT_OK(made);
    TEST_ASSERT_EQUAL_INT(5, made->bins());
    TEST_ASSERT_TRUE(made->is_metric());
    for (int i = 1; i < 4; ++i) TEST_ASSERT_EQUAL_INT(made->cost(0, 4), made->cost(i, 4));
    TEST_ASSERT_TRUE(made->cost(0, 4) > 0);
    // Nothing is farther than by way of the dark.
    TEST_ASSERT_TRUE(made->cost(0, 3) <= 2 * made->cost(0, 4) + 1);
  }
  // Bands that are one and the same can still be darker.
  const Result<Ground> same = ground_of(layout_of({500, 500, 500, 500}, 4));
  TEST_ASSERT_OK(same);
  TEST_ASSERT_EQUAL_INT(0, same->cost(0, 3));
  TEST_ASSERT_TRUE(same->cost(0, 4) > 0);
}

struct Sampled {
  Workers workers{1};
  BandSampler sampler{workers, band_camera(), layout_of(kNm, kBands), 64, 1600};
};

TEST(a_grid_is_what_is_in_the_picture_in_places_that_are_few_enough) {
  Sampled s;
  const PlaceGrid whole = s.sampler.grid_of({30, 60, 90, 45, 0}, 1, 1600);
  TEST_ASSERT_EQUAL_INT(10, whole.x);
  TEST_ASSERT_EQUAL_INT(20, whole.y);
  TEST_ASSERT_EQUAL_INT(30, whole.width);
  TEST_ASSERT_EQUAL_INT(15, whole.height);
  TEST_ASSERT_EQUAL_INT(1, whole.step);
  const PlaceGrid coarse = s.sampler.grid_of({30, 60, 90, 45, 0}, 1, 100);
  TEST_ASSERT_EQUAL_INT(3, coarse.step);  // 10 x 5
  TEST_ASSERT_EQUAL_size_t(50, coarse.count());
  const PlaceGrid rim = s.sampler.grid_of({-60, 510, 90, 90, 0}, 2, 1600);
  TEST_ASSERT_EQUAL_INT(0, rim.x);
  TEST_ASSERT_EQUAL_INT(5, rim.width);
  TEST_ASSERT_EQUAL_INT(5, rim.height);
  TEST_ASSERT_EQUAL_size_t(0, s.sampler.grid_of({2000, 0, 90, 90, 0}, 1, 1600).count());
  TEST_ASSERT_EQUAL_size_t(0, s.sampler.grid_of({60, 60, -30, 30, 0}, 1, 1600).count());
}

TEST(a_wall_is_even_and_cloth_is_not) {
  Sampled s;
  const BandPicture picture = dressed(kRed);
  TEST_ASSERT_TRUE(s.sampler.fits(picture.image));
  TEST_ASSERT_FALSE(s.sampler.fits(BandPicture{2}.image));
  TEST_ASSERT_FALSE(s.sampler.balanced());
  s.sampler.balance(picture.image);
  TEST_ASSERT_TRUE(s.sampler.balanced());
  const auto sign_at = [&](const Detection& box) {
    Signature out[1600];
    const PlaceGrid grid = s.sampler.grid_of(box, 4, 1600);
    TEST_ASSERT_OK(s.sampler.sign(picture.image, grid, out));
    return out[grid.count() / 2];
  };
  const Signature wall = sign_at(moved(kBody, 200)), cloth = sign_at(kBody);
  int mass = 0;
  for (int i = 0; i < s.sampler.bins(); ++i) {
    mass += wall.bins[static_cast<std::size_t>(i)];
    TEST_ASSERT_INT_WITHIN(1, 64 / s.sampler.bins(), wall.bins[static_cast<std::size_t>(i)]);
  }
  TEST_ASSERT_EQUAL_INT(64, mass);
  TEST_ASSERT_TRUE(cloth.bins[5] > cloth.bins[4] + 2);  // the red ones are bright
  TEST_ASSERT_TRUE(cloth.bins[7] < cloth.bins[4] - 2);  // and those beyond are not
}

TEST(a_margin_is_what_is_in_the_picture) {
  Sampled s;
  Box inside;
  const PlaceGrid grid = s.sampler.grid_of({30, 60, 90, 45, 0}, 5, 1600);  // 6 x 3
  const PlaceGrid all = s.sampler.with_margin(grid, inside);
  TEST_ASSERT_EQUAL_INT(grid.x - 5, all.x);
  TEST_ASSERT_EQUAL_INT(grid.y - 5, all.y);
  TEST_ASSERT_EQUAL_INT(8, all.width);
  TEST_ASSERT_EQUAL_INT(5, all.height);
  TEST_ASSERT_EQUAL_INT(1, inside.x);
  TEST_ASSERT_EQUAL_INT(1, inside.y);
  TEST_ASSERT_EQUAL_INT(6, inside.width);
  TEST_ASSERT_EQUAL_INT(3, inside.height);
  const PlaceGrid corner = s.sampler.grid_of({6, 0, 90, 45, 0}, 5, 1600);
  const PlaceGrid clipped = s.sampler.with_margin(corner, inside);
  TEST_ASSERT_EQUAL_INT(corner.x, clipped.x);  // two samples are less than a place
  TEST_ASSERT_EQUAL_INT(0, inside.x);
  TEST_ASSERT_EQUAL_INT(0, inside.y);
  TEST_ASSERT_EQUAL_INT(corner.width + 1, clipped.width);
  const PlaceGrid whole = s.sampler.grid_of({0, 0, kWidth, kHeight, 0}, 1, 1600);
  const PlaceGrid same = s.sampler.with_margin(whole, inside);
  TEST_ASSERT_TRUE(same.x + same.width * same.step <= kWidth / kMosaic);
  TEST_ASSERT_TRUE(same.y + same.height * same.step <= kHeight / kMosaic);
}

TEST(places_are_evened_out_with_those_around) {
  Sampled s;
  BandPicture picture{kMosaic, 1, 0};
  s.sampler.balance(picture.image);
  Cloth bright(kBands, 90);
  bright[3] = 4090;  // at one place of 1 x 1
  picture.fill({300, 300, 3, 3, 0}, bright);
  const PlaceGrid grid = s.sampler.grid_of({285, 285, 33, 33, 0}, 1, 1600);
  Signature out[121];
  TEST_ASSERT_OK(s.sampler.sign(picture.image, grid, out));
  for (int y = 0; y < 11; ++y)
    for (int x = 0; x < 11; ++x) {
      // 1 2 1 times 1 2 1, sixteenths of the 4000 that it is brighter by.
      const auto weight = [](int at) { return at == 5 ? 2 : at == 4 || at == 6 ? 1 : 0; };
      const double level = 90 + 250.0 * weight(x) * weight(y);
      const double others = 9 * 90;  // eight bands, and the dark
      const double share = 64 * level / (level + others);
      TEST_ASSERT_DOUBLE_WITHIN(1.01, share, out[y * 11 + x].bins[3]);
    }
}

/// Likelihoods by hand: none but for one block.
struct Block {
  Block(int w, int h, int x0, int y0, int bw, int bh, std::uint8_t value = 200)
      : width{w}, height{h}, bytes(static_cast<std::size_t>(w * h)) {
    for (int y = y0; y < y0 + bh; ++y)
      for (int x = x0; x < x0 + bw; ++x) bytes[static_cast<std::size_t>(y * w + x)] = value;
  }
  [[nodiscard]] LikelyView view() const { return {bytes.data(), width, height, width}; }
  int width, height;
  std::vector<std::uint8_t> bytes;
};

TEST(the_likeliest_box_is_the_block) {
  const Block block{40, 20, 12, 6, 5, 8};
  const Result<LikelyBox> found = find_likely(block.view(), 5, 8);
  TEST_ASSERT_OK(found);
  TEST_ASSERT_TRUE(found->known);
  TEST_ASSERT_EQUAL_FLOAT(14.5F, found->x);
  TEST_ASSERT_EQUAL_FLOAT(10, found->y);
  TEST_ASSERT_EQUAL_FLOAT(200, found->inside);
  TEST_ASSERT_EQUAL_FLOAT(0, found->beside);
}

TEST(what_is_alike_all_over_does_not_stand_out) {
  const Block all{40, 20, 0, 0, 40, 20, 90};
  const Result<LikelyBox> found = find_likely(all.view(), 5, 8);
  TEST_ASSERT_OK(found);
  TEST_ASSERT_EQUAL_FLOAT(90, found->inside);
  TEST_ASSERT_EQUAL_FLOAT(90, found->beside);
  // Where nothing is far enough away, what is beside it is not known to be less like it.
  const Block narrow{8, 8, 2, 0, 4, 8, 90};
  const Result<LikelyBox> beside = find_likely(narrow.view(), 4, 8);
  TEST_ASSERT_OK(beside);
  TEST_ASSERT_TRUE(beside->known);
  TEST_ASSERT_EQUAL_FLOAT(beside->inside, beside->beside);
}

TEST(a_box_needs_room) {
  const Block block{10, 6, 0, 0, 4, 4};
  for (const int width : {9, 10, 40}) {
    const Result<LikelyBox> found = find_likely(block.view(), width, 4);
    TEST_ASSERT_OK(found);
    TEST_ASSERT_FALSE(found->known);
  }
  const Result<LikelyBox> tall = find_likely(block.view(), 4, 7);
  TEST_ASSERT_OK(tall);
  TEST_ASSERT_FALSE(tall->known);
  const Result<LikelyBox> nothing = find_likely(Block{10, 6, 0, 0, 0, 0}.view(), 4, 4);
  TEST_ASSERT_OK(nothing);
  TEST_ASSERT_EQUAL_FLOAT(0, nothing->inside);
}

TEST(the_mean_of_a_box_counts_pixels_whose_middle_is_in_it) {
  const Block block{10, 10, 4, 4, 2, 2, 100};
  TEST_ASSERT_EQUAL_FLOAT(100, mean_likelihood(block.view(), 4, 4, 6, 6));
  TEST_ASSERT_EQUAL_FLOAT(100, mean_likelihood(block.view(), 3.6F, 4.4F, 6.4F, 5.6F));
  TEST_ASSERT_EQUAL_FLOAT(25, mean_likelihood(block.view(), 3, 3, 7, 7));
  TEST_ASSERT_EQUAL_FLOAT(100, mean_likelihood(block.view(), 4.1F, 4.1F, 4.3F, 4.3F));
  TEST_ASSERT_EQUAL_FLOAT(0, mean_likelihood(block.view(), -2, 0, 2, 4));  // half of it is there
  for (const auto& out : {std::array<float, 4>{-3, 0, 2, 4}, std::array<float, 4>{8, 8, 13, 13},
                          std::array<float, 4>{4, 4, 4, 6}, std::array<float, 4>{6, 6, 4, 5}})
    TEST_ASSERT_TRUE(mean_likelihood(block.view(), out[0], out[1], out[2], out[3]) < 0);
}

}  // namespace
