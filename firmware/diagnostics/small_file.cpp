// SPDX-License-Identifier: Apache-2.0
#include "firmware/diagnostics/small_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "hal/base/fault_point.hpp"

namespace kerb::diagnostics {
namespace {

class File {
 public:
  File(const char* path, int flags) : fd_{::open(path, flags | O_CLOEXEC | O_NOCTTY, 0640)} {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

int write_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = fault_point("codes.write") ? -1 : ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : EIO;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return ::fdatasync(fd) == 0 ? 0 : errno;
}

}  // namespace

Result<std::vector<std::byte>> read_small_file(const std::string& path, std::size_t most,
                                               const char* what) {
  const File file{path.c_str(), O_RDONLY | O_NONBLOCK};
  if (file.get() < 0)
    return Error{errno == ENOENT ? Errc::not_found : Errc::io, errno, what, std::string_view{path}};
  std::vector<std::byte> bytes(most + 1);
  std::size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t n = ::read(file.get(), bytes.data() + size, bytes.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{Errc::io, errno, what, std::string_view{path}};
    if (n == 0) break;
    size += static_cast<std::size_t>(n);
  }
  bytes.resize(size);
  return bytes;
}

Status replace_small_file(const std::string& path, std::span<const std::byte> bytes,
                          const char* what) {
  const auto fail = [&](int err) { return Error{Errc::io, err, what, std::string_view{path}}; };
  std::string folder = std::filesystem::path{path}.parent_path().string();
  if (folder.empty()) folder = ".";
  std::error_code ignored;  // open() says what is wrong
  std::filesystem::create_directories(folder, ignored);
  const std::string fresh = path + ".new";
  {
    const File file{fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC};
    if (file.get() < 0) return fail(errno);
    if (const int err = write_all(file.get(), bytes); err != 0) {
      ::unlink(fresh.c_str());
      return fail(err);
    }
  }
  if (::rename(fresh.c_str(), path.c_str()) != 0) {
    const int err = errno;
    ::unlink(fresh.c_str());
    return fail(err);
  }
  // The name must survive a power cut as well. A folder that cannot be synced is no failure.
  if (const File dir{folder.c_str(), O_RDONLY | O_DIRECTORY}; dir.get() >= 0) ::fsync(dir.get());
  return Done{};
}

}  // namespace kerb::diagnostics
