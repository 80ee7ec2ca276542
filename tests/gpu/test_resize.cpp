// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/resize.hpp"
#include "tests/gpu/device.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/planes.hpp"

using namespace kerb;
using namespace kerb::test;

namespace {

struct Case {
  Resizer::Size in, out;
};
constexpr Case kShrinking[] = {
    {{1, 1}, {1, 1}},       {{2, 2}, {1, 1}},     {{64, 48}, {32, 24}},  {{131, 77}, {41, 19}},
    {{200, 3}, {7, 1}},     {{3, 200}, {1, 199}}, {{640, 480}, {17, 5}}, {{1281, 721}, {1220, 687}},
    {{4096, 64}, {129, 3}}, {{20000, 3}, {1, 1}}};
constexpr Case kGrowing[] = {{{1, 1}, {5, 3}}, {{2, 3}, {7, 3}}, {{31, 17}, {129, 18}}};

void check(const Case& c, ResizeMethod method, int slack) {
  const Planes in{1, c.in.width, c.in.height, slack};
  const int stride = c.out.width + slack;
  std::vector<std::uint8_t> expected(static_cast<std::size_t>(stride * c.out.height), 0xa5);
  const DeviceBuffer<std::uint8_t> input = upload(in.bytes), output = upload(expected);
  Result<Resizer> resizer = Resizer::create(*gpu, c.in, c.out, method);
  TEST_ASSERT_OK(resizer);
  TEST_ASSERT_OK(resizer->run(in.plane(0), {expected.data(), c.out.width, c.out.height, stride}));
  TEST_ASSERT_OK(resizer->run(gpu->stream(),
                              ImageView<Space::device, const std::uint8_t>{
                                  input.device_data(), c.in.width, c.in.height, in.stride},
                              {output.device_data(), c.out.width, c.out.height, stride}));
  char name[80];
  std::snprintf(name, sizeof name, "%dx%d to %dx%d, slack %d", c.in.width, c.in.height, c.out.width,
                c.out.height, slack);
  assert_equal_bits(expected, download(output, expected.size()), name);
}

TEST(resize_equals_the_cpu_bit_for_bit) {
  for (int slack : {0, 1, 4})
    for (const Case& c : kShrinking) {
      check(c, ResizeMethod::bilinear, slack);
      check(c, ResizeMethod::area, slack);
    }
  for (const Case& c : kGrowing) check(c, ResizeMethod::bilinear, 0);
}

TEST(resize_refuses_on_the_gpu_too) {
  const DeviceBuffer<std::uint8_t> bytes = upload(std::vector<std::uint8_t>(1024));
  Result<Resizer> resizer = Resizer::create(*gpu, {16, 8}, {8, 4}, ResizeMethod::area);
  TEST_ASSERT_OK(resizer);
  const ImageView<Space::device, const std::uint8_t> in{bytes.device_data(), 16, 8, 16};
  const ImageView<Space::device, std::uint8_t> out{bytes.device_data() + 512, 8, 4, 8};
  TEST_ASSERT_OK(resizer->run(gpu->stream(), in, out));
  TEST_ASSERT_ERROR(Errc::invalid_argument, resizer->run(gpu->stream(), in, {out.data, 8, 5, 8}));
  Result<Context> cpu_context = Context::create(BackendChoice::cpu);
  Result<Resizer> on_cpu = Resizer::create(*cpu_context, {16, 8}, {8, 4}, ResizeMethod::area);
  TEST_ASSERT_OK(on_cpu);
  TEST_ASSERT_ERROR(Errc::unsupported, on_cpu->run(gpu->stream(), in, out));
}

}  // namespace

BEFORE_SUITE(words) { return kerb::test::open_gpu(); }

AFTER_SUITE() { gpu.reset(); }
