// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/render/scene.hpp"

#include "tools/simulator/render/parts.hpp"

namespace kerb::sim {
namespace {

constexpr double kBehind = 80, kAhead = 260;

V3 spec_size(const PropSpec& spec) {
  V3 s = drawn_size(spec.kind);
  if (spec.size.x > 0) s.x = f32(spec.size.x);
  if (spec.size.y > 0) s.y = f32(spec.size.y);
  if (spec.size.z > 0) s.z = f32(spec.size.z);
  return s;
}

bool is_vehicle(PropKind kind) {
  return kind == PropKind::car || kind == PropKind::van || kind == PropKind::truck;
}

Occluder under_car(const Place& place, double z, V3 size) {
  const Vec2 ahead = direction(place.heading);
  return {{f32(place.at.x), f32(place.at.y), f32(z)},
          0,
          f32(ahead.x),
          f32(ahead.y),
          0.48F * size.x,
          0.48F * size.y};
}

/// A garment of two colours: what its own is multiplied by, over 0.8 x 0.8 m.
Texture pattern_texture(const PersonSpec& spec, const Surface& first, const Surface& second) {
  const Texture& cloth = texture_of(Paint::cloth);
  const auto ratio = [&](std::size_t c) {
    return std::min(linear_of(f32(second.rgb[c])) / std::max(linear_of(f32(first.rgb[c])), 0.004F),
                    4.0F);
  };
  const V3 other{ratio(0), ratio(1), ratio(2)};
  return Texture{
      7, [&](float u, float v) {
        const auto share = f32(pattern_share(spec.clothing.pattern, 0.8 * u, 0.8 * v, spec.seed));
        return Texture::Texel{cloth.sample_level(u, v, 0) * mix(V3{1, 1, 1}, other, share), 1};
      }};
}

}  // namespace

Scene::Scene(const Scenario& scenario)
    : scenario_{scenario},
      street_{scenario.street.left_hand ? mirrored(scenario) : scenario},
      light_{light_of(scenario.light, scenario.seed)},
      surroundings_{street_, light_, scenario.light.street_lamps, scenario.street.left_hand,
                    materials_} {
  // A sun that was drawn at random, on the other side like everything.
  if (scenario.street.left_hand && !scenario.light.sun_azimuth_deg)
    light_.to_sun.y = -light_.to_sun.y;
  paint_people();
  build_props();
}

const Body& Scene::body_of(Person& person, bool coarse) {
  std::optional<Body>& body = coarse ? person.coarse : person.fine;
  if (body) return *body;
  body.emplace(*person.spec, coarse ? 2.0 : 1.0);
  Geometry& shape = coarse ? person.shape_coarse : person.shape_fine;
  PersonState still;
  still.place = person.spec->start;
  Mesh mesh;
  body->pose(still, 0, mesh);
  shape.faces.reserve(mesh.triangles.size());
  for (const Triangle& t : mesh.triangles) {  // the faces stay: only corners move
    const std::size_t part = std::min<std::size_t>(t.material, person.materials.size() - 1);
    shape.faces.push_back({t.corner, person.materials[part], 1});
  }
  return *body;
}

void Scene::paint_people() {
  for (const PersonSpec& spec : scenario_.people) {
    Person& person = *people_.emplace_back(std::make_unique<Person>());
    person.spec = &spec;
    const auto surfaces = body_surfaces(spec);
    for (std::size_t i = 0; i < surfaces.size(); ++i) {
      Material m;
      m.stuff = Stuff::cloth;
      m.texture = &texture_of(Paint::cloth);
      m.per_metre = 1 / 0.8F;
      m.celsius = 24;
      m.warming = 5;
      switch (static_cast<BodyPart>(i)) {
        case BodyPart::skin:
          m.stuff = Stuff::skin;
          m.texture = &texture_of(Paint::skin);
          m.celsius = 33;
          m.warming = 1;
          break;
        case BodyPart::hair:
          m.stuff = Stuff::hair;
          m.texture = &texture_of(Paint::hair);
          m.per_metre = 4;
          m.celsius = 28;
          break;
        case BodyPart::top:
          if (spec.clothing.pattern != 0) {
            person.pattern = pattern_texture(spec, surfaces[i],
                                             surfaces[static_cast<std::size_t>(BodyPart::trim)]);
            m.texture = &person.pattern;
          }
          break;
        case BodyPart::shoes:
        case BodyPart::thing_dark:
          m.texture = &texture_of(Paint::plain);
          m.gloss = Gloss::satin;
          m.celsius = 19;
          break;
        case BodyPart::eyes:
        case BodyPart::lips:
          m.texture = &texture_of(Paint::plain);
          m.celsius = 33;
          break;
        case BodyPart::thing:
          m.celsius = 17;
          break;
        default:
          break;
      }
      person.materials[i] = materials_.add(surfaces[i], m);
    }
  }
}

void Scene::build_props() {
  for (std::size_t i = 0; i < scenario_.props.size(); ++i) {
    const PropSpec& spec = scenario_.props[i];
    Prop& prop = *props_.emplace_back(std::make_unique<Prop>());
    prop.kind = spec.kind;
    prop.size = spec_size(spec);
    Material m;
    m.texture = &texture_of(Paint::metal);
    m.gloss = Gloss::satin;
    if (is_vehicle(spec.kind)) {
      m.texture = &texture_of(Paint::plain);
      m.gloss = Gloss::paint;
      m.celsius = 18;
      m.warming = 14;
    } else if (spec.kind == PropKind::wall) {
      m.texture = &texture_of(Paint::brick);
      m.gloss = Gloss::matt;
    } else if (spec.kind == PropKind::poster) {
      static const Texture posters[3] = {poster_texture(1), poster_texture(2), poster_texture(3)};
      m.texture = &posters[spec.seed % 3];
      m.unit_m = 2;
    }
    Surface surface = spec.surface;
    if (spec.kind == PropKind::poster) surface.rgb = {0.95, 0.95, 0.95};
    const std::uint16_t paint = materials_.add(surface, m);
    prop.moves = !spec.speeds.empty();
    const bool mirror = scenario_.street.left_hand;
    Builder b{prop.moves ? prop.local : prop.now, mirror};
    const double z = ground(spec.place.at);
    if (!prop.moves) b.stand(mirror ? mirrored(spec.place) : spec.place, z);
    build_prop(b, spec.kind, prop.size, paint, mix64(spec.seed, i));
    prop.now.bound();
    if (!prop.moves && is_vehicle(spec.kind))
      prop_occluders_.push_back(under_car(spec.place, z, prop.size));
    if (prop.moves) {
      prop.now.faces = prop.local.faces;
      prop.now.corners.resize(prop.local.corners.size());
      prop.then.resize(prop.local.corners.size());
    }
  }
}

void Scene::pose_person(const Body& body, const PersonState& state, double t, Geometry& out,
                        Mesh& mesh) const {
  body.pose(state, t, mesh);
  const float z = f32(ground(state.place.at));
  out.corners.resize(mesh.vertices.size());
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    const Vertex& v = mesh.vertices[i];
    out.corners[i] = {{v.position[0], v.position[1], v.position[2] + z},
                      {v.normal[0], v.normal[1], v.normal[2]},
                      v.uv[0],
                      v.uv[1],
                      v.open};
  }
}

void Scene::place_person(int index, const PersonState& state, double t, bool coarse,
                         Geometry& out) const {
  Person& person = *people_[at(index)];
  Mesh mesh;
  pose_person(body_of(person, coarse), state, t, out, mesh);
  out.faces = (coarse ? person.shape_coarse : person.shape_fine).faces;
  out.bound();
}

void Scene::occlude(const Person& person, const PersonSpec& spec, const PersonState& state,
                    std::vector<Occluder>& out) const {
  const float z = f32(ground(state.place.at)), h = f32(spec.height_m);
  const V3 foot{f32(state.place.at.x), f32(state.place.at.y), z};
  // The two feet: what touches the ground, split along the way it goes.
  const Vec2 ahead = direction(state.place.heading);
  V3 sum[2] = {};
  int n[2] = {0, 0};
  for (std::size_t i = 0; i < person.now.corners.size(); i += 3) {
    const V3 p = person.now.corners[i].p;
    if (p.z > z + 0.14F) continue;
    const float along = f32(ahead.x) * (p.x - foot.x) + f32(ahead.y) * (p.y - foot.y);
    const int k = along > 0 ? 1 : 0;
    sum[k] = sum[k] + p;
    ++n[k];
  }
  for (int k = 0; k < 2; ++k)
    if (n[k] > 0) {
      const V3 p = (1 / f32(n[k])) * sum[k];
      out.push_back({{p.x, p.y, z + 0.07F}, 0.115F, 1, 0, 0, 0});
    }
  out.push_back({foot + V3{0, 0, 0.30F * h}, 0.095F * h, 1, 0, 0, 0});
  out.push_back({foot + V3{0, 0, 0.62F * h}, 0.12F * h, 1, 0, 0, 0});
}

void Scene::place(Workers& workers, const Moment& now, const Moment& then, const CameraPose& pose,
                  double focal) {
  items_.clear();
  standing_.clear();
  moving_.clear();
  occluders_ = prop_occluders_;
  lamps_.clear();
  const double s = street_.locate(as_built({pose.at.x, pose.at.y})).s;
  surroundings_.reach(s - kBehind, s + kAhead);
  const int place = static_cast<int>(std::floor(s / 40));
  if (place != horizon_at_) {
    surroundings_.horizon(street_.frame(place * 40.0).at, horizon_);
    horizon_at_ = place;
  }
  const auto stands = [&](const Geometry* g, std::uint16_t object) {
    standing_.push_back(g);
    items_.push_back({g, nullptr, object});
  };
  for (const auto& [number, block] : surroundings_.blocks()) {
    (void)number;
    for (const std::unique_ptr<Geometry>& g : block.geometries)
      if (!g->faces.empty()) stands(g.get(), 0);
    for (const std::unique_ptr<Tree>& tree : block.trees) {
      const float away = length(tree->near.ball.centre - to_v3(pose.at));
      items_.push_back({away < 45 ? &tree->near : &tree->far, nullptr, 0});
      standing_.push_back(&tree->near);
    }
    occluders_.insert(occluders_.end(), block.occluders.begin(), block.occluders.end());
    lamps_.insert(lamps_.end(), block.lamps.begin(), block.lamps.end());
  }
  for (std::size_t i = 0; i < props_.size(); ++i) {
    Prop& prop = *props_[i];
    const auto object = static_cast<std::uint16_t>(0x4000U + i);
    if (!prop.moves) {
      stands(&prop.now, object);
      continue;
    }
    const auto at_place = [&](const Place& p, V3 local) {
      const float c = f32(std::cos(p.heading)), sn = f32(std::sin(p.heading));
      return V3{f32(p.at.x) + c * local.x - sn * local.y, f32(p.at.y) + sn * local.x + c * local.y,
                local.z};
    };
    const auto turned = [](const Place& p, V3 local) {
      const float c = f32(std::cos(p.heading)), sn = f32(std::sin(p.heading));
      return V3{c * local.x - sn * local.y, sn * local.x + c * local.y, local.z};
    };
    const Place p = now.props[i].place, q = then.props[i].place;
    for (std::size_t k = 0; k < prop.local.corners.size(); ++k) {
      const Corner& c = prop.local.corners[k];
      prop.now.corners[k] = {at_place(p, c.p), turned(p, c.n), c.u, c.v, c.shade};
      prop.then[k] = at_place(q, c.p);
    }
    prop.now.bound();
    if (is_vehicle(prop.kind)) occluders_.push_back(under_car(p, 0, prop.size));
    moving_.push_back(&prop.now);
    items_.push_back({&prop.now, prop.then.data(), object});
  }
  // People far outside of the picture still cast shadows; those far away do with a coarse net.
  workers.run(i32(people_.size()), [&](int i, int) {
    Person& person = *people_[at(i)];
    const PersonState& state = now.people[at(i)];
    person.near = in_reach(pose, state.place.at);
    if (!person.near) return;
    const Vec3 seen = pose.seen({state.place.at.x, state.place.at.y, 1});
    const double pixels = focal * scenario_.people[at(i)].height_m / std::max(length(seen), 0.5);
    const bool coarse = pixels < 130;
    const Body& body = body_of(person, coarse);
    person.own = body.own_vertices();
    if (then.t != now.t) {
      pose_person(body, then.people[at(i)], then.t, person.now, person.mesh);
      person.then.resize(person.now.corners.size());
      for (std::size_t k = 0; k < person.then.size(); ++k) person.then[k] = person.now.corners[k].p;
    }
    pose_person(body, state, now.t, person.now, person.mesh);
    const Geometry& shape = coarse ? person.shape_coarse : person.shape_fine;
    person.now.faces.assign(shape.faces.begin(), shape.faces.end());
    person.now.bound();
    person.occluders.clear();
    occlude(person, scenario_.people[at(i)], state, person.occluders);
  });
  for (std::size_t i = 0; i < people_.size(); ++i) {
    Person& person = *people_[i];
    if (!person.near) continue;
    moving_.push_back(&person.now);
    items_.push_back({&person.now, then.t != now.t ? person.then.data() : nullptr,
                      static_cast<std::uint16_t>(1 + i), person.own});
    occluders_.insert(occluders_.end(), person.occluders.begin(), person.occluders.end());
  }
  items_.push_back({&horizon_, nullptr, 0});  // last: all else is in front of it
  if (scenario_.light.headlamps && light_.lamps) {
    const Vec2 ahead = direction(now.car.place.heading);
    for (const double side : {-0.62, 0.62}) {
      const Vec2 p = now.car.place.at + side * left_of(ahead) - 0.1 * ahead;
      lamps_.push_back(
          low_beam({f32(p.x), f32(p.y), 0.66F}, {f32(ahead.x), f32(ahead.y), -0.012F}));
    }
  }
}

}  // namespace kerb::sim
