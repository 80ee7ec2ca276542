// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/scenario/schema.hpp"

#include <numbers>

#include "firmware/schema/reference.hpp"
#include "tools/simulator/scenario/kinds.hpp"

namespace kerb::sim {
namespace {

using namespace schema;

constexpr double kKmh = 1 / 3.6, kDeg = std::numbers::pi / 180;

template <auto... Members>
constexpr Field point(const char* name, const char* doc) {
  return custom<Members...>(name, -20000, 20000, "m", doc, kPoint);
}
template <auto... Members>
constexpr Field size(const char* name, const char* doc) {
  return custom<Members...>(name, 0, 60, "m", doc, kSize);
}
template <auto... Members>
constexpr Field surface(const char* name, const char* doc) {
  return custom<Members...>(name, 0, 0, "", doc, kSurface);
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
    number<&Band::centre_nm>("centre_nm", 300, 15000, "nm",
                             "Middle of the band; beyond 3000 it is heat."),
    number<&Band::width_nm>("width_nm", 1, 10000, "nm", "Its width, at half of its height.")};
constexpr Table kBandTable = table_of<Band>("camera.bands", "A spectral band.", kBand);

constexpr Field kCamera[] = {
    integer<&CameraSpec::width>("width", 64, 4096, "pixels", "Of the picture."),
    integer<&CameraSpec::height>("height", 64, 4096, "pixels", "Of the picture."),
    number<&CameraSpec::rate_hz>("rate_hz", 1, 240, "frames/s", "Pictures a second."),
    number<&CameraSpec::fov_deg>("fov_deg", 10, 150, "degrees",
                                 "Field of view from left to right, before distortion."),
    number<&CameraSpec::k1>("k1", -1, 1, "", "Radial distortion, as OpenCV has it."),
    number<&CameraSpec::k2>("k2", -1, 1, "", "Radial distortion, as OpenCV has it."),
    number<&CameraSpec::height_m>("height_m", 0.2, 5, "m", "Over the ground."),
    number<&CameraSpec::behind_m>("behind_m", -0.5, 20, "m", "Behind the front bumper."),
    number<&CameraSpec::left_m>("left_m", -2, 2, "m", "To the left of the car's middle."),
    number<&CameraSpec::pitch_deg>("pitch_deg", -30, 60, "degrees", "Looks down by this."),
    number<&CameraSpec::yaw_deg>("yaw_deg", -90, 90, "degrees", "Looks to the left by this."),
    number<&CameraSpec::roll_deg>("roll_deg", -45, 45, "degrees", "Turned clockwise by this."),
    choice<&CameraSpec::sensor>("sensor", kSensors,
                                "What it sees: `bands` gives a channel for each, `mosaic` one "
                                "picture under a square pattern of filters."),
    number<&CameraSpec::exposure_ms>("exposure_ms", 0, 100, "ms",
                                     "0: automatic. Motion blur follows from it."),
    number<&CameraSpec::noise>("noise", 0, 20, "", "Times a usual sensor's."),
    number<&CameraSpec::blur_px>("blur_px", 0, 10, "pixels", "Sigma of lens and filter together."),
    tables<&CameraSpec::bands>(
        "bands", 0, 64, "For `bands` and `mosaic` (row by row of a square pattern).", kBandTable)};
constexpr Table kCameraTable =
    table_of<CameraSpec>("camera", "The camera, its lens and where it is mounted.", kCamera);

constexpr Field kStretch[] = {
    number<&Stretch::length_m>("length_m", 0.1, 20000, "m", "Of the stretch."),
    number<&Stretch::radius_m>("radius_m", -20000, 20000, "m",
                               "Of a bend, to the left is positive; 0: straight."),
    flag<&Stretch::transition>(
        "transition", "Comes to that radius evenly from the stretch before (a clothoid).")};
constexpr Table kStretchTable = table_of<Stretch>(
    "way",
    "A stretch of a way: of the car, of the street, of a thing that drives. After the last "
    "one it goes straight on.",
    kStretch);
constexpr Field kSpeed[] = {
    number<&SpeedPoint::at_s>("at_s", 0, 3600, "s", "From then on; the first one's must be 0."),
    number<&SpeedPoint::mps>("kmh", -30, 250, "km/h", "The speed aimed at; negative: backwards.")
        .scaled(kKmh),
    number<&SpeedPoint::within_mps2>("within_mps2", 0.05, 12, "m/s²",
                                     "Acceleration or braking on the way there.")};
constexpr Table kSpeedTable = table_of<SpeedPoint>(
    "speeds", "A change of speed: of the car, of a thing that drives.", kSpeed);

constexpr Field kCar[] = {
    number<&CarDraft::spec, &CarSpec::length_m>("length_m", 1, 20, "m", "Of the car."),
    number<&CarDraft::spec, &CarSpec::width_m>("width_m", 0.5, 3, "m", "Of the car."),
    number<&CarDraft::spec, &CarSpec::height_m>("height_m", 0.5, 4.5, "m", "Of the car."),
    point<&CarDraft::spec, &CarSpec::start, &Place::at>(
        "start", "Where the middle of its front bumper is at 0 s.")
        .by_default("`[0, 0]`"),
    number<&CarDraft::spec, &CarSpec::start, &Place::heading>(
        "heading_deg", -180, 180, "degrees", "Which way it faces then; to the left is positive.")
        .scaled(kDeg),
    number<&CarDraft::mps>("kmh", -30, 250, "km/h",
                           "Its speed, all the time. Not together with `speeds`.")
        .scaled(kKmh)
        .noted_in<&CarDraft::has_mps>(),
    tables<&CarDraft::spec, &CarSpec::speeds>("speeds", 1, 100, "Its speed, where it changes.",
                                              kSpeedTable),
    tables<&CarDraft::spec, &CarSpec::way>("way", 1, 200, "The line the front's middle follows.",
                                           kStretchTable)};
constexpr Table kCarTable = table_of<CarDraft>("car", "The car that carries the camera.", kCar);

constexpr Field kStreet[] = {
    number<&StreetSpec::lane_m>("lane_m", 2, 6, "m", "Width of a lane."),
    integer<&StreetSpec::lanes>("lanes", 1, 8, "",
                                "In all; the car starts in the middle of the rightmost."),
    number<&StreetSpec::pavement_m>("pavement_m", 0, 10, "m", "Width of the pavements; 0: none."),
    choice<&StreetSpec::left>("left", kSides, "What is beyond the left pavement."),
    choice<&StreetSpec::right>("right", kSides, "What is beyond the right pavement."),
    flag<&StreetSpec::parked_cars>(
        "parked_cars", "Cars along both kerbs, at random; for show: nobody is hidden on purpose."),
    number<&StreetSpec::clutter>("clutter", 0, 1, "", "How much stands about on the pavements."),
    tables<&StreetSpec::way>("way", 1, 200, "Its line; unset: as the car's own.", kStretchTable),
    integer<&StreetSpec::seed>("seed", 0, 4294967295.0, "",
                               "Of all that is drawn about it; unset: the scenario's.")
        .by_default("the scenario's")};
constexpr Table kStreetTable =
    table_of<StreetSpec>("street", "The road and its surroundings.", kStreet);

constexpr Field kLight[] = {
    choice<&LightSpec::kind>("kind", kDaylights, "The light of the hour."),
    number<&LightSpec::sun_azimuth_deg>("sun_azimuth_deg", -180, 180, "degrees",
                                        "Where the sun is, as headings.")
        .by_default("as the hour has it"),
    number<&LightSpec::sun_elevation_deg>("sun_elevation_deg", -5, 90, "degrees", "How high it is.")
        .by_default("as the hour has it"),
    flag<&LightSpec::headlamps>("headlamps", "The car's own are on."),
    flag<&LightSpec::street_lamps>("street_lamps", "The street's are on.")};
constexpr Table kLightTable = table_of<LightSpec>("light", "The light.", kLight);

constexpr Field kLeg[] = {
    point<&WalkDraft::leg, &WalkLeg::to>("to", "Straight to there. Must be given.")
        .by_default("")
        .noted_in<&WalkDraft::has_to>(),
    number<&WalkDraft::leg, &WalkLeg::mps>("kmh", 0.5, 36, "km/h",
                                           "Walking; children run at 8, adults at 10 or more.")
        .scaled(kKmh),
    number<&WalkDraft::leg, &WalkLeg::wait_s>("wait_s", 0, 3600, "s", "Stands so long first."),
    number<&WalkDraft::leg, &WalkLeg::speed_up_m>(
        "speed_up_m", 0, 10, "m",
        "From standing, the speed is reached evenly over this way; 0: at once.")};
constexpr Table kLegTable = table_of<WalkDraft>("people.walk", "A leg of a walk.", kLeg);

constexpr Field kImpact[] = {
    number<&ImpactDraft::percent>("percent", 1, 99, "%",
                                  "Where on the front: of the car's width, from its right edge."),
    number<&ImpactDraft::at_s>("at_s", 0.1, 3600, "s", "When."),
    choice<&ImpactDraft::from_left>("from", kFrom, "The side the person comes from."),
    number<&ImpactDraft::distance_m>("distance_m", 1.5, 50, "m",
                                     "Of the start, from the car's middle line."),
    number<&ImpactDraft::mps>("kmh", 0.5, 36, "km/h", "Walking speed.").scaled(kKmh),
    number<&ImpactDraft::heading>(
        "heading_deg", -60, 60, "degrees",
        "0: straight across the car's path; positive: rather along with it.")
        .scaled(kDeg),
    number<&ImpactDraft::speed_up_m>(
        "speed_up_m", 0, 5, "m",
        "From standing, the speed is reached evenly over this way (1 m walking, 1.5 m running)."),
    number<&ImpactDraft::ahead_m>(
        "ahead_m", -100, 300, "m",
        "Then the person's middle is so far ahead of the front, instead of touching it: "
        "crosses there, or, negative, behind the front. It may be no impact then.")
        .by_default("touches it (0.25)")};
constexpr Table kImpactTable =
    table_of<ImpactDraft>("people.impact",
                          "Crosses, and is hit, if nobody does anything about it, there and "
                          "then: the loader finds start and timing.",
                          kImpact);
constexpr Field kAlong[] = {
    number<&AlongDraft::percent>("percent", 1, 99, "%",
                                 "Where on the front: of the car's width, from its right edge."),
    number<&AlongDraft::at_s>("at_s", 0.1, 3600, "s", "When."),
    number<&AlongDraft::mps>("kmh", 0.5, 36, "km/h", "Walking speed.").scaled(kKmh)};
constexpr Table kAlongTable =
    table_of<AlongDraft>("people.along",
                         "Walks ahead of the car, in its direction, and is hit from behind "
                         "there and then.",
                         kAlong);

constexpr const char* kDrawn = "drawn from the seed";
constexpr Field kPeople[] = {
    text<&PersonDraft::spec, &PersonSpec::name>("name", 0, 40, TextRule::printable,
                                                "What reports call them."),
    number<&PersonDraft::spec, &PersonSpec::height_m>("height_m", 0.6, 2.3, "m", ""),
    number<&PersonDraft::spec, &PersonSpec::build>("build", -1, 1, "", "-1 slim, 1 heavy."),
    flag<&PersonDraft::spec, &PersonSpec::child>("child", "Has a child's proportions."),
    flag<&PersonDraft::spec, &PersonSpec::female>("female", "Has a woman's proportions."),
    choice<&PersonDraft::spec, &PersonSpec::carries>("carries", kCarries, ""),
    point<&PersonDraft::spec, &PersonSpec::start, &Place::at>(
        "start", "Where they are at 0 s. Must be given, unless `impact` or `along` is.")
        .by_default("")
        .noted_in<&PersonDraft::has_start>(),
    number<&PersonDraft::spec, &PersonSpec::start, &Place::heading>(
        "heading_deg", -180, 180, "degrees", "Which way they face.")
        .scaled(kDeg)
        .by_default("where the first leg goes")
        .noted_in<&PersonDraft::has_heading>(),
    number<&PersonDraft::spec, &PersonSpec::start_s>("start_s", 0, 3600, "s", "Stands until then."),
    choice<&PersonDraft::frame>(
        "relative_to", kFrames,
        "What `start` and `to` count from: the world, or the front's place at the first "
        "`impact` or `along` (x ahead, y to the left)."),
    integer<&PersonDraft::abreast>("abreast", 1, 4, "", "So many side by side, 0.65 m apart."),
    tables<&PersonDraft::walk>("walk", 1, 2000, "Where they walk. Without it, they stand.",
                               kLegTable),
    table<&PersonDraft::impact>("impact", "Instead of `start` and `walk`: crosses and is hit.",
                                kImpactTable),
    table<&PersonDraft::along>("along", "Instead of `start` and `walk`: walks ahead and is hit.",
                               kAlongTable),
    choice<&PersonDraft::spec, &PersonSpec::clothing, &Clothing::top>("top", kTops,
                                                                      "What they wear.")
        .by_default(kDrawn)
        .noted_in<&PersonDraft::given, &ClothesGiven::top>(),
    choice<&PersonDraft::spec, &PersonSpec::clothing, &Clothing::bottom>(
        "bottom", kBottoms, "What they wear.", static_cast<int>(Garment::trousers))
        .by_default(kDrawn)
        .noted_in<&PersonDraft::given, &ClothesGiven::bottom>(),
    choice<&PersonDraft::spec, &PersonSpec::clothing, &Clothing::pattern>("pattern", kPatterns,
                                                                          "Of the top.")
        .by_default(kDrawn)
        .noted_in<&PersonDraft::given, &ClothesGiven::pattern>(),
    surface<&PersonDraft::spec, &PersonSpec::clothing, &Clothing::top_surface>("top_colour", "")
        .by_default(kDrawn)
        .noted_in<&PersonDraft::given, &ClothesGiven::top_surface>(),
    surface<&PersonDraft::spec, &PersonSpec::clothing, &Clothing::bottom_surface>("bottom_colour",
                                                                                  "")
        .by_default(kDrawn)
        .noted_in<&PersonDraft::given, &ClothesGiven::bottom_surface>(),
    surface<&PersonDraft::spec, &PersonSpec::clothing, &Clothing::shoes>("shoes_colour", "")
        .by_default(kDrawn)
        .noted_in<&PersonDraft::given, &ClothesGiven::shoes>(),
    surface<&PersonDraft::spec, &PersonSpec::clothing, &Clothing::hair>("hair_colour", "")
        .by_default(kDrawn)
        .noted_in<&PersonDraft::given, &ClothesGiven::hair>(),
    surface<&PersonDraft::spec, &PersonSpec::clothing, &Clothing::skin>("skin_colour", "")
        .by_default(kDrawn)
        .noted_in<&PersonDraft::given, &ClothesGiven::skin>(),
    integer<&PersonDraft::spec, &PersonSpec::seed>("seed", 0, 4294967295.0, "",
                                                   "Of clothes, gait and details.")
        .by_default("from the scenario's")
        .noted_in<&PersonDraft::has_seed>()};
constexpr Table kPeopleTable = table_of<PersonDraft>("people", "Somebody.", kPeople);

constexpr Field kCrowd[] = {
    integer<&CrowdDraft::people>("people", 1, 500, "", "How many."),
    number<&CrowdDraft::from_m>("from_m", -2000, 20000, "m", "Along the street, from there."),
    number<&CrowdDraft::to_m>("to_m", -2000, 20000, "m", "To there."),
    choice<&CrowdDraft::on>("on", kOn, "Which pavement."),
    choice<&CrowdDraft::way>("way", kWays, "Which way they walk: with the car, or against it."),
    number<&CrowdDraft::standing>("standing", 0, 1, "", "This part of them stands about."),
    number<&CrowdDraft::slowest_mps>("slowest_kmh", 0.5, 20, "km/h",
                                     "The others walk at this or more.")
        .scaled(kKmh),
    number<&CrowdDraft::fastest_mps>("fastest_kmh", 0.5, 20, "km/h", "And at most at this.")
        .scaled(kKmh),
    number<&CrowdDraft::kerb_m>("kerb_m", 0.3, 10, "m", "Nobody is nearer to the kerb."),
    number<&CrowdDraft::children>("children", 0, 1, "", "This part of them are children."),
    number<&CrowdDraft::prams>("prams", 0, 1, "", "This part of them push one."),
    integer<&CrowdDraft::seed>("seed", 0, 4294967295.0, "", "Of all that is drawn.")};
constexpr Table kCrowdTable =
    table_of<CrowdDraft>("crowd",
                         "People on the pavements, drawn at random. They come after those of "
                         "`people`.",
                         kCrowd);

constexpr Field kProps[] = {
    choice<&PropDraft::spec, &PropSpec::kind>("kind", kKinds, ""),
    point<&PropDraft::spec, &PropSpec::place, &Place::at>(
        "at", "The middle of its foot print. Must be given.")
        .by_default("")
        .noted_in<&PropDraft::has_place>(),
    number<&PropDraft::spec, &PropSpec::place, &Place::heading>("heading_deg", -180, 180, "degrees",
                                                                "Which way its length lies.")
        .scaled(kDeg),
    choice<&PropDraft::frame>(
        "relative_to", kFrames,
        "What `at` and `heading_deg` count from: the world, or the front's place at the first "
        "`impact` or `along`."),
    size<&PropDraft::spec, &PropSpec::size>("size",
                                            "Length, width, height; 0: as its kind usually is.")
        .by_default("`[0, 0, 0]`"),
    surface<&PropDraft::spec, &PropSpec::surface>("colour", "")
        .by_default("as its kind usually has")
        .noted_in<&PropDraft::has_surface>(),
    number<&PropDraft::mps>("kmh", -30, 150, "km/h",
                            "Drives all the time. Cars, vans, trucks and bicycles alone.")
        .scaled(kKmh)
        .by_default("stands"),
    tables<&PropDraft::spec, &PropSpec::speeds>("speeds", 1, 100, "Its speed, where it changes.",
                                                kSpeedTable),
    tables<&PropDraft::spec, &PropSpec::way>("way", 1, 200, "The line its middle follows.",
                                             kStretchTable),
    integer<&PropDraft::spec, &PropSpec::seed>("seed", 0, 4294967295.0, "", "Of its details.")
        .by_default("from the scenario's")
        .noted_in<&PropDraft::has_seed>()};
constexpr Table kPropsTable = table_of<PropDraft>("props", "A thing.", kProps);

constexpr Field kFault[] = {
    choice<&FaultSpec::kind>("kind", kFaultNames, ""),
    number<&FaultSpec::from_s>("from_s", 0, 3600, "s", "Begins."),
    number<&FaultSpec::to_s>("to_s", 0, 1e9, "s", "Ends.").by_default("never"),
    number<&FaultSpec::amount>(
        "amount", 0, 1000, "",
        "How much: 0..1 of the light (blinded, dark) or of the picture (dirty), degrees "
        "(misaligned), seconds (late), km/h that the speed is told too high (implausible).")};
constexpr Table kFaultTable = table_of<FaultSpec>("faults", "Something that goes wrong.", kFault);

constexpr Field kCriteria[] = {
    number<&Criteria::collision_warning_before_impact_s>(
        "collision_warning_before_impact_s", 0, 10, "s",
        "A collision warning so long before the impact, or longer."),
    number<&Criteria::collision_warning_after_half_visible_s>(
        "collision_warning_after_half_visible_s", 0, 10, "s",
        "A collision warning at most so long after the person is half visible."),
    number<&Criteria::information_within_s>(
        "information_within_s", 0, 10, "s",
        "An information or more at most so long after somebody is in the close zone."),
    flag<&Criteria::no_collision_warning>("no_collision_warning", "None at all."),
    integer<&Criteria::most_informations>("most_informations", 0, 1000, "", "In the whole run."),
    integer<&Criteria::most_identity_changes>(
        "most_identity_changes", 0, 1000, "",
        "Everybody in view is followed, and under one number of the object list; so often it "
        "may change, all people together."),
    number<&Criteria::fault_told_within_s>("fault_told_within_s", 0, 10, "s",
                                           "The state says so at most so long after it begins."),
    flag<&Criteria::impact_expected>(
        "impact_expected", "Uncorrected, it ends in contact: checked when the file is read."),
    number<&Criteria::share>(
        "share", 0.01, 1, "",
        "Of the runs of a group, this part must meet all of these; the common rules must hold in "
        "every run.")};
constexpr Table kCriteriaTable =
    table_of<Criteria>("criteria", "What is asked of a run; all that is set must hold.", kCriteria);

constexpr Field kScenario[] = {
    text<&ScenarioDraft::scenario, &Scenario::title>("title", 0, 200, TextRule::printable,
                                                     "What it is about, in a line."),
    number<&ScenarioDraft::scenario, &Scenario::seconds>("seconds", 0.1, 3600, "s",
                                                         "How long it lasts."),
    integer<&ScenarioDraft::scenario, &Scenario::seed>("seed", 0, 4294967295.0, "",
                                                       "Of all that is drawn at random."),
    table<&ScenarioDraft::scenario, &Scenario::camera>("camera", "", kCameraTable),
    table<&ScenarioDraft::car>("car", "", kCarTable),
    table<&ScenarioDraft::scenario, &Scenario::street>("street", "", kStreetTable),
    table<&ScenarioDraft::scenario, &Scenario::light>("light", "", kLightTable),
    tables<&ScenarioDraft::people>("people", 0, 500, "", kPeopleTable),
    tables<&ScenarioDraft::crowds>("crowd", 0, 20, "", kCrowdTable),
    tables<&ScenarioDraft::props>("props", 0, 500, "", kPropsTable),
    tables<&ScenarioDraft::scenario, &Scenario::faults>("faults", 0, 20, "", kFaultTable),
    table<&ScenarioDraft::scenario, &Scenario::criteria>("criteria", "", kCriteriaTable)};
constexpr Table kScenarioTable = table_of<ScenarioDraft>("", "The file as a whole.", kScenario);

}  // namespace

const Table& scenario_table() { return kScenarioTable; }

std::string render_scenario_reference() { return reference(kScenarioTable, 4); }

}  // namespace kerb::sim
