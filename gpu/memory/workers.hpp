// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>

namespace kerb {

/// The threads of the CPU backend: a fork-join pool that is made once and waits between frames.
/// One thread at a time may call run(); it does its share of the work itself, so that a pool of one
/// has no thread at all. run() allocates nothing.
class Workers {
 public:
  /// `count` threads in all, the caller's included; 0: one for each core this process may use.
  /// Fewer where the machine gives no more.
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
