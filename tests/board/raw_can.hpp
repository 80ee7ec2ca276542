// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hal/can_bus.hpp"
#include "tests/board/posix.hpp"

/// SocketCAN without our driver: what the board checks measure must not measure itself.
namespace kerb::board {

/// A raw socket that does not block and stamps what it receives: all there is, or these
/// identifiers of 11 bits. Throws BoardError.
File open_can(const std::string& interface, const std::vector<std::uint32_t>& ids = {});
/// False while the interface is down.
bool write_can(const File& bus, const CanFrame& frame);

struct ReadFrame {
  RealClock::time_point time;  ///< when the kernel saw it on the bus
  CanFrame frame;
};
/// The next frame; nothing after `timeout_ms`, or when the interface has gone down.
std::optional<ReadFrame> read_can(const File& bus, int timeout_ms);

}  // namespace kerb::board
