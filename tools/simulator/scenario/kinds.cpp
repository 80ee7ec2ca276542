// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/scenario/kinds.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <vector>

#include "firmware/schema/reader.hpp"
#include "firmware/schema/reference.hpp"
#include "firmware/schema/words.hpp"

namespace kerb::sim {
namespace {

using schema::Field;
using schema::Node;
using schema::Reader;

/// So many numbers within the field's limits.
bool are_coordinates(const Field& field, const Node& node, std::size_t count) {
  return node.kind == Node::Kind::list && node.items.size() == count &&
         std::ranges::all_of(node.items, [&](const Node& item) {
           return item.is_number() && item.number >= field.low && item.number <= field.high;
         });
}

/// Linear light, 0..1, as sRGB has it.
double encode(double linear) {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

/// What three colours see of a reflectance at 400, 420, ... 1000 nm: means over blue (420..500),
/// green (500..580) and red (580..680).
std::array<double, 3> colour_of(const std::vector<double>& reflectance) {
  const auto mean = [&](std::size_t first, std::size_t last) {
    double sum = 0;
    for (std::size_t i = first; i <= last; ++i) sum += reflectance[i];
    return encode(sum / static_cast<double>(last - first + 1));
  };
  return {mean(9, 14), mean(5, 9), mean(1, 5)};
}

constexpr std::size_t kReflectances = 31;

/// "#8040ff" into `out`; false if it is something else.
bool read_colour(const std::string& text, Surface& out) {
  const bool good = text.size() == 7 && text.front() == '#' &&
                    std::all_of(text.begin() + 1, text.end(),
                                [](unsigned char c) { return std::isxdigit(c) != 0; });
  for (std::size_t i = 0; good && i < 3; ++i)
    out.rgb[i] = std::stoi(text.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
  return good;
}

void fill_surface(Reader& reader, const Node& node, Surface& out, const std::string& key) {
  if (node.kind == Node::Kind::text) {
    if (!read_colour(node.text, out))
      reader.refuse(key, node, "must be a colour like \"#8040ff\", or a table");
    return;
  }
  if (node.kind != Node::Kind::table)
    return reader.refuse(
        key, node,
        std::string{"is "} + node.type_text() + ", must be a colour like \"#8040ff\", or a table");
  for (const auto& [name, value] : node.entries) {
    const std::string one = schema::join(key, name);
    if (name == "colour" && value.kind == Node::Kind::text) {
      if (!read_colour(value.text, out))
        reader.refuse(one, value, "must be a colour like \"#8040ff\"");
    } else if (name == "celsius" && value.is_number()) {
      if (!(value.number >= -50 && value.number <= 150))
        reader.refuse(one, value, "must be -50..150 (°C)");
      out.celsius = value.number;
    } else if (name == "reflectance" && value.kind == Node::Kind::list) {
      const bool good = value.items.size() == kReflectances &&
                        std::ranges::all_of(value.items, [](const Node& item) {
                          return item.is_number() && item.number >= 0 && item.number <= 1;
                        });
      if (!good) {
        reader.refuse(one, value,
                      "must be 31 numbers 0..1: the reflectance at 400, 420, ... 1000 nm");
        continue;
      }
      out.reflectance.clear();
      for (const Node& item : value.items) out.reflectance.push_back(item.number);
      if (node.find("colour") == nullptr) out.rgb = colour_of(out.reflectance);
    } else {
      reader.refuse(one, value,
                    "must be one of colour (a string), reflectance (an array), celsius (a number)");
    }
  }
}

}  // namespace

std::string allowed_point(const Field& field) { return "[x, y], each " + range_text(field); }
std::string allowed_size(const Field& field) {
  return "[length, width, height], each " + range_text(field);
}
std::string allowed_surface(const Field& /*field*/) {
  return "a colour like \"#8040ff\", or {colour, reflectance, celsius}";
}

void read_point(Reader& reader, const Field& field, const Node& node, void* to,
                const std::string& key) {
  if (!are_coordinates(field, node, 2))
    return reader.refuse(key, node, "must be " + allowed_point(field));
  *static_cast<Vec2*>(to) = {node.items[0].number, node.items[1].number};
}
void read_size(Reader& reader, const Field& field, const Node& node, void* to,
               const std::string& key) {
  if (!are_coordinates(field, node, 3))
    return reader.refuse(key, node, "must be " + allowed_size(field));
  *static_cast<Vec3*>(to) = {node.items[0].number, node.items[1].number, node.items[2].number};
}
void read_surface(Reader& reader, const Field& /*field*/, const Node& node, void* to,
                  const std::string& key) {
  fill_surface(reader, node, *static_cast<Surface*>(to), key);
}

}  // namespace kerb::sim
