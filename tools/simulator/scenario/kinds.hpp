// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/schema/schema.hpp"
#include "tools/simulator/base/scenario.hpp"

/// The kinds of values that only scenarios have.
namespace kerb::sim {

[[nodiscard]] std::string allowed_point(const schema::Field& field);
[[nodiscard]] std::string allowed_size(const schema::Field& field);
[[nodiscard]] std::string allowed_surface(const schema::Field& field);
void read_point(schema::Reader& reader, const schema::Field& field, const schema::Node& node,
                void* to, const std::string& key);
void read_size(schema::Reader& reader, const schema::Field& field, const schema::Node& node,
               void* to, const std::string& key);
void read_surface(schema::Reader& reader, const schema::Field& field, const schema::Node& node,
                  void* to, const std::string& key);

/// [x, y]
inline constexpr schema::Custom kPoint{"array", allowed_point, read_point, &schema::kTypeOf<Vec2>};
/// [length, width, height]
inline constexpr schema::Custom kSize{"array", allowed_size, read_size, &schema::kTypeOf<Vec3>};
/// "#rrggbb" or {colour, reflectance, celsius}
inline constexpr schema::Custom kSurface{"text or table", allowed_surface, read_surface,
                                         &schema::kTypeOf<Surface>};

}  // namespace kerb::sim
