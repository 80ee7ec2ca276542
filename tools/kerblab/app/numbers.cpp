// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/app/numbers.hpp"

#include <charconv>
#include <cmath>
#include <string_view>

namespace kerb::lab {

Result<std::vector<double>> parse_numbers(const char* option, const char* form,
                                          const std::string& text, std::size_t least,
                                          std::size_t most) {
  const auto refused = [&] {
    const std::string what = "'" + text.substr(0, 40) + "' is not " + form;
    return Error{Errc::invalid_argument, 0, option, std::string_view{what}};
  };
  std::vector<double> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    double number = 0;
    const std::from_chars_result read = std::from_chars(at, end, number);
    if (read.ec != std::errc{} || !std::isfinite(number)) return refused();
    numbers.push_back(number);
    at = read.ptr;
    if (at == end) break;
    if (*at++ != ',') return refused();
  }
  if (numbers.size() < least || numbers.size() > most) return refused();
  return numbers;
}

}  // namespace kerb::lab
