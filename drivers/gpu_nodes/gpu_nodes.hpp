// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "hal/base/result.hpp"

namespace kerb {

/// What shows that this machine has an NVIDIA GPU: a device node, a file of its driver, or a card
/// on the PCI bus, whether or not its driver is loaded. Nothing: none is known. `root` is for
/// tests.
[[nodiscard]] std::optional<std::string> find_gpu(const std::string& root = "");

/// Whether the CPU stands in for a GPU that should work: why, or nothing where none is expected.
/// `fell_back`: the code with which CUDA was refused; `sign`: of find_gpu(). A program without CUDA
/// expects no GPU; one that was found and refused is always a fault.
[[nodiscard]] std::optional<Error> missing_gpu(std::optional<Errc> fell_back,
                                               const std::optional<std::string>& sign);

}  // namespace kerb
