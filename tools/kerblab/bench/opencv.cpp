// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/bench/opencv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>
#include <utility>
#include <vector>

#include "tools/bench/opencv_emd.hpp"
#include "tools/import/opencv_models.hpp"
#include "tools/kerblab/flow/methods.hpp"
#include "tools/kerblab/pictures/pictures.hpp"

namespace kerb::lab {
namespace {

using Grey = ImageView<Space::host, const std::uint8_t>;

/// OpenCV's detector with the same search, twice: raw windows, and with its default grouping.
std::vector<bench::Rival> opencv_rivals(const bench::HogCase& search, const Grey& grey,
                                        int threads) {
  cv::setNumThreads(threads);
  const auto hog = std::make_shared<cv::HOGDescriptor>();
  hog->setSVMDetector(cv::HOGDescriptor::getDefaultPeopleDetector());
  const cv::Mat picture{grey.height, grey.width, CV_8UC1, const_cast<std::uint8_t*>(grey.data),
                        static_cast<std::size_t>(grey.row_stride)};
  std::vector<bench::Rival> rivals;
  for (const double group : {0.0, 2.0})
    rivals.push_back({fmt::format("OpenCV, group {:.0f}", group), [=](int& people) -> Status {
                        try {
                          std::vector<cv::Rect> found;
                          hog->detectMultiScale(picture, found, 0, {search.stride, search.stride},
                                                {search.padding, search.padding}, search.scale,
                                                group);
                          people = static_cast<int>(found.size());
                        } catch (const std::exception&) {
                          return Error{Errc::device, 0, "OpenCV's detectMultiScale"};
                        }
                        return Done{};
                      }});
  return rivals;
}

/// OpenCV's flow methods; DIS medium, which all are compared with, comes first.
std::vector<bench::FlowRival> opencv_flows(const Grey& previous, const Grey& next, int threads) {
  cv::setNumThreads(threads);
  const auto mat = [](const Grey& view) {
    return cv::Mat{view.height, view.width, CV_8UC1, const_cast<std::uint8_t*>(view.data),
                   static_cast<std::size_t>(view.row_stride)};
  };
  std::vector<bench::FlowRival> rivals;
  for (const char* name :
       {"opencv-dis-medium", "opencv-dis-fast", "opencv-dis-ultrafast", "opencv-farneback"})
    rivals.push_back(
        {name, [a = mat(previous), b = mat(next), run = opencv_flow(name)]() -> Status {
           try {
             cv::Mat out;
             run(a, b, out);
           } catch (const std::exception&) {
             return Error{Errc::device, 0, "OpenCV's flow"};
           }
           return Done{};
         }});
  return rivals;
}

/// A real picture in any size: cut to the shape, then scaled.
cv::Mat fitted(const cv::Mat& whole, int width, int height) {
  const double scale =
      std::max(static_cast<double>(width) / whole.cols, static_cast<double>(height) / whole.rows);
  const int w = std::min(whole.cols, std::max(1, cvRound(width / scale)));
  const int h = std::min(whole.rows, std::max(1, cvRound(height / scale)));
  const cv::Mat part = whole(cv::Rect{(whole.cols - w) / 2, (whole.rows - h) / 2, w, h});
  cv::Mat out;
  cv::resize(part, out, {width, height}, 0, 0, scale < 1 ? cv::INTER_AREA : cv::INTER_CUBIC);
  return out;
}
std::vector<std::uint8_t> fitted_grey(const LoadedPicture& picture, int width, int height) {
  const cv::Mat whole{picture.bgr.rows, picture.bgr.cols, CV_8UC1,
                      const_cast<std::uint8_t*>(picture.grey.data())};
  const cv::Mat out = fitted(whole, width, height);
  return {out.data, out.data + out.total()};
}
/// R, G and B planes.
std::vector<std::uint8_t> fitted_colours(const LoadedPicture& picture, int width, int height) {
  std::vector<cv::Mat> bgr(3);
  cv::split(fitted(picture.bgr, width, height), bgr);
  std::vector<std::uint8_t> planes;
  for (const int c : {2, 1, 0}) {
    const cv::Mat& plane = bgr[static_cast<std::size_t>(c)];
    planes.insert(planes.end(), plane.data, plane.data + plane.total());
  }
  return planes;
}

}  // namespace

Status add_opencv(bench::HogBench& bench) {
  bench.rivals = opencv_rivals;
  if (!bench.models.empty()) return Done{};
  Result<hog::Model> people = default_people_detector();
  if (!people) return people.error();
  bench.people = std::move(*people);
  return Done{};
}
void add_opencv(bench::FlowBench& bench) { bench.rivals = opencv_flows; }
void add_opencv(bench::EmdBench& bench) {
  bench.rival = bench::opencv_emd;
  bench.rival_name = "cv::EMD";
}

Result<FittedPicture> fitted_picture(const std::string& path) {
  Result<LoadedPicture> loaded = load_picture(path, false);
  if (!loaded) return loaded.error();
  const auto picture = std::make_shared<LoadedPicture>(std::move(*loaded));
  return FittedPicture{
      [picture](int width, int height) { return fitted_grey(*picture, width, height); },
      [picture](int width, int height) { return fitted_colours(*picture, width, height); }};
}

Result<bench::GreyPicture> grey_file(const std::string& path) {
  Result<LoadedPicture> loaded = load_picture(path, false);
  if (!loaded) return loaded.error();
  return bench::GreyPicture{loaded->bgr.cols, loaded->bgr.rows, std::move(loaded->grey)};
}

}  // namespace kerb::lab
