// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/scenario/build.hpp"

#include <algorithm>
#include <cmath>

#include "firmware/schema/words.hpp"
#include "tools/simulator/base/things.hpp"
#include "tools/simulator/people/dress.hpp"
#include "tools/simulator/world/speed_profile.hpp"
#include "tools/simulator/world/street_line.hpp"
#include "tools/simulator/world/way.hpp"
#include "tools/simulator/world/world.hpp"

namespace kerb::sim {
namespace {

constexpr double kAbreast = 0.65;   // metres between neighbours
constexpr double kLeastRadius = 3;  // metres: no car turns tighter
constexpr double kDogRadius = 0.5;  // metres

std::string item(const char* list, std::size_t i) {
  return std::string{list} + "[" + std::to_string(i) + "]";
}

class Builder {
 public:
  Builder(ScenarioDraft& draft, schema::Reader& reader) : draft_{draft}, reader_{reader} {}

  Built run() {
    out_.scenario = std::move(draft_.scenario);
    check_camera();
    set_car();
    set_street();
    find_impact();
    if (reader_.ok()) {
      for (std::size_t i = 0; i < draft_.props.size(); ++i) add_prop(i);
      for (std::size_t i = 0; i < draft_.people.size(); ++i) add_person(i);
      add_crowds();
    } else {  // rules that need nothing else
      for (std::size_t i = 0; i < draft_.props.size(); ++i) check_prop(i);
      for (std::size_t i = 0; i < draft_.people.size(); ++i) check_person(i);
    }
    add_faults();
    return std::move(out_);
  }

 private:
  Scenario& scene() { return out_.scenario; }

  void check_camera() {
    const CameraSpec& camera = scene().camera;
    const bool filters = camera.sensor == Sensor::bands || camera.sensor == Sensor::mosaic;
    const auto count = static_cast<int>(camera.bands.size());
    const auto side = static_cast<int>(std::lround(std::sqrt(count)));
    if (filters && count == 0)
      reader_.report("camera.bands", "", "must be given: the bands of the sensor's filters");
    if (camera.sensor == Sensor::mosaic && side * side != count)
      reader_.report("camera.bands", "",
                     "are " + std::to_string(count) + ", must fill a square: 1, 4, 9, 16, 25 ...");
  }

  void check_way(const std::string& key, const std::vector<Stretch>& way, double least) {
    for (std::size_t i = 0; i < way.size(); ++i) {
      const std::string at = key + "[" + std::to_string(i) + "]";
      if (way[i].length_m <= 0 && !reader_.is_bad(at))
        reader_.report(at + ".length_m", "", "must be given");
      if (way[i].radius_m != 0 && std::abs(way[i].radius_m) < least)
        reader_.report(at + ".radius_m", schema::decimal(way[i].radius_m),
                       "must be 0 (straight) or at least " + schema::decimal(least) +
                           " (m), to the left or, with a minus, to the right");
    }
  }

  void check_speeds(const std::string& key, const std::vector<SpeedPoint>& speeds) {
    for (std::size_t i = 0; i < speeds.size(); ++i) {
      const std::string at = key + "[" + std::to_string(i) + "].at_s";
      const std::string value = schema::decimal(speeds[i].at_s);
      if (i == 0 && speeds[i].at_s != 0)
        reader_.report(at, value, "must be 0: a speed is needed from the start");
      if (i > 0 && speeds[i].at_s <= speeds[i - 1].at_s)
        reader_.report(at, value, "must be more than the one before");
    }
  }

  void set_car() {
    CarDraft& car = draft_.car;
    if (car.has_mps && !car.spec.speeds.empty())
      reader_.report("car.kmh", "", "must not be given together with car.speeds");
    check_speeds("car.speeds", car.spec.speeds);
    check_way("car.way", car.spec.way, kLeastRadius);
    if (car.spec.speeds.empty()) car.spec.speeds = {{0, car.mps, 3}};
    scene().car = car.spec;
    if (scene().camera.behind_m > car.spec.length_m)
      reader_.report(
          "camera.behind_m", schema::decimal(scene().camera.behind_m),
          "must be at most the car's length, " + schema::decimal(car.spec.length_m) + " (m)");
  }

  void set_street() {
    StreetSpec& street = scene().street;
    check_way("street.way", street.way, 5);
    if (!reader_.has("street.seed")) street.seed = scene().seed;
    if (street.way.empty()) street.way = street_along(scene().car.way, street);
  }

  /// The front's place and speed at a time.
  struct Front {
    Place place;
    double mps;
  };
  Front front_at(double t) {
    const SpeedProfile::Now speed = SpeedProfile{scene().car.speeds}.at(t);
    return {Way{scene().car.start, scene().car.way}.at(speed.metres), speed.mps};
  }

  void find_impact() {
    for (const PersonDraft& person : draft_.people) {
      if (!person.impact && !person.along) continue;
      impact_ = front_at(person.impact ? person.impact->at_s : person.along->at_s).place;
      return;
    }
  }

  [[nodiscard]] Vec2 placed(Frame frame, Vec2 at) const {
    if (frame == Frame::world) return at;
    const Vec2 ahead = direction(impact_->heading);
    return impact_->at + at.x * ahead + at.y * left_of(ahead);
  }
  [[nodiscard]] double turned(Frame frame, double heading) const {
    return frame == Frame::world ? heading : impact_->heading + heading;
  }
  void check_frame(const std::string& key, Frame frame) {
    if (frame == Frame::impact && !impact_)
      reader_.report(key + ".relative_to", "\"impact\"", "needs a person with `impact` or `along`");
  }

  [[nodiscard]] std::uint32_t seed_of(std::size_t i, std::uint64_t salt) {
    return static_cast<std::uint32_t>(
        Random{(scene().seed + salt) * 0x9e3779b97f4a7c15u + i}.next());
  }

  void check_prop(std::size_t i) {
    PropDraft& prop = draft_.props[i];
    const std::string key = item("props", i);
    if (!prop.has_place) reader_.report(key + ".at", "", "must be given: the position");
    if (!reader_.has(key + ".kind")) reader_.report(key + ".kind", "", "must be given");
    if (prop.mps && !prop.spec.speeds.empty())
      reader_.report(key + ".kmh", "", "must not be given together with speeds");
    if ((prop.mps || !prop.spec.speeds.empty()) && !can_drive(prop.spec.kind))
      reader_.report(
          key + (prop.mps ? ".kmh" : ".speeds"), "",
          "must not be given: only cars, vans, trucks, bicycles, dogs and footballs move");
    if (prop.spec.lights && !is_vehicle(prop.spec.kind))
      reader_.report(key + ".lights", "true",
                     "must not be given: only cars, vans and trucks have such lamps");
    check_speeds(key + ".speeds", prop.spec.speeds);
    check_way(key + ".way", prop.spec.way,
              prop.spec.kind == PropKind::dog ? kDogRadius : kLeastRadius);
    if (const std::optional<DoorSpec>& door = prop.spec.door) {
      if (!has_doors(prop.spec.kind))
        reader_.report(key + ".door", "", "must not be given: only cars and vans have one");
      if (door->shut_s && *door->shut_s < door->at_s)
        reader_.report(key + ".door.shut_s", schema::decimal(*door->shut_s),
                       "must not be before at_s");
    }
    check_frame(key, prop.frame);
  }

  void add_prop(std::size_t i) {
    check_prop(i);
    if (!reader_.ok()) return;
    PropDraft& prop = draft_.props[i];
    PropSpec& spec = prop.spec;
    if (prop.mps) spec.speeds = {{0, *prop.mps, 3}};
    if (!prop.has_seed) spec.seed = seed_of(i, 1000);
    Random random{spec.seed};
    if (!prop.has_surface) spec.surface = usual_surface(spec.kind, random);
    spec.size = size_of(spec);
    spec.place = {placed(prop.frame, spec.place.at), turned(prop.frame, spec.place.heading)};
    scene().props.push_back(spec);
    out_.props.push_back(item("props", i));
  }

  void check_person(std::size_t i) {
    const PersonDraft& person = draft_.people[i];
    const std::string key = item("people", i);
    const bool made = person.impact || person.along;
    if (person.impact && person.along)
      reader_.report(key + ".along", "", "must not be given together with impact");
    if (!made && !person.has_start)
      reader_.report(key + ".start", "", "must be given, or impact, or along");
    for (const char* name : {"start", "walk", "start_s", "heading_deg"})
      if (made && reader_.has(key + "." + name))
        reader_.report(key + "." + name, "",
                       person.impact ? "must not be given together with impact, which finds it"
                                     : "must not be given together with along, which finds it");
    if (person.spec.rides != Rides::nothing && person.spec.carries != Carries::nothing &&
        person.spec.carries != Carries::backpack)
      reader_.report(key + ".carries", "", "must be nothing or backpack together with rides");
    if (person.spec.phone &&
        (person.spec.rides != Rides::nothing || person.spec.carries == Carries::pram ||
         person.spec.carries == Carries::umbrella || person.spec.carries == Carries::trolley))
      reader_.report(key + ".phone", "true", "needs a free hand: rides nothing, pushes nothing");
    for (std::size_t k = 0; k < person.walk.size(); ++k)
      if (!person.walk[k].has_to)
        reader_.report(key + ".walk[" + std::to_string(k) + "].to", "", "must be given");
    check_frame(key, person.frame);
    const double at = person.impact ? person.impact->at_s : person.along ? person.along->at_s : 0;
    if (at > scene().seconds)
      reader_.report(
          key + (person.impact ? ".impact.at_s" : ".along.at_s"), schema::decimal(at),
          "must be within the scenario's " + schema::decimal(scene().seconds) + " seconds");
  }

  void add_person(std::size_t i) {
    check_person(i);
    if (!reader_.ok()) return;
    PersonDraft& person = draft_.people[i];
    const std::string key = item("people", i);
    PersonSpec& spec = person.spec;
    if (!person.has_seed) spec.seed = seed_of(i, 0);
    dress(person, spec);
    if (spec.name.empty()) spec.name = "person " + std::to_string(i + 1);
    std::string why;
    if (person.impact) {
      const Front front = front_at(person.impact->at_s);
      why = walk_into(*person.impact, scene().car, front.place, front.mps, spec);
    } else if (person.along) {
      const Front front = front_at(person.along->at_s);
      why = walk_ahead(*person.along, scene().car, front.place, front.mps, scene().seconds, spec);
    } else {
      set_walk(person, key);
    }
    if (!why.empty()) reader_.report(key + (person.impact ? ".impact" : ".along"), "", why);
    scene().people.push_back(spec);
    out_.people.push_back(key);
    add_neighbours(person, key);
  }

  void set_walk(PersonDraft& person, const std::string& key) {
    PersonSpec& spec = person.spec;
    spec.start.at = placed(person.frame, spec.start.at);
    Vec2 at = spec.start.at;
    for (std::size_t k = 0; k < person.walk.size(); ++k) {
      WalkLeg leg = person.walk[k].leg;
      leg.to = placed(person.frame, leg.to);
      if (length(leg.to - at) < 1e-6)
        reader_.report(key + ".walk[" + std::to_string(k) + "].to", "",
                       "must differ from the start of the leg");
      at = leg.to;
      spec.walk.push_back(leg);
    }
    if (person.has_heading) {
      spec.start.heading = turned(person.frame, spec.start.heading);
    } else if (!spec.walk.empty()) {
      const Vec2 to = spec.walk.front().to - spec.start.at;
      spec.start.heading = std::atan2(to.y, to.x);
    }
  }

  /// The others of several abreast: to the side that is farther from the car.
  void add_neighbours(const PersonDraft& person, const std::string& key) {
    const Vec2 right = -1 * left_of(direction(person.spec.start.heading));
    const Vec2 ahead = direction(scene().car.start.heading);
    const Vec2 side = dot(right, ahead) < -1e-6 ? -1 * right : right;
    for (int k = 1; k < person.abreast; ++k) {
      PersonSpec other = person.spec;
      const Vec2 shift = k * kAbreast * side;
      other.start.at = other.start.at + shift;
      for (WalkLeg& leg : other.walk) leg.to = leg.to + shift;
      other.seed = static_cast<std::uint32_t>(Random{other.seed + static_cast<unsigned>(k)}.next());
      other.name += " (beside " + std::to_string(k) + ")";
      PersonDraft undressed;
      undressed.spec = other;
      dress(undressed, other);
      scene().people.push_back(other);
      out_.people.push_back(key);
    }
  }

  static void dress(const PersonDraft& person, PersonSpec& spec) {
    PersonSpec anybody = spec;
    sim::dress(anybody, spec.seed);
    const Clothing& drawn = anybody.clothing;
    const ClothesGiven& given = person.given;
    Clothing& to = spec.clothing;
    if (!given.top) to.top = drawn.top;
    if (!given.bottom) to.bottom = drawn.bottom;
    if (!given.pattern) to.pattern = drawn.pattern;
    if (!given.top_surface) to.top_surface = drawn.top_surface;
    if (!given.bottom_surface) to.bottom_surface = drawn.bottom_surface;
    if (!given.shoes) to.shoes = drawn.shoes;
    if (!given.hair) to.hair = drawn.hair;
    if (!given.skin) to.skin = drawn.skin;
  }

  void add_crowds() {
    for (std::size_t i = 0; i < draft_.crowds.size(); ++i) {
      const std::string key = item("crowd", i);
      if (const std::string why = add_crowd(draft_.crowds[i], scene()); !why.empty())
        reader_.report(key, "", why);
      while (out_.people.size() < scene().people.size()) out_.people.push_back(key);
    }
  }

  [[nodiscard]] static bool may_be_negative(FaultSpec::Kind kind) {
    return kind == FaultSpec::Kind::camera_misaligned ||
           kind == FaultSpec::Kind::camera_time_jump ||
           kind == FaultSpec::Kind::signals_implausible;
  }

  void add_faults() {
    for (std::size_t i = 0; i < draft_.faults.size(); ++i) add_fault(i);
  }

  void add_fault(std::size_t i) {
    const FaultDraft& draft = draft_.faults[i];
    const std::string key = item("faults", i);
    FaultSpec fault = draft.spec;
    if (!reader_.has(key + ".kind")) reader_.report(key + ".kind", "", "must be given");
    if (draft.lasts_s && draft.has_to)
      reader_.report(key + ".lasts_s", "", "must not be given together with to_s");
    if (fault.amount < 0 && !may_be_negative(fault.kind))
      reader_.report(key + ".amount", schema::decimal(fault.amount),
                     std::string{"must be 0 or more for "} + name_of(fault.kind));
    if (draft.frame == Frame::impact) {
      if (!reader_.ok()) return;
      const std::optional<Contact> contact = World{scene()}.contact();
      if (!contact)
        return reader_.report(key + ".relative_to", "\"impact\"",
                              "needs an impact, but the car touches nobody");
      fault.from_s += contact->t;
      if (draft.has_to) fault.to_s += contact->t;
    }
    if (draft.lasts_s) fault.to_s = fault.from_s + *draft.lasts_s;
    if (fault.from_s < 0)
      reader_.report(key + ".from_s", schema::decimal(draft.spec.from_s),
                     "must not be before the start of the run");
    if (fault.to_s <= fault.from_s)
      reader_.report(key + ".to_s", schema::decimal(draft.spec.to_s), "must be after from_s");
    if (fault.from_s >= scene().seconds)
      reader_.report(
          key + ".from_s", schema::decimal(draft.spec.from_s),
          "must be within the scenario's " + schema::decimal(scene().seconds) + " seconds");
    scene().faults.push_back(fault);
  }

  ScenarioDraft& draft_;
  schema::Reader& reader_;
  Built out_;
  std::optional<Place> impact_;
};

}  // namespace

Built build(ScenarioDraft& draft, schema::Reader& reader) {
  Built out = Builder{draft, reader}.run();
  if (reader.ok()) check_motion(out, reader);
  return out;
}

}  // namespace kerb::sim
