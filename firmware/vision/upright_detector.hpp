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

/// Runs another detector on the upright view of a camera's picture (firmware/lens/upright_view.hpp)
/// and gives its boxes in the camera's picture. One thread at a time; allocates only when made.
class UprightDetector final : public Detector {
 public:
  /// `inner` was made for pictures of the view's size. Detections outside `region` of the camera's
  /// picture are dropped. `context` and `workers` must outlive it.
  /// Fails: as Remapper::create() and DeviceBuffer::create().
  static Result<std::unique_ptr<UprightDetector>> create(const Context& context, Workers& workers,
                                                         const Camera& camera,
                                                         const hog::Region& region,
                                                         std::unique_ptr<Detector> inner);
  /// On CUDA a picture that is on the device is used there. Detections whose middle is not in the
  /// camera's picture are dropped: the view is a rectangle, and its parts outside the picture are
  /// filled with the picture's edges.
  Status detect(const PreparedImage& image, DetectionList& out) override;
  [[nodiscard]] const char* name() const noexcept override { return inner_->name(); }
  [[nodiscard]] TrackingScores tracking_scores() const noexcept override {
    return inner_->tracking_scores();
  }
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
  int count_;  // planes that the inner detector needs
  std::vector<std::uint8_t> host_;
  std::optional<Stream> stream_;  // CUDA only; before the buffer: destroyed after it
  DeviceBuffer<std::uint8_t> device_;
  DetectionList found_;
};

}  // namespace kerb
