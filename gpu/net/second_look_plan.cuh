// SPDX-License-Identifier: Apache-2.0
#pragma once
// For second_look_cuda.cu alone: the ways to launch the kernel, and what each costs.
#include <algorithm>
#include <vector>

#include "gpu/memory/cuda_status.hpp"
#include "gpu/memory/upload.hpp"
#include "gpu/net/crop.hpp"
#include "gpu/net/second_look_check.hpp"
#include "gpu/net/second_look_kernel.cuh"

namespace kerb::net {
namespace {

/// A way to run the network: how many blocks share a crop, and the tables for that.
class Plan {
 public:
  /// Fails: unsupported (the layers do not fit the shared memory; the GPU has no clusters of this
  /// size), device.
  Status create(const Context& context, const Network& network, int blocks, bool compact);

  /// How long a look takes, in lengths of one block's work on a crop. A part of that work, such as
  /// barriers, is not divided.
  [[nodiscard]] float cost_of(int count) const noexcept {
    constexpr float kNotDivided = 0.1F;
    const int rounds = (count + crops_at_once_ - 1) / crops_at_once_;
    return static_cast<float>(rounds) * (1 / static_cast<float>(blocks_) + kNotDivided);
  }
  [[nodiscard]] std::size_t device_bytes() const noexcept { return bytes_; }
  /// Queues the network's run on the candidates' crops. kResults numbers of each.
  Status launch(StreamRef stream, const Picture& picture, const Detection* candidates, int count,
                float* results);

 private:
  Status fit(const Network& network, bool compact, NetworkTiles& tiles, Room& room);
  Status count_crops_at_once();
  template <typename T>
  Status put(const Context& context, DeviceBuffer<T>& buffer, const std::vector<T>& from) {
    bytes_ += from.size() * sizeof(T);
    return upload(context, from, buffer);
  }
  /// For `count` crops. The attribute must outlive the result.
  cudaLaunchConfig_t config(int count, cudaStream_t stream, cudaLaunchAttribute& cluster) const {
    cudaLaunchConfig_t out{};
    out.gridDim = dim3{static_cast<unsigned>(count * blocks_)};
    out.blockDim = dim3{kThreads};
    out.dynamicSmemBytes = shared_bytes_;
    out.stream = stream;
    if (blocks_ == 1) return out;
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = static_cast<unsigned>(blocks_);
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    out.attrs = &cluster;
    out.numAttrs = 1;
    return out;
  }

  int blocks_ = 1, crops_at_once_ = 1;
  void (*kernel_)(Job) = nullptr;
  std::size_t bytes_ = 0, shared_bytes_ = 0;
  DeviceBuffer<LayerTiles> layers_;
  DeviceBuffer<TwoOffsets> offsets_;
  DeviceBuffer<TwoQuads> weights_;
  DeviceBuffer<std::int32_t> bias_;
  DeviceBuffer<float> factor_;
  Job job_{};
};

Status attribute_of_device(cudaDeviceAttr which, int& value) {
  int device = 0;
  if (Status ok = cuda_status(cudaGetDevice(&device), kMakeSecondLook); !ok) return ok;
  return cuda_status(cudaDeviceGetAttribute(&value, which, device), kMakeSecondLook);
}

/// The fastest layout that fits, or for a test the smallest.
Status Plan::fit(const Network& network, bool compact, NetworkTiles& tiles, Room& room) {
  int limit = 0;
  if (Status ok = attribute_of_device(cudaDevAttrMaxSharedMemoryPerBlockOptin, limit); !ok)
    return ok;
  const LayoutChoice choices[] = {{blocks_, true, 3}, {blocks_, true, 2}, {blocks_, false, 2}};
  for (const LayoutChoice& choice : choices) {
    if (compact && choice.spread) continue;
    tiles = lay_out(network, choice);
    room = room_of(tiles, network.crop);
    if (room.bytes > static_cast<std::size_t>(limit)) continue;
    shared_bytes_ = room.bytes;
    // What the device has, not what this network needs: there may be several.
    return cuda_status(
        cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize, limit),
        kMakeSecondLook);
  }
  return Error{Errc::unsupported, 0, kMakeSecondLook,
               "layers that do not fit the GPU's shared memory"};
}

Status Plan::count_crops_at_once() {
  if (blocks_ == 1) {
    int multiprocessors = 0, blocks = 0;
    if (Status ok = attribute_of_device(cudaDevAttrMultiProcessorCount, multiprocessors); !ok)
      return ok;
    if (Status ok = cuda_status(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                                    &blocks, kernel_, kThreads, shared_bytes_),
                                kMakeSecondLook);
        !ok)
      return ok;
    crops_at_once_ = std::max(1, multiprocessors * blocks);
    return Done{};
  }
  cudaLaunchAttribute cluster{};
  const cudaLaunchConfig_t one = config(1, nullptr, cluster);
  const cudaError_t asked = cudaOccupancyMaxActiveClusters(&crops_at_once_, kernel_, &one);
  if (asked == cudaSuccess && crops_at_once_ > 0) return Done{};
  (void)cudaGetLastError();
  return Error{Errc::unsupported, static_cast<int>(asked), kMakeSecondLook,
               "a GPU that does not run clusters of this size"};
}

Status Plan::create(const Context& context, const Network& network, int blocks, bool compact) {
  blocks_ = blocks;
  kernel_ = blocks == 1 ? second_look_kernel<Alone> : second_look_kernel<Cluster>;
  int has_clusters = 0;
  if (Status ok = attribute_of_device(cudaDevAttrClusterLaunch, has_clusters); !ok) return ok;
  cudaFuncAttributes code{};
  if (Status ok = cuda_status(cudaFuncGetAttributes(&code, kernel_), kMakeSecondLook); !ok)
    return ok;
  // Code for an older GPU, compiled anew for this one, has no clusters either.
  if (blocks > 1 && (has_clusters == 0 || code.ptxVersion < 90))
    return Error{Errc::unsupported, 0, kMakeSecondLook, "a GPU without clusters of blocks"};
  NetworkTiles tiles;
  Room room{};
  if (Status ok = fit(network, compact, tiles, room); !ok) return ok;
  if (Status ok = count_crops_at_once(); !ok) return ok;
  for (const Status& done :
       {put(context, layers_, tiles.layers), put(context, offsets_, tiles.offsets),
        put(context, weights_, tiles.weights), put(context, bias_, tiles.bias),
        put(context, factor_, tiles.factor)})
    if (!done) return done;

  job_.shape = network.crop;
  job_.layers = layers_.device_data();
  job_.offsets = offsets_.device_data();
  job_.weights = weights_.device_data();
  job_.bias = bias_.device_data();
  job_.factor = factor_.device_data();
  job_.layer_count = static_cast<std::int32_t>(tiles.layers.size());
  job_.crop_first = tiles.crop_first;
  job_.crop_row = tiles.crop_row;
  job_.crop_bytes = tiles.crop_bytes;
  job_.regions = tiles.regions;
  for (int i = 0; i < kMaxRegions; ++i)
    job_.region_at[i] = static_cast<std::int32_t>(room.region_at[i]);
  job_.columns_at = static_cast<std::int32_t>(room.columns_at);
  job_.layers_at = static_cast<std::int32_t>(room.layers_at);
  job_.levels_at = static_cast<std::int32_t>(room.levels_at);
  job_.sums_at = static_cast<std::int32_t>(room.sums_at);
  return Done{};
}

Status Plan::launch(StreamRef stream, const Picture& picture, const Detection* candidates,
                    int count, float* results) {
  job_.picture = picture;
  job_.results = results;
  for (int i = 0; i < count; ++i) job_.places[i] = place_crop(job_.shape, candidates[i]);
  cudaLaunchAttribute cluster{};
  const cudaLaunchConfig_t launched = config(count, stream.get(), cluster);
  return cuda_status(cudaLaunchKernelEx(&launched, kernel_, job_), "second look launch");
}

}  // namespace
}  // namespace kerb::net
