// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "gpu/memory/buffer.hpp"

namespace kerb {

/// A permanent copy of a table on the device: allocates, copies, waits. Nothing for an empty one.
/// Fails: device.
template <typename T>
Status upload(const Context& context, const std::vector<T>& from, DeviceBuffer<T>& to) {
  if (from.empty()) return Done{};
  Result<DeviceBuffer<T>> buffer = DeviceBuffer<T>::create(context, from.size());
  if (!buffer) return buffer.error();
  to = std::move(*buffer);
  if (Status copied = copy_to_device(context.stream(), to.device_data(), from.data(), from.size());
      !copied)
    return copied;
  return wait(context.stream());
}

}  // namespace kerb
