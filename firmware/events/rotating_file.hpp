// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace kerb {

/// Lines of JSON in a file of bounded size, and older ones beside it: PATH, PATH.1 ...
/// PATH.(files-1). Never more than files * max_bytes on disk. For one thread. Failures are an
/// errno, 0 is none; every call may be repeated after one. The file is locked (flock), so that two
/// programs cannot mix their lines: EWOULDBLOCK.
class RotatingFile {
 public:
  /// Opens nothing yet. `files` >= 1; with 1 a full file starts again empty.
  RotatingFile(std::string path, std::uint64_t max_bytes, int files);
  ~RotatingFile();
  RotatingFile(const RotatingFile&) = delete;
  RotatingFile& operator=(const RotatingFile&) = delete;

  /// Opens the file unless it is open and still the one at PATH; makes it and its folders; cuts off
  /// what is no line of JSON among its last MiB, where a kill or a power cut may have torn it;
  /// deletes old files beyond the bounds.
  int open();
  /// Writes the line, which ends in a line feed and fits max_bytes, entirely or not at all.
  int append(std::string_view line);
  /// Forces all that was appended onto the disk (fdatasync).
  int sync();
  /// Bytes that open() has cut off since the last call.
  std::uint64_t take_bytes_cut() noexcept;

 private:
  int open_new();
  int repair(std::uint64_t size);
  int rotate();
  void trim() const;
  void close() noexcept;
  [[nodiscard]] std::string name(int age) const;
  [[nodiscard]] std::string folder() const;

  const std::string path_;
  const std::uint64_t max_bytes_;
  const int files_;
  int fd_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  bool regular_ = false;    // otherwise a device, which is never full
  bool torn_ = false;       // bytes of a refused line lie behind size_
  std::uint64_t size_ = 0;  // of whole lines
  std::uint64_t bytes_cut_ = 0;
};

}  // namespace kerb
