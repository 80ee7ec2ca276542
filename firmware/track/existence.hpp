// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "firmware/types/fields.hpp"

namespace kerb::track {

/// What the picture's motion says of a detection. Seen from a car that stands or creeps it is
/// hardly ever wrong.
enum class Moves : std::uint8_t { not_known, likely, surely };

/// How sure one is of a person, and what makes one surer. Evidence is in log-odds.
struct ExistenceSettings {
  double score_even = 6, score_scale = 1.9;  ///< of a detection's score: (score - even) / scale,
  double least_gain = 0.1, most_gain = 2;    ///< within these
  double moves = 0.1;                        ///< it moves by itself, or what is behind it does;
  double surely_moves = 2;                   ///< and where there is no doubt of that
  double strain = 0.06;  ///< less for each squared standard deviation by which size and place of
                         ///< a box do not fit a person on the road, up to `most_strain` of them
  double most_strain = 25;
  double miss = 0.2;     ///< taken for each frame in which it should have been found
  double unseen = 0.02;  ///< for each in which it could not be
  double first = -1;     ///< what a detection is worth before its score
  double most = 4;       ///< nobody is surer than this
  double confirm = 2.2;  ///< 0.9
  double drop = -2.2;    ///< 0.1
  int confirm_hits = 3, confirm_within = 5;  ///< detections, in frames looked at
  double sure_score = 10;                    ///< two such are enough; so are two that surely move
  int tentative_misses = 4;                  ///< in a row, before it is confirmed
};

/// The ledger of one person. Plain data; exact.
class Existence {
 public:
  void begin(const ExistenceSettings& s, double score, Moves moves, double strain) noexcept;
  void found(const ExistenceSettings& s, double score, Moves moves, double strain) noexcept;
  /// Not found though somebody looked. `hidden`: nor could it have been.
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
  double best_ = 0, second_ = 0;  // scores so far
  std::uint32_t history_ = 0;     // a bit for each frame looked at, the newest lowest
  int misses_ = 0;                // in a row
  std::uint32_t moved_ = 0;       // likewise: whether it surely moved
  bool confirmed_ = false;
};

}  // namespace kerb::track
