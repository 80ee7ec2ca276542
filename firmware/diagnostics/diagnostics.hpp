// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "firmware/diagnostics/dtc_memory.hpp"
#include "firmware/diagnostics/dtc_store.hpp"
#include "firmware/diagnostics/identity.hpp"
#include "firmware/diagnostics/output_control.hpp"
#include "firmware/diagnostics/uds_server.hpp"
#include "firmware/health/health_monitor.hpp"
#include "hal/base/log.hpp"
#include "hal/diagnostic_link.hpp"

namespace kerb::diagnostics {

/// What the diagnostics of a car are made of. Plain data.
struct Setup {
  Identity identity;
  DtcImage image;                  ///< as kept by the last run; of a new car: the default
  Text<40> cycle;                  ///< the operation cycle now: the kernel's boot id
  DiagnosticLink* link = nullptr;  ///< to the tester; null: the bus has none
  DtcStore* store = nullptr;       ///< keeps the codes; null: they end with the program
  int cameras = 1;
  const LifeBook* life = nullptr;  ///< counters; null: nothing is counted
  bool restarts = false;           ///< the program is started again when it ends
};

/// The diagnostics' share of the control round. One thread; allocates only where a log line is
/// written.
class Diagnostics {
 public:
  /// A flood of requests must not hold the round: the rest waits in the link.
  static constexpr int kRequestsPerRound = 4;

  /// The link, the store, `outputs` and `log` must outlive this.
  Diagnostics(const Setup& setup, OutputControl& outputs, Log& log) noexcept;
  Diagnostics(const Diagnostics&) = delete;
  Diagnostics& operator=(const Diagnostics&) = delete;

  /// One round: the state of all codes, the tester's requests, and what is to be kept.
  void round(const Situation& situation, const HealthMonitor& monitor);

  [[nodiscard]] bool reset_requested() const noexcept { return server_.reset_requested(); }
  [[nodiscard]] const DtcMemory& memory() const noexcept { return memory_; }
  [[nodiscard]] Session session() const noexcept { return server_.session(); }
  /// Responses that the link did not take.
  [[nodiscard]] std::uint64_t refused() const noexcept { return refused_; }

 private:
  void answer_requests(const Situation& situation);
  void report_changes();

  DiagnosticLink* link_;
  DtcStore* store_;
  Log& log_;
  DtcMemory memory_;
  UdsServer server_;
  DiagnosticMessage request_, response_;
  Session session_ = Session::standard;  ///< as reported
  std::uint64_t clears_ = 0;             ///< as reported
  bool link_lost_ = false;
  int store_error_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace kerb::diagnostics
