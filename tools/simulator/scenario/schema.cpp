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
    number("centre_nm", 300, 15000, "nm", "Middle of the band; beyond 3000 it is heat.",
           KERB_SLOT(Band, centre_nm)),
    number("width_nm", 1, 10000, "nm", "Its width, at half of its height.",
           KERB_SLOT(Band, width_nm))};
constexpr Table kBandTable{"camera.bands", "A spectral band.", kBand, fresh<Band>};

constexpr Field kCamera[] = {
    integer("width", 64, 4096, "pixels", "Of the picture.", KERB_SLOT(CameraSpec, width)),
    integer("height", 64, 4096, "pixels", "Of the picture.", KERB_SLOT(CameraSpec, height)),
    number("rate_hz", 1, 240, "frames/s", "Pictures a second.", KERB_SLOT(CameraSpec, rate_hz)),
    number("fov_deg", 10, 150, "degrees", "Field of view from left to right, before distortion.",
           KERB_SLOT(CameraSpec, fov_deg)),
    number("k1", -1, 1, "", "Radial distortion, as OpenCV has it.", KERB_SLOT(CameraSpec, k1)),
    number("k2", -1, 1, "", "Radial distortion, as OpenCV has it.", KERB_SLOT(CameraSpec, k2)),
    number("height_m", 0.2, 5, "m", "Over the ground.", KERB_SLOT(CameraSpec, height_m)),
    number("behind_m", -0.5, 20, "m", "Behind the front bumper.", KERB_SLOT(CameraSpec, behind_m)),
    number("left_m", -2, 2, "m", "To the left of the car's middle.", KERB_SLOT(CameraSpec, left_m)),
    number("pitch_deg", -30, 60, "degrees", "Looks down by this.",
           KERB_SLOT(CameraSpec, pitch_deg)),
    number("yaw_deg", -90, 90, "degrees", "Looks to the left by this.",
           KERB_SLOT(CameraSpec, yaw_deg)),
    number("roll_deg", -45, 45, "degrees", "Turned clockwise by this.",
           KERB_SLOT(CameraSpec, roll_deg)),
    choice("sensor", kSensors,
           "What it sees: `bands` gives a channel for each, `mosaic` one "
           "picture under a square pattern of filters.",
           KERB_SLOT(CameraSpec, sensor)),
    number("exposure_ms", 0, 100, "ms", "0: automatic. Motion blur follows from it.",
           KERB_SLOT(CameraSpec, exposure_ms)),
    number("noise", 0, 20, "", "Times a usual sensor's.", KERB_SLOT(CameraSpec, noise)),
    number("blur_px", 0, 10, "pixels", "Sigma of lens and filter together.",
           KERB_SLOT(CameraSpec, blur_px)),
    tables("bands", 0, 64, "For `bands` and `mosaic` (row by row of a square pattern).",
           &kBandTable, KERB_ITEM(CameraSpec, bands))};
constexpr Table kCameraTable{"camera", "The camera, its lens and where it is mounted.", kCamera,
                             fresh<CameraSpec>};

constexpr Field kStretch[] = {
    number("length_m", 0.1, 20000, "m", "Of the stretch.", KERB_SLOT(Stretch, length_m)),
    number("radius_m", -20000, 20000, "m", "Of a bend, to the left is positive; 0: straight.",
           KERB_SLOT(Stretch, radius_m)),
    flag("transition", "Comes to that radius evenly from the stretch before (a clothoid).",
         KERB_SLOT(Stretch, transition))};
constexpr Table kStretchTable{
    "way",
    "A stretch of a way: of the car, of the street, of a thing that drives. After the last "
    "one it goes straight on.",
    kStretch, fresh<Stretch>};
constexpr Field kSpeed[] = {
    number("at_s", 0, 3600, "s", "From then on; the first one's must be 0.",
           KERB_SLOT(SpeedPoint, at_s)),
    number("kmh", -30, 250, "km/h", "The speed aimed at; negative: backwards.",
           KERB_SCALED(SpeedPoint, mps, kKmh)),
    number("within_mps2", 0.05, 12, "m/s²", "Acceleration or braking on the way there.",
           KERB_SLOT(SpeedPoint, within_mps2))};
constexpr Table kSpeedTable{"speeds", "A change of speed: of the car, of a thing that drives.",
                            kSpeed, fresh<SpeedPoint>};

constexpr Field kCar[] = {
    number("length_m", 1, 20, "m", "Of the car.", KERB_SLOT(CarDraft, spec.length_m)),
    number("width_m", 0.5, 3, "m", "Of the car.", KERB_SLOT(CarDraft, spec.width_m)),
    number("height_m", 0.5, 4.5, "m", "Of the car.", KERB_SLOT(CarDraft, spec.height_m)),
    point("start", "Where the middle of its front bumper is at 0 s.",
          KERB_SLOT(CarDraft, spec.start.at), "[0, 0]"),
    number("heading_deg", -180, 180, "degrees", "Which way it faces then; to the left is positive.",
           KERB_SCALED(CarDraft, spec.start.heading, kDeg)),
    number("kmh", -30, 250, "km/h", "Its speed, all the time. Not together with `speeds`.",
           KERB_SCALED(CarDraft, mps, kKmh), nullptr, KERB_GIVEN(CarDraft, has_mps)),
    tables("speeds", 1, 100, "Its speed, where it changes.", &kSpeedTable,
           KERB_ITEM(CarDraft, spec.speeds)),
    tables("way", 1, 200, "The line the front's middle follows.", &kStretchTable,
           KERB_ITEM(CarDraft, spec.way))};
constexpr Table kCarTable{"car", "The car that carries the camera.", kCar, fresh<CarDraft>};

constexpr Field kStreet[] = {
    number("lane_m", 2, 6, "m", "Width of a lane.", KERB_SLOT(StreetSpec, lane_m)),
    integer("lanes", 1, 8, "", "In all; the car starts in the middle of the rightmost.",
            KERB_SLOT(StreetSpec, lanes)),
    number("pavement_m", 0, 10, "m", "Width of the pavements; 0: none.",
           KERB_SLOT(StreetSpec, pavement_m)),
    choice("left", kSides, "What is beyond the left pavement.", KERB_SLOT(StreetSpec, left)),
    choice("right", kSides, "What is beyond the right pavement.", KERB_SLOT(StreetSpec, right)),
    flag("parked_cars", "Cars along both kerbs, at random; for show: nobody is hidden on purpose.",
         KERB_SLOT(StreetSpec, parked_cars)),
    number("clutter", 0, 1, "", "How much stands about on the pavements.",
           KERB_SLOT(StreetSpec, clutter)),
    tables("way", 1, 200, "Its line; unset: as the car's own.", &kStretchTable,
           KERB_ITEM(StreetSpec, way)),
    integer("seed", 0, 4294967295.0, "", "Of all that is drawn about it; unset: the scenario's.",
            KERB_SLOT(StreetSpec, seed), "the scenario's")};
constexpr Table kStreetTable{"street", "The road and its surroundings.", kStreet,
                             fresh<StreetSpec>};

constexpr Field kLight[] = {
    choice("kind", kDaylights, "The light of the hour.", KERB_SLOT(LightSpec, kind)),
    number("sun_azimuth_deg", -180, 180, "degrees", "Where the sun is, as headings.",
           KERB_SLOT(LightSpec, sun_azimuth_deg), "as the hour has it"),
    number("sun_elevation_deg", -5, 90, "degrees", "How high it is.",
           KERB_SLOT(LightSpec, sun_elevation_deg), "as the hour has it"),
    flag("headlamps", "The car's own are on.", KERB_SLOT(LightSpec, headlamps)),
    flag("street_lamps", "The street's are on.", KERB_SLOT(LightSpec, street_lamps))};
constexpr Table kLightTable{"light", "The light.", kLight, fresh<LightSpec>};

constexpr Field kLeg[] = {
    point("to", "Straight to there. Must be given.", KERB_SLOT(WalkDraft, leg.to), "",
          KERB_GIVEN(WalkDraft, has_to)),
    number("kmh", 0.5, 36, "km/h", "Walking; children run at 8, adults at 10 or more.",
           KERB_SCALED(WalkDraft, leg.mps, kKmh), "5.04"),
    number("wait_s", 0, 3600, "s", "Stands so long first.", KERB_SLOT(WalkDraft, leg.wait_s)),
    number("speed_up_m", 0, 10, "m",
           "From standing, the speed is reached evenly over this way; 0: at once.",
           KERB_SLOT(WalkDraft, leg.speed_up_m))};
constexpr Table kLegTable{"people.walk", "A leg of a walk.", kLeg, fresh<WalkDraft>};

constexpr Field kImpact[] = {
    number("percent", 1, 99, "%", "Where on the front: of the car's width, from its right edge.",
           KERB_SLOT(ImpactDraft, percent)),
    number("at_s", 0.1, 3600, "s", "When.", KERB_SLOT(ImpactDraft, at_s)),
    choice("from", kFrom, "The side the person comes from.",
           [](void* object) -> Slot {
             return EnumRef{&static_cast<ImpactDraft*>(object)->from_left,
                            [](void* o, int number) { *static_cast<bool*>(o) = number != 0; },
                            [](const void* o) { return *static_cast<const bool*>(o) ? 1 : 0; }};
           }),
    number("distance_m", 1.5, 50, "m", "Of the start, from the car's middle line.",
           KERB_SLOT(ImpactDraft, distance_m)),
    number("kmh", 0.5, 36, "km/h", "Walking speed.", KERB_SCALED(ImpactDraft, mps, kKmh)),
    number("heading_deg", -60, 60, "degrees",
           "0: straight across the car's path; positive: rather along with it.",
           KERB_SCALED(ImpactDraft, heading, kDeg)),
    number("speed_up_m", 0, 5, "m",
           "From standing, the speed is reached evenly over this way (1 m walking, 1.5 m running).",
           KERB_SLOT(ImpactDraft, speed_up_m)),
    number("ahead_m", -100, 300, "m",
           "Then the person's middle is so far ahead of the front, instead of touching it: "
           "crosses there, or, negative, behind the front. It may be no impact then.",
           KERB_SLOT(ImpactDraft, ahead_m), "touches it (0.25)")};
constexpr Table kImpactTable{"people.impact",
                             "Crosses, and is hit, if nobody does anything about it, there and "
                             "then: the loader finds start and timing.",
                             kImpact, fresh<ImpactDraft>};
constexpr Field kAlong[] = {
    number("percent", 1, 99, "%", "Where on the front: of the car's width, from its right edge.",
           KERB_SLOT(AlongDraft, percent)),
    number("at_s", 0.1, 3600, "s", "When.", KERB_SLOT(AlongDraft, at_s)),
    number("kmh", 0.5, 36, "km/h", "Walking speed.", KERB_SCALED(AlongDraft, mps, kKmh))};
constexpr Table kAlongTable{"people.along",
                            "Walks ahead of the car, in its direction, and is hit from behind "
                            "there and then.",
                            kAlong, fresh<AlongDraft>};

constexpr const char* kDrawn = "drawn from the seed";
constexpr Field kPeople[] = {
    text("name", 40, "What reports call them.", KERB_SLOT(PersonDraft, spec.name)),
    number("height_m", 0.6, 2.3, "m", "", KERB_SLOT(PersonDraft, spec.height_m)),
    number("build", -1, 1, "", "-1 slim, 1 heavy.", KERB_SLOT(PersonDraft, spec.build)),
    flag("child", "Has a child's proportions.", KERB_SLOT(PersonDraft, spec.child)),
    flag("female", "Has a woman's proportions.", KERB_SLOT(PersonDraft, spec.female)),
    choice("carries", kCarries, "", KERB_SLOT(PersonDraft, spec.carries)),
    point("start", "Where they are at 0 s. Must be given, unless `impact` or `along` is.",
          KERB_SLOT(PersonDraft, spec.start.at), "", KERB_GIVEN(PersonDraft, has_start)),
    number("heading_deg", -180, 180, "degrees", "Which way they face.",
           KERB_SCALED(PersonDraft, spec.start.heading, kDeg), "where the first leg goes",
           KERB_GIVEN(PersonDraft, has_heading)),
    number("start_s", 0, 3600, "s", "Stands until then.", KERB_SLOT(PersonDraft, spec.start_s)),
    choice("relative_to", kFrames,
           "What `start` and `to` count from: the world, or the front's place at the first "
           "`impact` or `along` (x ahead, y to the left).",
           KERB_SLOT(PersonDraft, frame)),
    integer("abreast", 1, 4, "", "So many side by side, 0.65 m apart.",
            KERB_SLOT(PersonDraft, abreast)),
    tables("walk", 1, 2000, "Where they walk. Without it, they stand.", &kLegTable,
           KERB_ITEM(PersonDraft, walk)),
    table("impact", "Instead of `start` and `walk`: crosses and is hit.", &kImpactTable,
          KERB_OPTION(PersonDraft, impact)),
    table("along", "Instead of `start` and `walk`: walks ahead and is hit.", &kAlongTable,
          KERB_OPTION(PersonDraft, along)),
    choice("top", kTops, "What they wear.", KERB_SLOT(PersonDraft, spec.clothing.top), kDrawn,
           KERB_GIVEN(PersonDraft, given.top)),
    choice(
        "bottom", kBottoms, "What they wear.",
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
        "pattern", kPatterns, "Of the top.",
        [](void* object) -> Slot {
          return EnumRef{&static_cast<PersonDraft*>(object)->spec.clothing.pattern,
                         [](void* o, int number) { *static_cast<int*>(o) = number; },
                         [](const void* o) { return *static_cast<const int*>(o); }};
        },
        kDrawn, KERB_GIVEN(PersonDraft, given.pattern)),
    surface("top_colour", "", KERB_SLOT(PersonDraft, spec.clothing.top_surface), kDrawn,
            KERB_GIVEN(PersonDraft, given.top_surface)),
    surface("bottom_colour", "", KERB_SLOT(PersonDraft, spec.clothing.bottom_surface), kDrawn,
            KERB_GIVEN(PersonDraft, given.bottom_surface)),
    surface("shoes_colour", "", KERB_SLOT(PersonDraft, spec.clothing.shoes), kDrawn,
            KERB_GIVEN(PersonDraft, given.shoes)),
    surface("hair_colour", "", KERB_SLOT(PersonDraft, spec.clothing.hair), kDrawn,
            KERB_GIVEN(PersonDraft, given.hair)),
    surface("skin_colour", "", KERB_SLOT(PersonDraft, spec.clothing.skin), kDrawn,
            KERB_GIVEN(PersonDraft, given.skin)),
    integer("seed", 0, 4294967295.0, "", "Of clothes, gait and details.",
            KERB_SLOT(PersonDraft, spec.seed), "from the scenario's",
            KERB_GIVEN(PersonDraft, has_seed))};
constexpr Table kPeopleTable{"people", "Somebody.", kPeople, fresh<PersonDraft>};

constexpr Field kCrowd[] = {
    integer("people", 1, 500, "", "How many.", KERB_SLOT(CrowdDraft, people)),
    number("from_m", -2000, 20000, "m", "Along the street, from there.",
           KERB_SLOT(CrowdDraft, from_m)),
    number("to_m", -2000, 20000, "m", "To there.", KERB_SLOT(CrowdDraft, to_m)),
    choice("on", kOn, "Which pavement.", KERB_SLOT(CrowdDraft, on)),
    choice("way", kWays, "Which way they walk: with the car, or against it.",
           KERB_SLOT(CrowdDraft, way)),
    number("standing", 0, 1, "", "This part of them stands about.",
           KERB_SLOT(CrowdDraft, standing)),
    number("slowest_kmh", 0.5, 20, "km/h", "The others walk at this or more.",
           KERB_SCALED(CrowdDraft, slowest_mps, kKmh)),
    number("fastest_kmh", 0.5, 20, "km/h", "And at most at this.",
           KERB_SCALED(CrowdDraft, fastest_mps, kKmh)),
    number("kerb_m", 0.3, 10, "m", "Nobody is nearer to the kerb.", KERB_SLOT(CrowdDraft, kerb_m)),
    number("children", 0, 1, "", "This part of them are children.",
           KERB_SLOT(CrowdDraft, children)),
    number("prams", 0, 1, "", "This part of them push one.", KERB_SLOT(CrowdDraft, prams)),
    integer("seed", 0, 4294967295.0, "", "Of all that is drawn.", KERB_SLOT(CrowdDraft, seed))};
constexpr Table kCrowdTable{"crowd",
                            "People on the pavements, drawn at random. They come after those of "
                            "`people`.",
                            kCrowd, fresh<CrowdDraft>};

constexpr Field kProps[] = {
    choice("kind", kKinds, "", KERB_SLOT(PropDraft, spec.kind)),
    point("at", "The middle of its foot print. Must be given.", KERB_SLOT(PropDraft, spec.place.at),
          "", KERB_GIVEN(PropDraft, has_place)),
    number("heading_deg", -180, 180, "degrees", "Which way its length lies.",
           KERB_SCALED(PropDraft, spec.place.heading, kDeg)),
    choice("relative_to", kFrames,
           "What `at` and `heading_deg` count from: the world, or the front's place at the first "
           "`impact` or `along`.",
           KERB_SLOT(PropDraft, frame)),
    {"size",
     FieldKind::size,
     0,
     60,
     "m",
     {},
     "Length, width, height; 0: as its kind usually is.",
     "[0, 0, 0]",
     KERB_SLOT(PropDraft, spec.size),
     nullptr,
     nullptr,
     nullptr},
    surface("colour", "", KERB_SLOT(PropDraft, spec.surface), "as its kind usually has",
            KERB_GIVEN(PropDraft, has_surface)),
    number(
        "kmh", -30, 150, "km/h", "Drives all the time. Cars, vans, trucks and bicycles alone.",
        [](void* object) -> Slot {
          return ScaledOptional{&static_cast<PropDraft*>(object)->mps, kKmh};
        },
        "stands"),
    tables("speeds", 1, 100, "Its speed, where it changes.", &kSpeedTable,
           KERB_ITEM(PropDraft, spec.speeds)),
    tables("way", 1, 200, "The line its middle follows.", &kStretchTable,
           KERB_ITEM(PropDraft, spec.way)),
    integer("seed", 0, 4294967295.0, "", "Of its details.", KERB_SLOT(PropDraft, spec.seed),
            "from the scenario's", KERB_GIVEN(PropDraft, has_seed))};
constexpr Table kPropsTable{"props", "A thing.", kProps, fresh<PropDraft>};

constexpr Field kFault[] = {
    choice("kind", kFaultNames, "", KERB_SLOT(FaultSpec, kind)),
    number("from_s", 0, 3600, "s", "Begins.", KERB_SLOT(FaultSpec, from_s)),
    number("to_s", 0, 1e9, "s", "Ends.", KERB_SLOT(FaultSpec, to_s), "never"),
    number("amount", 0, 1000, "",
           "How much: 0..1 of the light (blinded, dark) or of the picture (dirty), degrees "
           "(misaligned), seconds (late), km/h that the speed is told too high (implausible).",
           KERB_SLOT(FaultSpec, amount))};
constexpr Table kFaultTable{"faults", "Something that goes wrong.", kFault, fresh<FaultSpec>};

constexpr Field kCriteria[] = {
    number("collision_warning_before_impact_s", 0, 10, "s",
           "A collision warning so long before the impact, or longer.",
           KERB_SLOT(Criteria, collision_warning_before_impact_s), ""),
    number("collision_warning_after_half_visible_s", 0, 10, "s",
           "A collision warning at most so long after the person is half visible.",
           KERB_SLOT(Criteria, collision_warning_after_half_visible_s), ""),
    number("information_within_s", 0, 10, "s",
           "An information or more at most so long after somebody is in the close zone.",
           KERB_SLOT(Criteria, information_within_s), ""),
    flag("no_collision_warning", "None at all.", KERB_SLOT(Criteria, no_collision_warning)),
    integer("most_informations", 0, 1000, "", "In the whole run.",
            KERB_SLOT(Criteria, most_informations), ""),
    integer("most_identity_changes", 0, 1000, "",
            "Everybody in view is followed, and under one number of the object list; so often it "
            "may change, all people together.",
            KERB_SLOT(Criteria, most_identity_changes), ""),
    number("fault_told_within_s", 0, 10, "s", "The state says so at most so long after it begins.",
           KERB_SLOT(Criteria, fault_told_within_s), ""),
    flag("impact_expected", "Uncorrected, it ends in contact: checked when the file is read.",
         KERB_SLOT(Criteria, impact_expected)),
    number(
        "share", 0.01, 1, "",
        "Of the runs of a group, this part must meet all of these; the common rules must hold in "
        "every run.",
        KERB_SLOT(Criteria, share))};
constexpr Table kCriteriaTable{"criteria", "What is asked of a run; all that is set must hold.",
                               kCriteria, fresh<Criteria>};

constexpr Field kScenario[] = {
    text("title", 200, "What it is about, in a line.", KERB_SLOT(ScenarioDraft, scenario.title)),
    number("seconds", 0.1, 3600, "s", "How long it lasts.",
           KERB_SLOT(ScenarioDraft, scenario.seconds)),
    integer("seed", 0, 4294967295.0, "", "Of all that is drawn at random.",
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
