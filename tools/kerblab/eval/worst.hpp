// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "hal/base/result.hpp"
#include "tools/eval/labels.hpp"
#include "tools/eval/worst.hpp"
#include "tools/kerblab/app/output.hpp"

namespace kerb::lab {

/// Colours of draw_errors(), in OpenCV's order.
inline const cv::Scalar kMissedColour{60, 60, 255}, kFalseColour{0, 230, 255},
    kFoundColour{80, 220, 60}, kIgnoredColour{170, 170, 170};

/// Draws what a detector did in a picture at a threshold: missed people red, false alarms yellow
/// with the name of what they stand on, found people green, what is ignored grey. Errors have
/// numbers from 1: first the missed people, then the false alarms.
void draw_errors(cv::Mat& bgr, const eval::Labels& labels, const eval::Errors& errors,
                 double threshold);

/// One detector's pictures with most errors, out of those of a set: a PNG each, "NAME-01-IMAGE.png"
/// for the worst.
class WorstPictures {
 public:
  explicit WorstPictures(OutputFolder folder) : folder_{std::move(folder)} {}

  /// Fails: as load_picture() and write_png().
  Status draw(const std::string& name, const std::vector<eval::LabelledPicture>& pictures,
              double threshold, std::size_t most);
  /// All of them, and ledger.csv: a line for each error drawn, with an empty column "cause" for the
  /// reader. Fails: invalid_argument (one would overwrite an input), io.
  Status commit(const std::vector<std::string>& inputs);

 private:
  OutputFolder folder_;
  std::string ledger_ = "drawing,error,set,model,image,threshold,what,x,y,w,h,score,cause\n";
};

}  // namespace kerb::lab
