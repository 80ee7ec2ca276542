// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace kerb {

/// A device's attributes, read once. All decisions about memory depend on these, never on a board's
/// name, so that an unknown board is treated correctly.
struct DeviceTraits {
  bool present = false;
  bool integrated = false;           ///< shares the CPU's memory
  bool can_map_host_memory = false;  ///< kernels can address pinned host memory
  bool managed_memory = false;
  bool concurrent_managed_access = false;  ///< the CPU may touch managed memory while kernels run
  bool pageable_memory_access = false;     ///< kernels can address any memory of the process
  bool pageable_uses_host_page_tables = false;  ///< ... and hardware keeps both sides coherent
  bool host_register_supported = false;         ///< ordinary pages can be pinned after the fact
  bool can_use_host_pointer_for_registered = false;  ///< ... and keep their address in kernels
};

/// Whether CPU caches stay coherent when the GPU accesses host memory. There is no attribute for
/// it; but on integrated GPUs the driver can pin ordinary (cached) pages exactly when the hardware
/// snoops the CPU's caches, and a discrete card always snoops over its bus.
[[nodiscard]] bool is_io_coherent(const DeviceTraits& traits) noexcept;

/// The use of a block of memory.
enum class Use : std::uint8_t {
  camera_input,  ///< a camera writes it at any time, kernels read it once
  result,        ///< kernels write it, the CPU reads it
  device_only,   ///< only kernels touch it
  shared         ///< both sides read and write it, again and again
};

enum class Placement : std::uint8_t {
  pageable,       ///< plain memory of the process
  pinned_mapped,  ///< host memory that stays where it is and that kernels can address
  managed,        ///< one address; the hardware keeps both sides coherent
  device          ///< the device's own; the CPU cannot address it
};

/// How memory for one Use is allocated.
struct MemoryPlan {
  Placement placement =
      Placement::pageable;  ///< of the only copy, or of the host's copy when `transfer`
  bool transfer = false;    ///< kernels work on a copy in device memory
  bool registered =
      false;  ///< pinned_mapped: ordinary pages, pinned after the fact. A camera driver accepts
              ///< these as its own buffers, which it may not do with the CUDA driver's.
  bool host_cached = true;  ///< false: CPU reads bypass its caches; copy out before working on it
};

struct MemoryPolicy {
  MemoryPlan camera_input, result, device_only, shared;
  [[nodiscard]] const MemoryPlan& plan(Use use) const noexcept;
};

/// The only place where memory is decided. README.md gives the reasons for each kind of device.
[[nodiscard]] MemoryPolicy decide(const DeviceTraits& traits) noexcept;

[[nodiscard]] const char* name_of(
    Placement placement) noexcept;  ///< "pageable", "pinned", "managed", "device"
[[nodiscard]] const char* name_of(Use use) noexcept;

}  // namespace kerb
