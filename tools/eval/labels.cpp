// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/labels.hpp"

#include <charconv>
#include <nlohmann/json.hpp>

#include "tools/eval/things.hpp"

namespace kerb::eval {
namespace {

using Json = nlohmann::ordered_json;

LabelledDetection labelled(const JudgedDetection& judged, const ScoredBox& detection,
                           const std::vector<TruthThing>& things, const MatchSettings& settings) {
  LabelledDetection out{detection,      Label::false_alarm,   {},
                        judged.overlap, judged.ignored_share, {}};
  if (judged.verdict == Verdict::ignored) {
    out.label = Label::ignored;
  } else if (judged.verdict == Verdict::hit) {
    out.label = Label::person;
    out.person = judged.person;
  } else if (judged.overlap >= settings.overlap) {  // of somebody who was taken, else a hit
    out.label = Label::duplicate;
    out.person = judged.person;
  } else {
    out.thing = thing_at(detection.box, things);
    if (judged.overlap > 0) out.person = judged.person;
  }
  return out;
}

/// The double whose shortest text is that of the float, where it is a float.
double shortest(double value) {
  const auto single = static_cast<float>(value);
  if (static_cast<double>(single) != value) return value;
  char text[32];
  const auto [end, error] = std::to_chars(std::begin(text), std::end(text), single);
  double out = value;
  if (error == std::errc{}) std::from_chars(text, end, out);
  return out;
}

Json to_json(const Box& box) {
  return {{"x", shortest(box.x)},
          {"y", shortest(box.y)},
          {"w", shortest(box.w)},
          {"h", shortest(box.h)}};
}

Json to_json(const LabelledDetection& d) {
  constexpr const char* kNames[] = {"person", "duplicate", "ignored", "false"};
  Json out = to_json(d.detection.box);
  out["score"] = shortest(d.detection.score);
  out["label"] = kNames[static_cast<int>(d.label)];
  if (d.person) out["truth"] = *d.person;
  if (d.label == Label::false_alarm) out["thing"] = d.thing.empty() ? Json(nullptr) : Json(d.thing);
  if (d.label != Label::ignored) out["overlap"] = d.overlap;
  if (d.label == Label::false_alarm) out["ignored_share"] = d.ignored_share;
  return out;
}

}  // namespace

Labels label(const std::vector<TruthBox>& truth, const std::vector<TruthThing>& things,
             const std::vector<ScoredBox>& detections, const MatchSettings& settings) {
  const Judged judged = judge(truth, detections, settings);
  Labels out;
  std::vector<bool> counts(truth.size(), false);
  for (const JudgedPerson& person : judged.people) {
    counts[person.truth] = true;
    out.people.push_back(
        {truth[person.truth].box, person.found ? std::optional{person.score} : std::nullopt});
  }
  for (std::size_t i = 0; i < truth.size(); ++i)
    if (!counts[i]) out.ignored.push_back(truth[i].box);
  for (const TruthThing& thing : things) {
    const Judged there = judge(truth, {{thing.box, 0}}, settings);
    const JudgedDetection* const one =
        there.detections.empty() ? nullptr : &there.detections.front();
    out.things.push_back({thing, one != nullptr ? one->overlap : 0,
                          one == nullptr || one->verdict == Verdict::ignored});
  }
  for (const ScoredBox& detection : detections)  // those that judge() leaves out stay so
    out.detections.push_back({detection, Label::ignored, {}, 0, 0, {}});
  for (const JudgedDetection& one : judged.detections)
    out.detections[one.index] = labelled(one, detections[one.index], things, settings);
  return out;
}

std::string to_json_line(const LabelledPicture& picture) {
  const Labels& labels = picture.labels;
  Json out{{"set", picture.set},
           {"model", picture.model},
           {"image", picture.image},
           {"width", picture.width},
           {"height", picture.height}};
  for (const char* list : {"people", "ignored", "things", "detections"}) out[list] = Json::array();
  for (const LabelledPerson& person : labels.people) {
    Json one = to_json(person.box);
    one["found"] = person.found ? Json(shortest(*person.found)) : Json(nullptr);
    out["people"].push_back(std::move(one));
  }
  for (const Box& box : labels.ignored) out["ignored"].push_back(to_json(box));
  for (const LabelledThing& thing : labels.things) {
    Json one = to_json(thing.thing.box);
    one["class"] = thing.thing.kind;
    one["overlap"] = thing.overlap;
    one["ignored"] = thing.ignored;
    out["things"].push_back(std::move(one));
  }
  for (const LabelledDetection& d : labels.detections) out["detections"].push_back(to_json(d));
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kerb::eval
