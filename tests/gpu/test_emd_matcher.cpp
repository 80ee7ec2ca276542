// SPDX-License-Identifier: Apache-2.0
// The matcher of bands on CUDA finds what it finds on the CPU, to the last bit, picture by picture.
#include <vector>

#include "gpu/emd/matcher.hpp"
#include "tests/gpu/device.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/band_picture.hpp"

using namespace kerb;
using namespace kerb::test;

namespace {

std::vector<float> watched(const Context& context, int pictures) {
  Workers workers{2};
  Result<std::unique_ptr<SpectralMatcher>> made =
      EmdMatcher::create(context, workers, band_camera(), {kNm, 0.2});
  TEST_ASSERT_OK(made);
  SpectralMatcher& matcher = **made;
  std::vector<float> out;
  for (int i = 0; i < pictures; ++i) {
    const Detection one = moved(kBody, 6 * static_cast<float>(i)), other = moved(kBody, 120);
    BandPicture picture{kMosaic, static_cast<std::uint64_t>(i) + 1};
    picture.fill(one, kRed);
    picture.fill(other, kFar);
    if (i > 0) {
      const SpectralMatcher::Search searches[] = {{2, kRegion, kBody}, {5, kRegion, kBody}};
      const int count = i % 3 == 0 ? 1 : 2;
      SpectralMatcher::Found found[2];
      TEST_ASSERT_OK(matcher.search(picture.image, searches, count, found));
      for (int s = 0; s < count; ++s)
        for (const float f : {found[s].x, found[s].y, found[s].likeness, found[s].surrounding,
                              matcher.likeness(s, one), matcher.likeness(s, other)})
          out.push_back(f);
    }
    TEST_ASSERT_OK(matcher.learn(picture.image, 2, one, 0.1F));
    TEST_ASSERT_OK(matcher.learn(picture.image, 5, other, 0.1F));
    if (i % 5 == 4) TEST_ASSERT_OK(matcher.probe());
  }
  return out;
}

TEST(what_is_found_is_what_the_cpu_finds) {
  const Result<Context> cpu = Context::create(BackendChoice::cpu);
  TEST_ASSERT_OK(cpu);
  const int pictures = small_sizes() ? 4 : 20;
  const std::vector<float> expected = watched(*cpu, pictures);
  TEST_ASSERT_TRUE(expected.size() > 12);
  assert_equal_bits(expected, watched(*gpu, pictures), "found");
}

}  // namespace

BEFORE_SUITE(words) { return kerb::test::open_gpu(); }
