// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "drivers/base/unique_fd.hpp"
#include "hal/base/clock.hpp"
#include "hal/diagnostic_link.hpp"

namespace kerb {

/// Identifiers of 11 bits.
struct IsotpOptions {
  std::string interface = "can0";
  std::uint32_t request_id = 0x7B6;     ///< from the tester to this control unit
  std::uint32_t response_id = 0x7BE;    ///< from this control unit to the tester
  std::uint32_t functional_id = 0x7DF;  ///< from the tester to all control units
};

/// ISO 15765-2 on classic CAN by the kernel's CAN_ISOTP sockets, one for each kind of request. The
/// kernel cuts messages into frames and does all the timing, so nothing here waits. Sent frames are
/// padded to 8 bytes, as testers expect. An interface that goes down and comes up works again; one
/// that was unplugged is found again within a second. Nothing allocates after open().
class IsotpLink final : public DiagnosticLink {
 public:
  /// `clock` must outlive the link. Fails: not_found (no such interface), unsupported (the kernel
  /// has no can-isotp, or it is no CAN interface), invalid_argument (identifiers), io.
  static Result<std::unique_ptr<IsotpLink>> open(const IsotpOptions& options, const Clock& clock);

  Status receive(DiagnosticMessage& into) override;
  Status send(const DiagnosticMessage& response) override;

 private:
  IsotpLink(const IsotpOptions& options, const Clock& clock) : options_{options}, clock_{clock} {}
  Status connect();
  Status receive_from(const UniqueFd& socket, bool functional, DiagnosticMessage& into);
  [[nodiscard]] Error fail(int err, const char* where);

  static constexpr Nanos kReopenEvery = std::chrono::seconds{1};

  const IsotpOptions options_;
  const Clock& clock_;
  UniqueFd physical_, functional_;
  bool functional_first_ = false;  ///< whose turn it is, so that neither is starved
  Nanos reopen_at_{};
};

}  // namespace kerb
