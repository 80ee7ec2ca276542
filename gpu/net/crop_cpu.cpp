// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "gpu/image/simd.hpp"
#include "gpu/net/crop.hpp"
#include "gpu/net/crop_math.hpp"
#include "gpu/net/levels.hpp"

namespace kerb::net {
namespace {

using namespace simd;
using math::part;
using math::sample_at;
using math::whole;

constexpr int kSpan = 1024;    // picture columns that are summed at a time
constexpr int kPixels = 64;    // the crop's pixels that are made of these, at most
constexpr int kLanes = 4;      // the weights of a pixel are padded to so many
constexpr int kMostRows = 34;  // two a sample, and an even number
static_assert(kMostRows >= 2 * kMaxTaps && kMostRows % 2 == 0);
// Steps are up to 2^24: one pixel's samples lie within 258 columns.
static_assert(kSpan >= 258);

/// Of one row of the crop: the picture's rows and their weights.
struct Rows {
  int count = 0;  // even
  std::array<std::ptrdiff_t, kMostRows> at;
  std::array<std::int16_t, kMostRows> weights;
};

Rows rows_of(const CropPlace& place, int row, int height, std::ptrdiff_t stride) {
  Rows out;
  const auto add = [&](std::int64_t y, std::uint32_t weight) {
    const std::ptrdiff_t at = std::clamp<std::int64_t>(y, 0, height - 1) * stride;
    for (int i = out.count - 1; i >= 0 && i >= out.count - 2; --i) {
      const auto shared = static_cast<std::size_t>(i);  // neighbouring samples share rows
      if (out.at[shared] != at) continue;
      out.weights[shared] =
          static_cast<std::int16_t>(out.weights[shared] + static_cast<int>(weight));
      return;
    }
    const auto next = static_cast<std::size_t>(out.count++);
    out.at[next] = at;
    out.weights[next] = static_cast<std::int16_t>(weight);
  };
  for (int j = 0; j < place.taps; ++j) {
    const std::int64_t at = sample_at(place.top, place, row * place.taps + j);
    add(whole(at), 256 - part(at));
    if (part(at) != 0) add(whole(at) + 1, part(at));
  }
  if (out.count % 2 != 0) {
    const auto next = static_cast<std::size_t>(out.count++);
    out.at[next] = out.at[next - 1];
    out.weights[next] = 0;
  }
  return out;
}

/// Sums over the rows, of eight columns.
KERB_INLINE void sum_eight(const std::uint8_t* from, const Rows& rows, std::uint32_t* sums) {
#if defined(__aarch64__)
  uint32x4_t low = vdupq_n_u32(0), high = low;
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows.count); ++r) {
    const uint16x8_t samples = vmovl_u8(vld1_u8(from + rows.at[r]));
    const auto weight = static_cast<std::uint16_t>(rows.weights[r]);
    low = vmlal_n_u16(low, vget_low_u16(samples), weight);
    high = vmlal_high_n_u16(high, samples, weight);
  }
  vst1q_u32(sums, low);
  vst1q_u32(sums + 4, high);
#elif defined(__SSE2__)
  __m128i low = _mm_setzero_si128(), high = low;
  const __m128i zero = low;
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows.count); r += 2) {
    const auto eight = [](const std::uint8_t* at) {
      return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(at));
    };
    std::int32_t both = 0;
    std::memcpy(&both, &rows.weights[r], sizeof both);
    const __m128i weights = _mm_set1_epi32(both);
    const __m128i pairs = _mm_unpacklo_epi8(eight(from + rows.at[r]), eight(from + rows.at[r + 1]));
    low = _mm_add_epi32(low, _mm_madd_epi16(_mm_unpacklo_epi8(pairs, zero), weights));
    high = _mm_add_epi32(high, _mm_madd_epi16(_mm_unpackhi_epi8(pairs, zero), weights));
  }
  store(sums, low);
  store(sums + 4, high);
#else
  for (int x = 0; x < 8; ++x) {
    sums[x] = 0;
    for (std::size_t r = 0; r < static_cast<std::size_t>(rows.count); ++r)
      sums[x] += static_cast<std::uint32_t>(rows.weights[r]) * from[rows.at[r] + x];
  }
#endif
}

/// Sums over the rows, of `count` columns.
void sum_rows(const std::uint8_t* from, const Rows& rows, int count, std::uint32_t* sums) {
  int x = 0;
  for (; x + 8 <= count; x += 8) sum_eight(from + x, rows, sums + x);
  if (x == count) return;
  if (count >= 8) return sum_eight(from + count - 8, rows, sums + count - 8);
  for (; x < count; ++x) {
    sums[x] = 0;
    for (std::size_t r = 0; r < static_cast<std::size_t>(rows.count); ++r)
      sums[x] += static_cast<std::uint32_t>(rows.weights[r]) * from[rows.at[r] + x];
  }
}

/// Some columns of the crop, and the picture's columns that they are made of. These may lie beyond
/// the picture.
struct Columns {
  int begin = 0, end = 0;       // of the crop
  std::int64_t first = 0;       // of the picture
  int span = 0;                 // of the picture
  std::array<int, kPixels> at;  // of each: its first column, from `first` on
  std::array<int, kPixels + 1> weights_at;
  std::array<std::uint32_t, kSpan + kPixels*(2 + kLanes)> weights;  // padded with zeros to kLanes
};

void fill_columns(const CropPlace& place, int begin, int width, Columns& out) {
  out.begin = out.end = begin;
  out.first = whole(sample_at(place.left, place, begin * place.taps));
  out.span = 0;
  out.weights_at[0] = 0;
  for (; out.end < width && out.end - begin < kPixels; ++out.end) {
    const int index = out.end * place.taps;
    const std::int64_t left = whole(sample_at(place.left, place, index)) - out.first;
    const std::int64_t last =
        whole(sample_at(place.left, place, index + place.taps - 1)) + 1 - out.first;
    if (last >= kSpan) break;
    const auto i = static_cast<std::size_t>(out.end - begin);
    const int count = (static_cast<int>(last - left) + 1 + kLanes - 1) / kLanes * kLanes;
    out.at[i] = static_cast<int>(left);
    out.weights_at[i + 1] = out.weights_at[i] + count;
    out.span = static_cast<int>(last) + 1;
    std::uint32_t* weights = out.weights.data() + out.weights_at[i];
    std::fill(weights, weights + count, 0U);
    for (int j = 0; j < place.taps; ++j) {
      const std::int64_t at = sample_at(place.left, place, index + j);
      std::uint32_t* pair = weights + (whole(at) - out.first - left);
      pair[0] += 256 - part(at);
      pair[1] += part(at);
    }
  }
}

KERB_INLINE std::uint32_t sum_of(U32x4 v) {
#if defined(__aarch64__)
  return vaddvq_u32(bits<uint32x4_t>(v));
#else
  const U32x4 pairs = v + __builtin_shufflevector(v, v, 2, 3, 0, 1);
  return pairs[0] + pairs[1];
#endif
}

/// The crop's pixels from the sums of their columns.
KERB_WIDER void sum_columns(const std::uint32_t* sums, const Columns& columns,
                            const math::Divisor& by, std::uint8_t* out) {
  const auto count = static_cast<std::size_t>(columns.end - columns.begin);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t* weights = columns.weights.data() + columns.weights_at[i];
    const std::uint32_t* from = sums + columns.at[i];
    U32x4 sum = load<U32x4>(weights) * load<U32x4>(from);
    const int all = columns.weights_at[i + 1] - columns.weights_at[i];
    for (int k = kLanes; k < all; k += kLanes)
      sum += load<U32x4>(weights + k) * load<U32x4>(from + k);
    out[i] = math::pixel_of(sum_of(sum), by);
  }
}

/// As a whole number, whatever it is: places far beyond any picture are all the same.
std::int64_t fixed_point(double pixels) {
  constexpr double kFarthest = 1U << 30U;
  if (!(pixels > -kFarthest)) pixels = -kFarthest;
  if (pixels > kFarthest) pixels = kFarthest;
  return std::llrint(pixels * 65536);
}

}  // namespace

CropPlace place_crop(const CropShape& shape, const Detection& person) noexcept {
  const double h = person.h, w = person.w;
  CropPlace out;
  const double step = std::rint(h / shape.person_height * 65536);
  out.step = static_cast<std::int32_t>(step > 1024 ? std::min(step, 16777216.0) : 1024);
  out.taps = std::clamp((out.step + 65535) / 65536, 1, kMaxTaps);
  out.left = fixed_point(person.x + w / 2) - std::int64_t{out.step} * shape.width / 2;
  out.top = fixed_point(person.y + h / 2) - std::int64_t{out.step} * shape.height / 2;
  return out;
}

void cut_crop(const PlanesView<Space::host, const std::uint8_t>& picture, const CropShape& shape,
              const CropPlace& place, std::uint8_t* out) noexcept {
  // First the sums of rows, which lie side by side in memory; of these, the sums of columns.
  std::array<std::uint32_t, kSpan + kLanes> sums;
  Columns columns;
  const math::Divisor by = math::divisor_of(place.taps);
  const std::ptrdiff_t pixels = std::ptrdiff_t{shape.width} * shape.height;
  for (int begin = 0; begin < shape.width; begin = columns.end) {
    fill_columns(place, begin, shape.width, columns);
    const auto inside = [&](std::int64_t x) {
      return std::clamp<std::int64_t>(x, 0, picture.width - 1);
    };
    const std::int64_t left = inside(columns.first);
    const std::int64_t right = inside(columns.first + columns.span - 1);
    const auto at =
        static_cast<int>(std::clamp<std::int64_t>(left - columns.first, 0, columns.span - 1));
    const int count = static_cast<int>(right - left) + 1;
    std::uint32_t* const first = sums.data() + at;
    std::uint32_t* const last = first + count - 1;
    std::uint32_t* const end = sums.data() + columns.span;
    std::fill(end, end + kLanes, 0U);
    for (int y = 0; y < shape.height; ++y) {
      const Rows rows = rows_of(place, y, picture.height, picture.row_stride);
      for (int p = 0; p < shape.planes; ++p) {
        sum_rows(picture.data + p * picture.plane_stride + left, rows, count, first);
        std::fill(sums.data(), first, *first);
        std::fill(last + 1, end, *last);
        sum_columns(sums.data(), columns, by,
                    out + p * pixels + std::ptrdiff_t{y} * shape.width + begin);
      }
    }
  }
}

void fill_levels(const CropShape& shape, const std::uint8_t* crop, LevelTable& levels) noexcept {
  const int pixels = shape.width * shape.height;
  std::uint32_t sum = 0;  // 2^16 pixels of up to 3 * 255
  std::uint64_t squares = 0;
  for (int begin = 0; begin < pixels; begin += shape.width) {  // a row's squares fit 32 bits
    std::uint32_t row_squares = 0;
    const std::uint8_t* at = crop + begin;
    for (int x = 0; x < shape.width; ++x) {
      std::uint32_t grey = at[x];
      if (shape.planes == 3) grey += at[pixels + x] + std::uint32_t{at[2 * pixels + x]};
      sum += grey;
      row_squares += grey * grey;
    }
    squares += row_squares;
  }
  const math::Contrast contrast =
      math::contrast_of(sum, static_cast<std::int64_t>(squares), pixels, shape.planes);
  for (int sample = 0; sample < 256; ++sample)
    levels[static_cast<std::size_t>(sample)] = math::level_of(sample, shape.planes, contrast);
}

void normalise_crop(const CropShape& shape, const std::uint8_t* crop, std::uint8_t* out) noexcept {
  LevelTable levels;
  fill_levels(shape, crop, levels);
  const int samples = shape.planes * shape.width * shape.height;
  for (int i = 0; i < samples; ++i) out[i] = levels[crop[i]];
}

}  // namespace kerb::net
