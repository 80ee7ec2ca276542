// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/scenario/schema.hpp"

#include <numbers>

#include "firmware/schema/reference.hpp"
#include "tools/simulator/scenario/kinds.hpp"

namespace kerb::sim {
namespace {

using namespace schema;

constexpr double kKmh = 1 / 3.6, kDeg = std::numbers::pi / 180;

template <typename P>
constexpr Field point(const char* name, const char* doc, P at) {
  return custom(name, -20000, 20000, "m", doc, kPoint, at);
}
template <typename P>
constexpr Field size(const char* name, const char* doc, P at) {
  return custom(name, 0, 60, "m", doc, kSize, at);
}
template <typename P>
constexpr Field surface(const char* name, const char* doc, P at) {
  return custom(name, 0, 0, "", doc, kSurface, at);
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
           KERB_AT(Band, centre_nm)),
    number("width_nm", 1, 10000, "nm", "Its width, at half of its height.",
           KERB_AT(Band, width_nm))};
constexpr Table kBandTable = table_of<Band>("camera.bands", "A spectral band.", kBand);

constexpr Field kCamera[] = {
    integer("width", 64, 4096, "pixels", "Of the picture.", KERB_AT(CameraSpec, width)),
    integer("height", 64, 4096, "pixels", "Of the picture.", KERB_AT(CameraSpec, height)),
    number("rate_hz", 1, 240, "frames/s", "Pictures a second.", KERB_AT(CameraSpec, rate_hz)),
    number("fov_deg", 10, 150, "degrees", "Field of view from left to right, before distortion.",
           KERB_AT(CameraSpec, fov_deg)),
    number("k1", -1, 1, "", "Radial distortion, as OpenCV has it.", KERB_AT(CameraSpec, k1)),
    number("k2", -1, 1, "", "Radial distortion, as OpenCV has it.", KERB_AT(CameraSpec, k2)),
    number("height_m", 0.2, 5, "m", "Over the ground.", KERB_AT(CameraSpec, height_m)),
    number("behind_m", -0.5, 20, "m", "Behind the front bumper.", KERB_AT(CameraSpec, behind_m)),
    number("left_m", -2, 2, "m", "To the left of the car's middle.", KERB_AT(CameraSpec, left_m)),
    number("pitch_deg", -30, 60, "degrees", "Looks down by this.", KERB_AT(CameraSpec, pitch_deg)),
    number("yaw_deg", -90, 90, "degrees", "Looks to the left by this.",
           KERB_AT(CameraSpec, yaw_deg)),
    number("roll_deg", -45, 45, "degrees", "Turned clockwise by this.",
           KERB_AT(CameraSpec, roll_deg)),
    choice("sensor", kSensors,
           "What it sees: `bands` gives a channel for each, `mosaic` one "
           "picture under a square pattern of filters.",
           KERB_AT(CameraSpec, sensor)),
    number("exposure_ms", 0, 100, "ms", "0: automatic. Motion blur follows from it.",
           KERB_AT(CameraSpec, exposure_ms)),
    number("noise", 0, 20, "", "Times a usual sensor's.", KERB_AT(CameraSpec, noise)),
    number("blur_px", 0, 10, "pixels", "Sigma of lens and filter together.",
           KERB_AT(CameraSpec, blur_px)),
    tables("bands", 0, 64, "For `bands` and `mosaic` (row by row of a square pattern).", kBandTable,
           KERB_AT(CameraSpec, bands))};
constexpr Table kCameraTable =
    table_of<CameraSpec>("camera", "The camera, its lens and where it is mounted.", kCamera);

constexpr Field kStretch[] = {
    number("length_m", 0.1, 20000, "m", "Of the stretch.", KERB_AT(Stretch, length_m)),
    number("radius_m", -20000, 20000, "m", "Of a bend, to the left is positive; 0: straight.",
           KERB_AT(Stretch, radius_m)),
    flag("transition", "Comes to that radius evenly from the stretch before (a clothoid).",
         KERB_AT(Stretch, transition))};
constexpr Table kStretchTable = table_of<Stretch>(
    "way",
    "A stretch of a way: of the car, of the street, of a thing that drives. After the last "
    "one it goes straight on.",
    kStretch);
constexpr Field kSpeed[] = {
    number("at_s", 0, 3600, "s", "From then on; the first one's must be 0.",
           KERB_AT(SpeedPoint, at_s)),
    number("kmh", -30, 250, "km/h", "The speed aimed at; negative: backwards.",
           KERB_AT(SpeedPoint, mps))
        .scaled(kKmh),
    number("within_mps2", 0.05, 12, "m/s²", "Acceleration or braking on the way there.",
           KERB_AT(SpeedPoint, within_mps2))};
constexpr Table kSpeedTable = table_of<SpeedPoint>(
    "speeds", "A change of speed: of the car, of a thing that drives.", kSpeed);

constexpr Field kCar[] = {
    number("length_m", 1, 20, "m", "Of the car.", KERB_AT(CarDraft, spec.length_m)),
    number("width_m", 0.5, 3, "m", "Of the car.", KERB_AT(CarDraft, spec.width_m)),
    number("height_m", 0.5, 4.5, "m", "Of the car.", KERB_AT(CarDraft, spec.height_m)),
    point("start", "Where the middle of its front bumper is at 0 s.",
          KERB_AT(CarDraft, spec.start.at))
        .by_default("`[0, 0]`"),
    number("heading_deg", -180, 180, "degrees", "Which way it faces then; to the left is positive.",
           KERB_AT(CarDraft, spec.start.heading))
        .scaled(kDeg),
    number("kmh", -30, 250, "km/h", "Its speed, all the time. Not together with `speeds`.",
           KERB_AT(CarDraft, mps))
        .scaled(kKmh)
        .noted_in(KERB_AT(CarDraft, has_mps)),
    tables("speeds", 1, 100, "Its speed, where it changes.", kSpeedTable,
           KERB_AT(CarDraft, spec.speeds)),
    tables("way", 1, 200, "The line the front's middle follows.", kStretchTable,
           KERB_AT(CarDraft, spec.way))};
constexpr Table kCarTable = table_of<CarDraft>("car", "The car that carries the camera.", kCar);

constexpr Field kStreet[] = {
    number("lane_m", 2, 6, "m", "Width of a lane.", KERB_AT(StreetSpec, lane_m)),
    integer("lanes", 1, 8, "", "In all; the car starts in the middle of the rightmost.",
            KERB_AT(StreetSpec, lanes)),
    number("pavement_m", 0, 10, "m", "Width of the pavements; 0: none.",
           KERB_AT(StreetSpec, pavement_m)),
    choice("left", kSides, "What is beyond the left pavement.", KERB_AT(StreetSpec, left)),
    choice("right", kSides, "What is beyond the right pavement.", KERB_AT(StreetSpec, right)),
    flag("parked_cars", "Cars along both kerbs, at random; for show: nobody is hidden on purpose.",
         KERB_AT(StreetSpec, parked_cars)),
    number("clutter", 0, 1, "", "How much stands about on the pavements.",
           KERB_AT(StreetSpec, clutter)),
    tables("way", 1, 200, "Its line; unset: as the car's own.", kStretchTable,
           KERB_AT(StreetSpec, way)),
    integer("seed", 0, 4294967295.0, "", "Of all that is drawn about it; unset: the scenario's.",
            KERB_AT(StreetSpec, seed))
        .by_default("the scenario's")};
constexpr Table kStreetTable =
    table_of<StreetSpec>("street", "The road and its surroundings.", kStreet);

constexpr Field kLight[] = {
    choice("kind", kDaylights, "The light of the hour.", KERB_AT(LightSpec, kind)),
    number("sun_azimuth_deg", -180, 180, "degrees", "Where the sun is, as headings.",
           KERB_AT(LightSpec, sun_azimuth_deg))
        .by_default("as the hour has it"),
    number("sun_elevation_deg", -5, 90, "degrees", "How high it is.",
           KERB_AT(LightSpec, sun_elevation_deg))
        .by_default("as the hour has it"),
    flag("headlamps", "The car's own are on.", KERB_AT(LightSpec, headlamps)),
    flag("street_lamps", "The street's are on.", KERB_AT(LightSpec, street_lamps))};
constexpr Table kLightTable = table_of<LightSpec>("light", "The light.", kLight);

constexpr Field kLeg[] = {
    point("to", "Straight to there. Must be given.", KERB_AT(WalkDraft, leg.to))
        .by_default("")
        .noted_in(KERB_AT(WalkDraft, has_to)),
    number("kmh", 0.5, 36, "km/h", "Walking; children run at 8, adults at 10 or more.",
           KERB_AT(WalkDraft, leg.mps))
        .scaled(kKmh),
    number("wait_s", 0, 3600, "s", "Stands so long first.", KERB_AT(WalkDraft, leg.wait_s)),
    number("speed_up_m", 0, 10, "m",
           "From standing, the speed is reached evenly over this way; 0: at once.",
           KERB_AT(WalkDraft, leg.speed_up_m))};
constexpr Table kLegTable = table_of<WalkDraft>("people.walk", "A leg of a walk.", kLeg);

constexpr Field kImpact[] = {
    number("percent", 1, 99, "%", "Where on the front: of the car's width, from its right edge.",
           KERB_AT(ImpactDraft, percent)),
    number("at_s", 0.1, 3600, "s", "When.", KERB_AT(ImpactDraft, at_s)),
    choice("from", kFrom, "The side the person comes from.", KERB_AT(ImpactDraft, from_left)),
    number("distance_m", 1.5, 50, "m", "Of the start, from the car's middle line.",
           KERB_AT(ImpactDraft, distance_m)),
    number("kmh", 0.5, 36, "km/h", "Walking speed.", KERB_AT(ImpactDraft, mps)).scaled(kKmh),
    number("heading_deg", -60, 60, "degrees",
           "0: straight across the car's path; positive: rather along with it.",
           KERB_AT(ImpactDraft, heading))
        .scaled(kDeg),
    number("speed_up_m", 0, 5, "m",
           "From standing, the speed is reached evenly over this way (1 m walking, 1.5 m running).",
           KERB_AT(ImpactDraft, speed_up_m)),
    number("ahead_m", -100, 300, "m",
           "Then the person's middle is so far ahead of the front, instead of touching it: "
           "crosses there, or, negative, behind the front. It may be no impact then.",
           KERB_AT(ImpactDraft, ahead_m))
        .by_default("touches it (0.25)")};
constexpr Table kImpactTable =
    table_of<ImpactDraft>("people.impact",
                          "Crosses, and is hit, if nobody does anything about it, there and "
                          "then: the loader finds start and timing.",
                          kImpact);
constexpr Field kAlong[] = {
    number("percent", 1, 99, "%", "Where on the front: of the car's width, from its right edge.",
           KERB_AT(AlongDraft, percent)),
    number("at_s", 0.1, 3600, "s", "When.", KERB_AT(AlongDraft, at_s)),
    number("kmh", 0.5, 36, "km/h", "Walking speed.", KERB_AT(AlongDraft, mps)).scaled(kKmh)};
constexpr Table kAlongTable =
    table_of<AlongDraft>("people.along",
                         "Walks ahead of the car, in its direction, and is hit from behind "
                         "there and then.",
                         kAlong);

constexpr const char* kDrawn = "drawn from the seed";
constexpr Field kPeople[] = {
    text("name", 0, 40, TextRule::printable, "What reports call them.",
         KERB_AT(PersonDraft, spec.name)),
    number("height_m", 0.6, 2.3, "m", "", KERB_AT(PersonDraft, spec.height_m)),
    number("build", -1, 1, "", "-1 slim, 1 heavy.", KERB_AT(PersonDraft, spec.build)),
    flag("child", "Has a child's proportions.", KERB_AT(PersonDraft, spec.child)),
    flag("female", "Has a woman's proportions.", KERB_AT(PersonDraft, spec.female)),
    choice("carries", kCarries, "", KERB_AT(PersonDraft, spec.carries)),
    point("start", "Where they are at 0 s. Must be given, unless `impact` or `along` is.",
          KERB_AT(PersonDraft, spec.start.at))
        .by_default("")
        .noted_in(KERB_AT(PersonDraft, has_start)),
    number("heading_deg", -180, 180, "degrees", "Which way they face.",
           KERB_AT(PersonDraft, spec.start.heading))
        .scaled(kDeg)
        .by_default("where the first leg goes")
        .noted_in(KERB_AT(PersonDraft, has_heading)),
    number("start_s", 0, 3600, "s", "Stands until then.", KERB_AT(PersonDraft, spec.start_s)),
    choice("relative_to", kFrames,
           "What `start` and `to` count from: the world, or the front's place at the first "
           "`impact` or `along` (x ahead, y to the left).",
           KERB_AT(PersonDraft, frame)),
    integer("abreast", 1, 4, "", "So many side by side, 0.65 m apart.",
            KERB_AT(PersonDraft, abreast)),
    tables("walk", 1, 2000, "Where they walk. Without it, they stand.", kLegTable,
           KERB_AT(PersonDraft, walk)),
    table("impact", "Instead of `start` and `walk`: crosses and is hit.", kImpactTable,
          KERB_AT(PersonDraft, impact)),
    table("along", "Instead of `start` and `walk`: walks ahead and is hit.", kAlongTable,
          KERB_AT(PersonDraft, along)),
    choice("top", kTops, "What they wear.", KERB_AT(PersonDraft, spec.clothing.top))
        .by_default(kDrawn)
        .noted_in(KERB_AT(PersonDraft, given.top)),
    choice("bottom", kBottoms, "What they wear.", KERB_AT(PersonDraft, spec.clothing.bottom),
           static_cast<int>(Garment::trousers))
        .by_default(kDrawn)
        .noted_in(KERB_AT(PersonDraft, given.bottom)),
    choice("pattern", kPatterns, "Of the top.", KERB_AT(PersonDraft, spec.clothing.pattern))
        .by_default(kDrawn)
        .noted_in(KERB_AT(PersonDraft, given.pattern)),
    surface("top_colour", "", KERB_AT(PersonDraft, spec.clothing.top_surface))
        .by_default(kDrawn)
        .noted_in(KERB_AT(PersonDraft, given.top_surface)),
    surface("bottom_colour", "", KERB_AT(PersonDraft, spec.clothing.bottom_surface))
        .by_default(kDrawn)
        .noted_in(KERB_AT(PersonDraft, given.bottom_surface)),
    surface("shoes_colour", "", KERB_AT(PersonDraft, spec.clothing.shoes))
        .by_default(kDrawn)
        .noted_in(KERB_AT(PersonDraft, given.shoes)),
    surface("hair_colour", "", KERB_AT(PersonDraft, spec.clothing.hair))
        .by_default(kDrawn)
        .noted_in(KERB_AT(PersonDraft, given.hair)),
    surface("skin_colour", "", KERB_AT(PersonDraft, spec.clothing.skin))
        .by_default(kDrawn)
        .noted_in(KERB_AT(PersonDraft, given.skin)),
    integer("seed", 0, 4294967295.0, "", "Of clothes, gait and details.",
            KERB_AT(PersonDraft, spec.seed))
        .by_default("from the scenario's")
        .noted_in(KERB_AT(PersonDraft, has_seed))};
constexpr Table kPeopleTable = table_of<PersonDraft>("people", "Somebody.", kPeople);

constexpr Field kCrowd[] = {
    integer("people", 1, 500, "", "How many.", KERB_AT(CrowdDraft, people)),
    number("from_m", -2000, 20000, "m", "Along the street, from there.",
           KERB_AT(CrowdDraft, from_m)),
    number("to_m", -2000, 20000, "m", "To there.", KERB_AT(CrowdDraft, to_m)),
    choice("on", kOn, "Which pavement.", KERB_AT(CrowdDraft, on)),
    choice("way", kWays, "Which way they walk: with the car, or against it.",
           KERB_AT(CrowdDraft, way)),
    number("standing", 0, 1, "", "This part of them stands about.", KERB_AT(CrowdDraft, standing)),
    number("slowest_kmh", 0.5, 20, "km/h", "The others walk at this or more.",
           KERB_AT(CrowdDraft, slowest_mps))
        .scaled(kKmh),
    number("fastest_kmh", 0.5, 20, "km/h", "And at most at this.", KERB_AT(CrowdDraft, fastest_mps))
        .scaled(kKmh),
    number("kerb_m", 0.3, 10, "m", "Nobody is nearer to the kerb.", KERB_AT(CrowdDraft, kerb_m)),
    number("children", 0, 1, "", "This part of them are children.", KERB_AT(CrowdDraft, children)),
    number("prams", 0, 1, "", "This part of them push one.", KERB_AT(CrowdDraft, prams)),
    integer("seed", 0, 4294967295.0, "", "Of all that is drawn.", KERB_AT(CrowdDraft, seed))};
constexpr Table kCrowdTable =
    table_of<CrowdDraft>("crowd",
                         "People on the pavements, drawn at random. They come after those of "
                         "`people`.",
                         kCrowd);

constexpr Field kProps[] = {
    choice("kind", kKinds, "", KERB_AT(PropDraft, spec.kind)),
    point("at", "The middle of its foot print. Must be given.", KERB_AT(PropDraft, spec.place.at))
        .by_default("")
        .noted_in(KERB_AT(PropDraft, has_place)),
    number("heading_deg", -180, 180, "degrees", "Which way its length lies.",
           KERB_AT(PropDraft, spec.place.heading))
        .scaled(kDeg),
    choice("relative_to", kFrames,
           "What `at` and `heading_deg` count from: the world, or the front's place at the first "
           "`impact` or `along`.",
           KERB_AT(PropDraft, frame)),
    size("size", "Length, width, height; 0: as its kind usually is.", KERB_AT(PropDraft, spec.size))
        .by_default("`[0, 0, 0]`"),
    surface("colour", "", KERB_AT(PropDraft, spec.surface))
        .by_default("as its kind usually has")
        .noted_in(KERB_AT(PropDraft, has_surface)),
    number("kmh", -30, 150, "km/h", "Drives all the time. Cars, vans, trucks and bicycles alone.",
           KERB_AT(PropDraft, mps))
        .scaled(kKmh)
        .by_default("stands"),
    tables("speeds", 1, 100, "Its speed, where it changes.", kSpeedTable,
           KERB_AT(PropDraft, spec.speeds)),
    tables("way", 1, 200, "The line its middle follows.", kStretchTable,
           KERB_AT(PropDraft, spec.way)),
    integer("seed", 0, 4294967295.0, "", "Of its details.", KERB_AT(PropDraft, spec.seed))
        .by_default("from the scenario's")
        .noted_in(KERB_AT(PropDraft, has_seed))};
constexpr Table kPropsTable = table_of<PropDraft>("props", "A thing.", kProps);

constexpr Field kFault[] = {
    choice("kind", kFaultNames, "", KERB_AT(FaultSpec, kind)),
    number("from_s", 0, 3600, "s", "Begins.", KERB_AT(FaultSpec, from_s)),
    number("to_s", 0, 1e9, "s", "Ends.", KERB_AT(FaultSpec, to_s)).by_default("never"),
    number("amount", 0, 1000, "",
           "How much: 0..1 of the light (blinded, dark) or of the picture (dirty), degrees "
           "(misaligned), seconds (late), km/h that the speed is told too high (implausible).",
           KERB_AT(FaultSpec, amount))};
constexpr Table kFaultTable = table_of<FaultSpec>("faults", "Something that goes wrong.", kFault);

constexpr Field kCriteria[] = {
    number("collision_warning_before_impact_s", 0, 10, "s",
           "A collision warning so long before the impact, or longer.",
           KERB_AT(Criteria, collision_warning_before_impact_s)),
    number("collision_warning_after_half_visible_s", 0, 10, "s",
           "A collision warning at most so long after the person is half visible.",
           KERB_AT(Criteria, collision_warning_after_half_visible_s)),
    number("information_within_s", 0, 10, "s",
           "An information or more at most so long after somebody is in the close zone.",
           KERB_AT(Criteria, information_within_s)),
    flag("no_collision_warning", "None at all.", KERB_AT(Criteria, no_collision_warning)),
    integer("most_informations", 0, 1000, "", "In the whole run.",
            KERB_AT(Criteria, most_informations)),
    integer("most_identity_changes", 0, 1000, "",
            "Everybody in view is followed, and under one number of the object list; so often it "
            "may change, all people together.",
            KERB_AT(Criteria, most_identity_changes)),
    number("fault_told_within_s", 0, 10, "s", "The state says so at most so long after it begins.",
           KERB_AT(Criteria, fault_told_within_s)),
    flag("impact_expected", "Uncorrected, it ends in contact: checked when the file is read.",
         KERB_AT(Criteria, impact_expected)),
    number(
        "share", 0.01, 1, "",
        "Of the runs of a group, this part must meet all of these; the common rules must hold in "
        "every run.",
        KERB_AT(Criteria, share))};
constexpr Table kCriteriaTable =
    table_of<Criteria>("criteria", "What is asked of a run; all that is set must hold.", kCriteria);

constexpr Field kScenario[] = {
    text("title", 0, 200, TextRule::printable, "What it is about, in a line.",
         KERB_AT(ScenarioDraft, scenario.title)),
    number("seconds", 0.1, 3600, "s", "How long it lasts.",
           KERB_AT(ScenarioDraft, scenario.seconds)),
    integer("seed", 0, 4294967295.0, "", "Of all that is drawn at random.",
            KERB_AT(ScenarioDraft, scenario.seed)),
    table("camera", "", kCameraTable, KERB_AT(ScenarioDraft, scenario.camera)),
    table("car", "", kCarTable, KERB_AT(ScenarioDraft, car)),
    table("street", "", kStreetTable, KERB_AT(ScenarioDraft, scenario.street)),
    table("light", "", kLightTable, KERB_AT(ScenarioDraft, scenario.light)),
    tables("people", 0, 500, "", kPeopleTable, KERB_AT(ScenarioDraft, people)),
    tables("crowd", 0, 20, "", kCrowdTable, KERB_AT(ScenarioDraft, crowds)),
    tables("props", 0, 500, "", kPropsTable, KERB_AT(ScenarioDraft, props)),
    tables("faults", 0, 20, "", kFaultTable, KERB_AT(ScenarioDraft, scenario.faults)),
    table("criteria", "", kCriteriaTable, KERB_AT(ScenarioDraft, scenario.criteria))};
constexpr Table kScenarioTable = table_of<ScenarioDraft>("", "The file as a whole.", kScenario);

}  // namespace

const Table& scenario_table() { return kScenarioTable; }

std::string render_scenario_reference() { return reference(kScenarioTable, 4); }

}  // namespace kerb::sim
