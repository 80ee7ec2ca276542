// SPDX-License-Identifier: Apache-2.0
#include "firmware/diagnostics/diagnostics.hpp"

#include "tests/support/allocations.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/diagnostics/car.hpp"

using namespace kerb;
using namespace kerb::diagnostics;
using kerb::test::Bytes;
using kerb::test::Car;
using namespace std::chrono_literals;

namespace {

TEST(several_requests_are_answered_in_their_order) {
  Car car;
  car.link.ask({0x3E, 0x00});
  car.link.ask({0x22, 0xFD, 0x03});
  car.link.ask({0x3E, 0x01});
  car.run();
  const std::vector<Bytes> wanted{{0x7E, 0x00}, {0x62, 0xFD, 0x03, 0x00, 0x05}, {0x7F, 0x3E, 0x12}};
  TEST_ASSERT_TRUE(car.link.responses == wanted);
}

TEST(a_flood_of_requests_does_not_hold_the_round) {
  Car car;
  car.link.keep = false;
  car.link.endless = FakeDiagnosticLink::message({0x19, 0x0A});
  car.run();
  TEST_ASSERT_EQUAL_INT(Diagnostics::kRequestsPerRound, car.link.received);
  car.run(1s);
  TEST_ASSERT_EQUAL_INT(101 * Diagnostics::kRequestsPerRound, car.link.received);
  TEST_ASSERT_EQUAL_INT(car.link.received, car.link.sent);
}

TEST(damaged_requests_do_not_hold_up_the_next) {
  Car car;
  car.link.fail_next = Error{Errc::damaged, 0, "receive"};
  TEST_ASSERT_TRUE(car.ask({0x3E, 0x00}) == (Bytes{0x7E, 0x00}));
}

TEST(a_lost_link_is_told_once_and_works_again) {
  Car car;
  car.link.down = true;
  car.run(1s);
  TEST_ASSERT_EQUAL_size_t(1, car.log.size());
  car.link.down = false;
  TEST_ASSERT_TRUE(car.ask({0x3E, 0x00}) == (Bytes{0x7E, 0x00}));
  car.link.down = true;
  car.run(1s);
  TEST_ASSERT_EQUAL_size_t(2, car.log.size());
}

TEST(who_clears_codes_is_told_in_the_log) {
  Car car;
  TEST_ASSERT_TRUE(car.ask({0x14, 0xFF, 0xFF, 0x00}) == (Bytes{0x7F, 0x14, 0x31}));
  TEST_ASSERT_FALSE(car.log.has("cleared"));
  TEST_ASSERT_TRUE(car.ask({0x14, 0xFF, 0xFF, 0xFF}) == (Bytes{0x54}));
  car.run(1s);
  TEST_ASSERT_TRUE(car.log.has("cleared"));
  TEST_ASSERT_EQUAL_size_t(1, car.log.size());
}

TEST(a_response_that_the_link_does_not_take_is_dropped) {
  Car car;
  car.link.busy = true;
  car.link.ask({0x3E, 0x00});
  car.run();
  TEST_ASSERT_EQUAL_UINT64(1, car.diagnostics->refused());
  car.link.busy = false;
  car.run(1s);
  TEST_ASSERT_EQUAL_INT(0, car.link.sent);
}

TEST(codes_outlive_the_program) {
  DtcImage image;
  {
    Car car{2};
    car.camera = 1;
    car.fault = Cause::camera_gone;
    car.run(3s);
    image = car.diagnostics->memory().image();
  }
  Car again{2, true, true, image, "boot 2"};
  again.run();
  TEST_ASSERT_EQUAL_HEX8(0x08 | 0x04 | 0x20, again.status(Cause::camera_gone, 1));
  TEST_ASSERT_TRUE(again.ask({0x19, 0x01, 0x08}) == (Bytes{0x59, 0x01, 0xFF, 0x01, 0x00, 0x01}));
}

TEST(without_a_link_codes_are_kept_all_the_same) {
  HealthMonitor monitor{0ns, 0ns};
  ServiceTest outputs{true};
  FakeLog log;
  Diagnostics diagnostics{Setup{}, outputs, log};
  monitor.report(Cause::bus_lost, PartState::degraded, 1, 1s);
  Situation situation;
  situation.now = 1s;
  diagnostics.round(situation, monitor);
  TEST_ASSERT_EQUAL_HEX8(0xA7, diagnostics.memory().entry({Cause::bus_lost, 0}).status);
}

TEST(a_round_allocates_nothing) {
  const test::TempFolder folder;
  Result<std::unique_ptr<DtcStore>> store =
      DtcStore::open({(folder.path() / "dtc").string(), 1h, 1min, 1s});
  TEST_ASSERT_TRUE(static_cast<bool>(store));
  FakeDiagnosticLink link;
  link.keep = false;
  HealthMonitor monitor{0ns, 0ns};
  ServiceTest outputs{true};
  FakeLog log;
  Setup setup;
  setup.identity = test::identity();
  setup.link = &link;
  setup.store = store->get();
  setup.cameras = 4;
  Diagnostics diagnostics{setup, outputs, log};
  const Bytes requests[] = {{0x19, 0x0A},
                            {0x22, 0xF1, 0x89, 0xFD, 0x12},
                            {0x3E, 0x80},
                            {0x14, 0xFF, 0xFF, 0x00},
                            {0x2F, 0xFD, 0x20, 0x03, 0x01},
                            {0x99}};
  Situation situation;
  situation.speed_mps = 0;
  Nanos now = 1s;
  std::uint64_t allocated = 0;
  for (int i = 0; i < 300; ++i) {
    link.endless = FakeDiagnosticLink::message(requests[i % 6]);
    monitor.report(Cause::camera_dark, i % 3 == 0 ? PartState::degraded : PartState::fine, i, now,
                   3);
    situation.now = now;
    const std::uint64_t before = test::thread_allocations();
    diagnostics.round(situation, monitor);
    allocated += test::thread_allocations() - before;
    now += 10ms;
  }
  TEST_ASSERT_EQUAL_UINT64(0, allocated);
  TEST_ASSERT_EQUAL_INT(300 * Diagnostics::kRequestsPerRound, link.received);
}

}  // namespace
