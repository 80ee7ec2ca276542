// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/pictures/pictures.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <opencv2/imgcodecs.hpp>

#include "drivers/replay/picture.hpp"
#include "drivers/replay/picture_files.hpp"
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
    picture.bgr = cv::imdecode(*file, cv::IMREAD_COLOR);
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
