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
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const TruthBox& t = truth[i];
    if (t.ignore) {
      regions.push_back(t.box);
    } else if (t.box.h < settings.min_height || t.box.h >= settings.max_height ||
               t.visible < settings.min_visible) {
      regions.push_back(shaped(t.box));
    } else {
      people.push_back(shaped(t.box));
      judged.people.push_back({t.box.h, false, 0, i});
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
    JudgedDetection out{d.score, Verdict::false_alarm, index};
    for (std::size_t i = 0; i < people.size(); ++i) {
      const double shared = overlap(d.box, people[i]);
      if (who == nullptr && shared > out.overlap) {
        out.person = i;
        out.overlap = shared;
      }
      if (judged.people[i].found || shared < best) continue;
      best = shared;
      who = &judged.people[i];
      out.person = i;
      out.overlap = shared;
    }
    for (const Box& region : regions)
      out.ignored_share = std::max(out.ignored_share, covered(d.box, region));
    if (who != nullptr) {
      who->found = true;
      who->score = d.score;
      out.verdict = Verdict::hit;
    } else if (!regions.empty() && out.ignored_share >= settings.overlap) {
      out.verdict = Verdict::ignored;
    }
    judged.detections.push_back(out);
  }
  return judged;
}

}  // namespace kerb::eval
