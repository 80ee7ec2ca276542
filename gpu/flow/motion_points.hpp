// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/flow/block_matching.hpp"
#include "gpu/flow/corners.hpp"
#include "gpu/flow/field_squares.hpp"
#include "gpu/flow/flow.hpp"
#include "gpu/flow/lucas_kanade.hpp"
#include "gpu/flow/points.hpp"
#include "hal/motion.hpp"

namespace kerb::flow {

enum class Method : std::uint8_t {
  automatic,       ///< points on the CPU, lucas_kanade on CUDA: what is fastest there
  lucas_kanade,    ///< dense
  block_matching,  ///< dense
  points,          ///< Lucas-Kanade at corners alone
};

/// From one frame to the next a small window is enough, and rarely covers two objects. Little
/// texture is accepted, because every vector has a quality.
[[nodiscard]] inline PointTrackerSettings quick_points() {
  PointTrackerSettings settings;
  settings.pyramid.min_side = 24;
  settings.radius = 3;
  settings.texture = 0.2F;
  settings.check_back = true;
  return settings;
}

struct MotionPointsSettings {
  Method method = Method::automatic;
  LucasKanadeSettings lucas_kanade;
  BlockMatchingSettings block_matching;
  PointTrackerSettings points = quick_points();
  /// Wider pictures are reduced by a whole factor first: a quarter of the pixels takes a quarter of
  /// the time, and gives vectors half as exact. 0: never.
  int widest = 640;
  /// Vectors this near the edge are left out, pixels of the smaller picture.
  int margin = 6;
};

/// A FlowEstimator from a flow method: pictures are reduced, and each of about as many squares as
/// points are requested gives one vector, if any is reliable. With dense flow it is the one with
/// the best quality; with points, that of the newest picture's clearest corner, tracked to the
/// previous picture and back. One thread at a time; estimate() allocates nothing (on CUDA, after
/// the first few frames). Memory: two small pictures and their field, beside the method's own.
class MotionPoints final : public FlowEstimator {
 public:
  /// For pictures of this size. `context`, and on the CPU `workers`, must outlive it. Fails:
  /// invalid_argument (size, settings), io or device (no memory).
  static Result<std::unique_ptr<MotionPoints>> create(const Context& context, Workers& workers,
                                                      const MotionPointsSettings& settings,
                                                      int width, int height);
  /// Reads `image.grey`, on either backend; for dense flow on CUDA `image.device_grey` instead,
  /// where there is one.
  Status estimate(const PreparedImage& image, int points, MotionField& out) override;
  void add_points_within(const Detection* boxes, int count, int points, MotionField& out) override;
  void forget() noexcept override { has_previous_ = false; }
  [[nodiscard]] const char* name() const noexcept override { return name_; }  ///< as in settings
  [[nodiscard]] int width() const noexcept { return width_; }  ///< of the smaller picture
  [[nodiscard]] int height() const noexcept { return height_; }
  [[nodiscard]] int reduction() const noexcept { return reduction_; }

 private:
  MotionPoints() = default;
  void reduce(const ImageView<Space::host, const std::uint8_t>& grey,
              std::uint8_t* out) const noexcept;
  template <typename Use>
  void each_square(int points, const Use& use) const;
  template <typename Use>
  void each_square_of(const Detection& box, int points, float around, const Use& use) const;
  /// The most trusted vector of the square, or none; with a box, of those that lead into it.
  [[nodiscard]] bool best_of(const Square& square, const Detection* box,
                             FlowVector& out) const noexcept;
  [[nodiscard]] Point place_of(const FlowVector& v) const noexcept;
  bool take(const Point& at) noexcept;
  Status dense(int points, MotionField& out);
  /// Appends what the squares asked for on the device hold, each vector once.
  Status gather(int most, MotionField& out);
  /// Appends what the tracker finds of the first `count` of wanted_.
  Status track(int count, int most, MotionField& out);
  [[nodiscard]] Picture<Space::host> picture(int which) const noexcept {
    return {pictures_[which].host(), width_, height_, width_};
  }
  [[nodiscard]] Picture<Space::device> picture_there(int which) const noexcept {
    return {pictures_[which].device(), width_, height_, width_};
  }
  /// The newest picture, made smaller, to where it is worked on; the one before is there already.
  Status hand_over(const PreparedImage& image, bool had_previous);

  std::unique_ptr<Estimator> method_;  // dense flow, or
  FlowField field_;
  std::unique_ptr<FieldSquares> squares_;  // on CUDA
  std::unique_ptr<PointTracker> tracker_;  // points
  std::unique_ptr<Corners> corners_;
  float least_corner_ = 0;
  std::vector<Point> wanted_;
  std::vector<TrackedPoint> tracked_;
  std::vector<bool> taken_;  // pixels of the smaller picture that vectors are from
  DualBuffer<std::uint8_t> pictures_[2];
  const Context* device_ = nullptr;  // none on the CPU
  const char* name_ = "";
  int reduction_ = 1, width_ = 0, height_ = 0, full_width_ = 0, full_height_ = 0, margin_ = 0;
  int newest_ = 0;
  bool has_previous_ = false;
};

}  // namespace kerb::flow
