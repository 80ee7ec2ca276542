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
};

/// Boxes by frame, counted from 1.
using MotBoxes = std::map<int, std::vector<MotBox>>;

/// MOT text: frame,id,x,y,w,h,conf and whatever follows. Lines of conf 0 are left out, and so are
/// those of another class than 1 where nine columns are told (as MOT16 does). Fails, naming file
/// and line: damaged.
Result<MotBoxes> parse_mot(std::string_view text, std::string_view file);
/// Fails, besides: not_found, io, invalid_argument.
Result<MotBoxes> read_mot(const std::string& path);

}  // namespace kerb::eval
