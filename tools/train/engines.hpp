// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <utility>

#include "gpu/hog/engine.hpp"

namespace kerb::train {

/// Engines by the pictures' size, made when first asked for; the memory of all sizes together
/// stays within what a folder of photographs has.
class Engines {
 public:
  Engines(const Context& context, Workers& workers, const hog::Model& model,
          const hog::SearchSettings& search)
      : context_{context}, workers_{workers}, model_{model}, search_{search} {}
  Result<hog::Engine*> get(int width, int height) {
    const std::pair<int, int> size{width, height};
    if (const auto found = engines_.find(size); found != engines_.end()) return found->second.get();
    constexpr std::size_t kRoom = 16;
    if (engines_.size() == kRoom) engines_.clear();
    Result<std::unique_ptr<hog::Engine>> made =
        hog::make_engine(context_, workers_, model_, search_, width, height);
    if (!made) return made.error();
    return engines_.emplace(size, *std::move(made)).first->second.get();
  }

 private:
  const Context& context_;
  Workers& workers_;
  const hog::Model& model_;
  const hog::SearchSettings& search_;
  std::map<std::pair<int, int>, std::unique_ptr<hog::Engine>> engines_;
};

}  // namespace kerb::train
