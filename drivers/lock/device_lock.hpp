// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include "drivers/base/unique_fd.hpp"
#include "hal/base/result.hpp"

namespace kerb {

/// That this process alone uses something, among all processes that ask. It is the name of a socket
/// outside the file system: no file is left behind, it ends with the process however that ends, and
/// it needs no rights. Processes in different network namespaces do not see each other's.
class DeviceLock {
 public:
  /// `kind` and `place` together are the name; "camera", "/dev/video0". A device node or a file
  /// that exists is the same under all its names.
  /// Fails: would_block (another process has it: which one is in the error's text), io (the system
  /// has no such sockets).
  static Result<DeviceLock> take(std::string_view kind, const std::string& place);

 private:
  explicit DeviceLock(UniqueFd socket) noexcept : socket_{std::move(socket)} {}
  UniqueFd socket_;
};

}  // namespace kerb
