// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/model/engines.hpp"

#include <algorithm>

namespace kerb::lab {

Result<hog::Engine*> EngineShelf::engine(int width, int height) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.width == width && entry.height == height;
  });
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
    return entries_.front().engine.get();
  }
  if (entries_.size() == kRoom) entries_.pop_back();  // before: two large ones may not fit at once
  Result<std::unique_ptr<hog::Engine>> made =
      hog::make_engine(context_, workers_, model_, settings_, width, height);
  if (!made) return made.error();
  ++made_;
  entries_.push_front({width, height, *std::move(made)});
  return entries_.front().engine.get();
}

}  // namespace kerb::lab
