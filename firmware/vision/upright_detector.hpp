// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "firmware/lens/upright_view.hpp"
#include "gpu/hog/search.hpp"
#include "gpu/image/remap.hpp"
#include "gpu/memory/buffer.hpp"
#include "gpu/memory/context.hpp"
#include "gpu/memory/stream.hpp"
#include "gpu/memory/workers.hpp"
#include "hal/vision.hpp"

namespace kerb {

/// A detector that looks at the upright view of a camera's picture
/// (firmware/lens/upright_view.hpp) through another, and tells where in the picture people are.
/// One thread at a time; allocates only when made.
class UprightDetector final : public Detector {
 public:
  /// `inner` was made for pictures of the view's size. Whoever is not within `region` of the
  /// camera's picture is not told of. `context` and `workers` must outlive it.
  /// Fails: as Remapper::create() and DeviceBuffer::create().
  static Result<std::unique_ptr<UprightDetector>> create(const Context& context, Workers& workers,
                                                         const Camera& camera,
                                                         const hog::Region& region,
                                                         std::unique_ptr<Detector> inner);
  /// On CUDA, where the picture lies when it is on the device. Nobody is told of whose middle is
  /// not in the camera's picture: the view is a rectangle, and what the picture does not show of it
  /// is filled with its edges.
  Status detect(const PreparedImage& image, DetectionList& out) override;
  [[nodiscard]] const char* name() const noexcept override { return inner_->name(); }
  [[nodiscard]] float worth_telling() const noexcept override { return inner_->worth_telling(); }
  [[nodiscard]] bool needs_colour() const noexcept override { return inner_->needs_colour(); }

 private:
  UprightDetector(const Context& context, Workers& workers, const Camera& camera,
                  const UprightView& view, const hog::Region& region, Remapper remapper,
                  std::unique_ptr<Detector> inner);
  template <Space S>
  [[nodiscard]] PlanesView<S, std::uint8_t> planes(std::uint8_t* data) const noexcept;
  [[nodiscard]] bool is_shown(const Detection& person) const noexcept;

  const Context& context_;
  Workers& workers_;
  int width_, height_;  // of the camera's picture
  UprightView view_;
  hog::Region region_;
  Remapper remapper_;
  std::unique_ptr<Detector> inner_;
  int count_;  // planes the inner one looks at
  std::vector<std::uint8_t> host_;
  std::optional<Stream> stream_;  // CUDA only; before the buffer: destroyed after it
  DeviceBuffer<std::uint8_t> device_;
  DetectionList found_;
};

}  // namespace kerb
