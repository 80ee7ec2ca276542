// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include "tools/eval/labels.hpp"

namespace kerb::eval {

/// What is wrong in a picture at a threshold: indices, rising.
struct Errors {
  std::vector<std::size_t> missed;        ///< of Labels::people
  std::vector<std::size_t> false_alarms;  ///< of Labels::detections; duplicates are false alarms

  [[nodiscard]] std::size_t count() const noexcept { return missed.size() + false_alarms.size(); }
};

/// Detections of at least this score count.
[[nodiscard]] Errors errors_at(const Labels& labels, double threshold);

/// Pictures to look at, by their numbers of errors: at most `most`, of falling number, equals in
/// their order. Frames of a drive are like their neighbours, so the pictures are cut into `most`
/// runs of equal length, and of each run the worst is taken; where runs have no error, the worst of
/// all that is left takes their place. Pictures without an error are never taken.
[[nodiscard]] std::vector<std::size_t> worst_pictures(const std::vector<std::size_t>& errors,
                                                      std::size_t most);

}  // namespace kerb::eval
