// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "hal/tone.hpp"

namespace kerb {

/// Keeps what it was asked to play.
class FakeTone final : public Tone {
 public:
  FakeTone() { history.reserve(1024); }  // so that a frame loop around it allocates nothing
  Status play(const TonePattern& pattern) override {
    if (!is_valid(pattern)) return Error{Errc::invalid_argument, 0, "play on the fake tone"};
    return note(pattern);
  }
  Status stop() override { return note(std::nullopt); }
  /// What sounds now; nothing when silent.
  [[nodiscard]] const std::optional<TonePattern>& sounding() const noexcept { return sounding_; }

  std::vector<std::optional<TonePattern>> history;  ///< every play(), and nothing for every stop()
  std::optional<Error> fail_next;                   ///< the next call fails with this, once
  bool unplugged = false;                           ///< the sound device was removed

 private:
  Status note(const std::optional<TonePattern>& pattern) {
    if (fail_next) return *std::exchange(fail_next, std::nullopt);
    if (unplugged) return Error{Errc::gone, 0, "use the fake tone"};
    sounding_ = pattern;
    history.push_back(pattern);
    return Done{};
  }
  std::optional<TonePattern> sounding_;
};

}  // namespace kerb
