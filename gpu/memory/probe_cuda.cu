// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory/cuda_status.hpp"
#include "gpu/memory/probe.hpp"

namespace kerb::runtime {
namespace {
__global__ void probe_kernel(unsigned* out) { *out = kProbeAnswer; }
}  // namespace

Status probe_launch(unsigned* out) {
  probe_kernel<<<1, 1>>>(out);
  return cuda_status(cudaGetLastError(), "launch a kernel");
}

}  // namespace kerb::runtime
