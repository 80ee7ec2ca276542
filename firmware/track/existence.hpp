// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "firmware/types/fields.hpp"
#include "firmware/types/tracker_settings.hpp"

namespace kerb::track {

/// Whether a detection moves by itself, according to the motion in the picture. From a car that
/// stands or creeps this is hardly ever wrong: `surely`.
enum class Moves : std::uint8_t { not_known, likely, surely };

/// What the detections of one track say: whether it is confirmed or gone, and how much they speak
/// for a person. Plain data; exact.
class Existence {
 public:
  void begin(const ExistenceSettings& s, double score, Moves moves, double strain) noexcept;
  void found(const ExistenceSettings& s, double score, Moves moves, double strain) noexcept;
  /// Not detected in a frame in which the detector ran. `hidden`: it could not have been.
  void missed(const ExistenceSettings& s, bool hidden) noexcept;

  [[nodiscard]] bool confirmed() const noexcept { return confirmed_; }
  [[nodiscard]] bool is_gone(const ExistenceSettings& s) const noexcept;
  [[nodiscard]] double log_odds() const noexcept { return log_odds_; }
  /// Log-odds that there is a person, of sum and mean of the scores together.
  [[nodiscard]] double evidence(const ExistenceSettings& s) const noexcept;

 private:
  template <typename F>
  friend void fields(F& f, FieldsOf<F, Existence>& object);  // state_fields.hpp
  void judge(const ExistenceSettings& s, double score) noexcept;

  double log_odds_ = 0;
  double best_ = 0, second_ = 0;  // the two highest scores so far
  std::uint32_t history_ = 0;     // a bit per frame: detected; the newest is the lowest bit
  int misses_ = 0;                // in a row
  std::uint32_t moved_ = 0;       // a bit per frame: surely moved
  double mean_ = 0;               // of the latest scores
  std::uint32_t count_ = 0;       // of them, `mean_scores` at most
  bool confirmed_ = false;
};

}  // namespace kerb::track
