// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string_view>

#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"
#include "tools/simulator/scenario/load.hpp"
#include "tools/simulator/world/world.hpp"

namespace kerb::fuzz {
namespace {

bool finite(const sim::Place& place) {
  return std::isfinite(place.at.x) && std::isfinite(place.at.y) && std::isfinite(place.heading);
}

}  // namespace

void scenario(const std::uint8_t* data, std::size_t size) {
  const sim::Loaded loaded =
      sim::parse_scenario({reinterpret_cast<const char*>(data), size}, "f.toml");
  demand(loaded.ok() || loaded.scenarios.empty(), "what is wrong is not used");
  for (const std::string& line : loaded.problems)
    for (const char c : line)
      demand(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F, "problems are printable lines");
  sim::Moment moment;
  std::vector<sim::PersonTruth> truth;
  for (const sim::Scenario& one : loaded.scenarios) {
    const sim::World world{one};
    for (const double t : {0.0, 0.37 * one.seconds, one.seconds}) {
      world.at(t, moment);
      demand(finite(moment.car.place), "the car is somewhere");
      for (const sim::PersonState& person : moment.people)
        demand(finite(person.place) && person.mps >= 0, "people are somewhere");
      for (const sim::PropState& prop : moment.props)
        demand(finite(prop.place), "things are somewhere");
      world.truth(moment, truth);
      for (const sim::PersonTruth& person : truth)
        demand(std::isfinite(person.distance), "distances are numbers");
    }
  }
}

std::vector<Bytes> scenario_seeds() {
  std::vector<Bytes> seeds;
  for (const std::string_view text :
       {"seconds = 3\n[car]\nkmh = 30\nway = [{length_m = 9, radius_m = 40, transition = true}]\n"
        "[[people]]\nimpact = {percent = 50, at_s = 2.5, from = \"left\"}\nabreast = 2\n"
        "[[people]]\nstart = [20, -4]\nwalk = [{to = [25, -4], kmh = 4, wait_s = 1}]\n",
        "[car]\nspeeds = [{at_s = 0, kmh = 20}, {at_s = 2, kmh = 0, within_mps2 = 4}]\n[[props]]\n"
        "kind = \"van\"\nat = [30, 3.5]\nheading_deg = 180\nkmh = 30\n[[crowd]]\npeople = 4\n"
        "[[faults]]\nkind = \"camera_dark\"\n[criteria]\nfault_told_within_s = 0.5\n",
        "title = \"s\"\n[[group]]\nname = \"a\"\nscenario = {people = [{along = {percent = 25}}]}\n"
        "axes = [{key = \"car.kmh\", values = [20, 40], label = \"{}kmh\"}]\ndraws = 2\n"
        "random = {\"light.kind\" = {of = [\"noon\", \"dusk\"]}}\n"})
    seeds.emplace_back(text.begin(), text.end());
  return seeds;
}

}  // namespace kerb::fuzz
