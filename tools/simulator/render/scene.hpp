// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "tools/simulator/base/mirror.hpp"
#include "tools/simulator/people/body.hpp"
#include "tools/simulator/render/parts.hpp"
#include "tools/simulator/render/raster.hpp"
#include "tools/simulator/render/shadow.hpp"
#include "tools/simulator/render/surroundings.hpp"
#include "tools/simulator/world/world.hpp"

namespace kerb::sim {

/// A scenario as geometry: what there is to draw at a moment, and where it will be at another.
class Scene {
 public:
  explicit Scene(const Scenario& scenario);
  /// Everything within sight of a camera at `now`; people and cars also as they will be `then`.
  void place(Workers& workers, const Moment& now, const Moment& then, const CameraPose& pose,
             double focal);
  /// Whether somebody there is near enough to be drawn at all.
  static bool in_reach(const CameraPose& pose, Vec2 place) {
    const Vec3 seen = pose.seen({place.x, place.y, 1});
    return seen.z > -25 && length(seen) < 230;
  }
  /// A person alone, now.
  void place_person(int person, const PersonState& state, double t, bool coarse,
                    Geometry& out) const;
  [[nodiscard]] std::size_t own_corners(int person, bool coarse) const {
    return body_of(*people_[at(person)], coarse).own_vertices();
  }

  [[nodiscard]] const std::vector<Item>& items() const noexcept { return items_; }
  /// What casts shadows: always the same and always there; and what moves.
  [[nodiscard]] const std::vector<const Geometry*>& standing() const noexcept { return standing_; }
  [[nodiscard]] const std::vector<const Geometry*>& moving() const noexcept { return moving_; }
  [[nodiscard]] const std::vector<Occluder>& occluders() const noexcept { return occluders_; }
  [[nodiscard]] const std::vector<Lamp>& lamps() const noexcept { return lamps_; }
  [[nodiscard]] const Materials& materials() const noexcept { return materials_; }
  [[nodiscard]] Materials& materials() noexcept { return materials_; }
  [[nodiscard]] const Light& light() const noexcept { return light_; }
  /// The street's direction beside a place.
  [[nodiscard]] Vec2 along_street(Vec2 place) const {
    return as_built(direction(street_.frame(street_.locate(as_built(place)).s).heading));
  }
  /// The ground's height there.
  [[nodiscard]] double ground(Vec2 place) const { return street_.ground(as_built(place)); }

 private:
  struct Person {
    std::optional<Body> fine, coarse;  // made when first needed
    const PersonSpec* spec = nullptr;
    Texture pattern;  // of the top, where it is not plain
    std::array<std::uint16_t, static_cast<std::size_t>(BodyPart::count)> materials{};
    Mesh mesh;
    Geometry now, shape_fine, shape_coarse;
    std::vector<V3> then;
    std::vector<Occluder> occluders;
    std::size_t own = 0;  // corners of `now` that are not of what is carried
    bool near = false;    // enough to be drawn, or to cast a shadow that is seen
  };
  struct Prop {
    PropKind kind{};
    V3 size;
    Geometry local, now;
    std::vector<V3> then;
    std::vector<Hinge> hinges;  // of `local`
    Texture picture, back;      // of a cardboard figure
    bool moves = false;
    bool lifted = false;          // moves over the ground as it is, not on the road's height
    std::uint16_t head_lamp = 0;  // its own material, where its lamps are lit
    V3 lamp;                      // the left one's middle, in its own frame
  };
  static const Body& body_of(Person& person, bool coarse);
  void pose_person(const Body& body, const PersonState& state, double t, Geometry& out,
                   Mesh& mesh) const;
  void occlude(const Person& person, const PersonSpec& spec, const PersonState& state,
               std::vector<Occluder>& out) const;
  void paint_people();
  void build_props();
  std::uint16_t surface_of(const PropSpec& spec, Prop& prop);
  void build_new_kind(const PropSpec& spec, Prop& prop, Builder& b, std::uint16_t paint,
                      std::uint64_t seed);
  void add_dolls(const PropSpec& spec, V3 size, Builder& b);
  void set_lamps();
  void light_prop(Prop& prop, const PropSpec& spec);
  void shine(const Moment& now, const CameraPose& pose);
  /// The street is built for right-hand traffic, and its mirror image drawn for left-hand traffic:
  /// a place or direction of the scenario on the street that is built, or back.
  [[nodiscard]] Vec2 as_built(Vec2 v) const noexcept {
    return scenario_.street.left_hand ? mirrored(v) : v;
  }
  [[nodiscard]] Place as_built(const Place& place) const noexcept {
    return scenario_.street.left_hand ? mirrored(place) : place;
  }

  Scenario scenario_;
  Street street_;  // as built
  Light light_;
  Materials materials_;
  Surroundings surroundings_;
  std::vector<std::unique_ptr<Person>> people_;
  std::vector<std::unique_ptr<Prop>> props_;
  Geometry horizon_;
  int horizon_at_ = 1 << 30;
  std::vector<Item> items_;
  std::vector<const Geometry*> standing_, moving_;
  std::vector<Occluder> occluders_, prop_occluders_;
  std::vector<Lamp> lamps_;
};

/// A picture of a person, as a poster has it.
Texture poster_texture(std::uint64_t seed);
/// A person cut out of board: the picture, and the plain back.
struct CutOut {
  Texture front, back;
};
CutOut cut_out(std::uint64_t seed);

}  // namespace kerb::sim
