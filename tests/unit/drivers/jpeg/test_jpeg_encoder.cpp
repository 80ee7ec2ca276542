// SPDX-License-Identifier: Apache-2.0
#include <turbojpeg.h>

#include <cmath>
#include <cstdlib>
#include <vector>

#include "drivers/jpeg/jpeg_encoder.hpp"
#include "tests/support/test.hpp"

using namespace kerb;

namespace {

TEST(a_picture_survives_being_encoded) {
  Result<std::unique_ptr<JpegEncoder>> encoder = JpegEncoder::create(85);
  TEST_ASSERT_OK(encoder);
  struct Size {
    int width, height, stride;
  };
  for (const Size& size : {Size{640, 360, 640}, Size{33, 17, 40}, Size{1, 1, 1}}) {
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(size.stride * size.height));
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x)
        pixels[static_cast<std::size_t>(y * size.stride + x)] =
            static_cast<std::uint8_t>(128 + 100 * std::sin(0.05 * x) * std::cos(0.04 * y));
    std::vector<std::uint8_t> file(encoded_room(size.width, size.height));
    const Result<std::size_t> bytes = (*encoder)->encode(
        {pixels.data(), size.width, size.height, size.stride}, file.data(), file.size());
    TEST_ASSERT_OK(bytes);
    TEST_ASSERT_LESS_THAN_size_t(file.size(), *bytes);

    void* decoder = tjInitDecompress();
    std::vector<std::uint8_t> back(static_cast<std::size_t>(size.width * size.height));
    int width = 0, height = 0, sampling = 0, colours = 0;
    TEST_ASSERT_EQUAL_INT(
        0, tjDecompressHeader3(decoder, file.data(), *bytes, &width, &height, &sampling, &colours));
    TEST_ASSERT_EQUAL_INT(size.width, width);
    TEST_ASSERT_EQUAL_INT(size.height, height);
    TEST_ASSERT_EQUAL_INT(0, tjDecompress2(decoder, file.data(), *bytes, back.data(), width, 0,
                                           height, TJPF_GRAY, 0));
    tjDestroy(decoder);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const int was = pixels[static_cast<std::size_t>(y * size.stride + x)];
        TEST_ASSERT_INT_WITHIN(12, was, back[static_cast<std::size_t>(y * width + x)]);
      }
  }
}

TEST(what_cannot_be_encoded_is_refused) {
  TEST_ASSERT_ERROR(Errc::invalid_argument, JpegEncoder::create(0));
  Result<std::unique_ptr<JpegEncoder>> encoder = JpegEncoder::create(80);
  TEST_ASSERT_OK(encoder);
  std::vector<std::uint8_t> pixels(64 * 64), file(encoded_room(64, 64));
  TEST_ASSERT_ERROR(Errc::invalid_argument, (*encoder)->encode({}, file.data(), file.size()));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    (*encoder)->encode({pixels.data(), 70000, 1, 70000}, file.data(), file.size()));
  TEST_ASSERT_ERROR(Errc::would_block,
                    (*encoder)->encode({pixels.data(), 64, 64, 64}, file.data(), 100));
  TEST_ASSERT_OK((*encoder)->encode({pixels.data(), 64, 64, 64}, file.data(), file.size()));
}

}  // namespace
