// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#include "gpu/memory/policy.hpp"
#include "gpu/memory/stream.hpp"
#include "hal/base/result.hpp"

/// The seam between this folder and CUDA: runtime_cuda.cpp implements it, runtime_none.cpp stands
/// in where there is no CUDA and answers `unsupported`. For gpu/memory alone; others use the
/// owners.
namespace kerb::runtime {

struct DeviceInfo {
  DeviceTraits traits;
  Text<64> name;
  int major = 0, minor = 0;  ///< compute capability
  int multiprocessors = 0;
  int driver_version = 0, runtime_version = 0;  ///< as CUDA counts: 13000 is 13.0
};

/// Opens the first device and proves that it runs our kernels. Fails: unsupported (built without
/// CUDA), not_found (no device or no driver), device (it is there, and does not work).
Result<DeviceInfo> open_device();

/// One piece of memory and how it was had, so that it can be given back the same way.
struct Block {
  void* base = nullptr;    ///< what the allocator gave
  void* host = nullptr;    ///< where the CPU sees it, aligned to a page; nullptr in device memory
  void* device = nullptr;  ///< where kernels see it; nullptr when they cannot
  std::size_t bytes = 0;
  Placement placement = Placement::pageable;
  bool registered = false;
};
/// `bytes` (not zero) rounded up to whole pages; host memory is zeroed. Fails: invalid_argument,
/// io, device, unsupported.
Result<Block> take(const MemoryPlan& plan, std::size_t bytes);
void give_back(const Block& block) noexcept;

Result<CUstream_st*> make_stream();
void destroy_stream(CUstream_st* stream) noexcept;
Status wait(CUstream_st* stream);

enum class Direction { to_device, to_host };
/// Queues a copy of `rows` rows of `row_bytes`; strides in bytes.
Status copy_rows(CUstream_st* stream, Direction direction, void* to, std::size_t to_stride,
                 const void* from, std::size_t from_stride, std::size_t row_bytes,
                 std::size_t rows);
/// Queues filling with one byte value.
Status fill(CUstream_st* stream, void* device, int value, std::size_t bytes);

}  // namespace kerb::runtime
