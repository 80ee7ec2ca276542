// SPDX-License-Identifier: Apache-2.0
#include "firmware/config/config.hpp"
#include "firmware/config/schema.hpp"
#include "firmware/schema/reference.hpp"
#include "firmware/schema/words.hpp"

namespace kerb {
namespace {

using namespace schema;

void render(const Table& table, void* object, const std::string& key, std::string& out) {
  for (const Field& field : table.fields) {
    if (field.table != nullptr) continue;
    const std::string value = value_text(field, object);
    out += "# " + std::string{field.doc} + " Allowed: " + allowed(field) + ".\n";
    out += value.empty() ? "# " + std::string{field.name} + " =\n"
                         : std::string{field.name} + " = " + value + "\n";
  }
  for (const Field& field : table.fields) {
    if (field.table == nullptr) continue;
    const std::string sub = join(key, field.name);
    const std::size_t times = field.count == nullptr ? 1 : field.count(object);
    for (std::size_t i = 0; i < times; ++i) {
      out += "\n";
      if (i == 0) out += "# " + std::string{field.table->doc} + "\n";
      out +=
          (field.kind == Kind::tables ? "[[" + sub + "]]" : heading(field, sub, field.name)) + "\n";
      render(*field.table, field.part(object, i), sub, out);
    }
  }
}

}  // namespace

std::string render_config(const Config& config) {
  std::string out = "# A configuration of Kerbwatch. A key that is left out has its default.\n";
  Config copy = config;  // slots point into something that may be written to
  render(config::config_table(), &copy, "", out);
  return out;
}

std::string render_default_config() { return render_config(Config{}); }

std::string render_config_reference() { return reference(config::config_table(), 3); }

}  // namespace kerb
