// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hal/base/result.hpp"
#include "tools/eval/boxes.hpp"

namespace kerb::eval {

/// One person in one frame of a sequence.
struct MotBox {
  int id = 0;
  Box box;
  double conf = 1;      ///< of a detection or a track: its score
  bool ignore = false;  ///< neither hit nor miss counts; only in the truth
};

/// Boxes by frame, counted from 1.
using MotBoxes = std::map<int, std::vector<MotBox>>;

/// MOT text: frame,id,x,y,w,h,conf and whatever follows. Lines of conf 0 are left out, and so are
/// those of another class than 1 where there are nine columns (as in MOT16). Fails, naming file
/// and line: damaged.
Result<MotBoxes> parse_mot(std::string_view text, std::string_view file);
/// Fails, besides: not_found, io, invalid_argument.
Result<MotBoxes> read_mot(const std::string& path);

/// The same, with what is to be ignored: conf 0 and, where there are nine columns, people on
/// vehicles, static people, distractors and reflections (classes 2, 7, 8, 12); other classes than
/// these and 1 are left out whatever their conf. Fails, besides, where one id is twice in a frame:
/// damaged.
Result<MotBoxes> parse_mot_truth_tracks(std::string_view text, std::string_view file);
/// `path` may be a sequence's folder, with gt/gt.txt in it.
Result<MotBoxes> read_mot_truth_tracks(const std::string& path);

/// Output of a tracker: frame,id,x,y,w,h and, optionally, conf and more, which do not filter lines.
/// Fails, naming file and line, also where one id is twice in a frame: damaged.
Result<MotBoxes> parse_mot_tracks(std::string_view text, std::string_view file);
Result<MotBoxes> read_mot_tracks(const std::string& path);

/// Output of a detector: frame,id,x,y,w,h,conf and more; conf is the score, ids are not used.
/// Fails, naming file and line: damaged.
Result<MotBoxes> parse_mot_detections(std::string_view text, std::string_view file);
Result<MotBoxes> read_mot_detections(const std::string& path);

}  // namespace kerb::eval
