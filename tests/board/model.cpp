// SPDX-License-Identifier: Apache-2.0
#include "tests/board/model.hpp"

#include "gpu/hog/model_file.hpp"
#include "tests/board/posix.hpp"

namespace kerb::board {

void write_model(const std::string& path) {
  hog::CascadeModel m;
  m.channels.magnitude = true;
  hog::TreeNode edges;  // all of the person's box
  edges.x = edges.y = 16;
  edges.width = 32;
  edges.height = 96;
  edges.channel = 9;
  edges.threshold = 32 * 96 * 20 * 8;  // a mean gradient of 20, in eighths
  edges.left = ~0;
  edges.right = ~1;
  m.nodes = {edges};
  m.leaves = {-20 * 65536, 20 * 65536};  // so sure that whoever follows people believes it
  m.trees = {{0, 0, 1, 2}};
  m.stages = {{0, 1, 0}};
  if (const Status saved = hog::save({"board", m}, path); !saved)
    throw BoardError(describe(saved.error()));
}

}  // namespace kerb::board
