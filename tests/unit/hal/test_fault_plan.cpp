// SPDX-License-Identifier: Apache-2.0
// Which fault points fail, and when.
#include "hal/base/fault_plan.hpp"

#include <cerrno>
#include <chrono>
#include <string>

#include "tests/support/test.hpp"

using namespace kerb;
using std::chrono::milliseconds;

namespace {

FaultPlan plan(const char* text) {
  Result<FaultPlan> read = FaultPlan::parse(text);
  TEST_ASSERT_TRUE_MESSAGE(static_cast<bool>(read), text);
  return *std::move(read);
}

TEST(a_rule_names_point_errno_and_calls) {
  FaultPlan p = plan("gpio.set:fail=EIO:calls=2-3; can.send:fail=105");
  for (int call = 1; call <= 4; ++call) {
    const std::optional<Fault> fault = p.at("gpio.set", {});
    TEST_ASSERT_EQUAL_INT(call == 2 || call == 3, fault.has_value());
    if (fault) TEST_ASSERT_EQUAL_INT(EIO, fault->error);
    if (fault) TEST_ASSERT_TRUE(fault->kind == Fault::Kind::fail);
  }
  TEST_ASSERT_EQUAL_INT(105, p.at("can.send", {})->error);
  TEST_ASSERT_FALSE(p.at("can.receive", {}).has_value());
  TEST_ASSERT_FALSE(p.at("can.sending", {}).has_value());  // no prefix of another
  TEST_ASSERT_FALSE(p.empty());
  TEST_ASSERT_TRUE(plan(" ; ").empty());
}

TEST(times_are_since_the_start) {
  FaultPlan p = plan("vision.detect:hang=500:from=2000:to=3000;start.open:no_memory:calls=1");
  TEST_ASSERT_FALSE(p.at("vision.detect", milliseconds{1999}).has_value());
  const std::optional<Fault> fault = p.at("vision.detect", milliseconds{2000});
  TEST_ASSERT_TRUE(fault && fault->kind == Fault::Kind::hang && fault->hang == milliseconds{500});
  TEST_ASSERT_FALSE(p.at("vision.detect", milliseconds{3000}).has_value());
  TEST_ASSERT_TRUE(p.at("start.open", {})->kind == Fault::Kind::no_memory);
  TEST_ASSERT_FALSE(p.at("start.open", {}).has_value());
}

TEST(a_star_is_all_that_begin_so_and_the_first_rule_counts) {
  FaultPlan p = plan("events.sync:fail=ENOSPC:calls=1;events.*:fail=EIO");
  TEST_ASSERT_EQUAL_INT(ENOSPC, p.at("events.sync", {})->error);
  TEST_ASSERT_EQUAL_INT(EIO, p.at("events.sync", {})->error);
  TEST_ASSERT_EQUAL_INT(EIO, p.at("events.write", {})->error);
  TEST_ASSERT_FALSE(p.at("records.write", {}).has_value());
  TEST_ASSERT_TRUE(plan("*:fail=EIO").at("anything", {}).has_value());
}

TEST(a_chance_is_that_of_its_seed) {
  const auto calls = [](const char* text) {
    FaultPlan p = plan(text);
    std::string out;
    for (int i = 0; i < 1000; ++i) out += p.at("a", {}) ? '1' : '0';
    return out;
  };
  const std::string one = calls("a:fail=EIO:chance=0.2;seed=7");
  TEST_ASSERT_TRUE(one == calls("seed=7;a:fail=EIO:chance=0.2"));
  TEST_ASSERT_FALSE(one == calls("seed=8;a:fail=EIO:chance=0.2"));
  int fails = 0;
  for (const char c : one) fails += c == '1' ? 1 : 0;
  TEST_ASSERT_INT_WITHIN(50, 200, fails);
  TEST_ASSERT_TRUE(calls("a:fail=EIO:chance=0") == std::string(1000, '0'));
}

TEST(what_is_no_rule_is_refused_by_name) {
  for (const char* wrong :
       {"gpio.set", "gpio.set:", ":fail=EIO", "a:fail", "a:fail=EWHAT", "a:fail=0", "a:fail=-5",
        "a:hang", "a:hang=-1", "a:hang=x", "a:no_memory=1", "a:burn", "a:fail=EIO:calls=0",
        "a:fail=EIO:calls=3-2", "a:fail=EIO:calls=x", "a:fail=EIO:from=x", "a:fail=EIO:chance=2",
        "a:fail=EIO:chance=", "a:fail=EIO:often"}) {
    const Result<FaultPlan> read = FaultPlan::parse(wrong);
    TEST_ASSERT_FALSE_MESSAGE(static_cast<bool>(read), wrong);
    TEST_ASSERT_EQUAL_STRING(wrong, std::string{read.error().what.view()}.c_str());
  }
}

}  // namespace
