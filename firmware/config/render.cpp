// SPDX-License-Identifier: Apache-2.0
#include "firmware/config/config.hpp"
#include "firmware/config/schema.hpp"

namespace kerb {
namespace {

using config::Key;
using config::Table;

std::string heading(const Table& table) {
  return table.repeated ? "[[" + std::string{table.name} + "]]"
                        : "[" + std::string{table.name} + "]";
}

void render_table(const Table& table, const Config& config, std::size_t camera, std::string& out) {
  out += heading(table) + "\n";
  for (const Key& key : config::keys()) {
    if (std::string_view{key.table} != table.name) continue;
    const std::string value = config::value_text(key, config, camera);
    out += "# " + std::string{key.doc} + " Allowed: " + config::allowed(key) + ".\n";
    out += value.empty() ? "# " + std::string{key.name} + " =\n"
                         : std::string{key.name} + " = " + value + "\n";
  }
}

/// '|' would end a cell.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string{"\\|"} : std::string{c};
  return out;
}

}  // namespace

std::string render_config(const Config& config) {
  std::string out = "# A configuration of Kerbwatch. A key that is left out has its default.\n";
  for (const Table& table : config::tables()) {
    const std::size_t times = table.repeated ? config.cameras.size() : 1;
    for (std::size_t i = 0; i < times; ++i) {
      out += "\n";
      if (i == 0) out += "# " + std::string{table.doc} + "\n";
      render_table(table, config, i, out);
    }
  }
  return out;
}

std::string render_default_config() { return render_config(Config{}); }

std::string render_config_reference() {
  const Config defaults;
  std::string out;
  for (const Table& table : config::tables()) {
    out += "### `" + heading(table) + "`\n\n" + table.doc + "\n\n";
    out += "| key | type | default | allowed | meaning |\n|---|---|---|---|---|\n";
    for (const Key& key : config::keys()) {
      if (std::string_view{key.table} != table.name) continue;
      const std::string value = config::value_text(key, defaults);
      out += "| `" + std::string{key.name} + "` | " + config::type_name(key.kind) + " | " +
             (value.empty() ? "unset" : "`" + value + "`") + " | " + cell(config::allowed(key)) +
             " | " + cell(key.doc) + " |\n";
    }
    out += "\n";
  }
  return out;
}

}  // namespace kerb
