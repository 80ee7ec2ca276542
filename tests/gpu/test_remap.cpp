// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/remap.hpp"
#include "tests/gpu/device.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/planes.hpp"
#include "tests/unit/gpu/remap_cases.hpp"

using namespace kerb;
using namespace kerb::test;

namespace {

TEST(remap_equals_the_cpu_bit_for_bit) {
  Workers workers{1};
  for (const RemapCase& c : kRemapCases)
    for (int slack : {0, 1, 4}) {
      const Planes in{c.planes, c.in.width, c.in.height, slack};
      const int stride = c.out.width + slack, rows = c.planes * c.out.height;
      std::vector<std::uint8_t> expected(static_cast<std::size_t>(stride * rows), 0xa5);
      const DeviceBuffer<std::uint8_t> input = upload(in.bytes), output = upload(expected);
      Result<Remapper> remapper = Remapper::create(*gpu, c.in, c.out, scattered(c, 5));
      TEST_ASSERT_OK(remapper);
      const std::ptrdiff_t plane = static_cast<std::ptrdiff_t>(stride) * c.out.height;
      TEST_ASSERT_OK(
          remapper->run(workers, in.planes(),
                        {expected.data(), c.planes, c.out.width, c.out.height, stride, plane}));
      TEST_ASSERT_OK(remapper->run(
          gpu->stream(),
          PlanesView<Space::device, const std::uint8_t>{input.device_data(), c.planes, c.in.width,
                                                        c.in.height, in.stride, in.plane_stride()},
          {output.device_data(), c.planes, c.out.width, c.out.height, stride, plane}));
      char name[80];
      std::snprintf(name, sizeof name, "%dx%d to %dx%d, slack %d", c.in.width, c.in.height,
                    c.out.width, c.out.height, slack);
      assert_equal_bits(expected, download(output, expected.size()), name);
    }
}

TEST(remap_refuses_on_the_gpu_too) {
  const RemapCase& c = kRemapCases[2];
  const DeviceBuffer<std::uint8_t> bytes = upload(std::vector<std::uint8_t>(2 * 64 * 48));
  const PlanesView<Space::device, const std::uint8_t> in{
      bytes.device_data(), 1, 64, 48, 64, 64 * 48};
  const PlanesView<Space::device, std::uint8_t> out{
      bytes.device_data() + 64 * 48, 1, 64, 48, 64, 64 * 48};
  Result<Remapper> remapper = Remapper::create(*gpu, c.in, c.out, scattered(c, 5));
  TEST_ASSERT_OK(remapper);
  TEST_ASSERT_OK(remapper->run(gpu->stream(), in, out));
  PlanesView<Space::device, std::uint8_t> low = out;
  low.height = 47;
  TEST_ASSERT_ERROR(Errc::invalid_argument, remapper->run(gpu->stream(), in, low));
  Result<Context> cpu_context = Context::create(BackendChoice::cpu);
  Result<Remapper> on_cpu = Remapper::create(*cpu_context, c.in, c.out, scattered(c, 5));
  TEST_ASSERT_OK(on_cpu);
  TEST_ASSERT_ERROR(Errc::unsupported, on_cpu->run(gpu->stream(), in, out));
}

}  // namespace

BEFORE_SUITE(words) { return kerb::test::open_gpu(); }

AFTER_SUITE() { gpu.reset(); }
