// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "gpu/hog/engine.hpp"
#include "hal/vision.hpp"

namespace kerb::hog {

enum class FusionKind : std::uint8_t { mean_shift, suppression, none };

struct FusionSettings {
  FusionKind kind = FusionKind::mean_shift;
  // Mean shift: the widths of the kernel (eq. 3.7 of the thesis), in pixels of the window's own
  // level and in the logarithm of the scale.
  float sigma_x = 8, sigma_y = 16, sigma_scale = 0.262364264F;  // log 1.3
  bool unit_weights = false;  ///< every window weighs 1 instead of t(score) = max(score, 0)
  int min_hits = 1;           ///< windows a person needs
  // Suppression: of two boxes that overlap by more than this (of their union), the worse one goes.
  float overlap = 0.5F;
  int max_hits = 4096;  ///< the best ones are fused, should there be more
};
Status validate(const FusionSettings& settings);

/// Turns hits into people: modes of the density of hits in position and log-scale (eq. 3.1 to 3.7),
/// or the best of those that overlap. Best first; at most DetectionList::kCapacity. The same result
/// on every machine, bit for bit. Allocates only when made. One thread at a time.
class Fusion {
 public:
  static Result<std::unique_ptr<Fusion>> create(const FusionSettings& settings);
  virtual ~Fusion() = default;
  virtual void fuse(const Engine::Hits& hits, const Geometry& geometry, const SearchPlan& plan,
                    DetectionList& out) = 0;
};

}  // namespace kerb::hog
