// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <net/if.h>
#include <sys/socket.h>

#include <string>

#include "tests/board/posix.hpp"

namespace kerb::board {

/// Takes a network interface down or up, as "ip link set" does.
inline void set_link(const std::string& name, bool up) {
  const File control(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!control) fail_with_errno("socket");
  ifreq request{};
  std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
  must_ioctl(control, SIOCGIFFLAGS, &request, "SIOCGIFFLAGS " + name);
  const int flags = up ? request.ifr_flags | IFF_UP : request.ifr_flags & ~IFF_UP;
  request.ifr_flags = static_cast<short>(flags);
  must_ioctl(control, SIOCSIFFLAGS, &request, "SIOCSIFFLAGS " + name);
}

}  // namespace kerb::board
