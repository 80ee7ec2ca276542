// SPDX-License-Identifier: Apache-2.0
#include "firmware/diagnostics/diagnostics.hpp"

#include <cstring>
#include <string>

namespace kerb::diagnostics {

Diagnostics::Diagnostics(const Setup& setup, OutputControl& outputs, Log& log) noexcept
    : link_{setup.link},
      store_{setup.store},
      log_{log},
      memory_{setup.cameras},
      server_{setup.identity, memory_, outputs, setup.restarts, setup.life} {
  memory_.restore(setup.image, setup.cycle);
}

void Diagnostics::round(const Situation& situation, const HealthMonitor& monitor) {
  memory_.update(situation, monitor);
  server_.update(situation.now);
  if (link_ != nullptr) answer_requests(situation);
  // After the requests: one that has cleared the codes is to be kept, too.
  if (memory_.take_change() && store_ != nullptr) store_->put(memory_.image());
  report_changes();
}

void Diagnostics::answer_requests(const Situation& situation) {
  for (int i = 0; i < kRequestsPerRound; ++i) {
    const Status got = link_->receive(request_);
    if (!got) {
      if (got.error().code == Errc::damaged) continue;  // the next may be good
      const bool lost = got.error().code != Errc::would_block;
      if (lost && !link_lost_)
        log_.warning("diagnostics", "no link to a tester: " + describe(got.error()));
      link_lost_ = lost;
      return;
    }
    link_lost_ = false;
    response_.size = server_.answer(Request{request_.bytes.data(), request_.size},
                                    request_.functional, situation, response_.bytes);
    if (response_.size > 0 && !link_->send(response_)) ++refused_;
  }
}

void Diagnostics::report_changes() {
  if (session_ != server_.session()) {
    session_ = server_.session();
    log_.info("diagnostics", session_ == Session::extended ? "a tester began an extended session"
                                                           : "the extended session has ended");
  }
  if (clears_ != server_.clears()) {
    clears_ = server_.clears();
    log_.info("diagnostics", "a tester cleared trouble codes");
  }
  if (store_ == nullptr) return;
  const int error = store_->status().error;
  if (error != 0 && error != store_error_)
    log_.warning("diagnostics",
                 std::string{"trouble codes cannot be written: "} + std::strerror(error));
  store_error_ = error;
}

}  // namespace kerb::diagnostics
