// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "firmware/types/person.hpp"
#include "firmware/types/senses.hpp"
#include "hal/base/clock.hpp"
#include "hal/spectral.hpp"

namespace kerb {

/// The part of a person's box that shows what they wear: without arms and head, and what is beside
/// them.
[[nodiscard]] Detection upper_body(const Detection& box) noexcept;

struct SpectralTotals {
  std::uint64_t frames = 0;    ///< looked at
  std::uint64_t passed = 0;    ///< left out, to save time
  std::uint64_t searches = 0;  ///< people looked for, frame by frame
  std::uint64_t spared = 0;    ///< people not looked for, to save time, in frames looked at
  std::uint64_t found = 0;     ///< and found, standing out from what is around them
};

/// Looks for the people who are followed by the spectrum of what they wear, for one camera that has
/// bands: before the tracker takes a frame in, where each of the nearest eight is likeliest and how
/// like them each detection is; after it, learns how they look. Where the matcher fails nothing is
/// sensed, what was learned stays, and it is tried again with every frame, as its budget allows.
/// One thread at a time; allocates only when made.
class SpectralSearch {
 public:
  /// `budget`: what it may take of each frame's time, on average; where it takes longer, fewer are
  /// looked for, the nearest, two at least; and where that is still too long, frames are left out.
  /// Zero: all are looked for, always.
  SpectralSearch(std::unique_ptr<SpectralMatcher> matcher, Nanos budget);

  /// Fills `senses.like`. False: nobody was looked for, because there is nobody or to save time.
  /// Fails: as the matcher.
  Result<bool> look(const PreparedImage& image, track::Senses& senses);
  /// After the tracker's step on the same frame: who is there now, as told.
  Status learn(const PreparedImage& image, const track::PersonList& people);
  /// What look() and learn() of a frame took: what decides how many are left out next.
  void spent(Nanos time) noexcept;

  /// How the matcher failed last, until it has worked again: looked for somebody, or where there is
  /// nobody, shown that it could.
  [[nodiscard]] const std::optional<Error>& failure() const noexcept { return failure_; }
  [[nodiscard]] const SpectralTotals& totals() const noexcept { return totals_; }
  [[nodiscard]] const char* name() const noexcept { return matcher_->name(); }

 private:
  static constexpr int kMost = SpectralMatcher::kPlaces;
  struct Target {
    std::uint32_t id = 0;  // 0: the place is free
    int learned = 0;       // from so many frames
    int search = -1;       // of the frame's, where it was looked for
    int nth = 0;           // among the sure, the nearest first
    int unseen = 0;        // frames since it was found, in whatever way
    Detection box;         // as last told
    bool kept = false;     // is still there, in this frame
  };
  Target* of(std::uint32_t id) noexcept;
  void choose(const track::PersonList& people) noexcept;
  [[nodiscard]] static bool is_clear(const track::PersonList& people, int person) noexcept;

  std::unique_ptr<SpectralMatcher> matcher_;
  Nanos budget_, debt_{};
  Nanos captured_{};       // this frame
  bool left_out_ = false;  // this frame
  std::array<Target, kMost> targets_{};
  int most_ = kMost;  // looked for at once
  SpectralTotals totals_;
  std::optional<Error> failure_;
};

}  // namespace kerb
