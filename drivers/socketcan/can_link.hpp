// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "drivers/base/unique_fd.hpp"
#include "hal/base/result.hpp"
#include "hal/can_bus.hpp"

namespace kerb::socketcan {

/// The kernel's data of an interface, by its name.
struct LinkFacts {
  int index = 0;  ///< 0: there is no such interface
  bool is_can = false;
  bool up = false;
  int mtu = 0;
};

/// One network interface, queried by name, so that it is found again when it was unplugged and
/// returns with another index. Allocates nothing after open(). One thread at a time.
class CanLink {
 public:
  /// Fails: io.
  static Result<CanLink> open(std::string interface);

  /// Never waits.
  [[nodiscard]] LinkFacts read() const noexcept;
  /// The controller's state according to the driver, over rtnetlink. Nothing when the driver has
  /// none (vcan). May wait for the kernel's network configuration lock, some milliseconds at worst:
  /// not for every frame.
  [[nodiscard]] std::optional<CanState> controller_state(int index) const noexcept;
  /// The interface's restart-ms: how long after bus-off the kernel puts the controller back on the
  /// bus; 0: it does not. Nothing when the driver has no such setting (vcan). Waits as
  /// controller_state(); needs no permission.
  [[nodiscard]] std::optional<std::uint32_t> restart_ms(int index) const noexcept;
  /// Puts a bus-off controller back on the bus. Fails: unsupported (not permitted: needs
  /// CAP_NET_ADMIN; or the driver cannot; or the kernel does it itself, by restart-ms), io. Waits
  /// as controller_state().
  Status restart(int index) noexcept;
  /// Whether this process may do so: it has CAP_NET_ADMIN.
  [[nodiscard]] static bool may_restart() noexcept;

 private:
  [[nodiscard]] std::optional<std::uint32_t> can_number(int index, int type) const noexcept;
  CanLink(std::string interface, UniqueFd control, UniqueFd netlink)
      : interface_{std::move(interface)},
        control_{std::move(control)},
        netlink_{std::move(netlink)} {}

  std::string interface_;
  UniqueFd control_;  // any socket takes interface ioctls
  UniqueFd netlink_;
  mutable unsigned sequence_ = 0;
};

}  // namespace kerb::socketcan
