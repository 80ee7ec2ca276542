// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "firmware/schema/reader.hpp"
#include "tools/simulator/scenario/draft.hpp"

namespace kerb::sim {

/// A scenario with its conveniences worked out, and where its people and things came from: the keys
/// of the file.
struct Built {
  Scenario scenario;
  std::vector<std::string> people, props;
};

/// Works a draft out, and reports every rule between keys that does not hold. The result is good
/// only when nothing was reported.
[[nodiscard]] Built build(ScenarioDraft& draft, schema::Reader& reader);

/// The walk of somebody who is hit there and then by a car whose front's middle has `car` then and
/// whose speed is `mps`. Fills start, start_s and walk. Empty, or why it cannot be.
[[nodiscard]] std::string walk_into(const ImpactDraft& impact, const CarSpec& car, Place front,
                                    double mps, PersonSpec& person);
[[nodiscard]] std::string walk_ahead(const AlongDraft& along, const CarSpec& car, Place front,
                                     double mps, double seconds, PersonSpec& person);

/// Adds a crowd's people. Empty, or why it cannot be.
[[nodiscard]] std::string add_crowd(const CrowdDraft& crowd, Scenario& scenario);

/// Whether somebody at `point` would stand in a thing.
[[nodiscard]] bool inside(const PropSpec& prop, Place place, Vec2 point);
/// Whether a straight walk leads through a thing that stands.
[[nodiscard]] bool walks_through(const PropSpec& prop, Vec2 from, Vec2 to);

/// Reports what is wrong with the scenario as a whole: where everybody is, and how they move.
void check_motion(const Built& built, schema::Reader& reader);

}  // namespace kerb::sim
