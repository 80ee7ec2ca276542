// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "firmware/types/self_test.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/result.hpp"

namespace kerb {

/// Writes a small file in a folder, which is made if it is missing, syncs it, reads it again from
/// the disk and removes it. Fails: io, damaged (something else was read).
Status check_storage(const std::string& folder);

/// check_storage() for several folders, on a thread of its own: a disk that hangs holds nobody. It
/// tries again every second until all have passed: a full disk may get room.
class StorageTest {
 public:
  /// Longer than this, in real time, is a failure, until it goes on.
  static constexpr Nanos kLimit = std::chrono::seconds{3};

  /// Begins. Where there is no thread to be had, it has failed.
  explicit StorageTest(std::vector<std::string> folders);
  ~StorageTest();
  StorageTest(const StorageTest&) = delete;
  StorageTest& operator=(const StorageTest&) = delete;

  /// Now. Any thread; never waits.
  [[nodiscard]] TestResult result() const noexcept;
  /// Why it failed first; null while it has not failed, or while it hangs. Any thread.
  [[nodiscard]] const Error* error() const noexcept;

 private:
  struct Core;
  std::shared_ptr<Core> core_;  // shared with the thread, which outlives this when a disk hangs
};

}  // namespace kerb
