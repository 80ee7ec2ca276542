// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <limits>
#include <vector>

#include "tools/eval/detections.hpp"
#include "tools/eval/truth.hpp"

namespace kerb::eval {

/// How boxes are compared, as Dollar et al. do ("Pedestrian Detection: An Evaluation of the State
/// of the Art", and the toolbox that came with it).
struct MatchSettings {
  double overlap = 0.5;  ///< least intersection over union of a match
  bool standardise =
      true;               ///< people and detections to kAspect; regions to ignore stay as they are
  double min_height = 0;  ///< people shorter than this are ignored
  double max_height = std::numeric_limits<double>::infinity();  ///< and people as tall or taller
  double min_visible = 0;  ///< people of whom less than this is seen are ignored
  /// Detections under min_height / expand or not under max_height * expand are left out: beyond
  /// that, no detection can match a person in the range, and detections of people outside it do not
  /// count as errors.
  double expand = 1.25;
};

enum class Verdict : unsigned char { hit, false_alarm, ignored };

struct JudgedDetection {
  double score = 0;
  Verdict verdict = Verdict::false_alarm;
  std::size_t index = 0;  ///< of the detections that were given
  /// The person it found; for others the one with whom its overlap is largest, taken or not. Means
  /// nothing where `overlap` is 0.
  std::size_t person = 0;
  double overlap = 0;        ///< with that person, as boxes are compared
  double ignored_share = 0;  ///< the most of its own area that lies in one region to ignore, 0..1
};

struct JudgedPerson {
  double height = 0;
  bool found = false;
  double score = 0;       ///< of the detection that found them
  std::size_t truth = 0;  ///< index of their box in the truth
};

/// One picture, judged: the detections that were not left out, best first, and the people who are
/// to be found.
struct Judged {
  std::vector<JudgedDetection> detections;
  std::vector<JudgedPerson> people;
};

/// Takes the detections by falling score, equals in their order. Each takes, of the people whom no
/// better detection has taken, the one with whom its overlap is largest and at least
/// settings.overlap (of equals the last). Where there is none, it is ignored when that part of its
/// own area lies in one region to ignore, which may take any number; else it is a false alarm.
/// What is decided for a detection does not depend on worse ones: the same call serves every
/// threshold.
[[nodiscard]] Judged judge(const std::vector<TruthBox>& truth,
                           const std::vector<ScoredBox>& detections, const MatchSettings& settings);

}  // namespace kerb::eval
