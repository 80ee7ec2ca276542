// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "gpu/memory/context.hpp"

namespace kerb::lab {

/// The machine and its load, which belong to every measurement. `cuda` may be null.
[[nodiscard]] nlohmann::ordered_json describe_machine(const Context* cuda, int threads);

/// What a benchmark measures: the CPU unless CUDA was asked for, and CUDA unless the CPU was.
struct Backends {
  bool cpu = true;
  std::optional<Context> cuda;
};
/// `name` is auto, cpu or cuda. Fails as Context::create().
Result<Backends> choose_backends(const std::string& name);

}  // namespace kerb::lab
