// SPDX-License-Identifier: Apache-2.0
// Pictures and their truth: the same whatever the threads, flow against a homography, outlines
// against what is seen, noise against its formula.
#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/test.hpp"
#include "tools/simulator/render/renderer.hpp"
#include "tools/simulator/render/sensor.hpp"

using namespace kerb;
using namespace kerb::sim;

namespace {

/// A road through fields, in a small picture.
Scenario country() {
  Scenario s;
  s.camera.width = 192;
  s.camera.height = 108;
  s.street.left = s.street.right = Side::fields;
  s.street.clutter = 0;
  s.car.speeds = {{0, 10, 3}};
  return s;
}
Scenario with_somebody(double x, double y) {
  Scenario s = country();
  PersonSpec p;
  p.start = {{x, y}, 1.5};
  p.walk = {{{x, y + 8}, 1.4, 0}};
  s.people = {p};
  return s;
}

TEST(a_picture_is_the_same_whatever_the_threads) {
  for (const Daylight kind : {Daylight::overcast, Daylight::low_sun}) {
    Scenario s = with_somebody(12, -1);
    s.light.kind = kind;
    s.camera.k1 = -0.1;
    const World world{s};
    Rendered one, three;
    Renderer a{s, {.truth = true, .threads = 1}}, b{s, {.truth = true, .threads = 3}};
    a.draw(world, 0.5, one);
    b.draw(world, 0.1, three);  // what was drawn before does not matter
    b.draw(world, 0.5, three);
    TEST_ASSERT_EQUAL_size_t(one.pixels.size(), three.pixels.size());
    TEST_ASSERT_EQUAL_MEMORY(one.pixels.data(), three.pixels.data(), one.pixels.size());
    TEST_ASSERT_EQUAL_MEMORY(one.depth.data(), three.depth.data(), one.depth.size() * 4);
    TEST_ASSERT_EQUAL_MEMORY(one.objects.data(), three.objects.data(), one.objects.size() * 2);
  }
}

/// Where a pixel's ray meets the road, as the camera at this place has it; z of it along the axis.
bool on_road(const Scenario& s, const Place& car, int x, int y, Vec3& point, double& z) {
  const Lens lens{s.camera};
  const CameraPose pose = pose_of(s.camera, car);
  bool ok = false;
  const Vec2 ray = lens.ray({double(x), double(y)}, ok);
  const Vec3 d = ray.x * pose.axes[0] + ray.y * pose.axes[1] + pose.axes[2];
  if (!ok || d.z >= -0.02) return false;
  z = pose.at.z / -d.z;
  point = pose.at + z * d;
  return true;
}

TEST(flow_and_depth_of_the_road_are_those_of_a_plane) {
  for (const double k1 : {0.0, -0.2}) {
    Scenario s = country();
    s.camera.k1 = k1;
    s.camera.pitch_deg = 4;
    s.car.way = {{200, 40}};  // to the left, so that the camera turns too
    s.street.way = {{200, 38.25}};
    const World world{s};
    Renderer renderer{s, {.truth = true, .threads = 2}};
    Rendered r;
    const double t = 0.4, t2 = 0.5;
    renderer.flow(world, t, t2, r);
    Moment now, then;
    world.at(t, now);
    world.at(t2, then);
    const Lens lens{s.camera};
    const CameraPose later = pose_of(s.camera, then.car.place);
    int road = 0, exact = 0;
    for (int y = 60; y < s.camera.height; ++y)
      for (int x = 70; x < 125; ++x) {
        Vec3 p;
        double z = 0;
        if (!on_road(s, now.car.place, x, y, p, z) || z > 40) continue;
        ++road;
        const std::size_t i = at(y * s.camera.width + x);
        if (std::abs(r.depth[i] - z) > 2e-5 * z) continue;  // a line or a patch lies higher
        ++exact;
        const Vec3 q = later.seen(p);
        const Vec2 to = lens.pixel({q.x / q.z, q.y / q.z});
        TEST_ASSERT_DOUBLE_WITHIN(0.01, to.x - x, r.flow_u[i]);
        TEST_ASSERT_DOUBLE_WITHIN(0.01, to.y - y, r.flow_v[i]);
      }
    TEST_ASSERT_TRUE(road > 1000);
    TEST_ASSERT_TRUE(exact > road * 6 / 10);
  }
}

TEST(the_sky_moves_only_by_turning) {
  Scenario s = country();
  const World world{s};
  Renderer renderer{s, {.truth = true, .threads = 2}};
  Rendered r;
  renderer.flow(world, 0.2, 0.3, r);
  const std::size_t up = 5U * 192U + 96U;
  TEST_ASSERT_TRUE(r.depth[up] > 1e30F);
  TEST_ASSERT_FLOAT_WITHIN(1e-4F, 0, r.flow_u[up]);
  TEST_ASSERT_FLOAT_WITHIN(1e-4F, 0, r.flow_v[up]);
}

TEST(an_outline_is_what_is_seen_of_somebody_alone) {
  const Scenario s = with_somebody(9, -0.6);
  const World world{s};
  Renderer renderer{s, {.truth = true, .threads = 2}};
  Rendered r;
  renderer.draw(world, 0.3, r);
  int pixels = 0, x0 = 999, y0 = 999, x1 = -1, y1 = -1;
  for (int y = 0; y < r.height; ++y)
    for (int x = 0; x < r.width; ++x) {
      if (r.objects[at(y * r.width + x)] != ObjectId::kFirstPerson) continue;
      ++pixels;
      x0 = std::min(x0, x);
      x1 = std::max(x1, x);
      y0 = std::min(y0, y);
      y1 = std::max(y1, y);
    }
  const Renderer::Outline o = renderer.outline(world, 0, 0.3);
  TEST_ASSERT_TRUE(pixels > 200);
  TEST_ASSERT_DOUBLE_WITHIN(0.03 * pixels, pixels, o.pixels);
  TEST_ASSERT_DOUBLE_WITHIN(1.2, x0, o.x0);
  TEST_ASSERT_DOUBLE_WITHIN(1.2, x1, o.x1);
  TEST_ASSERT_DOUBLE_WITHIN(1.2, y0, o.y0);
  TEST_ASSERT_DOUBLE_WITHIN(1.2, y1, o.y1);
}

TEST(an_outline_ends_where_a_lens_means_nothing_any_more) {
  struct Case {
    double k1, k2;
    double widest;  // of a ray from the axis, at a distance of 1
  };
  // The first polynomial runs away, the second turns back into the picture at its widest.
  for (const Case c : {Case{-0.3, 0.1, 4}, Case{-0.1, 0, std::sqrt(0.95 / 0.3)}}) {
    int seen = 0, beyond = 0;
    for (double ahead = -3; ahead < 20; ahead += 0.25) {
      Scenario s = with_somebody(ahead, -9);
      s.camera.k1 = c.k1;
      s.camera.k2 = c.k2;
      const World world{s};
      const Renderer renderer{s, {.truth = true, .threads = 1}};
      const Renderer::Outline o = renderer.outline(world, 0, 0);
      TEST_ASSERT_TRUE(o.x0 > -1e5 && o.x1 < 1e5 && o.y0 > -1e5 && o.y1 < 1e5);
      Moment now;
      world.at(0, now);
      const Vec3 middle = pose_of(s.camera, now.car.place).seen({ahead, -9, 1});
      const double out = middle.z > 0 ? std::abs(middle.x) / middle.z : 99;
      if (out > c.widest + 1) {
        ++beyond;
        TEST_ASSERT_EQUAL_DOUBLE(0, o.pixels);
      }
      seen += out < c.widest - 0.5 && o.pixels > 20 ? 1 : 0;
    }
    TEST_ASSERT_TRUE(seen > 3);
    TEST_ASSERT_TRUE(beyond > 3);
  }
}

TEST(what_somebody_carries_is_told_apart_from_them) {
  Scenario s = with_somebody(9, -0.6);
  const auto draw = [](const Scenario& scenario, Rendered& out) {
    const World world{scenario};
    Renderer renderer{scenario, {.truth = true, .threads = 2}};
    renderer.draw(world, 0.3, out);
    return renderer.outline(world, 0, 0.3);
  };
  Rendered without, with;
  draw(s, without);
  s.people[0].carries = Carries::umbrella;
  const Renderer::Outline o = draw(s, with);
  int own = 0, carried = 0, over = 0;
  for (std::size_t i = 0; i < with.objects.size(); ++i) {
    TEST_ASSERT_EQUAL_INT(0, without.carried[i]);
    const bool person = with.objects[i] == ObjectId::kFirstPerson;
    own += person && with.carried[i] == 0 ? 1 : 0;
    if (with.carried[i] == 0) continue;
    TEST_ASSERT_TRUE(person);
    ++carried;
    over += static_cast<int>(i) / with.width < o.y0 ? 1 : 0;
  }
  TEST_ASSERT_TRUE(carried > 50 && over > 20);  // most of it is over their head
  TEST_ASSERT_TRUE(own > 0.7 * o.pixels && own < 1.03 * o.pixels);
}

TEST(people_are_warm_and_the_sky_is_cold) {
  Scenario s = with_somebody(9, -0.6);
  s.camera.sensor = Sensor::thermal;
  const World world{s};
  Renderer renderer{s, {.truth = true, .threads = 2}};
  Rendered r;
  renderer.draw(world, 0.3, r);
  TEST_ASSERT_EQUAL_INT(1, r.channels);
  double person = 0, road = 0, sky = 0;
  int n = 0, m = 0, k = 0;
  for (std::size_t i = 0; i < r.objects.size(); ++i) {
    if (r.objects[i] == ObjectId::kFirstPerson) person += r.pixels[i], ++n;
    if (r.depth[i] > 1e30F) sky += r.pixels[i], ++k;
    if (r.objects[i] == 0 && r.depth[i] < 10) road += r.pixels[i], ++m;
  }
  TEST_ASSERT_TRUE(person / n > road / m + 30);
  TEST_ASSERT_TRUE(road / m > sky / k + 20);
}

TEST(a_band_sees_the_reflectance_that_was_given) {
  Materials materials;
  Surface surface;
  surface.rgb = {0.5, 0.3, 0.2};
  for (int i = 0; i < kSpectrum; ++i) surface.reflectance.push_back(i < 15 ? 0.1 : 0.7);
  Material like;
  like.texture = &texture_of(Paint::plain);
  const std::uint16_t id = materials.add(surface, like);
  Spectrum at_800{};
  at_800[20] = 1;
  materials.see_bands({at_800});
  const Material& m = materials[id];
  // What is drawn in a band is the colour's own spectrum times the correction.
  TEST_ASSERT_FLOAT_WITHIN(1e-4F, 0.7F, spectrum_of(m.rgb)[20] * m.bands[0]);
}

TEST(bands_and_mosaics_have_the_samples_they_should) {
  Scenario s = country();
  s.camera.sensor = Sensor::bands;
  s.camera.bands = {{450, 40}, {550, 40}, {650, 40}, {750, 40}, {850, 40}};
  s.camera.noise = 0;
  const World world{s};
  Rendered r;
  Renderer{s, {.truth = false, .threads = 2}}.draw(world, 0.1, r);
  TEST_ASSERT_EQUAL_INT(5, r.channels);
  TEST_ASSERT_EQUAL_size_t(192U * 108U * 5U, r.pixels.size());
  s.camera.sensor = Sensor::mosaic;
  s.camera.bands.resize(4);
  Rendered mosaic;
  Renderer{s, {.truth = false, .threads = 2}}.draw(world, 0.1, mosaic);
  TEST_ASSERT_EQUAL_size_t(192U * 108U, mosaic.pixels.size());
}

TEST(noise_has_the_variance_of_its_formula) {
  CameraSpec camera;
  camera.width = 320;
  camera.height = 200;
  camera.sensor = Sensor::grey;
  const Lens lens{camera};
  const Canvas canvas{camera, lens};
  SensorModel sensor{camera, lens, canvas, camera.sensor};
  Radiance flat;
  flat.width = canvas.width;
  flat.height = canvas.height;
  flat.planes.resize(1);
  Workers workers{2};
  for (const float level : {0.15F, 0.5F}) {
    flat.planes[0].assign(at(canvas.width * canvas.height), all(level));
    Exposure e;
    e.curve = false;  // so that a byte is light
    e.photon = 0.006F;
    e.read = 0.0004F;
    std::vector<std::uint8_t> bytes, again, other;
    sensor.develop(workers, flat, false, e, 7, row_work(), bytes);
    sensor.develop(workers, flat, false, e, 7, row_work(), again);
    sensor.develop(workers, flat, false, e, 8, row_work(), other);
    TEST_ASSERT_EQUAL_MEMORY(bytes.data(), again.data(), bytes.size());
    TEST_ASSERT_TRUE(bytes != other);
    double sum = 0, squares = 0, beside = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const double v = bytes[i] / 255.0 - level;
      sum += v;
      squares += v * v;
      if (i > 0) beside += v * (bytes[i - 1] / 255.0 - level);
    }
    const auto n = static_cast<double>(bytes.size());
    const double variance = e.photon * level + e.read;
    TEST_ASSERT_DOUBLE_WITHIN(0.003, 0, sum / n);
    TEST_ASSERT_DOUBLE_WITHIN(0.04 * variance, variance, squares / n);
    TEST_ASSERT_DOUBLE_WITHIN(0.03 * variance, 0, beside / n);  // pixels do not know each other
  }
}

TEST(without_noise_a_flat_picture_is_flat) {
  CameraSpec camera;
  camera.width = 64;
  camera.height = 64;
  const Lens lens{camera};
  const Canvas canvas{camera, lens};
  SensorModel sensor{camera, lens, canvas, Sensor::rgb};
  Radiance flat;
  flat.width = flat.height = 64;
  flat.planes.resize(1);
  flat.planes[0].assign(64U * 64U, F4{0.2F, 0.3F, 0.4F, 0});
  Workers workers{1};
  std::vector<std::uint8_t> bytes;
  sensor.develop(workers, flat, false, Exposure{}, 1, row_work(), bytes);
  for (std::size_t i = 3; i < bytes.size(); ++i) TEST_ASSERT_EQUAL_UINT8(bytes[i % 3], bytes[i]);
  TEST_ASSERT_TRUE(bytes[0] < bytes[1] && bytes[1] < bytes[2]);
}

}  // namespace
