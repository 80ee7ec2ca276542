// SPDX-License-Identifier: Apache-2.0
#include "hal/base/result.hpp"

#include <system_error>

namespace kerb {

const char* name_of(Errc code) noexcept {
  switch (code) {
    case Errc::invalid_argument:
      return "invalid_argument";
    case Errc::not_found:
      return "not_found";
    case Errc::unsupported:
      return "unsupported";
    case Errc::timeout:
      return "timeout";
    case Errc::would_block:
      return "would_block";
    case Errc::io:
      return "io";
    case Errc::device:
      return "device";
    case Errc::gone:
      return "gone";
    case Errc::no_signal:
      return "no_signal";
    case Errc::damaged:
      return "damaged";
    case Errc::end:
      return "end";
  }
  return "unknown";
}

std::string describe(const Error& error) {
  std::string line = error.where;
  if (!error.what.empty()) line.append(line.empty() ? "" : ": ").append(error.what.view());
  if (error.code == Errc::device && error.native != 0) {
    line += ": CUDA error " + std::to_string(error.native);
  } else if (error.native != 0) {
    line += ": " + std::generic_category().message(error.native);
  }
  return line.empty() ? name_of(error.code) : line;
}

}  // namespace kerb
