// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>

#include "gpu/image/preparer.hpp"
#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/unit/gpu/count_oracle.hpp"

namespace kerb::fuzz {
namespace {

/// Reads the input from its start; zeros behind its end.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_{data}, left_{size} {}
  int byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }
  int word() {
    const int low = byte();
    return low + 256 * byte();
  }
  [[nodiscard]] bool empty() const { return left_ == 0; }
  void fill(std::vector<std::uint16_t>& samples) {
    const std::size_t bytes = std::min(left_, 2 * samples.size());
    std::ranges::fill(samples, std::uint16_t{0});
    if (bytes > 0) std::memcpy(samples.data(), data_, bytes);
    data_ += bytes;
    left_ -= bytes;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

/// The first 14 bytes of an input.
struct Head {
  int format, width, height, padding, black, white, span, smooth, hold, wrong;
};
constexpr std::size_t kHead = 14;
Head head_of(Input& input) {
  Head h{};
  h.format = input.byte();
  h.width = input.byte();
  h.height = input.byte();
  h.padding = input.byte();
  h.black = input.word();
  h.white = input.word();
  h.span = input.word();
  h.smooth = input.byte();
  h.hold = input.byte();
  h.wrong = input.word();
  return h;
}

}  // namespace

void thermal_frames(const std::uint8_t* data, std::size_t size) {
  Input input{data, size};
  const Head h = head_of(input);
  static const Result<Context> context = Context::create(BackendChoice::cpu);
  FrameSourceInfo source;
  source.format = static_cast<PixelFormat>(h.format % 16);  // some of them do not exist
  source.width = h.width;
  source.height = h.height % 64;
  const CountRangeSettings settings{h.black, h.white, h.span, h.smooth, h.hold};
  Result<std::unique_ptr<Preparer>> made =
      Preparer::create(*context, nullptr, source, false, &settings);
  if (!made) {
    demand(!made.error().what.empty(), "errors say what");
    return;
  }
  demand(bit_depth(source.format) > 8 && !has_colour(source.format), "counts have more bits");
  const int words = source.width + h.padding % 8;  // of a row
  // Of just its size: what is read beyond it is found.
  std::vector<std::uint16_t> samples(static_cast<std::size_t>(words) *
                                         static_cast<std::size_t>(source.height - 1) +
                                     static_cast<std::size_t>(source.width));
  RawImageView<Space::host> view;
  view.data = reinterpret_cast<const std::uint8_t*>(samples.data());
  view.width = source.width;
  view.height = source.height;
  view.row_stride = std::ptrdiff_t{2} * words;
  view.format = source.format;
  test::CountOracle oracle{settings, bit_depth(source.format)};
  for (int frame = 0; frame < 16 && !input.empty(); ++frame) {
    const int event = input.byte();
    if (event % 8 != 7) input.fill(samples);  // else the same picture again
    if (event % 16 == 3) {                    // a picture that does not fit is in between
      RawImageView<Space::host> wrong = view;
      wrong.width += h.wrong % 3 - 1;
      wrong.height += h.wrong / 3 % 3 - 1;
      wrong.row_stride -= h.wrong / 9 % 4 * 2;
      if (wrong.width != view.width || wrong.height != view.height ||
          wrong.row_stride < std::ptrdiff_t{2} * view.width)
        demand(!(*made)->prepare(wrong), "another size is refused");
    }
    const Result<PreparedImage> out = (*made)->prepare(view);
    demand(bool{out}, "what fits is taken");
    const std::vector<std::uint32_t> counts = test::counts_of(view);
    const CountMap map = oracle.update(counts), actual = *(*made)->count_map();
    demand(map.low == actual.low && map.span == actual.span, "the range is that of sorting");
    for (int y = 0; y < view.height; ++y)
      for (int x = 0; x < view.width; ++x)
        demand(test::is_level(counts[static_cast<std::size_t>(y * view.width + x)], map,
                              out->grey.data[y * out->grey.row_stride + x]),
               "levels are the ratio");
  }
}

std::vector<Bytes> thermal_seeds() {
  std::vector<Bytes> seeds;
  const auto low = [](int v) { return static_cast<std::uint8_t>(v & 255); };
  const auto high = [](int v) { return static_cast<std::uint8_t>(v >> 8 & 255); };
  for (const PixelFormat format : {PixelFormat::grey10, PixelFormat::grey12, PixelFormat::grey14,
                                   PixelFormat::grey16, PixelFormat::grey8, PixelFormat::nv12})
    for (const int span : {1, 255, 9000}) {
      const int width = 7, height = 5, black = 50, white = 300;
      Bytes seed{static_cast<std::uint8_t>(format),
                 static_cast<std::uint8_t>(width),
                 static_cast<std::uint8_t>(height),
                 1,
                 low(black),
                 high(black),
                 low(white),
                 high(white),
                 low(span),
                 high(span),
                 4,
                 2,
                 5,
                 0};
      demand(seed.size() == kHead, "a seed's head");
      for (int frame = 0; frame < 6; ++frame) {
        constexpr int kEvents[] = {0, 3, 7, 0, 1, 0};
        seed.push_back(static_cast<std::uint8_t>(kEvents[frame]));
        if (kEvents[frame] == 7) continue;
        for (int i = 0; i < (width + 1) * (height - 1) + width; ++i) {
          // A slope, then a shutter, then one end of all counts, then both.
          const int count = frame < 2    ? 700 + 13 * i
                            : frame == 3 ? 900
                            : frame == 4 ? 65535
                                         : 65535 * (i % 2);
          seed.push_back(low(count));
          seed.push_back(high(count));
        }
      }
      seeds.push_back(std::move(seed));
    }
  return seeds;
}

}  // namespace kerb::fuzz
