// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>

namespace kerb {

/// The threads of the CPU backend: a fork-join pool that is created once and waits between frames.
/// One thread at a time may call run(); it takes part in the work, so that a pool of one has no
/// thread of its own. run() allocates nothing.
class Workers {
 public:
  /// `count` threads including the caller's; 0: one for each core this process may use. Fewer where
  /// the system creates no more.
  explicit Workers(int count = 0);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  [[nodiscard]] int count() const noexcept;

  /// Calls body(task, worker) once for every task 0 <= task < tasks, in any order and on any
  /// thread, and returns when all are done. `worker` < count() says which of the pool's threads it
  /// is, for scratch memory: no two calls with the same one run at once. Tasks are handed out one
  /// by one in rising order: put the long ones first. `body` must not throw.
  template <typename Body>
  void run(int tasks, const Body& body) {
    run(
        tasks,
        [](const void* self, int task, int worker) {
          (*static_cast<const Body*>(self))(task, worker);
        },
        &body);
  }

 private:
  using Call = void (*)(const void* body, int task, int worker);
  void run(int tasks, Call call, const void* body);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kerb
