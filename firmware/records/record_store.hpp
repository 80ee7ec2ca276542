// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "firmware/types/warning_level.hpp"
#include "hal/base/clock.hpp"

namespace kerb::records {

/// The folder of records, never more than `max_bytes` in all: before one is begun, the oldest are
/// deleted until there is room for another of `most_bytes`.
///
/// A record is called warning-NNNNNN-UTC-LEVEL.kwr; NNNNNN counts up, so that the oldest is known
/// even where the car's clock was wrong. While it is written it has .part behind its name: one that
/// is left so is the record of a power cut, and is read like any other as far as it goes.
///
/// For one thread. Failures are an errno, 0 is none.
class RecordStore {
 public:
  RecordStore(std::string folder, std::uint64_t max_bytes, std::uint64_t most_bytes);
  ~RecordStore();
  RecordStore(const RecordStore&) = delete;
  RecordStore& operator=(const RecordStore&) = delete;

  /// Creates the folder and counts the records in it.
  int scan();
  /// Whether the disk would take the first seconds of a record now: tries with a file, and deletes
  /// it.
  int probe();
  /// Opens a new record. `utc` since 1970.
  int begin(WarningLevel level, Nanos utc);
  /// EFBIG when it would have more than most_bytes.
  int append(std::span<const std::byte> bytes);
  /// What was appended is on the disk (fdatasync).
  int sync();
  /// On the disk with its last name. Closes it in any case.
  int finish();
  /// Closes it, and leaves it as it is.
  void abandon() noexcept;

  [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }  ///< its last name
  /// How many records ended in .part at scan().
  [[nodiscard]] int left_over() const noexcept { return left_over_; }

 private:
  struct Kept {
    std::uint64_t number = 0, size = 0;
    std::filesystem::path path;
  };
  int list(std::vector<Kept>& out, int& parts) const;
  int make_room();

  const std::string folder_;
  const std::uint64_t max_bytes_, most_bytes_;
  std::uint64_t next_ = 1;
  int left_over_ = 0;
  int fd_ = -1;
  std::uint64_t size_ = 0;
  std::string path_;
};

}  // namespace kerb::records
