// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "hal/base/result.hpp"

namespace kerb::train {

/// Receives the progress of a training, for example for a progress bar. Called by one thread.
class Observer {
 public:
  virtual ~Observer() = default;
  /// `done` of `all` steps of what is going on now, such as "stage 4: negatives"; `note` is how it
  /// stands, such as a rate.
  virtual void progress(const std::string& what, std::size_t done, std::size_t all,
                        const std::string& note) {
    static_cast<void>(what), static_cast<void>(done), static_cast<void>(all);
    static_cast<void>(note);
  }
  void progress(const std::string& what, std::size_t done, std::size_t all) {
    progress(what, done, all, {});
  }
  /// A line worth keeping, such as what a stage has reached.
  virtual void say(const std::string& line) { static_cast<void>(line); }
};

/// An Error whose text is the end of `what` where that is too long: of a path, the file's name.
[[nodiscard]] Error failure(Errc code, const char* where, std::string_view what, int native = 0);

}  // namespace kerb::train
