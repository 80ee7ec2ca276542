// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "hal/base/result.hpp"

namespace kerb {

/// One request or response of a diagnostic protocol, of at most the length that ISO 15765-2 can
/// say in 12 bits.
struct DiagnosticMessage {
  static constexpr std::size_t kCapacity = 4095;
  std::array<std::uint8_t, kCapacity> bytes{};
  std::size_t size = 0;     ///< 1..kCapacity
  bool functional = false;  ///< the request was to all control units, not to this one alone
};

/// The way to a workshop's tester: whole requests in, whole responses out. No call waits. One
/// thread at a time.
class DiagnosticLink {
 public:
  virtual ~DiagnosticLink() = default;
  /// The next request, in the order of arrival. Fails: would_block (there is none), damaged (one
  /// was cut short or too long, and is dropped; the next may be good), gone (the link is down; call
  /// it again, it may come back), io. `into` is undefined then.
  virtual Status receive(DiagnosticMessage& into) = 0;
  /// Begins to send a response to the tester; a long one goes on by itself. Fails: invalid_argument
  /// (no or too many bytes), would_block (the response before is still being sent), gone, io. The
  /// response is then dropped.
  virtual Status send(const DiagnosticMessage& response) = 0;
};

}  // namespace kerb
