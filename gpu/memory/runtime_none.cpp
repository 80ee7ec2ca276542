// SPDX-License-Identifier: Apache-2.0
// runtime.hpp without CUDA: plain memory works, everything else fails with the reason.
#include "gpu/memory/pages.hpp"
#include "gpu/memory/runtime.hpp"

namespace kerb::runtime {
namespace {
Error without_cuda(const char* where) {
  return Error{Errc::unsupported, 0, where, "this program was built without CUDA"};
}
}  // namespace

Result<DeviceInfo> open_device() { return without_cuda("open the GPU"); }

Result<Block> take(const MemoryPlan& plan, std::size_t bytes) {
  if (plan.placement != Placement::pageable) return without_cuda("allocate GPU memory");
  return take_pages(bytes);
}
void give_back(const Block& block) noexcept { free_pages(block); }

Result<CUstream_st*> make_stream() { return without_cuda("make a stream"); }
void destroy_stream(CUstream_st*) noexcept {}
Status wait(CUstream_st*) { return without_cuda("wait for the GPU"); }
Status copy_rows(CUstream_st*, Direction, void*, std::size_t, const void*, std::size_t, std::size_t,
                 std::size_t) {
  return without_cuda("copy to or from the GPU");
}
Status fill(CUstream_st*, void*, int, std::size_t) { return without_cuda("fill GPU memory"); }

}  // namespace kerb::runtime
