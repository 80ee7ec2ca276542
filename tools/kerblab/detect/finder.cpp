// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/detect/finder.hpp"

#include <utility>

namespace kerb::lab {

Result<Finder> Finder::create(const Context& context, Workers& workers, hog::Model model,
                              const SearchOptions& how) {
  Finder made;
  made.settings_ = settings_for(how, model);
  Result<std::unique_ptr<hog::Fusion>> fusion = hog::Fusion::create(made.settings_.fuse);
  if (!fusion) return fusion.error();
  made.fusion_ = std::move(*fusion);
  made.engines_ =
      std::make_unique<EngineShelf>(context, workers, std::move(model), made.settings_.search);
  return made;
}

Status Finder::find(const LoadedPicture& picture, DetectionList& out) {
  const Result<hog::Engine*> engine = engines_->engine(picture.bgr.cols, picture.bgr.rows);
  if (!engine) return engine.error();
  const Result<hog::Engine::Hits> hits = (*engine)->search(picture.view(), settings_.threshold);
  if (!hits) return hits.error();
  fusion_->fuse(*hits, engines_->model().geometry(), (*engine)->plan(), out);
  return Done{};
}

}  // namespace kerb::lab
