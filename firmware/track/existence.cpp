// SPDX-License-Identifier: Apache-2.0
#include "firmware/track/existence.hpp"

#include <algorithm>
#include <bit>

namespace kerb::track {
namespace {

double gain_of(const ExistenceSettings& s, double score, Moves moves, double strain) noexcept {
  double gain = std::clamp((score - s.score_even) / s.score_scale, s.least_gain, s.most_gain);
  if (moves == Moves::likely) gain += s.moves;
  if (moves == Moves::surely) gain += s.surely_moves;
  return gain - s.strain * std::min(strain, s.most_strain);
}

}  // namespace

void Existence::begin(const ExistenceSettings& s, double score, Moves moves,
                      double strain) noexcept {
  *this = {};
  log_odds_ = s.first;
  found(s, score, moves, strain);
}

void Existence::found(const ExistenceSettings& s, double score, Moves moves,
                      double strain) noexcept {
  log_odds_ = std::min(log_odds_ + gain_of(s, score, moves, strain), s.most);
  count_ = std::min(count_ + 1, static_cast<std::uint32_t>(std::max(s.mean_scores, 1)));
  mean_ += (score - mean_) / count_;
  history_ = history_ << 1U | 1U;
  misses_ = 0;
  moved_ = moved_ << 1U | (moves == Moves::surely ? 1U : 0U);
  judge(s, score);
}

void Existence::judge(const ExistenceSettings& s, double score) noexcept {
  second_ = std::max(second_, std::min(best_, score));
  best_ = std::max(best_, score);
  const std::uint32_t window = (1U << static_cast<unsigned>(s.confirm_within)) - 1U;
  const int hits = std::popcount(history_ & window);
  const bool surely = second_ >= s.sure_score || std::popcount(moved_ & window) >= 2;
  const bool often = hits >= s.confirm_hits || (hits >= 2 && surely);
  if (often && log_odds_ > s.confirm) confirmed_ = true;
}

void Existence::missed(const ExistenceSettings& s, bool hidden) noexcept {
  log_odds_ -= hidden ? s.unseen : s.miss;
  if (hidden) return;
  history_ <<= 1U;
  moved_ <<= 1U;
  ++misses_;
}

bool Existence::is_gone(const ExistenceSettings& s) const noexcept {
  return log_odds_ < s.drop || (!confirmed_ && misses_ > s.tentative_misses);
}

double Existence::evidence(const ExistenceSettings& s) const noexcept {
  return s.certainty_offset + s.sum_weight * log_odds_ +
         s.mean_weight * (mean_ - s.score_even) / s.score_scale;
}

}  // namespace kerb::track
