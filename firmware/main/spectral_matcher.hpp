// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "gpu/memory/context.hpp"
#include "gpu/memory/workers.hpp"
#include "hal/frame_source.hpp"
#include "hal/spectral.hpp"

namespace kerb {

struct SpectralMatcherSettings {
  std::vector<double> nanometres;  ///< of the bands, in the mosaic's order; empty: not known
  double reach = 0.2;  ///< from this distance on nothing is like it, in hundreds of nanometres
};

/// By the Earth Mover's Distance of each place's bands from the model's (gpu/emd). Signatures are
/// the bands, made equally bright in the mean of the picture, at most ten bins of neighbours, and
/// one for the dark; the ground distance is that between wavelengths. Places are as large as a
/// sixth of the box that is looked for: the bands' mean over them. All that is looked for in a
/// frame is one call to emd::Distances. The same on both backends, to the last bit.
/// `context` and `workers` must outlive it. Fails: unsupported (no mosaic), invalid_argument (as
/// many nanometres as bands, or none), and as emd::Distances.
Result<std::unique_ptr<SpectralMatcher>> make_spectral_matcher(
    const Context& context, Workers& workers, const FrameSourceInfo& source,
    const SpectralMatcherSettings& settings);

}  // namespace kerb
