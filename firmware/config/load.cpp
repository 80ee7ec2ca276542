// SPDX-License-Identifier: Apache-2.0
#include "firmware/config/config.hpp"
#include "firmware/config/rules.hpp"
#include "firmware/config/schema.hpp"
#include "firmware/config/vehicle_mapping.hpp"
#include "firmware/schema/parse.hpp"
#include "firmware/schema/reader.hpp"

namespace kerb {
namespace {

LoadResult load(const std::variant<schema::Node, schema::Problem>& tree,
                const Config& base = Config{}) {
  LoadResult out;
  out.config = base;
  if (const auto* problem = std::get_if<schema::Problem>(&tree)) {
    out.problems.push_back(*problem);
    return out;
  }
  schema::Reader reader;
  reader.read(config::config_table(), std::get<schema::Node>(tree), out.config);
  config::check_rules(out.config, reader);
  const std::vector<schema::Problem> of_dbc = config::map_vehicle(out.config, reader);
  out.problems = reader.problems();
  out.problems.insert(out.problems.end(), of_dbc.begin(), of_dbc.end());
  if (!out.ok()) out.config = Config{};
  return out;
}

}  // namespace

LoadResult parse_config(std::string_view text, const std::string& name) {
  return load(schema::parse_tree(text, name));
}

LoadResult change_config(const Config& base, std::string_view text, const std::string& name) {
  return load(schema::parse_tree(text, name), base);
}

LoadResult load_config(const std::string& path) { return load(schema::read_tree(path)); }

std::vector<std::string> LoadResult::lines() const {
  std::vector<std::string> out;
  for (const schema::Problem& problem : problems) out.push_back(problem.line());
  return out;
}

}  // namespace kerb
