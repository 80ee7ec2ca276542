// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/diagnostic_link_suite.hpp"

#include <chrono>
#include <thread>

#include "tests/support/unity.hpp"

namespace kerb {
namespace {

using namespace std::chrono_literals;
using Bytes = DiagnosticLinkFixture::Bytes;

const DiagnosticLinkFixture* fx = nullptr;
DiagnosticMessage g_message;  // 4 KiB

Bytes numbered(std::size_t size, int first) {
  Bytes out(size);
  for (std::size_t i = 0; i < size; ++i)
    out[i] = static_cast<std::uint8_t>(i + static_cast<std::size_t>(first));
  return out;
}

/// The next request within a second of real time.
std::optional<Bytes> next_request(DiagnosticLink& link) {
  for (int i = 0; i < 1000; ++i) {
    if (link.receive(g_message)) {
      const auto begin = g_message.bytes.begin();
      return Bytes{begin, begin + static_cast<std::ptrdiff_t>(g_message.size)};
    }
    std::this_thread::sleep_for(1ms);
  }
  return std::nullopt;
}

void put(const Bytes& bytes) {
  g_message.size = bytes.size();
  for (std::size_t i = 0; i < bytes.size(); ++i) g_message.bytes[i] = bytes[i];
}

void without_a_request_receive_does_not_wait() {
  const auto link = fx->open();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) {
    const Status got = link->receive(g_message);
    TEST_ASSERT_TRUE(!got && got.error().code == Errc::would_block);
  }
  TEST_ASSERT_TRUE(std::chrono::steady_clock::now() - start < 1s);
}

void requests_of_any_length_arrive_unchanged() {
  const auto link = fx->open();
  for (const std::size_t size : {1U, 2U, 7U, 8U, 62U, 200U, 4095U}) {
    const Bytes request = numbered(size, 17);
    fx->ask(request, false);
    const std::optional<Bytes> got = next_request(*link);
    TEST_ASSERT_TRUE_MESSAGE(got.has_value(), "it arrives");
    TEST_ASSERT_TRUE(*got == request);
    TEST_ASSERT_FALSE(g_message.functional);
  }
}

void requests_to_all_are_told_apart() {
  const auto link = fx->open();
  fx->ask({0x3E, 0x80}, true);
  TEST_ASSERT_TRUE(next_request(*link) == (Bytes{0x3E, 0x80}));
  TEST_ASSERT_TRUE(g_message.functional);
  fx->ask({0x3E, 0x00}, false);
  TEST_ASSERT_TRUE(next_request(*link) == (Bytes{0x3E, 0x00}));
  TEST_ASSERT_FALSE(g_message.functional);
}

void requests_keep_their_order() {
  const auto link = fx->open();
  for (int i = 0; i < 5; ++i) fx->ask(numbered(3, i), false);
  for (int i = 0; i < 5; ++i) TEST_ASSERT_TRUE(next_request(*link) == numbered(3, i));
}

void responses_of_any_length_arrive_unchanged() {
  const auto link = fx->open();
  for (const std::size_t size : {1U, 7U, 8U, 250U, 4095U}) {
    put(numbered(size, 5));
    // The one before may still be on its way.
    Status sent = link->send(g_message);
    for (int i = 0; i < 1000 && !sent && sent.error().code == Errc::would_block; ++i) {
      std::this_thread::sleep_for(1ms);
      sent = link->send(g_message);
    }
    TEST_ASSERT_OK(sent);
    const std::optional<Bytes> got = fx->hear();
    TEST_ASSERT_TRUE_MESSAGE(got.has_value(), "it arrives");
    TEST_ASSERT_TRUE(*got == numbered(size, 5));
  }
}

void no_bytes_and_too_many_are_refused() {
  const auto link = fx->open();
  for (const std::size_t size : {std::size_t{0}, DiagnosticMessage::kCapacity + 1}) {
    g_message.size = size;
    const Status sent = link->send(g_message);
    TEST_ASSERT_TRUE(!sent && sent.error().code == Errc::invalid_argument);
  }
}

void a_response_that_is_not_taken_does_not_hold_the_sender() {
  if (!fx->stall) TEST_IGNORE_MESSAGE("this tester takes everything");
  const auto link = fx->open();
  fx->stall();
  const auto start = std::chrono::steady_clock::now();
  put(numbered(300, 1));
  static_cast<void>(link->send(g_message));
  const Status second = link->send(g_message);
  const auto took = std::chrono::steady_clock::now() - start;
  TEST_ASSERT_TRUE(!second && second.error().code == Errc::would_block);
  TEST_ASSERT_TRUE_MESSAGE(took < 200ms, "it does not wait");
  fx->resume();
  // After a while the link gives the long one up, and works.
  put({0x7E, 0x00});
  Status sent = Error{};
  for (int i = 0; i < 5000 && !sent; ++i) {
    static_cast<void>(link->receive(g_message));  // fetches the error
    put({0x7E, 0x00});
    sent = link->send(g_message);
    std::this_thread::sleep_for(1ms);
  }
  TEST_ASSERT_OK(sent);
  for (int i = 0; i < 3; ++i)
    if (const std::optional<Bytes> got = fx->hear(); got == (Bytes{0x7E, 0x00})) return;
  TEST_FAIL_MESSAGE("the next response does not arrive");
}

void a_link_that_is_down_says_so_and_comes_back() {
  if (!fx->down) TEST_IGNORE_MESSAGE("this link cannot be taken down");
  const auto link = fx->open();
  fx->down();
  put({0x7E, 0x00});
  const Status sent = link->send(g_message);
  TEST_ASSERT_TRUE(!sent && sent.error().code == Errc::gone);
  for (int i = 0; i < 10; ++i) TEST_ASSERT_FALSE(link->receive(g_message));
  fx->up();
  fx->ask({0x3E, 0x00}, false);
  TEST_ASSERT_TRUE(next_request(*link) == (Bytes{0x3E, 0x00}));
  put({0x7E, 0x00});
  TEST_ASSERT_OK(link->send(g_message));
  TEST_ASSERT_TRUE(fx->hear() == (Bytes{0x7E, 0x00}));
}

}  // namespace

int run_diagnostic_link_suite(const DiagnosticLinkFixture& fixture) {
  fx = &fixture;
  UNITY_BEGIN();
  RUN_TEST(without_a_request_receive_does_not_wait);
  RUN_TEST(requests_of_any_length_arrive_unchanged);
  RUN_TEST(requests_to_all_are_told_apart);
  RUN_TEST(requests_keep_their_order);
  RUN_TEST(responses_of_any_length_arrive_unchanged);
  RUN_TEST(no_bytes_and_too_many_are_refused);
  RUN_TEST(a_response_that_is_not_taken_does_not_hold_the_sender);
  RUN_TEST(a_link_that_is_down_says_so_and_comes_back);
  return UNITY_END();
}

}  // namespace kerb
