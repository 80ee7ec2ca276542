// SPDX-License-Identifier: Apache-2.0
// From a suite's groups to its runs: a template, what is set, what is tried one after the other,
// what is drawn.
#include "tools/simulator/scenario/suite.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "firmware/schema/words.hpp"
#include "tools/simulator/base/random.hpp"
#include "tools/simulator/scenario/edit_tree.hpp"

namespace kerb::sim {
namespace {

using schema::Entry;
using schema::join;
using schema::Node;
using schema::Problem;
using schema::Where;

constexpr std::size_t kMostRuns = 5000;
constexpr int kMostDraws = 100;
constexpr int kMostTries = 20;  // to draw a variation that is possible
constexpr std::size_t kLongestTitle = 200;
constexpr const char* kNameRule = "must be 1..60 letters, digits, '-', '_', '.' or '+'";

/// One choice of an axis: its part of the run's name, and what it sets.
struct Option {
  std::string label;
  std::vector<Entry> set;
};
using Axis = std::vector<Option>;

struct Run {
  std::string name;
  Node tree;
  bool variation = false;
};

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t h = 14695981039346656037u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return h;
}

/// A value in a run's name; a table has no name of its own.
std::string shown(const Node& value) {
  if (value.kind == Node::Kind::table) return "";
  return value.kind == Node::Kind::text ? value.text : value.written();
}

bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= 60 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '+';
  });
}

class Expander {
 public:
  Expander(const Node& root, const FindTemplate& find_template, std::uint32_t seed)
      : root_{root}, find_template_{find_template}, suite_seed_{seed} {}

  Loaded run(const std::string& name) {
    const std::set<std::string> known{"title", "group", "random", "most_informations_per_10min"};
    check_keys(root_, "", known);
    if (const Node* title = text_at(root_, "", "title")) {
      if (title->text.size() > kLongestTitle ||
          schema::printable(title->text, std::string::npos) != title->text)
        report(title->where, "title", title->written(), "must be 0..200 printable characters");
      out_.title = title->text;
    }
    if (const Node* most = number_at(root_, "", "most_informations_per_10min", 0, 1000))
      out_.most_informations_per_10min = most->number;
    if (const Node* random = root_.find("random")) check_random(*random, "random");
    const Node* groups = root_.find("group");
    if (!groups->is_tables() || groups->items.empty()) {
      report(groups->where, "group", "", "must be tables: [[group]]");
    } else {
      std::set<std::string> names;
      for (std::size_t i = 0; i < groups->items.size(); ++i) {
        const std::string key = "group[" + std::to_string(i) + "]";
        add_group(groups->items[i], key, names);
      }
    }
    if (problems_.empty())
      for (Scenario& scenario : out_.scenarios) scenario.suite = name;
    sort(problems_);
    for (const Problem& problem : problems_) {
      std::string line = problem.line();
      if (std::ranges::find(out_.problems, line) == out_.problems.end())
        out_.problems.push_back(std::move(line));
    }
    if (!out_.ok()) out_.scenarios.clear();
    return std::move(out_);
  }

 private:
  void report(const Where& where, std::string key, std::string value, std::string rule) {
    problems_.push_back({where, std::move(key), std::move(value), std::move(rule)});
  }

  void check_keys(const Node& table, const std::string& shown_as,
                  const std::set<std::string>& known) {
    const std::vector<std::string_view> names{known.begin(), known.end()};
    for (const auto& [name, value] : table.entries) {
      if (known.contains(name)) continue;
      report(value.where, join(shown_as, schema::printable(name)), value.written(),
             "unknown key" + schema::did_you_mean(name, names));
    }
  }

  const Node* text_at(const Node& table, const std::string& shown_as, const char* name) {
    const Node* value = table.find(name);
    if (value == nullptr || value->kind == Node::Kind::text) return value;
    report(value->where, join(shown_as, name), value->written(),
           std::string{"is "} + value->type_text() + ", must be a string");
    return nullptr;
  }
  const Node* number_at(const Node& table, const std::string& shown_as, const char* name,
                        double low, double high) {
    const Node* value = table.find(name);
    if (value == nullptr) return nullptr;
    if (value->is_number() && value->number >= low && value->number <= high) return value;
    report(value->where, join(shown_as, name), value->written(),
           "must be a number " + schema::decimal(low) + ".." + schema::decimal(high));
    return nullptr;
  }
  const Node* table_at(const Node& table, const std::string& shown_as, const char* name) {
    const Node* value = table.find(name);
    if (value == nullptr || value->kind == Node::Kind::table) return value;
    report(value->where, join(shown_as, name), value->written(), "must be a table");
    return nullptr;
  }

  void check_random(const Node& random, const std::string& shown_as) {
    if (random.kind != Node::Kind::table)
      return report(random.where, shown_as, random.written(), "must be a table");
    for (const auto& [key, range] : random.entries) {
      const Node *from = range.find("from"), *to = range.find("to"), *of = range.find("of");
      const auto number = [](const Node* n) { return n != nullptr && n->is_number(); };
      const bool span = range.entries.size() == 2 && number(from) && number(to) &&
                        std::isfinite(from->number) && std::isfinite(to->number);
      const bool list = range.entries.size() == 1 && of != nullptr &&
                        of->kind == Node::Kind::list && !of->items.empty();
      if (!span && !list)
        report(range.where, join(shown_as, "\"" + schema::printable(key) + "\""), range.written(),
               "must be {from = A, to = B} or {of = [...]}");
    }
  }

  void add_group(const Node& group, const std::string& key, std::set<std::string>& names) {
    const std::size_t before = problems_.size();
    check_keys(group, key,
               {"name", "title", "template", "scenario", "set", "axes", "draws", "random",
                "nominal", "seed", "seed_draws", "pool"});
    const Node* name = text_at(group, key, "name");
    if (group.find("name") == nullptr) report(group.where, join(key, "name"), "", "must be given");
    if (name != nullptr && !is_name(name->text))
      report(name->where, join(key, "name"), name->written(), kNameRule);
    if (name != nullptr && !names.insert(name->text).second)
      report(name->where, join(key, "name"), name->written(), "another group has this name");
    if (const Node* random = group.find("random")) check_random(*random, join(key, "random"));
    std::vector<Axis> axes;
    read_axes(group, key, axes);
    Node base = base_of(group, key);
    const Node* draws = number_at(group, key, "draws", 0, kMostDraws);
    const Node* seed_draws = number_at(group, key, "seed_draws", 0, kMostDraws);
    if (suite_seed_ != 0 && seed_draws != nullptr) draws = seed_draws;
    const Node* seed = number_at(group, key, "seed", 0, 1e9);
    const Node* nominal = group.find("nominal");
    if (nominal != nullptr && nominal->kind != Node::Kind::boolean)
      report(nominal->where, join(key, "nominal"), nominal->written(), "must be true or false");
    if (problems_.size() != before || name == nullptr) return;
    const Node* title = text_at(group, key, "title");
    if (title != nullptr) apply(base, {{"title", *title}}, join(key, "title"));
    std::vector<Run> runs{{name->text, std::move(base)}};
    for (const Axis& axis : axes) multiply(runs, axis, join(key, "axes"));
    std::vector<Run> all;
    for (const Run& run : runs) {
      if (nominal == nullptr || nominal->boolean) all.push_back(run);
      for (int n = 1; draws != nullptr && n <= static_cast<int>(draws->number); ++n)
        all.push_back(possible(run, group, n, seed != nullptr ? seed->number : 0, key));
      if (suite_seed_ != 0 && (draws == nullptr || draws->number < 1)) {
        // Nothing is drawn but what the scenario itself draws: clothes, crowds, surroundings.
        all.push_back({variation_name(run.name, 1, suite_seed_), run.tree, true});
        put_seed(all.back().tree, all.back().name);
      }
    }
    const Node* pool = text_at(group, key, "pool");
    if (pool != nullptr && !is_name(pool->text))
      return report(pool->where, join(key, "pool"), pool->written(), kNameRule);
    load_runs(all, pool != nullptr ? pool->text : name->text, key);
  }

  Node base_of(const Node& group, const std::string& key) {
    Node base;
    base.where = {group.where.file, 0, 0};
    const Node* from = text_at(group, key, "template");
    if (from != nullptr) {
      std::variant<Node, Problem> found = find_template_(from->text);
      if (auto* problem = std::get_if<Problem>(&found))
        report(from->where, join(key, "template"), from->written(), problem->line());
      else
        base = std::move(std::get<Node>(found));
    }
    const Node* own = table_at(group, key, "scenario");
    if (group.find("template") == nullptr && group.find("scenario") == nullptr)
      report(group.where, key, "", "must have a template or a scenario");
    if (own != nullptr) overlay(base, *own);
    if (const Node* set = table_at(group, key, "set")) apply(base, set->entries, join(key, "set"));
    return base;
  }

  void apply(Node& tree, const std::vector<Entry>& set, const std::string& shown_as) {
    for (const auto& [name, value] : set)
      if (const std::string why = put(tree, name, value); !why.empty())
        report(value.where, shown_as + ".\"" + schema::printable(name) + "\"", value.written(),
               why);
  }

  void read_axes(const Node& group, const std::string& key, std::vector<Axis>& out) {
    const Node* axes = group.find("axes");
    if (axes == nullptr) return;
    if (!axes->is_tables())
      return report(axes->where, join(key, "axes"), axes->written(),
                    "must be tables: axes = [{key, values, label}, ...]");
    for (std::size_t i = 0; i < axes->items.size(); ++i) {
      const Node& axis = axes->items[i];
      const std::string at = key + ".axes[" + std::to_string(i) + "]";
      if (axis.find("cases") != nullptr) {
        read_cases(axis, at, out);
      } else {
        read_values(axis, at, out);
      }
    }
  }

  void read_values(const Node& axis, const std::string& at, std::vector<Axis>& out) {
    check_keys(axis, at, {"key", "values", "label"});
    const Node *name = text_at(axis, at, "key"), *label = text_at(axis, at, "label");
    const Node* values = axis.find("values");
    if (name == nullptr || values == nullptr || values->kind != Node::Kind::list ||
        values->items.empty())
      return report(axis.where, at, "", "must have a key and values = [...], or cases = [...]");
    Axis options;
    for (const Node& value : values->items) {
      Option option;
      option.label = label != nullptr ? label->text : "{}";
      if (const std::size_t hole = option.label.find("{}"); hole != std::string::npos)
        option.label.replace(hole, 2, shown(value));
      if (!option.label.empty() && !is_name(option.label))
        report(axis.where, at + ".label", schema::quoted(option.label),
               "must be letters, digits, '-', '_', '.' or '+', and {} for the value");
      option.set.emplace_back(name->text, value);
      options.push_back(std::move(option));
    }
    out.push_back(std::move(options));
  }

  void read_cases(const Node& axis, const std::string& at, std::vector<Axis>& out) {
    check_keys(axis, at, {"cases"});
    const Node& cases = *axis.find("cases");
    if (!cases.is_tables() || cases.items.empty())
      return report(cases.where, at + ".cases", "", "must be tables: [{label, set}, ...]");
    Axis options;
    for (std::size_t i = 0; i < cases.items.size(); ++i) {
      const std::string one = at + ".cases[" + std::to_string(i) + "]";
      check_keys(cases.items[i], one, {"label", "set"});
      Option option;
      const Node* label = text_at(cases.items[i], one, "label");
      if (label == nullptr || !is_name(label->text))
        report(cases.items[i].where, one + ".label", label != nullptr ? label->written() : "",
               "must be given: letters, digits, '-', '_', '.' or '+'");
      else
        option.label = label->text;
      if (const Node* set = table_at(cases.items[i], one, "set")) option.set = set->entries;
      options.push_back(std::move(option));
    }
    out.push_back(std::move(options));
  }

  void multiply(std::vector<Run>& runs, const Axis& axis, const std::string& shown_as) {
    if (runs.size() * axis.size() > kMostRuns)
      return report({root_.where.file, 0, 0}, shown_as, "",
                    "makes more than " + std::to_string(kMostRuns) + " runs");
    std::vector<Run> more;
    for (const Run& run : runs)
      for (const Option& option : axis) {
        Run one = run;
        if (!option.label.empty()) one.name += "-" + option.label;
        apply(one.tree, option.set, shown_as);
        more.push_back(std::move(one));
      }
    runs = std::move(more);
  }

  /// A variation. The suite's own must be possible as drawn, and its author sees it where one is
  /// not; one from another seed is drawn again until it is.
  Run possible(const Run& from, const Node& group, int number, double seed,
               const std::string& key) {
    Run out = drawn(from, group, number, seed, key, 0);
    for (int again = 1; suite_seed_ != 0 && again < kMostTries; ++again) {
      std::vector<Problem> wrong;
      static_cast<void>(scenario_of(out.tree, wrong));
      if (wrong.empty()) break;
      out = drawn(from, group, number, seed, key, again);
    }
    return out;
  }

  /// A run with everything in [random] drawn: the same on every machine, whatever else is in the
  /// suite.
  Run drawn(const Run& from, const Node& group, int number, double seed, const std::string& key,
            int again) {
    Run out{variation_name(from.name, number, suite_seed_), from.tree, true};
    std::string text = out.name;
    if (again > 0) text.append("#").append(std::to_string(again));
    std::map<std::string, const Node*> ranges;  // a group's own come before the suite's
    for (const Node* table : {group.find("random"), root_.find("random")})
      if (table != nullptr)
        for (const auto& [name, range] : table->entries) ranges.emplace(name, &range);
    for (const auto& [name, range] : ranges) {
      std::string drawn = text;
      drawn.append("/").append(name);
      Random random{hash_of(drawn) + static_cast<std::uint64_t>(seed)};
      random.next();
      Node value;
      if (const Node* of = range->find("of")) {
        value =
            of->items[static_cast<std::size_t>(random.below(static_cast<int>(of->items.size())))];
      } else {
        const Node *low = range->find("from"), *high = range->find("to");
        value = *low;
        const double drawn_value = random.between(low->number, high->number);
        if (low->kind == Node::Kind::integer && high->kind == Node::Kind::integer) {
          value.integer = std::llround(drawn_value);
          value.number = static_cast<double>(value.integer);
        } else {
          value.kind = Node::Kind::number;
          value.number = std::round(drawn_value * 1000) / 1000;
        }
      }
      value.where = range->where;
      apply(out.tree, {{name, value}}, join(key, "random"));
    }
    put_seed(out.tree, text);
    return out;
  }

  void load_runs(std::vector<Run>& runs, const std::string& group, const std::string& key) {
    if (out_.scenarios.size() + runs.size() > kMostRuns)
      return report({root_.where.file, 0, 0}, key, "",
                    "makes more than " + std::to_string(kMostRuns) + " runs");
    for (Run& run : runs) {
      std::vector<Problem> wrong;
      Scenario scenario = scenario_of(run.tree, wrong);
      for (Problem& problem : wrong) {
        // The same slip shows in every run: it is told once, with the first.
        if (!told_.insert(problem.line()).second) continue;
        problem.rule += " (in " + run.name + ")";
        problems_.push_back(std::move(problem));
      }
      scenario.name = run.name;
      scenario.group = group;
      scenario.variation = run.variation;
      if (run.variation) scenario.suite_seed = suite_seed_;
      scenario.file = root_.where.file ? *root_.where.file : "";
      out_.scenarios.push_back(std::move(scenario));
    }
  }

  const Node& root_;
  const FindTemplate& find_template_;
  const std::uint32_t suite_seed_;
  Loaded out_;
  std::vector<Problem> problems_;
  std::set<std::string> told_;
};

}  // namespace

bool is_suite(const Node& root) { return root.find("group") != nullptr; }

Loaded expand_suite(const Node& root, const std::string& name, const FindTemplate& find_template,
                    std::uint32_t seed) {
  return Expander{root, find_template, seed}.run(name);
}

std::string variation_name(const std::string& nominal, int number, std::uint32_t seed) {
  const std::string name = nominal + "-v" + std::to_string(number);
  return seed == 0 ? name : name + "@" + std::to_string(seed);
}

void put_seed(Node& tree, std::string_view text) {
  Node seed;
  seed.kind = Node::Kind::integer;
  seed.integer = static_cast<std::int64_t>(hash_of(text) % 1000000);
  seed.number = static_cast<double>(seed.integer);
  static_cast<void>(put(tree, "seed", seed));  // a key of the top always can be
}

}  // namespace kerb::sim
