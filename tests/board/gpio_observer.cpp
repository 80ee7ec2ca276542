// SPDX-License-Identifier: Apache-2.0
#include "tests/board/gpio_observer.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/board/posix.hpp"

namespace kerb::board {

// "gpiochip0: GPIOs 504-511, parent: ..." and, for each held line,
// " gpio-509 (                    |kerbwatch warning la) out hi "
std::optional<LineState> observe_line(int offset) {
  const char* path = "/sys/kernel/debug/gpio";
  std::ifstream file(path);
  if (!file) throw BoardError(std::string("cannot read ") + path);
  int base = -1;
  for (std::string line; std::getline(file, line);) {
    int first = 0;
    int last = 0;
    if (base < 0 && std::sscanf(line.c_str(), "gpiochip0: GPIOs %d-%d", &first, &last) == 2)
      base = first;
    int number = 0;
    if (base < 0 || std::sscanf(line.c_str(), " gpio-%d (", &number) != 1) continue;
    if (number != base + offset) continue;
    const auto bar = line.find('|');
    const auto end = line.find(')', bar);
    if (bar == std::string::npos || end == std::string::npos) break;
    const std::string rest = line.substr(end + 1);
    std::string consumer = line.substr(bar + 1, end - bar - 1);
    consumer.erase(consumer.find_last_not_of(' ') + 1);  // padded to 20 characters
    return LineState{rest.find(" out ") != std::string::npos, rest.find(" hi") != std::string::npos,
                     consumer};
  }
  if (base < 0) throw BoardError(std::string(path) + " has no gpiochip0");
  return std::nullopt;
}

}  // namespace kerb::board
