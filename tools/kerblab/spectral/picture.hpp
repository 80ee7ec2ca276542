// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/emd/distances.hpp"
#include "gpu/emd/targets.hpp"
#include "gpu/memory/context.hpp"
#include "gpu/memory/workers.hpp"
#include "tools/kerblab/spectral/bands.hpp"

/// What `kerblab spectral` and `kerblab eval spectral` share: signatures of a picture, and how far
/// they are from a target's, by several measures.
namespace kerb::lab {

/// How signatures are made.
struct SignatureSettings {
  /// 0: one bin a band. Else local histograms, the side of the window in pixels: of the grey
  /// picture and, where there is one, of the thermal picture beside it.
  int window = 0;
  int bins = 0;  ///< of each histogram; 0: 8 where there are two, else 11
  /// An additional bin for darkness; at every pixel it holds this factor times the mean of all
  /// bands. With it, a pixel's brightness counts as well as its colour, and the noise of dark
  /// pixels counts less. 0: none.
  double dark = 2;
  bool balance = true;  ///< bands are first made equally bright in the mean over the picture
  /// Cost between the dark and any band. 0: half of the greatest between two bands, the least with
  /// which no detour is cheaper.
  double dark_cost = 0;
  std::string ground;  ///< line, circle, flat or a file; empty: by where the bands lie
};

/// The signatures of a picture.
struct SpectralPicture {
  int width = 0, height = 0, bins = 0, mass = 0;
  std::vector<std::string> names;  ///< of the bins
  std::vector<emd::Signature> signatures;
  emd::Ground ground;

  [[nodiscard]] ImageView<Space::host, const emd::Signature> view() const noexcept {
    return {signatures.data(), width, height, width};
  }
};

/// From all bands, or from `three` alone with `colours_only`. Fails: invalid_argument (settings
/// that these bands cannot have), and as gpu/emd.
Result<SpectralPicture> make_signatures(Workers& workers, const Bands& bands,
                                        const SignatureSettings& settings, bool colours_only);

enum class Measure : std::uint8_t { emd, chi_square, euclidean };

/// Distances of all pixels to a target, infinite where there are none.
struct DistanceImage {
  std::vector<float> values;
  emd::DistanceCounts counts;  ///< of EMD
  std::string solver, backend;
};

/// By the Earth Mover's Distance. Fails as gpu/emd.
Result<DistanceImage> emd_image(const Context& context, Workers& workers,
                                const SpectralPicture& picture, const emd::Signature& target,
                                emd::Solver solver);
/// By the sum of (p - q)^2 / (p + q) over the bins, or by the root of the sum of (p - q)^2; for
/// Measure::emd, nothing.
[[nodiscard]] DistanceImage simple_image(const SpectralPicture& picture,
                                         const emd::Signature& target, Measure measure);
/// Euclidean, of samples as they are: `planes` of them, to their mean over a box, in which a pixel
/// counts as it does for emd::TargetModel.
[[nodiscard]] DistanceImage sample_image(const std::uint16_t* samples, int planes, int width,
                                         int height, const emd::Box& box);

}  // namespace kerb::lab
