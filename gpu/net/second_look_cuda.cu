// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include "gpu/memory/cuda_status.hpp"
#include "gpu/memory/no_memory.hpp"
#include "gpu/memory/upload.hpp"
#include "gpu/net/crop.hpp"
#include "gpu/net/crop_math.hpp"
#include "gpu/net/second_look.hpp"
#include "gpu/net/second_look_check.hpp"
#include "gpu/net/second_look_layout.hpp"

namespace kerb::net {
namespace {

using namespace tiles;
using Byte = std::uint8_t;
using Word = std::uint32_t;
using Picture = PlanesView<Space::device, const Byte>;

constexpr int kThreads = kWarps * kLanes;
constexpr Word kAll = 0xffffffffu;
/// Sums of the picture's rows that a warp keeps at a time, of each plane. One pixel of a crop needs
/// 242 columns at most.
constexpr int kSpan = 256;
constexpr int kMaxPlanes = 3;

/// All that a launch needs, passed as its argument: the places travel with it.
struct Job {
  Picture picture;
  CropShape shape;
  const LayerTiles* layers;
  const std::int32_t* offsets;
  const TwoQuads* weights;
  const std::int32_t* bias;
  const float* factor;
  float* results;
  std::int32_t layer_count;
  std::int32_t crop_first, crop_row, crop_pixel, crop_bytes;
  std::int32_t odd_at, columns_at, layers_at, levels_at, sums_at;  // in shared memory, bytes
  CropPlace places[SecondLook::kMaxCandidates];
};
static_assert(sizeof(Job) <= 4096, "what every device takes as arguments");

/// Shared memory of a block, in this order: values before even layers; values before odd ones, and
/// while the crop is cut the sums of rows; the crop's columns; the layers; the table of levels;
/// sums.
struct Room {
  std::size_t odd_at, columns_at, layers_at, levels_at, sums_at, bytes;
};

Room room_of(const NetworkTiles& tiles, const CropShape& shape) {
  constexpr std::size_t kSums = sizeof(Word) * kWarps * kMaxPlanes * kSpan;
  Room room{};
  room.odd_at = tiles.even_bytes;
  room.columns_at = room.odd_at + std::max(tiles.odd_bytes, kSums);
  room.layers_at =
      room.columns_at + sizeof(Word) * static_cast<std::size_t>(shape.width * kMaxTaps);
  room.levels_at = room.layers_at + sizeof(LayerTiles) * tiles.layers.size();
  room.sums_at = room.levels_at + 256;
  room.bytes = room.sums_at + sizeof(Word) * 2 * kWarps;
  return room;
}

__device__ int clamped(std::int64_t at, int count) {
  return at < 0 ? 0 : at >= count ? count - 1 : static_cast<int>(at);
}

__device__ void clear(Byte* bytes, int count) {  // a multiple of 16
  auto* to = reinterpret_cast<uint4*>(bytes);
  for (int i = static_cast<int>(threadIdx.x); i < count / 16; i += kThreads)
    to[i] = make_uint4(0, 0, 0, 0);
}

/// The layers where all threads can read them at once.
__device__ void copy_layers(const Job& job, LayerTiles* to) {
  static_assert(sizeof(LayerTiles) % sizeof(Word) == 0);
  const int words = job.layer_count * static_cast<int>(sizeof(LayerTiles) / sizeof(Word));
  for (int i = static_cast<int>(threadIdx.x); i < words; i += kThreads)
    reinterpret_cast<Word*>(to)[i] = reinterpret_cast<const Word*>(job.layers)[i];
}

/// Of each sample in a row of the crop: its column from the first sample's on, and the next
/// column's weight.
__device__ void fill_columns(const CropPlace& place, int width, Word* columns) {
  const std::int64_t first = math::whole(math::sample_at(place.left, place, 0));
  for (int i = static_cast<int>(threadIdx.x); i < width * place.taps; i += kThreads) {
    const std::int64_t at = math::sample_at(place.left, place, i);
    columns[i] = static_cast<Word>(math::whole(at) - first) << 8 | math::part(at);
  }
}

/// A warp's row of the crop: columns of the picture are summed up over their rows, and these sums
/// over their columns. `out` is the row's first pixel.
__device__ void cut_row(const Job& job, const CropPlace& place, int y, const Word* columns,
                        Word* sums, Byte* out) {
  const Picture& picture = job.picture;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int planes = job.shape.planes, width = job.shape.width, taps = place.taps;
  // Of sample `lane`: two rows, and the second one's weight.
  int upper = 0, lower = 0, weight = 0;
  if (lane < taps) {
    const std::int64_t at = math::sample_at(place.top, place, y * taps + lane);
    upper = clamped(math::whole(at), picture.height);
    lower = clamped(math::whole(at) + 1, picture.height);
    weight = static_cast<int>(math::part(at));
  }
  const std::int64_t first = math::whole(math::sample_at(place.left, place, 0));
  const math::Divisor by = math::divisor_of(taps);
  const int most = ((kSpan - 3) << 16) / place.step;
  const int turn = most < 1 ? 1 : most;
  for (int begin = 0; begin < width; begin += turn) {
    const int end = begin + turn < width ? begin + turn : width;
    const int left = static_cast<int>(columns[begin * taps] >> 8);
    const int span = static_cast<int>(columns[end * taps - 1] >> 8) + 2 - left;
    for (int base = 0; base < span; base += kLanes) {  // the same for all lanes, which exchange
      const int x = base + lane;
      const Byte* from = picture.data + clamped(first + left + x, picture.width);
      Word sum[kMaxPlanes] = {0, 0, 0};
      for (int j = 0; j < taps; ++j) {
        const std::ptrdiff_t a = __shfl_sync(kAll, upper, j) * picture.row_stride;
        const std::ptrdiff_t b = __shfl_sync(kAll, lower, j) * picture.row_stride;
        const Word w = static_cast<Word>(__shfl_sync(kAll, weight, j));
#pragma unroll
        for (int p = 0; p < kMaxPlanes; ++p) {
          if (p >= planes) continue;
          const Byte* plane = from + p * picture.plane_stride;
          sum[p] += (256 - w) * plane[a] + w * plane[b];
        }
      }
#pragma unroll
      for (int p = 0; p < kMaxPlanes; ++p)
        if (p < planes && x < span) sums[p * kSpan + x] = sum[p];
    }
    __syncwarp();
    for (int i = begin + lane; i < end; i += kLanes) {
      Word sum[kMaxPlanes] = {0, 0, 0};
      for (int j = 0; j < taps; ++j) {
        const Word column = columns[i * taps + j], w = column & 255;
        const Word* at = sums + (static_cast<int>(column >> 8) - left);
#pragma unroll
        for (int p = 0; p < kMaxPlanes; ++p)
          if (p < planes) sum[p] += (256 - w) * at[p * kSpan] + w * at[p * kSpan + 1];
      }
#pragma unroll
      for (int p = 0; p < kMaxPlanes; ++p)
        if (p < planes) out[i * job.crop_pixel + p] = math::pixel_of(sum[p], by);
    }
    __syncwarp();  // the sums may be replaced
  }
}

__device__ Word warp_sum(Word value) {
  for (int step = kLanes / 2; step > 0; step /= 2) value += __shfl_xor_sync(kAll, value, step);
  return value;
}

/// Brings the crop's samples to their levels, in place.
__device__ void normalise(const Job& job, Byte* crop, Byte* levels, Word* sums) {
  const int width = job.shape.width, planes = job.shape.planes;
  const int pixels = width * job.shape.height, thread = static_cast<int>(threadIdx.x);
  Word sum = 0, squares = 0;  // of up to 2^16 / kThreads pixels; a warp's squares fit 32 bits too
  static_assert(kMaxCropSide * kMaxCropSide / kWarps * (3 * 255LL) * (3 * 255LL) < (1LL << 32));
  for (int i = thread; i < pixels; i += kThreads) {
    const Byte* pixel = crop + i / width * job.crop_row + i % width * job.crop_pixel;
    Word grey = pixel[0];
    if (planes == 3) grey += Word{pixel[1]} + pixel[2];
    sum += grey;
    squares += grey * grey;
  }
  sum = warp_sum(sum);
  squares = warp_sum(squares);
  if (thread % kLanes == 0) {
    sums[thread / kLanes] = sum;
    sums[kWarps + thread / kLanes] = squares;
  }
  __syncthreads();
  if (thread < 256) {
    std::int64_t all = 0, all_squares = 0;
    for (int i = 0; i < kWarps; ++i) {
      all += sums[i];
      all_squares += sums[kWarps + i];
    }
    levels[thread] =
        math::level_of(thread, planes, math::contrast_of(all, all_squares, pixels, planes));
  }
  __syncthreads();
  for (int i = thread; i < pixels; i += kThreads) {
    Byte* pixel = crop + i / width * job.crop_row + i % width * job.crop_pixel;
    for (int p = 0; p < planes; ++p) pixel[p] = levels[pixel[p]];
  }
}

/// sums += values * weights, of 16 pixels, 8 outputs and 32 values. A lane has of pixels lane / 4
/// and that + 8 the quads lane % 4 and that + 4: values 0 and 2 of the former, 1 and 3 of the
/// latter; of output lane / 4 the weights of these quads; and of both pixels the sums of outputs
/// 2 (lane % 4) and the next.
__device__ void multiply_add(int (&sums)[4], const Word (&values)[4], const TwoQuads& weights) {
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
      : "r"(values[0]), "r"(values[1]), "r"(values[2]), "r"(values[3]), "r"(weights.low),
        "r"(weights.high));
}

__device__ TwoQuads load(const TwoQuads* from) {
  const uint2 both = __ldg(reinterpret_cast<const uint2*>(from));
  return {both.x, both.y};
}

/// A warp's tile: 16 pixels and kGroup times 8 outputs.
template <int kGroup>
__device__ void convolve_tile(const Job& job, const LayerTiles& layer, int pixel_tile, int group,
                              bool is_last, const Byte* in, Byte* out) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes, row = lane / 4, column = lane % 4;
  const Byte* from[2];
  for (int i = 0; i < 2; ++i) {
    const int asked = pixel_tile * kPixels + row + 8 * i;
    const int pixel = asked < layer.pixels ? asked : layer.pixels - 1;  // any will do
    from[i] = in + pixel / layer.width * layer.step_y + pixel % layer.width * layer.step_x;
  }
  const int output = group * kGroup * kOutputs + 2 * column;  // and the next
  const std::int32_t* bias = job.bias + layer.outputs_at + output;
  const float* factor = job.factor + layer.outputs_at + output;
  int sums[kGroup][4];
#pragma unroll
  for (int t = 0; t < kGroup; ++t) {
    sums[t][0] = sums[t][2] = __ldg(bias + t * kOutputs);
    sums[t][1] = sums[t][3] = __ldg(bias + t * kOutputs + 1);
  }
  const std::int32_t* offsets = job.offsets + layer.offsets_at + column;
  const TwoQuads* weights =
      job.weights + layer.weights_at + group * kGroup * layer.steps * kLanes + lane;
#pragma unroll 4
  for (int step = 0; step < layer.steps; ++step) {
    const int low = __ldg(offsets + step * kQuads);
    const int high = __ldg(offsets + step * kQuads + kQuads / 2);
    const auto word = [](const Byte* at) { return *reinterpret_cast<const Word*>(at); };
    const Word values[4] = {word(from[0] + low), word(from[1] + low), word(from[0] + high),
                            word(from[1] + high)};
#pragma unroll
    for (int t = 0; t < kGroup; ++t)
      multiply_add(sums[t], values, load(weights + (t * layer.steps + step) * kLanes));
  }
#pragma unroll
  for (int t = 0; t < kGroup; ++t) {
    const int first = output + t * kOutputs;
    if (first >= layer.out_channels) continue;  // even, as these are
    const float factors[2] = {__ldg(factor + t * kOutputs), __ldg(factor + t * kOutputs + 1)};
    for (int i = 0; i < 2; ++i) {
      const int pixel = pixel_tile * kPixels + row + 8 * i;
      if (pixel >= layer.pixels) continue;
      const int a = sums[t][2 * i], b = sums[t][2 * i + 1];
      if (is_last) {
        float* result = job.results + static_cast<int>(blockIdx.x) * kResults + first;
        result[0] = math::product_of(a, factors[0]);
        result[1] = math::product_of(b, factors[1]);
        continue;
      }
      Byte* to = out + layer.out_first + pixel / layer.width * layer.out_row +
                 pixel % layer.width * layer.out_pixel + first;
      const int both = math::value_of(a, factors[0]) | math::value_of(b, factors[1]) << 8;
      *reinterpret_cast<std::uint16_t*>(to) = static_cast<std::uint16_t>(both);
    }
  }
}

__device__ void convolve(const Job& job, const LayerTiles& layer, bool is_last, const Byte* in,
                         Byte* out) {
  const int tasks = layer.pixel_tiles * layer.output_groups;
  // Warps next to each other use the same weights.
  for (int task = static_cast<int>(threadIdx.x) / kLanes; task < tasks; task += kWarps) {
    const int pixels = task % layer.pixel_tiles, group = task / layer.pixel_tiles;
    if (layer.group == 4)
      convolve_tile<4>(job, layer, pixels, group, is_last, in, out);
    else if (layer.group == 2)
      convolve_tile<2>(job, layer, pixels, group, is_last, in, out);
    else
      convolve_tile<1>(job, layer, pixels, group, is_last, in, out);
  }
}

/// A block for each crop: cuts it and runs the network.
__global__ void __launch_bounds__(kThreads, 1) second_look_kernel(const __grid_constant__ Job job) {
  extern __shared__ uint4 room[];
  auto* const even = reinterpret_cast<Byte*>(room);
  Byte* const odd = even + job.odd_at;
  auto* const columns = reinterpret_cast<Word*>(even + job.columns_at);
  auto* const layers = reinterpret_cast<LayerTiles*>(even + job.layers_at);
  const CropPlace place = job.places[blockIdx.x];
  const int warp = static_cast<int>(threadIdx.x) / kLanes;

  clear(even, job.crop_bytes);
  fill_columns(place, job.shape.width, columns);
  copy_layers(job, layers);
  __syncthreads();
  Byte* const crop = even + job.crop_first;
  Word* const row_sums = reinterpret_cast<Word*>(odd) + warp * kMaxPlanes * kSpan;
  for (int y = warp; y < job.shape.height; y += kWarps)
    cut_row(job, place, y, columns, row_sums, crop + y * job.crop_row);
  __syncthreads();
  normalise(job, crop, even + job.levels_at, reinterpret_cast<Word*>(even + job.sums_at));

  for (int i = 0; i < job.layer_count; ++i) {
    const LayerTiles layer = layers[i];
    const bool is_last = i + 1 == job.layer_count;
    const Byte* in = i % 2 == 0 ? even : odd;
    Byte* out = i % 2 == 0 ? odd : even;
    __syncthreads();  // the values before it are complete, and those before these were read
    clear(out, layer.out_bytes);
    __syncthreads();
    convolve(job, layer, is_last, in, out);
  }
}

class SecondLookCuda final : public SecondLook {
 public:
  SecondLookCuda(const Context& context, Network network, int width, int height)
      : context_{context}, network_{std::move(network)}, width_{width}, height_{height} {}

  Status create();

  Status look(const PlanesView<Space::host, const Byte>& picture, Detection* candidates,
              int count) override {
    if (Status ok = check_look(picture, network_.crop.planes, width_, height_, candidates, count);
        !ok)
      return ok;
    if (count == 0) return Done{};
    const auto width = static_cast<std::size_t>(width_), height = static_cast<std::size_t>(height_);
    const std::size_t pixels = width * height;
    for (int p = 0; p < picture.count; ++p)
      if (Status copied = runtime::copy_rows(
              stream().get(), runtime::Direction::to_device,
              input_.device_data() + static_cast<std::size_t>(p) * pixels, width,
              picture.plane(p).data, static_cast<std::size_t>(picture.row_stride), width, height);
          !copied)
        return copied;
    return run({input_.device_data(), picture.count, width_, height_, width_,
                static_cast<std::ptrdiff_t>(pixels)},
               candidates, count);
  }

  Status look(const Picture& picture, Detection* candidates, int count) override {
    if (Status ok = check_look(picture, network_.crop.planes, width_, height_, candidates, count);
        !ok)
      return ok;
    if (count == 0) return Done{};
    return run(picture, candidates, count);
  }

  [[nodiscard]] const Network& network() const noexcept override { return network_; }
  [[nodiscard]] Backend backend() const noexcept override { return Backend::cuda; }
  [[nodiscard]] std::size_t device_bytes() const noexcept override { return bytes_; }

 private:
  template <typename T>
  Status put(DeviceBuffer<T>& buffer, const std::vector<T>& from) {
    bytes_ += from.size() * sizeof(T);
    return upload(context_, from, buffer);
  }
  [[nodiscard]] StreamRef stream() const noexcept { return *stream_; }
  Status run(const Picture& picture, Detection* candidates, int count);

  const Context& context_;
  Network network_;
  int width_, height_;
  std::optional<Stream> stream_;
  std::size_t bytes_ = 0, shared_bytes_ = 0;
  DeviceBuffer<Byte> input_;
  DeviceBuffer<LayerTiles> layers_;
  DeviceBuffer<std::int32_t> offsets_, bias_;
  DeviceBuffer<TwoQuads> weights_;
  DeviceBuffer<float> factor_;
  DualBuffer<float> results_;
  Job job_{};
};

Status SecondLookCuda::create() {
  int device = 0, limit = 0;
  if (Status ok = cuda_status(cudaGetDevice(&device), kMakeSecondLook); !ok) return ok;
  if (Status ok = cuda_status(
          cudaDeviceGetAttribute(&limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
          kMakeSecondLook);
      !ok)
    return ok;
  NetworkTiles tiles = lay_out(network_, true);
  Room room = room_of(tiles, network_.crop);
  if (room.bytes > static_cast<std::size_t>(limit)) {
    tiles = lay_out(network_, false);
    room = room_of(tiles, network_.crop);
  }
  if (room.bytes > static_cast<std::size_t>(limit))
    return Error{Errc::unsupported, 0, kMakeSecondLook,
                 "layers that do not fit the GPU's shared memory"};
  // What the device has, not what this network needs: there may be several.
  if (Status ok =
          cuda_status(cudaFuncSetAttribute(second_look_kernel,
                                           cudaFuncAttributeMaxDynamicSharedMemorySize, limit),
                      kMakeSecondLook);
      !ok)
    return ok;
  shared_bytes_ = room.bytes;

  Result<Stream> own = Stream::create();
  if (!own) return own.error();
  stream_.emplace(std::move(*own));
  const std::size_t samples = static_cast<std::size_t>(network_.crop.planes) *
                              static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
  Result<DeviceBuffer<Byte>> input = DeviceBuffer<Byte>::create(context_, samples);
  if (!input) return input.error();
  input_ = std::move(*input);
  constexpr auto kNumbers = static_cast<std::size_t>(kMaxCandidates * kResults);
  Result<DualBuffer<float>> results = DualBuffer<float>::create(context_, Use::result, kNumbers);
  if (!results) return results.error();
  results_ = std::move(*results);
  bytes_ = samples + kNumbers * sizeof(float);
  for (const Status& done :
       {put(layers_, tiles.layers), put(offsets_, tiles.offsets), put(weights_, tiles.weights),
        put(bias_, tiles.bias), put(factor_, tiles.factor)})
    if (!done) return done;

  job_.shape = network_.crop;
  job_.layers = layers_.device_data();
  job_.offsets = offsets_.device_data();
  job_.weights = weights_.device_data();
  job_.bias = bias_.device_data();
  job_.factor = factor_.device_data();
  job_.results = results_.device();
  job_.layer_count = static_cast<std::int32_t>(tiles.layers.size());
  job_.crop_first = tiles.crop_first;
  job_.crop_row = tiles.crop_row;
  job_.crop_pixel = tiles.crop_pixel;
  job_.crop_bytes = tiles.crop_bytes;
  job_.odd_at = static_cast<std::int32_t>(room.odd_at);
  job_.columns_at = static_cast<std::int32_t>(room.columns_at);
  job_.layers_at = static_cast<std::int32_t>(room.layers_at);
  job_.levels_at = static_cast<std::int32_t>(room.levels_at);
  job_.sums_at = static_cast<std::int32_t>(room.sums_at);
  return Done{};
}

Status SecondLookCuda::run(const Picture& picture, Detection* candidates, int count) {
  job_.picture = picture;
  for (int i = 0; i < count; ++i) job_.places[i] = place_crop(network_.crop, candidates[i]);
  second_look_kernel<<<static_cast<unsigned>(count), kThreads, shared_bytes_, stream().get()>>>(
      job_);
  if (Status ok = cuda_status(cudaGetLastError(), "second look launch"); !ok) return ok;
  if (Status ok = results_.to_host(stream()); !ok) return ok;
  if (Status ok = wait(stream()); !ok) return ok;
  for (int i = 0; i < count; ++i)
    candidates[i] = corrected(candidates[i], results_.host() + i * kResults);
  return Done{};
}

}  // namespace

Result<std::unique_ptr<SecondLook>> make_second_look_cuda(const Context& context, Network network,
                                                          int width, int height) {
  if (context.backend() != Backend::cuda)
    return Error{Errc::unsupported, 0, kMakeSecondLook, "the context's backend is the CPU"};
  if (Status ok = check_made(network, width, height); !ok) return ok.error();
  return or_no_memory(kMakeSecondLook, [&]() -> Result<std::unique_ptr<SecondLook>> {
    auto made = std::make_unique<SecondLookCuda>(context, std::move(network), width, height);
    if (Status ok = made->create(); !ok) return ok.error();
    return std::unique_ptr<SecondLook>{std::move(made)};
  });
}

}  // namespace kerb::net
