// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <opencv2/videoio.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/kerblab/pictures/pictures.hpp"

namespace kerb::lab {

/// The frames of a drive, one after the other: pictures in the order given, or one video file.
class Frames {
 public:
  /// One word that ends in .mp4, .avi, .mkv, .mov or .webm is a video; else they are pictures, as
  /// expand_list() has them. Fails: as that, or damaged (a video that cannot be read).
  static Result<Frames> open(const std::vector<std::string>& words);

  /// The next one; nothing at the end. Fails: as load_picture().
  Result<std::optional<LoadedPicture>> next();
  [[nodiscard]] std::size_t count() const noexcept { return count_; }  ///< about, of a video
  /// Frame rate in Hz, if the recording has it.
  [[nodiscard]] std::optional<double> rate() const noexcept { return rate_; }
  [[nodiscard]] const std::vector<std::string>& files() const noexcept { return files_; }

 private:
  std::vector<std::string> files_;
  std::optional<cv::VideoCapture> video_;
  std::optional<double> rate_;
  std::size_t at_ = 0, count_ = 0;
};

}  // namespace kerb::lab
