// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "firmware/types/fields.hpp"

namespace kerb::track {

/// Whether a detection moves by itself, according to the motion in the picture. From a car that
/// stands or creeps this is hardly ever wrong: `surely`.
enum class Moves : std::uint8_t { not_known, likely, surely };

/// How the probability that a track is a person grows and falls, in log-odds. Higher thresholds:
/// fewer false people, later confirmation.
struct ExistenceSettings {
  double score_even = 6, score_scale = 1.9;  ///< a detection adds (score - even) / scale,
  double least_gain = 0.1, most_gain = 2;    ///< within these limits
  double moves = 0.1;                        ///< added where it or its background moves by itself
  double surely_moves = 2;                   ///< added where it surely moves by itself
  double strain = 0.06;  ///< taken off for each squared standard deviation by which size and place
                         ///< of a box do not fit a person on the road, up to `most_strain` of them
  double most_strain = 25;
  double miss = 0.2;     ///< taken off for each frame in which it should have been detected
  double unseen = 0.02;  ///< taken off for each frame in which it could not be detected
  double first = -1;     ///< start value, before the first detection's score
  double most = 4;       ///< upper limit
  double confirm = 2.2;  ///< a probability of 0.9
  double drop = -2.2;    ///< a probability of 0.1
  int confirm_hits = 3, confirm_within = 5;  ///< detections needed, out of this many frames
  double sure_score = 10;    ///< two detections with this score confirm; so do two that surely move
  int tentative_misses = 4;  ///< in a row, before the track is confirmed: more drop it
};

/// The probability that one track is a person. Plain data; exact.
class Existence {
 public:
  void begin(const ExistenceSettings& s, double score, Moves moves, double strain) noexcept;
  void found(const ExistenceSettings& s, double score, Moves moves, double strain) noexcept;
  /// Not detected in a frame in which the detector ran. `hidden`: it could not have been.
  void missed(const ExistenceSettings& s, bool hidden) noexcept;

  [[nodiscard]] bool confirmed() const noexcept { return confirmed_; }
  [[nodiscard]] bool is_gone(const ExistenceSettings& s) const noexcept;
  [[nodiscard]] double log_odds() const noexcept { return log_odds_; }
  [[nodiscard]] double certainty() const noexcept;

 private:
  template <typename F>
  friend void fields(F& f, FieldsOf<F, Existence>& object);  // state_fields.hpp
  void judge(const ExistenceSettings& s, double score) noexcept;

  double log_odds_ = 0;
  double best_ = 0, second_ = 0;  // the two highest scores so far
  std::uint32_t history_ = 0;     // a bit per frame: detected; the newest is the lowest bit
  int misses_ = 0;                // in a row
  std::uint32_t moved_ = 0;       // a bit per frame: surely moved
  bool confirmed_ = false;
};

}  // namespace kerb::track
