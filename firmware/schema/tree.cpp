// SPDX-License-Identifier: Apache-2.0
#include "firmware/schema/tree.hpp"

#include <algorithm>

#include "firmware/schema/words.hpp"

namespace kerb::schema {

const Node* Node::find(std::string_view name) const {
  for (const auto& [key, value] : entries)
    if (key == name) return &value;
  return nullptr;
}

bool Node::is_tables() const {
  return kind == Kind::list &&
         std::ranges::all_of(items, [](const Node& item) { return item.kind == Kind::table; });
}

std::string Node::written() const {
  switch (kind) {
    case Kind::boolean:
      return boolean ? "true" : "false";
    case Kind::integer:
      return std::to_string(integer);
    case Kind::number:
      return decimal(number);
    case Kind::text:
      return quoted(text, 60);
    case Kind::other:
      return printable(text, 60);
    case Kind::list: {
      if (!items.empty() && is_tables() && !items.front().is_inline) return "";
      if (items.size() > 4 || std::ranges::any_of(items, [](const Node& item) {
            return item.kind == Kind::list || item.kind == Kind::table;
          }))
        return "[...]";
      std::string out = "[";
      for (const Node& item : items) out += (out.size() > 1 ? ", " : "") + item.written();
      return out + "]";
    }
    case Kind::table:
      break;
  }
  return is_inline ? "{...}" : "";
}

const char* Node::type_text() const {
  constexpr const char* kTexts[] = {"a boolean",     "an integer", "a number with a fraction",
                                    "a string",      "an array",   "a table",
                                    "a date or time"};
  return kTexts[static_cast<int>(kind)];
}

}  // namespace kerb::schema
