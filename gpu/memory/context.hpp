// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "gpu/memory/policy.hpp"
#include "gpu/memory/stream.hpp"
#include "hal/base/result.hpp"

namespace kerb {

enum class Backend : std::uint8_t { cpu, cuda };
/// automatic: CUDA when it was built in and a device can run the kernels, else the CPU.
enum class BackendChoice : std::uint8_t { automatic, cpu, cuda };

[[nodiscard]] const char* name_of(Backend backend) noexcept;       ///< "cpu", "cuda"
[[nodiscard]] const char* name_of(BackendChoice choice) noexcept;  ///< "auto", "cpu", "cuda"
/// The inverse. False for an unknown name; `choice` is then unchanged.
bool parse(std::string_view name, BackendChoice& choice) noexcept;

struct ContextInfo {
  Text<64> device;                ///< the GPU's name; empty on the CPU
  Text<160> reason;               ///< automatic only: why it became the CPU. For the log.
  std::optional<Errc> fell_back;  ///< automatic only: the code of that
  int compute_capability = 0;     ///< 87 is 8.7
  int multiprocessors = 0;
  int driver_version = 0, runtime_version = 0;  ///< as CUDA counts: 13000 is 13.0
};

/// Where the vision code runs: the backend, its device and a stream, and its memory policy. Made
/// once, in main(), and passed down; must not move and must outlive everything made from it.
/// Constant after create(), so any thread may read it.
class Context {
 public:
  /// Fails (never for `automatic` or `cpu`): unsupported (built without CUDA), not_found (no device
  /// or driver), device (there is one, but it cannot run the kernels).
  static Result<Context> create(BackendChoice choice);

  [[nodiscard]] Backend backend() const noexcept { return stream_ ? Backend::cuda : Backend::cpu; }
  [[nodiscard]] const DeviceTraits& traits() const noexcept { return traits_; }
  [[nodiscard]] const MemoryPolicy& policy() const noexcept { return policy_; }
  [[nodiscard]] const ContextInfo& info() const noexcept { return info_; }
  /// CUDA only: on the CPU there is none, and the call terminates.
  [[nodiscard]] StreamRef stream() const noexcept;

  /// For tests and measurements: another policy than the device's own, such as zero-copy on a
  /// discrete card. Before anything is made from this context.
  void use_policy(const MemoryPolicy& policy) noexcept { policy_ = policy; }

 private:
  Context() = default;
  DeviceTraits traits_;
  MemoryPolicy policy_;
  ContextInfo info_;
  std::optional<Stream> stream_;  // none: the CPU backend
};

}  // namespace kerb
