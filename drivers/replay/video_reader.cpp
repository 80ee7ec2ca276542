// SPDX-License-Identifier: Apache-2.0
#include "drivers/replay/video_reader.hpp"

#if KERB_OPENCV
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <opencv2/videoio.hpp>
#include <string>
#include <system_error>

#include "drivers/replay/opencv.hpp"

namespace kerb::replay {
namespace {

constexpr std::uint64_t kMostSkipped =
    16;  // frames; passing over one costs about as much as decoding it

class VideoReader final : public PictureReader {
 public:
  explicit VideoReader(const CameraSettings& settings)
      : path_{settings.device},
        name_{tail_of<64>(path_)},
        loop_{settings.loop},
        rate_hz_{settings.rate_hz} {}

  /// Opens the file and finds out what is in it. Nothing else may be called before.
  Status start(const CameraSettings& settings);

  [[nodiscard]] Text<64> name() const override { return name_; }
  [[nodiscard]] const PictureLayout& layout() const override { return layout_; }
  [[nodiscard]] double rate_hz() const override { return rate_hz_; }
  [[nodiscard]] std::uint64_t length() const override { return loop_ ? kEndless : length_; }
  void skip(std::uint64_t count) override;
  Status read(std::uint8_t* out) override;

 private:
  bool reopen();
  bool grab();

  std::string path_;
  Text<64> name_;
  bool loop_;
  double rate_hz_;
  PictureLayout layout_;
  std::uint64_t length_ = kEndless;
  cv::VideoCapture video_;
  cv::Mat decoded_;
  bool at_start_ = true;
};

bool VideoReader::reopen() {
  at_start_ = true;
  try {
    // Only what reads files: OpenCV's CAP_ANY would go on to look for cameras on the USB.
    for (const int backend : {cv::CAP_FFMPEG, cv::CAP_GSTREAMER, cv::CAP_OPENCV_MJPEG})
      if (video_.open(path_, backend)) return true;
    return false;
  } catch (const std::exception&) {
    return false;
  }
}

/// Moves to the next frame, over the end when looping. False at the end, or when the file has
/// become unreadable.
bool VideoReader::grab() {
  for (;;) {
    try {
      if (video_.grab()) {
        at_start_ = false;
        return true;
      }
    } catch (const std::exception&) {
    }
    if (!loop_ || at_start_ || !reopen()) return false;
  }
}

Status VideoReader::start(const CameraSettings& settings) {
  std::error_code error;
  if (!std::filesystem::exists(path_, error))
    return failure(Errc::not_found, "open video", path_, ENOENT);
  if (!std::filesystem::is_regular_file(path_, error))
    return failure(Errc::not_found, "open video: not a file", path_);
  const Result<PixelFormat> format = parse_format(settings.format, PixelFormat::bgr24);
  if (!format) return format.error();
  if (*format != PixelFormat::bgr24 && *format != PixelFormat::rgb24 &&
      *format != PixelFormat::grey8)
    return failure(Errc::unsupported, "video as", settings.format);
  // One frame is decoded for its size: headers may lie, and a file without any frame is no video.
  if (!reopen() || !grab() || !video_.retrieve(decoded_) || decoded_.empty())
    return failure(Errc::damaged, "open video: not a video, or unreadable", path_);
  const Result<PictureLayout> layout =
      make_layout(*format, decoded_.cols, decoded_.rows, settings.mosaic);
  if (!layout) return layout.error();
  layout_ = *layout;
  const double rate = video_.get(cv::CAP_PROP_FPS);
  if (rate > 0 && rate <= 1000) rate_hz_ = rate;
  const double count = video_.get(cv::CAP_PROP_FRAME_COUNT);
  if (count >= 1 && count < 1e12) length_ = static_cast<std::uint64_t>(count);
  if (!reopen()) return failure(Errc::io, "reopen video", path_);
  return Done{};
}

void VideoReader::skip(std::uint64_t count) {
  for (count = std::min(count, kMostSkipped); count > 0 && grab(); --count) {
  }
}

Status VideoReader::read(std::uint8_t* out) {
  if (!grab()) return failure(Errc::end, "play video", path_);
  try {
    if (!video_.retrieve(decoded_) || decoded_.cols != layout_.width ||
        decoded_.rows != layout_.height || decoded_.type() != CV_8UC3)
      return failure(Errc::damaged, "decode video frame", path_);
    cv::Mat target = mat_of(layout_, out);
    if (layout_.format == PixelFormat::bgr24) {
      decoded_.copyTo(target);
    } else {
      cv::cvtColor(decoded_, target,
                   layout_.format == PixelFormat::rgb24 ? cv::COLOR_BGR2RGB : cv::COLOR_BGR2GRAY);
    }
  } catch (const std::exception&) {
    return failure(Errc::damaged, "decode video frame", path_);
  }
  return Done{};
}

}  // namespace

Result<std::unique_ptr<PictureReader>> open_video(const CameraSettings& settings) {
  quieten_opencv();
  auto reader = std::make_unique<VideoReader>(settings);
  try {
    if (Status started = reader->start(settings); !started) return started.error();
  } catch (const std::exception&) {
    return failure(Errc::damaged, "open video: unreadable", settings.device);
  }
  return std::unique_ptr<PictureReader>{std::move(reader)};
}

}  // namespace kerb::replay

#else

namespace kerb::replay {

Result<std::unique_ptr<PictureReader>> open_video(const CameraSettings& settings) {
  return failure(Errc::unsupported, "video: built without OpenCV", settings.device);
}

}  // namespace kerb::replay

#endif
