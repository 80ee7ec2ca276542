// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <list>
#include <memory>
#include <string>

#include "gpu/hog/engine.hpp"

namespace kerb::lab {

/// Engines of one model by picture size, made when first asked for. Keeps the few used last:
/// folders of pictures have few sizes, or too many to keep.
class EngineShelf {
 public:
  /// Context and workers must outlive it.
  EngineShelf(const Context& context, Workers& workers, hog::Model model,
              const hog::SearchSettings& settings)
      : context_{context}, workers_{workers}, model_{std::move(model)}, settings_{settings} {}

  /// For pictures of this size; it lives at least until the next call. Fails: as make_engine().
  Result<hog::Engine*> engine(int width, int height);
  [[nodiscard]] const hog::Model& model() const noexcept { return model_; }
  [[nodiscard]] int made() const noexcept { return made_; }  ///< so far, for tests

 private:
  static constexpr std::size_t kRoom = 4;
  struct Entry {
    int width, height;
    std::unique_ptr<hog::Engine> engine;
  };
  const Context& context_;
  Workers& workers_;
  hog::Model model_;
  hog::SearchSettings settings_;
  std::list<Entry> entries_;  // the last used first
  int made_ = 0;
};

}  // namespace kerb::lab
