// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/people/body.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <tuple>

#include "tools/simulator/people/gait.hpp"
#include "tools/simulator/people/ride.hpp"
#include "tools/simulator/people/rig.hpp"

namespace kerb::sim {

using namespace people;

namespace {

constexpr double kPi = std::numbers::pi;

std::array<float, 3> floats(const Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

/// How much of what is around a place is not the person: a few steps outwards along the normal.
double openness(const std::vector<Layer>& layers, const Vec3& p, const Vec3& n) {
  double shut = 0, share = 0.55;
  for (const double far : {0.025, 0.06, 0.11, 0.18}) {
    const Vec3 q = p + far * n;
    double d = far;
    for (const Layer& layer : layers) {
      if (!layer.field || layer.part == BodyPart::eyes || layer.part == BodyPart::lips) continue;
      const Vec3 low = layer.low - q, high = q - layer.high;
      if (std::max({low.x, low.y, low.z, high.x, high.y, high.z}) > d) continue;
      if (layer.cling == Cling::rigid && layer.bone == kThing) continue;
      d = std::min(d, layer.field(q));
    }
    shut += share * std::clamp((far - d) / far, 0.0, 1.0);
    share *= 0.62;
  }
  return std::clamp(1 - 0.75 * shut, 0.15, 1.0);
}

/// A bone's way from rest to the world, in rows.
struct Matrix {
  std::array<float, 12> m{};
};

}  // namespace

struct Body::Impl {
  Figure figure;
  Appearance look;
  Ride ride;
  std::vector<Bound> vertices;
  std::vector<Triangle> triangles;
  std::size_t own = 0;

  /// A stretch of the walk at one speed.
  struct Leg {
    double from, to;    // walked
    double phase;       // at its beginning
    bool starts, ends;  // from or to standing
    Gait gait;
  };
  std::vector<Leg> legs;
  double first_phase = 0.22;

  void add(const Layer& layer, const std::vector<Layer>& all, const Rig& rig, double coarseness);
  void plan(const PersonSpec& person);
  Gait step_at(const PersonState& state, Step& step) const;
};

void Body::Impl::add(const Layer& layer, const std::vector<Layer>& all, const Rig& rig,
                     double coarseness) {
  // Small parts are not coarsened as much: a foot would no longer stand on its sole.
  const double coarser = layer.cell > 0.025 ? coarseness : std::sqrt(coarseness);
  const double cell = layer.cell * coarser * std::clamp(figure.scale, 0.6, 1.1);
  const Skin skin =
      layer.field ? polygonise(layer.field, layer.low, layer.high, cell) : layer.ready;
  std::vector<Bound> bound(skin.points.size());
  std::vector<Rig::Cloth> cloth(skin.points.size());
  for (std::size_t i = 0; i < bound.size(); ++i) {
    rig.bind(skin.points[i], layer, bound[i]);
    bound[i].position = floats(skin.points[i]);
    bound[i].normal = floats(skin.normals[i]);
    if (layer.field && (layer.own || layer.bone == kChest))
      bound[i].open = static_cast<float>(openness(all, skin.points[i], skin.normals[i]));
    cloth[i] = rig.cloth(skin.points[i], bound[i]);
  }
  // A vertex for each piece of cloth it is part of, and on both sides of a seam.
  std::map<std::tuple<std::uint32_t, int, int>, std::uint32_t> made;
  for (const auto& t : skin.triangles) {
    const Rig::Cloth& first = cloth[t[0]];
    Triangle out;
    out.material = static_cast<std::uint16_t>(layer.part);
    for (std::size_t k = 0; k < 3; ++k) {
      Rig::Cloth c = cloth[t[k]];
      if (c.piece != first.piece) {  // as seen from the first corner's piece
        Bound probe = bound[t[0]];
        c = rig.cloth(skin.points[t[k]], probe);
      }
      const int turns = static_cast<int>(std::lround((first.angle - c.angle) / (2 * kPi)));
      const auto key = std::tuple{t[k], first.piece, turns};
      auto found = made.find(key);
      if (found == made.end()) {
        found = made.emplace(key, static_cast<std::uint32_t>(vertices.size())).first;
        Bound b = bound[t[k]];
        b.uv = {static_cast<float>((c.angle + 2 * kPi * turns) * c.radius),
                static_cast<float>(c.along)};
        vertices.push_back(b);
      }
      out.corner[k] = found->second;
    }
    triangles.push_back(out);
  }
}

void Body::Impl::plan(const PersonSpec& person) {
  first_phase = look.manner.side > 0 ? 0.22 : 0.72;
  Vec2 at = person.start.at;
  double walked = 0, phase = first_phase;
  bool standing = true;
  for (const WalkLeg& leg : person.walk) {
    const double metres = length(leg.to - at);
    if (leg.wait_s > 0) {
      standing = true;
      if (!legs.empty()) legs.back().ends = true;
    }
    if (metres <= 0 || leg.mps <= 0) continue;
    legs.push_back({walked, walked + metres, phase, standing, false, Gait{figure, leg.mps}});
    phase += metres / legs.back().gait.stride();
    walked += metres;
    at = leg.to;
    standing = leg.slow_down_m > 0;
    if (standing) legs.back().ends = true;
  }
  if (!legs.empty()) legs.back().ends = true;
}

Gait Body::Impl::step_at(const PersonState& state, Step& step) const {
  for (const Leg& leg : legs) {
    if (state.walked_m > leg.to + 1e-6) continue;
    if (state.mps <= 0 && state.walked_m >= leg.to - 1e-6) continue;
    const double on = state.walked_m - leg.from, left = leg.to - state.walked_m;
    const double ramp = 0.45 * leg.gait.stride();
    step.phase = leg.phase + on / leg.gait.stride();
    step.walking = 1;
    if (leg.starts) step.walking *= smooth_step(0, ramp, on);
    if (leg.ends) step.walking *= smooth_step(0, ramp, left);
    return leg.gait;
  }
  Gait gait{figure, state.mps};
  step.phase = first_phase + state.walked_m / gait.stride();
  step.walking = smooth_step(0, 0.4, state.mps);
  return gait;
}

Body::Body(const PersonSpec& person, double coarseness) : impl_{std::make_unique<Impl>()} {
  Impl& b = *impl_;
  b.figure = figure_of(person);
  b.look = appearance_of(person);
  std::vector<Layer> layers;
  b.ride = ride_of(b.figure, person);
  add_head(b.figure, b.look, layers);
  add_clothes(b.figure, person, b.look, layers);
  add_things(b.figure, person, b.look, layers);
  const Rig rig{b.figure, hem_of(person.clothing.top, b.figure, b.look)};
  for (const Layer& layer : layers)
    if (layer.own) b.add(layer, layers, rig, coarseness);
  b.own = b.vertices.size();
  for (const Layer& layer : layers)
    if (!layer.own) b.add(layer, layers, rig, coarseness);
  b.plan(person);
}
Body::~Body() = default;
Body::Body(Body&&) noexcept = default;
Body& Body::operator=(Body&&) noexcept = default;

std::size_t Body::own_vertices() const noexcept { return impl_->own; }

void Body::pose(const PersonState& state, double t, Mesh& out) const {
  const Impl& b = *impl_;
  Step step;
  const Gait gait = b.step_at(state, step);
  Posture posture;
  step.rolled = state.walked_m;
  if (b.ride.kind != Rides::nothing)
    sit_on(b.figure, b.look.manner, b.ride, state, t, posture);
  else
    take_posture(b.figure, b.look.manner, gait, step, state.turned, t, posture);
  std::array<Matrix, kBones> bones;
  const double c = std::cos(state.place.heading), s = std::sin(state.place.heading);
  const Turn3 facing{{c, s, 0}, {-s, c, 0}, {0, 0, 1}};
  for (std::size_t i = 0; i < kBones; ++i) {
    const Turn3 r = facing * posture[i].turn;
    const Vec3 at = facing * posture[i].at + Vec3{state.place.at.x, state.place.at.y, 0} -
                    r * b.figure.joint[i];
    const double rows[12] = {r.x.x, r.y.x, r.z.x, at.x,  r.x.y, r.y.y,
                             r.z.y, at.y,  r.x.z, r.y.z, r.z.z, at.z};
    for (std::size_t k = 0; k < 12; ++k) bones[i].m[k] = static_cast<float>(rows[k]);
  }
  out.vertices.resize(b.vertices.size());
  out.triangles = b.triangles;
  for (std::size_t i = 0; i < b.vertices.size(); ++i) {
    const Bound& v = b.vertices[i];
    std::array<float, 12> m;
    const auto& first = bones[v.bone[0]].m;
    for (std::size_t k = 0; k < 12; ++k) m[k] = v.weight[0] * first[k];
    for (std::size_t n = 1; n < 4 && v.weight[n] > 0; ++n) {
      const auto& other = bones[v.bone[n]].m;
      for (std::size_t k = 0; k < 12; ++k) m[k] += v.weight[n] * other[k];
    }
    const auto& p = v.position;
    const auto& q = v.normal;
    Vertex& o = out.vertices[i];
    o.position = {m[0] * p[0] + m[1] * p[1] + m[2] * p[2] + m[3],
                  m[4] * p[0] + m[5] * p[1] + m[6] * p[2] + m[7],
                  m[8] * p[0] + m[9] * p[1] + m[10] * p[2] + m[11]};
    const float nx = m[0] * q[0] + m[1] * q[1] + m[2] * q[2];
    const float ny = m[4] * q[0] + m[5] * q[1] + m[6] * q[2];
    const float nz = m[8] * q[0] + m[9] * q[1] + m[10] * q[2];
    const float scale = 1 / std::sqrt(nx * nx + ny * ny + nz * nz);
    o.normal = {nx * scale, ny * scale, nz * scale};
    o.uv = v.uv;
    o.open = v.open;
  }
}

}  // namespace kerb::sim
