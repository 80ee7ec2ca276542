// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/models.hpp"

#include <cstddef>
#include <opencv2/objdetect.hpp>
#include <vector>

#include "gpu/hog/model_file.hpp"

namespace kerb::lab {

Result<hog::Model> load_model(const std::string& path) { return hog::load(path); }

Result<hog::Model> default_model() {
  // OpenCV orders blocks, and the cells in them, by columns.
  const std::vector<float> theirs = cv::HOGDescriptor::getDefaultPeopleDetector();
  hog::DenseModel model;
  const int columns = model.blocks_x(), rows = model.blocks_y();
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      for (const int cell : {0, 2, 1, 3})
        for (int bin = 0; bin < 9; ++bin)
          model.weights.push_back(
              theirs[static_cast<std::size_t>((x * rows + y) * 36 + cell * 9 + bin)]);
  model.bias = theirs.back();
  return hog::Model{"opencv-people", std::move(model)};
}

}  // namespace kerb::lab
