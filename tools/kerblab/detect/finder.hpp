// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>

#include "gpu/memory/context.hpp"
#include "gpu/memory/workers.hpp"
#include "tools/kerblab/model/search_options.hpp"
#include "tools/kerblab/model/searches.hpp"
#include "tools/kerblab/pictures/pictures.hpp"

namespace kerb::lab {

/// A model made ready to find people in pictures, as the options have it. One thread at a time.
class Finder {
 public:
  /// `context` and `workers` must outlive it. Fails: as hog::validate() of the fusion.
  static Result<Finder> create(const Context& context, Workers& workers, hog::Model model,
                               const SearchOptions& how);
  /// The picture must have its planes where the model looks at colour. Fails: as
  /// hog::PeopleSearch.
  Status find(const LoadedPicture& picture, DetectionList& out);

 private:
  Finder() = default;
  RunSettings settings_;
  std::unique_ptr<SearchShelf> searches_;
};

}  // namespace kerb::lab
