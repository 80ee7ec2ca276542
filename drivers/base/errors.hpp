// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cerrno>
#include <string_view>

#include "hal/base/result.hpp"

namespace kerb {

/// The Error for a device that could not be opened: not_found when there is none, unsupported when
/// the name is something else's, io otherwise (busy, not permitted).
[[nodiscard]] inline Error open_error(int err, const char* where, std::string_view what) noexcept {
  switch (err) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
    case ENOTDIR:
      return Error{Errc::not_found, err, where, what};
    case EISDIR:
    case ENOTTY:
      return Error{Errc::unsupported, err, where, what};
    default:
      return Error{Errc::io, err, where, what};
  }
}

/// The Error for an opened device that fails: gone when it was removed, io otherwise.
[[nodiscard]] inline Error use_error(int err, const char* where, std::string_view what) noexcept {
  const bool left = err == ENODEV || err == ENXIO || err == ESHUTDOWN;
  return Error{left ? Errc::gone : Errc::io, err, where, what};
}

}  // namespace kerb
