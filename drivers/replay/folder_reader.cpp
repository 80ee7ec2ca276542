// SPDX-License-Identifier: Apache-2.0
#include "drivers/replay/folder_reader.hpp"

#if KERB_OPENCV
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <vector>

#include "drivers/replay/opencv.hpp"
#include "drivers/replay/picture_files.hpp"

namespace kerb::replay {
namespace {

/// How to read pictures as a format: imread flags, and the kind of matrix that must come out.
struct Reading {
  int flags;
  int type;
};
Reading reading_of(PixelFormat format) {
  switch (format) {
    case PixelFormat::bgr24:
    case PixelFormat::rgb24:
      return {cv::IMREAD_COLOR, CV_8UC3};
    case PixelFormat::grey8:
      return {cv::IMREAD_GRAYSCALE, CV_8UC1};
    case PixelFormat::grey16:
      return {cv::IMREAD_ANYDEPTH, CV_16UC1};
    // Recorded raw: nothing may touch the samples.
    default:
      return {cv::IMREAD_UNCHANGED, bit_depth(format) == 8 ? CV_8UC1 : CV_16UC1};
  }
}

PixelFormat format_of(const cv::Mat& picture) {
  if (picture.type() == CV_16UC1) return PixelFormat::grey16;
  return picture.channels() == 1 ? PixelFormat::grey8 : PixelFormat::bgr24;
}

/// Fails with damaged, whatever the reason: the other pictures may be good.
Result<cv::Mat> read_picture(const std::string& path, int flags) {
  const Result<std::vector<std::uint8_t>> file = read_file(path);
  if (!file) return failure(Errc::damaged, "read picture", path, file.error().native);
  if (!is_whole(*file)) return failure(Errc::damaged, "truncated picture", path);
  try {
    if (file->empty()) return failure(Errc::damaged, "empty picture", path);
    cv::Mat picture = cv::imdecode(*file, flags);
    if (picture.empty()) return failure(Errc::damaged, "unreadable picture", path);
    return picture;
  } catch (const std::exception&) {  // cv::Exception, bad_alloc for absurd sizes
    return failure(Errc::damaged, "unreadable picture", path);
  }
}

class FolderReader final : public PictureReader {
 public:
  FolderReader(std::vector<std::string> files, const PictureLayout& layout,
               const CameraSettings& settings)
      : files_{std::move(files)},
        layout_{layout},
        reading_{reading_of(layout.format)},
        rate_hz_{settings.rate_hz},
        loop_{settings.loop},
        name_{tail_of<64>(settings.device)} {}

  [[nodiscard]] Text<64> name() const override { return name_; }
  [[nodiscard]] const PictureLayout& layout() const override { return layout_; }
  [[nodiscard]] double rate_hz() const override { return rate_hz_; }
  [[nodiscard]] std::uint64_t length() const override { return loop_ ? kEndless : files_.size(); }
  void skip(std::uint64_t count) override { at_ += count; }
  Status read(std::uint8_t* out) override;

 private:
  std::vector<std::string> files_;
  PictureLayout layout_;
  Reading reading_;
  double rate_hz_;
  bool loop_;
  Text<64> name_;
  std::uint64_t at_ = 0;
};

Status FolderReader::read(std::uint8_t* out) {
  if (at_ >= length()) return failure(Errc::end, "play folder", name_.view());
  const std::string& path = files_[at_++ % files_.size()];
  const Result<cv::Mat> picture = read_picture(path, reading_.flags);
  if (!picture) return picture.error();
  if (picture->cols != layout_.width || picture->rows != layout_.height)
    return failure(Errc::damaged, "picture size differs from the first",
                   path + ": " + std::to_string(picture->cols) + "x" +
                       std::to_string(picture->rows) + ", expected " +
                       std::to_string(layout_.width) + "x" + std::to_string(layout_.height));
  if (picture->type() != reading_.type)
    return failure(Errc::damaged, "picture format differs from the first",
                   path + ": expected " + name_of(layout_.format));
  try {
    cv::Mat target = mat_of(layout_, out);
    if (layout_.format == PixelFormat::rgb24) {
      cv::cvtColor(*picture, target, cv::COLOR_BGR2RGB);
    } else {
      picture->copyTo(target);
    }
  } catch (const std::exception&) {
    return failure(Errc::damaged, "convert picture", path);
  }
  return Done{};
}

}  // namespace

Result<std::unique_ptr<PictureReader>> open_folder(const CameraSettings& settings) {
  quieten_opencv();
  Result<std::vector<std::string>> files = list_pictures(settings.device);
  if (!files) return files.error();
  const bool is_auto = settings.format == "auto";
  const Result<PixelFormat> asked = parse_format(settings.format, PixelFormat::bgr24);
  if (!asked) return asked.error();
  if (!is_single_sample(*asked) && *asked != PixelFormat::bgr24 && *asked != PixelFormat::rgb24)
    return failure(Errc::unsupported, "pictures as", settings.format);
  const int flags = is_auto ? cv::IMREAD_ANYDEPTH | cv::IMREAD_ANYCOLOR : reading_of(*asked).flags;

  Result<cv::Mat> first = read_picture(files->front(), flags);
  for (std::size_t i = 1; !first && i < files->size(); ++i) {
    Result<cv::Mat> other = read_picture((*files)[i], flags);
    if (other) first = std::move(other);
  }
  if (!first) return first.error();
  const PixelFormat format = is_auto ? format_of(*first) : *asked;
  if (!is_auto && first->type() != reading_of(format).type)
    return failure(Errc::unsupported, "the folder's pictures are not", settings.format);
  const Result<PictureLayout> layout =
      make_layout(format, first->cols, first->rows, settings.mosaic);
  if (!layout) return layout.error();
  return std::unique_ptr<PictureReader>{new FolderReader{*std::move(files), *layout, settings}};
}

}  // namespace kerb::replay

#else

namespace kerb::replay {

Result<std::unique_ptr<PictureReader>> open_folder(const CameraSettings& settings) {
  return failure(Errc::unsupported, "folder of pictures: built without OpenCV", settings.device);
}

}  // namespace kerb::replay

#endif
