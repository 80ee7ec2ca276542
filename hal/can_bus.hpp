// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "hal/base/clock.hpp"
#include "hal/base/result.hpp"

namespace kerb {

struct CanFrame {
  std::uint32_t id = 0;  ///< 11 bits, or 29 when `extended`
  bool extended = false;
  bool remote = false;           ///< classic only
  bool fd = false;               ///< CAN FD: up to 64 bytes
  bool bit_rate_switch = false;  ///< FD only
  std::uint8_t size = 0;         ///< 0..8; FD also 12, 16, 20, 24, 32, 48, 64
  std::array<std::uint8_t, 64> data{};
  Nanos received{};  ///< set by receive(), on the Clock of the bus
};

/// Whether ISO 11898 allows this frame: id and size in range, no remote FD frame.
[[nodiscard]] bool is_valid(const CanFrame& frame) noexcept;

/// Passes a frame when (frame.id & mask) == (id & mask) and it has the same kind of id. A list of
/// filters passes what any one of them passes; an empty list passes everything.
struct CanFilter {
  std::uint32_t id = 0;
  std::uint32_t mask = 0x1FFFFFFF;
  bool extended = false;
};
[[nodiscard]] inline bool passes(const CanFilter& filter, const CanFrame& frame) noexcept {
  return filter.extended == frame.extended && ((filter.id ^ frame.id) & filter.mask) == 0;
}

enum class CanState : std::uint8_t {
  active,   ///< sends and receives
  warning,  ///< 96 errors or more
  passive,  ///< 128 errors or more
  bus_off,  ///< 256 errors: the controller is off the bus
  down      ///< the interface is down or was removed
};
[[nodiscard]] const char* name_of(CanState state) noexcept;

struct CanCounters {
  std::uint64_t sent = 0, received = 0;
  std::uint64_t refused = 0;       ///< send() could not queue
  std::uint64_t error_frames = 0;  ///< reported by the controller
  std::uint64_t bus_offs = 0;
  std::uint64_t overruns = 0;  ///< frames that the kernel dropped because they were read too late
};

/// One CAN interface. One thread at a time. No call waits, except receive() up to its time-out.
class CanBus {
 public:
  virtual ~CanBus() = default;
  /// Queues a frame. Fails: invalid_argument, would_block (queue full: drop it or try again),
  /// gone (interface down, or bus-off: receive() recovers it), unsupported (FD on a classic bus),
  /// io.
  virtual Status send(const CanFrame& frame) = 0;
  /// The next frame that passes the filters; waits at most `timeout` (clock time; zero: does not
  /// wait). Error frames are not returned: they change state(). Own frames are not returned. Also
  /// recovers the bus: call it at least every 100 ms. Fails: timeout, gone (interface down; call it
  /// again, it may come back), io.
  virtual Result<CanFrame> receive(Nanos timeout) = 0;
  [[nodiscard]] virtual CanState state() const noexcept = 0;
  [[nodiscard]] virtual CanCounters counters() const noexcept = 0;
  /// While bus-off: why the controller cannot be put back on the bus, so that it stays off until
  /// somebody helps. Nothing: it can be, or there is no need.
  [[nodiscard]] virtual std::optional<Error> restart_refusal() const noexcept {
    return std::nullopt;
  }
};

}  // namespace kerb
