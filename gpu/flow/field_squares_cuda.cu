// SPDX-License-Identifier: Apache-2.0
#include "gpu/flow/field_squares.hpp"
#include "gpu/flow/field_squares_math.hpp"
#include "gpu/memory/buffer.hpp"
#include "gpu/memory/cuda_status.hpp"

namespace kerb::flow {
namespace {

constexpr int kWarps = 4;  // a block
constexpr unsigned kBlockX = 32, kBlockY = 8;

struct Wanted {
  Square square;
  Detection box;
  int boxed = 0;  // 0: the box does not matter
};

/// A warp for each square. Of the lanes' best the better quality wins, then the earlier pixel: what
/// going through it row by row would have found.
__global__ void __launch_bounds__(32 * kWarps)
    find_kernel(FieldView<Space::device> field, float full, const Wanted* all, int count,
                FieldSquares::Best* out) {
  const int which = static_cast<int>(blockIdx.x * kWarps + threadIdx.y);
  if (which >= count) return;
  const Wanted wanted = all[which];
  const Square& s = wanted.square;
  const int wide = s.x1 - s.x0;
  const int pixels = wide > 0 && s.y1 > s.y0 ? wide * (s.y1 - s.y0) : 0;
  unsigned long long best = 0;
  for (int k = static_cast<int>(threadIdx.x); k < pixels; k += 32) {
    const int x = s.x0 + k % wide, y = s.y0 + k / wide;
    const std::ptrdiff_t at = y * field.row_stride + x;
    if (field.flags[at] != kValid) continue;
    const unsigned long long quality = field.quality[at];
    if (quality <= best >> 32) continue;  // a lane goes forward: an equal one later is not better
    if (wanted.boxed != 0 &&
        !leads_into(wanted.box, in_full_picture(x, y, field.u[at], field.v[at], full)))
      continue;
    best = quality << 32 | (0xFFFFFFFFU - static_cast<unsigned>(k));
  }
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    const unsigned long long other = __shfl_xor_sync(0xFFFFFFFFU, best, offset);
    best = other > best ? other : best;
  }
  if (threadIdx.x != 0) return;
  FieldSquares::Best found;
  found.quality = static_cast<int>(best >> 32);
  if (found.quality > 0) {
    const int k = static_cast<int>(0xFFFFFFFFU - static_cast<unsigned>(best));
    found.x = s.x0 + k % wide;
    found.y = s.y0 + k / wide;
    const std::ptrdiff_t at = found.y * field.row_stride + found.x;
    found.u = field.u[at];
    found.v = field.v[at];
  }
  out[which] = found;
}

__global__ void reduce_kernel(Picture<Space::device> from, int n, int width, int height,
                              std::uint8_t* out) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  const std::uint8_t* const at =
      from.data + static_cast<std::ptrdiff_t>(y) * n * from.row_stride + x * n;
  int sum = n * n / 2;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) sum += at[j * from.row_stride + i];
  out[static_cast<std::ptrdiff_t>(y) * width + x] = static_cast<std::uint8_t>(sum / (n * n));
}

class FieldSquaresCuda final : public FieldSquares {
 public:
  FieldSquaresCuda(int width, int height, int reduction, int most)
      : width_{width}, height_{height}, reduction_{reduction}, most_{most} {}

  Status allocate(const Context& context) {
    const auto some = static_cast<std::size_t>(most_);
    Result<DualBuffer<Wanted>> wanted = DualBuffer<Wanted>::create(context, Use::shared, some);
    if (!wanted) return wanted.error();
    wanted_ = std::move(*wanted);
    Result<DualBuffer<Best>> found = DualBuffer<Best>::create(context, Use::shared, some);
    if (!found) return found.error();
    found_ = std::move(*found);
    return Done{};
  }

  void clear() noexcept override { count_ = 0; }
  bool add(const Square& square, const Detection* box) noexcept override {
    if (count_ == most_) return false;
    Wanted& wanted = wanted_.host()[count_++];
    wanted = {square, box != nullptr ? *box : Detection{}, box != nullptr ? 1 : 0};
    return true;
  }
  [[nodiscard]] int count() const noexcept override { return count_; }

  Result<const Best*> find(StreamRef stream, const FieldView<Space::device>& field) override {
    if (count_ == 0) return found_.host();
    const auto some = static_cast<std::size_t>(count_);
    if (wanted_.has_twin())
      if (Status ok = copy_to_device(stream, wanted_.device(), wanted_.host(), some); !ok)
        return ok.error();
    find_kernel<<<div_up(count_, kWarps), dim3{32, kWarps}, 0, stream.get()>>>(
        field, static_cast<float>(reduction_), wanted_.device(), count_, found_.device());
    if (Status ok = cuda_status(cudaGetLastError(), "launch field squares"); !ok) return ok.error();
    if (found_.has_twin())
      if (Status ok = copy_to_host(stream, found_.host(), found_.device(), some); !ok)
        return ok.error();
    if (Status ok = wait(stream); !ok) return ok.error();
    return found_.host();
  }

  Status reduce(StreamRef stream, const Picture<Space::device>& from, std::uint8_t* out) override {
    const dim3 block{kBlockX, kBlockY};
    const dim3 grid{div_up(width_, kBlockX), div_up(height_, kBlockY)};
    reduce_kernel<<<grid, block, 0, stream.get()>>>(from, reduction_, width_, height_, out);
    return cuda_status(cudaGetLastError(), "launch reduce");
  }

 private:
  int width_, height_, reduction_, most_;
  int count_ = 0;
  DualBuffer<Wanted> wanted_;
  DualBuffer<Best> found_;
};

}  // namespace

Result<std::unique_ptr<FieldSquares>> make_field_squares(const Context& context, int width,
                                                         int height, int reduction, int most) {
  if (context.backend() != Backend::cuda)
    return Error{Errc::unsupported, 0, "field squares", "the backend is the CPU"};
  auto made = std::make_unique<FieldSquaresCuda>(width, height, reduction, most);
  if (Status ok = made->allocate(context); !ok) return ok.error();
  return std::unique_ptr<FieldSquares>{std::move(made)};
}

}  // namespace kerb::flow
