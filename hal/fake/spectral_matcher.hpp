// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <functional>

#include "hal/spectral.hpp"

namespace kerb {

/// Finds what a test sets, and keeps the requests.
class FakeSpectralMatcher final : public SpectralMatcher {
 public:
  [[nodiscard]] bool can_search(const PreparedImage&) const noexcept override { return true; }
  Status search(const PreparedImage&, const Search* searches, int count, Found* found) override {
    if (at_search) at_search();
    if (broken) return broken_error();
    ++looks;
    asked_count = count;
    for (int i = 0; i < count; ++i) {
      asked[static_cast<std::size_t>(i)] = searches[i];
      found[i] = says;
    }
    return Done{};
  }
  [[nodiscard]] float likeness(int, const Detection& box) const noexcept override {
    return box.x < split ? like_left : like_right;
  }
  Result<bool> learn(const PreparedImage&, int place, const Detection& box, float share) override {
    if (at_learn) at_learn();
    if (broken || broken_learning) return broken_error();
    ++learned[static_cast<std::size_t>(place)];
    last_box = box;
    last_share = share;
    return true;
  }
  Status probe() override {
    ++probes;
    return broken ? Status{broken_error()} : Status{Done{}};
  }
  void forget(int place) noexcept override { ++forgotten[static_cast<std::size_t>(place)]; }
  [[nodiscard]] const char* name() const noexcept override { return "fake"; }

  Found says{true, 300, 200, 0.9F, 0.1F};  ///< of every search
  /// Likeness to every model of boxes that begin left of `split`, and right of it.
  float split = 1e6F, like_left = 1, like_right = 0;
  std::function<void()> at_search, at_learn;  ///< when they begin
  /// Everything fails, or learning alone. A test may change them while a pipeline works.
  std::atomic<bool> broken{false}, broken_learning{false};

  std::array<Search, kPlaces> asked{};  ///< in the last search
  int asked_count = 0;
  std::atomic<int> looks{0}, probes{0};
  std::array<int, kPlaces> learned{}, forgotten{};  ///< how often, by place
  Detection last_box;
  float last_share = 0;

 private:
  static Error broken_error() { return {Errc::device, 700, "launch"}; }
};

}  // namespace kerb
