// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "gpu/hog/engine.hpp"
#include "hal/vision.hpp"

namespace kerb::hog {

struct FusionSettings {
  FusionKind kind = FusionKind::mean_shift;
  // Mean shift: the widths of the kernel (eq. 3.7 of the thesis), in pixels of the window's own
  // level (0.5..1000) and in the logarithm of the scale (0.01..10).
  float sigma_x = 8, sigma_y = 16, sigma_scale = 0.262364264F;  // log 1.3
  bool unit_weights = false;  ///< every window weighs 1 instead of t(score) = max(score - zero, 0)
  float zero = 0;             ///< for searches with a threshold under 0, where eq. 3.3's 0 would
                              ///< remove all hits: that threshold
  int min_hits = 1;           ///< windows a person needs (not for `none`)
  // Suppression: of two boxes that overlap by more than this, the worse one is removed.
  float overlap = 0.5F;     ///< 0..1, of their union
  bool of_smaller = false;  ///< of the smaller one: a box within a better one is always removed
  int max_hits = 4096;      ///< of more hits only the best ones are used; 1..65536
  int max_people = DetectionList::kCapacity;  ///< only the best ones; 1..kCapacity
};
Status validate(const FusionSettings& settings);

/// Merges hits into people. Best first; at most max_people. The same result on every
/// machine, bit for bit. Allocates only when constructed. One thread at a time.
///
/// Mean shift finds the modes of the density of hits (eq. 3.1 to 3.7), where a hit is a point: the
/// centre of its person's box in the picture and the logarithm of its level's scale. Every hit, the
/// best score first and of equals the lowest number, climbs from its own place by eq. 3.6:
///   - A climb within distance 1.5 of a mode found before (eq. 3.2 with H_h of eq. 3.5 at the
///   mode),
///     at its start or later, belongs to it. So does a hit that is within sqrt(1/2), by its own H,
///     of where the climb of a better one has been: it need not climb.
///   - A climb that steps by less than 1/300 (the same distance), or for the 100th time, has found
///     a mode, and with it a person: their box has its centre and its scale, their score is that
///     of the hit that climbed, the highest of those that belong to the mode.
///   - Hits at a distance of 5 or more are ignored: the kernel is under 4e-6 there. A hit without
///     any weight around it, its own included (a score of `zero` or less), is dropped.
/// People whose middle is outside the picture are dropped: a search with padding sees the picture
/// mirrored there.
/// Suppression takes the hits in the same order; each is a person, or belongs to the first person
/// taken before whose box it overlaps. `none` makes a person of every hit.
class Fusion {
 public:
  /// Fails: invalid_argument (settings).
  static Result<std::unique_ptr<Fusion>> create(const FusionSettings& settings);
  virtual ~Fusion() = default;
  /// Hits that are no window of `plan`, or whose score is no number, are ignored.
  virtual void fuse(const Engine::Hits& hits, const Geometry& geometry, const SearchPlan& plan,
                    DetectionList& out) = 0;
};

/// Suppression of boxes that have scores of their own: best first, of equals the first of the list,
/// without those that overlap a better one as FusionSettings::overlap and of_smaller say.
void suppress(DetectionList& people, float overlap, bool of_smaller) noexcept;
/// The same order, all of them.
void sort_best_first(DetectionList& people) noexcept;

}  // namespace kerb::hog
