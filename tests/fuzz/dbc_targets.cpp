// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "firmware/dbc/dbc.hpp"
#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"

namespace kerb::fuzz {
namespace {

void check(const dbc::Message& message, const dbc::Signal& signal) {
  demand(signal.length >= 1 && signal.length <= 64, "a signal has 1..64 bits");
  demand(signal.factor != 0 && std::isfinite(signal.factor), "a factor is a number, and not 0");
  demand(std::isfinite(signal.offset) && std::isfinite(signal.low) && std::isfinite(signal.high),
         "numbers are finite");
  demand(message.find(signal.name) == &signal, "names of a message's signals differ");
  std::set<unsigned> places;
  for (unsigned i = 0; i < signal.length; ++i) {
    const unsigned place = dbc::place_of_bit(signal, i);
    demand(place < message.size * 8, "signals lie within their messages");
    places.insert(place);
  }
  demand(places.size() == signal.length, "each bit has its own place");
}

}  // namespace

void dbc_file(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const dbc::File file = dbc::parse(text, "fuzz.dbc");
  for (const schema::Problem& problem : file.problems) {
    demand(!problem.rule.empty() && problem.where.file != nullptr, "problems say what and where");
    for (const char c : problem.line())
      demand(c >= ' ' && c <= '~', "problems have printable characters only");
  }
  for (const dbc::Message& message : file.messages) {
    demand(message.size <= 64 && !message.name.empty(), "messages have a name and 0..64 bytes");
    demand(message.id <= (message.extended ? 0x1FFFFFFFu : 0x7FFu), "identifiers are in range");
    demand(file.find(message.name) == &message, "names of messages differ");
    demand(!message.cycle_ms || (*message.cycle_ms > 0 && *message.cycle_ms <= 60000),
           "cycles are in range");
    for (const dbc::Signal& signal : message.signals) check(message, signal);
  }
}

std::vector<Bytes> dbc_seeds() {
  std::vector<Bytes> out;
  for (const char* path :
       {"/firmware/can/kerbwatch.dbc", "/tests/unit/firmware/can/other_vehicle.dbc"}) {
    std::ifstream in{std::string{KERB_FUZZ_DBC_FILES} + path, std::ios::binary};
    out.emplace_back(std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{});
    demand(!out.back().empty(), "a seed is there");
  }
  const std::string_view small =
      "BO_ 1 A: 8 X\n SG_ B m1 : 7|16@0- (0.5,-1e3) [-1|2] \"\" X\nSIG_VALTYPE_ 1 B : 1;\n";
  out.emplace_back(small.begin(), small.end());
  return out;
}

}  // namespace kerb::fuzz
