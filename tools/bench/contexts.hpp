// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <utility>

#include "gpu/memory/context.hpp"
#include "hal/base/result.hpp"

namespace kerb::bench {

/// What benchmarks run on: the CPU always, CUDA where it is asked for.
struct Contexts {
  std::optional<Context> cpu, cuda;

  /// Fails: as Context::create().
  Status open(bool with_cuda) {
    Result<Context> host = Context::create(BackendChoice::cpu);
    if (!host) return host.error();
    cpu.emplace(std::move(*host));
    if (!with_cuda) return Done{};
    Result<Context> device = Context::create(BackendChoice::cuda);
    if (!device) return device.error();
    cuda.emplace(std::move(*device));
    return Done{};
  }
};

}  // namespace kerb::bench
