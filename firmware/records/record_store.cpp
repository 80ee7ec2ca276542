// SPDX-License-Identifier: Apache-2.0
#include "firmware/records/record_store.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string_view>
#include <system_error>
#include <utility>

#include "hal/base/fault_point.hpp"

namespace kerb::records {
namespace {

constexpr std::string_view kPrefix = "warning-", kSuffix = ".kwr", kPart = ".part";
constexpr off_t kProbe = off_t{1} << 20;
constexpr std::size_t kMostFiles = 10000;  // a folder that can still be listed

std::string name_for(std::uint64_t number, WarningLevel level, Nanos utc) {
  const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(utc).count();
  std::tm time{};
  ::gmtime_r(&seconds, &time);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &time);
  char name[96];
  std::snprintf(name, sizeof name, "warning-%06llu-%s-%s.kwr",
                static_cast<unsigned long long>(number), stamp, name_of(level));
  return name;
}

/// The number of a record's name; 0: not one of ours.
std::uint64_t number_of(std::string_view name) {
  if (name.ends_with(kPart)) name.remove_suffix(kPart.size());
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return 0;
  name.remove_prefix(kPrefix.size());
  std::uint64_t number = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
  return read.ec == std::errc{} && *read.ptr == '-' ? number : 0;
}

int sync_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return errno;
  const int error = ::fsync(fd) == 0 ? 0 : errno;
  ::close(fd);
  return error;
}

}  // namespace

RecordStore::RecordStore(std::string folder, std::uint64_t max_bytes, std::uint64_t most_bytes)
    : folder_{std::move(folder)},
      max_bytes_{max_bytes},
      most_bytes_{std::min(most_bytes, max_bytes)} {}

RecordStore::~RecordStore() { abandon(); }

int RecordStore::list(std::vector<Kept>& out, int& parts) const {
  parts = 0;
  std::error_code error;
  std::filesystem::directory_iterator entry{folder_, error};
  for (; !error && entry != std::filesystem::directory_iterator{}; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const std::uint64_t number = number_of(name);
    if (number == 0) continue;
    std::error_code gone;
    const std::uint64_t size = entry->file_size(gone);
    if (gone) continue;
    if (name.ends_with(kPart)) ++parts;
    out.push_back({number, size, entry->path()});
  }
  std::sort(out.begin(), out.end(),
            [](const Kept& a, const Kept& b) { return a.number < b.number; });
  return error.value();
}

int RecordStore::scan() {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) return error.value();
  std::vector<Kept> kept;
  if (const int reason = list(kept, left_over_); reason != 0) return reason;
  if (!kept.empty()) next_ = std::max(next_, kept.back().number + 1);
  return 0;
}

int RecordStore::probe() {
  if (const int reason = scan(); reason != 0) return reason;
  const std::string path = folder_ + "/.probe";
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
  if (fd < 0) return errno;
  int error = ::posix_fallocate(fd, 0, kProbe);
  if (error == 0 && ::fsync(fd) != 0) error = errno;
  ::close(fd);
  ::unlink(path.c_str());
  return error;
}

int RecordStore::make_room() {
  std::vector<Kept> kept;
  int parts = 0;
  if (const int reason = list(kept, parts); reason != 0) return reason;
  std::uint64_t total = 0;
  for (const Kept& one : kept) total += one.size;
  std::size_t files = kept.size();
  for (const Kept& one : kept) {
    if (total + most_bytes_ <= max_bytes_ && files < kMostFiles) break;
    std::error_code error;
    std::filesystem::remove(one.path, error);
    if (error) return error.value();
    total -= one.size;
    --files;
  }
  if (!kept.empty()) next_ = std::max(next_, kept.back().number + 1);
  return 0;
}

int RecordStore::begin(WarningLevel level, Nanos utc) {
  abandon();
  if (const int reason = scan(); reason != 0) return reason;
  if (const int reason = make_room(); reason != 0) return reason;
  // Several programs may share a folder: if the number is taken, try the next one.
  for (int tries = 0; fd_ < 0; ++tries) {
    path_ = folder_ + "/" + name_for(next_++, level, utc);
    const std::string part = path_ + std::string{kPart};
    fd_ = fault_point("records.open")
              ? -1
              : ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    if (fd_ < 0 && (errno != EEXIST || tries == 100)) return errno;
  }
  size_ = 0;
  return sync_folder(folder_);  // its name must survive as well as its bytes
}

int RecordStore::append(std::span<const std::byte> bytes) {
  if (fd_ < 0) return EBADF;
  if (size_ + bytes.size() > most_bytes_) return EFBIG;
  while (!bytes.empty()) {
    const ssize_t n = fault_point("records.write") ? -1 : ::write(fd_, bytes.data(), bytes.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    if (n == 0) return EIO;
    size_ += static_cast<std::uint64_t>(n);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return 0;
}

int RecordStore::sync() {
  return !fault_point("records.sync") && ::fdatasync(fd_) == 0 ? 0 : errno;
}

int RecordStore::finish() {
  int error = ::fsync(fd_) == 0 ? 0 : errno;
  if (::close(std::exchange(fd_, -1)) != 0 && error == 0) error = errno;
  if (error != 0) return error;
  if (::rename((path_ + std::string{kPart}).c_str(), path_.c_str()) != 0) return errno;
  return sync_folder(folder_);
}

void RecordStore::abandon() noexcept {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

}  // namespace kerb::records
