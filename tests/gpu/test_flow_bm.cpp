// SPDX-License-Identifier: Apache-2.0
// Block matching on CUDA gives what it gives on the CPU, bit for bit: vectors, qualities, flags.
#include <cstdio>

#include "gpu/flow/block_matching.hpp"
#include "tests/gpu/device.hpp"
#include "tests/unit/gpu/flow_bm_scenes.hpp"

using namespace kerb;
using namespace kerb::flow;
using namespace kerb::test;

namespace {

std::optional<Context> cpu;
std::optional<Workers> workers;

std::unique_ptr<Estimator> make(const Context& context, const BlockMatchingSettings& settings,
                                int width, int height) {
  Result<std::unique_ptr<Estimator>> made =
      make_block_matching(context, *workers, settings, width, height);
  TEST_ASSERT_OK(made);
  return std::move(*made);
}

void assert_same(const Vectors& expected, const Vectors& actual, const char* what) {
  for (int y = 0; y < expected.height; ++y)
    for (int x = 0; x < expected.width; ++x) {
      if (same_at(expected, actual, x, y)) continue;
      const std::size_t e = expected.index(x, y), a = actual.index(x, y);
      char text[240];
      std::snprintf(text, sizeof text,
                    "%s: at %d, %d the CPU has (%.9g, %.9g), quality %d, flags %d; CUDA (%.9g, "
                    "%.9g), %d, %d",
                    what, x, y, static_cast<double>(expected.u[e]),
                    static_cast<double>(expected.v[e]), expected.quality[e], expected.flags[e],
                    static_cast<double>(actual.u[a]), static_cast<double>(actual.v[a]),
                    actual.quality[a], actual.flags[a]);
      TEST_FAIL_MESSAGE(text);
    }
}

struct Case {
  const char* name;
  int width, height, padding;
  BlockMatchingSettings settings;
};
BlockMatchingSettings with(Cost cost, int levels = 5, int steps = 2) {
  BlockMatchingSettings settings;
  settings.cost = cost;
  settings.levels = levels;
  settings.steps = steps;
  return settings;
}
const Case kCases[] = {
    {"the smallest picture", 16, 16, 0, with(Cost::ncc)},
    {"narrow and odd, padded rows", 17, 131, 3, with(Cost::ncc)},
    {"two levels", 33, 31, 1, with(Cost::ncc)},
    {"one level", 97, 75, 0, with(Cost::ncc, 1)},
    {"whole pixels", 160, 121, 0, with(Cost::ncc, 5, 0)},
    {"many steps", 160, 121, 0, with(Cost::ncc, 3, 6)},
    {"squared differences", 201, 163, 7, with(Cost::ssd)},
    {"absolute differences", 201, 163, 7, with(Cost::sad)},
    {"odd, all levels", 643, 483, 5, with(Cost::ncc)},
    {"a road camera", 1280, 720, 0, with(Cost::ncc)},
};

void test_every_case_equals_the_cpu_bit_for_bit() {
  for (const Case& c : kCases) {
    const Scene scene = busy_scene(c.width, c.height, 3, c.padding);
    Vectors expected{c.width, c.height}, actual{c.width, c.height, c.padding};
    TEST_ASSERT_OK(make(*cpu, c.settings, c.width, c.height)
                       ->run(scene.first.view(), scene.second.view(), expected.view()));
    TEST_ASSERT_OK(make(*gpu, c.settings, c.width, c.height)
                       ->run(scene.first.view(), scene.second.view(), actual.view()));
    assert_same(expected, actual, c.name);
  }
}

void test_masks_equal_the_cpu_bit_for_bit() {
  constexpr int kWidth = 403, kHeight = 301;
  const Scene scene = busy_scene(kWidth, kHeight, 4);
  const auto on_cpu = make(*cpu, {}, kWidth, kHeight), on_gpu = make(*gpu, {}, kWidth, kHeight);
  for (int kind = 0; kind < 3; ++kind) {
    GreyPicture mask{kWidth, kHeight, 11};
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        const bool wanted = kind == 0   ? x > 200 && x < 260 && y > 100 && y < 133
                            : kind == 1 ? (x == 7 && y == 9) || (x == 402 && y == 300)
                                        : false;
        mask.at(x, y) = wanted ? 255 : 0;
      }
    Vectors expected{kWidth, kHeight}, actual{kWidth, kHeight};
    TEST_ASSERT_OK(
        on_cpu->run(scene.first.view(), scene.second.view(), mask.view(), expected.view()));
    TEST_ASSERT_OK(
        on_gpu->run(scene.first.view(), scene.second.view(), mask.view(), actual.view()));
    assert_same(expected, actual, "masked");
  }
}

void test_pictures_on_the_device_give_the_same_wherever_they_lie() {
  constexpr int kWidth = 322, kHeight = 241, kStride = 331;
  const auto on_gpu = make(*gpu, {}, kWidth, kHeight);
  const auto on_cpu = make(*cpu, {}, kWidth, kHeight);
  for (int round = 0; round < 3; ++round) {
    const Scene scene = busy_scene(kWidth, kHeight, std::uint64_t{9} + static_cast<unsigned>(round),
                                   kStride - kWidth);
    Vectors expected{kWidth, kHeight, kStride - kWidth};
    TEST_ASSERT_OK(on_cpu->run(scene.first.view(), scene.second.view(), expected.view()));
    const DeviceBuffer<std::uint8_t> first = upload(scene.first.bytes);
    const DeviceBuffer<std::uint8_t> second = upload(scene.second.bytes);
    const DeviceBuffer<float> u = upload(expected.u), v = upload(expected.v);
    const DeviceBuffer<std::uint8_t> quality = upload(expected.quality);
    const DeviceBuffer<std::uint8_t> flags = upload(expected.flags);
    TEST_ASSERT_OK(runtime::fill(gpu->stream().get(), u.device_data(), 7, u.size() * 4));
    const FieldView<Space::device> out{
        u.device_data(), v.device_data(), quality.device_data(), flags.device_data(), kWidth,
        kHeight,         kStride};
    for (int again = 0; again < 2; ++again)
      TEST_ASSERT_OK(on_gpu->run({first.device_data(), kWidth, kHeight, kStride},
                                 {second.device_data(), kWidth, kHeight, kStride}, out));
    Vectors actual{kWidth, kHeight, kStride - kWidth};
    actual.u = download(u, u.size());
    actual.v = download(v, v.size());
    actual.quality = download(quality, quality.size());
    actual.flags = download(flags, flags.size());
    assert_same(expected, actual, "on the device");
  }
}

void test_tiles_equal_the_whole_picture_bit_for_bit() {
  constexpr int kWidth = 611, kHeight = 397;
  BlockMatchingSettings settings;
  settings.levels = 3;
  settings.reach = 12;
  const Scene scene = busy_scene(kWidth, kHeight, 5);
  Vectors expected{kWidth, kHeight}, actual{kWidth, kHeight};
  TEST_ASSERT_OK(make(*cpu, settings, kWidth, kHeight)
                     ->run(scene.first.view(), scene.second.view(), expected.view()));
  Result<std::unique_ptr<Estimator>> tiled =
      make_tiled_block_matching(*gpu, *workers, settings, kWidth, kHeight, 64);
  TEST_ASSERT_OK(tiled);
  TEST_ASSERT_OK((*tiled)->run(scene.first.view(), scene.second.view(), actual.view()));
  assert_same(expected, actual, "in tiles");
}

void test_equal_and_flat_pictures_give_zero() {
  constexpr int kWidth = 200, kHeight = 120;
  const auto on_gpu = make(*gpu, {}, kWidth, kHeight);
  const GreyPicture still = moved(Surface{8}, kWidth, kHeight, 0, 0);
  const GreyPicture flat{kWidth, kHeight};
  for (const GreyPicture* picture : {&still, &flat}) {
    Vectors out{kWidth, kHeight};
    TEST_ASSERT_OK(on_gpu->run(picture->view(), picture->view(), out.view()));
    for (std::size_t i = 0; i < out.u.size(); ++i) {
      TEST_ASSERT_TRUE(out.u[i] == 0 && out.v[i] == 0);
      TEST_ASSERT_EQUAL_UINT8(picture == &still ? kValid : kTexturePoor, out.flags[i]);
    }
  }
}

}  // namespace

void setUp() {}
void tearDown() {}

int main() {
  if (const int code = open_gpu(); code != 0) return code;
  Result<Context> context = Context::create(BackendChoice::cpu);
  cpu.emplace(std::move(*context));
  workers.emplace();
  UNITY_BEGIN();
  RUN_TEST(test_every_case_equals_the_cpu_bit_for_bit);
  RUN_TEST(test_masks_equal_the_cpu_bit_for_bit);
  RUN_TEST(test_pictures_on_the_device_give_the_same_wherever_they_lie);
  RUN_TEST(test_tiles_equal_the_whole_picture_bit_for_bit);
  RUN_TEST(test_equal_and_flat_pictures_give_zero);
  return UNITY_END();
}
