// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tools/train/patches.hpp"

namespace kerb::train {

/// Which windows of person-free pictures to take.
struct MineSettings {
  std::vector<hog::SearchSettings> searches;  ///< tried in turn, until there are enough
  float threshold = 0;      ///< windows that score at least this are false positives
  std::size_t wanted = 0;   ///< number of false positives to take, chosen at random
  std::size_t hardest = 0;  ///< additional false positives of the highest scores
  std::size_t enough = 0;   ///< a search ends after the picture that reaches this number; 0: never
  std::size_t per_picture = 0;  ///< most per picture, chosen at random; 0: no limit
  std::uint64_t seed = 0;       ///< another one for each round
};

struct Mined {
  std::vector<WindowRef> windows;  ///< in the order of WindowRef
  std::int64_t found = 0;          ///< false positives of the last search, all together
  std::int64_t searched = 0;       ///< windows it looked at
  std::size_t pictures = 0;        ///< it looked into
  int search = 0;                  ///< which search that was

  [[nodiscard]] double rate() const noexcept {
    return searched == 0 ? 0 : static_cast<double>(found) / static_cast<double>(searched);
  }
};

/// Searches the pictures with the product's own engine, in a random order, and draws from what it
/// finds. The same windows whatever the backend and the number of threads: each has a number that
/// depends on the seed, its picture and its place alone, and those with the lowest are taken.
/// Fails: as make_engine(), Engine::search() and PictureSet::get().
Result<Mined> mine(const Context& context, Workers& workers, const hog::Model& model,
                   PictureSet& pictures, const MineSettings& settings, const std::string& what,
                   Observer& observer);

/// Windows drawn at random from all that one search would look at. Fails: as plan_search().
Result<Mined> draw_windows(const hog::Geometry& geometry, PictureSet& pictures,
                           const hog::SearchSettings& search, std::size_t wanted,
                           std::uint64_t seed);

}  // namespace kerb::train
