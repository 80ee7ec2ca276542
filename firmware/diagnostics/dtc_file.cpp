// SPDX-License-Identifier: Apache-2.0
#include "firmware/diagnostics/dtc_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <type_traits>

#include "hal/base/crc32.hpp"
#include "hal/base/fault_point.hpp"

namespace kerb::diagnostics {
namespace {

constexpr char kMagic[8] = {'K', 'W', 'D', 'T', 'C', '1', '\r', '\n'};
constexpr std::size_t kCycle = 40;
constexpr std::size_t kEntry = 3 + 2 * 16;
constexpr std::size_t kHead = sizeof kMagic + kCycle + 2;  // and the number of entries
constexpr std::size_t kMostBytes = kHead + 256 * kEntry + 4;

Error damaged() { return Error{Errc::damaged, 0, "read the trouble codes"}; }

/// Numbers are little-endian, whatever the machine.
class Writer {
 public:
  explicit Writer(std::vector<std::byte>& out) : out_{out} {}
  template <typename T>
  void put(T value) {
    const auto bits = static_cast<std::make_unsigned_t<T>>(value);
    for (std::size_t i = 0; i < sizeof(T); ++i)
      out_.push_back(static_cast<std::byte>(std::uint64_t{bits} >> (8 * i) & 0xFFU));
  }
  void put(const FreezeFrame& f) {
    put(f.utc_s);
    put(f.run_s);
    put(f.speed);
    put(f.readiness);
    put(f.state);
    put(f.number);
  }

 private:
  std::vector<std::byte>& out_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_{bytes} {}
  template <typename T>
  void take(T& value) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bits |= std::to_integer<std::uint64_t>(bytes_[i]) << (8 * i);
    value = static_cast<T>(bits);
    bytes_ = bytes_.subspan(sizeof(T));
  }
  void take(FreezeFrame& f) {
    take(f.utc_s);
    take(f.run_s);
    take(f.speed);
    take(f.readiness);
    take(f.state);
    take(f.number);
  }

 private:
  std::span<const std::byte> bytes_;
};

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

std::vector<std::byte> encode(const DtcImage& image) {
  std::vector<std::byte> out;
  out.reserve(kMostBytes);
  Writer writer{out};
  for (const char c : kMagic) writer.put(static_cast<std::uint8_t>(c));
  std::array<char, kCycle> cycle{};
  image.cycle.view().copy(cycle.data(), cycle.size());
  for (const char c : cycle) writer.put(static_cast<std::uint8_t>(c));
  writer.put(static_cast<std::uint16_t>(image.entries.size()));
  for (const DtcEntry& e : image.entries) {
    writer.put(e.status);
    writer.put(e.occurrences);
    writer.put(e.cycles_healed);
    writer.put(e.first);
    writer.put(e.last);
  }
  writer.put(crc32(out.data(), out.size()));
  return out;
}

Result<DtcImage> decode(std::span<const std::byte> bytes) {
  if (bytes.size() < kHead + 4 || bytes.size() > kMostBytes) return damaged();
  for (std::size_t i = 0; i < sizeof kMagic; ++i)
    if (bytes[i] != static_cast<std::byte>(kMagic[i])) return damaged();
  const std::size_t covered = bytes.size() - 4;
  std::uint32_t crc = 0;
  Reader{bytes.subspan(covered)}.take(crc);
  if (crc != crc32(bytes.data(), covered)) return damaged();
  Reader reader{bytes.subspan(sizeof kMagic)};
  std::array<char, kCycle> cycle{};
  for (char& c : cycle) {
    std::uint8_t byte = 0;
    reader.take(byte);
    c = static_cast<char>(byte);
  }
  std::uint16_t count = 0;
  reader.take(count);
  if (covered != kHead + count * kEntry) return damaged();
  DtcImage image;
  const auto end = std::find(cycle.begin(), cycle.end(), '\0');
  image.cycle = std::string_view{cycle.data(), static_cast<std::size_t>(end - cycle.begin())};
  // Causes are only ever appended: an older version wrote fewer, a newer one more.
  for (std::size_t i = 0; i < std::min<std::size_t>(count, image.entries.size()); ++i) {
    DtcEntry& e = image.entries[i];
    reader.take(e.status);
    reader.take(e.occurrences);
    reader.take(e.cycles_healed);
    reader.take(e.first);
    reader.take(e.last);
  }
  return image;
}

Result<DtcImage> load_image(const std::string& path) {
  const File file{path.c_str(), O_RDONLY | O_NONBLOCK};
  if (file.get() < 0)
    return Error{errno == ENOENT ? Errc::not_found : Errc::io, errno, "open the trouble codes",
                 std::string_view{path}};
  std::vector<std::byte> bytes(kMostBytes + 1);
  std::size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t n = ::read(file.get(), bytes.data() + size, bytes.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{Errc::io, errno, "read the trouble codes", std::string_view{path}};
    if (n == 0) break;
    size += static_cast<std::size_t>(n);
  }
  Result<DtcImage> image = decode(std::span{bytes}.first(size));
  if (!image) return Error{Errc::damaged, 0, "read the trouble codes", std::string_view{path}};
  return image;
}

Status save_image(const std::string& path, const DtcImage& image) {
  const auto fail = [&](int err) {
    return Error{Errc::io, err, "write the trouble codes", std::string_view{path}};
  };
  std::string folder = std::filesystem::path{path}.parent_path().string();
  if (folder.empty()) folder = ".";
  std::error_code ignored;  // open() says what is wrong
  std::filesystem::create_directories(folder, ignored);
  const std::string fresh = path + ".new";
  {
    const File file{fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC};
    if (file.get() < 0) return fail(errno);
    if (const int err = write_all(file.get(), encode(image)); err != 0) {
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
