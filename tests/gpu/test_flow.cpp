// SPDX-License-Identifier: Apache-2.0
// Every method of dense flow gives on CUDA what it gives on the CPU, bit for bit: vectors,
// qualities, flags; whole, masked, in tiles, from the host and on the device.
#include <cstdio>
#include <optional>

#include "tests/gpu/device.hpp"
#include "tests/support/flow_methods.hpp"
#include "tests/support/flow_scenes.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using namespace kerb::flow;
using namespace kerb::test;

namespace {

std::optional<Context> cpu;
std::optional<Workers> workers;

struct Case {
  int width, height, padding;
  FlowMethod method;
};
const Case kCases[] = {
    {16, 16, 0, {"lk, the smallest picture", true}},
    {17, 131, 3, {"lk, narrow and odd, padded rows", true}},
    {32, 32, 0, {"lk, one tile", true}},
    {33, 31, 1, {"lk, just past a tile", true}},
    {97, 75, 0, lk_with("lk, one level", 3, 3, 1)},
    {160, 121, 0, lk_with("lk, one iteration", 1, 1)},
    {160, 121, 0, lk_with("lk, many iterations", 9, 4)},
    {201, 163, 7, lk_with("lk, the way back checked", 5, 2, 0, true)},
    {201, 163, 7, lk_with("lk, checked, an odd number of iterations", 4, 3, 0, true)},
    {643, 483, 5, {"lk, odd, all levels", true}},
    {1280, 720, 0, {"lk, a road camera", true}},
    {16, 16, 0, bm_with("ncc, the smallest picture", Cost::ncc)},
    {17, 131, 3, bm_with("ncc, narrow and odd, padded rows", Cost::ncc)},
    {33, 31, 1, bm_with("ncc, two levels", Cost::ncc)},
    {97, 75, 0, bm_with("ncc, one level", Cost::ncc, 1)},
    {160, 121, 0, bm_with("ncc, whole pixels", Cost::ncc, 5, 48, 0)},
    {160, 121, 0, bm_with("ncc, many steps", Cost::ncc, 3, 48, 6)},
    {201, 163, 7, bm_with("squared differences", Cost::ssd)},
    {201, 163, 7, bm_with("absolute differences", Cost::sad)},
    {643, 483, 5, bm_with("ncc, odd, all levels", Cost::ncc)},
    {1280, 720, 0, bm_with("ncc, a road camera", Cost::ncc)},
};

TEST(every_case_equals_the_cpu_bit_for_bit) {
  for (const Case& c : kCases) {
    const Scene scene = busy_scene(c.width, c.height, 3, c.padding);
    Vectors expected{c.width, c.height}, actual{c.width, c.height, c.padding};
    TEST_ASSERT_OK(c.method.made(*cpu, *workers, c.width, c.height)
                       ->run(scene.first.view(), scene.second.view(), expected.view()));
    TEST_ASSERT_OK(c.method.made(*gpu, *workers, c.width, c.height)
                       ->run(scene.first.view(), scene.second.view(), actual.view()));
    assert_same(expected, actual, c.method.name);
  }
}

/// The CPU's whole picture is what wanted pixels must equal. With an estimator that has seen other
/// pictures, masks one after the other: what is left over must not matter.
void assert_masks_equal(const std::vector<FlowMethod>& methods, const Scene& scene,
                        const Scene& other) {
  const int width = scene.first.width, height = scene.first.height;
  for (const FlowMethod& method : methods) {
    Vectors whole{width, height}, actual{width, height};
    TEST_ASSERT_OK(method.made(*cpu, *workers, width, height)
                       ->run(scene.first.view(), scene.second.view(), whole.view()));
    const auto on_gpu = method.made(*gpu, *workers, width, height);
    for (const Wanted wanted : kMasks) {
      GreyPicture mask = mask_of(wanted, width, height, 11);
      TEST_ASSERT_OK(on_gpu->run(other.first.view(), other.second.view(), actual.view()));
      TEST_ASSERT_OK(
          on_gpu->run(scene.first.view(), scene.second.view(), mask.view(), actual.view()));
      (void)assert_same_where(whole, actual, mask, method.name);
    }
  }
}

TEST(masks_equal_the_whole_picture_of_the_cpu_bit_for_bit) {
  assert_masks_equal(all_methods(), busy_scene(403, 301, 4), busy_scene(403, 301, 5));
  const Surface surface{5};  // far enough that the way back begins elsewhere
  assert_masks_equal({lk_with("lk, far, checked", 5, 2, 0, true)},
                     {moved(surface, 240, 208, 0, 0), moved(surface, 240, 208, 12, 18)},
                     {moved(surface, 240, 208, 7, -9), moved(surface, 240, 208, 0, 0)});
  assert_masks_equal(wild_methods(), wild_scene(383, 261, 11), wild_scene(383, 261, 12));
}

/// A field on the device, filled with nonsense.
struct DeviceField {
  DeviceBuffer<float> u, v;
  DeviceBuffer<std::uint8_t> quality, flags;
  explicit DeviceField(const Vectors& like)
      : u{upload(like.u)},
        v{upload(like.v)},
        quality{upload(like.quality)},
        flags{upload(like.flags)} {
    TEST_ASSERT_OK(runtime::fill(gpu->stream().get(), u.device_data(), 7, u.size() * 4));
    TEST_ASSERT_OK(runtime::fill(gpu->stream().get(), flags.device_data(), 7, flags.size()));
  }
  void read(Vectors& to) const {
    to.u = download(u, u.size());
    to.v = download(v, v.size());
    to.quality = download(quality, quality.size());
    to.flags = download(flags, flags.size());
  }
};

TEST(pictures_on_the_device_give_the_same_wherever_they_lie) {
  constexpr int kWidth = 322, kHeight = 241, kStride = 331, kPadding = kStride - kWidth;
  GreyPicture mask = mask_of(Wanted::squares, kWidth, kHeight, kPadding);
  for (const FlowMethod& method : plain_methods()) {
    const auto on_gpu = method.made(*gpu, *workers, kWidth, kHeight);
    const auto on_cpu = method.made(*cpu, *workers, kWidth, kHeight);
    for (unsigned round = 0; round < 3; ++round) {
      const Scene scene = busy_scene(kWidth, kHeight, std::uint64_t{9} + round, kPadding);
      Vectors expected{kWidth, kHeight, kPadding}, actual{kWidth, kHeight, kPadding};
      TEST_ASSERT_OK(on_cpu->run(scene.first.view(), scene.second.view(), expected.view()));
      const DeviceBuffer<std::uint8_t> first = upload(scene.first.bytes);
      const DeviceBuffer<std::uint8_t> second = upload(scene.second.bytes);
      const DeviceBuffer<std::uint8_t> wanted = upload(mask.bytes);
      const DeviceField field{expected};
      const FieldView<Space::device> out{field.u.device_data(),
                                         field.v.device_data(),
                                         field.quality.device_data(),
                                         field.flags.device_data(),
                                         kWidth,
                                         kHeight,
                                         kStride};
      const flow::Picture<Space::device> a{first.device_data(), kWidth, kHeight, kStride};
      const flow::Picture<Space::device> b{second.device_data(), kWidth, kHeight, kStride};
      for (int again = 0; again < 2; ++again) TEST_ASSERT_OK(on_gpu->run(a, b, out));
      field.read(actual);
      assert_same(expected, actual, method.name);
      for (int again = 0; again < 2; ++again)
        TEST_ASSERT_OK(on_gpu->run(
            a, b, Mask<Space::device>{wanted.device_data(), kWidth, kHeight, kStride}, out));
      field.read(actual);
      (void)assert_same_where(expected, actual, mask, method.name);
    }
  }
}

TEST(masks_without_flags_have_the_same_vectors) {
  constexpr int kWidth = 151, kHeight = 97;
  const Scene scene = busy_scene(kWidth, kHeight, 17);
  const GreyPicture mask = mask_of(Wanted::squares, kWidth, kHeight);
  for (const FlowMethod& method : plain_methods()) {
    const auto on_gpu = method.made(*gpu, *workers, kWidth, kHeight);
    Vectors expected{kWidth, kHeight}, actual{kWidth, kHeight};
    TEST_ASSERT_OK(method.made(*cpu, *workers, kWidth, kHeight)
                       ->run(scene.first.view(), scene.second.view(), expected.view()));
    const DeviceBuffer<std::uint8_t> first = upload(scene.first.bytes);
    const DeviceBuffer<std::uint8_t> second = upload(scene.second.bytes);
    const DeviceBuffer<std::uint8_t> wanted = upload(mask.bytes);
    const DeviceField field{expected};
    const FieldView<Space::device> out{
        field.u.device_data(), field.v.device_data(), nullptr, nullptr, kWidth, kHeight, kWidth};
    TEST_ASSERT_OK(on_gpu->run({first.device_data(), kWidth, kHeight, kWidth},
                               {second.device_data(), kWidth, kHeight, kWidth},
                               {wanted.device_data(), kWidth, kHeight, kWidth}, out));
    field.read(actual);
    for (std::size_t i = 0; i < actual.u.size(); ++i) {
      const bool is_wanted = mask.bytes[i] != 0;
      TEST_ASSERT_TRUE_MESSAGE(actual.u[i] == (is_wanted ? expected.u[i] : 0.0F), method.name);
      TEST_ASSERT_TRUE_MESSAGE(actual.v[i] == (is_wanted ? expected.v[i] : 0.0F), method.name);
      TEST_ASSERT_EQUAL_UINT8(7, actual.flags[i]);
    }
  }
}

TEST(tiles_equal_the_whole_picture_bit_for_bit) {
  constexpr int kWidth = 611, kHeight = 397;
  const Scene scene = busy_scene(kWidth, kHeight, 5);
  for (const FlowMethod& method : near_methods()) {
    Vectors expected{kWidth, kHeight}, actual{kWidth, kHeight};
    TEST_ASSERT_OK(method.made(*cpu, *workers, kWidth, kHeight)
                       ->run(scene.first.view(), scene.second.view(), expected.view()));
    const MadeEstimator tiled = method.make_tiled(*gpu, *workers, kWidth, kHeight, 64);
    TEST_ASSERT_OK(tiled);
    TEST_ASSERT_TRUE_MESSAGE((*tiled)->windows() > 1, method.name);
    TEST_ASSERT_OK((*tiled)->run(scene.first.view(), scene.second.view(), actual.view()));
    assert_same(expected, actual, method.name);
  }
}

TEST(equal_and_flat_pictures_give_zero) {
  constexpr int kWidth = 200, kHeight = 120;
  const GreyPicture still = moved(Surface{8}, kWidth, kHeight, 0, 0);
  const GreyPicture flat{kWidth, kHeight};
  for (const FlowMethod& method : plain_methods()) {
    const auto on_gpu = method.made(*gpu, *workers, kWidth, kHeight);
    for (const GreyPicture* picture : {&still, &flat}) {
      Vectors out{kWidth, kHeight};
      TEST_ASSERT_OK(on_gpu->run(picture->view(), picture->view(), out.view()));
      for (std::size_t i = 0; i < out.u.size(); ++i) {
        TEST_ASSERT_TRUE_MESSAGE(out.u[i] == 0 && out.v[i] == 0, method.name);
        if (picture == &flat) TEST_ASSERT_EQUAL_UINT8(kTexturePoor, out.flags[i]);
      }
    }
  }
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  if (const Start start = kerb::test::open_gpu(); start != Start::run) return start;
  Result<Context> context = Context::create(BackendChoice::cpu);
  cpu.emplace(std::move(*context));
  workers.emplace();
  return Start::run;
}
