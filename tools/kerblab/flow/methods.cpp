// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/flow/methods.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>
#include <utility>

#include "gpu/flow/block_matching.hpp"
#include "gpu/flow/lucas_kanade.hpp"

namespace kerb::lab {
namespace {

using Make = std::function<Result<std::unique_ptr<flow::Estimator>>(int width, int height)>;

class Ours final : public FlowMethod {
 public:
  explicit Ours(Make make) : make_{std::move(make)} {}

  Status prepare(int width, int height) override {
    if (estimator_ != nullptr && width == width_ && height == height_) return Done{};
    Result<std::unique_ptr<flow::Estimator>> made = make_(width, height);
    if (!made) return made.error();
    estimator_ = std::move(*made);
    width_ = width;
    height_ = height;
    return Done{};
  }
  Status run(const GreyView& previous, const GreyView& next, const GreyView& mask,
             Field& out) override {
    out.quality.resize(out.size());
    out.flags.resize(out.size());
    const flow::FieldView<Space::host> view{out.u.data(),     out.v.data(), out.quality.data(),
                                            out.flags.data(), out.width,    out.height,
                                            out.width};
    return estimator_->run(previous, next, mask, view);
  }
  [[nodiscard]] std::size_t bytes() const noexcept override {
    return estimator_ != nullptr ? estimator_->bytes() : 0;
  }
  [[nodiscard]] std::size_t windows() const noexcept override {
    return estimator_ != nullptr ? estimator_->windows() : 1;
  }

 private:
  Make make_;
  std::unique_ptr<flow::Estimator> estimator_;
  int width_ = 0, height_ = 0;
};

cv::Mat mat_of(const GreyView& view) {
  return {view.height, view.width, CV_8UC1, const_cast<std::uint8_t*>(view.data),
          static_cast<std::size_t>(view.row_stride)};
}

/// One of OpenCV's, which gives two floats a pixel.
class Theirs final : public FlowMethod {
 public:
  explicit Theirs(OpencvFlow compute) : compute_{std::move(compute)} {}

  Status prepare(int width, int height) override {
    constexpr int kLeast = 16;  // DIS ends the program on less
    if (width < kLeast || height < kLeast)
      return Error{Errc::invalid_argument, 0, "flow", "must be at least 16 pixels wide and high"};
    return Done{};
  }
  Status run(const GreyView& previous, const GreyView& next, const GreyView& mask,
             Field& out) override {
    if (mask.data != nullptr)
      return Error{Errc::unsupported, 0, "--mask", "OpenCV's methods have no mask"};
    try {
      cv::Mat flow;
      compute_(mat_of(previous), mat_of(next), flow);
      for (int y = 0; y < out.height; ++y)
        for (int x = 0; x < out.width; ++x) {
          const auto i = static_cast<std::size_t>(y) * static_cast<std::size_t>(out.width) +
                         static_cast<std::size_t>(x);
          const auto& vector = flow.at<cv::Point2f>(y, x);
          out.u[i] = vector.x;
          out.v[i] = vector.y;
        }
    } catch (const std::exception&) {
      return Error{Errc::device, 0, "OpenCV's flow"};
    }
    return Done{};
  }

 private:
  OpencvFlow compute_;
};

OpencvFlow dis(int preset) {
  const cv::Ptr<cv::DISOpticalFlow> method = cv::DISOpticalFlow::create(preset);
  return [method](const cv::Mat& a, const cv::Mat& b, cv::Mat& out) {
    out.release();  // what is in it would be where it starts from
    method->calc(a, b, out);
  };
}

void farneback(const cv::Mat& a, const cv::Mat& b, cv::Mat& out) {
  cv::calcOpticalFlowFarneback(a, b, out, 0.5, 5, 15, 3, 5, 1.1, 0);
}

/// Lucas-Kanade at every pixel as a point of its own, with its default window of 21 x 21.
void sparse_everywhere(const cv::Mat& a, const cv::Mat& b, cv::Mat& out) {
  std::vector<cv::Point2f> from, to;
  for (int y = 0; y < a.rows; ++y)
    for (int x = 0; x < a.cols; ++x)
      from.emplace_back(static_cast<float>(x), static_cast<float>(y));
  std::vector<unsigned char> status;
  std::vector<float> error;
  cv::calcOpticalFlowPyrLK(a, b, from, to, status, error);
  out.create(a.rows, a.cols, CV_32FC2);
  for (std::size_t i = 0; i < from.size(); ++i)
    out.at<cv::Point2f>(static_cast<int>(i)) = to[i] - from[i];
}

void sparse_with_median(const cv::Mat& a, const cv::Mat& b, cv::Mat& out) {
  cv::Mat raw, planes[2];
  sparse_everywhere(a, b, raw);
  cv::split(raw, planes);
  for (cv::Mat& plane : planes) cv::medianBlur(plane, plane, 5);
  cv::merge(planes, 2, out);
}

}  // namespace

const std::vector<MethodName>& flow_methods() {
  static const std::vector<MethodName> methods{
      {"lk", "Lucas-Kanade", true},
      {"ncc", "block matching, normalised cross-correlation", true},
      {"ssd", "block matching, squared differences", true},
      {"sad", "block matching, absolute differences", true},
      {"opencv-dis-ultrafast", "OpenCV's DIS, ultrafast", false},
      {"opencv-dis-fast", "OpenCV's DIS, fast", false},
      {"opencv-dis-medium", "OpenCV's DIS, medium", false},
      {"opencv-farneback", "OpenCV's Farneback", false},
      {"opencv-lk", "OpenCV's pyramidal Lucas-Kanade at every pixel", false},
      {"opencv-lk-median", "the same with a 5 x 5 median", false}};
  return methods;
}

OpencvFlow opencv_flow(const std::string& name) {
  if (name == "opencv-dis-ultrafast") return dis(cv::DISOpticalFlow::PRESET_ULTRAFAST);
  if (name == "opencv-dis-fast") return dis(cv::DISOpticalFlow::PRESET_FAST);
  if (name == "opencv-dis-medium") return dis(cv::DISOpticalFlow::PRESET_MEDIUM);
  if (name == "opencv-farneback") return farneback;
  if (name == "opencv-lk") return sparse_everywhere;
  if (name == "opencv-lk-median") return sparse_with_median;
  return {};
}

Result<std::unique_ptr<FlowMethod>> make_flow_method(const std::string& name,
                                                     const Context& context, Workers& workers,
                                                     const FlowSettings& settings) {
  if (name.rfind("opencv-", 0) == 0 &&
      (settings.levels > 0 || settings.reach > 0 || settings.tile > 0))
    return Error{Errc::unsupported, 0, "--method",
                 "OpenCV's methods have no --levels, --reach and --tile"};
  if (OpencvFlow compute = opencv_flow(name)) {
    cv::setNumThreads(workers.count());
    return std::unique_ptr<FlowMethod>{std::make_unique<Theirs>(std::move(compute))};
  }

  const auto ours = [](Make make) -> std::unique_ptr<FlowMethod> {
    return std::make_unique<Ours>(std::move(make));
  };
  if (name == "lk") {
    flow::LucasKanadeSettings lk;
    if (settings.levels > 0) lk.pyramid.levels = settings.levels;
    return ours([&context, &workers, lk, s = settings](int w, int h) {
      const int tile = s.tile;
      const auto bounded = s.reach > 0 ? flow::within_reach(lk, s.reach, w, h) : lk;
      return tile > 0 ? flow::make_tiled_lucas_kanade(context, workers, bounded, w, h, tile)
                      : flow::make_lucas_kanade(context, workers, bounded, w, h);
    });
  }
  for (const flow::Cost cost : {flow::Cost::ncc, flow::Cost::ssd, flow::Cost::sad}) {
    if (name != flow::name_of(cost)) continue;
    flow::BlockMatchingSettings bm;
    bm.cost = cost;
    if (settings.reach > 0) bm = flow::within_reach(bm, settings.reach);
    if (settings.levels > 0) bm.levels = settings.levels;
    if (Status ok = flow::validate(bm); !ok) return ok.error();
    return ours([&context, &workers, bm, tile = settings.tile](int w, int h) {
      return tile > 0 ? flow::make_tiled_block_matching(context, workers, bm, w, h, tile)
                      : flow::make_block_matching(context, workers, bm, w, h);
    });
  }
  return Error{Errc::invalid_argument, 0, "--method", "no such method"};
}

}  // namespace kerb::lab
