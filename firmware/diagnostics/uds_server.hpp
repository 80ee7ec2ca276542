// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "firmware/diagnostics/dtc_memory.hpp"
#include "firmware/diagnostics/identity.hpp"
#include "firmware/diagnostics/life_book.hpp"
#include "firmware/diagnostics/output_control.hpp"
#include "firmware/diagnostics/uds.hpp"

namespace kerb::diagnostics {

enum class Session : std::uint8_t { standard = 0x01, extended = 0x03 };

/// The diagnostic services of ISO 14229-1 that Kerbwatch has: a request's bytes in, a response's
/// bytes out, at once, so that no "response pending" is needed. Pure logic; one thread; allocates
/// nothing.
class UdsServer {
 public:
  /// Without a request for this long the extended session ends (S3).
  static constexpr Nanos kSessionTimeout = std::chrono::seconds{5};
  /// Times told to the tester: until a response begins, and the same after a "response pending".
  static constexpr std::uint16_t kP2_ms = 50, kP2Star_10ms = 500;
  /// At and above this the vehicle moves.
  static constexpr double kStandstill_mps = 0.5;
  /// Identifiers in one request to read data.
  static constexpr std::size_t kMostIdentifiers = 16;

  /// `memory` and `outputs` must outlive this. `restarts`: what started the program starts it again
  /// when it ends, so a reset is possible. `life` may be null: nothing is counted.
  UdsServer(const Identity& identity, DtcMemory& memory, OutputControl& outputs, bool restarts,
            const LifeBook* life = nullptr) noexcept
      : identity_{identity}, memory_{memory}, outputs_{outputs}, restarts_{restarts}, life_{life} {}

  /// Answers a request; `functional`: it went to all control units. Returns the bytes of the
  /// response in `room` (at least 3), 0 for none.
  std::size_t answer(Request request, bool functional, const Situation& situation,
                     std::span<std::uint8_t> room) noexcept;
  /// One round: ends a session in which the tester has fallen silent.
  void update(Nanos now) noexcept;

  [[nodiscard]] Session session() const noexcept { return session_; }
  /// How often codes were cleared.
  [[nodiscard]] std::uint64_t clears() const noexcept { return clears_; }
  /// A tester has asked for a reset, and its request was accepted.
  [[nodiscard]] bool reset_requested() const noexcept { return reset_requested_; }

 private:
  struct Service;
  using Handler = Nrc (UdsServer::*)(Request request, const Situation& situation,
                                     Response& out) noexcept;
  static const Service* find(std::uint8_t sid) noexcept;
  Nrc serve(const Service& service, Request request, const Situation& situation,
            Response& out) noexcept;
  void enter(Session session) noexcept;

  Nrc control_session(Request request, const Situation& situation, Response& out) noexcept;
  Nrc reset(Request request, const Situation& situation, Response& out) noexcept;
  Nrc tester_present(Request request, const Situation& situation, Response& out) noexcept;
  Nrc read_data(Request request, const Situation& situation, Response& out) noexcept;
  bool append_data(Response& out, std::uint16_t id, const Situation& situation) const noexcept;
  Nrc control_output(Request request, const Situation& situation, Response& out) noexcept;
  // In uds_fault_memory.cpp:
  Nrc clear(Request request, const Situation& situation, Response& out) noexcept;
  Nrc read_dtc(Request request, const Situation& situation, Response& out) noexcept;
  Nrc read_by_mask(std::uint8_t mask, bool count, Response& out) const noexcept;
  Nrc read_supported(Response& out) const noexcept;
  Nrc read_frames(std::uint32_t dtc, std::uint8_t record, Response& out) const noexcept;
  Nrc read_extended(std::uint32_t dtc, std::uint8_t record, Response& out) const noexcept;

  const Identity identity_;
  DtcMemory& memory_;
  OutputControl& outputs_;
  const bool restarts_;
  const LifeBook* life_;
  Session session_ = Session::standard;
  Nanos session_until_{};
  std::uint64_t clears_ = 0;
  bool reset_requested_ = false;
};

/// Whether the vehicle is known to move.
[[nodiscard]] inline bool moves(const Situation& s) noexcept {
  return s.speed_mps &&
         !(*s.speed_mps<UdsServer::kStandstill_mps&& * s.speed_mps> - UdsServer::kStandstill_mps);
}
/// Whether it is known to stand.
[[nodiscard]] inline bool stands(const Situation& s) noexcept { return s.speed_mps && !moves(s); }

}  // namespace kerb::diagnostics
