// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/scenario/hours.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "hal/base/splitmix.hpp"
#include "tools/simulator/base/mirror.hpp"
#include "tools/simulator/scenario/build.hpp"
#include "tools/simulator/scenario/hours_people.hpp"
#include "tools/simulator/scenario/hours_traffic.hpp"
#include "tools/simulator/world/street_line.hpp"
#include "tools/simulator/world/world.hpp"

namespace kerb::sim::hours {
namespace {

constexpr int kAttempts = 200;
constexpr double kAfterHit = 1.5;  // seconds a drive goes on after the impact

/// One of several, by weight.
template <typename T, std::size_t N>
const T& weighted(const std::array<std::pair<double, T>, N>& choices, Random& random) {
  double sum = 0;
  for (const auto& choice : choices) sum += choice.first;
  double left = random.unit() * sum;
  for (const auto& choice : choices) {
    if (left < choice.first) return choice.second;
    left -= choice.first;
  }
  return choices.back().second;
}

const char* name_of(Hit hit) {
  constexpr const char* kNames[] = {"crossing", "along", "dart-out", "turning"};
  return kNames[static_cast<int>(hit)];
}

std::string numbered(int index) {
  std::string digits = std::to_string(index);
  return std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits;
}

class DriveMaker {
 public:
  DriveMaker(Random random, std::optional<Hit> hit) : random_{random}, hit_{hit} {}

  /// Nothing: these draws do not come to a drive.
  std::optional<Scenario> make() {
    draw_street();
    draw_light();
    draw_weather();
    draw_route();
    if (!keeps_apart(route_.way)) return std::nullopt;
    draw_speeds();
    add_junctions();
    DriveGround ground{scene_};
    if (hit_) {
      if (!find_hit(ground)) return std::nullopt;
      scene_.seconds = hit_s_ + kAfterHit;
      ground = DriveGround{scene_};
    }
    signal(ground);
    // A little more than the rule asks for: what lies between two looks keeps it as well.
    QuietRule rule;
    rule.look_ahead_s += 0.1;
    rule.room_m += 0.05;
    rule.slow_room_m += 0.05;
    const QuietCheck check{scene_.car, scene_.seconds, rule};
    PeopleMaker people{route_, ground, check, scene_, random_};
    if (hit_ && !add_hit(people, ground)) return std::nullopt;
    add_people(people, ground);
    add_traffic(ground);
    clear_traffic(scene_);
    if (!is_good()) return std::nullopt;
    return std::move(scene_);
  }

 private:
  double between(double low, double high) {
    return std::round(random_.between(low, high) * 1000) / 1000;
  }

  void draw_street() {
    StreetSpec& street = scene_.street;
    street.lane_m = weighted<double, 3>({{{0.25, 3.25}, {0.5, 3.5}, {0.25, 4.2}}}, random_);
    street.pavement_m = between(2.2, 4.0);
    street.left = weighted<Side, 5>({{{0.55, Side::houses},
                                      {0.2, Side::park},
                                      {0.1, Side::fields},
                                      {0.05, Side::car_park},
                                      {0.1, Side::wall}}},
                                    random_);
    street.right = weighted<Side, 5>({{{0.55, Side::houses},
                                       {0.2, Side::park},
                                       {0.1, Side::fields},
                                       {0.05, Side::car_park},
                                       {0.1, Side::wall}}},
                                     random_);
    street.parked_cars = random_.chance(0.4);
    if (hit_) street.parked_cars = *hit_ == Hit::dart_out;
    street.clutter = between(0, 1);
    if (random_.chance(0.4)) street.things = StreetThings::town;
    street.trimmed_trees = true;
    street.seed = static_cast<std::uint32_t>(random_.next());
    scene_.seed = static_cast<std::uint32_t>(random_.next());
  }

  void draw_light() {
    LightSpec& light = scene_.light;
    light.kind = weighted<Daylight, 5>({{{0.25, Daylight::noon},
                                         {0.30, Daylight::overcast},
                                         {0.15, Daylight::low_sun},
                                         {0.15, Daylight::dusk},
                                         {0.15, Daylight::night}}},
                                       random_);
    if (light.kind == Daylight::dusk || light.kind == Daylight::night)
      light.headlamps = light.street_lamps = true;
    if (light.kind == Daylight::night && random_.chance(0.5)) light.lamps = Lamps::real;
    const double azimuth = between(-180, 180);
    if (light.kind == Daylight::noon || light.kind == Daylight::low_sun)
      light.sun_azimuth_deg = azimuth;
  }

  /// Mostly none. What there is hides nobody who stands within a stopping distance.
  void draw_weather() {
    LightSpec& light = scene_.light;
    WeatherSpec& weather = scene_.weather;
    const double kind = random_.unit(), rain = between(1, 8), wiper = between(0.6, 1.2);
    const double wet = between(0.5, 1), fog = std::round(between(100, 400));
    if (kind < 0.10) {
      weather.rain_mm_h = rain;
      weather.wiper_s = wiper;
    } else if (kind < 0.15) {
      weather.wet = wet;
    } else if (kind < 0.20) {
      weather.fog_m = fog;
    }
    const bool sunny = light.kind == Daylight::noon || light.kind == Daylight::low_sun;
    if (sunny && (weather.rain_mm_h > 0 || weather.fog_m > 0)) {
      light.kind = Daylight::overcast;
      light.sun_azimuth_deg.reset();
    }
    const bool bright =
        light.lamps == Lamps::real || (light.kind == Daylight::low_sun && random_.chance(0.3));
    if (bright || weather.rain_mm_h > 0 || weather.wetness() > 0) weather.glare = 1;
  }

  void draw_route() {
    scene_.seconds = kSeconds;
    RouteChoice choice;
    choice.cruise_mps =
        weighted<double, 4>({{{0.25, 30.0}, {0.25, 40.0}, {0.35, 50.0}, {0.15, 60.0}}}, random_) /
        3.6;
    if (hit_ == Hit::turning) choice.cruise_mps = std::min(choice.cruise_mps, 50 / 3.6);
    choice.length_m = choice.cruise_mps * kSeconds;
    choice.bay_m = scene_.street.parked_cars ? kParkingBay : 0;
    choice.turning_first = hit_ == Hit::turning;
    choice.long_straight = hit_ && *hit_ != Hit::turning;
    choice.features = scene_.street.parked_cars ? 0.7 : 1;
    if (hit_) choice.length_m = 450;
    route_ = hours::draw_route(choice, random_);
    scene_.car.way = route_.way;
    scene_.street.way = beside(route_.way, (scene_.street.lanes - 1) / 2.0 * scene_.street.lane_m);
  }

  void draw_speeds() {
    manner_ = {between(1.0, 1.9), between(1.5, 2.4), between(1.4, 2.2)};
    queues_ = !hit_ && random_.chance(0.35);
    for (const Crossing& crossing : route_.crossings)
      if (crossing.stops && !hit_)
        halts_.push_back(
            {crossing.line - kStopBeforeLine - (queues_ ? kQueue : 0), between(7, 11), {}});
    const double start = random_.chance(0.1) && !hit_ ? 0 : route_.mps.front();
    scene_.car.speeds = plan_speeds(route_.way, route_.mps, halts_, start, manner_);
  }

  /// What is drawn of crossings and junctions.
  void add_junctions() {
    const DriveGround ground{scene_};
    const auto line_at = [&](double s) { return Place{ground.at(s, 0), ground.heading(s)}; };
    for (const Crossing& crossing : route_.crossings)
      scene_.street.crossings.push_back(
          {ground.s_of(crossing.line) + kLineToStripes + kStripes / 2, kStripes, crossing.lights});
    for (const Mouth& mouth : route_.mouths) {
      const Place p = line_at(ground.s_of(mouth.metre));
      scene_.street.side_streets.push_back({{p.at, p.heading + (mouth.left ? kPi / 2 : -kPi / 2)}});
    }
    for (const Turning& turning : route_.turnings) {
      const Place before = line_at(ground.s_of(turning.begin)),
                  after = line_at(ground.s_of(turning.end));
      if (turning.goes_on) scene_.street.side_streets.push_back({before});
      if (turning.crosses) scene_.street.side_streets.push_back({{after.at, after.heading + kPi}});
    }
  }

  void signal(const DriveGround& ground) {
    for (const Turning& turning : route_.turnings) {
      const double begin = ground.time_at(turning.begin), end = ground.time_at(turning.end);
      if (begin < scene_.seconds)
        scene_.car.indicators.push_back({std::max(0.0, begin - between(3, 5)), end, turning.left});
    }
  }

  // ---- who is hit

  /// When: at an even speed on a straight, or just after the turning.
  bool find_hit(const DriveGround& ground) {
    if (*hit_ == Hit::turning) {
      const double metre = route_.turnings.front().end + between(2, 8);
      hit_s_ = ground.time_at(metre);
      return hit_s_ > 6 && hit_s_ < 40 && ground.mps_at(hit_s_) > 3;
    }
    hit_s_ = between(11, 20);
    const double there = ground.metre_at(hit_s_ + kAfterHit);
    return there < route_.way.front().length_m - 25 &&
           std::abs(ground.mps_at(hit_s_ - 5) - ground.mps_at(hit_s_)) < 0.1;
  }

  bool add_hit(PeopleMaker& people, const DriveGround& ground) {
    PersonSpec p = people.somebody(std::string{"hit "} + name_of(*hit_));
    const Place front = ground.front_at(hit_s_);
    const double mps = ground.mps_at(hit_s_);
    const double percent = between(8, 92);
    const double near = scene_.street.lane_m / 2, bay = scene_.street.parked_cars ? kParkingBay : 0;
    if (*hit_ == Hit::along) {
      walk_in_lane(p, front, percent);
    } else {
      ImpactDraft impact;
      impact.percent = percent;
      impact.at_s = hit_s_;
      impact.from_left = *hit_ != Hit::dart_out && random_.chance(0.4);
      impact.distance_m = (impact.from_left ? 3 * near : near) + bay + between(0.5, 1.5);
      const bool runs = random_.chance(0.35), cycles = random_.chance(0.12);
      impact.mps = (runs ? between(7, 10) : between(4, 6.5)) / 3.6;
      impact.speed_up_m = runs ? 1.5 : 1;
      impact.heading = *hit_ == Hit::crossing ? radians(between(-20, 20)) : 0;
      if (*hit_ == Hit::crossing && cycles) {
        p.rides = Rides::bicycle;
        p.phone = false;
        p.carries = Carries::nothing;
        p.child = false;
        p.height_m = std::max(p.height_m, 1.55);
        impact.mps = between(9, 12) / 3.6;
        impact.speed_up_m = 2.5;
        impact.distance_m += 1;
      }
      if (*hit_ == Hit::dart_out) hide(p, front);
      if (!walk_into(impact, scene_.car, front, mps, p).empty()) return false;
      if (*hit_ == Hit::dart_out && p.child && random_.chance(0.5)) roll_ball(p);
    }
    people.dress_up(p);
    scene_.people.push_back(std::move(p));
    return true;
  }

  /// Leaves the pavement ahead of the car, and walks on in its lane.
  void walk_in_lane(PersonSpec& p, Place front, double percent) {
    const Vec2 ahead = direction(front.heading), left = left_of(ahead);
    const double across = (percent / 100 - 0.5) * scene_.car.width_m;
    const double mps = between(1.1, 1.7), in_lane = between(5, 8);
    const Vec2 touched = front.at + World::kPersonRadius * ahead + across * left;
    const Vec2 steps_in = touched - mps * in_lane * ahead;
    const double kerb = scene_.street.lane_m / 2 + 0.5;
    const double sideways = kerb + across;
    const Vec2 leaves = steps_in - sideways * left - 1.2 * sideways * ahead;
    const double takes = length(steps_in - leaves) / mps;
    p.start = {leaves, front.heading};
    p.start_s = hit_s_ - in_lane - takes;
    p.walk = {{.to = steps_in, .mps = mps},
              {.to = touched + mps * (kAfterHit + 3) * ahead, .mps = mps}};
  }

  /// A child, or somebody behind a van, with parked vehicles on the car's side of them.
  void hide(PersonSpec& p, Place front) {
    const bool van = random_.chance(0.4);
    p.carries = Carries::nothing;
    if (!van) {
      p.child = true;
      p.height_m = between(1.0, 1.3);
    }
    const Vec2 ahead = direction(front.heading), left = left_of(ahead);
    const Vec2 path = front.at + World::kPersonRadius * ahead;
    const double y = -(scene_.street.lane_m / 2 + kParkingBay - 1.05);
    double x = -between(0.5, 0.9);
    for (int i = 0; i < 2; ++i) {
      PropSpec prop;
      prop.kind = van && i == 0 ? PropKind::van : PropKind::car;
      finish_prop(prop, random_);
      x -= prop.size.x / 2;
      prop.place = {path + x * ahead + y * left, front.heading};
      x -= prop.size.x / 2 + between(0.7, 1.5);
      scene_.props.push_back(prop);
    }
  }

  /// The child runs after it.
  void roll_ball(const PersonSpec& p) {
    const Vec2 across = p.walk.front().to - p.start.at;
    PropSpec ball;
    ball.kind = PropKind::football;
    finish_prop(ball, random_);
    ball.place = {p.start.at + 1 / length(across) * across, std::atan2(across.y, across.x)};
    const double rolls_s = std::max(0.1, p.start_s - between(0.4, 1));
    ball.speeds = {{0, 0, 3},
                   {rolls_s, p.walk.front().mps + between(0.5, 1.5), 12},
                   {rolls_s + between(1, 2), 0, 1.2}};
    scene_.props.push_back(std::move(ball));
  }

  // ---- everybody else

  void add_people(PeopleMaker& people, const DriveGround& ground) {
    for (const Halt& halt : halts_) {
      const double stands = ground.time_at(halt.metre - 0.05), leaves = stands + halt.dwell_s;
      if (leaves > scene_.seconds + 4) continue;
      const auto crossing = std::ranges::find_if(
          route_.crossings, [&](const Crossing& c) { return c.line > halt.metre; });
      if (crossing != route_.crossings.end()) people.add_crossing(*crossing, stands, leaves);
    }
    for (const Turning& turning : route_.turnings)
      if (ground.time_at(turning.begin) < scene_.seconds && random_.chance(0.7))
        people.add_corner(turning);
    for (const Mouth& mouth : route_.mouths)
      if (ground.time_at(mouth.metre) < scene_.seconds && random_.chance(0.6))
        people.add_side_crossing(mouth);
    constexpr std::array<std::pair<double, const char*>, 11> kSpecial{{{1.3, "waits at kerb"},
                                                                       {1.5, "stops at kerb"},
                                                                       {1.2, "turns back"},
                                                                       {1.0, "hesitates"},
                                                                       {1.2, "crosses ahead"},
                                                                       {0.7, "crosses behind"},
                                                                       {2.0, "between parked"},
                                                                       {1.0, "runs along"},
                                                                       {1.0, "phone"},
                                                                       {1.2, "group"},
                                                                       {1.0, "plays"}}};
    double t = between(4, 9);
    while (t < scene_.seconds - 1) {
      people.add(weighted(kSpecial, random_), t);
      t += between(3, 10);
    }
    const int cyclists = weighted<int, 3>({{{0.6, 0}, {0.3, 1}, {0.1, 3}}}, random_);
    for (int i = 0; i < cyclists; ++i) people.add_cyclist(between(1, scene_.seconds), false);
    if (scene_.street.lane_m > 4 && !hit_ && random_.chance(0.6))
      people.add_cyclist(between(8, scene_.seconds - 5), true);
    people.add_crowd(weighted<double, 5>(
        {{{0.10, 0.0}, {0.25, 1.5}, {0.30, 4.0}, {0.25, 8.0}, {0.10, 14.0}}}, random_));
  }

  void add_traffic(const DriveGround& ground) {
    const bool lit = scene_.light.lamps == Lamps::real;
    const auto take = [&](std::optional<PropSpec> prop) {
      if (!prop) return;
      prop->lights = lit;
      scene_.props.push_back(std::move(*prop));
    };
    if (queues_ || (!hit_ && halts_.empty() && random_.chance(0.3)))
      take(car_ahead(route_, scene_.car, halts_, ground, manner_, between(1.8, 3.2), scene_.seconds,
                     random_));
    const int meets = weighted<int, 4>({{{0.2, 0}, {0.3, 2}, {0.3, 5}, {0.2, 9}}}, random_);
    for (int i = 0; i < meets; ++i)
      take(oncoming(route_, scene_.street, ground, between(1, scene_.seconds),
                    between(28, 52) / 3.6, random_));
  }

  /// Nobody is touched but whoever is to be, at the front and when it is meant.
  [[nodiscard]] bool is_good() const {
    const World world{scene_};
    const std::optional<Contact> contact = world.contact();
    if (!hit_) return !contact;
    return contact && contact->person == 0 && contact->front && std::abs(contact->t - hit_s_) < 0.3;
  }

  Random random_;
  std::optional<Hit> hit_;
  Scenario scene_;
  Route route_;
  Manner manner_;
  std::vector<Halt> halts_;
  bool queues_ = false;
  double hit_s_ = 0;
};

}  // namespace

Scenario make_drive(std::uint32_t seed, int index) {
  std::optional<Hit> hit;
  if (index % kHitEvery == kHitEvery - 1) hit = static_cast<Hit>(index / kHitEvery % kHits);
  const std::uint64_t base =
      splitmix64(splitmix64(seed + 0x686f757273ULL) + static_cast<std::uint64_t>(index));
  Scenario out;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::optional<Scenario> made =
        DriveMaker{Random{splitmix64(base + static_cast<std::uint64_t>(attempt))}, hit}.make();
    if (!made) continue;
    out = std::move(*made);
    break;
  }
  if (is_left_hand(index)) out = mirrored(out);
  out.suite = kName;
  out.file = kName;
  out.variation = true;
  out.suite_seed = seed;
  out.name = hit ? "hit-" + numbered(index) + "-" + name_of(*hit) : "drive-" + numbered(index);
  if (seed != 0) out.name += "@" + std::to_string(seed);
  out.title = hit ? std::string{"A drive through a town, and an impact: "} + name_of(*hit)
                  : "A drive through a town with nobody in danger";
  out.group = hit ? "hit" : "drive";
  Criteria& c = out.criteria;
  if (hit) {
    c.impact_expected = true;
    c.collision_warning_before_impact_s = 1.2;
    c.collision_warning_after_half_visible_s = 0.4;
    c.collision_warning_either = true;
    c.share = 0.95;
  } else {
    c.no_collision_warning = true;
    c.most_informations = 1;
  }
  return out;
}

Loaded make_suite(std::uint32_t seed, int drives) {
  Loaded out;
  out.title = kTitle;
  out.most_informations_per_10min = 1;
  for (int i = 0; i < drives; ++i) out.scenarios.push_back(make_drive(seed, i));
  return out;
}

Loaded make_named(std::uint32_t seed, const std::string& name) {
  Loaded out = make_suite(seed, 0);
  const std::size_t from = name.find('-') + 1, digits = name.find_first_not_of("0123456789", from);
  const std::string number =
      name.substr(from, digits == std::string::npos ? digits : digits - from);
  int index = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), index);
  if (error != std::errc{} || numbered(index) != number || index >= kMostHoursDrives) return out;
  Scenario drive = make_drive(seed, index);
  if (drive.name == name) out.scenarios.push_back(std::move(drive));
  return out;
}

}  // namespace kerb::sim::hours
