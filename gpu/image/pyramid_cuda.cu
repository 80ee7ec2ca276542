// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/pyramid_cuda.hpp"
#include "gpu/memory/cuda_status.hpp"
#include "gpu/memory/upload.hpp"

namespace kerb {
namespace {

using Tables = PyramidTables::Device;
constexpr int kThreadsX = 32, kThreadsY = 8;
constexpr int kPixels = Tables::kTileWidth / kThreadsX;  // beside each other, for one thread
constexpr int kRows = Tables::kTileHeight / kThreadsY;
static_assert(kPixels == 4);

struct Octaves {
  DeviceOctave of[kMaxOctave];
  int count;
};

/// A block of threads for each row of each octave.
__global__ void octave_kernel(ImageView<Space::device, const std::uint8_t> in, Octaves octaves,
                              std::uint8_t* __restrict__ out) {
  const int row = static_cast<int>(blockIdx.x);
  int which = octaves.count - 1;
  while (which > 0 && row < octaves.of[which].first_row) --which;
  const DeviceOctave o = octaves.of[which];
  const int y = row - o.first_row, side = 1 << o.shift;
  std::uint8_t* to = out + o.offset + static_cast<std::size_t>(y) * o.row_stride;
  const std::uint8_t* from = in.data + static_cast<std::ptrdiff_t>(y * side) * in.row_stride;
  for (int x = static_cast<int>(threadIdx.x); x < o.width; x += static_cast<int>(blockDim.x)) {
    unsigned sum = 1U << (2 * o.shift - 1);
    for (int j = 0; j < side; ++j) {
      const std::uint8_t* block = from + j * in.row_stride + x * side;
      for (int i = 0; i < side; ++i) sum += block[i];
    }
    to[x] = static_cast<std::uint8_t>(sum >> (2 * o.shift));
  }
}

/// `out` is read too, where octaves are: not restrict.
__global__ void pyramid_kernel(ImageView<Space::device, const std::uint8_t> in, Octaves octaves,
                               const DeviceLevel* __restrict__ levels, const Tap* __restrict__ taps,
                               const PyramidTile* __restrict__ tiles, std::uint8_t* out) {
  const PyramidTile tile = tiles[blockIdx.x];
  const DeviceLevel level = levels[tile.level];
  PyramidSource source{in.data, in.row_stride, in.width};
  if (level.octave > 0) {
    const DeviceOctave& o = octaves.of[level.octave - 1];
    source = {out + o.offset, o.row_stride, o.width};
  }
  const int columns = level.width + 2, rows = level.height + 2;
  const int x = tile.x * Tables::kTileWidth + static_cast<int>(threadIdx.x) * kPixels;
  if (x >= columns) return;
  Tap column[kPixels];
  int right[kPixels];
#pragma unroll
  for (int i = 0; i < kPixels; ++i) {
    column[i] = taps[level.x_taps + min(x + i, columns - 1)];
    right[i] = min(column[i].index + 1, source.width - 1);
  }
#pragma unroll
  for (int j = 0; j < kRows; ++j) {
    const int y = tile.y * Tables::kTileHeight + static_cast<int>(threadIdx.y) + j * kThreadsY;
    if (y >= rows) return;
    const Tap row = taps[level.y_taps + y];
    const std::uint8_t* upper = source.data + row.index * source.row_stride;
    const std::uint8_t* lower = upper + (row.weight == 0 ? 0 : source.row_stride);
    const unsigned below = row.weight, above = 256 - below;
    unsigned packed = 0;
#pragma unroll
    for (int i = 0; i < kPixels; ++i) {
      const unsigned left_sum = upper[column[i].index] * above + lower[column[i].index] * below;
      const unsigned right_sum = upper[right[i]] * above + lower[right[i]] * below;
      const unsigned weight = column[i].weight;
      const unsigned value = (left_sum * (256 - weight) + right_sum * weight + 32768U) >> 16;
      packed |= value << (8 * i);
    }
    // The row's end may lie within these four: rows are padded to kLevelAlign, so that is ours.
    std::uint8_t* at = out + level.offset + static_cast<std::size_t>(y) * level.row_stride + x;
    *reinterpret_cast<unsigned*>(at) = packed;
  }
}

}  // namespace

PyramidTables::PyramidTables(std::unique_ptr<Device> device) : device_{std::move(device)} {}
PyramidTables::PyramidTables(PyramidTables&&) noexcept = default;
PyramidTables& PyramidTables::operator=(PyramidTables&&) noexcept = default;
PyramidTables::~PyramidTables() = default;

std::size_t PyramidTables::device_bytes() const noexcept {
  return device_->levels.size() * sizeof(DeviceLevel) + device_->taps.size() * sizeof(Tap) +
         device_->tiles.size() * sizeof(PyramidTile);
}

Result<PyramidTables> PyramidTables::create(const Context& context, const PyramidPlan& plan) {
  if (plan.samples > 0xFFFFFFFFU || plan.levels.size() > 0xFFFFU)
    return Error{Errc::unsupported, 0, "pyramid", "more than 4 GiB of levels"};
  auto device = std::make_unique<Device>();
  device->width = plan.width;
  device->height = plan.height;
  std::vector<DeviceLevel> levels;
  std::vector<PyramidTile> tiles;
  for (std::size_t i = 0; i < plan.levels.size(); ++i) {
    const Level& l = plan.levels[i];
    levels.push_back({static_cast<std::uint32_t>(l.offset), l.row_stride, l.width, l.height,
                      l.x_taps, l.y_taps, l.octave});
    for (int y = 0; y * Device::kTileHeight < l.height + 2; ++y)
      for (int x = 0; x * Device::kTileWidth < l.width + 2; ++x)
        tiles.push_back({static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(x),
                         static_cast<std::uint16_t>(y), 0});
  }
  device->tile_count = static_cast<int>(tiles.size());
  for (const Octave& o : plan.octaves) {
    device->octaves[device->octave_count++] = {static_cast<std::uint32_t>(o.offset),
                                               o.row_stride,
                                               o.width,
                                               o.height,
                                               o.shift,
                                               device->octave_rows};
    device->octave_rows += o.height;
  }
  for (const Status& done :
       {upload(context, levels, device->levels), upload(context, plan.taps, device->taps),
        upload(context, tiles, device->tiles)})
    if (!done) return done.error();
  return PyramidTables{std::move(device)};
}

Status pyramid(StreamRef stream, const PyramidTables& tables,
               const ImageView<Space::device, const std::uint8_t>& in, std::uint8_t* out) {
  const Tables& t = tables.device();
  if (in.data == nullptr || out == nullptr || in.width != t.width || in.height != t.height ||
      in.row_stride < in.width)
    return Error{Errc::invalid_argument, 0, "pyramid", "the picture is not of the plan's size"};
  if (t.tile_count == 0) return Done{};
  Octaves octaves{{}, t.octave_count};
  for (int i = 0; i < t.octave_count; ++i) octaves.of[i] = t.octaves[i];
  if (t.octave_rows > 0) {
    octave_kernel<<<static_cast<unsigned>(t.octave_rows), 128, 0, stream.get()>>>(in, octaves, out);
    if (Status ok = cuda_status(cudaGetLastError(), "octaves launch"); !ok) return ok;
  }
  pyramid_kernel<<<static_cast<unsigned>(t.tile_count), dim3{kThreadsX, kThreadsY}, 0,
                   stream.get()>>>(in, octaves, t.levels.device_data(), t.taps.device_data(),
                                   t.tiles.device_data(), out);
  return cuda_status(cudaGetLastError(), "pyramid launch");
}

}  // namespace kerb
