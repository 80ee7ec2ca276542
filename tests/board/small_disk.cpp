// SPDX-License-Identifier: Apache-2.0
#include "tests/board/small_disk.hpp"

#include <sys/mount.h>
#include <sys/statvfs.h>

#include <filesystem>
#include <vector>

#include "tests/board/posix.hpp"

namespace kerb::board {

SmallDisk::SmallDisk(std::string folder, std::size_t bytes) : folder_(std::move(folder)) {
  std::filesystem::create_directories(folder_);
  const std::string options = "size=" + std::to_string(bytes);
  if (::mount("small", folder_.c_str(), "tmpfs", 0, options.c_str()) != 0)
    fail_with_errno("mount " + folder_);
}

SmallDisk::~SmallDisk() { ::umount2(folder_.c_str(), MNT_DETACH); }

void SmallDisk::fill() const {
  const File file(filler(), O_WRONLY | O_CREAT | O_APPEND);
  const std::vector<char> block(std::size_t{64} << 10, 'x');
  for (std::size_t size = block.size(); size > 0;)
    if (::write(file.get(), block.data(), size) <= 0) {
      if (errno != ENOSPC) fail_with_errno("fill " + folder_);
      size /= 2;
    }
  if (room() != 0) throw BoardError(folder_ + " cannot be filled");
}

void SmallDisk::make_room() const { std::filesystem::remove(filler()); }

std::uint64_t SmallDisk::room() const {
  struct statvfs now {};
  if (::statvfs(folder_.c_str(), &now) != 0) fail_with_errno("statvfs " + folder_);
  return std::uint64_t{now.f_bavail} * now.f_bsize;
}

}  // namespace kerb::board
