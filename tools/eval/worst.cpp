// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/worst.hpp"

#include <algorithm>
#include <numeric>

namespace kerb::eval {

Errors errors_at(const Labels& labels, double threshold) {
  Errors out;
  for (std::size_t i = 0; i < labels.people.size(); ++i)
    if (const std::optional<double>& found = labels.people[i].found; !found || *found < threshold)
      out.missed.push_back(i);
  for (std::size_t i = 0; i < labels.detections.size(); ++i) {
    const LabelledDetection& d = labels.detections[i];
    if ((d.label == Label::false_alarm || d.label == Label::duplicate) &&
        d.detection.score >= threshold)
      out.false_alarms.push_back(i);
  }
  return out;
}

std::vector<std::size_t> worst_pictures(const std::vector<std::size_t>& errors, std::size_t most) {
  const auto is_worse = [&](std::size_t a, std::size_t b) {
    return errors[a] != errors[b] ? errors[a] > errors[b] : a < b;
  };
  std::vector<std::size_t> all(errors.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::sort(all.begin(), all.end(), is_worse);
  std::vector<bool> has_one(most, false);
  std::vector<std::size_t> out, others;
  for (const std::size_t picture : all) {  // the first of its run is the run's worst
    if (errors[picture] == 0) break;
    const std::size_t run = picture * most / errors.size();
    if (has_one[run]) {
      others.push_back(picture);
    } else {
      has_one[run] = true;
      out.push_back(picture);
    }
  }
  for (const std::size_t picture : others)
    if (out.size() < most) out.push_back(picture);
  std::sort(out.begin(), out.end(), is_worse);
  return out;
}

}  // namespace kerb::eval
