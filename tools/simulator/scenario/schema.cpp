// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/scenario/schema.hpp"

#include <numbers>

namespace kerb::sim {
namespace {

constexpr double kKmh = 1 / 3.6, kDeg = std::numbers::pi / 180;

template <typename T>
Slot slot_of(T& field, double factor) {
  if constexpr (std::is_enum_v<T>)
    return EnumRef{
        &field, [](void* object, int number) { *static_cast<T*>(object) = static_cast<T>(number); },
        [](const void* object) { return static_cast<int>(*static_cast<const T*>(object)); }};
  else if constexpr (std::is_same_v<T, double>)
    return Scaled{&field, factor};
  else if constexpr (std::is_same_v<T, std::optional<double>>)
    return ScaledOptional{&field, factor};
  else
    return &field;
}

// Functions that find a field in an object of a type: the tables below need a hundred of them.
// NOLINTBEGIN(bugprone-macro-parentheses): types and names of fields
#define KERB_SLOT(type, field) \
  [](void* object) -> Slot { return slot_of(static_cast<type*>(object)->field, 1); }
#define KERB_SCALED(type, field, factor) \
  [](void* object) -> Slot { return slot_of(static_cast<type*>(object)->field, factor); }
#define KERB_GIVEN(type, field) \
  [](void* object) -> bool* { return &static_cast<type*>(object)->field; }
#define KERB_PART(type, field) \
  [](void* object) -> void* { return &static_cast<type*>(object)->field; }
#define KERB_OPTION(type, field) \
  [](void* object) -> void* { return &static_cast<type*>(object)->field.emplace(); }
#define KERB_ITEM(type, field) \
  [](void* object) -> void* { return &static_cast<type*>(object)->field.emplace_back(); }
// NOLINTEND(bugprone-macro-parentheses)

using SlotOf = Slot (*)(void*);
using GivenOf = bool* (*)(void*);
using Open = void* (*)(void*);
template <typename T>
void* fresh() {
  static T object;
  return &object;
}

constexpr Field flag(const char* name, const char* doc, SlotOf slot) {
  return {name, FieldKind::boolean, 0, 0, "", {}, doc, nullptr, slot, nullptr, nullptr, nullptr};
}
constexpr Field integer(const char* name, double low, double high, const char* unit,
                        const char* doc, SlotOf slot, const char* fallback = nullptr,
                        GivenOf given = nullptr) {
  return {name, FieldKind::integer, low,  high,  unit,    {},
          doc,  fallback,           slot, given, nullptr, nullptr};
}
constexpr Field number(const char* name, double low, double high, const char* unit, const char* doc,
                       SlotOf slot, const char* fallback = nullptr, GivenOf given = nullptr) {
  return {name, FieldKind::number, low,  high,  unit,    {},
          doc,  fallback,          slot, given, nullptr, nullptr};
}
constexpr Field text(const char* name, double longest, const char* doc, SlotOf slot) {
  return {name, FieldKind::text, 0, longest, "", {}, doc, nullptr, slot, nullptr, nullptr, nullptr};
}
constexpr Field choice(const char* name, std::span<const char* const> choices, const char* doc,
                       SlotOf slot, const char* fallback = nullptr, GivenOf given = nullptr) {
  return {name, FieldKind::choice, 0, 0, "", choices, doc, fallback, slot, given, nullptr, nullptr};
}
constexpr Field point(const char* name, const char* doc, SlotOf slot, const char* fallback,
                      GivenOf given = nullptr) {
  return {name, FieldKind::point, -20000, 20000, "m",     {},
          doc,  fallback,         slot,   given, nullptr, nullptr};
}
constexpr Field surface(const char* name, const char* doc, SlotOf slot, const char* fallback,
                        GivenOf given) {
  return {name, FieldKind::surface, 0, 0, "", {}, doc, fallback, slot, given, nullptr, nullptr};
}
constexpr Field table(const char* name, const char* doc, const Table* sub, Open open) {
  return {name, FieldKind::table, 0, 0, "", {}, doc, "", nullptr, nullptr, sub, open};
}
constexpr Field tables(const char* name, double least, double most, const char* doc,
                       const Table* sub, Open open) {
  return {name, FieldKind::tables, least, most, "", {}, doc, "", nullptr, nullptr, sub, open};
}

// In the order of their enumerations.
constexpr const char* kSensors[] = {"grey", "rgb", "thermal", "bands", "mosaic"};
constexpr const char* kTops[] = {"shirt", "jacket", "coat", "dress"};
constexpr const char* kBottoms[] = {"trousers", "skirt", "shorts"};
constexpr const char* kPatterns[] = {"plain", "stripes", "checks", "blocks"};
constexpr const char* kCarries[] = {"nothing", "bag", "backpack", "pram", "umbrella"};
constexpr const char* kKinds[] = {"car",     "van",   "truck",  "bicycle", "pole", "lamp_post",
                                  "cone",    "sign",  "tree",   "bush",    "bin",  "wall",
                                  "barrier", "bench", "poster", "hydrant"};
constexpr const char* kDaylights[] = {"noon", "low_sun", "overcast", "dusk", "night"};
constexpr const char* kSides[] = {"houses", "park", "fields", "car_park", "wall"};
constexpr const char* kFrames[] = {"start", "impact"};
constexpr const char* kFrom[] = {"right", "left"};
constexpr const char* kOn[] = {"both", "left", "right"};
constexpr const char* kWays[] = {"both", "with", "against"};

static_assert(static_cast<int>(PropKind::hydrant) + 1 == std::size(kKinds));

constexpr Field kBand[] = {
    number("centre_nm", 300, 15000, "nm", "Centre wavelength; above 3000 the band is thermal.",
           KERB_SLOT(Band, centre_nm)),
    number("width_nm", 1, 10000, "nm", "Full width at half maximum.", KERB_SLOT(Band, width_nm))};
constexpr Table kBandTable{"camera.bands", "A spectral band.", kBand, fresh<Band>};

constexpr Field kCamera[] = {
    integer("width", 64, 4096, "pixels", "Width of the picture.", KERB_SLOT(CameraSpec, width)),
    integer("height", 64, 4096, "pixels", "Height of the picture.", KERB_SLOT(CameraSpec, height)),
    number("rate_hz", 1, 240, "frames/s", "Frame rate.", KERB_SLOT(CameraSpec, rate_hz)),
    number("fov_deg", 10, 150, "degrees", "Horizontal angle of view, before distortion.",
           KERB_SLOT(CameraSpec, fov_deg)),
    number("k1", -1, 1, "", "Radial distortion as in OpenCV, second order.",
           KERB_SLOT(CameraSpec, k1)),
    number("k2", -1, 1, "", "Radial distortion as in OpenCV, fourth order.",
           KERB_SLOT(CameraSpec, k2)),
    number("height_m", 0.2, 5, "m", "Height above the ground.", KERB_SLOT(CameraSpec, height_m)),
    number("behind_m", -0.5, 20, "m", "Distance behind the front bumper.",
           KERB_SLOT(CameraSpec, behind_m)),
    number("left_m", -2, 2, "m", "Distance to the left of the car's middle.",
           KERB_SLOT(CameraSpec, left_m)),
    number("pitch_deg", -30, 60, "degrees", "Pitch, positive downwards.",
           KERB_SLOT(CameraSpec, pitch_deg)),
    number("yaw_deg", -90, 90, "degrees", "Yaw, positive to the left.",
           KERB_SLOT(CameraSpec, yaw_deg)),
    number("roll_deg", -45, 45, "degrees", "Roll, positive clockwise.",
           KERB_SLOT(CameraSpec, roll_deg)),
    choice("sensor", kSensors,
           "Kind of sensor: `bands` has one channel per band, `mosaic` one picture under a square "
           "pattern of filters.",
           KERB_SLOT(CameraSpec, sensor)),
    number("exposure_ms", 0, 100, "ms",
           "Exposure time, which determines motion blur; 0: automatic.",
           KERB_SLOT(CameraSpec, exposure_ms)),
    number("noise", 0, 20, "", "Noise relative to a usual sensor; 0: none.",
           KERB_SLOT(CameraSpec, noise)),
    number("blur_px", 0, 10, "pixels",
           "Standard deviation of the blur of lens and filter together.",
           KERB_SLOT(CameraSpec, blur_px)),
    tables("bands", 0, 64,
           "Bands of the sensors `bands` and `mosaic` (row by row of a square pattern).",
           &kBandTable, KERB_ITEM(CameraSpec, bands))};
constexpr Table kCameraTable{"camera", "The camera, its lens and its mounting.", kCamera,
                             fresh<CameraSpec>};

constexpr Field kStretch[] = {
    number("length_m", 0.1, 20000, "m", "Length of the section.", KERB_SLOT(Stretch, length_m)),
    number("radius_m", -20000, 20000, "m", "Radius of a bend, positive to the left; 0: straight.",
           KERB_SLOT(Stretch, radius_m)),
    flag("transition",
         "The curvature changes linearly from that of the previous section (a clothoid).",
         KERB_SLOT(Stretch, transition))};
constexpr Table kStretchTable{"way",
                              "A section of a path: of the car, of the street, of a moving thing. "
                              "After the last one the path goes straight on.",
                              kStretch, fresh<Stretch>};
constexpr Field kSpeed[] = {
    number("at_s", 0, 3600, "s", "Start time of the change; the first must be 0.",
           KERB_SLOT(SpeedPoint, at_s)),
    number("kmh", -30, 250, "km/h", "Target speed; negative: backwards.",
           KERB_SCALED(SpeedPoint, mps, kKmh)),
    number("within_mps2", 0.05, 12, "m/s²", "Acceleration or braking until the target speed.",
           KERB_SLOT(SpeedPoint, within_mps2))};
constexpr Table kSpeedTable{"speeds", "A change of speed: of the car, of a moving thing.", kSpeed,
                            fresh<SpeedPoint>};

constexpr Field kCar[] = {
    number("length_m", 1, 20, "m", "Length of the car.", KERB_SLOT(CarDraft, spec.length_m)),
    number("width_m", 0.5, 3, "m", "Width of the car.", KERB_SLOT(CarDraft, spec.width_m)),
    number("height_m", 0.5, 4.5, "m", "Height of the car.", KERB_SLOT(CarDraft, spec.height_m)),
    point("start", "Position of the middle of the front bumper at 0 s.",
          KERB_SLOT(CarDraft, spec.start.at), "[0, 0]"),
    number("heading_deg", -180, 180, "degrees", "Heading at 0 s, positive to the left.",
           KERB_SCALED(CarDraft, spec.start.heading, kDeg)),
    number("kmh", -30, 250, "km/h", "Constant speed. Not together with `speeds`.",
           KERB_SCALED(CarDraft, mps, kKmh), nullptr, KERB_GIVEN(CarDraft, has_mps)),
    tables("speeds", 1, 100, "Changes of speed.", &kSpeedTable, KERB_ITEM(CarDraft, spec.speeds)),
    tables("way", 1, 200, "Path of the middle of the front bumper.", &kStretchTable,
           KERB_ITEM(CarDraft, spec.way))};
constexpr Table kCarTable{"car", "The car that carries the camera.", kCar, fresh<CarDraft>};

constexpr Field kStreet[] = {
    number("lane_m", 2, 6, "m", "Width of a lane.", KERB_SLOT(StreetSpec, lane_m)),
    integer(
        "lanes", 1, 8, "",
        "Number of lanes, both directions together; the car starts in the middle of the rightmost.",
        KERB_SLOT(StreetSpec, lanes)),
    number("pavement_m", 0, 10, "m", "Width of the pavements; 0: none.",
           KERB_SLOT(StreetSpec, pavement_m)),
    choice("left", kSides, "Surroundings beyond the left pavement.", KERB_SLOT(StreetSpec, left)),
    choice("right", kSides, "Surroundings beyond the right pavement.",
           KERB_SLOT(StreetSpec, right)),
    flag("parked_cars",
         "Random parked cars along both kerbs. They are decoration: the truth ignores that they "
         "may hide people.",
         KERB_SLOT(StreetSpec, parked_cars)),
    number("clutter", 0, 1, "", "Density of things on the pavements.",
           KERB_SLOT(StreetSpec, clutter)),
    tables("way", 1, 200, "Path of the street; unset: the car's path.", &kStretchTable,
           KERB_ITEM(StreetSpec, way)),
    integer("seed", 0, 4294967295.0, "", "Seed of the random surroundings.",
            KERB_SLOT(StreetSpec, seed), "the scenario's seed")};
constexpr Table kStreetTable{"street", "The road and its surroundings.", kStreet,
                             fresh<StreetSpec>};

constexpr Field kLight[] = {
    choice("kind", kDaylights, "Kind of daylight.", KERB_SLOT(LightSpec, kind)),
    number("sun_azimuth_deg", -180, 180, "degrees",
           "Direction of the sun, positive to the left of the x axis.",
           KERB_SLOT(LightSpec, sun_azimuth_deg), "depends on `kind`"),
    number("sun_elevation_deg", -5, 90, "degrees", "Height of the sun above the horizon.",
           KERB_SLOT(LightSpec, sun_elevation_deg), "depends on `kind`"),
    flag("headlamps", "The car's headlamps are on.", KERB_SLOT(LightSpec, headlamps)),
    flag("street_lamps", "The street lamps are on.", KERB_SLOT(LightSpec, street_lamps))};
constexpr Table kLightTable{"light", "Daylight and lamps.", kLight, fresh<LightSpec>};

constexpr Field kLeg[] = {
    point("to", "End point of the leg, reached in a straight line. Must be given.",
          KERB_SLOT(WalkDraft, leg.to), "", KERB_GIVEN(WalkDraft, has_to)),
    number("kmh", 0.5, 36, "km/h", "Speed; children run from 8, adults from 10.",
           KERB_SCALED(WalkDraft, leg.mps, kKmh), "5.04"),
    number("wait_s", 0, 3600, "s", "Time to stand before the leg.",
           KERB_SLOT(WalkDraft, leg.wait_s)),
    number("speed_up_m", 0, 10, "m",
           "Distance over which the speed increases evenly from 0; 0: at once.",
           KERB_SLOT(WalkDraft, leg.speed_up_m))};
constexpr Table kLegTable{"people.walk", "A leg of a walk.", kLeg, fresh<WalkDraft>};

constexpr Field kImpact[] = {
    number("percent", 1, 99, "%",
           "Place of the contact on the front, in percent of the car's width from its right edge.",
           KERB_SLOT(ImpactDraft, percent)),
    number("at_s", 0.1, 3600, "s", "Time of the contact.", KERB_SLOT(ImpactDraft, at_s)),
    choice("from", kFrom, "Side from which the person comes.",
           [](void* object) -> Slot {
             return EnumRef{&static_cast<ImpactDraft*>(object)->from_left,
                            [](void* o, int number) { *static_cast<bool*>(o) = number != 0; },
                            [](const void* o) { return *static_cast<const bool*>(o) ? 1 : 0; }};
           }),
    number("distance_m", 1.5, 50, "m", "Distance of the start from the car's middle line.",
           KERB_SLOT(ImpactDraft, distance_m)),
    number("kmh", 0.5, 36, "km/h", "Walking speed.", KERB_SCALED(ImpactDraft, mps, kKmh)),
    number("heading_deg", -60, 60, "degrees",
           "Direction of walking: 0 is perpendicular to the car's path, positive is turned towards "
           "the car's direction of travel.",
           KERB_SCALED(ImpactDraft, heading, kDeg)),
    number("speed_up_m", 0, 5, "m",
           "Distance over which the speed increases evenly from 0 (1 m walking, 1.5 m running).",
           KERB_SLOT(ImpactDraft, speed_up_m)),
    number(
        "ahead_m", -100, 300, "m",
        "Distance from the front to the person's middle at `at_s`, instead of contact: the person "
        "crosses ahead of the front or, if negative, behind it. There may then be no impact.",
        KERB_SLOT(ImpactDraft, ahead_m), "contact (0.25)")};
constexpr Table kImpactTable{"people.impact",
                             "The person crosses and is hit at the given time and place if nobody "
                             "reacts; the loader computes start and timing.",
                             kImpact, fresh<ImpactDraft>};
constexpr Field kAlong[] = {
    number("percent", 1, 99, "%",
           "Place of the contact on the front, in percent of the car's width from its right edge.",
           KERB_SLOT(AlongDraft, percent)),
    number("at_s", 0.1, 3600, "s", "Time of the contact.", KERB_SLOT(AlongDraft, at_s)),
    number("kmh", 0.5, 36, "km/h", "Walking speed.", KERB_SCALED(AlongDraft, mps, kKmh))};
constexpr Table kAlongTable{"people.along",
                            "The person walks ahead of the car in its direction and is hit from "
                            "behind at the given time and place if nobody reacts.",
                            kAlong, fresh<AlongDraft>};

constexpr const char* kDrawn = "random, from the seed";
constexpr Field kPeople[] = {
    text("name", 40, "Name in reports.", KERB_SLOT(PersonDraft, spec.name)),
    number("height_m", 0.6, 2.3, "m", "Body height.", KERB_SLOT(PersonDraft, spec.height_m)),
    number("build", -1, 1, "", "Build: -1 slim, 1 heavy.", KERB_SLOT(PersonDraft, spec.build)),
    flag("child", "Proportions of a child.", KERB_SLOT(PersonDraft, spec.child)),
    flag("female", "Proportions of a woman.", KERB_SLOT(PersonDraft, spec.female)),
    choice("carries", kCarries, "What the person carries.", KERB_SLOT(PersonDraft, spec.carries)),
    point("start", "Position at 0 s. Must be given unless `impact` or `along` is.",
          KERB_SLOT(PersonDraft, spec.start.at), "", KERB_GIVEN(PersonDraft, has_start)),
    number("heading_deg", -180, 180, "degrees", "Heading at the start, positive to the left.",
           KERB_SCALED(PersonDraft, spec.start.heading, kDeg), "direction of the first leg",
           KERB_GIVEN(PersonDraft, has_heading)),
    number("start_s", 0, 3600, "s", "Time until which the person stands.",
           KERB_SLOT(PersonDraft, spec.start_s)),
    choice("relative_to", kFrames,
           "Origin of `start` and `to`: the world, or the front of the car at the first `impact` "
           "or `along` (x ahead, y to the left).",
           KERB_SLOT(PersonDraft, frame)),
    integer("abreast", 1, 4, "", "Number of people side by side, 0.65 m apart.",
            KERB_SLOT(PersonDraft, abreast)),
    tables("walk", 1, 2000, "Legs of the walk; without them, the person stands.", &kLegTable,
           KERB_ITEM(PersonDraft, walk)),
    table("impact", "Instead of `start` and `walk`: crosses and is hit.", &kImpactTable,
          KERB_OPTION(PersonDraft, impact)),
    table("along", "Instead of `start` and `walk`: walks ahead of the car and is hit.",
          &kAlongTable, KERB_OPTION(PersonDraft, along)),
    choice("top", kTops, "Upper garment.", KERB_SLOT(PersonDraft, spec.clothing.top), kDrawn,
           KERB_GIVEN(PersonDraft, given.top)),
    choice(
        "bottom", kBottoms, "Lower garment.",
        [](void* object) -> Slot {
          constexpr int kFirst = static_cast<int>(Garment::trousers);
          return EnumRef{&static_cast<PersonDraft*>(object)->spec.clothing.bottom,
                         [](void* o, int number) {
                           *static_cast<Garment*>(o) = static_cast<Garment>(kFirst + number);
                         },
                         [](const void* o) {
                           return static_cast<int>(*static_cast<const Garment*>(o)) - kFirst;
                         }};
        },
        kDrawn, KERB_GIVEN(PersonDraft, given.bottom)),
    choice(
        "pattern", kPatterns, "Pattern of the upper garment.",
        [](void* object) -> Slot {
          return EnumRef{&static_cast<PersonDraft*>(object)->spec.clothing.pattern,
                         [](void* o, int number) { *static_cast<int*>(o) = number; },
                         [](const void* o) { return *static_cast<const int*>(o); }};
        },
        kDrawn, KERB_GIVEN(PersonDraft, given.pattern)),
    surface("top_colour", "Colour of the upper garment.",
            KERB_SLOT(PersonDraft, spec.clothing.top_surface), kDrawn,
            KERB_GIVEN(PersonDraft, given.top_surface)),
    surface("bottom_colour", "Colour of the lower garment.",
            KERB_SLOT(PersonDraft, spec.clothing.bottom_surface), kDrawn,
            KERB_GIVEN(PersonDraft, given.bottom_surface)),
    surface("shoes_colour", "Colour of the shoes.", KERB_SLOT(PersonDraft, spec.clothing.shoes),
            kDrawn, KERB_GIVEN(PersonDraft, given.shoes)),
    surface("hair_colour", "Colour of the hair.", KERB_SLOT(PersonDraft, spec.clothing.hair),
            kDrawn, KERB_GIVEN(PersonDraft, given.hair)),
    surface("skin_colour", "Colour of the skin.", KERB_SLOT(PersonDraft, spec.clothing.skin),
            kDrawn, KERB_GIVEN(PersonDraft, given.skin)),
    integer("seed", 0, 4294967295.0, "", "Seed of clothes, gait and details.",
            KERB_SLOT(PersonDraft, spec.seed), "derived from the scenario's seed",
            KERB_GIVEN(PersonDraft, has_seed))};
constexpr Table kPeopleTable{"people",
                             "A person. Clothes and colours not given are chosen at random.",
                             kPeople, fresh<PersonDraft>};

constexpr Field kCrowd[] = {
    integer("people", 1, 500, "", "Number of people.", KERB_SLOT(CrowdDraft, people)),
    number("from_m", -2000, 20000, "m", "Start of their part of the street.",
           KERB_SLOT(CrowdDraft, from_m)),
    number("to_m", -2000, 20000, "m", "End of their part of the street.",
           KERB_SLOT(CrowdDraft, to_m)),
    choice("on", kOn, "Pavement.", KERB_SLOT(CrowdDraft, on)),
    choice("way", kWays, "Direction of walking: with the car or against it.",
           KERB_SLOT(CrowdDraft, way)),
    number("standing", 0, 1, "", "Share of people who stand.", KERB_SLOT(CrowdDraft, standing)),
    number("slowest_kmh", 0.5, 20, "km/h", "Lowest walking speed.",
           KERB_SCALED(CrowdDraft, slowest_mps, kKmh)),
    number("fastest_kmh", 0.5, 20, "km/h", "Highest walking speed.",
           KERB_SCALED(CrowdDraft, fastest_mps, kKmh)),
    number("kerb_m", 0.3, 10, "m", "Smallest distance to the kerb.", KERB_SLOT(CrowdDraft, kerb_m)),
    number("children", 0, 1, "", "Share of children.", KERB_SLOT(CrowdDraft, children)),
    number("prams", 0, 1, "", "Share of people with a pram.", KERB_SLOT(CrowdDraft, prams)),
    integer("seed", 0, 4294967295.0, "", "Seed of all random values.",
            KERB_SLOT(CrowdDraft, seed))};
constexpr Table kCrowdTable{
    "crowd", "Random people on the pavements. They are numbered after those of `people`.", kCrowd,
    fresh<CrowdDraft>};

constexpr Field kProps[] = {
    choice("kind", kKinds, "Kind of thing.", KERB_SLOT(PropDraft, spec.kind)),
    point("at", "Position of the middle of its footprint. Must be given.",
          KERB_SLOT(PropDraft, spec.place.at), "", KERB_GIVEN(PropDraft, has_place)),
    number("heading_deg", -180, 180, "degrees", "Direction of its length, positive to the left.",
           KERB_SCALED(PropDraft, spec.place.heading, kDeg)),
    choice("relative_to", kFrames,
           "Origin of `at` and `heading_deg`: the world, or the front of the car at the first "
           "`impact` or `along`.",
           KERB_SLOT(PropDraft, frame)),
    {"size",
     FieldKind::size,
     0,
     60,
     "m",
     {},
     "Length, width, height; 0: usual size of its kind.",
     "[0, 0, 0]",
     KERB_SLOT(PropDraft, spec.size),
     nullptr,
     nullptr,
     nullptr},
    surface("colour", "Colour.", KERB_SLOT(PropDraft, spec.surface), "usual colour of its kind",
            KERB_GIVEN(PropDraft, has_surface)),
    number(
        "kmh", -30, 150, "km/h", "Constant speed; only for cars, vans, trucks and bicycles.",
        [](void* object) -> Slot {
          return ScaledOptional{&static_cast<PropDraft*>(object)->mps, kKmh};
        },
        "stands"),
    tables("speeds", 1, 100, "Changes of speed.", &kSpeedTable, KERB_ITEM(PropDraft, spec.speeds)),
    tables("way", 1, 200, "Path of its middle.", &kStretchTable, KERB_ITEM(PropDraft, spec.way)),
    integer("seed", 0, 4294967295.0, "", "Seed of its details.", KERB_SLOT(PropDraft, spec.seed),
            "derived from the scenario's seed", KERB_GIVEN(PropDraft, has_seed))};
constexpr Table kPropsTable{"props", "A thing on or beside the road.", kProps, fresh<PropDraft>};

constexpr Field kFault[] = {
    choice("kind", kFaultNames, "Kind of fault.", KERB_SLOT(FaultSpec, kind)),
    number("from_s", 0, 3600, "s", "Start of the fault.", KERB_SLOT(FaultSpec, from_s)),
    number("to_s", 0, 1e9, "s", "End of the fault.", KERB_SLOT(FaultSpec, to_s), "never"),
    number("amount", 0, 1000, "",
           "Strength of the fault: 0..1 of the light (blinded, dark) or of the picture (dirty), "
           "degrees (misaligned), seconds of delay (late), km/h by which the reported speed is too "
           "high (implausible).",
           KERB_SLOT(FaultSpec, amount))};
constexpr Table kFaultTable{"faults", "A fault of the camera or of the vehicle's signals.", kFault,
                            fresh<FaultSpec>};

constexpr Field kCriteria[] = {
    number("collision_warning_before_impact_s", 0, 10, "s",
           "A collision warning at least this long before the impact.",
           KERB_SLOT(Criteria, collision_warning_before_impact_s), ""),
    number("collision_warning_after_half_visible_s", 0, 10, "s",
           "A collision warning at most this long after the person is half visible.",
           KERB_SLOT(Criteria, collision_warning_after_half_visible_s), ""),
    number("information_within_s", 0, 10, "s",
           "At the latest this long after somebody enters the close zone: level information or "
           "higher.",
           KERB_SLOT(Criteria, information_within_s), ""),
    flag("no_collision_warning", "No collision warning in the whole run.",
         KERB_SLOT(Criteria, no_collision_warning)),
    integer("most_informations", 0, 1000, "",
            "Most information signals with nobody in the close zone, in the whole run.",
            KERB_SLOT(Criteria, most_informations), ""),
    integer("most_identity_changes", 0, 1000, "",
            "Every person in view is followed; most changes of a person's id in the object list, "
            "all people together.",
            KERB_SLOT(Criteria, most_identity_changes), ""),
    number("fault_told_within_s", 0, 10, "s",
           "The health state reports the fault at most this long after it begins.",
           KERB_SLOT(Criteria, fault_told_within_s), ""),
    flag("impact_expected",
         "The scenario must end in contact if nobody reacts; checked when the file is read.",
         KERB_SLOT(Criteria, impact_expected)),
    number("share", 0.01, 1, "",
           "Share of the runs of a group that must meet all criteria; the common rules must hold "
           "in every run.",
           KERB_SLOT(Criteria, share))};
constexpr Table kCriteriaTable{"criteria",
                               "Criteria by which a run is judged; all that are set must hold.",
                               kCriteria, fresh<Criteria>};

constexpr Field kScenario[] = {
    text("title", 200, "Title, one line.", KERB_SLOT(ScenarioDraft, scenario.title)),
    number("seconds", 0.1, 3600, "s", "Duration.", KERB_SLOT(ScenarioDraft, scenario.seconds)),
    integer("seed", 0, 4294967295.0, "", "Seed of all random values.",
            KERB_SLOT(ScenarioDraft, scenario.seed)),
    table("camera", "", &kCameraTable, KERB_PART(ScenarioDraft, scenario.camera)),
    table("car", "", &kCarTable, KERB_PART(ScenarioDraft, car)),
    table("street", "", &kStreetTable, KERB_PART(ScenarioDraft, scenario.street)),
    table("light", "", &kLightTable, KERB_PART(ScenarioDraft, scenario.light)),
    tables("people", 0, 500, "", &kPeopleTable, KERB_ITEM(ScenarioDraft, people)),
    tables("crowd", 0, 20, "", &kCrowdTable, KERB_ITEM(ScenarioDraft, crowds)),
    tables("props", 0, 500, "", &kPropsTable, KERB_ITEM(ScenarioDraft, props)),
    tables("faults", 0, 20, "", &kFaultTable, KERB_ITEM(ScenarioDraft, scenario.faults)),
    table("criteria", "", &kCriteriaTable, KERB_PART(ScenarioDraft, scenario.criteria))};
constexpr Table kScenarioTable{"", "The file as a whole.", kScenario, fresh<ScenarioDraft>};

}  // namespace

const Table& scenario_table() { return kScenarioTable; }

}  // namespace kerb::sim
