// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/emd/band_sampler.hpp"
#include "gpu/emd/distances.hpp"
#include "gpu/emd/likely_box.hpp"
#include "gpu/emd/targets.hpp"
#include "gpu/emd/transport.hpp"
#include "gpu/memory/context.hpp"
#include "hal/spectral.hpp"

namespace kerb {

struct EmdMatcherSettings {
  std::vector<double> nanometres;  ///< of the bands, in the mosaic's order; empty: not known
  double reach = 0.2;  ///< distance at which the likeness becomes 0, in hundreds of nanometres
};

/// A SpectralMatcher by the Earth Mover's Distance of each place's bands from the model's.
/// Signatures are those of BandSampler, of places as large as a sixth of the searched box; the
/// ground distance is that between wavelengths (band_layout.hpp). All searches of a frame are one
/// call to emd::Distances. The same bits on both backends.
class EmdMatcher final : public SpectralMatcher {
 public:
  /// For pictures of this camera. `context` and `workers` must outlive it; no two matchers that run
  /// at once may share their workers. Fails: unsupported (no mosaic), invalid_argument (neither as
  /// many nanometres as bands nor none), and as emd::Distances.
  static Result<std::unique_ptr<SpectralMatcher>> create(const Context& context, Workers& workers,
                                                         const FrameSourceInfo& source,
                                                         const EmdMatcherSettings& settings);

  [[nodiscard]] bool can_search(const PreparedImage& image) const noexcept override {
    return sampler_.fits(image);
  }
  Status search(const PreparedImage& image, const Search* searches, int count,
                Found* found) override;
  [[nodiscard]] float likeness(int search, const Detection& box) const noexcept override;
  Result<bool> learn(const PreparedImage& image, int place, const Detection& box,
                     float share) override;
  Status probe() override;
  void forget(int place) noexcept override;
  [[nodiscard]] const char* name() const noexcept override { return "emd"; }

 private:
  static constexpr int kMostOfBox = 256;  // places of a box that is learned

  struct Model {
    std::optional<emd::TargetModel> model;
    float own = 0;  // mean likelihood of what it was learned from, 0..255
  };
  struct Region {
    emd::PlaceGrid grid;
    std::size_t first = 0;  // of its signatures
    int place = 0;
    float box_width = 0, box_height = 0;  // samples of a plane
  };

  EmdMatcher(Workers& workers, const FrameSourceInfo& source, const emd::BandLayout& layout,
             const emd::Ground& ground, double reach);
  /// Creates the solver, and runs it once so that nothing is allocated later.
  Status begin(const Context& context);
  Status run(std::size_t count);
  Status find(int search, Found& out) const;
  [[nodiscard]] emd::LikelyView likely(int search) const noexcept;
  [[nodiscard]] float relative(int place, float mean) const noexcept;
  float own_likelihood(const emd::Signature& target, const emd::PlaceGrid& grid,
                       const emd::Box& box);

  Workers& workers_;
  emd::BandSampler sampler_;
  const emd::Ground ground_;
  const std::uint32_t reach_;
  std::unique_ptr<emd::Distances> distances_;
  emd::Transport transport_;
  std::array<Model, kPlaces> models_{};
  std::array<Region, kPlaces> regions_{};
  int searches_ = 0;  // of the last search()
  std::vector<emd::Signature> signatures_;
  std::array<emd::Signature, 3 * kMostOfBox + 6> seen_{};  // with a margin of one
  std::vector<std::uint32_t> costs_;
  std::vector<std::uint8_t> likely_;
};

}  // namespace kerb
