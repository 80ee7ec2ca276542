// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/render/scene.hpp"

#include "tools/simulator/base/things.hpp"
#include "tools/simulator/people/dress.hpp"
#include "tools/simulator/render/parts.hpp"

namespace kerb::sim {
namespace {

constexpr double kBehind = 80, kAhead = 260;

bool is_new_kind(PropKind kind) { return kind >= PropKind::scaffolding; }

/// A geometry's corners turned about its hinges, as they are in this state.
void turn_hinges(const std::vector<Hinge>& hinges, const PropState& state,
                 std::vector<Corner>& corners) {
  for (const Hinge& h : hinges) {
    float angle = 0;
    switch (h.drive) {
      case Hinge::Drive::roll:
        angle = f32(state.metres) * h.amount;
        break;
      case Hinge::Drive::leg: {
        const float going = std::min(1.0F, f32(std::abs(state.mps)) / 0.4F);
        angle =
            -going * h.amount * std::sin(6.2831853F * (f32(state.metres) * h.per_metre + h.phase));
        break;
      }
      case Hinge::Drive::door:
        angle = -h.amount * f32(state.door);
        break;
      case Hinge::Drive::doorway:  // inside the body until the door is open
        if (state.door < 0.03)
          for (std::uint32_t i = h.first; i < h.last; ++i)
            corners[i].p = corners[i].p - 0.2F * h.axis;
        continue;
    }
    const float c = std::cos(angle), s = std::sin(angle);
    const auto turned = [&](V3 v) {
      return c * v + s * cross(h.axis, v) + ((1 - c) * dot(h.axis, v)) * h.axis;
    };
    for (std::uint32_t i = h.first; i < h.last; ++i) {
      corners[i].p = h.at + turned(corners[i].p - h.at);
      corners[i].n = turned(corners[i].n);
    }
  }
}

/// Hinges of what a mirroring builder has built.
void mirror(std::vector<Hinge>& hinges) {
  for (Hinge& h : hinges) {
    h.at.y = -h.at.y;
    if (h.drive == Hinge::Drive::doorway) h.axis.y = -h.axis.y;
    if (h.drive == Hinge::Drive::door) h.amount = -h.amount;
  }
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

Light weathered(const Scenario& scenario) {
  Light light = light_of(scenario.light, scenario.seed);
  add_weather(scenario.weather, light);
  if (scenario.light.lamps == Lamps::real && scenario.light.kind == Daylight::night) {
    // Town sky over a street without lamps: some hundredths of a lux. The sensor's gain is less
    // than the simple night's: it has a larger aperture, so less noise for the same picture.
    light.sky = {0.00005F, 0.00005F, 0.00006F};
    light.side = 0.25F * light.sky;
    light.horizon = {0.0004F, 0.00036F, 0.0003F};
    light.gain = 4;
    light.row = 0.15F;
    light.darkest = 0.004F;
    light.exposure_s = 0.02;
  }
  return light;
}

constexpr float kLampArea = 0.03F;  // m2, of a headlamp

}  // namespace

Scene::Scene(const Scenario& scenario)
    : scenario_{scenario},
      street_{scenario.street.left_hand ? mirrored(scenario) : scenario},
      light_{weathered(scenario)},
      surroundings_{street_, light_, scenario.light, scenario.street.left_hand, materials_} {
  // A sun that was drawn at random, on the other side like everything.
  if (scenario.street.left_hand && !scenario.light.sun_azimuth_deg)
    light_.to_sun.y = -light_.to_sun.y;
  set_lamps();
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
          m.celsius = spec.carries == Carries::dog ? 25 : 17;
          break;
        default:
          break;
      }
      person.materials[i] = materials_.add(surfaces[i], m);
    }
  }
}

void Scene::build_props() {
  const bool left_hand = scenario_.street.left_hand;
  for (std::size_t i = 0; i < scenario_.props.size(); ++i) {
    const PropSpec& spec = scenario_.props[i];
    Prop& prop = *props_.emplace_back(std::make_unique<Prop>());
    prop.kind = spec.kind;
    prop.size = to_v3(size_of(spec));
    if (is_new_kind(spec.kind)) {
      prop.lifted = true;
      const std::uint16_t own = surface_of(spec, prop);
      prop.moves = !spec.speeds.empty();
      Builder b{prop.moves ? prop.local : prop.now, left_hand};
      if (!prop.moves) b.stand(as_built(spec.place), ground(spec.place.at));
      build_new_kind(spec, prop, b, own, mix64(spec.seed, i));
      if (left_hand) mirror(prop.hinges);
      prop.now.bound();
      if (prop.moves) {
        prop.now.faces = prop.local.faces;
        prop.now.corners.resize(prop.local.corners.size());
        prop.then.resize(prop.local.corners.size());
      }
      continue;
    }
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
    prop.moves = !spec.speeds.empty() || spec.door.has_value();
    prop.lifted = spec.speeds.empty();
    Builder b{prop.moves ? prop.local : prop.now, left_hand};
    const double z = ground(spec.place.at);
    if (!prop.moves) b.stand(as_built(spec.place), z);
    build_prop(b, spec.kind, prop.size, paint, mix64(spec.seed, i));
    if (spec.door)
      build_door(b, spec.kind, prop.size, spec.door->right != left_hand, paint, mix64(spec.seed, i),
                 prop.hinges);
    if (left_hand) mirror(prop.hinges);
    if (spec.lights && is_vehicle(spec.kind)) light_prop(prop, spec);
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

std::uint16_t Scene::surface_of(const PropSpec& spec, Prop& prop) {
  Material m;
  m.texture = &texture_of(Paint::metal);
  m.gloss = Gloss::satin;
  switch (spec.kind) {
    case PropKind::market_stall:
      m.texture = &texture_of(Paint::cloth);
      m.per_metre = 1 / 0.8F;
      m.gloss = Gloss::matt;
      break;
    case PropKind::dog:  // fur, warm underneath
      m.texture = &texture_of(Paint::hair);
      m.per_metre = 4;
      m.stuff = Stuff::hair;
      m.gloss = Gloss::matt;
      m.celsius = 25;
      m.warming = 4;
      break;
    case PropKind::flower_tub:
      m.texture = &texture_of(Paint::concrete);
      m.gloss = Gloss::matt;
      break;
    case PropKind::football:
    case PropKind::cardboard_figure:
      m.texture = &texture_of(Paint::plain);
      break;
    default:
      break;
  }
  if (spec.kind == PropKind::cardboard_figure) {
    CutOut figure = cut_out(mix64(spec.seed, 17));
    prop.picture = std::move(figure.front);
    prop.back = std::move(figure.back);
  }
  return materials_.add(spec.surface, m);
}

void Scene::build_new_kind(const PropSpec& spec, Prop& prop, Builder& b, std::uint16_t paint,
                           std::uint64_t seed) {
  ThingStyle style{spec.kind, prop.size, paint, 0, 0, 0, make_of(spec.kind, spec.seed), seed};
  const auto printed = [&](const Texture& texture, bool cut) {
    Material m;
    m.texture = &texture;
    m.unit_m = 2;
    m.cut = cut;
    Surface paper;
    paper.rgb = {0.95, 0.95, 0.95};
    return materials_.add(paper, m);
  };
  switch (spec.kind) {
    case PropKind::dog:
      build_dog(b, prop.size, paint, seed, prop.hinges);
      return;
    case PropKind::football: {
      const float r = prop.size.z / 2;
      const std::uint32_t first = b.corners();
      build_thing(b, style);
      prop.hinges.push_back({first, b.corners(), {0, 0, r}, {0, 1, 0}, Hinge::Drive::roll, 1 / r});
      return;
    }
    case PropKind::scaffolding: {
      Material net;
      net.texture = &texture_of(Paint::net);
      net.per_metre = 1;
      net.cut = true;
      style.net = materials_.add(spec.surface, net);
      break;
    }
    case PropKind::cardboard_figure:
      style.picture = printed(prop.picture, true);
      style.back = printed(prop.back, true);
      break;
    case PropKind::shelter:
    case PropKind::advertising_column:
      prop.picture = poster_texture(mix64(spec.seed, 5));
      style.picture = printed(prop.picture, false);
      break;
    default:
      break;
  }
  build_thing(b, style);
  if (spec.kind == PropKind::shop_window) add_dolls(spec, prop.size, b);
}

/// Mannequins: people's bodies in people's clothes, but nobody's: of one pale colour, as cold as
/// the room.
void Scene::add_dolls(const PropSpec& spec, V3 size, Builder& b) {
  const int dolls = 1 + make_of(spec.kind, spec.seed);
  Dice dice{mix64(spec.seed, 91)};
  for (int i = 0; i < dolls; ++i) {
    PersonSpec person;
    person.seed = dice.bits();
    person.female = dice.chance(0.6F);
    person.height_m = std::min(0.73 * size.z, person.female ? 1.76 : 1.86);
    person.build = -0.5;
    dress(person, person.seed);
    const Body body{person, 1.5};
    PersonState still;
    still.place.heading = std::numbers::pi + dice.between(-0.5F, 0.5F);
    Mesh mesh;
    body.pose(still, dice.between(0, 9), mesh);
    const auto surfaces = body_surfaces(person);
    std::array<std::uint16_t, static_cast<std::size_t>(BodyPart::count)> materials{};
    for (std::size_t k = 0; k < surfaces.size(); ++k) {
      const auto part = static_cast<BodyPart>(k);
      Material m;
      m.texture = &texture_of(Paint::cloth);
      m.per_metre = 1 / 0.8F;
      m.celsius = 18;
      m.warming = 1;
      const bool bare = part == BodyPart::skin || part == BodyPart::hair ||
                        part == BodyPart::eyes || part == BodyPart::lips;
      materials[k] = bare ? id_of(Base::doll) : materials_.add(surfaces[k], m);
    }
    Geometry doll;
    for (const Vertex& v : mesh.vertices)
      doll.corners.push_back({{v.position[0], v.position[1], v.position[2]},
                              {v.normal[0], v.normal[1], v.normal[2]},
                              v.uv[0],
                              v.uv[1],
                              v.open});
    for (const Triangle& t : mesh.triangles)
      doll.faces.push_back({t.corner, materials[t.material], 1});
    const float y = size.y * ((f32(i) + 0.5F) / f32(dolls) - 0.5F);
    b.add(doll, {0.05F, y, 0.16F * size.z});
  }
}

/// Lamps that are off are dark, where they are drawn by photometry.
void Scene::set_lamps() {
  if (scenario_.light.lamps != Lamps::real) return;
  for (const Base base : {Base::head_lamp, Base::tail_lamp}) materials_.glow(id_of(base), {}, true);
  if (!scenario_.light.street_lamps) materials_.glow(id_of(Base::lamp_glass), {}, true);
  materials_.glow(id_of(Base::shop), {0.25F, 0.2F, 0.14F}, true);
  materials_.glow(id_of(Base::window_lit), {0.06F, 0.042F, 0.022F}, true);
}

/// Gives a vehicle lamps of its own that shine.
void Scene::light_prop(Prop& prop, const PropSpec& spec) {
  Material head = materials_[id_of(Base::head_lamp)], tail = materials_[id_of(Base::tail_lamp)];
  head.lit = tail.lit = false;
  tail.glow = {3, 0.15F, 0.1F};
  prop.head_lamp = materials_.add(head);
  const std::uint16_t red = materials_.add(tail);
  Geometry& geometry = prop.moves ? prop.local : prop.now;
  const V3 origin = prop.moves ? V3{} : to_v3({spec.place.at.x, spec.place.at.y, 0});
  const Vec2 way = prop.moves ? Vec2{1, 0} : direction(spec.place.heading);
  V3 sum;
  int corners = 0;
  for (Face& face : geometry.faces) {
    if (face.material == id_of(Base::tail_lamp)) face.material = red;
    if (face.material != id_of(Base::head_lamp)) continue;
    face.material = prop.head_lamp;
    for (const std::uint32_t c : face.corner) {
      const V3 d = geometry.corners[c].p - origin;
      const V3 local{f32(way.x) * d.x + f32(way.y) * d.y, f32(way.x) * d.y - f32(way.y) * d.x, d.z};
      sum = sum + V3{local.x, std::abs(local.y), local.z};
      ++corners;
    }
  }
  prop.lamp = (1 / f32(std::max(corners, 1))) * sum;
}

/// The headlamps of this car and of others: on the road, and into the camera.
void Scene::shine(const Moment& now, const CameraPose& pose) {
  const auto add = [&](V3 at, Vec2 ahead, Beam beam) {
    lamps_.push_back(real_beam(at, {f32(ahead.x), f32(ahead.y), 0}, beam));
    // The beam's pattern reaches further on the pavement's side.
    if (scenario_.street.left_hand) lamps_.back().left = -1.0F * lamps_.back().left;
    lamps_.back().extinction = light_.haze;
  };
  for (std::size_t i = 0; i < props_.size(); ++i) {
    const Prop& prop = *props_[i];
    if (prop.head_lamp == 0) continue;
    const Place place = now.props[i].place;
    const Vec2 ahead = direction(place.heading);
    float most = 0;  // kilocandela into the camera
    for (const double side : {-1.0, 1.0}) {
      const Vec2 p =
          place.at + double{prop.lamp.x} * ahead + side * double{prop.lamp.y} * left_of(ahead);
      const V3 at{f32(p.x), f32(p.y), prop.lamp.z};
      // Drawn a hand's breadth before the glass, or the car would light its own front.
      add(at + 0.1F * V3{f32(ahead.x), f32(ahead.y), 0}, ahead, Beam::dipped);
      const Lamp& lamp = lamps_.back();
      const V3 to = unit(to_v3(pose.at) - at);
      const float c = dot(to, lamp.axis);
      if (c > 0.1F)
        most = std::max(most,
                        beam_candela(Beam::dipped, dot(to, lamp.left) / c, dot(to, lamp.up) / c));
    }
    // A radiance of 1 is that of white under a kilolux.
    const float bright = std::max(3.1416F * most / kLampArea, 0.3F);
    materials_.glow(prop.head_lamp, bright * V3{1, 0.97F, 0.90F}, false);
  }
  if (!scenario_.light.headlamps || scenario_.light.lamps != Lamps::real) return;
  const Vec2 ahead = direction(now.car.place.heading);
  for (const double side : {-0.62, 0.62}) {
    const Vec2 p = now.car.place.at + side * left_of(ahead) - 0.1 * ahead;
    add({f32(p.x), f32(p.y), 0.66F}, ahead, scenario_.light.beam);
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
  const double s = street_.locate(as_built(Vec2{pose.at.x, pose.at.y})).s;
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
    const auto height = [&](const Place& p) { return prop.lifted ? f32(ground(p.at)) : 0.0F; };
    const auto turned = [](const Place& p, V3 local) {
      const float c = f32(std::cos(p.heading)), sn = f32(std::sin(p.heading));
      return V3{c * local.x - sn * local.y, sn * local.x + c * local.y, local.z};
    };
    const Place p = now.props[i].place, q = then.props[i].place;
    if (!prop.hinges.empty() || prop.lifted) {
      const V3 up{0, 0, height(p)}, up_then{0, 0, height(q)};
      std::vector<Corner> bent = prop.local.corners;
      turn_hinges(prop.hinges, then.props[i], bent);
      for (std::size_t k = 0; k < bent.size(); ++k) prop.then[k] = at_place(q, bent[k].p) + up_then;
      bent = prop.local.corners;
      turn_hinges(prop.hinges, now.props[i], bent);
      for (std::size_t k = 0; k < bent.size(); ++k) {
        const Corner& c = bent[k];
        prop.now.corners[k] = {at_place(p, c.p) + up, turned(p, c.n), c.u, c.v, c.shade};
      }
    }
    for (std::size_t k = 0; k < prop.local.corners.size(); ++k) {
      if (!prop.hinges.empty() || prop.lifted) break;
      const Corner& c = prop.local.corners[k];
      prop.now.corners[k] = {at_place(p, c.p), turned(p, c.n), c.u, c.v, c.shade};
      prop.then[k] = at_place(q, c.p);
    }
    prop.now.bound();
    if (is_vehicle(prop.kind)) occluders_.push_back(under_car(p, height(p), prop.size));
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
  shine(now, pose);
  if (scenario_.light.headlamps && light_.lamps && scenario_.light.lamps == Lamps::simple) {
    const Vec2 ahead = direction(now.car.place.heading);
    for (const double side : {-0.62, 0.62}) {
      const Vec2 p = now.car.place.at + side * left_of(ahead) - 0.1 * ahead;
      lamps_.push_back(
          low_beam({f32(p.x), f32(p.y), 0.66F}, {f32(ahead.x), f32(ahead.y), -0.012F}));
    }
  }
}

}  // namespace kerb::sim
