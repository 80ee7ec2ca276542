// SPDX-License-Identifier: Apache-2.0
// Prints a line for every sample: what check_schema.sh hands to the judge.
#include <cstdio>

#include "firmware/events/event_line.hpp"
#include "tests/unit/firmware/events/event_samples.hpp"

int main() {
  std::string lines;
  kerb::EventStamp stamp{0, "0123456789abcdef", std::chrono::seconds{1700000000}};
  for (const kerb::Event& event : event_samples()) {
    kerb::append_line(lines, event, stamp);
    ++stamp.seq;
  }
  std::fputs(lines.c_str(), stdout);
}
