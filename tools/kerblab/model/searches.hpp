// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <list>
#include <memory>
#include <utility>

#include "gpu/hog/people_search.hpp"

namespace kerb::lab {

/// Searches with one model by picture size, made when first asked for. Keeps the few used last:
/// folders of pictures have few sizes, or too many to keep.
class SearchShelf {
 public:
  /// Context and workers must outlive it.
  SearchShelf(const Context& context, Workers& workers, hog::Model model,
              const hog::SearchSettings& search, const hog::FusionSettings& fusion)
      : context_{context},
        workers_{workers},
        model_{std::move(model)},
        settings_{search},
        fusion_{fusion} {}

  /// For pictures of this size; it lives at least until the next call. Fails: as
  /// hog::PeopleSearch::create().
  Result<hog::PeopleSearch*> search(int width, int height);
  [[nodiscard]] const hog::Model& model() const noexcept { return model_; }
  [[nodiscard]] int made() const noexcept { return made_; }  ///< so far, for tests

 private:
  static constexpr std::size_t kRoom = 4;
  struct Entry {
    int width, height;
    std::unique_ptr<hog::PeopleSearch> search;
  };
  const Context& context_;
  Workers& workers_;
  hog::Model model_;
  hog::SearchSettings settings_;
  hog::FusionSettings fusion_;
  std::list<Entry> entries_;  // the last used first
  int made_ = 0;
};

}  // namespace kerb::lab
