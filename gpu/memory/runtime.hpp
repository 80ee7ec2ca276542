// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#include "gpu/memory/policy.hpp"
#include "gpu/memory/stream.hpp"
#include "hal/base/result.hpp"

/// The interface between this folder and CUDA: runtime_cuda.cpp implements it; runtime_none.cpp
/// replaces it in builds without CUDA and fails with `unsupported`. For gpu/memory alone; other
/// folders use the owning classes.
namespace kerb::runtime {

struct DeviceInfo {
  DeviceTraits traits;
  Text<64> name;
  int major = 0, minor = 0;  ///< compute capability
  int multiprocessors = 0;
  int driver_version = 0, runtime_version = 0;  ///< as CUDA counts: 13000 is 13.0
};

/// Opens the first device and tests that it runs the kernels. Fails: unsupported (built without
/// CUDA), not_found (no device or no driver), device (it does not work).
Result<DeviceInfo> open_device();

/// One block of memory and how it was allocated, so that it can be freed the same way.
struct Block {
  void* base = nullptr;    ///< what the allocator gave
  void* host = nullptr;    ///< address for the CPU, aligned to a page; nullptr in device memory
  void* device = nullptr;  ///< address for kernels; nullptr when they cannot access it
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
