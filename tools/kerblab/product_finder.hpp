// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "firmware/config/config.hpp"
#include "firmware/vision/vision.hpp"
#include "tools/kerblab/pictures.hpp"

namespace kerb::lab {

/// Finds people as the product does on a CPU: the search, the road and the threshold that its
/// configuration leads to, for the first camera's pictures of one size. One thread at a time.
class ProductFinder {
 public:
  /// Fails: as Vision::create() and Vision::make_detector(); not_found (there is no model).
  static Result<ProductFinder> create(Config config, int width, int height);
  /// The picture must have its planes. Fails: as Detector::detect().
  Status find(const LoadedPicture& picture, DetectionList& out);

 private:
  ProductFinder() = default;
  std::unique_ptr<Log> log_;
  std::unique_ptr<Vision> vision_;
  std::unique_ptr<Detector> detector_;
};

}  // namespace kerb::lab
