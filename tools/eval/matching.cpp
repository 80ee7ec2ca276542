// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/matching.hpp"

#include <algorithm>

namespace kerb::eval {

Judged judge(const std::vector<TruthBox>& truth, const std::vector<ScoredBox>& detections,
             const MatchSettings& settings) {
  const auto shaped = [&](const Box& box) {
    return settings.standardise ? standardised(box) : box;
  };
  Judged judged;
  std::vector<Box> people, regions;
  for (const TruthBox& t : truth) {
    if (t.ignore) {
      regions.push_back(t.box);
    } else if (t.box.h < settings.min_height || t.box.h >= settings.max_height ||
               t.visible < settings.min_visible) {
      regions.push_back(shaped(t.box));
    } else {
      people.push_back(shaped(t.box));
      judged.people.push_back({t.box.h});
    }
  }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < detections.size(); ++i)
    if (detections[i].box.h >= settings.min_height / settings.expand &&
        detections[i].box.h < settings.max_height * settings.expand)
      order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return detections[a].score > detections[b].score;
  });
  for (const std::size_t index : order) {
    const ScoredBox d{shaped(detections[index].box), detections[index].score};
    double best = settings.overlap;
    JudgedPerson* who = nullptr;
    for (std::size_t i = 0; i < people.size(); ++i) {
      if (judged.people[i].found) continue;
      const double shared = overlap(d.box, people[i]);
      if (shared < best) continue;
      best = shared;
      who = &judged.people[i];
    }
    Verdict verdict = Verdict::false_alarm;
    if (who != nullptr) {
      who->found = true;
      who->score = d.score;
      verdict = Verdict::hit;
    } else if (std::any_of(regions.begin(), regions.end(), [&](const Box& region) {
                 return covered(d.box, region) >= settings.overlap;
               })) {
      verdict = Verdict::ignored;
    }
    judged.detections.push_back({d.score, verdict, index});
  }
  return judged;
}

}  // namespace kerb::eval
