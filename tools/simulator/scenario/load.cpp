// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/scenario/load.hpp"

#include <filesystem>

#include "firmware/schema/parse.hpp"
#include "firmware/schema/words.hpp"
#include "tools/simulator/scenario/build.hpp"
#include "tools/simulator/scenario/hours.hpp"
#include "tools/simulator/scenario/schema.hpp"
#include "tools/simulator/scenario/shipped.hpp"
#include "tools/simulator/scenario/suite.hpp"

namespace kerb::sim {
namespace {

namespace fs = std::filesystem;
using schema::Node;
using schema::parse_tree;
using schema::Problem;
using schema::read_tree;

Loaded refused(std::string line) {
  Loaded out;
  out.problems.push_back(std::move(line));
  return out;
}

Loaded load_tree(const std::variant<Node, Problem>& read, const std::string& file,
                 const FindTemplate& find_template, std::uint32_t seed = 0) {
  if (const auto* problem = std::get_if<Problem>(&read)) return refused(problem->line());
  const Node& root = std::get<Node>(read);
  const std::string stem = fs::path{file}.stem().string();
  if (is_suite(root)) return expand_suite(root, stem, find_template, seed);
  Loaded out;
  const auto add = [&](const Node& tree, const std::string& name) {
    std::vector<Problem> problems;
    Scenario scenario = scenario_of(tree, problems);
    scenario.name = name;
    scenario.file = file;
    scenario.group = stem;
    for (const Problem& problem : problems) out.problems.push_back(problem.line());
    if (out.ok()) out.scenarios.push_back(std::move(scenario));
  };
  add(root, stem);
  if (seed == 0 || !out.ok()) return out;
  const std::string name = variation_name(stem, 1, seed);
  Node tree = root;
  put_seed(tree, name);
  add(tree, name);
  if (out.ok()) {
    out.scenarios.back().variation = true;
    out.scenarios.back().suite_seed = seed;
  }
  return out;
}

const ShippedFile* find_shipped(std::string_view path) {
  for (const ShippedFile& file : shipped_files())
    if (file.path == path) return &file;
  return nullptr;
}

Problem no_template(const std::string& name) {
  return {{std::make_shared<const std::string>(name), 0, 0}, "", "", "no such template"};
}

Loaded load_shipped(const ShippedFile& file, std::uint32_t seed) {
  const std::string name{file.path};
  return load_tree(
      parse_tree(file.text, name), name,
      [](const std::string& path) -> std::variant<Node, Problem> {
        const ShippedFile* found = find_shipped(path);
        if (found == nullptr) return no_template(path);
        return parse_tree(found->text, path);
      },
      seed);
}

}  // namespace

Scenario scenario_of(const Node& root, std::vector<Problem>& problems) {
  ScenarioDraft draft;
  schema::Reader reader;
  reader.read(scenario_table(), root, draft);
  Built built = build(draft, reader);
  for (Problem& problem : reader.problems()) problems.push_back(std::move(problem));
  return std::move(built.scenario);
}

Loaded load_file(const std::string& path, std::uint32_t seed) {
  const fs::path folder = fs::path{path}.parent_path();
  std::vector<std::string> files{path};
  Loaded out = load_tree(
      read_tree(path), path,
      [&](const std::string& name) {
        files.push_back((folder / name).string());
        return read_tree(files.back());
      },
      seed);
  out.files = std::move(files);
  return out;
}

Loaded load_suite(const std::string& name_or_path, std::uint32_t seed, int drives) {
  if (name_or_path == hours::kName) return hours::make_suite(seed, drives);
  if (const ShippedFile* file = find_shipped(name_or_path + ".toml"))
    return load_shipped(*file, seed);
  std::error_code ignored;
  if (fs::exists(name_or_path, ignored)) {
    Loaded out = load_file(name_or_path, seed);
    if (out.ok() && out.title.empty() && !out.scenarios.empty() &&
        out.scenarios.front().suite.empty())
      return refused(schema::printable(name_or_path, 1024) +
                     ": is a scenario, must be a suite: one has [[group]]");
    return out;
  }
  std::string names;
  std::vector<std::string> known;
  for (const SuiteName& suite : shipped_suites()) known.push_back(suite.name);
  const std::vector<std::string_view> views{known.begin(), known.end()};
  for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
  return refused("no suite or file '" + schema::printable(name_or_path, 200) + "'; there are " +
                 names + schema::did_you_mean(name_or_path, views));
}

Loaded load_run(const std::string& suite, const std::string& run, std::uint32_t seed) {
  Loaded out = suite == hours::kName ? hours::make_named(seed, run) : load_suite(suite, seed);
  std::erase_if(out.scenarios, [&](const Scenario& s) { return s.name != run; });
  return out;
}

Loaded parse_scenario(std::string_view text, const std::string& name) {
  return load_tree(
      parse_tree(text, name), name,
      [](const std::string& path) -> std::variant<Node, Problem> { return no_template(path); });
}

std::vector<SuiteName> shipped_suites() {
  std::vector<SuiteName> out;
  for (const ShippedFile& file : shipped_files()) {
    if (file.path.find('/') != std::string_view::npos) continue;
    const std::string name = fs::path{file.path}.stem().string();
    const std::variant<Node, Problem> tree = parse_tree(file.text, std::string{file.path});
    const auto* root = std::get_if<Node>(&tree);
    const Node* title = root != nullptr ? root->find("title") : nullptr;
    out.push_back({name, title != nullptr ? title->text : "", false});
  }
  out.push_back({hours::kName, hours::kTitle, true});
  return out;
}

}  // namespace kerb::sim
