// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace kerb::board {

/// A program of ours in a process of its own; killed when destroyed. Its output goes to a file.
class Process {
 public:
  /// `environment` adds to ours, as "NAME=value".
  Process(const std::vector<std::string>& command, std::string output_path,
          const std::vector<std::string>& environment = {});
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  pid_t id() const { return id_; }
  bool is_running();
  void signal(int number) const;
  /// The exit code, or 128 and the signal's number; nothing when it still runs after `seconds`.
  std::optional<int> wait(double seconds);
  std::string output() const;

 private:
  pid_t id_ = -1;
  std::optional<int> code_;
  std::string output_path_;
};

/// A process that `parent` has started and that is not dead; nothing: none.
std::optional<pid_t> child_of(pid_t parent);
/// Whether there is no such process, or it is dead and only its parent has not asked yet.
bool is_gone(pid_t process);

}  // namespace kerb::board
