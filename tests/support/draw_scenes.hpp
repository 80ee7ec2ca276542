// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "tools/simulator/base/scenario.hpp"

/// Scenes for tests that draw the same picture in two ways: each uses parts of the renderer that
/// the others do not.
namespace kerb::test {

struct DrawScene {
  const char* name;
  sim::Scenario scenario;
};

inline sim::PersonSpec walker(double x, double y, double heading, std::uint32_t seed) {
  sim::PersonSpec p;
  p.start = {{x, y}, heading};
  p.seed = seed;
  p.female = seed % 2 == 1;
  p.clothing.top_surface.rgb = {0.2 + 0.1 * (seed % 7), 0.3, 0.8 - 0.1 * (seed % 5)};
  p.walk = {{30, 1.2 + 0.1 * (seed % 4)}};
  return p;
}

/// Streets by day and by night, in rain and in fog, with a crowd, through a lens with distortion.
inline std::vector<DrawScene> draw_scenes(int width, int height) {
  using namespace sim;
  Scenario base;
  base.camera.width = width;
  base.camera.height = height;
  base.street.parked_cars = true;
  base.car.speeds = {{0, 12, 3}};
  base.people = {walker(14, -2, 1.6, 3), walker(22, 4, -1.5, 4)};
  PropSpec van;
  van.kind = PropKind::van;
  van.place = {{30, 3.5}, 3.14159};
  base.props = {van};
  std::vector<DrawScene> out;
  const auto add = [&](const char* name, const auto& change) {
    Scenario s = base;
    change(s);
    out.push_back({name, s});
  };
  add("day", [](Scenario& s) { s.light.kind = Daylight::noon; });
  add("park, low sun", [](Scenario& s) {
    s.street.left = s.street.right = Side::park;
    s.light.kind = Daylight::low_sun;
  });
  add("overcast, grey camera, turning", [](Scenario& s) {
    s.light.kind = Daylight::overcast;
    s.camera.sensor = Sensor::grey;
    s.car.way = {{5, 0}, {40, 15}};
  });
  add("night", [](Scenario& s) {
    s.light.kind = Daylight::night;
    s.light.headlamps = s.light.street_lamps = true;
  });
  add("rain at night", [](Scenario& s) {
    s.light.kind = Daylight::night;
    s.light.headlamps = s.light.street_lamps = true;
    s.weather = {0, 6, 0.8, {}, 1};
  });
  add("wet road by day", [](Scenario& s) {
    s.light.kind = Daylight::low_sun;
    s.weather = {0, 0, 0, 0.8, 0};
  });
  add("fog by day", [](Scenario& s) {
    s.light.kind = Daylight::noon;
    s.weather = {90, 0, 0, {}, 0};
  });
  add("fog at night", [](Scenario& s) {
    s.light.kind = Daylight::night;
    s.light.headlamps = s.light.street_lamps = true;
    s.weather = {70, 0, 0, {}, 0};
  });
  add("crowd", [](Scenario& s) {
    s.light.kind = Daylight::low_sun;
    for (std::uint32_t i = 0; i < 12; ++i)
      s.people.push_back(walker(8 + 2.5 * i, i % 2 == 0 ? -3.2 : 2.5, 0.4 * i, 10 + i));
  });
  add("lens with distortion", [](Scenario& s) {
    s.light.kind = Daylight::noon;
    s.camera.fov_deg = 90;
    s.camera.k1 = -0.2;
    s.camera.k2 = 0.03;
  });
  return out;
}

}  // namespace kerb::test
