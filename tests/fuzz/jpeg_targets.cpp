// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "drivers/jpeg/jpeg_encoder.hpp"
#include "drivers/v4l2/jpeg_decoder.hpp"
#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"

namespace kerb::fuzz {
namespace {

constexpr int kWidth = 48, kHeight = 32, kStride = 3 * kWidth + 8;
constexpr std::uint8_t kUntouched = 0xA5;

Bytes encoded(int quality) {
  std::vector<std::uint8_t> grey(kWidth * kHeight);
  for (std::size_t i = 0; i < grey.size(); ++i)
    grey[i] = static_cast<std::uint8_t>(i * 7 + i / kWidth * 13);
  const auto encoder = JpegEncoder::create(quality);
  demand(bool{encoder}, "there is an encoder");
  Bytes jpeg(1 << 16);
  const Result<std::size_t> size =
      (*encoder)->encode({grey.data(), kWidth, kHeight, kWidth}, jpeg.data(), jpeg.size());
  demand(bool{size}, "it encodes");
  jpeg.resize(*size);
  return jpeg;
}

}  // namespace

void mjpeg(const std::uint8_t* data, std::size_t size) {
  static Result<v4l2::JpegDecoder> decoder = v4l2::JpegDecoder::create();
  static const Bytes good = encoded(90);
  demand(bool{decoder}, "there is a decoder");
  Bytes rgb(std::size_t{kStride} * kHeight + 16, kUntouched);
  const Status decoded = decoder->decode(data, size, kWidth, kHeight, rgb.data(), kStride);
  if (!decoded) demand(decoded.error().code == Errc::damaged, "errors say what");
  for (int y = 0; y < kHeight; ++y) {
    const auto* row = rgb.data() + std::size_t{kStride} * static_cast<std::size_t>(y);
    demand(std::all_of(row + 3 * kWidth, row + kStride, [](auto b) { return b == kUntouched; }),
           "what lies between the rows is left alone");
  }
  demand(std::all_of(rgb.end() - 16, rgb.end(), [](auto b) { return b == kUntouched; }),
         "nothing is written behind the picture");
  demand(bool{decoder->decode(good.data(), good.size(), kWidth, kHeight, rgb.data(), kStride)},
         "the next picture is not affected");
}

std::vector<Bytes> mjpeg_seeds() { return {encoded(90), encoded(30)}; }

}  // namespace kerb::fuzz
