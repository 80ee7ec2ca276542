// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "firmware/schema/reader.hpp"
#include "tools/simulator/scenario/draft.hpp"

namespace kerb::sim {

/// A scenario with all derived values computed, and the keys of the file from which its people and
/// things come.
struct Built {
  Scenario scenario;
  std::vector<std::string> people, props;
};

/// Computes the derived values of a draft, and reports every broken rule between keys. The result
/// is valid only if nothing was reported.
[[nodiscard]] Built build(ScenarioDraft& draft, schema::Reader& reader);

/// Computes the walk of a person who is hit at the given time and place, where the middle of the
/// car's front is at `car` and its speed is `mps`. Fills start, start_s and walk. Returns an empty
/// text, or why it is impossible.
[[nodiscard]] std::string walk_into(const ImpactDraft& impact, const CarSpec& car, Place front,
                                    double mps, PersonSpec& person);
[[nodiscard]] std::string walk_ahead(const AlongDraft& along, const CarSpec& car, Place front,
                                     double mps, double seconds, PersonSpec& person);

/// Adds a crowd's people. Returns an empty text, or why it is impossible.
[[nodiscard]] std::string add_crowd(const CrowdDraft& crowd, Scenario& scenario);

/// Whether `point` is inside a thing.
[[nodiscard]] bool inside(const PropSpec& prop, Place place, Vec2 point);
/// Whether a straight walk leads through a thing that stands.
[[nodiscard]] bool walks_through(const PropSpec& prop, Vec2 from, Vec2 to);
/// Whether somebody starts inside a thing that stands, or walks through it.
[[nodiscard]] bool is_in_the_way(const PropSpec& prop, const PersonSpec& person);
/// Whether no thing is in somebody's way; those that drive do not count.
[[nodiscard]] bool is_walk_free(const std::vector<PropSpec>& props, const PersonSpec& person);

/// Reports errors of the scenario as a whole: positions and motion of people and things.
void check_motion(const Built& built, schema::Reader& reader);

}  // namespace kerb::sim
