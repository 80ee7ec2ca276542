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
constexpr const char* kCarries[] = {"nothing",  "bag",     "backpack", "pram",
                                    "umbrella", "trolley", "dog"};
constexpr const char* kRides[] = {"nothing", "bicycle", "scooter", "wheelchair"};
constexpr const char* kKinds[] = {"car",
                                  "van",
                                  "truck",
                                  "bicycle",
                                  "pole",
                                  "lamp_post",
                                  "cone",
                                  "sign",
                                  "tree",
                                  "bush",
                                  "bin",
                                  "wall",
                                  "barrier",
                                  "bench",
                                  "poster",
                                  "hydrant",
                                  "scaffolding",
                                  "market_stall",
                                  "shelter",
                                  "trolley",
                                  "wheelie_bin",
                                  "bollard",
                                  "work_cone",
                                  "parking_meter",
                                  "advertising_column",
                                  "post_box",
                                  "flower_tub",
                                  "shop_window",
                                  "cardboard_figure",
                                  "dog",
                                  "football"};
constexpr const char* kDoorSides[] = {"left", "right"};
constexpr const char* kStreetThings[] = {"usual", "town"};
constexpr const char* kDaylights[] = {"noon", "low_sun", "overcast", "dusk", "night"};
constexpr const char* kLamps[] = {"simple", "real"};
constexpr const char* kBeams[] = {"dipped", "full"};
constexpr const char* kSides[] = {"houses", "park", "fields", "car_park", "wall"};
constexpr const char* kFrames[] = {"start", "impact"};
constexpr const char* kFrom[] = {"right", "left"};
constexpr const char* kOn[] = {"both", "left", "right"};
constexpr const char* kWays[] = {"both", "with", "against"};

static_assert(static_cast<int>(PropKind::football) + 1 == std::size(kKinds));

constexpr Field kBand[] = {
    number<&Band::centre_nm>("centre_nm", 300, 15000, "nm",
                             "Centre wavelength; above 3000 the band is thermal."),
    number<&Band::width_nm>("width_nm", 1, 10000, "nm", "Full width at half maximum.")};
constexpr Table kBandTable = table_of<Band>("camera.bands", "A spectral band.", kBand);

constexpr Field kCamera[] = {
    integer<&CameraSpec::width>("width", 64, 4096, "pixels", "Width of the picture."),
    integer<&CameraSpec::height>("height", 64, 4096, "pixels", "Height of the picture."),
    number<&CameraSpec::rate_hz>("rate_hz", 1, 240, "frames/s", "Frame rate."),
    number<&CameraSpec::fov_deg>("fov_deg", 10, 150, "degrees",
                                 "Horizontal angle of view, before distortion."),
    number<&CameraSpec::k1>("k1", -1, 1, "", "Radial distortion as in OpenCV, second order."),
    number<&CameraSpec::k2>("k2", -1, 1, "", "Radial distortion as in OpenCV, fourth order."),
    number<&CameraSpec::height_m>("height_m", 0.2, 5, "m", "Height above the ground."),
    number<&CameraSpec::behind_m>("behind_m", -0.5, 20, "m", "Distance behind the front bumper."),
    number<&CameraSpec::left_m>("left_m", -2, 2, "m", "Distance to the left of the car's middle."),
    number<&CameraSpec::pitch_deg>("pitch_deg", -30, 60, "degrees", "Pitch, positive downwards."),
    number<&CameraSpec::yaw_deg>("yaw_deg", -90, 90, "degrees", "Yaw, positive to the left."),
    number<&CameraSpec::roll_deg>("roll_deg", -45, 45, "degrees", "Roll, positive clockwise."),
    choice<&CameraSpec::sensor>("sensor", kSensors,
                                "Kind of sensor: `bands` has one channel per band, `mosaic` one "
                                "picture under a square pattern of filters."),
    number<&CameraSpec::exposure_ms>("exposure_ms", 0, 100, "ms",
                                     "Exposure time, which determines motion blur; 0: automatic."),
    number<&CameraSpec::noise>("noise", 0, 20, "", "Noise relative to a usual sensor; 0: none."),
    number<&CameraSpec::blur_px>("blur_px", 0, 10, "pixels",
                                 "Standard deviation of the blur of lens and filter together."),
    tables<&CameraSpec::bands>(
        "bands", 0, 64,
        "Bands of the sensors `bands` and `mosaic` (row by row of a square pattern).", kBandTable)};
constexpr Table kCameraTable =
    table_of<CameraSpec>("camera", "The camera, its lens and its mounting.", kCamera);

constexpr Field kStretch[] = {
    number<&Stretch::length_m>("length_m", 0.1, 20000, "m", "Length of the section."),
    number<&Stretch::radius_m>("radius_m", -20000, 20000, "m",
                               "Radius of a bend, positive to the left; 0: straight."),
    flag<&Stretch::transition>(
        "transition",
        "The curvature changes linearly from that of the previous section (a clothoid).")};
constexpr Table kStretchTable =
    table_of<Stretch>("way",
                      "A section of a path: of the car, of the street, of a moving thing. After "
                      "the last one the path goes straight on.",
                      kStretch);
constexpr Field kSpeed[] = {
    number<&SpeedPoint::at_s>("at_s", 0, 3600, "s",
                              "Start time of the change; the first must be 0."),
    number<&SpeedPoint::mps>("kmh", -30, 250, "km/h", "Target speed; negative: backwards.")
        .scaled(kKmh),
    number<&SpeedPoint::within_mps2>("within_mps2", 0.05, 12, "m/s²",
                                     "Acceleration or braking until the target speed.")};
constexpr Table kSpeedTable =
    table_of<SpeedPoint>("speeds", "A change of speed: of the car, of a moving thing.", kSpeed);

constexpr Field kIndicator[] = {
    number<&IndicatorSpec::from_s>("from_s", 0, 3600, "s", "Start of the blinking."),
    number<&IndicatorSpec::to_s>("to_s", 0, 3600, "s", "End of the blinking."),
    flag<&IndicatorSpec::left>("left", "To the left; otherwise to the right.")};
constexpr Table kIndicatorTable =
    table_of<IndicatorSpec>("car.indicators", "The indicator blinks.", kIndicator);

constexpr Field kCar[] = {
    number<&CarDraft::spec, &CarSpec::length_m>("length_m", 1, 20, "m", "Length of the car."),
    number<&CarDraft::spec, &CarSpec::width_m>("width_m", 0.5, 3, "m", "Width of the car."),
    number<&CarDraft::spec, &CarSpec::height_m>("height_m", 0.5, 4.5, "m", "Height of the car."),
    point<&CarDraft::spec, &CarSpec::start, &Place::at>(
        "start", "Position of the middle of the front bumper at 0 s.")
        .by_default("`[0, 0]`"),
    number<&CarDraft::spec, &CarSpec::start, &Place::heading>(
        "heading_deg", -180, 180, "degrees", "Heading at 0 s, positive to the left.")
        .scaled(kDeg),
    number<&CarDraft::mps>("kmh", -30, 250, "km/h", "Constant speed. Not together with `speeds`.")
        .scaled(kKmh)
        .noted_in<&CarDraft::has_mps>(),
    tables<&CarDraft::spec, &CarSpec::speeds>("speeds", 1, 100, "Changes of speed.", kSpeedTable),
    tables<&CarDraft::spec, &CarSpec::way>("way", 1, 200, "Path of the middle of the front bumper.",
                                           kStretchTable),
    tables<&CarDraft::spec, &CarSpec::indicators>(
        "indicators", 0, 100, "When the indicator blinks, as told on the bus; otherwise it is off.",
        kIndicatorTable),
    flag<&CarDraft::spec, &CarSpec::tells_steering>(
        "steering", "The bus tells the angle of the front wheels, too.")};
constexpr Table kCarTable = table_of<CarDraft>("car", "The car that carries the camera.", kCar);

constexpr Field kCrossing[] = {
    number<&CrossingSpec::at_m>("at_m", -2000, 20000, "m",
                                "Position of its middle along the street's middle line."),
    number<&CrossingSpec::length_m>("length_m", 1, 20, "m", "Length along the street."),
    flag<&CrossingSpec::lights>("lights", "Traffic lights stand there; they are only drawn.")};
constexpr Table kCrossingTable = table_of<CrossingSpec>(
    "street.crossings", "Stripes across the road, and the lines before which cars stop.",
    kCrossing);
constexpr Field kSideStreet[] = {
    point<&SideStreetSpec::place, &Place::at>(
        "at", "A point of its middle line, inside this street's road; it leads away from there.")
        .by_default("`[0, 0]`"),
    number<&SideStreetSpec::place, &Place::heading>("heading_deg", -180, 180, "degrees",
                                                    "Direction, positive to the left.")
        .scaled(kDeg),
    number<&SideStreetSpec::length_m>("length_m", 10, 300, "m",
                                      "Length; houses stand across its end.")};
constexpr Table kSideStreetTable = table_of<SideStreetSpec>(
    "street.side_streets",
    "A straight street that opens into this one, as wide and with the same pavements.",
    kSideStreet);

constexpr Field kStreet[] = {
    number<&StreetSpec::lane_m>("lane_m", 2, 6, "m", "Width of a lane."),
    integer<&StreetSpec::lanes>("lanes", 1, 8, "",
                                "Number of lanes, both directions together; the car starts in the "
                                "middle of the rightmost."),
    number<&StreetSpec::pavement_m>("pavement_m", 0, 10, "m", "Width of the pavements; 0: none."),
    choice<&StreetSpec::left>("left", kSides, "Surroundings beyond the left pavement."),
    choice<&StreetSpec::right>("right", kSides, "Surroundings beyond the right pavement."),
    flag<&StreetSpec::parked_cars>("parked_cars",
                                   "Random parked cars along both kerbs. They are decoration: the "
                                   "truth ignores that they may hide people."),
    number<&StreetSpec::clutter>("clutter", 0, 1, "", "Density of things on the pavements."),
    choice<&StreetSpec::things>("things", kStreetThings,
                                "Which random things: `town` adds scaffolding, stalls, shelters, "
                                "bins, bollards and such to the usual ones. They are decoration: "
                                "the truth ignores that they may hide people."),
    flag<&StreetSpec::trimmed_trees>("trimmed_trees",
                                     "No branches of trees below 2.5 m over the lanes."),
    tables<&StreetSpec::way>("way", 1, 200, "Path of the street; unset: the car's path.",
                             kStretchTable),
    tables<&StreetSpec::crossings>("crossings", 0, 100, "Where people cross.", kCrossingTable),
    tables<&StreetSpec::side_streets>("side_streets", 0, 100, "Streets that open into this one.",
                                      kSideStreetTable),
    integer<&StreetSpec::seed>("seed", 0, 4294967295.0, "", "Seed of the random surroundings.")
        .by_default("the scenario's seed")};
constexpr Table kStreetTable =
    table_of<StreetSpec>("street", "The road and its surroundings.", kStreet);

constexpr Field kLight[] = {
    choice<&LightSpec::kind>("kind", kDaylights, "Kind of daylight."),
    number<&LightSpec::sun_azimuth_deg>("sun_azimuth_deg", -180, 180, "degrees",
                                        "Direction of the sun, positive to the left of the x axis.")
        .by_default("depends on `kind`"),
    number<&LightSpec::sun_elevation_deg>("sun_elevation_deg", -5, 90, "degrees",
                                          "Height of the sun above the horizon.")
        .by_default("depends on `kind`"),
    flag<&LightSpec::headlamps>("headlamps", "The car's headlamps are on."),
    flag<&LightSpec::street_lamps>("street_lamps", "The street lamps are on."),
    choice<&LightSpec::lamps>("lamps", kLamps,
                              "How lamps are drawn: `real` has the photometry of dipped and full "
                              "beams and of street lanterns, and lamps that are off are dark; "
                              "`simple` is that of the older suites."),
    choice<&LightSpec::beam>("beam", kBeams, "Beam of the headlamps, where `lamps` is `real`.")};
constexpr Table kLightTable = table_of<LightSpec>("light", "Daylight and lamps.", kLight);

constexpr Field kWeather[] = {
    number<&WeatherSpec::fog_m>("fog_m", 0, 20000, "m",
                                "Meteorological visibility in fog: the distance at which a "
                                "contrast is down to 5 %; 0: no fog."),
    number<&WeatherSpec::rain_mm_h>("rain_mm_h", 0, 150, "mm/h",
                                    "Rate of rain: streaks in the air, drops on the windscreen; "
                                    "0: none."),
    number<&WeatherSpec::wiper_s>("wiper_s", 0, 60, "s",
                                  "Time from one wipe of the windscreen to the next; 0: none."),
    number<&WeatherSpec::wet>("wet", 0, 1, "",
                              "Water on the road: darker, and mirroring; 1: with puddles.")
        .by_default("1 where it rains, else 0"),
    number<&WeatherSpec::glare>("glare", 0, 10, "",
                                "Light of the sun and of lamps that windscreen and lens scatter "
                                "over the picture: 1 clean, 3 dirty glass; 0: none.")};
constexpr Table kWeatherTable =
    table_of<WeatherSpec>("weather", "What is in the air, on the road and on the glass.", kWeather);

constexpr Field kLeg[] = {
    point<&WalkDraft::leg, &WalkLeg::to>(
        "to", "End point of the leg, reached in a straight line. Must be given.")
        .by_default("")
        .noted_in<&WalkDraft::has_to>(),
    number<&WalkDraft::leg, &WalkLeg::mps>("kmh", 0.5, 36, "km/h",
                                           "Speed; children run from 8, adults from 10.")
        .scaled(kKmh),
    number<&WalkDraft::leg, &WalkLeg::wait_s>("wait_s", 0, 3600, "s",
                                              "Time to stand before the leg."),
    number<&WalkDraft::leg, &WalkLeg::speed_up_m>(
        "speed_up_m", 0, 10, "m",
        "Distance over which the speed increases evenly from 0; 0: at once."),
    number<&WalkDraft::leg, &WalkLeg::slow_down_m>(
        "slow_down_m", 0, 10, "m",
        "Distance at the end of the leg over which the speed decreases evenly to 0; 0: at once. "
        "The next leg then starts from standing.")};
constexpr Table kLegTable = table_of<WalkDraft>("people.walk", "A leg of a walk.", kLeg);

constexpr Field kImpact[] = {
    number<&ImpactDraft::percent>(
        "percent", 1, 99, "%",
        "Place of the contact on the front, in percent of the car's width from its right edge."),
    number<&ImpactDraft::at_s>("at_s", 0.1, 3600, "s", "Time of the contact."),
    choice<&ImpactDraft::from_left>("from", kFrom, "Side from which the person comes."),
    number<&ImpactDraft::distance_m>("distance_m", 1.5, 50, "m",
                                     "Distance of the start from the car's middle line."),
    number<&ImpactDraft::mps>("kmh", 0.5, 36, "km/h", "Walking speed.").scaled(kKmh),
    number<&ImpactDraft::heading>("heading_deg", -60, 60, "degrees",
                                  "Direction of walking: 0 is perpendicular to the car's path, "
                                  "positive is turned towards the car's direction of travel.")
        .scaled(kDeg),
    number<&ImpactDraft::speed_up_m>(
        "speed_up_m", 0, 5, "m",
        "Distance over which the speed increases evenly from 0 (1 m walking, 1.5 m running)."),
    number<&ImpactDraft::ahead_m>(
        "ahead_m", -100, 300, "m",
        "Distance from the front to the person's middle at `at_s`, instead of contact: the person "
        "crosses ahead of the front or, if negative, behind it. There may then be no impact.")
        .by_default("contact (0.25)")};
constexpr Table kImpactTable =
    table_of<ImpactDraft>("people.impact",
                          "The person crosses and is hit at the given time and place if nobody "
                          "reacts; the loader computes start and timing.",
                          kImpact);
constexpr Field kAlong[] = {
    number<&AlongDraft::percent>(
        "percent", 1, 99, "%",
        "Place of the contact on the front, in percent of the car's width from its right edge."),
    number<&AlongDraft::at_s>("at_s", 0.1, 3600, "s", "Time of the contact."),
    number<&AlongDraft::mps>("kmh", 0.5, 36, "km/h", "Walking speed.").scaled(kKmh)};
constexpr Table kAlongTable =
    table_of<AlongDraft>("people.along",
                         "The person walks ahead of the car in its direction and is hit from "
                         "behind at the given time and place if nobody reacts.",
                         kAlong);

constexpr const char* kDrawn = "random, from the seed";
constexpr Field kPeople[] = {
    text<&PersonDraft::spec, &PersonSpec::name>("name", 0, 40, TextRule::printable,
                                                "Name in reports."),
    number<&PersonDraft::spec, &PersonSpec::height_m>("height_m", 0.6, 2.3, "m", "Body height."),
    number<&PersonDraft::spec, &PersonSpec::build>("build", -1, 1, "", "Build: -1 slim, 1 heavy."),
    flag<&PersonDraft::spec, &PersonSpec::child>("child", "Proportions of a child."),
    flag<&PersonDraft::spec, &PersonSpec::female>("female", "Proportions of a woman."),
    choice<&PersonDraft::spec, &PersonSpec::carries>("carries", kCarries,
                                                     "What the person carries, pushes or leads."),
    choice<&PersonDraft::spec, &PersonSpec::rides>(
        "rides", kRides,
        "What the person rides, at the speeds of the walk. A rider is a person in the truth."),
    flag<&PersonDraft::spec, &PersonSpec::phone>(
        "phone", "The person looks at a phone in one hand, with the head bent."),
    point<&PersonDraft::spec, &PersonSpec::start, &Place::at>(
        "start", "Position at 0 s. Must be given unless `impact` or `along` is.")
        .by_default("")
        .noted_in<&PersonDraft::has_start>(),
    number<&PersonDraft::spec, &PersonSpec::start, &Place::heading>(
        "heading_deg", -180, 180, "degrees", "Heading at the start, positive to the left.")
        .scaled(kDeg)
        .by_default("direction of the first leg")
        .noted_in<&PersonDraft::has_heading>(),
    number<&PersonDraft::spec, &PersonSpec::start_s>("start_s", 0, 3600, "s",
                                                     "Time until which the person stands."),
    choice<&PersonDraft::frame>("relative_to", kFrames,
                                "Origin of `start` and `to`: the world, or the front of the car at "
                                "the first `impact` or `along` (x ahead, y to the left)."),
    integer<&PersonDraft::abreast>("abreast", 1, 4, "",
                                   "Number of people side by side, 0.65 m apart."),
    tables<&PersonDraft::walk>("walk", 1, 2000,
                               "Legs of the walk; without them, the person stands.", kLegTable),
    table<&PersonDraft::impact>("impact", "Instead of `start` and `walk`: crosses and is hit.",
                                kImpactTable),
    table<&PersonDraft::along>(
        "along", "Instead of `start` and `walk`: walks ahead of the car and is hit.", kAlongTable),
    choice<&PersonDraft::spec, &PersonSpec::clothing, &Clothing::top>("top", kTops,
                                                                      "Upper garment.")
        .by_default(kDrawn)
        .noted_in<&PersonDraft::given, &ClothesGiven::top>(),
    choice<&PersonDraft::spec, &PersonSpec::clothing, &Clothing::bottom>(
        "bottom", kBottoms, "Lower garment.", static_cast<int>(Garment::trousers))
        .by_default(kDrawn)
        .noted_in<&PersonDraft::given, &ClothesGiven::bottom>(),
    choice<&PersonDraft::spec, &PersonSpec::clothing, &Clothing::pattern>(
        "pattern", kPatterns, "Pattern of the upper garment.")
        .by_default(kDrawn)
        .noted_in<&PersonDraft::given, &ClothesGiven::pattern>(),
    surface<&PersonDraft::spec, &PersonSpec::clothing, &Clothing::top_surface>(
        "top_colour", "Colour of the upper garment.")
        .by_default(kDrawn)
        .noted_in<&PersonDraft::given, &ClothesGiven::top_surface>(),
    surface<&PersonDraft::spec, &PersonSpec::clothing, &Clothing::bottom_surface>(
        "bottom_colour", "Colour of the lower garment.")
        .by_default(kDrawn)
        .noted_in<&PersonDraft::given, &ClothesGiven::bottom_surface>(),
    surface<&PersonDraft::spec, &PersonSpec::clothing, &Clothing::shoes>("shoes_colour",
                                                                         "Colour of the shoes.")
        .by_default(kDrawn)
        .noted_in<&PersonDraft::given, &ClothesGiven::shoes>(),
    surface<&PersonDraft::spec, &PersonSpec::clothing, &Clothing::hair>("hair_colour",
                                                                        "Colour of the hair.")
        .by_default(kDrawn)
        .noted_in<&PersonDraft::given, &ClothesGiven::hair>(),
    surface<&PersonDraft::spec, &PersonSpec::clothing, &Clothing::skin>("skin_colour",
                                                                        "Colour of the skin.")
        .by_default(kDrawn)
        .noted_in<&PersonDraft::given, &ClothesGiven::skin>(),
    integer<&PersonDraft::spec, &PersonSpec::seed>("seed", 0, 4294967295.0, "",
                                                   "Seed of clothes, gait and details.")
        .by_default("derived from the scenario's seed")
        .noted_in<&PersonDraft::has_seed>()};
constexpr Table kPeopleTable = table_of<PersonDraft>(
    "people", "A person. Clothes and colours not given are chosen at random.", kPeople);

constexpr Field kCrowd[] = {
    integer<&CrowdDraft::people>("people", 1, 500, "", "Number of people."),
    number<&CrowdDraft::from_m>("from_m", -2000, 20000, "m", "Start of their part of the street."),
    number<&CrowdDraft::to_m>("to_m", -2000, 20000, "m", "End of their part of the street."),
    choice<&CrowdDraft::on>("on", kOn, "Pavement."),
    choice<&CrowdDraft::way>("way", kWays, "Direction of walking: with the car or against it."),
    number<&CrowdDraft::standing>("standing", 0, 1, "", "Share of people who stand."),
    number<&CrowdDraft::slowest_mps>("slowest_kmh", 0.5, 20, "km/h", "Lowest walking speed.")
        .scaled(kKmh),
    number<&CrowdDraft::fastest_mps>("fastest_kmh", 0.5, 20, "km/h", "Highest walking speed.")
        .scaled(kKmh),
    number<&CrowdDraft::kerb_m>("kerb_m", 0.3, 10, "m", "Smallest distance to the kerb."),
    number<&CrowdDraft::children>("children", 0, 1, "", "Share of children."),
    number<&CrowdDraft::prams>("prams", 0, 1, "", "Share of people with a pram."),
    number<&CrowdDraft::trolleys>("trolleys", 0, 1, "", "Share of people who push a trolley."),
    number<&CrowdDraft::dogs>("dogs", 0, 1, "", "Share of people who walk a dog."),
    number<&CrowdDraft::phones>("phones", 0, 1, "", "Share of people who look at a phone."),
    number<&CrowdDraft::wheelchairs>("wheelchairs", 0, 1, "", "Share of people in a wheelchair."),
    integer<&CrowdDraft::seed>("seed", 0, 4294967295.0, "", "Seed of all random values.")};
constexpr Table kCrowdTable = table_of<CrowdDraft>(
    "crowd", "Random people on the pavements. They are numbered after those of `people`.", kCrowd);

constexpr Field kDoor[] = {
    choice<&DoorSpec::right>("side", kDoorSides, "Side of the vehicle."),
    number<&DoorSpec::at_s>("at_s", 0, 3600, "s", "Start of the opening."),
    number<&DoorSpec::takes_s>("takes_s", 0.1, 10, "s", "Duration of opening and of shutting."),
    number<&DoorSpec::open>("open_deg", 5, 90, "degrees", "Angle of the open door.").scaled(kDeg),
    number<&DoorSpec::shut_s>("shut_s", 0, 3600, "s", "Start of the shutting.")
        .by_default("stays open")};
constexpr Table kDoorTable =
    table_of<DoorSpec>("props.door", "A front door that opens: of a car or a van.", kDoor);

constexpr Field kProps[] = {
    choice<&PropDraft::spec, &PropSpec::kind>("kind", kKinds, "Kind of thing."),
    point<&PropDraft::spec, &PropSpec::place, &Place::at>(
        "at", "Position of the middle of its footprint. Must be given.")
        .by_default("")
        .noted_in<&PropDraft::has_place>(),
    number<&PropDraft::spec, &PropSpec::place, &Place::heading>(
        "heading_deg", -180, 180, "degrees", "Direction of its length, positive to the left.")
        .scaled(kDeg),
    choice<&PropDraft::frame>("relative_to", kFrames,
                              "Origin of `at` and `heading_deg`: the world, or the front of the "
                              "car at the first `impact` or `along`."),
    size<&PropDraft::spec, &PropSpec::size>("size",
                                            "Length, width, height; 0: usual size of its kind.")
        .by_default("`[0, 0, 0]`"),
    surface<&PropDraft::spec, &PropSpec::surface>("colour", "Colour.")
        .by_default("usual colour of its kind")
        .noted_in<&PropDraft::has_surface>(),
    number<&PropDraft::mps>(
        "kmh", -30, 150, "km/h",
        "Constant speed; only for cars, vans, trucks, bicycles, dogs and footballs.")
        .scaled(kKmh)
        .by_default("stands"),
    tables<&PropDraft::spec, &PropSpec::speeds>("speeds", 1, 100, "Changes of speed.", kSpeedTable),
    tables<&PropDraft::spec, &PropSpec::way>("way", 1, 200, "Path of its middle.", kStretchTable),
    table<&PropDraft::spec, &PropSpec::door>("door", "A front door that opens.", kDoorTable),
    flag<&PropDraft::spec, &PropSpec::lights>(
        "lights", "Headlamps (dipped) and tail lamps are lit; only for cars, vans and trucks."),
    integer<&PropDraft::spec, &PropSpec::seed>("seed", 0, 4294967295.0, "",
                                               "Seed of its make and its details.")
        .by_default("derived from the scenario's seed")
        .noted_in<&PropDraft::has_seed>()};
constexpr Table kPropsTable =
    table_of<PropDraft>("props", "A thing on or beside the road.", kProps);

constexpr Field kFault[] = {
    choice<&FaultDraft::spec, &FaultSpec::kind>("kind", kFaultNames, "Kind of fault."),
    number<&FaultDraft::spec, &FaultSpec::from_s>(
        "from_s", -3600, 3600, "s", "Start of the fault; negative only relative to the impact."),
    number<&FaultDraft::spec, &FaultSpec::to_s>("to_s", -3600, 1e9, "s", "End of the fault.")
        .by_default("never")
        .noted_in<&FaultDraft::has_to>(),
    number<&FaultDraft::lasts_s>("lasts_s", 0.01, 3600, "s",
                                 "Duration of the fault, instead of `to_s`."),
    choice<&FaultDraft::frame>("relative_to", kFrames,
                               "What `from_s` and `to_s` count from: the start of the run, or the "
                               "first contact with somebody, if nobody reacts."),
    number<&FaultDraft::spec, &FaultSpec::amount>(
        "amount", -1000, 1000, "",
        "Strength of the fault: 0..1 of the light (blinded, dark) or of the picture (dirty), "
        "degrees (misaligned: up, negative: down), seconds of delay (late) or by which pictures' "
        "times are off (time_jump; negative: too early), km/h by which the reported speed is too "
        "high (implausible; negative: too low).")};
constexpr Table kFaultTable =
    table_of<FaultDraft>("faults", "A fault of the camera or of the vehicle's signals.", kFault);

constexpr Field kCriteria[] = {
    number<&Criteria::collision_warning_before_impact_s>(
        "collision_warning_before_impact_s", 0, 10, "s",
        "A collision warning at least this long before the impact."),
    number<&Criteria::collision_warning_after_half_visible_s>(
        "collision_warning_after_half_visible_s", 0, 10, "s",
        "A collision warning at most this long after the person is half visible."),
    flag<&Criteria::collision_warning_either>(
        "collision_warning_either",
        "Of the two before, the one that allows more is enough, where both are given."),
    number<&Criteria::collision_warning_after_fault_s>(
        "collision_warning_after_fault_s", 0, 10, "s",
        "A fault that is there when the warning is due before the impact, or ended less than this "
        "before, delays it: it is due this long after the fault, but at least 0.9 s before the "
        "impact."),
    number<&Criteria::information_within_s>("information_within_s", 0, 10, "s",
                                            "At the latest this long after somebody enters the "
                                            "close zone: level information or higher."),
    flag<&Criteria::no_collision_warning>("no_collision_warning",
                                          "No collision warning in the whole run."),
    integer<&Criteria::most_informations>(
        "most_informations", 0, 1000, "",
        "Most information signals with nobody in the close zone, in the whole run."),
    integer<&Criteria::most_identity_changes>(
        "most_identity_changes", 0, 1000, "",
        "Every person in view is followed; most changes of a person's id in the object list, all "
        "people together."),
    number<&Criteria::fault_told_within_s>(
        "fault_told_within_s", 0, 10, "s",
        "The health state reports the fault at most this long after it begins."),
    flag<&Criteria::impact_expected>(
        "impact_expected",
        "The scenario must end in contact if nobody reacts; checked when the file is read."),
    flag<&Criteria::limited_view_accepted>(
        "limited_view_accepted",
        "Where it is too dark to see the person, telling the driver of a limited view in time "
        "stands in for the collision warning."),
    number<&Criteria::share>("share", 0.01, 1, "",
                             "Share of the runs of a group that must meet all criteria; the common "
                             "rules must hold in every run.")};
constexpr Table kCriteriaTable = table_of<Criteria>(
    "criteria", "Criteria by which a run is judged; all that are set must hold.", kCriteria);

constexpr Field kScenario[] = {
    text<&ScenarioDraft::scenario, &Scenario::title>("title", 0, 200, TextRule::printable,
                                                     "Title, one line."),
    number<&ScenarioDraft::scenario, &Scenario::seconds>("seconds", 0.1, 3600, "s", "Duration."),
    integer<&ScenarioDraft::scenario, &Scenario::seed>("seed", 0, 4294967295.0, "",
                                                       "Seed of all random values."),
    table<&ScenarioDraft::scenario, &Scenario::camera>("camera", "", kCameraTable),
    table<&ScenarioDraft::car>("car", "", kCarTable),
    table<&ScenarioDraft::scenario, &Scenario::street>("street", "", kStreetTable),
    table<&ScenarioDraft::scenario, &Scenario::light>("light", "", kLightTable),
    table<&ScenarioDraft::scenario, &Scenario::weather>("weather", "", kWeatherTable),
    tables<&ScenarioDraft::people>("people", 0, 500, "", kPeopleTable),
    tables<&ScenarioDraft::crowds>("crowd", 0, 20, "", kCrowdTable),
    tables<&ScenarioDraft::props>("props", 0, 500, "", kPropsTable),
    tables<&ScenarioDraft::faults>("faults", 0, 20, "", kFaultTable),
    table<&ScenarioDraft::scenario, &Scenario::criteria>("criteria", "", kCriteriaTable)};
constexpr Table kScenarioTable = table_of<ScenarioDraft>("", "The file as a whole.", kScenario);

}  // namespace

const Table& scenario_table() { return kScenarioTable; }

std::string render_scenario_reference() { return reference(kScenarioTable, 4); }

}  // namespace kerb::sim
