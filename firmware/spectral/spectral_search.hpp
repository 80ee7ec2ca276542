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

/// The part of a person's box that shows their clothes: without arms, head and background.
[[nodiscard]] Detection upper_body(const Detection& box) noexcept;

struct SpectralTotals {
  std::uint64_t frames = 0;    ///< searched
  std::uint64_t passed = 0;    ///< skipped, to save time
  std::uint64_t searches = 0;  ///< people searched for, frame by frame
  std::uint64_t spared = 0;    ///< people not searched for, to save time, in searched frames
  std::uint64_t found = 0;     ///< people found, distinct from their surroundings
};

/// Searches for tracked people by the spectrum of their clothes, for one camera that has bands.
/// Before the tracker's step it finds the most likely place of each of the nearest eight, and how
/// like them each detection is; after it, it learns their spectra. Where the matcher fails, the
/// senses stay empty and what was learned stays; it is tried again with every frame, as the budget
/// allows. One thread at a time; allocates only when constructed.
class SpectralSearch {
 public:
  /// `budget`: mean time per frame. Where it takes longer, fewer people are searched for (the
  /// nearest, two at least); where that is still too long, frames are skipped. Zero: no limit.
  SpectralSearch(std::unique_ptr<SpectralMatcher> matcher, Nanos budget);

  /// Fills `senses.like`. False: no search, because there is no one or to save time. Fails: as the
  /// matcher.
  Result<bool> search(const PreparedImage& image, track::Senses& senses);
  /// After the tracker's step on the same frame: the people tracked now.
  Status learn(const PreparedImage& image, const track::PersonList& people);
  /// The time that search() and learn() took: decides how much is skipped next.
  void spent(Nanos time) noexcept;

  /// The matcher's last error, until it works again: in a search or, without people, in a probe.
  [[nodiscard]] const std::optional<Error>& failure() const noexcept { return failure_; }
  [[nodiscard]] const SpectralTotals& totals() const noexcept { return totals_; }
  [[nodiscard]] const char* name() const noexcept { return matcher_->name(); }

 private:
  static constexpr int kMost = SpectralMatcher::kPlaces;
  struct Target {
    std::uint32_t id = 0;  // 0: the place is free
    int learned = 0;       // frames that were learned from
    int search = -1;       // index of this frame's search; -1: none
    int nth = 0;           // rank among the confirmed, the nearest first
    int unseen = 0;        // frames since they were found, by detector or bands
    Detection box;         // as last reported
    bool kept = false;     // still tracked in this frame
  };
  Target* of(std::uint32_t id) noexcept;
  void choose(const track::PersonList& people) noexcept;
  [[nodiscard]] static bool is_clear(const track::PersonList& people, int person) noexcept;

  std::unique_ptr<SpectralMatcher> matcher_;
  Nanos budget_, debt_{};
  Nanos captured_{};       // this frame
  bool left_out_ = false;  // this frame
  std::array<Target, kMost> targets_{};
  int most_ = kMost;  // people searched for in one frame
  SpectralTotals totals_;
  std::optional<Error> failure_;
};

}  // namespace kerb
