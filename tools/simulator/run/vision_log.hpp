// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "firmware/types/senses.hpp"
#include "firmware/types/view.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/result.hpp"
#include "hal/motion.hpp"
#include "hal/vision.hpp"

namespace kerb::sim {

/// All that vision delivered for one picture: what the decisions (own motion, tracking, risk,
/// warning) are made from.
struct VisionFrame {
  /// A detection's appearance.
  struct Look {
    Detection box;
    track::Signature signature;
  };
  Nanos captured{};  ///< on the clock of the run
  std::vector<Detection> found;
  std::vector<Look> looks;
  ViewMeasurement view;             ///< how far people are seen
  bool measured = false;            ///< the motion since the previous picture
  std::vector<FlowVector> vectors;  ///< of that motion,
  std::size_t spread = 0;           ///< of which so many are spread over the picture, and the rest
                                    ///< were added within people's boxes
};

/// All that vision delivered in one run, so that the decisions can be made again without drawing
/// and searching, which take nearly all the time. Pictures that were not followed (a frozen one, or
/// one taken while the camera's aim was in doubt) are not in it.
struct VisionLog {
  std::string run;          ///< the scenario's name
  std::uint32_t truth = 0;  ///< checksum of its truth: tells whether the scenario has changed
  std::string detector;     ///< its name
  TrackingScores scores;    ///< what its scores mean
  std::vector<VisionFrame> frames;
};

/// Of this machine's byte order, little endian everywhere we run. Fails: as files do.
Status write_vision_log(const std::string& path, const VisionLog& log);
/// Fails: not_found, invalid_argument (not such a file, cut short, or of another version).
Result<VisionLog> read_vision_log(const std::string& path);

}  // namespace kerb::sim
