// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/gradients.hpp"
#include "tests/gpu/device.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/planes.hpp"

using namespace kerb;
using namespace kerb::test;

namespace {

constexpr GradientParams kAllParams[] = {{9, false}, {9, true}, {6, false}, {6, true}};
constexpr int kSlacks[] = {0, 1, 3, 4};

void check(int count, const Side& size, int slack, const GradientParams& p) {
  const Planes in{count, size.width, size.height, slack};
  const int stride = size.width + slack;
  std::vector<std::uint16_t> expected(static_cast<std::size_t>(stride * size.height), 0xa5a5);
  const DeviceBuffer<std::uint8_t> input = upload(in.bytes);
  const DeviceBuffer<std::uint16_t> output = upload(expected);
  const ImageView<Space::host, std::uint16_t> host{expected.data(), size.width, size.height,
                                                   stride};
  const ImageView<Space::device, std::uint16_t> device{output.device_data(), size.width,
                                                       size.height, stride};
  if (count == 1) {
    TEST_ASSERT_OK(cpu::gradients(in.plane(0), p, host));
    TEST_ASSERT_OK(gradients(gpu->stream(),
                             ImageView<Space::device, const std::uint8_t>{
                                 input.device_data(), size.width, size.height, stride},
                             p, device));
  } else {
    TEST_ASSERT_OK(cpu::gradients(in.planes(), p, host));
    TEST_ASSERT_OK(gradients(
        gpu->stream(),
        PlanesView<Space::device, const std::uint8_t>{input.device_data(), count, size.width,
                                                      size.height, stride, in.plane_stride()},
        p, device));
  }
  assert_equal_bits(expected, download(output, expected.size()), "gradients");
}

TEST(gradients_equal_the_cpu_bit_for_bit) {
  for (int count : {1, 3})
    for (const Side& size : kPlaneSizes)
      for (int slack : kSlacks)
        for (const GradientParams& p : kAllParams) check(count, size, slack, p);
  for (int count : {1, 3})
    for (const GradientParams& p : kAllParams) check(count, {1283, 721}, 0, p);
}

TEST(gradients_refuse_on_the_gpu_too) {
  const DeviceBuffer<std::uint8_t> bytes = upload(std::vector<std::uint8_t>(1024));
  const DeviceBuffer<std::uint16_t> words = upload(std::vector<std::uint16_t>(1024));
  const ImageView<Space::device, const std::uint8_t> in{bytes.device_data(), 16, 8, 16};
  const ImageView<Space::device, std::uint16_t> out{words.device_data(), 16, 8, 16};
  TEST_ASSERT_OK(gradients(gpu->stream(), in, {}, out));
  TEST_ASSERT_ERROR(Errc::invalid_argument, gradients(gpu->stream(), in, {7, false}, out));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    gradients(gpu->stream(), in, {}, {words.device_data(), 16, 7, 16}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, gradients(gpu->stream(),
                                                      PlanesView<Space::device, const std::uint8_t>{
                                                          bytes.device_data(), 2, 16, 8, 16, 128},
                                                      {}, out));
}

}  // namespace

BEFORE_SUITE(words) { return kerb::test::open_gpu(); }

AFTER_SUITE() { gpu.reset(); }
