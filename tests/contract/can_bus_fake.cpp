// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "hal/fake/can_bus.hpp"
#include "hal/fake/clock.hpp"
#include "tests/contract/can_bus_suite.hpp"
#include "tests/support/test.hpp"

namespace {

using namespace kerb;
using namespace std::chrono_literals;

// A node that tells the fixture when it ends, so that faults reach those that are there.
struct Bench {
  FakeCanWire wire;
  std::vector<FakeCanBus*> nodes;
};
class Node final : public CanBus {
 public:
  Node(Bench& bench, const Clock& clock, FakeCanBus::Options options)
      : bench_{bench}, bus{bench.wire, clock, std::move(options)} {
    bench_.nodes.push_back(&bus);
  }
  ~Node() override { std::erase(bench_.nodes, &bus); }
  Status send(const CanFrame& frame) override { return bus.send(frame); }
  Result<CanFrame> receive(Nanos timeout) override { return bus.receive(timeout); }
  CanState state() const noexcept override { return bus.state(); }
  CanCounters counters() const noexcept override { return bus.counters(); }

 private:
  Bench& bench_;

 public:
  FakeCanBus bus;
};

FakeCanBus& fake(CanBus& bus) { return dynamic_cast<Node&>(bus).bus; }

int run(const Clock& clock, bool real) {
  Bench bench;
  CanBusFixture fixture;
  fixture.clock = &clock;
  fixture.real = real;
  fixture.node = [&](bool fd, std::vector<CanFilter> filters) {
    return std::make_unique<Node>(bench, clock, FakeCanBus::Options{fd, std::move(filters)});
  };
  fixture.down = [&] {
    for (FakeCanBus* node : bench.nodes) node->down();
  };
  fixture.up = [&] {
    for (FakeCanBus* node : bench.nodes) node->up();
  };
  fixture.go_bus_off = [](CanBus& bus) { fake(bus).bus_off(100ms); };
  fixture.fill_queue = [](CanBus& bus) { fake(bus).queue_full(true); };
  fixture.empty_queue = [](CanBus& bus) { fake(bus).queue_full(false); };
  return run_can_bus_suite(fixture);
}

}  // namespace

SUITE_MAIN(words) {
  const FakeClock still;
  const SystemClock running;
  return run(still, false) + run(running, true);
}
