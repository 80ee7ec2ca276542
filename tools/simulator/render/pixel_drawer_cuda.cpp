// SPDX-License-Identifier: Apache-2.0
// Pictures on a GPU: what of a scene goes there, and what comes back. pixel_kernels_cuda.cu draws.
#include <unordered_map>

#include "tools/simulator/render/pixel_drawer.hpp"
#include "tools/simulator/render/pixel_kernels.hpp"
#include "tools/simulator/render/upload_arena.hpp"

namespace kerb::sim {
namespace {

constexpr std::size_t kPageTexels = at(kShadowPage * kShadowPage);
constexpr std::size_t kChunkPages = 64, kMostChunks = 48;  // of shadows: 4 MiB each

class CudaDrawer final : public PixelDrawer {
 public:
  CudaDrawer(const Context& context, Stream stream, const DrawerSetup& setup)
      : context_{context},
        stream_{std::move(stream)},
        setup_{setup},
        grid_{cuda::metered_grid(setup.width, setup.height)} {}
  ~CudaDrawer() override { static_cast<void>(wait(stream_)); }

  /// Everything whose size is known; a part of make_cuda_drawer().
  Status allocate() {
    const std::size_t canvas = at(setup_.width * setup_.height);
    const std::size_t camera = at(setup_.out_width * setup_.out_height);
    tiles_ = ((setup_.width + kTile - 1) / kTile) * ((setup_.height + kTile - 1) / kTile);
    const bool bends = !setup_.bend->empty();
    for (Status made :
         {make(plane_, 4 * canvas), make(samples_, 4 * canvas), make(smeared_, 4 * canvas),
          make(column_, 4 * camera), make(ids_, 4 * canvas), make(velocity_, canvas),
          make(surfaces_, canvas), make(kinds_, canvas), make(near_, at(tiles_)),
          bends ? make(bent_, 4 * camera) : Status{Done{}},
          bends ? keep(&setup_.bend->data()->x, 2 * camera, bend_) : Status{Done{}}})
      if (!made) return made;
    if (Status made = make(pixels_, Use::result, 3 * camera); !made) return made;
    if (Status made = make(seen_, Use::result, canvas); !made) return made;
    return make(metered_, Use::result, 4 * at(grid_.count()));
  }

  Status draw(const DrawView& view, const Shading& shading) override {
    v_ = {};
    v_.draw = view;
    if (Status kept = keep_tables(view); !kept) return kept;
    list_tiles(*shading.raster, first_, triangles_);
    if (Status ready = arena_.begin(context_, room_for(view, shading)); !ready) return ready;
    put_triangles(*shading.raster);
    put_items(shading);
    if (Status put = put_materials(view); !put) return put;
    v_.draw.lamps.data = arena_.put(view.lamps.data, at(view.lamps.count));
    v_.draw.occluders.data = arena_.put(view.occluders.data, at(view.occluders.count));
    if (view.shadowed)
      if (Status put = put_shadows(*shading.shadows); !put) return put;
    v_.draw.plane[0] = plane_.device_data();
    v_.draw.velocity = velocity_.device_data();
    v_.draw.seen = surfaces_.device_data();
    v_.draw.band_mix = {};
    v_.tiles = tiles_;
    v_.near = near_.device_data();
    v_.sample_w = samples_.device_data();
    v_.sample_id = ids_.device_data();
    v_.kind = kinds_.device_data();
    if (Status sent = arena_.send(stream_); !sent) return sent;
    return cuda::draw(stream_, v_);
  }

  Status add(const WeatherView& weather) override {
    WeatherView w = weather;
    const std::size_t blends = at(w.blend_count), drops = at(w.drop_count);
    const std::size_t room = UploadArena::room<Blend>(blends) + UploadArena::room<Drop>(drops);
    if (Status ready = weather_.begin(context_, std::max(room, UploadArena::kAlign)); !ready)
      return ready;
    w.blends = weather_.put(w.blends, blends);
    w.drops = weather_.put(w.drops, drops);
    if (w.fog > 0 && cells_.size() == 0)
      if (Status made = make(cells_, at(w.columns * w.rows * kFogDepths)); !made) return made;
    w.cells = cells_.device_data();
    for (int n = 0; n < kGlareLevels && w.shrinks; ++n) {
      const std::size_t floats = 4 * at(w.level[n].width * w.level[n].height);
      if (levels_[n].size() == 0)
        if (Status made = make(levels_[n], floats); !made) return made;
      if (spread_[n].size() == 0)
        if (Status made = make(spread_[n], floats); !made) return made;
      w.level[n].pixels = levels_[n].device_data();
      w.spread[n].pixels = spread_[n].device_data();
    }
    if (Status sent = weather_.send(stream_); !sent) return sent;
    return cuda::add_weather(stream_, v_.draw, w);
  }

  Status read_metered(Radiance& out) override {
    if (Status queued = cuda::gather_metered(stream_, v_, metered_.device()); !queued)
      return queued;
    if (Status copied = fetch(metered_); !copied) return copied;
    const float* from = metered_.host();
    for (int row = 0; row < grid_.rows; ++row)
      for (int column = 0; column < grid_.columns; ++column, from += 4) {
        const int y = grid_.first_row + row * cuda::kMeterStep, x = column * cuda::kMeterStep;
        std::memcpy(&out.planes[0][at(y * setup_.width + x)], from, sizeof(F4));
      }
    return Done{};
  }

  Status develop(const Finishing& f, const Exposure& exposure, std::uint64_t seed,
                 std::vector<std::uint8_t>& pixels) override {
    const std::size_t bells = at(f.bells), tones = at(f.tones), kernel = at(f.reach) + 1;
    const std::size_t room = UploadArena::room<float>(bells) + UploadArena::room<float>(tones) +
                             UploadArena::room<float>(kernel) + UploadArena::room<char>(tones);
    if (Status ready = tables_.begin(context_, room); !ready) return ready;
    v_.finishing = f;
    v_.finishing.kernel = tables_.put(f.kernel, kernel);
    v_.finishing.bell = tables_.put(f.bell, bells);
    v_.finishing.spread = tables_.put(f.spread, tones);
    v_.finishing.tone = tables_.put(f.tone, tones);
    v_.exposure = exposure;
    v_.seed = seed;
    v_.bend = bend_.device_data();
    v_.smeared = smeared_.device_data();
    v_.bent = bent_.device_data();
    v_.column = column_.device_data();
    v_.pixels = pixels_.device();
    if (Status sent = tables_.send(stream_); !sent) return sent;
    if (Status queued = cuda::develop(stream_, v_); !queued) return queued;
    if (Status copied = fetch(pixels_); !copied) return copied;
    const std::size_t bytes = at(f.width * f.height * f.channels);
    pixels.assign(pixels_.host(), pixels_.host() + bytes);
    return Done{};
  }

  Status see(std::vector<std::uint32_t>& out) override {
    if (Status queued = cuda::see(stream_, v_, seen_.device()); !queued) return queued;
    if (Status copied = fetch(seen_); !copied) return copied;
    out.assign(seen_.host(), seen_.host() + at(setup_.width * setup_.height));
    return Done{};
  }

 private:
  template <typename T>
  Status make(DeviceBuffer<T>& to, std::size_t count) {
    Result<DeviceBuffer<T>> made = DeviceBuffer<T>::create(context_, count);
    if (!made) return made.error();
    to = std::move(*made);
    return Done{};
  }
  template <typename T>
  Status make(DualBuffer<T>& to, Use use, std::size_t count) {
    Result<DualBuffer<T>> made = DualBuffer<T>::create(context_, use, count);
    if (!made) return made.error();
    to = std::move(*made);
    return Done{};
  }
  /// A copy for good.
  template <typename T>
  Status keep(const T* from, std::size_t count, DeviceBuffer<T>& to) {
    if (Status made = make(to, count); !made) return made;
    if (Status copied = copy_to_device(stream_, to.device_data(), from, count); !copied)
      return copied;
    return wait(stream_);
  }
  template <typename T>
  Status fetch(const DualBuffer<T>& from) {
    if (Status copied = from.to_host(stream_); !copied) return copied;
    return wait(stream_);
  }

  /// The sky and the stains, which stay the same.
  Status keep_tables(const DrawView& view) {
    const auto dome = [&](const Dome& from, DeviceBuffer<V3>& to) -> Status {
      return to.size() != 0 ? Done{} : keep(from.pixels, at(from.side * from.side + 1), to);
    };
    if (Status kept = dome(view.sky, sky_); !kept) return kept;
    if (Status kept = dome(view.mirror, mirror_); !kept) return kept;
    if (stains_.size() == 0)
      if (Status kept = keep(view.stains, 64 * 64, stains_); !kept) return kept;
    v_.draw.sky.pixels = sky_.device_data();
    v_.draw.mirror.pixels = mirror_.device_data();
    v_.draw.stains = stains_.device_data();
    return Done{};
  }

  [[nodiscard]] static bool sees(const Shading& s, const Item& item) {
    return s.raster->sees(s.pose, item.geometry->ball);
  }

  [[nodiscard]] std::size_t room_for(const DrawView& view, const Shading& s) const {
    std::size_t sum = UploadArena::room<std::uint32_t>(triangles_.size()) +
                      UploadArena::room<std::int32_t>(first_.size()) +
                      UploadArena::room<ItemView>(s.items->size()) +
                      UploadArena::room<SurfaceView>(at(view.materials.count)) +
                      UploadArena::room<Lamp>(at(view.lamps.count)) +
                      UploadArena::room<Occluder>(at(view.occluders.count));
    for (int g = 0; g < kTriangleGroups; ++g)
      sum += UploadArena::room<ScreenTriangle>(s.raster->triangles(g).size());
    for (const Item& item : *s.items) {
      if (!sees(s, item)) continue;
      const std::size_t corners = item.geometry->corners.size();
      sum += UploadArena::room<Corner>(corners);
      if (item.later != nullptr) sum += UploadArena::room<V3>(corners);
    }
    if (s.shadows != nullptr)
      for (int l = 0; l < 2; ++l) {
        const std::vector<const Shadows::Page*>& pages = s.shadows->pages(l);
        sum += UploadArena::room<const float*>(pages.size());
        for (const Shadows::Page* page : pages)
          if (page->serial == 0) sum += UploadArena::room<float>(kPageTexels);
      }
    return sum;
  }

  void put_triangles(const Raster& raster) {
    for (int g = 0; g < kTriangleGroups; ++g) {
      const std::vector<ScreenTriangle>& group = raster.triangles(g);
      v_.draw.triangles[g] = arena_.put(group.data(), group.size());
    }
    v_.tile_triangles = arena_.put(triangles_.data(), triangles_.size());
    v_.tile_first = arena_.put(first_.data(), first_.size());
  }

  /// The corners of what may be seen.
  void put_items(const Shading& s) {
    ItemView* items = nullptr;
    v_.draw.items.data = arena_.place(s.items->size(), items);
    for (const Item& item : *s.items) {
      ItemView& to = *items++;
      to = {};
      if (!sees(s, item)) continue;
      const std::vector<Corner>& corners = item.geometry->corners;
      to.corners = arena_.put(corners.data(), corners.size());
      if (item.later != nullptr) to.later = arena_.put(item.later, corners.size());
    }
  }

  Status put_materials(const DrawView& view) {
    SurfaceView* to = nullptr;
    v_.draw.materials.data = arena_.place(at(view.materials.count), to);
    for (int i = 0; i < view.materials.count; ++i, ++to) {
      *to = view.materials.data[i];
      to->bands = nullptr;
      if (to->texture.count == 0) continue;
      KeptTexture& kept = textures_[to->texture.texels];
      if (kept.texels.size() == 0) {
        const std::size_t count = at(to->texture.count);
        if (Status k = keep(to->texture.texels, count, kept.texels); !k) return k;
        if (Status k = keep(to->texture.solid, (count + 31) / 32, kept.solid); !k) return k;
      }
      to->texture.texels = kept.texels.device_data();
      to->texture.solid = kept.solid.device_data();
    }
    return Done{};
  }

  /// Pages of what stands are sent once; those with something that moves for each picture.
  Status put_shadows(const Shadows& shadows) {
    if (pages_.size() + 2048 > kChunkPages * kMostChunks) pages_.clear();  // a long way: anew
    for (int l = 0; l < 2; ++l) {
      const std::vector<const Shadows::Page*>& pages = shadows.pages(l);
      const float** to = nullptr;
      v_.draw.shadows.level[l].pages = arena_.place(pages.size(), to);
      for (const Shadows::Page* page : pages) {
        if (page->serial == 0) {
          *to++ = arena_.put(page->depth.data(), kPageTexels);
          continue;
        }
        const auto known = pages_.find(page->serial);
        if (known != pages_.end()) {
          *to++ = known->second;
          continue;
        }
        const std::size_t place = pages_.size();
        if (place / kChunkPages == chunks_.size()) {
          chunks_.emplace_back();
          if (Status made = make(chunks_.back(), kChunkPages * kPageTexels); !made) return made;
        }
        float* there =
            chunks_[place / kChunkPages].device_data() + place % kChunkPages * kPageTexels;
        if (Status sent = copy_to_device(stream_, there, page->depth.data(), kPageTexels); !sent)
          return sent;
        pages_.emplace(page->serial, there);
        *to++ = there;
      }
    }
    return Done{};
  }

  struct KeptTexture {
    DeviceBuffer<std::uint32_t> texels, solid;
  };

  const Context& context_;
  Stream stream_;
  DrawerSetup setup_;
  cuda::MeteredGrid grid_;
  int tiles_ = 0;
  PixelView v_;  // the device's
  UploadArena arena_, weather_, tables_;
  std::vector<std::int32_t> first_;
  std::vector<std::uint32_t> triangles_;
  DeviceBuffer<float> plane_, samples_, smeared_, bent_, column_, bend_, stains_;
  DeviceBuffer<std::int32_t> ids_;
  DeviceBuffer<Velocity> velocity_;
  DeviceBuffer<SeenSurface> surfaces_;
  DeviceBuffer<PixelKind> kinds_;
  DeviceBuffer<NearList> near_;
  DeviceBuffer<V3> sky_, mirror_;
  DeviceBuffer<V3> cells_;  // of lit fog
  DeviceBuffer<float> levels_[kGlareLevels], spread_[kGlareLevels];
  DualBuffer<std::uint8_t> pixels_;
  DualBuffer<std::uint32_t> seen_;
  DualBuffer<float> metered_;
  std::unordered_map<const std::uint32_t*, KeptTexture> textures_;
  std::unordered_map<std::uint64_t, const float*> pages_;  // by serial
  std::vector<DeviceBuffer<float>> chunks_;
};

}  // namespace

Result<std::unique_ptr<PixelDrawer>> make_cuda_drawer(const Context& context,
                                                      const DrawerSetup& setup) {
  Result<Stream> stream = Stream::create();
  if (!stream) return stream.error();
  auto drawer = std::make_unique<CudaDrawer>(context, std::move(*stream), setup);
  if (Status made = drawer->allocate(); !made) return made.error();
  return Result<std::unique_ptr<PixelDrawer>>{std::move(drawer)};
}

}  // namespace kerb::sim
