// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "hal/diagnostic_link.hpp"

namespace kerb {

/// A tester that is a test: what it asked, and what it was answered.
class FakeDiagnosticLink final : public DiagnosticLink {
 public:
  using Bytes = std::vector<std::uint8_t>;

  Status receive(DiagnosticMessage& into) override {
    if (down) return Error{Errc::gone, 0, "receive from the fake tester"};
    if (fail_next) return *std::exchange(fail_next, std::nullopt);
    if (endless) {
      into = *endless;
      ++received;
      return Done{};
    }
    if (requests.empty()) return Error{Errc::would_block, 0, "receive from the fake tester"};
    into = requests.front();
    requests.pop_front();
    ++received;
    return Done{};
  }
  Status send(const DiagnosticMessage& response) override {
    if (response.size == 0 || response.size > DiagnosticMessage::kCapacity)
      return Error{Errc::invalid_argument, 0, "send to the fake tester"};
    if (down) return Error{Errc::gone, 0, "send to the fake tester"};
    if (busy) return Error{Errc::would_block, 0, "send to the fake tester"};
    ++sent;
    if (keep) {
      const auto begin = response.bytes.begin();
      responses.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(response.size));
    }
    return Done{};
  }

  /// Puts a request in the queue.
  void ask(const Bytes& request, bool functional = false) {
    requests.push_back(message(request, functional));
  }
  [[nodiscard]] static DiagnosticMessage message(const Bytes& bytes, bool functional = false) {
    DiagnosticMessage out;
    out.size = bytes.size();
    for (std::size_t i = 0; i < bytes.size(); ++i) out.bytes[i] = bytes[i];
    out.functional = functional;
    return out;
  }

  std::deque<DiagnosticMessage> requests;
  std::vector<Bytes> responses;              ///< in order
  std::optional<DiagnosticMessage> endless;  ///< a flood: this request, again and again
  std::optional<Error> fail_next;            ///< the next receive() fails with this, once
  bool busy = false;                         ///< the response before is still being sent
  bool down = false;
  bool keep = true;  ///< responses; false: they are only counted, so that nothing is allocated
  int received = 0, sent = 0;
};

}  // namespace kerb
