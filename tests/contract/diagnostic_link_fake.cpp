// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "hal/fake/diagnostic_link.hpp"
#include "tests/contract/diagnostic_link_suite.hpp"
#include "tests/support/test.hpp"

SUITE_MAIN(words) {
  using namespace kerb;
  FakeDiagnosticLink* link = nullptr;
  DiagnosticLinkFixture fixture;
  fixture.open = [&] {
    auto made = std::make_unique<FakeDiagnosticLink>();
    link = made.get();
    return made;
  };
  fixture.ask = [&](const DiagnosticLinkFixture::Bytes& request, bool functional) {
    link->ask(request, functional);
  };
  fixture.hear = [&]() -> std::optional<DiagnosticLinkFixture::Bytes> {
    if (link->responses.empty()) return std::nullopt;
    auto first = link->responses.front();
    link->responses.erase(link->responses.begin());
    return first;
  };
  fixture.down = [&] { link->down = true; };
  fixture.up = [&] { link->down = false; };
  fixture.stall = [&] { link->busy = true; };
  fixture.resume = [&] { link->busy = false; };
  return run_diagnostic_link_suite(fixture);
}
