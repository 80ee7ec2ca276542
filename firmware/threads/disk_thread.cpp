// SPDX-License-Identifier: Apache-2.0
#include "firmware/threads/disk_thread.hpp"

#include <signal.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "hal/base/fault_point.hpp"

namespace kerb {

int DiskThread::start(std::function<void()> loop) {
  if (fault_point("thread.start")) return errno;
  if (!bell_.works() || !done_.works()) return EMFILE;
  sigset_t all, old;
  sigfillset(&all);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP})
    sigdelset(&all, fault);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  int reason = 0;
  try {
    thread_ = std::thread{[this, run = std::move(loop)] {
      step();
      run();
      done_.ring();
    }};
  } catch (const std::system_error& e) {
    reason = e.code().value();
  }
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  return reason;
}

bool DiskThread::stop(Nanos limit) noexcept {
  stop_.store(true, std::memory_order_release);
  bell_.ring();
  if (done_.wait_until(SteadyClock::now() + limit)) {
    thread_.join();
    return true;
  }
  thread_.detach();
  return false;
}

}  // namespace kerb
