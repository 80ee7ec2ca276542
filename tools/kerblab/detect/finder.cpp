// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/detect/finder.hpp"

#include <utility>

namespace kerb::lab {

Result<Finder> Finder::create(const Context& context, Workers& workers, hog::Model model,
                              const SearchOptions& how) {
  Finder made;
  made.settings_ = settings_for(how, model);
  if (Status ok = hog::validate(made.settings_.fuse); !ok) return ok.error();
  made.searches_ = std::make_unique<SearchShelf>(context, workers, std::move(model),
                                                 made.settings_.search, made.settings_.fuse);
  return made;
}

Status Finder::find(const LoadedPicture& picture, DetectionList& out) {
  const Result<hog::PeopleSearch*> search = searches_->search(picture.bgr.cols, picture.bgr.rows);
  if (!search) return search.error();
  return (*search)->find(picture.view(), settings_.threshold, out);
}

}  // namespace kerb::lab
