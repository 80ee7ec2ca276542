// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/render/pixel_drawer.hpp"

#include "tools/simulator/render/pixel_work.hpp"

namespace kerb::sim {
namespace {

class EmulatedDrawer final : public PixelDrawer {
 public:
  explicit EmulatedDrawer(const DrawerSetup& setup)
      : setup_{setup}, canvas_(at(setup.width * setup.height)) {
    const std::size_t camera = at(setup.out_width * setup.out_height);
    plane_.resize(canvas_);
    velocity_.resize(canvas_);
    surfaces_.resize(canvas_);
    samples_.resize(canvas_);
    ids_.resize(canvas_);
    kinds_.resize(canvas_);
    smeared_.resize(canvas_);
    column_.resize(camera);
    if (!setup.bend->empty()) bent_.resize(camera);
  }

  Status draw(const DrawView& view, const Shading& shading) override {
    list_tiles(*shading.raster, first_, triangles_);
    v_ = {};
    v_.draw = view;
    v_.draw.plane[0] = &plane_[0][0];
    v_.draw.velocity = velocity_.data();
    v_.draw.seen = surfaces_.data();
    v_.tile_first = first_.data();
    v_.tile_triangles = triangles_.data();
    v_.tiles = shading.raster->tiles();
    near_.resize(at(v_.tiles));
    v_.near = near_.data();
    v_.sample_w = &samples_[0][0];
    v_.sample_id = &ids_[0][0];
    v_.kind = kinds_.data();
    one::draw(v_);
    return Done{};
  }
  Status add(const WeatherView& weather) override {
    WeatherView w = weather;
    cells_.resize(at(w.columns * w.rows * kFogDepths));
    w.cells = cells_.data();
    for (int n = 0; n < kGlareLevels; ++n) {
      levels_[n].resize(4 * at(w.level[n].width * w.level[n].height));
      spread_[n].resize(levels_[n].size());
      w.level[n].pixels = levels_[n].data();
      w.spread[n].pixels = spread_[n].data();
    }
    one::add_weather(v_.draw, w);
    return Done{};
  }
  Status read_metered(Radiance& out) override {
    out.planes[0] = plane_;
    return Done{};
  }
  Status develop(const Finishing& finishing, const Exposure& exposure, std::uint64_t seed,
                 std::vector<std::uint8_t>& pixels) override {
    pixels.resize(at(finishing.width * finishing.height * finishing.channels));
    v_.finishing = finishing;
    v_.exposure = exposure;
    v_.seed = seed;
    v_.bend = setup_.bend->empty() ? nullptr : &setup_.bend->data()->x;
    v_.smeared = &smeared_[0][0];
    v_.bent = bent_.empty() ? nullptr : &bent_[0][0];
    v_.column = &column_[0][0];
    v_.pixels = pixels.data();
    one::develop(v_);
    return Done{};
  }
  Status see(std::vector<std::uint32_t>& out) override {
    out.resize(canvas_);
    one::see(v_, out.data());
    return Done{};
  }

 private:
  DrawerSetup setup_;
  std::size_t canvas_;
  std::vector<F4> plane_, samples_, smeared_, bent_, column_;
  std::vector<I4> ids_;
  std::vector<Velocity> velocity_;
  std::vector<SeenSurface> surfaces_;
  std::vector<PixelKind> kinds_;
  std::vector<NearList> near_;
  std::vector<V3> cells_;
  std::vector<float> levels_[kGlareLevels], spread_[kGlareLevels];
  std::vector<std::int32_t> first_;
  std::vector<std::uint32_t> triangles_;
  PixelView v_;
};

}  // namespace

std::unique_ptr<PixelDrawer> make_emulated_drawer(const DrawerSetup& setup) {
  return std::make_unique<EmulatedDrawer>(setup);
}

void list_tiles(const Raster& raster, std::vector<std::int32_t>& first,
                std::vector<std::uint32_t>& triangles) {
  first.clear();
  triangles.clear();
  for (int tile = 0; tile < raster.tiles(); ++tile) {
    first.push_back(i32(triangles.size()));
    for (int g = 0; g < Raster::kGroups; ++g) {
      const std::vector<std::uint32_t>& list = raster.in_tile(g, tile);
      triangles.insert(triangles.end(), list.begin(), list.end());
    }
  }
  first.push_back(i32(triangles.size()));
}

}  // namespace kerb::sim
