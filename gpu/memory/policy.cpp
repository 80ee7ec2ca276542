// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory/policy.hpp"

namespace kerb {
namespace {

/// Host memory that kernels can address, by the better of two ways.
MemoryPlan host_side(const DeviceTraits& traits) noexcept {
  MemoryPlan plan;
  if (traits.host_register_supported) {
    plan.placement = Placement::pinned_mapped;
    plan.registered = true;
  } else if (traits.can_map_host_memory) {
    plan.placement = Placement::pinned_mapped;
    plan.host_cached =
        is_io_coherent(traits);  // else the driver maps it uncached, to keep it right
  } else {
    plan.placement = Placement::pageable;
  }
  return plan;
}

}  // namespace

bool is_io_coherent(const DeviceTraits& traits) noexcept {
  return traits.present && (!traits.integrated || traits.host_register_supported ||
                            traits.pageable_uses_host_page_tables);
}

MemoryPolicy decide(const DeviceTraits& traits) noexcept {
  MemoryPolicy policy;  // all pageable, nothing to transfer: right without a device
  if (!traits.present) return policy;

  policy.device_only.placement = Placement::device;

  MemoryPlan host = host_side(traits);
  // Each byte should cross a bus once, by DMA; kernels that read over the bus word by word are
  // slower than the copy. Without a bus there is nothing to copy, unless kernels cannot address
  // host memory.
  host.transfer =
      !traits.integrated || host.placement == Placement::pageable || !traits.can_map_host_memory;
  policy.camera_input = policy.result = policy.shared = host;

  // Pinned memory bypasses the GPU's caches on most integrated devices: fine for data that is read
  // once, slow for data that is reused. Managed memory is cached on both sides, but the CPU may
  // access it at any time only with concurrent access; without it, a camera thread that touches it
  // during a kernel is killed.
  if (traits.integrated && traits.managed_memory && traits.concurrent_managed_access)
    policy.shared = MemoryPlan{Placement::managed, false, false, true};
  return policy;
}

const MemoryPlan& MemoryPolicy::plan(Use use) const noexcept {
  switch (use) {
    case Use::camera_input:
      return camera_input;
    case Use::result:
      return result;
    case Use::device_only:
      return device_only;
    case Use::shared:
      break;
  }
  return shared;
}

const char* name_of(Placement placement) noexcept {
  constexpr const char* kNames[] = {"pageable", "pinned", "managed", "device"};
  return kNames[static_cast<int>(placement)];
}

const char* name_of(Use use) noexcept {
  constexpr const char* kNames[] = {"camera_input", "result", "device_only", "shared"};
  return kNames[static_cast<int>(use)];
}

}  // namespace kerb
