// SPDX-License-Identifier: Apache-2.0
#include <turbojpeg.h>

#include <cstdlib>
#include <vector>

#include "drivers/v4l2/jpeg_decoder.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/drivers/v4l2/bench.hpp"

namespace kerb::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// Colours that change slowly, so that JPEG keeps them well.
Bytes gradient(int width, int height) {
  Bytes rgb;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (const int v : {255 * x / width, 255 * y / height, 128})
        rgb.push_back(static_cast<std::uint8_t>(v));
  return rgb;
}

Bytes jpeg(int width, int height, int sampling = TJSAMP_422, int flags = 0) {
  const Bytes rgb = gradient(width, height);
  tjhandle encoder = tjInitCompress();
  unsigned char* out = nullptr;
  unsigned long size = 0;
  const int rc = tjCompress2(encoder, rgb.data(), width, 0, height, TJPF_RGB, &out, &size, sampling,
                             90, flags);
  TEST_ASSERT_EQUAL_INT(0, rc);
  Bytes bytes{out, out + size};
  tjFree(out);
  tjDestroy(encoder);
  return bytes;
}

/// Without its tables, as some web cameras send it.
Bytes without_huffman_tables(const Bytes& whole) {
  Bytes bytes{whole[0], whole[1]};
  std::size_t at = 2;
  while (whole[at + 1] != 0xda) {
    const std::size_t length = 2u + (static_cast<std::size_t>(whole[at + 2]) << 8 | whole[at + 3]);
    if (whole[at + 1] != 0xc4)
      bytes.insert(bytes.end(), whole.begin() + static_cast<std::ptrdiff_t>(at),
                   whole.begin() + static_cast<std::ptrdiff_t>(at + length));
    at += length;
  }
  bytes.insert(bytes.end(), whole.begin() + static_cast<std::ptrdiff_t>(at), whole.end());
  return bytes;
}

struct JpegBench : Bench {
  JpegBench() {
    kernel.formats = {{V4L2_PIX_FMT_MJPEG, {{64, 48}}}};
    settings.format = "mjpeg";
  }
  void fill(const Bytes& content) {
    Fill f{sequence++, 90s + sequence * 1ms};
    f.content = content;
    f.bytes = static_cast<std::int64_t>(content.size());
    kernel.fill(f);
  }
  std::uint32_t sequence = 0;
};

void check_gradient(const RawImageView<Space::host>& image) {
  const Bytes expected = gradient(64, 48);
  TEST_ASSERT_EQUAL_STRING("rgb24", name_of(image.format));
  for (int y = 0; y < 48; ++y)
    for (int i = 0; i < 3 * 64; ++i)
      TEST_ASSERT_INT_WITHIN(16, expected[static_cast<std::size_t>(y * 3 * 64 + i)],
                             image.data[y * image.row_stride + i]);
}

TEST(a_jpeg_becomes_an_rgb_picture_in_memory_of_our_own) {
  JpegBench bench;
  {
    const auto camera = bench.open();
    TEST_ASSERT_EQUAL_STRING("own", camera->info().memory);
    TEST_ASSERT_EQUAL_STRING("rgb24", name_of(camera->info().format));
    bench.fill(jpeg(64, 48));
    const auto frame = camera->next(10ms);
    TEST_ASSERT_OK(frame);
    check_gradient(frame->image);
    TEST_ASSERT_EQUAL_UINT(4, bench.kernel.queued());  // the kernel's buffer is free already
  }
  bench.check_clean();
}

TEST(each_sampling_and_a_grey_jpeg_are_decoded) {
  JpegBench bench;
  const auto camera = bench.open();
  for (const int sampling : {TJSAMP_444, TJSAMP_422, TJSAMP_420, TJSAMP_440, TJSAMP_411}) {
    bench.fill(jpeg(64, 48, sampling));
    const auto frame = camera->next(10ms);
    TEST_ASSERT_OK(frame);
    check_gradient(frame->image);
  }
  bench.fill(jpeg(64, 48, TJSAMP_GRAY));
  TEST_ASSERT_OK(camera->next(10ms));
}

TEST(what_web_cameras_really_send_is_decoded) {
  const Bytes whole = jpeg(64, 48);
  Bytes padded = whole;
  padded.resize(whole.size() + 100);  // zeros after the end
  Bytes stray = whole;
  stray.insert(stray.end() - 2, {0x12, 0x34});
  for (const Bytes& content : {without_huffman_tables(whole), padded, stray}) {
    JpegBench bench;
    const auto camera = bench.open();
    bench.fill(content);
    const auto frame = camera->next(10ms);
    TEST_ASSERT_OK(frame);
    check_gradient(frame->image);
  }
}

TEST(a_jpeg_cut_off_anywhere_is_damaged_and_the_one_after_it_is_good) {
  JpegBench bench;
  {
    const auto camera = bench.open();
    const Bytes whole = jpeg(64, 48);
    const Bytes bare = without_huffman_tables(whole);
    std::uint64_t cuts = 0;
    for (std::size_t size = 0; size < whole.size();
         size += size + 16 < whole.size() ? 5 : 1, ++cuts) {
      bench.fill({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
      TEST_ASSERT_ERROR(Errc::damaged, camera->next(10ms));
      bench.fill(cuts % 2 == 0 ? whole : bare);
      const auto frame = camera->next(10ms);
      TEST_ASSERT_OK(frame);
      check_gradient(frame->image);
    }
    TEST_ASSERT_EQUAL_UINT64(cuts, camera->counters().damaged);
    TEST_ASSERT_EQUAL_UINT(4, bench.kernel.queued());
  }
  bench.check_clean();
}

TEST(flipped_bytes_give_a_picture_or_damage_and_nothing_else) {
  JpegBench bench;
  const auto camera = bench.open();
  const Bytes whole = jpeg(64, 48);
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const int change : {0x01, 0x80, 0xff}) {
      Bytes bytes = whole;
      bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ change);
      bench.fill(bytes);
      if (const auto frame = camera->next(10ms); !frame) {
        TEST_ASSERT_ERROR(Errc::damaged, frame);
      }
      if (change != 0xff) continue;
      bench.fill(whole);
      const auto good = camera->next(10ms);
      TEST_ASSERT_OK(good);
      if (at % 16 == 0) check_gradient(good->image);
    }
}

TEST(noise_is_damaged) {
  JpegBench bench;
  const auto camera = bench.open();
  std::srand(1);
  for (int i = 0; i < 300; ++i) {
    Bytes noise(static_cast<std::size_t>(1 + std::rand() % 4000));
    for (std::uint8_t& byte : noise) byte = static_cast<std::uint8_t>(std::rand());
    if (i % 2 == 0 && noise.size() > 2) noise[0] = 0xff, noise[1] = 0xd8;
    bench.fill(noise);
    TEST_ASSERT_ERROR(Errc::damaged, camera->next(10ms));
  }
}

TEST(a_jpeg_of_another_size_is_damaged) {
  JpegBench bench;
  const auto camera = bench.open();
  for (const auto& [width, height] : {std::pair{32, 48}, {64, 24}, {128, 96}}) {
    bench.fill(jpeg(width, height));
    TEST_ASSERT_ERROR(Errc::damaged, camera->next(10ms));
  }
  bench.fill(jpeg(128, 96));
  TEST_ASSERT_EQUAL_STRING("take camera frame: /dev/video0: the JPEG is 128x96, not 64x48",
                           describe(camera->next(10ms).error()).c_str());
}

TEST(a_progressive_jpeg_is_refused) {
  JpegBench bench;
  const auto camera = bench.open();
  bench.fill(jpeg(64, 48, TJSAMP_420, TJFLAG_PROGRESSIVE));
  TEST_ASSERT_ERROR(Errc::damaged, camera->next(10ms));
}

TEST(more_bytes_than_the_buffer_has_are_not_read) {
  JpegBench bench;
  const auto camera = bench.open();
  Fill fill{1, 90s};
  fill.content = jpeg(64, 48);
  fill.bytes = 0x7fffffff;
  bench.kernel.fill(fill);
  TEST_ASSERT_ERROR(Errc::damaged, camera->next(10ms));
}

TEST(when_all_pictures_are_on_loan_it_says_so_and_they_outlive_the_camera) {
  JpegBench bench;
  std::vector<Frame> loans;
  {
    const auto camera = bench.open();
    for (int i = 0; i < 4; ++i) {
      bench.fill(jpeg(64, 48));
      auto frame = camera->next(10ms);
      TEST_ASSERT_OK(frame);
      loans.push_back(*std::move(frame));
    }
    bench.fill(jpeg(64, 48));
    TEST_ASSERT_ERROR(Errc::would_block, camera->next(1s));
    loans.erase(loans.begin());
    auto frame = camera->next(10ms);
    TEST_ASSERT_OK(frame);
    loans.push_back(*std::move(frame));
  }
  for (const Frame& frame : loans) check_gradient(frame.image);
  loans.clear();
  bench.check_clean();
}

}  // namespace
}  // namespace kerb::test
