// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <string>

#include "hal/base/clock.hpp"
#include "tools/train/checkpoint.hpp"

namespace kerb::train {

/// The files a training leaves while it runs.
struct TrainFiles {
  std::string checkpoint;  ///< empty: none is kept
  std::string log;         ///< JSON lines; empty: none is kept
  bool resume = false;     ///< continue from the checkpoint, if there is one
};

/// One training's checkpoint and log, and its watch. The log in the file is always that of the
/// checkpoint, so that a training that was killed and resumed leaves every line once.
class Session {
 public:
  Session(const Clock& clock, TrainFiles files, std::string trainer, std::string settings,
          std::uint64_t data);

  /// The state to continue from; empty: none. Fails: as load_checkpoint() (but for not_found),
  /// check_same(); invalid_argument (there is a checkpoint, but `resume` is false).
  Result<std::vector<std::byte>> begin();
  /// Adds a line to the log (of the next checkpoint).
  void log(const std::string& json);
  /// Writes checkpoint and log. Fails: io.
  Status keep(const std::vector<std::byte>& state);
  /// Writes the log and removes the checkpoint: call it once the model is safe. Fails: io.
  Status finish();
  [[nodiscard]] const std::string& trainer() const noexcept { return checkpoint_.trainer; }
  [[nodiscard]] const std::string& settings() const noexcept { return checkpoint_.settings; }
  /// Since the training began, earlier runs included.
  [[nodiscard]] double seconds() const;

 private:
  Status write_log() const;
  const Clock& clock_;
  TrainFiles files_;
  Checkpoint checkpoint_;
  Nanos start_;
  double before_ = 0;  // seconds of earlier runs
};

}  // namespace kerb::train
