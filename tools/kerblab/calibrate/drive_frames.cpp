// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/calibrate/drive_frames.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "drivers/replay/picture.hpp"
#include "tools/kerblab/app/input_files.hpp"

namespace kerb::lab {
namespace {

bool is_video(const std::string& path) {
  constexpr std::array kEndings = {".mp4", ".avi", ".mkv", ".mov", ".webm"};
  std::string ending = std::filesystem::path{path}.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::any_of(kEndings, [&](const char* known) { return ending == known; });
}

}  // namespace

Result<Frames> Frames::open(const std::vector<std::string>& words) {
  Frames frames;
  Result<std::vector<std::string>> files = expand_list(words);
  if (!files) return files.error();
  frames.files_ = std::move(*files);
  frames.count_ = frames.files_.size();
  if (frames.files_.size() != 1 || !is_video(frames.files_.front())) return frames;
  const std::string& path = frames.files_.front();
  frames.video_.emplace();
  if (!frames.video_->open(path, cv::CAP_FFMPEG) && !frames.video_->open(path))
    return replay::failure(Errc::damaged, "unreadable video", path);
  const double count = frames.video_->get(cv::CAP_PROP_FRAME_COUNT);
  frames.count_ = count > 0 && count < 1e8 ? static_cast<std::size_t>(count) : 0;
  const double rate = frames.video_->get(cv::CAP_PROP_FPS);
  if (rate > 0.1 && rate < 1000) frames.rate_ = rate;
  return frames;
}

Result<std::optional<LoadedPicture>> Frames::next() {
  if (video_) {
    cv::Mat bgr;
    if (!video_->read(bgr) || bgr.empty()) return std::optional<LoadedPicture>{};
    Result<LoadedPicture> picture = picture_of(bgr);
    if (!picture) return picture.error();
    return std::optional<LoadedPicture>{std::move(*picture)};
  }
  if (at_ == files_.size()) return std::optional<LoadedPicture>{};
  Result<LoadedPicture> picture = load_picture(files_[at_++], false);
  if (!picture) return picture.error();
  return std::optional<LoadedPicture>{std::move(*picture)};
}

}  // namespace kerb::lab
