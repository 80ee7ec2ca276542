// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "tools/eval/matching.hpp"

namespace kerb::eval {

/// The class of the thing that a box lies on: the one with which it shares the most pixels, if
/// these are a quarter of the smaller of the two; "" where there is none.
[[nodiscard]] std::string thing_at(const Box& box, const std::vector<TruthThing>& things);

/// A kind of thing, and how many false alarms it made.
struct ThingAlarms {
  std::string kind;  ///< "" for what nothing is labelled at
  int things = 0;    ///< labelled; 0 for ""
  int false_alarms = 0;
};

/// What a picture's false alarms are on.
struct PictureThings {
  const std::vector<TruthThing>* things = nullptr;
  const std::vector<ScoredBox>* detections = nullptr;  ///< as judge() had them
  const Judged* judged = nullptr;
};

/// Counts the false alarms of at least this score by the thing each lies on (thing_at()). By
/// falling number of false alarms, equals by name; kinds without any come too.
[[nodiscard]] std::vector<ThingAlarms> alarms_by_thing(const std::vector<PictureThings>& pictures,
                                                       double threshold);

}  // namespace kerb::eval
