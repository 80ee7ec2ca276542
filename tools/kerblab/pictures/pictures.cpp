// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/pictures/pictures.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string_view>
#include <utility>

#include "drivers/replay/picture.hpp"
#include "drivers/replay/picture_files.hpp"
#include "gpu/image/count_range.hpp"
#include "gpu/image/to_grey.hpp"
#include "tools/kerblab/app/input_files.hpp"

namespace kerb::lab {
namespace {

using replay::failure;

constexpr int kMaxSide = 65535;

/// libpng and libjpeg tell their troubles on stderr themselves; ours is one line of our own. Sends
/// stderr nowhere while it lives.
class QuietStderr {
 public:
  QuietStderr() : kept_{::dup(STDERR_FILENO)} {
    std::fflush(stderr);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (kept_ >= 0 && nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
    if (nowhere >= 0) ::close(nowhere);
  }
  ~QuietStderr() {
    std::fflush(stderr);
    if (kept_ < 0) return;
    ::dup2(kept_, STDERR_FILENO);
    ::close(kept_);
  }
  QuietStderr(const QuietStderr&) = delete;
  QuietStderr& operator=(const QuietStderr&) = delete;

 private:
  int kept_;
};

Status make_grey(LoadedPicture& picture) {
  RawImageView<Space::host> in;
  in.data = picture.bgr.data;
  in.width = picture.bgr.cols;
  in.height = picture.bgr.rows;
  in.row_stride = static_cast<std::ptrdiff_t>(picture.bgr.step);
  in.format = PixelFormat::bgr24;
  picture.grey.resize(picture.bgr.total());
  return cpu::to_grey(in, {picture.grey.data(), in.width, in.height, in.width});
}

void make_planes(LoadedPicture& picture) {
  picture.planes.resize(3 * picture.bgr.total());
  std::uint8_t* out = picture.planes.data();
  for (const int channel : {2, 1, 0})
    for (int y = 0; y < picture.bgr.rows; ++y) {
      const std::uint8_t* row = picture.bgr.ptr<std::uint8_t>(y);
      for (int x = 0; x < picture.bgr.cols; ++x) *out++ = row[3 * x + channel];
    }
}

/// Whether a file may hold 16-bit grey samples: decoding it twice is not worth it for all.
bool may_hold_counts(const std::vector<std::uint8_t>& file) {
  const auto begins = [&file](std::string_view magic) {
    return file.size() >= magic.size() &&
           std::equal(magic.begin(), magic.end(), file.begin(),
                      [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
  };
  constexpr std::size_t kPngDepth = 24, kPngColour = 25;
  if (begins("\x89PNG"))
    return file.size() > kPngColour && file[kPngDepth] == 16 && file[kPngColour] == 0;
  return begins("P5") || begins("P2") || begins("II*") || begins("MM");
}

/// Counts of a thermal camera, in the range that the product finds for its first picture.
Result<cv::Mat> from_counts(const cv::Mat& counts) {
  Result<CountRange> range = CountRange::create({}, 16);
  if (!range) return range.error();
  RawImageView<Space::host> in;
  in.data = counts.ptr<std::uint8_t>();
  in.width = counts.cols;
  in.height = counts.rows;
  in.row_stride = static_cast<std::ptrdiff_t>(counts.step[0]);
  in.format = PixelFormat::grey16;
  std::vector<std::uint32_t> histogram(std::size_t{1} << 16);
  if (Status counted = cpu::count_samples(in, histogram.data()); !counted) return counted.error();
  cv::Mat grey(counts.rows, counts.cols, CV_8UC1), bgr;
  const ImageView<Space::host, std::uint8_t> out{grey.ptr<std::uint8_t>(), grey.cols, grey.rows,
                                                 static_cast<std::ptrdiff_t>(grey.step[0])};
  if (Status mapped = cpu::map_counts(in, range->update(histogram.data(), counts.total()), out);
      !mapped)
    return mapped.error();
  cv::cvtColor(grey, bgr, cv::COLOR_GRAY2BGR);
  return bgr;
}

}  // namespace

hog::Picture<Space::host> LoadedPicture::view() const noexcept {
  hog::Picture<Space::host> view;
  view.grey = {grey.data(), bgr.cols, bgr.rows, bgr.cols};
  if (!planes.empty())
    view.rgb = {planes.data(), 3,        bgr.cols,
                bgr.rows,      bgr.cols, static_cast<std::ptrdiff_t>(bgr.total())};
  return view;
}

Result<LoadedPicture> load_picture(const std::string& path, bool colour) {
  if (Status plain = check_plain(path); !plain) return plain.error();
  const Result<std::vector<std::uint8_t>> file = replay::read_file(path);
  if (!file) return failure(file.error().code, "read picture", path, file.error().native);
  if (file->empty()) return failure(Errc::damaged, "empty picture", path);
  if (!replay::is_whole(*file)) return failure(Errc::damaged, "truncated picture", path);
  LoadedPicture picture;
  try {
    const QuietStderr quiet;
    cv::Mat counts;
    if (may_hold_counts(*file))
      counts = cv::imdecode(*file, cv::IMREAD_ANYDEPTH | cv::IMREAD_ANYCOLOR);
    if (counts.type() == CV_16UC1 && !counts.empty()) {
      Result<cv::Mat> bgr = from_counts(counts);
      if (!bgr) return bgr.error();
      picture.bgr = std::move(*bgr);
    } else {
      picture.bgr = cv::imdecode(*file, cv::IMREAD_COLOR);
    }
  } catch (const std::exception&) {  // cv::Exception, bad_alloc for absurd sizes
    return failure(Errc::damaged, "unreadable picture", path);
  }
  if (picture.bgr.empty()) return failure(Errc::damaged, "unreadable picture", path);
  if (picture.bgr.cols > kMaxSide || picture.bgr.rows > kMaxSide)
    return failure(Errc::damaged, "picture of more than 65535 pixels width or height", path);
  if (Status grey = make_grey(picture); !grey) return grey.error();
  if (colour) make_planes(picture);
  return picture;
}

Result<LoadedPicture> picture_of(const cv::Mat& bgr) {
  LoadedPicture picture;
  picture.bgr = bgr;
  if (Status grey = make_grey(picture); !grey) return grey.error();
  return picture;
}

}  // namespace kerb::lab
