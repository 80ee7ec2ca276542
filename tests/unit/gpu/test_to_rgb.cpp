// SPDX-License-Identifier: Apache-2.0
#ifdef KERB_OPENCV
#include <opencv2/imgproc.hpp>
#endif
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "gpu/image/to_rgb.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/pictures.hpp"

using namespace kerb;
using namespace kerb::test;

namespace {

constexpr std::uint8_t kPoison = 0xa5;

struct Out {
  std::vector<std::uint8_t> bytes;
  PlanesView<Space::host, std::uint8_t> view;
  Out(int width, int height, int slack) {
    const int stride = width + slack, plane = stride * height + slack;
    bytes.assign(static_cast<std::size_t>(3 * plane), kPoison);
    view = {bytes.data(), 3, width, height, stride, plane};
  }
  [[nodiscard]] int at(int c, int x, int y) const {
    return view.data[c * view.plane_stride + y * view.row_stride + x];
  }
};

unsigned sample_at(const RawImageView<Space::host>& in, int x, int y) {
  const std::uint8_t* row = in.data + y * in.row_stride;
  const int bits = bit_depth(in.format);
  if (bits == 8) return row[x];
  return (row[2 * x] | static_cast<unsigned>(row[2 * x + 1]) << 8) & ((1u << bits) - 1);
}

/// 0 R, 1 G, 2 B.
int colour_at(BayerOrder order, int x, int y) {
  constexpr int kColours[4][4] = {{0, 1, 1, 2}, {2, 1, 1, 0}, {1, 0, 2, 1}, {1, 2, 0, 1}};
  const int row = order == BayerOrder::rggb   ? 0
                  : order == BayerOrder::bggr ? 1
                  : order == BayerOrder::grbg ? 2
                                              : 3;
  return kColours[row][(y & 1) * 2 + (x & 1)];
}
int mirrored(int i, int size) { return i < 0 ? -i : (i >= size ? 2 * (size - 1) - i : i); }

/// The mean of the samples of that colour among the pixel itself, or else among the 3 x 3.
int demosaiced(const RawImageView<Space::host>& in, int c, int x, int y) {
  const int shift = bit_depth(in.format) - 8;
  if (colour_at(in.bayer, x, y) == c) return static_cast<int>(sample_at(in, x, y) >> shift);
  unsigned sum = 0, count = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i)
      if (colour_at(in.bayer, x + i + 2, y + j + 2) == c) {
        sum += sample_at(in, mirrored(x + i, in.width), mirrored(y + j, in.height));
        ++count;
      }
  return static_cast<int>(((sum + count / 2) / count) >> shift);
}

int clamped(double v) {
  return static_cast<int>(std::fmin(std::fmax(std::floor(v + 0.5), 0), 255));
}

/// What the header says, in double; `slack` is where rounding constants to 1/2^20 may show.
int by_definition(const RawImageView<Space::host>& in, int c, int x, int y, int& slack) {
  slack = 0;
  const std::uint8_t* row = in.data + y * in.row_stride;
  const auto yuv = [&](double luma, double u, double v) {
    slack = 1;
    const double light = 255.0 / 219 * std::fmax(luma - 16, 0), cb = (u - 128) / 112 * 127.5,
                 cr = (v - 128) / 112 * 127.5;
    if (c == 0) return clamped(light + 1.402 * cr);
    if (c == 2) return clamped(light + 1.772 * cb);
    return clamped(light - 0.114 * 1.772 / 0.587 * cb - 0.299 * 1.402 / 0.587 * cr);
  };
  const int pair = x / 2 * 4;
  switch (in.format) {
    case PixelFormat::yuyv:
      return yuv(row[2 * x], row[pair + 1], row[pair + 3]);
    case PixelFormat::uyvy:
      return yuv(row[2 * x + 1], row[pair], row[pair + 2]);
    case PixelFormat::nv12: {
      const std::uint8_t* chroma = in.chroma + y / 2 * in.chroma_stride + x / 2 * 2;
      return yuv(row[x], chroma[0], chroma[1]);
    }
    case PixelFormat::rgb24:
      return row[3 * x + c];
    case PixelFormat::bgr24:
      return row[3 * x + 2 - c];
    case PixelFormat::bayer8:
    case PixelFormat::bayer10:
    case PixelFormat::bayer12:
      return demosaiced(in, c, x, y);
    default:
      return static_cast<int>(sample_at(in, x, y) >> (bit_depth(in.format) - 8));
  }
}

TEST(to_rgb_equals_its_definition) {
  int cases = 0;
  each_picture([&](const Picture& picture) {
    const RawImageView<Space::host>& in = picture.view;
    if (in.mosaic != 0 || in.width * in.height > 20'000) return;
    Out out{in.width, in.height, ++cases % 4};
    TEST_ASSERT_OK(cpu::to_rgb(in, out.view));
    std::size_t touched = 0;
    for (int c = 0; c < 3; ++c)
      for (int y = 0; y < in.height; ++y)
        for (int x = 0; x < in.width; ++x) {
          int slack = 0;
          const int expected = by_definition(in, c, x, y, slack), actual = out.at(c, x, y);
          if (actual == kPoison) ++touched;
          if (std::abs(expected - actual) <= slack) continue;
          char text[200];
          std::snprintf(text, sizeof text, "%s plane %d at (%d, %d)", picture.name().c_str(), c, x,
                        y);
          TEST_ASSERT_EQUAL_MESSAGE(expected, actual, text);
        }
    std::size_t poison = 0;
    for (std::uint8_t b : out.bytes) poison += b == kPoison;
    const std::size_t pixels = 3 * static_cast<std::size_t>(in.width * in.height);
    TEST_ASSERT_EQUAL_MESSAGE(out.bytes.size() - pixels + touched, poison, picture.name().c_str());
  });
}

TEST(yuv_by_hand) {
  struct Case {
    std::uint8_t y, u, v;
    int r, g, b;
  };
  for (const Case& c : {Case{16, 128, 128, 0, 0, 0}, Case{235, 128, 128, 255, 255, 255},
                        Case{81, 90, 240, 254, 0, 0}, Case{145, 54, 34, 0, 255, 1},
                        Case{41, 240, 110, 0, 0, 255}, Case{0, 128, 128, 0, 0, 0},
                        Case{255, 128, 128, 255, 255, 255}, Case{126, 128, 128, 128, 128, 128}}) {
    const std::uint8_t yuyv[4] = {c.y, c.u, c.y, c.v};
    RawImageView<Space::host> in{yuyv, 2, 1, 4};
    in.format = PixelFormat::yuyv;
    Out out{2, 1, 0};
    TEST_ASSERT_OK(cpu::to_rgb(in, out.view));
    for (int x = 0; x < 2; ++x) {
      TEST_ASSERT_EQUAL(c.r, out.at(0, x, 0));
      TEST_ASSERT_EQUAL(c.g, out.at(1, x, 0));
      TEST_ASSERT_EQUAL(c.b, out.at(2, x, 0));
    }
  }
}

TEST(to_rgb_refuses_what_its_contract_refuses) {
  std::vector<std::uint8_t> bytes(4096);
  RawImageView<Space::host> good{bytes.data(), 16, 8, 48};
  good.format = PixelFormat::nv12;
  good.chroma = bytes.data() + 1024;
  good.chroma_stride = 16;
  std::uint8_t* to = bytes.data() + 2048;
  const PlanesView<Space::host, std::uint8_t> out{to, 3, 16, 8, 16, 128};
  TEST_ASSERT_OK(cpu::to_rgb(good, out));
  const auto refused = [&](auto change) {
    RawImageView<Space::host> in = good;
    change(in);
    TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::to_rgb(in, out));
  };
  refused([](auto& in) { in.data = nullptr; });
  refused([](auto& in) { in.chroma = nullptr; });
  refused([](auto& in) { in.chroma_stride = 15; });
  refused([](auto& in) { in.row_stride = 15; });
  refused([](auto& in) { in.height = 7; });
  refused([](auto& in) { in.format = PixelFormat::grey8, in.mosaic = 4; });
  refused([](auto& in) { in.format = static_cast<PixelFormat>(200); });
  using View = PlanesView<Space::host, std::uint8_t>;
  for (const View& bad :
       {View{nullptr, 3, 16, 8, 16, 128}, View{to, 2, 16, 8, 16, 128}, View{to, 3, 15, 8, 16, 128},
        View{to, 3, 16, 9, 16, 144}, View{to, 3, 16, 8, 15, 128}, View{to, 3, 16, 8, 16, 127}})
    TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::to_rgb(good, bad));
}

#ifdef KERB_OPENCV
void compare(const Picture& picture, int code, int rim) {
  const RawImageView<Space::host>& in = picture.view;
  const auto stride = static_cast<std::size_t>(in.row_stride);
  const bool planar = in.format == PixelFormat::nv12;
  const int type = is_bayer(in.format) || planar ? CV_8UC1 : CV_8UC2;
  const cv::Mat from(planar ? in.height * 3 / 2 : in.height, in.width, type,
                     const_cast<std::uint8_t*>(in.data), stride);
  cv::Mat to;
  cv::cvtColor(from, to, code);
  Out out{in.width, in.height, 0};
  TEST_ASSERT_OK(cpu::to_rgb(in, out.view));
  for (int y = rim; y < in.height - rim; ++y)
    for (int x = rim; x < in.width - rim; ++x)
      for (int c = 0; c < 3; ++c)
        if (to.at<cv::Vec3b>(y, x)[c] != out.at(c, x, y))
          TEST_ASSERT_EQUAL_MESSAGE(to.at<cv::Vec3b>(y, x)[c], out.at(c, x, y),
                                    picture.name().c_str());
}

// Bit for bit; OpenCV treats the rim of a Bayer picture differently.
TEST(to_rgb_equals_opencv) {
  const int width = 130, height = 34;
  compare(Picture{PixelFormat::yuyv, width, height, 4}, cv::COLOR_YUV2RGB_YUYV, 0);
  compare(Picture{PixelFormat::uyvy, width, height, 4}, cv::COLOR_YUV2RGB_UYVY, 0);
  compare(Picture{PixelFormat::nv12, width, height, 0}, cv::COLOR_YUV2RGB_NV12, 0);
  const auto bayer = [&](BayerOrder order, int code) {
    compare(Picture{PixelFormat::bayer8, width, height, 4, 0, order}, code, 1);
  };
  bayer(BayerOrder::rggb, cv::COLOR_BayerRGGB2RGB);
  bayer(BayerOrder::bggr, cv::COLOR_BayerBGGR2RGB);
  bayer(BayerOrder::grbg, cv::COLOR_BayerGRBG2RGB);
  bayer(BayerOrder::gbrg, cv::COLOR_BayerGBRG2RGB);
}
#endif

}  // namespace
