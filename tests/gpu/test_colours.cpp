// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/to_luv.hpp"
#include "gpu/image/to_rgb.hpp"
#include "tests/gpu/device.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/pictures.hpp"
#include "tests/unit/gpu/planes.hpp"

using namespace kerb;
using namespace kerb::test;

namespace {

RawImageView<Space::device> on_device(const Picture& picture, const std::uint8_t* data) {
  const RawImageView<Space::host>& in = picture.view;
  RawImageView<Space::device> view;
  view.data = data + picture.offset;
  view.width = in.width;
  view.height = in.height;
  view.row_stride = in.row_stride;
  view.format = in.format;
  view.bayer = in.bayer;
  view.mosaic = in.mosaic;
  if (in.chroma != nullptr) {
    view.chroma = data + (in.chroma - picture.bytes.data());
    view.chroma_stride = in.chroma_stride;
  }
  return view;
}

void check_to_rgb(const Picture& picture, int slack) {
  const int width = picture.view.width, height = picture.view.height, stride = width + slack;
  const int plane = stride * height + slack;
  std::vector<std::uint8_t> expected(static_cast<std::size_t>(3 * plane), 0xa5);
  const DeviceBuffer<std::uint8_t> input = upload(picture.bytes), output = upload(expected);
  TEST_ASSERT_OK(cpu::to_rgb(picture.view, {expected.data(), 3, width, height, stride, plane}));
  TEST_ASSERT_OK(to_rgb(gpu->stream(), on_device(picture, input.device_data()),
                        {output.device_data(), 3, width, height, stride, plane}));
  assert_equal_bits(expected, download(output, expected.size()), picture.name().c_str());
}

TEST(to_rgb_equals_the_cpu_bit_for_bit) {
  int cases = 0;
  each_picture([&](const Picture& picture) {
    if (picture.view.mosaic == 0) check_to_rgb(picture, ++cases % 3);
  });
}

// Words are read and written four pixels at a time only where they are aligned.
TEST(to_rgb_copes_with_every_alignment) {
  for (PixelFormat format : kAllFormats)
    for (std::size_t skip = 0; skip < 5; ++skip) {
      if (bit_depth(format) > 8 && skip % 2 != 0) continue;
      for (int padding : {0, 1, 2, 3, 4})
        for (int slack : {0, 1, 2})
          check_to_rgb(Picture{format, 134, 10, padding_for(format, padding), 0, BayerOrder::grbg,
                               skip + 1, skip},
                       slack);
    }
}

void check_to_luv(const Planes& in) {
  std::vector<std::uint8_t> expected(in.bytes.size(), 0xa5);
  const DeviceBuffer<std::uint8_t> input = upload(in.bytes), output = upload(expected);
  const std::ptrdiff_t plane = in.plane_stride();
  TEST_ASSERT_OK(
      cpu::to_luv(in.planes(), {expected.data(), 3, in.width, in.height, in.stride, plane}));
  TEST_ASSERT_OK(to_luv(gpu->stream(),
                        PlanesView<Space::device, const std::uint8_t>{
                            input.device_data(), 3, in.width, in.height, in.stride, plane},
                        {output.device_data(), 3, in.width, in.height, in.stride, plane}));
  assert_equal_bits(expected, download(output, expected.size()), "to_luv");
}

TEST(to_luv_equals_the_cpu_bit_for_bit) {
  for (const Side& size : kPlaneSizes)
    for (int slack : {0, 1, 2, 4}) check_to_luv({3, size.width, size.height, slack});
}

// 16.7 million colours, floats all the way: none may differ.
TEST(to_luv_equals_the_cpu_for_every_colour) {
  Planes all{3, 4096, 4096, 0};
  const std::size_t plane = static_cast<std::size_t>(all.plane_stride());
  for (std::size_t i = 0; i < plane; ++i)
    for (std::size_t c = 0; c < 3; ++c)
      all.bytes[c * plane + i] = static_cast<std::uint8_t>(i >> (8 * c));
  check_to_luv(all);
}

TEST(colours_refuse_on_the_gpu_too) {
  const DeviceBuffer<std::uint8_t> bytes = upload(std::vector<std::uint8_t>(2048));
  RawImageView<Space::device> in{bytes.device_data(), 16, 8, 16};
  std::uint8_t* to = bytes.device_data() + 1024;
  TEST_ASSERT_OK(to_rgb(gpu->stream(), in, {to, 3, 16, 8, 16, 128}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, to_rgb(gpu->stream(), in, {to, 3, 16, 8, 16, 127}));
  in.mosaic = 4;
  TEST_ASSERT_ERROR(Errc::invalid_argument, to_rgb(gpu->stream(), in, {to, 3, 16, 8, 16, 128}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, to_luv(gpu->stream(),
                                                   PlanesView<Space::device, const std::uint8_t>{
                                                       bytes.device_data(), 2, 16, 8, 16, 128},
                                                   {to, 3, 16, 8, 16, 128}));
}

}  // namespace

BEFORE_SUITE(words) { return kerb::test::open_gpu(); }

AFTER_SUITE() { gpu.reset(); }
