// SPDX-License-Identifier: Apache-2.0
// The other side of fault_point(), for a program that has points. Others do not link it.
#include "hal/base/fault_point.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "hal/base/fault_plan.hpp"

namespace kerb {
namespace {

FaultPlan from_environment() {
  const char* text = std::getenv("KERB_FAULTS");
  if (text == nullptr) return {};
  Result<FaultPlan> plan = FaultPlan::parse(text);
  if (plan) return *std::move(plan);
  std::fprintf(stderr, "KERB_FAULTS: %s\n", describe(plan.error()).c_str());
  std::_Exit(2);
}

struct State {
  std::mutex mutex;
  FaultPlan plan = from_environment();
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

State& state() {
  static State* const one = new State;  // threads may outlive static objects
  return *one;
}

std::optional<Fault> fault_of(const char* name) {
  State& s = state();
  const std::lock_guard lock{s.mutex};
  return s.plan.at(name,
                   std::chrono::duration_cast<Nanos>(std::chrono::steady_clock::now() - s.start));
}

}  // namespace

bool fault_of_plan(const char* name) {
  const std::optional<Fault> fault = fault_of(name);
  if (!fault) return false;
  switch (fault->kind) {
    case Fault::Kind::hang:
      std::this_thread::sleep_for(fault->hang);
      return false;
    case Fault::Kind::no_memory:
      throw std::bad_alloc{};
    case Fault::Kind::fail:
      break;
  }
  errno = fault->error;
  return true;
}

void set_faults(FaultPlan plan) {
  State& s = state();
  const std::lock_guard lock{s.mutex};
  s.plan = std::move(plan);
  s.start = std::chrono::steady_clock::now();
}

}  // namespace kerb
