// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/model/searches.hpp"

#include <algorithm>

namespace kerb::lab {

Result<hog::PeopleSearch*> SearchShelf::search(int width, int height) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.width == width && entry.height == height;
  });
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
    return entries_.front().search.get();
  }
  if (entries_.size() == kRoom) entries_.pop_back();  // before: two large ones may not fit at once
  Result<std::unique_ptr<hog::PeopleSearch>> made =
      hog::PeopleSearch::create(context_, workers_, model_, settings_, fusion_, width, height);
  if (!made) return made.error();
  ++made_;
  entries_.push_front({width, height, *std::move(made)});
  return entries_.front().search.get();
}

}  // namespace kerb::lab
