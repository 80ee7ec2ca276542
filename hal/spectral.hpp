// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hal/base/result.hpp"
#include "hal/vision.hpp"

namespace kerb {

/// Finds learned spectra in a picture's bands: the cloth of a jacket, for instance, where three
/// colours cannot tell it from a wall. The spectra are kept in places, each with a model that is
/// learned from a box and adapts slowly. One thread at a time; allocates only when constructed.
/// Boxes are in pixels of the picture, not of a band's plane.
class SpectralMatcher {
 public:
  static constexpr int kPlaces = 8;  ///< models, and most searches at once

  struct Search {
    int place = 0;     ///< of the model
    Detection region;  ///< where to search
    Detection size;    ///< of the box to search for: only its width and height are used
  };
  /// Where a box of that size is most like the model.
  struct Found {
    bool known = false;     ///< false: too little of the region is in the picture
    float x = 0, y = 0;     ///< the box's middle
    float likeness = 0;     ///< of the box's content: 0 not like it, 1 as when it was learned
    float surrounding = 0;  ///< likeness of the rest of the region
  };

  virtual ~SpectralMatcher() = default;
  /// Whether the picture has the bands this was made for.
  [[nodiscard]] virtual bool can_search(const PreparedImage& image) const noexcept = 0;
  /// Does `count` searches at once. Fails: invalid_argument (no such bands, a place without a
  /// model), device.
  virtual Status search(const PreparedImage& image, const Search* searches, int count,
                        Found* found) = 0;
  /// Likeness of the box to its model, after search(), for the search of that index; below 0 where
  /// less than half of the box was searched.
  [[nodiscard]] virtual float likeness(int search, const Detection& box) const noexcept = 0;
  /// Learns the model of a place from a box; a model that exists moves by `share` towards the box's
  /// spectrum. False: too little of the box is in the picture. Fails: as search().
  virtual Result<bool> learn(const PreparedImage& image, int place, const Detection& box,
                             float share) = 0;
  /// Tests whether it can compute, with one small problem. Keeps the models; afterwards no search's
  /// likeness is known. Fails: device.
  virtual Status probe() = 0;
  /// Frees the place.
  virtual void forget(int place) noexcept = 0;
  [[nodiscard]] virtual const char* name() const noexcept = 0;
};

}  // namespace kerb
