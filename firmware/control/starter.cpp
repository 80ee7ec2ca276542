// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/starter.hpp"

#include <algorithm>
#include <cerrno>
#include <new>
#include <string_view>
#include <system_error>

namespace kerb {
namespace {

StartFailure failure_of(const Error& error) {
  return {.cause = Cause::vision_failed, .camera = -1, .error = error};
}

/// The attempt, with what it throws as a failure.
std::optional<StartFailure> run(const Starter::Attempt& attempt) noexcept {
  try {
    return attempt();
  } catch (const std::bad_alloc&) {
    return failure_of({Errc::io, ENOMEM, "start"});
  } catch (const std::system_error& e) {
    return failure_of({Errc::io, e.code().value(), "start"});
  } catch (const std::exception& e) {
    return failure_of({Errc::io, 0, "start", std::string_view{e.what()}});
  }
}

}  // namespace

Starter::~Starter() {
  if (thread_.joinable()) thread_.join();
}

bool Starter::step(Nanos now) {
  if (done_) return true;
  if (thread_.joinable()) {
    if (!finished_) return false;
    thread_.join();
    if (!result_) return done_ = true;
    failed(*result_, now);
  } else if (now >= next_) {
    try {
      begin();
    } catch (const std::system_error& e) {  // no thread to be had
      failed(failure_of({Errc::io, e.code().value(), "start a thread"}), now);
    }
  }
  return false;
}

void Starter::begin() {
  finished_ = false;
  thread_ = std::thread{[this] {
    result_ = run(attempt_);
    finished_ = true;
  }};
}

void Starter::failed(const StartFailure& why, Nanos now) {
  failure_ = why;
  next_ = now + wait_;
  wait_ = std::min(wait_ * 2, kLongestWait);
}

}  // namespace kerb
