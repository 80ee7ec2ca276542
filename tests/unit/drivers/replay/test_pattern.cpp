// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "drivers/replay/open_replay.hpp"
#include "hal/fake/clock.hpp"
#include "hal/fake/frame_memory.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/drivers/replay/read_frame_number.hpp"

namespace {

using namespace kerb;
using test::read_frame_number;
using namespace std::chrono_literals;

constexpr PixelFormat kFormats[] = {PixelFormat::grey8,  PixelFormat::grey10, PixelFormat::grey12,
                                    PixelFormat::grey14, PixelFormat::grey16, PixelFormat::yuyv,
                                    PixelFormat::uyvy,   PixelFormat::nv12,   PixelFormat::rgb24,
                                    PixelFormat::bgr24,  PixelFormat::bayer8, PixelFormat::bayer10,
                                    PixelFormat::bayer12};

PageableFrameMemory memory;
FakeClock fake_clock;

CameraSettings pattern_settings(std::string format, int width = 160, int height = 96,
                                int mosaic = 0) {
  CameraSettings settings;
  settings.kind = CameraKind::pattern;
  settings.format = std::move(format);
  settings.width = width;
  settings.height = height;
  settings.mosaic = mosaic;
  settings.pace = Pace::recorded;
  return settings;
}

std::unique_ptr<FrameSource> open(const CameraSettings& settings) {
  Result<std::unique_ptr<FrameSource>> source = open_replay(settings, memory, fake_clock);
  TEST_ASSERT_OK(source);
  return *std::move(source);
}

Frame take(FrameSource& source) {
  Result<Frame> frame = source.next(Nanos::zero());
  TEST_ASSERT_OK(frame);
  return *std::move(frame);
}

/// All bytes that mean something.
std::string content(const Frame& frame) {
  const RawImageView<Space::host>& image = frame.image;
  std::string bytes;
  for (int y = 0; y < image.height; ++y)
    bytes.append(reinterpret_cast<const char*>(image.data + y * image.row_stride),
                 static_cast<std::size_t>(min_row_bytes(image.format, image.width)));
  for (int y = 0; image.chroma != nullptr && y < image.height / 2; ++y)
    bytes.append(reinterpret_cast<const char*>(image.chroma + y * image.chroma_stride),
                 static_cast<std::size_t>(image.width));
  return bytes;
}

TEST(every_format_carries_its_frame_number) {
  struct Size {
    int width, height;
  };
  for (const PixelFormat format : kFormats)
    for (const Size size : {Size{64, 32}, Size{160, 96}, Size{642, 362}}) {
      const std::unique_ptr<FrameSource> source =
          open(pattern_settings(name_of(format), size.width, size.height));
      TEST_ASSERT_EQUAL_STRING(name_of(format), name_of(source->info().format));
      for (std::uint32_t i = 0; i < 70; ++i) {
        const Frame frame = take(*source);
        const std::optional<std::uint32_t> number = read_frame_number(frame.image);
        TEST_ASSERT_TRUE_MESSAGE(number.has_value(), name_of(format));
        TEST_ASSERT_EQUAL_UINT32(i, *number);
        TEST_ASSERT_EQUAL_UINT64(i, frame.sequence);
      }
    }
}

TEST(a_mosaic_of_any_size_carries_it_too) {
  for (const int mosaic : {2, 3, 4, 5, 8})
    for (const char* format : {"auto", "grey8", "grey10", "bayer12"}) {
      const std::unique_ptr<FrameSource> source = open(pattern_settings(format, 162, 98, mosaic));
      TEST_ASSERT_EQUAL(mosaic, source->info().mosaic);
      TEST_ASSERT_EQUAL_STRING_LEN("grey", name_of(source->info().format), 4);
      static_cast<void>(take(*source));
      const Frame frame = take(*source);
      TEST_ASSERT_EQUAL(mosaic, frame.image.mosaic);
      TEST_ASSERT_EQUAL_UINT32(1, read_frame_number(frame.image).value_or(99));
    }
}

TEST(bands_of_a_mosaic_differ) {
  const std::unique_ptr<FrameSource> source = open(pattern_settings("grey8", 160, 96, 2));
  const Frame frame = take(*source);
  // The sky is blue: the first band of the mosaic sees more of it than the last.
  const std::uint8_t* sky = frame.image.data + 10 * frame.image.row_stride;
  TEST_ASSERT_GREATER_THAN_INT(sky[frame.image.row_stride + 1] + 20, sky[0]);
}

TEST(no_sample_exceeds_its_bits) {
  for (const char* format : {"grey10", "grey12", "bayer10", "bayer12"}) {
    const std::unique_ptr<FrameSource> source = open(pattern_settings(format));
    const Frame frame = take(*source);
    int most = 0;
    for (int y = 0; y < frame.image.height; ++y)
      for (int x = 0; x < frame.image.width; ++x) {
        std::uint16_t sample = 0;
        std::memcpy(&sample, frame.image.data + y * frame.image.row_stride + 2 * x, 2);
        most = std::max<int>(most, sample);
      }
    TEST_ASSERT_EQUAL((1 << bit_depth(frame.image.format)) - 1, most);
  }
}

TEST(the_picture_lives_and_is_the_same_in_every_run) {
  for (const PixelFormat format : kFormats) {
    const std::unique_ptr<FrameSource> one = open(pattern_settings(name_of(format)));
    const std::unique_ptr<FrameSource> two = open(pattern_settings(name_of(format)));
    std::set<std::string> seen;
    for (int i = 0; i < 20; ++i) {
      const std::string picture = content(take(*one));
      TEST_ASSERT_TRUE(picture == content(take(*two)));
      TEST_ASSERT_TRUE_MESSAGE(seen.insert(picture).second, "two frames are alike");
      if (i == 0) continue;
      double sum = 0, squares = 0;
      for (const char c : picture) {
        const auto value = static_cast<unsigned char>(c);
        sum += value;
        squares += value * value;
      }
      const double count = static_cast<double>(picture.size());
      TEST_ASSERT_TRUE(squares / count - sum * sum / count / count > 100);  // textured
      if (format == PixelFormat::grey8) {
        TEST_ASSERT_TRUE(sum / count > 60);   // neither dark
        TEST_ASSERT_TRUE(sum / count < 200);  // nor blinding
      }
    }
  }
}

TEST(the_walker_goes_across_and_comes_back) {
  // Over a whole way nothing is written outside the picture: ASan and the padding see to it.
  for (const char* format : {"yuyv", "nv12", "grey8"}) {
    const std::unique_ptr<FrameSource> source = open(pattern_settings(format, 66, 34));
    for (int i = 0; i < 200; ++i) static_cast<void>(take(*source));
  }
}

TEST(the_number_follows_the_sequence_over_drops) {
  CameraSettings settings = pattern_settings("yuyv");
  settings.pace = Pace::real;
  settings.rate_hz = 100;
  const std::unique_ptr<FrameSource> source = open(settings);
  for (int i = 1; i < 20; ++i) {
    fake_clock.advance(10ms * i);
    const Frame frame = take(*source);
    TEST_ASSERT_EQUAL_UINT64(frame.sequence, read_frame_number(frame.image).value_or(1000000));
  }
  TEST_ASSERT_GREATER_THAN_UINT64(0, source->counters().dropped);
}

TEST(a_picture_without_number_is_told) {
  std::vector<std::uint8_t> grey(64 * 32, 128);
  RawImageView<Space::host> image;
  image.data = grey.data();
  image.width = 64;
  image.row_stride = 64;
  image.height = 32;
  TEST_ASSERT_FALSE(read_frame_number(image).has_value());
  image.width = 63;
  TEST_ASSERT_FALSE(read_frame_number(image).has_value());
  TEST_ASSERT_FALSE(read_frame_number({}).has_value());
}

TEST(a_torn_picture_is_told) {
  const std::unique_ptr<FrameSource> source = open(pattern_settings("grey8"));
  const Frame frame = take(*source);
  std::string bytes = content(frame);
  const FrameNumberBand band = frame_number_band(160, 96);
  RawImageView<Space::host> image = frame.image;
  image.data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  image.row_stride = 160;
  TEST_ASSERT_EQUAL_UINT32(0, read_frame_number(image).value_or(1));
  std::memset(bytes.data(), 255,
              static_cast<std::size_t>(band.rows * 160));  // all ones, over zeros' inverse
  TEST_ASSERT_FALSE(read_frame_number(image).has_value());
}

TEST(a_frame_allocates_nothing) {
  const std::unique_ptr<FrameSource> source = open(pattern_settings("yuyv", 320, 240));
  const std::uint64_t before = kerb::test::allocations();
  for (int i = 0; i < 10; ++i) {
    const Result<Frame> one = source->next(Nanos::zero());
    const Result<Frame> two = source->next(Nanos::zero());
    if (!one || !two) TEST_FAIL_MESSAGE("no frame");
  }
  TEST_ASSERT_EQUAL_UINT64(before, kerb::test::allocations());
}

TEST(what_cannot_be_is_refused) {
  struct Case {
    const char* format;
    int width, height, mosaic;
    Errc code;
  };
  for (const Case& c : {Case{"nonsense", 160, 96, 0, Errc::invalid_argument},
                        Case{"mjpeg", 160, 96, 0, Errc::unsupported},
                        Case{"yuyv", 161, 96, 0, Errc::invalid_argument},
                        Case{"nv12", 160, 97, 0, Errc::invalid_argument},
                        Case{"grey8", 0, 96, 0, Errc::invalid_argument},
                        Case{"grey8", 160, -1, 0, Errc::invalid_argument},
                        Case{"grey8", 62, 96, 0, Errc::invalid_argument},
                        Case{"grey8", 160, 30, 0, Errc::invalid_argument},
                        Case{"grey8", 20000, 96, 0, Errc::invalid_argument},
                        Case{"yuyv", 160, 96, 4, Errc::invalid_argument},
                        Case{"grey8", 160, 96, 1, Errc::invalid_argument},
                        Case{"grey8", 160, 96, 9, Errc::invalid_argument},
                        Case{"grey8", 160, 96, -2, Errc::invalid_argument}})
    TEST_ASSERT_ERROR(c.code, open_replay(pattern_settings(c.format, c.width, c.height, c.mosaic),
                                          memory, fake_clock));
  CameraSettings camera = pattern_settings("auto");
  camera.kind = CameraKind::v4l2;
  TEST_ASSERT_ERROR(Errc::invalid_argument, open_replay(camera, memory, fake_clock));
}

}  // namespace
