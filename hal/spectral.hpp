// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hal/base/result.hpp"
#include "hal/vision.hpp"

namespace kerb {

/// Finds in a picture's bands what looks like something seen before: the cloth of somebody's jacket
/// by its spectrum, where three colours cannot tell it from a wall. What was seen is kept in
/// places, each with a model that is learned from a box and follows slowly. One thread at a time;
/// allocates only when made. Boxes are in pixels of the picture, not of a band's plane.
class SpectralMatcher {
 public:
  static constexpr int kPlaces = 8;  ///< as many can be looked for at once

  struct Search {
    int place = 0;     ///< whose model
    Detection region;  ///< where to look
    Detection size;    ///< of the box to look for: its width and height count
  };
  /// Where a box of that size looks most like the model.
  struct Found {
    bool known = false;     ///< false: too little of the region is in the picture
    float x = 0, y = 0;     ///< the box's middle
    float likeness = 0;     ///< of what is in the box: 0 nothing like it, 1 as when it was learned
    float surrounding = 0;  ///< the same, of the region's rest
  };

  virtual ~SpectralMatcher() = default;
  /// Whether the picture has the bands this was made for.
  [[nodiscard]] virtual bool can_look(const PreparedImage& image) const noexcept = 0;
  /// Looks for `count` of them at once. Fails: invalid_argument (no such bands, a place without a
  /// model), device.
  virtual Status look(const PreparedImage& image, const Search* searches, int count,
                      Found* found) = 0;
  /// How like its model the box is, after look(), for the search of that index; below 0 where less
  /// than half of the box was looked at.
  [[nodiscard]] virtual float likeness(int search, const Detection& box) const noexcept = 0;
  /// Learns the model of a place from a box, or where it has one goes `share` of the way to what
  /// the box shows. False: too little of it is in the picture. Fails: as look().
  virtual Result<bool> learn(const PreparedImage& image, int place, const Detection& box,
                             float share) = 0;
  /// Whether it can compute at all: one small problem, all the way. Keeps the models; after it no
  /// search's likeness is known. Fails: device.
  virtual Status probe() = 0;
  /// The place is free again.
  virtual void forget(int place) noexcept = 0;
  [[nodiscard]] virtual const char* name() const noexcept = 0;
};

}  // namespace kerb
