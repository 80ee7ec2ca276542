// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/simulator/base/vec.hpp"

/// A scenario as plain data, with usable defaults: what a scenario file says, checked. The world
/// (tools/simulator/world) makes it move, the renderer draws it.
namespace kerb::sim {

/// A surface's colour: sRGB, 0..1 each, and what other cameras see of it. Where no reflectance is
/// given, one is made from the colour (smooth, and continued flat beyond red).
struct Surface {
  std::array<double, 3> rgb{0.5, 0.5, 0.5};
  /// Reflectance at 400, 420, ... 1000 nm, 0..1; empty: made from rgb. With it, rgb is what three
  /// colours see of it and may be left as it is: the file's loader computes it.
  std::vector<double> reflectance;
  std::optional<double> celsius;  ///< for thermal pictures; unset: the usual value of its kind
};

struct Band {
  double centre_nm = 550, width_nm = 40;  ///< beyond 3000 nm: thermal
};

enum class Sensor : std::uint8_t { grey, rgb, thermal, bands, mosaic };

struct CameraSpec {
  int width = 1280, height = 720;
  double rate_hz = 30;
  double fov_deg = 60;                              ///< horizontal, before distortion
  double k1 = 0, k2 = 0;                            ///< radial distortion, as OpenCV has it
  double height_m = 1.3;                            ///< over ground
  double behind_m = 1.7;                            ///< behind the front bumper
  double left_m = 0;                                ///< of the car's middle
  double pitch_deg = 0, yaw_deg = 0, roll_deg = 0;  ///< down, left, clockwise is positive
  Sensor sensor = Sensor::rgb;
  std::vector<Band> bands;  ///< for bands and mosaic (row by row of a square pattern)
  double exposure_ms = 0;   ///< 0: automatic; motion blur follows from it
  double noise = 1;         ///< times a usual sensor's; 0: none
  double blur_px = 0.6;     ///< sigma of lens and filter together
};

/// N of the N x N filter mosaic over the sensor; 0: none is.
[[nodiscard]] inline int mosaic_side(const CameraSpec& camera) noexcept {
  int side = 0;
  if (camera.sensor != Sensor::mosaic) return 0;
  while (side * side < static_cast<int>(camera.bands.size())) ++side;
  return side;
}

/// One stretch of a way.
struct Stretch {
  double length_m = 0;
  double radius_m = 0;      ///< of a bend, to the left is positive; 0: straight
  bool transition = false;  ///< comes to that bend evenly from the stretch before (a clothoid)
};
/// From this time on, this speed is aimed at.
struct SpeedPoint {
  double at_s = 0;
  double mps = 0;
  double within_mps2 = 3;  ///< acceleration or braking on the way there
};

/// The indicator blinks to one side for a while, as VEH_Body tells it.
struct IndicatorSpec {
  double from_s = 0, to_s = 0;
  bool left = false;
};

struct CarSpec {
  double length_m = 4.5, width_m = 1.8, height_m = 1.5;
  Place start;                            ///< middle of the front bumper
  std::vector<Stretch> way;               ///< then straight on
  std::vector<SpeedPoint> speeds;         ///< the first at 0 s
  std::vector<IndicatorSpec> indicators;  ///< otherwise it is off
  bool tells_steering = false;            ///< VEH_Motion has the angle of the front wheels
};

enum class Garment : std::uint8_t { shirt, jacket, coat, dress, trousers, skirt, shorts };
struct Clothing {
  Garment top = Garment::jacket, bottom = Garment::trousers;
  Surface top_surface, bottom_surface, shoes, hair, skin;
  int pattern = 0;  ///< 0 plain, 1 stripes, 2 checks, 3 blocks
};
/// What somebody carries, pushes or leads.
enum class Carries : std::uint8_t { nothing, bag, backpack, pram, umbrella, trolley, dog };
/// What somebody rides: they are a person all the same.
enum class Rides : std::uint8_t { nothing, bicycle, scooter, wheelchair };

/// A leg of somebody's walk: straight to a point, at a speed, after a wait.
struct WalkLeg {
  Vec2 to;
  double mps = 1.4;
  double wait_s = 0;      ///< stands this long first
  double speed_up_m = 0;  ///< from standing, the speed is reached evenly over this; 0: at once
  /// The speed falls evenly to 0 over the leg's last metres; 0: at once, or not at all where the
  /// next leg follows without a wait.
  double slow_down_m = 0;
};
struct PersonSpec {
  std::string name;
  double height_m = 1.75;
  double build = 0;    ///< -1 slim .. +1 heavy
  bool child = false;  ///< proportions of a child
  bool female = false;
  Clothing clothing;
  Carries carries = Carries::nothing;
  Place start;
  double start_s = 0;  ///< stands until then
  std::vector<WalkLeg> walk;
  std::uint32_t seed = 0;  ///< of gait and details
  Rides rides = Rides::nothing;
  bool phone = false;  ///< looks at a phone in one hand, head bent
};

enum class PropKind : std::uint8_t {
  car,
  van,
  truck,
  bicycle,
  pole,
  lamp_post,
  cone,
  sign,
  tree,
  bush,
  bin,
  wall,
  barrier,
  bench,
  poster,
  hydrant,
  scaffolding,
  market_stall,
  shelter,  ///< of a bus stop
  trolley,
  wheelie_bin,
  bollard,    ///< longer than 1 m: a row of them with chains between
  work_cone,  ///< cones, cylinders, drums and beacons of road works
  parking_meter,
  advertising_column,
  post_box,
  flower_tub,
  shop_window,  ///< with mannequins in it
  cardboard_figure,
  dog,
  football
};
/// A front door of a car or a van that opens, and may be shut again.
struct DoorSpec {
  bool right = false;            ///< which side; else the left one
  double at_s = 1;               ///< begins to open
  double takes_s = 1;            ///< until it is open, and until it is shut
  double open = 1.134;           ///< radians: 65 degrees
  std::optional<double> shut_s;  ///< begins to shut
};
/// A thing; cars, vans and trucks may drive, dogs walk, footballs roll.
struct PropSpec {
  PropKind kind = PropKind::pole;
  Place place;  ///< middle of its foot print
  Vec3 size;    ///< length, width, height; 0: as its kind usually is
  Surface surface;
  std::vector<SpeedPoint> speeds;  ///< empty: it stands
  std::vector<Stretch> way;
  std::uint32_t seed = 0;  ///< of its make and its details
  std::optional<DoorSpec> door;
  bool lights = false;  ///< of a car, van or truck: its lamps are lit
};

enum class Daylight : std::uint8_t { noon, low_sun, overcast, dusk, night };
/// How lamps are drawn: simply, as suites older than `night` have them, or by photometry.
enum class Lamps : std::uint8_t { simple, real };
enum class Beam : std::uint8_t { dipped, full };
struct LightSpec {
  Daylight kind = Daylight::overcast;
  std::optional<double> sun_azimuth_deg, sun_elevation_deg;  ///< azimuth as headings
  bool headlamps = false;
  bool street_lamps = false;
  Lamps lamps = Lamps::simple;
  Beam beam = Beam::dipped;  ///< of the car's headlamps, with Lamps::real
};

/// What is in the air, on the road and on the glass.
struct WeatherSpec {
  double fog_m = 0;           ///< meteorological visibility (5 % contrast); 0: no fog
  double rain_mm_h = 0;       ///< in the air, and on the windscreen
  double wiper_s = 0;         ///< from one wipe to the next; 0: no wiper
  std::optional<double> wet;  ///< 0..1, of the road; unset: 1 where it rains
  double glare = 0;           ///< light that windscreen and lens scatter; 1: clean ones
  [[nodiscard]] double wetness() const noexcept { return wet.value_or(rain_mm_h > 0 ? 1 : 0); }
  /// Whether anything of it is drawn at all.
  [[nodiscard]] bool any() const noexcept {
    return fog_m > 0 || rain_mm_h > 0 || wetness() > 0 || glare > 0;
  }
};

enum class Side : std::uint8_t { houses, park, fields, car_park, wall };
/// Which things stand on the pavements at random: those of the first versions, or more of them, as
/// towns have.
enum class StreetThings : std::uint8_t { usual, town };
/// Where people cross the road: stripes, and a line before which cars stop.
struct CrossingSpec {
  double at_m = 0;      ///< of its middle, along the street's middle line
  double length_m = 4;  ///< along the street
  bool lights = false;  ///< with traffic lights; they are only drawn
};
/// Another street that opens into this one, straight and as wide.
struct SideStreetSpec {
  Place place;           ///< on its middle line, inside this street's road; it leads away from here
  double length_m = 70;  ///< houses stand across its end
};
struct StreetSpec {
  double lane_m = 3.5;
  int lanes = 2;            ///< in all; the car starts in the middle of the rightmost
  bool left_hand = false;   ///< traffic keeps to the left: the car starts in the leftmost
  double pavement_m = 2.5;  ///< 0: none
  Side left = Side::houses, right = Side::houses;
  bool parked_cars = false;  ///< along both kerbs, at random
  double clutter = 0.5;      ///< 0..1: number of things on the pavements
  std::vector<Stretch> way;  ///< its middle line; then straight on
  std::vector<CrossingSpec> crossings;
  std::vector<SideStreetSpec> side_streets;
  std::uint32_t seed = 0;
  StreetThings things = StreetThings::usual;
  bool trimmed_trees = false;  ///< no branches over the lanes that a car would touch
};

/// What goes wrong, from when to when.
struct FaultSpec {
  enum class Kind : std::uint8_t {
    camera_blinded,
    camera_frozen,
    camera_dark,
    camera_dirty,
    camera_misaligned,
    camera_silent,
    camera_time_jump,
    vision_hangs,
    signals_lost,
    signals_stuck,
    signals_late,
    signals_implausible,
    signals_reverse,
    signals_standing
  };
  Kind kind = Kind::camera_silent;
  double from_s = 1, to_s = 1e9;
  double amount = 1;  ///< unit depends on the kind: see docs/simulator.md
};
inline constexpr int kFaultKinds = static_cast<int>(FaultSpec::Kind::signals_standing) + 1;
/// Whether it is the camera's fault, or that of vision behind it; otherwise it is one of the car's
/// signals.
[[nodiscard]] constexpr bool is_of_camera(FaultSpec::Kind kind) noexcept {
  return kind < FaultSpec::Kind::signals_lost;
}
/// What scenario files call each kind, in the order of FaultSpec::Kind.
inline constexpr const char* kFaultNames[] = {
    "camera_blinded",    "camera_frozen",   "camera_dark",      "camera_dirty",
    "camera_misaligned", "camera_silent",   "camera_time_jump", "vision_hangs",
    "signals_lost",      "signals_stuck",   "signals_late",     "signals_implausible",
    "signals_reverse",   "signals_standing"};
static_assert(kFaultKinds == sizeof kFaultNames / sizeof *kFaultNames);
/// "camera_blinded": as files and reports have it.
[[nodiscard]] inline const char* name_of(FaultSpec::Kind kind) noexcept {
  return kFaultNames[static_cast<int>(kind)];
}

/// Criteria by which the judge rates a run; all that are set must hold.
struct Criteria {
  std::optional<double> collision_warning_before_impact_s;       ///< at least this long before
  std::optional<double> collision_warning_after_half_visible_s;  ///< at most this long after
  /// Of the two above, one is enough: the warning is in time by the one that allows more.
  bool collision_warning_either = false;
  /// A fault that is there when the warning is due, or ended less than this before, delays it: it
  /// is due so long after the fault (but CommonRules::least_despite_fault before the impact).
  std::optional<double> collision_warning_after_fault_s;
  std::optional<double> information_within_s;  ///< of somebody being in the close zone
  bool no_collision_warning = false;
  std::optional<int> most_informations;      ///< in the whole run
  std::optional<int> most_identity_changes;  ///< of all people of the object list together
  std::optional<double> fault_told_within_s;
  bool impact_expected = false;  ///< the geometry must end in contact
  /// Where it is too dark to see the person (Truth::PersonLight), telling the driver of a limited
  /// view in time stands in for the collision warning.
  bool limited_view_accepted = false;
  /// Share of the runs of a group that must meet all criteria: 0.95 tolerates one failure in
  /// twenty.
  double share = 1;
};

struct Scenario {
  std::string name, title, suite, file;
  std::string group;             ///< runs that are judged together: Criteria::share is of them
  bool variation = false;        ///< drawn at random by a suite, not written in it
  std::uint32_t suite_seed = 0;  ///< what it was drawn from; 0: the suite's own variation
  double seconds = 6;
  std::uint32_t seed = 1;
  CameraSpec camera;
  CarSpec car;
  StreetSpec street;
  LightSpec light;
  WeatherSpec weather;
  std::vector<PersonSpec> people;
  std::vector<PropSpec> props;
  std::vector<FaultSpec> faults;
  Criteria criteria;
};

}  // namespace kerb::sim
