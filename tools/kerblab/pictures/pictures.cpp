// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/pictures/pictures.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <sstream>

#include "drivers/replay/picture.hpp"
#include "drivers/replay/picture_files.hpp"
#include "gpu/image/to_grey.hpp"

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

Status check_plain(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) return Done{};
  return failure(Errc::invalid_argument, "not a plain file", path);
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
    return failure(Errc::damaged, "picture of more than 65535 pixels a side", path);
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

Result<std::vector<std::string>> expand_list(const std::vector<std::string>& words) {
  std::vector<std::string> paths;
  for (const std::string& word : words) {
    if (word.empty() || word.front() != '@') {
      paths.push_back(word);
      continue;
    }
    const std::string list = word.substr(1);
    if (Status plain = check_plain(list); !plain) return plain.error();
    const Result<std::vector<std::uint8_t>> file = replay::read_file(list);
    if (!file) return failure(file.error().code, "read list", list, file.error().native);
    std::istringstream text{std::string{file->begin(), file->end()}};
    for (std::string line; std::getline(text, line);) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (!line.empty()) paths.push_back(line);
    }
  }
  if (paths.empty()) return Error{Errc::invalid_argument, 0, "detect", "no picture is named"};
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
      return failure(Errc::invalid_argument, "not a picture but a folder", path);
    if (Status plain = check_plain(path); !plain) return plain.error();
    if (::access(path.c_str(), R_OK) != 0)
      return failure(Errc::not_found, "read picture", path, errno);
  }
  return paths;
}

}  // namespace kerb::lab
