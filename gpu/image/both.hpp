// SPDX-License-Identifier: Apache-2.0
#pragma once

/// For arithmetic that is written once and compiled for the host and, by nvcc, for kernels. For
/// gpu/ alone.
#ifdef __CUDACC__
#define KERB_BOTH __host__ __device__ inline
#else
#define KERB_BOTH inline
#endif
