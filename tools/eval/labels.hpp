// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tools/eval/matching.hpp"
#include "tools/eval/truth.hpp"

namespace kerb::eval {

/// What a detection is, by the truth.
enum class Label : unsigned char {
  person,     ///< it found somebody
  duplicate,  ///< of somebody whom a better one found: a false alarm of an evaluation
  ignored,    ///< it does not count: on a region to ignore, or left out for its height
  false_alarm
};

struct LabelledDetection {
  ScoredBox detection;
  Label label = Label::false_alarm;
  /// Index into Labels::people. person, duplicate: who it is; false_alarm: with whom it overlaps
  /// most, if with anybody.
  std::optional<std::size_t> person;
  /// Intersection over union, as boxes are compared: person, duplicate: with that person;
  /// false_alarm: the largest with anybody who counts.
  double overlap = 0;
  double ignored_share = 0;  ///< the most of its own area that lies in one region to ignore, 0..1
  std::string thing;         ///< false_alarm: what it stands on (thing_at()), or ""
};

struct LabelledPerson {
  Box box;
  std::optional<double> found;  ///< score of the detection that found them, at the lowest threshold
};

/// Something that is labelled and is no person, compared as a detection in its place would be.
struct LabelledThing {
  TruthThing thing;
  double overlap = 0;    ///< the largest with anybody who counts
  bool ignored = false;  ///< a detection there would not count
};

/// One picture: all detections in the order they were given, those who count, and what does not.
struct Labels {
  std::vector<LabelledPerson> people;
  std::vector<Box> ignored;
  std::vector<LabelledThing> things;
  std::vector<LabelledDetection> detections;
};

/// By judge() and thing_at().
[[nodiscard]] Labels label(const std::vector<TruthBox>& truth,
                           const std::vector<TruthThing>& things,
                           const std::vector<ScoredBox>& detections, const MatchSettings& settings);

struct LabelledPicture {
  std::string set, model, image;
  int width = 0, height = 0;
  Labels labels;
};

/// As JSON, line end included. What was a float has the fewest digits that give the float back, so
/// that boxes and scores which were saved and read again give the same text.
[[nodiscard]] std::string to_json_line(const LabelledPicture& picture);

}  // namespace kerb::eval
