// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/flow/block_matching.hpp"
#include "gpu/flow/flow.hpp"
#include "gpu/flow/lucas_kanade.hpp"
#include "hal/motion.hpp"

namespace kerb::flow {

enum class Method : std::uint8_t { lucas_kanade, block_matching };

struct MotionPointsSettings {
  Method method = Method::lucas_kanade;
  LucasKanadeSettings lucas_kanade;
  BlockMatchingSettings block_matching;
  /// Pictures wider than this are made smaller by a whole number first: a quarter of the pixels is
  /// a quarter of the time, for vectors half as exact. 0: never.
  int widest = 640;
  /// Vectors this near the edge are left out, pixels of the smaller picture.
  int margin = 6;
};

/// A method of dense flow as the product's flow: pictures are made smaller, the flow from the one
/// before is computed, and in each of about as many squares as points are asked for the most
/// trusted vector is taken, if any can be. One thread at a time; estimate() allocates nothing (on
/// CUDA, once the first few frames are through). Memory: two small pictures and their field, beside
/// the method's own.
class MotionPoints final : public FlowEstimator {
 public:
  /// For pictures of this size. `context`, and on the CPU `workers`, must outlive it. Fails:
  /// invalid_argument (size, settings), io or device (no memory).
  static Result<std::unique_ptr<MotionPoints>> create(const Context& context, Workers& workers,
                                                      const MotionPointsSettings& settings,
                                                      int width, int height);
  /// Reads `image.grey`, on either backend.
  Status estimate(const PreparedImage& image, int points, MotionField& out) override;
  void look_closer(const Detection* boxes, int count, int points, MotionField& out) override;
  void forget() noexcept override { has_previous_ = false; }
  [[nodiscard]] const char* name() const noexcept override { return method_->name(); }
  [[nodiscard]] int width() const noexcept { return width_; }  ///< of the smaller picture
  [[nodiscard]] int height() const noexcept { return height_; }
  [[nodiscard]] int reduction() const noexcept { return reduction_; }

 private:
  MotionPoints() = default;
  void reduce(const ImageView<Space::host, const std::uint8_t>& grey,
              std::uint8_t* out) const noexcept;
  struct Square {  // of the smaller picture: columns x0 <= x < x1, rows y0 <= y < y1
    int x0, y0, x1, y1;
  };
  /// The most trusted vector of the square, or none; with a box, of those that lead into it.
  [[nodiscard]] bool best_of(const Square& square, const Detection* box,
                             FlowVector& out) const noexcept;
  void pick(int points, MotionField& out) const noexcept;

  std::unique_ptr<Estimator> method_;
  FlowField field_;
  HostBuffer<std::uint8_t> pictures_[2];
  int reduction_ = 1, width_ = 0, height_ = 0, full_width_ = 0, full_height_ = 0, margin_ = 0;
  int newest_ = 0;
  bool has_previous_ = false;
};

}  // namespace kerb::flow
