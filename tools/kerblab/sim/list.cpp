// SPDX-License-Identifier: Apache-2.0
// kerblab sim list: the suites, and the runs in them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/sim/scenes.hpp"
#include "tools/kerblab/sim/sim.hpp"
#include "tools/simulator/world/world.hpp"

namespace kerb::lab {
namespace {

using Json = nlohmann::ordered_json;

struct ListOptions {
  SceneChoice scenes;
  std::string json;
};

/// What a run comes to if nobody does anything: numbers of the world, not of the file.
struct Facts {
  double kmh = 0;
  std::optional<sim::Contact> contact;
};

Facts facts_of(const sim::Scenario& scenario) {
  const sim::World world{scenario};
  sim::Moment start;
  world.at(0, start);
  return {start.car.mps * 3.6, world.contact()};
}

Json to_json(const std::string& set, const sim::Scenario& s) {
  const Facts facts = facts_of(s);
  Json out{{"set", set},
           {"name", s.name},
           {"group", s.group},
           {"title", s.title},
           {"file", s.file},
           {"variation", s.variation},
           {"suite_seed", s.suite_seed},
           {"left_hand", s.street.left_hand},
           {"seconds", s.seconds},
           {"kmh", facts.kmh},
           {"people", s.people.size()},
           {"props", s.props.size()},
           {"faults", s.faults.size()}};
  out["contact"] = nullptr;
  if (facts.contact)
    out["contact"] = {{"s", facts.contact->t},
                      {"percent", facts.contact->across * 100},
                      {"front", facts.contact->front},
                      {"person", facts.contact->person}};
  return out;
}

std::string row(const sim::Scenario& s) {
  const Facts facts = facts_of(s);
  return fmt::format("{:<44} {:>6.1f} {:>5.0f} {:>6} {:>6}  {}\n", s.name, s.seconds, facts.kmh,
                     s.people.size(), s.props.size(),
                     facts.contact ? fmt::format("{:.2f} s at {:.0f} %{}", facts.contact->t,
                                                 facts.contact->across * 100,
                                                 facts.contact->front ? "" : " (side)")
                                   : "none");
}

int list_suites(const std::string& json) {
  Json out = Json::array();
  std::string text = fmt::format("{:<12} {:>5}  {}\n", "suite", "runs", "what");
  for (const sim::SuiteName& suite : sim::shipped_suites()) {
    const std::size_t runs =
        suite.drawn ? std::size_t{sim::kHoursDrives} : sim::load_suite(suite.name).scenarios.size();
    out.push_back({{"suite", suite.name}, {"title", suite.title}, {"runs", runs}});
    text += fmt::format("{:<12} {:>5}  {}\n", suite.name, runs, suite.title);
  }
  const Status done =
      write_output(json.empty() ? "-" : json, json.empty() ? text : out.dump(1) + "\n");
  return done ? 0 : fail(done.error());
}

int list(const ListOptions& o) {
  if (!o.json.empty())
    if (Status ok = check_output(o.json); !ok) return fail(ok.error());
  if (o.scenes.files.empty() && o.scenes.suites.empty() && o.scenes.runs.empty())
    return list_suites(o.json);
  const std::optional<ChosenScenes> scenes = load_scenes(o.scenes);
  if (!scenes) return kBadInput;
  if (Status ok = check_apart({o.json}, scenes->files); !ok) return fail(ok.error());
  Json out = Json::array();
  std::string text = fmt::format("{:<44} {:>6} {:>5} {:>6} {:>6}  {}\n", "run", "s", "km/h",
                                 "people", "things", "contact if nobody reacts");
  for (const SceneSet& set : scenes->sets)
    for (const sim::Scenario& scenario : set.loaded.scenarios) {
      if (o.json.empty()) {
        text += row(scenario);
      } else {
        out.push_back(to_json(set.name, scenario));
      }
    }
  const Status done =
      write_output(o.json.empty() ? "-" : o.json, o.json.empty() ? text : out.dump(1) + "\n");
  return done ? 0 : fail(done.error());
}

}  // namespace

void add_sim_list(CLI::App& group, Action& action) {
  CLI::App* command =
      group.add_subcommand("list", "List the suites, or the runs of suites and files");
  command->footer(
      "Examples:\n  kerblab sim list\n  kerblab sim list --suite euroncap --only CPNA\n"
      "  kerblab sim list --suite euroncap --seed 7..9 --variations\n"
      "  kerblab sim list --json - my-street.toml");
  const auto o = std::make_shared<ListOptions>();
  add_scene_options(*command, o->scenes);
  add_name_option(*command, "--json", o->json, "Write a JSON list to this file; - is stdout");
  run_when_chosen(*command, action, [o] { return list(*o); });
}

}  // namespace kerb::lab
