// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime_api.h>

#include "hal/base/result.hpp"

/// For sources that see CUDA; public headers do not include this.
namespace kerb {

/// The Error of a failed CUDA call. Also takes it off the runtime's "last error", so that the next
/// launch is not blamed for it.
inline Error cuda_error(cudaError_t error, const char* where) {
  (void)cudaGetLastError();
  return Error{Errc::device, static_cast<int>(error), where, cudaGetErrorString(error)};
}

inline Status cuda_status(cudaError_t error, const char* where) {
  if (error == cudaSuccess) return Done{};
  return cuda_error(error, where);
}

[[nodiscard]] constexpr unsigned div_up(int count, unsigned block) noexcept {
  return (static_cast<unsigned>(count) + block - 1) / block;
}

}  // namespace kerb
