// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/memory/context.hpp"
#include "tools/simulator/world/world.hpp"

namespace kerb::sim {

/// What is seen at a pixel: nothing but the surroundings, a person, a prop.
struct ObjectId {
  static constexpr std::uint16_t kSurroundings = 0;
  static constexpr std::uint16_t kFirstPerson = 1;     ///< + index
  static constexpr std::uint16_t kFirstProp = 0x4000;  ///< + index
};

/// A picture and what is true about each pixel. Rows are dense.
struct Rendered {
  int width = 0, height = 0;
  int channels = 3;                    ///< 1 grey, thermal or mosaic, 3 rgb, n bands
  std::vector<std::uint8_t> pixels;    ///< interleaved
  std::vector<float> depth;            ///< metres along the camera's axis; inf: sky
  std::vector<std::uint16_t> objects;  ///< ObjectId
  std::vector<std::uint8_t> carried;   ///< 1: not the person of that id, but what they carry
  std::vector<float> flow_u, flow_v;   ///< to the moment asked for; 1e10: unknown
};

struct RenderOptions {
  bool truth = true;  ///< depth, objects and what is carried
  int threads = 2;
  bool narrow = false;  ///< vectors of 16 bytes where the machine has wider ones: the same bytes
  /// Draws on its GPU; it must outlive the renderer. Null, or a context without one: on the CPU, as
  /// are cameras of other bands than colours, always.
  const Context* gpu = nullptr;
  bool emulate = false;  ///< for tests: on the CPU what the GPU's threads would do
};

/// Draws a scenario. Deterministic: the same scenario and moment give the same bytes, whatever the
/// threads. Allocates when made and at the first picture.
class Renderer {
 public:
  Renderer(const Scenario& scenario, const RenderOptions& options);
  ~Renderer();
  /// The picture at a moment. `before` and `after` (shutter's begin and end) come from the world.
  void draw(const World& world, double t, Rendered& out);
  /// The same without the picture: each pixel's motion from t to t2, in pixels.
  void flow(const World& world, double t, double t2, Rendered& out);
  /// A person alone, without what they carry: what of them would be seen if nothing were in front,
  /// in pixels, with the part outside of the picture: for boxes and the visible fraction.
  struct Outline {
    double x0 = 0, y0 = 0, x1 = 0, y1 = 0;  ///< may be outside
    double pixels = 0;                      ///< of the whole silhouette
  };
  [[nodiscard]] Outline outline(const World& world, int person, double t) const;
  /// Light on what of a person faces the camera, in lux: lamps and sky, mean over the body's
  /// height. Shadows are left out.
  [[nodiscard]] double person_lux(const World& world, int person, double t);
  /// Seconds of core time, of all threads together, that each stage of the last picture took. Only
  /// meaningful where the process does nothing else meanwhile.
  struct Times {
    double place = 0, shadows = 0, bin = 0, shade = 0, develop = 0, truth = 0;
  };
  [[nodiscard]] const Times& times() const noexcept;
  /// Why it does not draw on the GPU it was given, or no longer does: the CPU goes on then. Nothing
  /// where it does, or was given none.
  [[nodiscard]] const std::optional<Error>& gpu_error() const noexcept;
  /// Whether the last picture was drawn pixel by pixel: on a GPU, or emulated.
  [[nodiscard]] bool by_pixels() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kerb::sim
