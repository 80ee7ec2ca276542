// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/things.hpp"

#include <algorithm>
#include <map>

namespace kerb::eval {
namespace {

constexpr double kLeastShare = 0.25;

}  // namespace

std::string thing_at(const Box& box, const std::vector<TruthThing>& things) {
  double most = 0;
  std::string kind;
  for (const TruthThing& thing : things) {
    const double shared = intersection(box, thing.box);
    const double smaller = std::min(box.w * box.h, thing.box.w * thing.box.h);
    if (shared <= most || shared < kLeastShare * smaller) continue;
    most = shared;
    kind = thing.kind;
  }
  return kind;
}

std::vector<ThingAlarms> alarms_by_thing(const std::vector<PictureThings>& pictures,
                                         double threshold) {
  std::map<std::string, ThingAlarms> kinds;
  for (const PictureThings& picture : pictures) {
    for (const TruthThing& thing : *picture.things) ++kinds[thing.kind].things;
    for (const JudgedDetection& d : picture.judged->detections)
      if (d.verdict == Verdict::false_alarm && d.score >= threshold)
        ++kinds[thing_at((*picture.detections)[d.index].box, *picture.things)].false_alarms;
  }
  std::vector<ThingAlarms> out;
  for (auto& [kind, counts] : kinds) {
    counts.kind = kind;
    out.push_back(counts);
  }
  std::stable_sort(out.begin(), out.end(), [](const ThingAlarms& a, const ThingAlarms& b) {
    return a.false_alarms > b.false_alarms;
  });
  return out;
}

}  // namespace kerb::eval
