// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/render/renderer.hpp"

#include <time.h>

#include <limits>

#include "tools/simulator/render/noise.hpp"
#include "tools/simulator/render/pixel_drawer.hpp"
#include "tools/simulator/render/scene.hpp"
#include "tools/simulator/render/sensor.hpp"
#include "tools/simulator/render/weather.hpp"

namespace kerb::sim {
namespace {

/// Core time of the whole process: what others do on the machine does not count, nor how many
/// threads share the work.
class CpuTimer {
 public:
  /// Seconds since the last call.
  double lap() {
    const double now = read(), s = now - last_;
    last_ = now;
    return s;
  }

 private:
  static double read() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }
  double last_ = read();
};

/// A band's weights over the spectrum, summing to one.
Spectrum weights_of(const Band& band) {
  Spectrum out{};
  float sum = 0;
  for (int i = 0; i < kSpectrum; ++i) {
    const double off = (400 + 20 * i - band.centre_nm) / std::max(band.width_nm / 2.355, 1.0);
    out[at(i)] = f32(std::exp(-0.5 * off * off));
    sum += out[at(i)];
  }
  if (sum < 1e-6F) {  // outside of what is known: the nearest end
    out[band.centre_nm < 700 ? 0 : at(kSpectrum - 1)] = 1;
    sum = 1;
  }
  for (float& w : out) w /= sum;
  return out;
}

CameraSpec checked(CameraSpec spec) {
  const bool many = spec.sensor == Sensor::bands || spec.sensor == Sensor::mosaic;
  if (many && spec.bands.empty()) spec.bands = {{600, 80}, {540, 80}, {540, 80}, {450, 60}};
  if (spec.bands.size() > 32) spec.bands.resize(32);
  return spec;
}

}  // namespace

struct Renderer::Impl {
  Scenario scenario;
  RenderOptions options;
  CameraSpec camera;
  Lens lens;
  Canvas canvas;
  Workers workers;
  Scene scene;
  Sky sky;
  std::unique_ptr<Shadows> shadows;
  Raster raster;
  SensorModel sensor;
  WeatherPasses weather;
  Radiance radiance;
  DrawLists lists;
  std::vector<std::unique_ptr<TileSamples>> samples;
  std::vector<std::array<float, 3>> band_mix;
  std::vector<std::uint32_t> seen;      // the triangle at each canvas pixel's middle
  std::unique_ptr<PixelDrawer> drawer;  // none: by lanes
  std::optional<Error> gpu_error;
  bool by_pixels = false;
  Moment now, then;
  Times times;

  Impl(const Scenario& s, const RenderOptions& o)
      : scenario{s},
        options{o},
        camera{checked(s.camera)},
        lens{camera},
        canvas{camera, lens},
        workers{std::max(o.threads, 1)},
        scene{s},
        sky{s.light, scene.light(), s.street.left == Side::houses || s.street.right == Side::houses,
            s.seed},
        raster{canvas},
        sensor{camera, lens, canvas, camera.sensor},
        weather{s, canvas} {
    if (scene.light().sun_shines) {
      const Vec2 along = direction(s.car.start.heading);
      shadows = std::make_unique<Shadows>(scene.light().to_sun, V3{f32(along.x), f32(along.y), 0});
    }
    radiance.width = canvas.width;
    radiance.height = canvas.height;
    std::size_t planes = 1;
    if (camera.sensor == Sensor::bands || camera.sensor == Sensor::mosaic) {
      std::vector<Spectrum> weights;
      for (const Band& band : camera.bands) weights.push_back(weights_of(band));
      scene.materials().see_bands(weights);
      for (const Spectrum& w : weights) {
        std::array<float, 3> mixed{};
        for (std::size_t c = 0; c < 3; ++c) {
          const Spectrum pure =
              spectrum_of({c == 0 ? 1.0F : 0, c == 1 ? 1.0F : 0, c == 2 ? 1.0F : 0});
          for (std::size_t i = 0; i < w.size(); ++i) mixed[c] += w[i] * pure[i];
        }
        band_mix.push_back(mixed);
      }
      planes = (band_mix.size() + 3) / 4;
    }
    radiance.planes.resize(planes);
    const std::size_t n = at(canvas.width * canvas.height);
    for (std::vector<F4>& p : radiance.planes) p.resize(n);
    radiance.velocity.resize(n);
    if (weather.needs_surfaces()) radiance.surfaces.resize(n);
    for (int i = 0; i < workers.count(); ++i) samples.push_back(std::make_unique<TileSamples>());
    if (camera.sensor == Sensor::rgb || camera.sensor == Sensor::grey) find_drawer();
  }

  void find_drawer() {
    const DrawerSetup setup{canvas.width, canvas.height, camera.width, camera.height,
                            &sensor.canvas_points()};
    if (options.emulate) drawer = make_emulated_drawer(setup);
    if (options.gpu == nullptr || options.gpu->backend() != Backend::cuda) return;
    Result<std::unique_ptr<PixelDrawer>> made = make_cuda_drawer(*options.gpu, setup);
    if (made)
      drawer = std::move(*made);
    else
      gpu_error = made.error();
  }

  [[nodiscard]] double exposure_s() const {
    return camera.exposure_ms > 0 ? camera.exposure_ms / 1000 : scene.light().exposure_s;
  }

  void prepare(const World& world, double t, double t2, CameraPose& pose, CameraPose& later) {
    CpuTimer watch;
    world.at(t, now);
    world.at(t2, then);
    pose = pose_of(camera, now.car.place);
    later = pose_of(camera, then.car.place);
    scene.place(workers, now, then, pose, canvas.focal);
    times.place = watch.lap();
  }

  void draw(const World& world, double t, Rendered& out) {
    Shading s;
    const double half = exposure_s() / 2;
    prepare(world, t, t + half, s.pose, s.later);
    CpuTimer watch;
    times.shadows = 0;
    if (shadows) {
      const V3 ahead = unit(V3{f32(s.pose.axes[2].x), f32(s.pose.axes[2].y), 0});
      shadows->prepare(workers, to_v3(s.pose.at), ahead, scene.standing(), scene.moving(),
                       scene.materials());
      times.shadows = watch.lap();
    }
    raster.bin(workers, s.pose, scene.items(), scene.materials());
    times.bin = watch.lap();
    s.canvas = &canvas;
    s.raster = &raster;
    s.items = &scene.items();
    s.materials = &scene.materials();
    s.light = &scene.light();
    s.sky = &sky;
    s.stains = &stains();
    s.shadows = shadows.get();
    s.lamps = &scene.lamps();
    s.occluders = &scene.occluders();
    const Vec2 along = scene.along_street({s.pose.at.x, s.pose.at.y});
    s.street = {f32(along.x), f32(along.y), 0};
    s.sensor = camera.sensor;
    s.planes = i32(radiance.planes.size());
    s.band_mix = band_mix;
    s.moves = true;
    s.wet = f32(scenario.weather.wetness());
    s.surfaces = weather.needs_surfaces();
    const DrawView view = view_of(s, lists, radiance);
    const auto tick = static_cast<std::uint64_t>(std::llround(t * 1e6) + (1LL << 40));
    const std::uint64_t seed = mix64(scenario.seed, tick);
    out.width = camera.width;
    out.height = camera.height;
    out.channels = sensor.channels();
    by_pixels = false;
    if (drawer) {
      const Status drawn = draw_by_pixels(s, view, t, seed, watch, out);
      by_pixels = static_cast<bool>(drawn);
      if (!drawn) {
        gpu_error = drawn.error();
        drawer.reset();
      }
    }
    if (!by_pixels) draw_by_lanes(s, view, t, seed, watch, out);
    times.truth = 0;
    if (!options.truth) return;
    if (by_pixels) {
      const Status looked = drawer->see(seen);
      if (!looked) {
        gpu_error = looked.error();
        drawer.reset();
        see();
      }
    } else {
      see();
    }
    truth(s.pose, out);
    times.truth = watch.lap();
  }

  void draw_by_lanes(const Shading& s, const DrawView& view, double t, std::uint64_t seed,
                     CpuTimer& watch, Rendered& out) {
    workers.run(raster.tiles(), [&](int tile, int worker) {
      TileSamples& buffer = *samples[at(worker)];
      if (options.narrow) {
        base::draw_four(raster, tile, buffer, scene.materials(), scene.items());
        base::shade_tile(view, tile, buffer);
      } else {
        raster.draw_four(tile, buffer, scene.materials(), scene.items());
        shade_tile(view, tile, buffer);
      }
    });
    if (weather.any()) weather.apply(workers, view, weather.plan(s, t, exposure_s(), now.car.mps));
    times.shade = watch.lap();
    const Exposure exposure =
        sensor.meter(radiance, scene.light(), exposure_s(), camera.exposure_ms <= 0);
    sensor.develop(workers, radiance, s.moves, exposure, seed,
                   options.narrow ? base::row_work() : row_work(), out.pixels);
    times.develop = watch.lap();
  }

  /// The same on the GPU.
  Status draw_by_pixels(const Shading& s, const DrawView& view, double t, std::uint64_t seed,
                        CpuTimer& watch, Rendered& out) {
    if (Status drawn = drawer->draw(view, s); !drawn) return drawn;
    if (weather.any())
      if (Status added = drawer->add(weather.plan(s, t, exposure_s(), now.car.mps)); !added)
        return added;
    if (Status copied = drawer->read_metered(radiance); !copied) return copied;
    times.shade = watch.lap();
    const Exposure exposure =
        sensor.meter(radiance, scene.light(), exposure_s(), camera.exposure_ms <= 0);
    const Status developed =
        drawer->develop(sensor.finishing(exposure), exposure, seed, out.pixels);
    times.develop = watch.lap();
    return developed;
  }

  /// Which triangle is in the middle of each canvas pixel; what was binned last.
  void see() {
    seen.resize(at(canvas.width * canvas.height));
    workers.run(raster.tiles(), [&](int tile, int worker) {
      TileSamples& buffer = *samples[at(worker)];
      raster.draw_middles(tile, buffer, scene.materials(), scene.items());
      const int left = tile % raster.tiles_x() * kTile, top = tile / raster.tiles_x() * kTile;
      const int x_end = std::min(kTile, canvas.width - left);
      for (int y = 0; y < std::min(kTile, canvas.height - top); ++y)
        for (int x = 0; x < x_end; ++x)
          seen[at((top + y) * canvas.width + left + x)] =
              static_cast<std::uint32_t>(buffer.id[at((y * kTile + x) / 4)][x % 4]);
    });
  }

  struct SeenPoint {
    const ScreenTriangle* triangle = nullptr;
    float x = 0, y = 0;  // on the canvas
    double z = 0;
  };
  [[nodiscard]] SeenPoint seen_at(int x, int y) const {
    SeenPoint out;
    out.x = f32(x);
    out.y = f32(y);
    if (!sensor.canvas_points().empty()) {
      const SensorModel::CanvasPoint& l = sensor.canvas_points()[at(y * camera.width + x)];
      out.x = l.x;
      out.y = l.y;
    }
    const int cx = std::clamp(floor_int(out.x + 0.5F), 0, canvas.width - 1);
    const int cy = std::clamp(floor_int(out.y + 0.5F), 0, canvas.height - 1);
    const std::uint32_t id = seen[at(cy * canvas.width + cx)];
    if (id == kNothing) return out;
    out.triangle = &raster.triangle(id);
    Hit hit = hit_at(*out.triangle, out.x, out.y);
    if (!(hit.w > 0)) hit = hit_at(*out.triangle, f32(cx), f32(cy));
    out.z = 1.0 / hit.w;
    return out;
  }

  void truth(const CameraPose&, Rendered& out) {
    out.depth.resize(at(camera.width * camera.height));
    out.objects.resize(out.depth.size());
    out.carried.resize(out.depth.size());
    workers.run(camera.height, [&](int y, int) {
      for (int x = 0; x < camera.width; ++x) {
        const SeenPoint l = seen_at(x, y);
        const std::size_t i = at(y * camera.width + x);
        out.depth[i] = l.triangle != nullptr ? f32(l.z) : std::numeric_limits<float>::infinity();
        out.objects[i] = ObjectId::kSurroundings;
        out.carried[i] = 0;
        if (l.triangle == nullptr) continue;
        const Item& item = scene.items()[l.triangle->item];
        out.objects[i] = item.object;
        out.carried[i] = l.triangle->corner[0] >= item.own ? 1 : 0;
      }
    });
  }

  void flow(const World& world, double t, double t2, Rendered& out) {
    CameraPose pose, later;
    prepare(world, t, t2, pose, later);
    raster.bin(workers, pose, scene.items(), scene.materials());
    see();
    out.width = camera.width;
    out.height = camera.height;
    truth(pose, out);
    out.flow_u.resize(at(camera.width * camera.height));
    out.flow_v.resize(out.flow_u.size());
    workers.run(camera.height, [&](int y, int) {
      for (int x = 0; x < camera.width; ++x) {
        const SeenPoint l = seen_at(x, y);
        const std::size_t i = at(y * camera.width + x);
        const double rx = (l.x - canvas.centre_x) / canvas.focal,
                     ry = (l.y - canvas.centre_y) / canvas.focal;
        const Vec3 ray = rx * pose.axes[0] + ry * pose.axes[1] + pose.axes[2];
        Vec3 d = ray;  // the sky is infinitely far: only turns move it
        if (l.triangle != nullptr) {
          d = pose.at - later.at + l.z * ray;
          const Item& item = scene.items()[l.triangle->item];
          if (item.later != nullptr) {
            const Hit hit = hit_at(*l.triangle, l.x, l.y);
            const auto shift = [&](std::size_t k) {
              const std::uint32_t c = l.triangle->corner[k];
              return item.later[c] - item.geometry->corners[c].p;
            };
            const V3 m = (1 - hit.b1 - hit.b2) * shift(0) + hit.b1 * shift(1) + hit.b2 * shift(2);
            d = d + Vec3{m.x, m.y, m.z};
          }
        }
        const Vec3 q{dot(later.axes[0], d), dot(later.axes[1], d), dot(later.axes[2], d)};
        if (q.z <= 0.01) {
          out.flow_u[i] = out.flow_v[i] = 1e10F;
          continue;
        }
        const Vec2 p = lens.pixel({q.x / q.z, q.y / q.z});
        out.flow_u[i] = f32(p.x - x);
        out.flow_v[i] = f32(p.y - y);
      }
    });
  }
};

Renderer::Renderer(const Scenario& scenario, const RenderOptions& options)
    : impl_{std::make_unique<Impl>(scenario, options)} {}
Renderer::~Renderer() = default;

void Renderer::draw(const World& world, double t, Rendered& out) { impl_->draw(world, t, out); }

void Renderer::flow(const World& world, double t, double t2, Rendered& out) {
  impl_->flow(world, t, t2, out);
}

double Renderer::person_lux(const World& world, int person, double t) {
  constexpr int kHeights = 12;
  CameraPose pose, later;
  impl_->prepare(world, t, t, pose, later);
  const Place& place = impl_->now.people[at(person)].place;
  const float ground = f32(impl_->scene.ground(place.at));
  const float tall = f32(impl_->scenario.people[at(person)].height_m);
  const Light& light = impl_->scene.light();
  const V3 foot{f32(place.at.x), f32(place.at.y), ground};
  V3 facing = to_v3(pose.at) - foot;
  facing.z = 0;
  facing = unit(facing);
  double sum = 0;
  for (int i = 0; i < kHeights; ++i) {
    const V3 point = foot + V3{0, 0, tall * (f32(i) + 0.5F) / kHeights};
    V3 e = 0.5F * light.sky;
    if (light.sun_shines) e = e + std::max(dot(facing, light.to_sun), 0.0F) * light.sun;
    for (const Lamp& lamp : impl_->scene.lamps()) {
      V3 to{};
      const V3 more = lamp_light(lamp, point, to);
      if (more.y > 0) e = e + std::max(dot(facing, to), 0.0F) * more;
    }
    sum += 0.2126 * double{e.x} + 0.7152 * double{e.y} + 0.0722 * double{e.z};
  }
  return 1000 * sum / kHeights;
}

const Renderer::Times& Renderer::times() const noexcept { return impl_->times; }

const std::optional<Error>& Renderer::gpu_error() const noexcept { return impl_->gpu_error; }

bool Renderer::by_pixels() const noexcept { return impl_->by_pixels; }

Renderer::Outline Renderer::outline(const World& world, int person, double t) const {
  Moment now;
  world.at(t, now);
  const CameraPose pose = pose_of(impl_->camera, now.car.place);
  if (!Scene::in_reach(pose, now.people[at(person)].place.at)) return {};
  Geometry body;
  impl_->scene.place_person(person, now.people[at(person)], t, true, body);
  const std::size_t own = impl_->scene.own_corners(person, true);
  Outline out;
  bool any = false;
  std::vector<Vec2> pixel(own);
  std::vector<char> ahead(own);
  for (std::size_t i = 0; i < own; ++i) {
    const V3 p = body.corners[i].p;
    const Vec3 q = pose.seen({p.x, p.y, p.z});
    if (q.z <= 0.2 || !impl_->lens.sees({q.x / q.z, q.y / q.z})) continue;
    ahead[i] = 1;
    pixel[i] = impl_->lens.pixel({q.x / q.z, q.y / q.z});
    out.x0 = any ? std::min(out.x0, pixel[i].x) : pixel[i].x;
    out.y0 = any ? std::min(out.y0, pixel[i].y) : pixel[i].y;
    out.x1 = any ? std::max(out.x1, pixel[i].x) : pixel[i].x;
    out.y1 = any ? std::max(out.y1, pixel[i].y) : pixel[i].y;
    any = true;
  }
  if (!any) return out;
  // The silhouette, on the box's grid: a pixel is in if a triangle has its middle.
  const int x0 = static_cast<int>(std::floor(out.x0)), y0 = static_cast<int>(std::floor(out.y0));
  const int w = std::min(static_cast<int>(std::ceil(out.x1)) - x0 + 1, 8000);
  const int h = std::min(static_cast<int>(std::ceil(out.y1)) - y0 + 1, 8000);
  std::vector<bool> mask(at(w) * at(h));
  for (const Face& face : body.faces) {
    if (face.corner[0] >= own) continue;
    if (ahead[face.corner[0]] == 0 || ahead[face.corner[1]] == 0 || ahead[face.corner[2]] == 0)
      continue;
    const Vec2 a = pixel[face.corner[0]], b = pixel[face.corner[1]], c = pixel[face.corner[2]];
    const double area = cross(b - a, c - a);
    if (area == 0) continue;
    const int fx0 = std::max(static_cast<int>(std::ceil(std::min({a.x, b.x, c.x}))) - x0, 0);
    const int fx1 = std::min(static_cast<int>(std::floor(std::max({a.x, b.x, c.x}))) - x0, w - 1);
    const int fy0 = std::max(static_cast<int>(std::ceil(std::min({a.y, b.y, c.y}))) - y0, 0);
    const int fy1 = std::min(static_cast<int>(std::floor(std::max({a.y, b.y, c.y}))) - y0, h - 1);
    for (int y = fy0; y <= fy1; ++y)
      for (int x = fx0; x <= fx1; ++x) {
        const Vec2 p{static_cast<double>(x + x0), static_cast<double>(y + y0)};
        const double e0 = cross(b - a, p - a) / area, e1 = cross(c - b, p - b) / area;
        const double e2 = cross(a - c, p - c) / area;
        if (e0 >= 0 && e1 >= 0 && e2 >= 0) mask[at(y) * at(w) + at(x)] = true;
      }
  }
  for (const bool m : mask) out.pixels += m ? 1 : 0;
  return out;
}

}  // namespace kerb::sim
