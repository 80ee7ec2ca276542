// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "gpu/image/simd.hpp"
#include "gpu/night/planes_check.hpp"
#include "gpu/night/temporal_filter.hpp"
#include "gpu/night/temporal_filter_math.hpp"

namespace kerb::night {
namespace {

using namespace temporal;

using Byte = std::uint8_t;
using Fine = std::uint16_t;
using In = PlanesView<Space::host, const Byte>;
using Out = PlanesView<Space::host, Byte>;

constexpr int kStrip = 512;  // pixels: what is between two steps stays in the first cache
constexpr int kGainTask = 1 << 16;

const Byte* row_of(const In& in, int plane, int y) {
  return in.data + plane * in.plane_stride + y * in.row_stride;
}
ImageView<Space::host, const Byte> middle_of(const In& in) { return in.plane(in.count / 2); }

// The loops that take the time: in functions of their own, so that nothing can overlap, for the
// vectoriser.

KERB_WIDER std::uint32_t sum_of(const Byte* in, std::ptrdiff_t stride, int width, int height) {
  std::uint32_t sum = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) sum += in[y * stride + x];
  return sum;
}

KERB_INLINE std::uint32_t difference_of(const Byte* a, std::ptrdiff_t a_stride, const Byte* b,
                                        std::ptrdiff_t b_stride, int width, int height) {
  std::uint32_t sum = 0;
  for (int y = 0; y < height; ++y) {
    std::uint32_t row = 0;
    for (int x = 0; x < width; ++x)
      row += static_cast<std::uint32_t>(std::abs(a[y * a_stride + x] - b[y * b_stride + x]));
    sum += row;
  }
  return sum;
}
KERB_WIDER std::uint32_t sum_of_differences(const Byte* a, std::ptrdiff_t a_stride, const Byte* b,
                                            std::ptrdiff_t b_stride, int width, int height) {
  if (width == kBlock) return difference_of(a, a_stride, b, b_stride, kBlock, height);
  return difference_of(a, a_stride, b, b_stride, width, height);
}

KERB_INLINE void shift_rows(const Fine* __restrict from, std::ptrdiff_t stride, const Taps& across,
                            const Taps& down, Fine* __restrict to, int width, int height) {
  std::int16_t rows[kBlock + 3][kBlock];
  for (int y = 0; y < height + 3; ++y) {
    const Fine* at = from + (y - 1) * stride;
    for (int x = 0; x < width; ++x)
      rows[y][x] = static_cast<std::int16_t>(mixed(at[x - 1], at[x], at[x + 1], at[x + 2], across));
  }
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      to[y * stride + x] = static_cast<Fine>(
          limited(mixed(rows[y][x], rows[y + 1][x], rows[y + 2][x], rows[y + 3][x], down)));
}
/// A block of the past; both have the same stride.
KERB_WIDER void shift_block(const Fine* from, std::ptrdiff_t stride, const Taps& across,
                            const Taps& down, Fine* to, int width, int height) {
  if (width == kBlock) return shift_rows(from, stride, across, down, to, kBlock, height);
  shift_rows(from, stride, across, down, to, width, height);
}

KERB_WIDER void add_differences(const Byte* __restrict now, const Fine* __restrict past,
                                std::int32_t* __restrict sums, int count) {
  for (int i = 0; i < count; ++i) sums[i] += std::abs(kFine * now[i] - past[i]);
}
KERB_WIDER void store_differences(const std::int32_t* __restrict sums, Fine* __restrict out,
                                  int count) {
  for (int i = 0; i < count; ++i) out[i] = stored_difference(sums[i]);
}

KERB_WIDER void sum_rows(const Fine* const* rows, int from, std::int32_t* __restrict out,
                         int count) {
  for (int i = 0; i < count; ++i)
    out[i] = rows[0][from + i] + rows[1][from + i] + rows[2][from + i] + rows[3][from + i] +
             rows[4][from + i];
}
static_assert(kReach == 2, "sum_rows() and weights_of() add five");

KERB_WIDER void add_signal(const Fine* __restrict past, std::int32_t* __restrict sums, int count) {
  for (int i = 0; i < count; ++i) sums[i] += past[i];
}
/// `differences` begin kReach pixels to the left.
KERB_WIDER void weights_of(const Plan& plan, const std::int32_t* __restrict differences,
                           const std::int32_t* __restrict signal, std::int32_t* __restrict weights,
                           int count) {
  const Plan p = plan;  // stays in registers
  for (int i = 0; i < count; ++i)
    weights[i] = weight(p,
                        differences[i] + differences[i + 1] + differences[i + 2] +
                            differences[i + 3] + differences[i + 4],
                        signal[i]);
}
KERB_WIDER void blend_row(const Byte* __restrict now, const std::int32_t* __restrict weights,
                          Fine* __restrict past, Byte* __restrict out, int count) {
  for (int i = 0; i < count; ++i) {
    const int fine = blended(past[i], kFine * now[i], weights[i]);
    past[i] = static_cast<Fine>(fine);
    out[i] = rounded(fine);
  }
}

template <typename T>
KERB_INLINE void scale_all(T* values, std::size_t count, int gain) {
  for (std::size_t i = 0; i < count; ++i) values[i] = with_gain(values[i], gain);
}
KERB_WIDER void scale(Fine* values, std::size_t count, int gain) { scale_all(values, count, gain); }
KERB_WIDER void scale(Byte* values, std::size_t count, int gain) { scale_all(values, count, gain); }

template <typename Scale>
void each_part(Workers& workers, std::size_t count, const Scale& part) {
  const auto tasks = static_cast<int>((count + kGainTask - 1) / kGainTask);
  workers.run(tasks, [&](int task, int) {
    const std::size_t from = static_cast<std::size_t>(task) * kGainTask;
    part(from, std::min<std::size_t>(kGainTask, count - from));
  });
}

}  // namespace

void TemporalFilter::measure_exposure(Workers& workers, const In& in) {
  std::vector<std::uint32_t>& now = sums_[static_cast<std::size_t>(now_)];
  const std::vector<std::uint32_t>& before = sums_[static_cast<std::size_t>(1 - now_)];
  const ImageView<Space::host, const Byte> middle = middle_of(in);
  workers.run(plan_.rows, [&](int row, int) {
    for (int column = 0; column < plan_.columns; ++column) {
      const Rect r = block_at(plan_, column, row);
      const int block = row * plan_.columns + column;
      now[static_cast<std::size_t>(block)] = sum_of(middle.data + r.y0 * middle.row_stride + r.x0,
                                                    middle.row_stride, r.x1 - r.x0, r.y1 - r.y0);
    }
  });
  facts_.gain = kOne;
  if (!has_past_) return;
  std::fill(ratios_.begin(), ratios_.end(), 0U);
  std::uint32_t count = 0;
  for (int block = 0; block < block_count(plan_); ++block) {
    const auto i = static_cast<std::size_t>(block);
    if (!says_ratio(before[i],
                    pixels_of(block_at(plan_, block % plan_.columns, block / plan_.columns))))
      continue;
    ++ratios_[static_cast<std::size_t>(ratio(before[i], now[i]))];
    ++count;
  }
  int median = 0;
  for (std::uint32_t up_to = 0; median < kRatios - 1; ++median) {
    up_to += ratios_[static_cast<std::size_t>(median)];
    if (2 * up_to > count) break;
  }
  facts_.gain = exposure_gain(median, count, block_count(plan_));
}

void TemporalFilter::apply_gain(Workers& workers, int gain) {
  std::vector<Fine>& past = past_[static_cast<std::size_t>(1 - now_)];
  std::vector<Byte>& middle = middle_[static_cast<std::size_t>(1 - now_)];
  each_part(workers, past.size(),
            [&](std::size_t from, std::size_t count) { scale(past.data() + from, count, gain); });
  each_part(workers, middle.size(),
            [&](std::size_t from, std::size_t count) { scale(middle.data() + from, count, gain); });
}

void TemporalFilter::match(Workers& workers, const In& in) {
  const ImageView<Space::host, const Byte> middle = middle_of(in);
  const Byte* past = middle_[static_cast<std::size_t>(1 - now_)].data();
  const std::vector<Shift>& before = shifts_[static_cast<std::size_t>(1 - now_)];
  std::vector<Shift>& chosen = shifts_[static_cast<std::size_t>(now_)];
  const std::vector<std::uint32_t>& sums = sums_[static_cast<std::size_t>(now_)];
  const std::ptrdiff_t stride = plan_.width;
  workers.run(plan_.rows, [&](int row, int) {
    for (int column = 0; column < plan_.columns; ++column) {
      const Rect r = block_at(plan_, column, row);
      const int number = row * plan_.columns + column;
      const auto block = static_cast<std::size_t>(number);
      Shift tried[kMostShifts];
      const int count = shifts_for(plan_, bins_.data(), column, row, before[block], tried);
      std::uint32_t least = ~std::uint32_t{0};
      for (int i = 0; i < count; ++i) {
        if (!is_inside(plan_, r, tried[i])) continue;
        const std::uint32_t sum = sum_of_differences(
            middle.data + r.y0 * middle.row_stride + r.x0, middle.row_stride,
            past + (r.y0 + nearest(tried[i].y)) * stride + r.x0 + nearest(tried[i].x), stride,
            r.x1 - r.x0, r.y1 - r.y0);
        if (sum >= least) continue;
        least = sum;
        chosen[block] = tried[i];
      }
      fits_[block] = fits(plan_, least, sums[block], pixels_of(r)) ? 1 : 0;
    }
  });
}

void TemporalFilter::shift_past(Workers& workers, const In& in) {
  const std::vector<Shift>& shifts = shifts_[static_cast<std::size_t>(now_)];
  const std::ptrdiff_t stride = plan_.width;
  workers.run(plan_.rows, [&](int row, int) {
    const int y0 = row * kBlock, y1 = std::min(y0 + kBlock, plan_.height);
    for (int plane = 0; plane < plan_.planes; ++plane) {
      const std::size_t offset = static_cast<std::size_t>(plane) * pixels();
      const Fine* from = past_[static_cast<std::size_t>(1 - now_)].data() + offset;
      Fine* to = past_[static_cast<std::size_t>(now_)].data() + offset;
      for (int column = 0; column < plan_.columns; ++column) {
        const Rect r = block_at(plan_, column, row);
        const int number = row * plan_.columns + column;
        const Shift s = shifts[static_cast<std::size_t>(number)];
        const Fine* at = from + (r.y0 + whole(s.y)) * stride + r.x0 + whole(s.x);
        Fine* block = to + r.y0 * stride + r.x0;
        if (part(s.x) == 0 && part(s.y) == 0) {
          for (int y = 0; y < r.y1 - r.y0; ++y)
            std::memcpy(block + y * stride, at + y * stride,
                        static_cast<std::size_t>(r.x1 - r.x0) * sizeof(Fine));
        } else {
          shift_block(at, stride, taps(part(s.x)), taps(part(s.y)), block, r.x1 - r.x0,
                      r.y1 - r.y0);
        }
      }
    }
    std::int32_t sums[kStrip];
    for (int y = y0; y < y1; ++y)
      for (int x = 0; x < plan_.width; x += kStrip) {
        const int count = std::min(kStrip, plan_.width - x);
        const std::size_t at = static_cast<std::size_t>(y * stride + x);
        std::fill(sums, sums + count, 0);
        for (int plane = 0; plane < plan_.planes; ++plane)
          add_differences(row_of(in, plane, y) + x,
                          past_[static_cast<std::size_t>(now_)].data() +
                              static_cast<std::size_t>(plane) * pixels() + at,
                          sums, count);
        store_differences(sums, differences_.data() + at, count);
      }
  });
}

void TemporalFilter::blend(Workers& workers, const In& in, const Out& out) {
  const std::ptrdiff_t stride = plan_.width;
  std::vector<Fine>& past = past_[static_cast<std::size_t>(now_)];
  workers.run(plan_.rows, [&](int row, int) {
    std::int32_t columns[kStrip + 2 * kReach], signal[kStrip], weights[kStrip];
    const int y1 = std::min((row + 1) * kBlock, plan_.height);
    for (int y = row * kBlock; y < y1; ++y) {
      const Fine* rows[2 * kReach + 1];
      for (int i = 0; i <= 2 * kReach; ++i)
        rows[i] = differences_.data() + std::clamp(y + i - kReach, 0, plan_.height - 1) * stride;
      for (int x = 0; x < plan_.width; x += kStrip) {
        const int count = std::min(kStrip, plan_.width - x);
        const std::size_t at = static_cast<std::size_t>(y * stride + x);
        if (facts_.kept) {
          // Beyond the picture's edge its last column counts again.
          const int left = std::max(x - kReach, 0);
          const int right = std::min(x + count + kReach, plan_.width);
          std::int32_t* first = columns + (left - (x - kReach));
          sum_rows(rows, left, first, right - left);
          std::fill(columns, first, *first);
          std::fill(first + (right - left), columns + count + 2 * kReach, first[right - left - 1]);
          std::fill(signal, signal + count, 0);
          for (int plane = 0; plane < plan_.planes; ++plane)
            add_signal(past.data() + static_cast<std::size_t>(plane) * pixels() + at, signal,
                       count);
          weights_of(plan_, columns, signal, weights, count);
        } else {
          std::fill(weights, weights + count, 0);
        }
        for (int plane = 0; plane < plan_.planes; ++plane)
          blend_row(row_of(in, plane, y) + x, weights,
                    past.data() + static_cast<std::size_t>(plane) * pixels() + at,
                    out.data + plane * out.plane_stride + y * out.row_stride + x, count);
        std::memcpy(middle_[static_cast<std::size_t>(now_)].data() + at,
                    out.data + plan_.planes / 2 * out.plane_stride + y * out.row_stride + x,
                    static_cast<std::size_t>(count));
      }
    }
  });
}

Status TemporalFilter::run(Workers& workers, const In& in, const MotionField* motion,
                           const Out& out) {
  if (Status ok = check_planes("temporal filter", in, out, plan_.width, plan_.height, plan_.planes);
      !ok)
    return ok;
  if (on_device_) return Error{Errc::unsupported, 0, "temporal filter", "made with a CUDA context"};
  now_ = 1 - now_;
  measure_exposure(workers, in);
  facts_.unfit = 0;
  facts_.kept = false;
  if (has_past_) {
    if (facts_.gain != kOne) apply_gain(workers, facts_.gain);
    fill_bins(motion, bins_.data());
    match(workers, in);
    facts_.unfit = static_cast<int>(std::count(fits_.begin(), fits_.end(), Byte{0}));
    facts_.kept = 2 * facts_.unfit <= block_count(plan_);
  }
  if (facts_.kept) {
    shift_past(workers, in);
  } else {  // what the past was does not matter: its weight is none
    std::vector<Shift>& shifts = shifts_[static_cast<std::size_t>(now_)];
    std::fill(shifts.begin(), shifts.end(), Shift{});
  }
  blend(workers, in, out);
  has_past_ = true;
  return Done{};
}

}  // namespace kerb::night
