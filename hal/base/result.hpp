// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "hal/base/text.hpp"

namespace kerb {

/// What went wrong, in terms a caller can act on. Few codes, shared by every folder.
enum class Errc : std::uint8_t {
  invalid_argument,  ///< the request is wrong: correct it
  not_found,         ///< no such device, file or model
  unsupported,       ///< it is there, but cannot do this
  timeout,           ///< nothing came in time; try again
  would_block,       ///< a queue is full or empty now; try again
  io,                ///< the operating system refused
  device,            ///< the GPU refused
  gone,              ///< the device was removed or failed: close it and open it again
  no_signal,         ///< the device works, but its input has no signal
  damaged,           ///< this one item is corrupt; the next may be good
  end                ///< a recording has ended
};

/// A stable lower-case name, such as "not_found": for logs.
[[nodiscard]] const char* name_of(Errc code) noexcept;

struct Error {
  Errc code = Errc::io;
  int native = 0;  ///< errno or cudaError_t: for the log, never for branching.
  const char* where =
      "";            ///< What was being done. A string literal, so that failing never allocates.
  Text<112> what{};  ///< The thing it was done to: a path, a key and its value.
};

/// One line for a person: "open camera: /dev/video9: No such file or directory".
[[nodiscard]] std::string describe(const Error& error);

/// A value or an Error. Access to the one that is not there terminates, in every build type (hence
/// noexcept).
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_{std::in_place_index<0>, std::move(value)} {}
  Result(Error error) : state_{std::in_place_index<1>, error} {}
  explicit operator bool() const noexcept { return state_.index() == 0; }
  T& operator*() & noexcept { return std::get<0>(state_); }
  const T& operator*() const& noexcept { return std::get<0>(state_); }
  T&& operator*() && noexcept { return std::get<0>(std::move(state_)); }
  T* operator->() noexcept { return &std::get<0>(state_); }
  const T* operator->() const noexcept { return &std::get<0>(state_); }
  [[nodiscard]] const Error& error() const noexcept { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

struct Done {};
using Status = Result<Done>;

}  // namespace kerb
