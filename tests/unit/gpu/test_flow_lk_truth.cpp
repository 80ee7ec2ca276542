// SPDX-License-Identifier: Apache-2.0
// Lucas-Kanade against the truth of Middlebury's pairs, and against OpenCV's DIS on the same pairs.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/video/tracking.hpp>
#include <string>
#include <vector>

#include "gpu/flow/lucas_kanade.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using namespace kerb::flow;

namespace {

std::string folder() {
  const char* set = std::getenv("KERB_DATA");
  return std::string{set != nullptr ? set : KERB_DATA_DEFAULT} + "/flow/";
}

struct Truth {
  int width = 0, height = 0;
  std::vector<float> vectors;  // u, v
};
Truth read_truth(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  float magic = 0;
  Truth truth;
  in.read(reinterpret_cast<char*>(&magic), 4);
  in.read(reinterpret_cast<char*>(&truth.width), 4);
  in.read(reinterpret_cast<char*>(&truth.height), 4);
  if (!in || magic != 202021.25F || truth.width < 1 || truth.width > 9999 || truth.height < 1 ||
      truth.height > 9999)
    return {};
  truth.vectors.resize(2 * static_cast<std::size_t>(truth.width) *
                       static_cast<std::size_t>(truth.height));
  in.read(reinterpret_cast<char*>(truth.vectors.data()),
          static_cast<std::streamsize>(truth.vectors.size() * sizeof(float)));
  return in ? truth : Truth{};
}

/// The mean distance to the truth over all pixels whose truth is known; `vector(x, y, u, v)` gives
/// ours. With `trusted`, over those it says yes to.
template <typename VectorAt, typename Trusted>
double end_point_error(const Truth& truth, const VectorAt& vector, const Trusted& trusted) {
  double sum = 0;
  std::size_t count = 0;
  for (int y = 0; y < truth.height; ++y)
    for (int x = 0; x < truth.width; ++x) {
      const std::size_t at =
          2 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(truth.width) +
               static_cast<std::size_t>(x));
      const float true_u = truth.vectors[at], true_v = truth.vectors[at + 1];
      if (std::fabs(true_u) > 1e9F || std::fabs(true_v) > 1e9F || !trusted(x, y)) continue;
      float u = 0, v = 0;
      vector(x, y, u, v);
      sum += std::hypot(static_cast<double>(u - true_u), static_cast<double>(v - true_v));
      ++count;
    }
  return sum / static_cast<double>(count);
}

struct Pair {
  const char* name;
  double limit;  // end-point error, all pixels; 0: what DIS has
};
constexpr Pair kPairs[] = {
    {"RubberWhale", 0.22}, {"Dimetrodon", 0}, {"Grove2", 0}, {"Urban2", 0}, {"Venus", 0}};

/// In its own frame, so that a failing assertion leaves nothing behind but this.
std::string judge(const Context& context, Workers& workers, const Pair& pair) {
  const std::string at = folder() + pair.name;
  const cv::Mat first = cv::imread(at + "/frame10.png", cv::IMREAD_GRAYSCALE);
  const cv::Mat second = cv::imread(at + "/frame11.png", cv::IMREAD_GRAYSCALE);
  const Truth truth = read_truth(at + "/flow10.flo");
  if (first.empty() || second.empty() || truth.width != first.cols || truth.height != first.rows)
    return std::string{pair.name} + ": cannot be read";
  auto made = make_lucas_kanade(context, workers, {}, first.cols, first.rows);
  auto field = FlowField::create(context, first.cols, first.rows);
  if (!made || !field) return "cannot be made";
  const auto view = [](const cv::Mat& m) {
    return Picture<Space::host>{m.data, m.cols, m.rows, static_cast<std::ptrdiff_t>(m.step[0])};
  };
  const FieldView<Space::host> out = field->host();
  if (Status ok = (*made)->run(view(first), view(second), out); !ok) return describe(ok.error());
  const auto ours = [&](int x, int y, float& u, float& v) {
    u = out.u[y * out.row_stride + x];
    v = out.v[y * out.row_stride + x];
  };
  const auto all = [](int, int) { return true; };
  const double error = end_point_error(truth, ours, all);
  const double trusted = end_point_error(
      truth, ours, [&](int x, int y) { return out.flags[y * out.row_stride + x] == kValid; });
  cv::Mat dis;
  cv::DISOpticalFlow::create(cv::DISOpticalFlow::PRESET_MEDIUM)->calc(first, second, dis);
  const double rival = end_point_error(
      truth,
      [&](int x, int y, float& u, float& v) {
        u = dis.at<cv::Vec2f>(y, x)[0];
        v = dis.at<cv::Vec2f>(y, x)[1];
      },
      all);
  std::printf("%s: %.4f px, %.4f where valid; DIS medium %.4f\n", pair.name, error, trusted, rival);
  if (pair.limit > 0 && error > pair.limit)
    return std::string{pair.name} + ": the error is over its limit";
  if (error > rival) return std::string{pair.name} + ": DIS is better";
  if (trusted > error) return std::string{pair.name} + ": flags say nothing of errors";
  return {};
}

TEST(errors_are_within_their_limits_and_below_those_of_dis) {
  Result<Context> context = Context::create(BackendChoice::cpu);
  Workers workers{2};
  std::string wrong;
  // All of them where the code is optimised; under sanitizers the first takes as long.
#if defined(__OPTIMIZE__)
  const std::size_t count = std::size(kPairs);
#else
  const std::size_t count = 1;
#endif
  for (std::size_t i = 0; i < count; ++i)
    if (const std::string said = judge(*context, workers, kPairs[i]); !said.empty())
      wrong += said + "; ";
  TEST_ASSERT_TRUE_MESSAGE(wrong.empty(), wrong.c_str());
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  if (!std::filesystem::exists(folder())) {
    std::printf("skipped: no pictures at %s: set KERB_DATA\n", folder().c_str());
    return Start::skip;
  }
  return Start::run;
}
