// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/hog/search.hpp"
#include "hal/base/result.hpp"

namespace kerb::train {

/// The settings that decide what a training gives, as text: "name value" lines. Two trainings with
/// the same text and the same data give the same model.
class SettingsText {
 public:
  void add(std::string_view name, const std::string& value);
  void add(std::string_view name, std::int64_t value) { add(name, std::to_string(value)); }
  void add(std::string_view name, std::uint64_t value) { add(name, std::to_string(value)); }
  void add(std::string_view name, int value) { add(name, std::int64_t{value}); }
  void add(std::string_view name, bool value) { add(name, std::string{value ? "yes" : "no"}); }
  void add(std::string_view name, double value);  ///< in the fewest digits that give it back
  void add_geometry(const hog::Geometry& geometry);
  void add_searches(const std::vector<hog::SearchSettings>& searches);
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

/// The state of a training.
struct Checkpoint {
  std::string trainer;           ///< such as "cascade"
  std::string settings;          ///< SettingsText
  std::uint64_t data = 0;        ///< PictureSet's fingerprints, mixed
  std::string log;               ///< the training log so far
  std::vector<std::byte> state;  ///< the trainer's own
};

/// Replaces the checkpoint atomically: after a kill or with a full disk the previous one is intact.
/// Fails, naming the path: io.
Status save(const Checkpoint& checkpoint, const std::string& path);

/// Fails, naming the path: not_found, io, damaged (truncated, altered, not a checkpoint).
Result<Checkpoint> load_checkpoint(const std::string& path);

/// Checks that a checkpoint belongs to this training. Fails, saying what differs: invalid_argument.
Status check_same(const Checkpoint& checkpoint, const std::string& trainer,
                  const std::string& settings, std::uint64_t data);

/// Writes a file under a temporary name beside it, sees it on the disk, and renames it. Fails,
/// naming the path: io.
Status write_whole(const std::string& path, const void* data, std::size_t size);

}  // namespace kerb::train
