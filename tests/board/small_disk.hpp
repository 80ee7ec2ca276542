// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace kerb::board {

/// A file system of its own, in memory, that can be filled to its last byte. Unmounted when
/// destroyed.
class SmallDisk {
 public:
  /// Mounts it at `folder`, which is made. Throws BoardError.
  SmallDisk(std::string folder, std::size_t bytes);
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk();

  const std::string& folder() const { return folder_; }
  /// Leaves no room for another byte.
  void fill() const;
  void make_room() const;
  /// Bytes that can still be written.
  std::uint64_t room() const;

 private:
  std::string filler() const { return folder_ + "/filler"; }

  std::string folder_;
};

}  // namespace kerb::board
