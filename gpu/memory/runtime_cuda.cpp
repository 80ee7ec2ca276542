// SPDX-License-Identifier: Apache-2.0
// runtime.hpp on the CUDA runtime.
#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>

#include "gpu/memory/cuda_status.hpp"
#include "gpu/memory/pages.hpp"
#include "gpu/memory/probe.hpp"
#include "gpu/memory/runtime.hpp"

namespace kerb::runtime {
namespace {

constexpr int kDevice = 0;  // the first one; CUDA_VISIBLE_DEVICES puts another first

Status read_traits(DeviceTraits& traits) {
  const struct {
    cudaDeviceAttr attribute;
    bool* value;
  } rows[] = {
      {cudaDevAttrIntegrated, &traits.integrated},
      {cudaDevAttrCanMapHostMemory, &traits.can_map_host_memory},
      {cudaDevAttrManagedMemory, &traits.managed_memory},
      {cudaDevAttrConcurrentManagedAccess, &traits.concurrent_managed_access},
      {cudaDevAttrPageableMemoryAccess, &traits.pageable_memory_access},
      {cudaDevAttrPageableMemoryAccessUsesHostPageTables, &traits.pageable_uses_host_page_tables},
      {cudaDevAttrHostRegisterSupported, &traits.host_register_supported},
      {cudaDevAttrCanUseHostPointerForRegisteredMem, &traits.can_use_host_pointer_for_registered},
  };
  for (const auto& row : rows) {
    int value = 0;
    if (const cudaError_t e = cudaDeviceGetAttribute(&value, row.attribute, kDevice))
      return cuda_error(e, "read the GPU's attributes");
    *row.value = value != 0;
  }
  traits.present = true;
  return Done{};
}

Status prove_it_works() {
  void* out = nullptr;
  if (const cudaError_t e = cudaMalloc(&out, sizeof(unsigned)))
    return cuda_error(e, "open the GPU");
  Status launched = probe_launch(static_cast<unsigned*>(out));
  unsigned answer = 0;
  const cudaError_t copied = cudaMemcpy(&answer, out, sizeof answer, cudaMemcpyDeviceToHost);
  (void)cudaFree(out);
  if (!launched) return launched;
  if (copied != cudaSuccess) return cuda_error(copied, "run a kernel");
  if (answer != kProbeAnswer)
    return Error{Errc::device, 0, "run a kernel", "the GPU gave a wrong answer"};
  return Done{};
}

Result<Block> take_device(std::size_t bytes) {
  Block block;
  block.placement = Placement::device;
  block.bytes = round_to_pages(bytes);
  if (const cudaError_t e = cudaMalloc(&block.base, block.bytes))
    return cuda_error(e, "allocate device memory");
  block.device = block.base;
  return block;
}

Result<Block> take_managed(std::size_t bytes) {
  Block block;
  block.placement = Placement::managed;
  block.bytes = round_to_pages(bytes);
  if (const cudaError_t e = cudaMallocManaged(&block.base, block.bytes))
    return cuda_error(e, "allocate managed memory");
  block.host = block.device = block.base;
  std::memset(block.host, 0, block.bytes);
  return block;
}

Result<Block> take_registered(std::size_t bytes) {
  Result<Block> pages = take_pages(bytes);
  if (!pages) return pages;
  Block& block = *pages;
  block.placement = Placement::pinned_mapped;
  block.registered = true;
  const unsigned flags = cudaHostRegisterMapped | cudaHostRegisterPortable;
  if (const cudaError_t e = cudaHostRegister(block.host, block.bytes, flags)) {
    free_pages(block);
    return cuda_error(e, "pin memory");
  }
  if (const cudaError_t e = cudaHostGetDevicePointer(&block.device, block.host, 0)) {
    give_back(block);
    return cuda_error(e, "map pinned memory");
  }
  return block;
}

Result<Block> take_pinned(std::size_t bytes) {
  Block block;
  block.placement = Placement::pinned_mapped;
  block.bytes = round_to_pages(bytes);
  // One page more than requested: the driver guarantees no alignment, cameras need it.
  const unsigned flags = cudaHostAllocMapped | cudaHostAllocPortable;
  if (const cudaError_t e = cudaHostAlloc(&block.base, block.bytes + kPage, flags))
    return cuda_error(e, "allocate pinned memory");
  void* device_base = nullptr;
  if (const cudaError_t e = cudaHostGetDevicePointer(&device_base, block.base, 0)) {
    give_back(block);
    return cuda_error(e, "map pinned memory");
  }
  const std::size_t skip = (kPage - reinterpret_cast<std::uintptr_t>(block.base) % kPage) % kPage;
  block.host = static_cast<std::uint8_t*>(block.base) + skip;
  block.device = static_cast<std::uint8_t*>(device_base) + skip;
  std::memset(block.host, 0, block.bytes);
  return block;
}

}  // namespace

Result<DeviceInfo> open_device() {
  int count = 0;
  const cudaError_t counted = cudaGetDeviceCount(&count);
  if (counted != cudaSuccess || count == 0) {
    (void)cudaGetLastError();
    return Error{Errc::not_found, 0, "find a GPU",
                 counted == cudaSuccess ? "there is none" : cudaGetErrorString(counted)};
  }
  if (const cudaError_t e = cudaSetDevice(kDevice)) return cuda_error(e, "open the GPU");
  DeviceInfo info;
  if (Status read = read_traits(info.traits); !read) return read.error();
  cudaDeviceProp properties{};
  if (const cudaError_t e = cudaGetDeviceProperties(&properties, kDevice))
    return cuda_error(e, "read the GPU's properties");
  info.name = properties.name;
  info.major = properties.major;
  info.minor = properties.minor;
  info.multiprocessors = properties.multiProcessorCount;
  (void)cudaDriverGetVersion(&info.driver_version);
  (void)cudaRuntimeGetVersion(&info.runtime_version);
  if (Status works = prove_it_works(); !works) return works.error();
  return info;
}

Result<Block> take(const MemoryPlan& plan, std::size_t bytes) {
  if (round_to_pages(bytes) == 0)
    return Error{Errc::invalid_argument, 0, "allocate memory", "0 bytes, or too many"};
  switch (plan.placement) {
    case Placement::device:
      return take_device(bytes);
    case Placement::managed:
      return take_managed(bytes);
    case Placement::pinned_mapped:
      return plan.registered ? take_registered(bytes) : take_pinned(bytes);
    case Placement::pageable:
      break;
  }
  return take_pages(bytes);
}

void give_back(const Block& block) noexcept {
  // A failure here is ignored: no one could act on it, and at the end of the program the driver may
  // be unloaded already.
  switch (block.placement) {
    case Placement::device:
    case Placement::managed:
      (void)cudaFree(block.base);
      break;
    case Placement::pinned_mapped:
      if (block.registered) {
        (void)cudaHostUnregister(block.host);
        free_pages(block);
      } else {
        (void)cudaFreeHost(block.base);
      }
      break;
    case Placement::pageable:
      free_pages(block);
      break;
  }
}

Result<CUstream_st*> make_stream() {
  cudaStream_t stream = nullptr;
  if (const cudaError_t e = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking))
    return cuda_error(e, "make a stream");
  return stream;
}

void destroy_stream(CUstream_st* stream) noexcept { (void)cudaStreamDestroy(stream); }

Status wait(CUstream_st* stream) {
  return cuda_status(cudaStreamSynchronize(stream), "wait for the GPU");
}

Status copy_rows(CUstream_st* stream, Direction direction, void* to, std::size_t to_stride,
                 const void* from, std::size_t from_stride, std::size_t row_bytes,
                 std::size_t rows) {
  const bool up = direction == Direction::to_device;
  const cudaMemcpyKind kind = up ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
  const char* where = up ? "copy to the GPU" : "copy from the GPU";
  if (row_bytes == 0 || rows == 0) return Done{};
  if (rows == 1 || (row_bytes == to_stride && row_bytes == from_stride))  // one piece goes faster
    return cuda_status(cudaMemcpyAsync(to, from, row_bytes * rows, kind, stream), where);
  return cuda_status(
      cudaMemcpy2DAsync(to, to_stride, from, from_stride, row_bytes, rows, kind, stream), where);
}

Status fill(CUstream_st* stream, void* device, int value, std::size_t bytes) {
  return cuda_status(cudaMemsetAsync(device, value, bytes, stream), "fill GPU memory");
}

}  // namespace kerb::runtime
