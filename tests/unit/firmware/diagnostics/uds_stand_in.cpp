// SPDX-License-Identifier: Apache-2.0
// The diagnostics of a car without a bus: lines of text in, one line out for each. For
// check_with_udsoncan.py.
//   P 1003            a request to this control unit: the response, or "-"
//   F 3E00            a request to all control units
//   fault NAME CAMERA NUMBER, healed
//   speed MPS, speed unknown
//   run SECONDS       of the car's time
//   ignition          a new operation cycle, with the codes that were kept
//   outputs           what lamps and sound do
#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include "tests/unit/firmware/diagnostics/car.hpp"

namespace {

using namespace kerb;
using test::Bytes;

std::string hex_of(const std::optional<Bytes>& bytes) {
  if (!bytes) return "-";
  std::string out;
  for (const std::uint8_t byte : *bytes) {
    char text[3];
    std::snprintf(text, sizeof text, "%02X", byte);
    out += text;
  }
  return out;
}

Bytes from_hex(const std::string& text) {
  Bytes out;
  for (std::size_t at = 0; at + 1 < text.size(); at += 2)
    out.push_back(static_cast<std::uint8_t>(std::stoul(text.substr(at, 2), nullptr, 16)));
  return out;
}

Cause cause_of(const std::string& name) {
  for (int c = 1; c < kCauseCount; ++c)
    if (name == name_of(static_cast<Cause>(c))) return static_cast<Cause>(c);
  std::fprintf(stderr, "no cause %s\n", name.c_str());
  std::exit(2);
}

std::string answer(std::unique_ptr<test::Car>& car, int& cycle, std::istream& words) {
  std::string command, word;
  words >> command >> word;
  if (command == "P" || command == "F") return hex_of(car->ask(from_hex(word), command == "F"));
  if (command == "fault") {
    car->fault = cause_of(word);
    words >> car->camera >> car->number;
  } else if (command == "healed") {
    car->fault.reset();
  } else if (command == "speed") {
    car->speed = word == "unknown" ? std::nullopt : std::optional{std::stod(word)};
  } else if (command == "run") {
    car->run(Nanos{static_cast<Nanos::rep>(std::stod(word) * 1e9)});
  } else if (command == "ignition") {
    const diagnostics::DtcImage image = car->diagnostics->memory().image();
    car = std::make_unique<test::Car>(2, true, true, image, std::to_string(++cycle).c_str());
  } else if (command == "outputs") {
    const std::optional<bool> amber = car->outputs.status_lamp();
    return std::string{"warning "} + name_of(car->outputs.lamp()) + ", status " +
           (amber ? (*amber ? "on" : "off") : "free") + ", tone " +
           (car->outputs.sound() ? "on" : "off");
  } else {
    return "what is '" + command + "'?";
  }
  return "done";
}

}  // namespace

int main() {
  auto car = std::make_unique<test::Car>(2);
  int cycle = 0;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words{line};
    std::printf("%s\n", answer(car, cycle, words).c_str());
    std::fflush(stdout);
  }
}
