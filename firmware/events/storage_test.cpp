// SPDX-License-Identifier: Apache-2.0
#include "firmware/events/storage_test.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <utility>

#include "firmware/threads/disk_thread.hpp"

namespace kerb {
namespace {

constexpr std::size_t kBytes = 4096;
constexpr std::chrono::seconds kAgain{1};  // after a failure

int try_file(int fd) noexcept {
  std::array<unsigned char, kBytes> bytes{}, again{};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<unsigned char>(i * 131 + i / 256);
  if (const ssize_t n = ::write(fd, bytes.data(), bytes.size()); n != ssize_t{kBytes})
    return n < 0 ? errno : ENOSPC;
  if (::fsync(fd) != 0) return errno;
  ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);  // from the disk, where the system does so
  if (const ssize_t n = ::pread(fd, again.data(), again.size(), 0); n != ssize_t{kBytes})
    return n < 0 ? errno : EIO;
  return again == bytes ? 0 : EBADMSG;
}

}  // namespace

Status check_storage(const std::string& folder) {
  const std::string where = folder.empty() ? "." : folder;
  std::error_code ignored;  // open() says what is wrong
  std::filesystem::create_directories(where, ignored);
  const std::string path = where + "/.kerbwatch-self-test";
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  int err = fd < 0 ? errno : try_file(fd);
  if (fd >= 0) {
    ::close(fd);
    if (::unlink(path.c_str()) != 0 && err == 0) err = errno;
  }
  if (err == 0) return Done{};
  return Error{err == EBADMSG ? Errc::damaged : Errc::io, err, "self-test of the storage",
               std::string_view{where}};
}

struct StorageTest::Core {
  explicit Core(std::vector<std::string> wanted) : folders{std::move(wanted)} {
    std::ranges::sort(folders);
    folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  }

  std::vector<std::string> folders;
  DiskThread thread;
  bool runs = false;                                          ///< there is a thread to be stopped
  Error error{Errc::io, ENOMEM, "self-test of the storage"};  ///< the thread's until `result`
  std::atomic<TestResult> result{TestResult::not_run};

  /// Done, or why the first folder that takes no file does not.
  Status try_all() {
    for (const std::string& folder : folders) {
      thread.step();
      if (Status s = check_storage(folder); !s) return s;
    }
    return Done{};
  }
  void run() noexcept {
    try {
      while (!thread.stopping()) {
        if (const Status s = try_all(); s) {
          result.store(TestResult::passed, std::memory_order_release);
          return;
        } else if (result.load(std::memory_order_relaxed) != TestResult::failed) {
          error = s.error();  // the first: others may be reading it later
          result.store(TestResult::failed, std::memory_order_release);
        }
        thread.sleep_until(SteadyClock::now() + kAgain);
      }
    } catch (const std::exception&) {
      result.store(TestResult::failed, std::memory_order_release);
    }
  }
};

StorageTest::StorageTest(std::vector<std::string> folders)
    : core_{std::make_shared<Core>(std::move(folders))} {
  if (core_->folders.empty()) return;
  const int err = core_->thread.start([core = core_] { core->run(); });
  core_->runs = err == 0;
  if (core_->runs) return;
  core_->error.native = err;
  core_->result.store(TestResult::failed, std::memory_order_release);
}

StorageTest::~StorageTest() {
  if (core_->runs) core_->thread.stop(std::chrono::milliseconds{500});
}

TestResult StorageTest::result() const noexcept {
  const TestResult result = core_->result.load(std::memory_order_acquire);
  if (result == TestResult::not_run && core_->thread.stuck_for() >= kLimit)
    return TestResult::failed;
  return result;
}

const Error* StorageTest::error() const noexcept {
  const bool failed = core_->result.load(std::memory_order_acquire) == TestResult::failed;
  return failed ? &core_->error : nullptr;
}

}  // namespace kerb
