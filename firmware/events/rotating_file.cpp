// SPDX-License-Identifier: Apache-2.0
#include "firmware/events/rotating_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "hal/base/fault_point.hpp"

namespace kerb {
namespace {

constexpr std::uint64_t kRepairWindow = 1 << 20;

/// All of `bytes`, at `offset` (behind the last where offset is negative). 0 or errno.
int write_all(int fd, std::string_view bytes, off_t offset) {
  while (!bytes.empty()) {
    const ssize_t n = fault_point("events.write") ? -1
                      : offset < 0                ? ::write(fd, bytes.data(), bytes.size())
                                   : ::pwrite(fd, bytes.data(), bytes.size(), offset);
    if (n < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    if (n == 0) return EIO;
    bytes.remove_prefix(static_cast<std::size_t>(n));
    if (offset >= 0) offset += n;
  }
  return 0;
}

int read_all(int fd, std::string& bytes, std::uint64_t offset) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n =
        ::pread(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (n < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  bytes.resize(done);
  return 0;
}

int truncate_to(int fd, std::uint64_t size) {
  return ::ftruncate(fd, static_cast<off_t>(size)) == 0 ? 0 : errno;
}

/// The lines of `bytes` that are JSON objects; a last one without its line feed gets one.
std::string whole_lines(std::string_view bytes) {
  std::string good;
  good.reserve(bytes.size() + 1);
  while (!bytes.empty()) {
    const std::string_view line = bytes.substr(0, bytes.find('\n'));
    if (line.starts_with('{') && nlohmann::json::accept(line)) good.append(line).append("\n");
    bytes.remove_prefix(std::min(line.size() + 1, bytes.size()));
  }
  return good;
}

}  // namespace

RotatingFile::RotatingFile(std::string path, std::uint64_t max_bytes, int files)
    : path_{std::move(path)}, max_bytes_{max_bytes}, files_{files} {}

RotatingFile::~RotatingFile() { close(); }

void RotatingFile::close() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

std::string RotatingFile::name(int age) const {
  return age == 0 ? path_ : path_ + "." + std::to_string(age);
}

std::string RotatingFile::folder() const {
  std::string parent = std::filesystem::path{path_}.parent_path().string();
  return parent.empty() ? "." : parent;
}

std::uint64_t RotatingFile::take_bytes_cut() noexcept { return std::exchange(bytes_cut_, 0); }

int RotatingFile::open() {
  if (fd_ >= 0) {
    struct stat there {};
    if (::stat(path_.c_str(), &there) == 0 && there.st_dev == device_ && there.st_ino == inode_)
      return 0;
    close();  // somebody moved or deleted it: start a new one
  }
  const int error = open_new();
  if (error != 0) close();
  return error;
}

int RotatingFile::open_new() {
  std::error_code ignored;  // open() says what is wrong
  std::filesystem::create_directories(folder(), ignored);
  // O_NONBLOCK: a pipe without a reader is an error, not a wait.
  fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0640);
  if (fd_ < 0) return errno;
  struct stat here {};
  if (::fstat(fd_, &here) != 0) return errno;
  device_ = here.st_dev;
  inode_ = here.st_ino;
  regular_ = S_ISREG(here.st_mode);
  torn_ = false;
  size_ = 0;
  if (!regular_) return 0;  // a device or a pipe may have many writers: no lock
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) return errno;
  if (::fstat(fd_, &here) != 0) return errno;  // again: the size counts only under the lock
  if (const int error = repair(static_cast<std::uint64_t>(here.st_size)); error != 0) return error;
  trim();
  // The name must survive a power cut as well as the lines. A folder that cannot be opened or
  // synced is no reason to write nothing.
  if (const int dir = ::open(folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); dir >= 0) {
    ::fsync(dir);
    ::close(dir);
  }
  return 0;
}

int RotatingFile::repair(std::uint64_t size) {
  const std::uint64_t before = size;
  std::string bytes;
  std::string good;
  std::uint64_t begin = size;
  // One window, but for one that has not a single whole line: that is damage, and the one before it
  // is looked at.
  while (good.empty() && begin > 0) {
    size = begin;
    begin = size > kRepairWindow ? size - kRepairWindow : 0;
    bytes.resize(size - begin);
    if (const int error = read_all(fd_, bytes, begin); error != 0) return error;
    std::size_t first = 0;  // the window may begin within a line, which is then taken as good
    if (begin > 0) {
      first = bytes.find('\n');
      if (first == std::string::npos) continue;
      ++first;
    }
    good = bytes.substr(0, first) + whole_lines(std::string_view{bytes}.substr(first));
  }
  size_ = begin + good.size();
  const auto differ = std::mismatch(good.begin(), good.end(), bytes.begin(), bytes.end()).first;
  const auto same = static_cast<std::size_t>(differ - good.begin());
  if (same == good.size() && size_ == before) return 0;
  // In place: it needs no room, and when it is interrupted the next open() repairs what it left.
  const std::string_view rest = std::string_view{good}.substr(same);
  if (const int error = write_all(fd_, rest, static_cast<off_t>(begin + same)); error != 0)
    return error;
  if (const int error = truncate_to(fd_, size_); error != 0) return error;
  if (::fdatasync(fd_) != 0) return errno;
  if (size_ < before) bytes_cut_ += before - size_;
  return 0;
}

int RotatingFile::append(std::string_view line) {
  if (const int error = open(); error != 0) return error;
  if (!regular_) return write_all(fd_, line, -1);
  if (torn_) {
    if (const int error = truncate_to(fd_, size_); error != 0) return error;
    torn_ = false;
  }
  if (size_ > 0 && size_ + line.size() > max_bytes_) {
    if (const int error = rotate(); error != 0) return error;
  }
  if (const int error = write_all(fd_, line, static_cast<off_t>(size_)); error != 0) {
    torn_ = truncate_to(fd_, size_) != 0;
    return error;
  }
  size_ += line.size();
  return 0;
}

int RotatingFile::sync() {
  if (fd_ < 0 || !regular_) return 0;
  return !fault_point("events.sync") && ::fdatasync(fd_) == 0 ? 0 : errno;
}

int RotatingFile::rotate() {
  ::fdatasync(fd_);  // older files are never looked at again; where it fails, append() and sync()
                     // will say so
  if (files_ == 1) {
    if (const int error = truncate_to(fd_, 0); error != 0) return error;
    size_ = 0;
    return 0;
  }
  // Oldest first, each rename atomic: a kill in between leaves a gap in the numbers, which is
  // filled next time.
  int free = 1;
  while (free < files_ - 1 && ::access(name(free).c_str(), F_OK) == 0) ++free;
  for (int age = free; age > 0; --age)
    if (::rename(name(age - 1).c_str(), name(age).c_str()) != 0) return errno;
  return open();
}

void RotatingFile::trim() const {
  struct Old {
    int age;
    std::uint64_t size;
    std::filesystem::path path;
  };
  std::vector<Old> olds;
  const std::string prefix = std::filesystem::path{path_}.filename().string() + ".";
  std::error_code error;
  std::filesystem::directory_iterator entry{folder(), error};
  for (; !error && entry != std::filesystem::directory_iterator{}; entry.increment(error)) {
    const std::string file = entry->path().filename().string();
    if (!file.starts_with(prefix)) continue;
    int age = 0;
    const char* last = file.data() + file.size();
    const auto number = std::from_chars(file.data() + prefix.size(), last, age);
    if (number.ec != std::errc{} || number.ptr != last || age < 1) continue;
    std::error_code unsized;
    const std::uint64_t size = entry->file_size(unsized);
    if (!unsized) olds.push_back({age, size, entry->path()});
  }
  std::sort(olds.begin(), olds.end(), [](const Old& a, const Old& b) { return a.age < b.age; });
  std::uint64_t room = max_bytes_ * static_cast<std::uint64_t>(files_ - 1);
  for (const Old& old : olds) {
    if (old.age < files_ && old.size <= room) {
      room -= old.size;
      continue;
    }
    room = 0;  // what is older than a deleted one goes too
    std::filesystem::remove(old.path, error);
  }
}

}  // namespace kerb
