// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/memory/workers.hpp"
#include "tools/simulator/render/camera.hpp"
#include "tools/simulator/render/sensor_view.hpp"
#include "tools/simulator/render/shade.hpp"

namespace kerb::sim {

/// The work on rows: motion blur (false: nothing moves, nothing written), then lens blur, exposure,
/// noise and tone curve, with a scratch of Finishing::scratch(). By vectors of 16 bytes, or of 32
/// on x86: the same bits.
struct RowWork {
  bool (*smear)(const Radiance& in, int y, int plane, F4* out);
  void (*finish)(const Finishing& f, int y0, int y1,
                 const std::vector<std::vector<const F4*>>& rows, const Exposure& exposure,
                 std::uint64_t seed, F4* scratch, std::uint8_t* pixels);
};
const RowWork& row_work() noexcept;  ///< the best for this machine
namespace base {
const RowWork& row_work() noexcept;
}
namespace avx2 {
const RowWork& row_work() noexcept;
}

/// From what is drawn to what the camera gives: motion blur, the lens (its distortion and its
/// blur), exposure, noise, the tone curve, eight bits. The noise depends on the seed alone.
class SensorModel {
 public:
  SensorModel(const CameraSpec& spec, const Lens& lens, const Canvas& canvas, Sensor sensor);
  /// How bright the picture should be, from what it shows: metered on the lower two thirds.
  [[nodiscard]] Exposure meter(const Radiance& in, const Light& light, double exposure_s,
                               bool automatic) const;
  void develop(Workers& workers, const Radiance& in, bool moves, const Exposure& exposure,
               std::uint64_t seed, const RowWork& work, std::vector<std::uint8_t>& pixels);
  /// develop() for others: makes the tables for an exposure. What is returned points to them, until
  /// the next picture.
  Finishing finishing(const Exposure& exposure);
  [[nodiscard]] int channels() const noexcept { return channels_; }
  /// Where on the canvas a pixel looks; whole and fraction.
  struct CanvasPoint {
    float x = 0, y = 0;
  };
  [[nodiscard]] const std::vector<CanvasPoint>& canvas_points() const noexcept {
    return canvas_points_;
  }

 private:
  void bend_rows(const std::vector<const F4*>& in, int y0, int y1, std::vector<F4>& out) const;
  CameraSpec spec_;
  Canvas canvas_;
  Sensor sensor_;
  int channels_ = 3, planes_ = 1;
  std::vector<CanvasPoint> canvas_points_;  // empty: one to one
  std::vector<std::vector<F4>> smeared_, bent_;
  std::vector<float> kernel_;         // of the blur, from its middle
  std::vector<std::uint8_t> tone_;    // by the square root of the signal
  std::vector<float> bell_, spread_;  // normal numbers; the noise's deviation on tone_'s scale
  std::vector<std::vector<const F4*>> rows_;
  std::vector<std::vector<F4>> scratch_;  // by worker
};

}  // namespace kerb::sim
