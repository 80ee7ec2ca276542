// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/memory/context.hpp"
#include "tools/simulator/render/raster.hpp"
#include "tools/simulator/render/sensor.hpp"
#include "tools/simulator/render/shade.hpp"
#include "tools/simulator/render/weather_view.hpp"

namespace kerb::sim {

/// Draws pictures pixel by pixel, from triangles that are sorted already, for cameras of three
/// colours and grey ones: the same radiance and the same bytes as by lanes, to the bit where
/// nothing is fused. One picture at a time; each call but the first needs the one before it.
class PixelDrawer {
 public:
  virtual ~PixelDrawer() = default;
  /// Rasterises and shades. `view` as of view_of(), which says what is wanted; its targets are not
  /// written. What it points to may change as soon as this returns.
  virtual Status draw(const DrawView& view, const Shading& shading) = 0;
  /// Adds weather to it: as WeatherPasses::apply().
  virtual Status add(const WeatherView& weather) = 0;
  /// Fills in those pixels of the picture that SensorModel::meter() looks at.
  virtual Status read_metered(Radiance& out) = 0;
  /// The camera: as SensorModel::develop().
  virtual Status develop(const Finishing& finishing, const Exposure& exposure, std::uint64_t seed,
                         std::vector<std::uint8_t>& pixels) = 0;
  /// Which triangle is in the middle of each pixel (kNothing: none).
  virtual Status see(std::vector<std::uint32_t>& out) = 0;
};

/// What a drawer is for: it never changes.
struct DrawerSetup {
  int width = 0, height = 0;                            ///< of the canvas
  int out_width = 0, out_height = 0;                    ///< of the camera
  const std::vector<SensorModel::CanvasPoint>* bend{};  ///< empty: one to one
};

/// On the CPU, thread after thread of a GPU: for tests.
std::unique_ptr<PixelDrawer> make_emulated_drawer(const DrawerSetup& setup);
/// On the GPU of a context, which must outlive it. Fails: unsupported (no CUDA), device.
Result<std::unique_ptr<PixelDrawer>> make_cuda_drawer(const Context& context,
                                                      const DrawerSetup& setup);

/// The triangles of each tile, group after group, in the order in which they are drawn; `first` has
/// one entry more than there are tiles.
void list_tiles(const Raster& raster, std::vector<std::int32_t>& first,
                std::vector<std::uint32_t>& triangles);

}  // namespace kerb::sim
