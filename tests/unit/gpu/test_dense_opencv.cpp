// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>
#include <string>
#include <vector>

#include "gpu/hog/dense_descriptor.hpp"
#include "gpu/hog/engine.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/test_dense.hpp"

// OpenCV is the judge: its HOGDescriptor on the same pictures, with its own weights.
using namespace kerb;
using namespace kerb::hog;
using namespace kerb::test;
using HostPicture = hog::Picture<Space::host>;

namespace {

/// Where value `i` of OpenCV's 3780 is in ours: its blocks and cells go down columns.
std::size_t ours(int i) {
  const int bin = i % 9, cell = i / 9 % 4, block = i / 36;
  const int bx = block / 15, by = block % 15, cx = cell / 2, cy = cell % 2;
  return static_cast<std::size_t>(((by * 7 + bx) * 4 + cy * 2 + cx) * 9 + bin);
}

DenseModel default_people() {
  const std::vector<float> theirs = cv::HOGDescriptor::getDefaultPeopleDetector();
  DenseModel model;
  model.weights.resize(3780);
  for (int i = 0; i < 3780; ++i) model.weights[ours(i)] = theirs[static_cast<std::size_t>(i)];
  model.bias = theirs[3780];
  return model;
}

/// A picture for both: OpenCV wants B G R beside each other, we want planes.
struct Both {
  cv::Mat mat;     // grey or BGR
  cv::Mat planes;  // grey, R, G, B, below each other

  explicit Both(const cv::Mat& from) : mat{from.clone()} {
    const int h = mat.rows;
    planes.create(4 * h, mat.cols, CV_8U);
    if (mat.channels() == 1) {
      mat.copyTo(planes.rowRange(0, h));
      return;
    }
    cv::cvtColor(mat, planes.rowRange(0, h), cv::COLOR_BGR2GRAY);
    for (int i = 0; i < 3; ++i)
      cv::extractChannel(mat, planes.rowRange((3 - i) * h, (4 - i) * h), i);
  }
  [[nodiscard]] HostPicture view() const {
    HostPicture picture;
    const auto stride = static_cast<std::ptrdiff_t>(planes.step[0]);
    picture.grey = {planes.data, mat.cols, mat.rows, stride};
    if (mat.channels() == 3)
      picture.rgb = {
          planes.data + stride * mat.rows, 3, mat.cols, mat.rows, stride, stride * mat.rows};
    return picture;
  }
};

cv::Mat scene(int width, int height, std::uint64_t seed, bool colour) {
  DenseScene made{width, height, seed};
  cv::Mat mat(height, width, colour ? CV_8UC3 : CV_8U);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      if (colour)
        mat.at<cv::Vec3b>(y, x) = {made.at(3, x, y), made.at(2, x, y), made.at(1, x, y)};
      else
        mat.at<std::uint8_t>(y, x) = made.at(0, x, y);
    }
  return mat;
}

/// A few real pictures, or none where there is no data.
std::vector<cv::Mat> real_pictures(std::size_t count) {
  const char* named = std::getenv("KERB_DATA");
  const std::filesystem::path folder =
      std::filesystem::path{named != nullptr ? named : KERB_DATA_DEFAULT} / "ped_test" /
      "inria_test_A";
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator{folder, error})
    files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  std::vector<cv::Mat> pictures;
  const std::size_t step = std::max<std::size_t>(1, files.size() / count);
  for (std::size_t i = 0; i < files.size() && pictures.size() < count; i += step) {
    cv::Mat picture = cv::imread(files[i], cv::IMREAD_COLOR);
    if (!picture.empty()) pictures.push_back(picture);
  }
  return pictures;
}

/// Where two channels have the same length of gradient, OpenCV's choice depends on whether its
/// compiler fused products and sums; then the window is not a fair comparison. Lengths within 1e-5
/// count as the same. Without gamma they are whole numbers, and the choice is clear.
bool has_a_tie(const cv::Mat& patch, bool gamma) {
  if (patch.channels() == 1 || !gamma) return false;
  for (int y = 0; y < patch.rows; ++y)
    for (int x = 0; x < patch.cols; ++x) {
      double norms[3], dxs[3], dys[3];
      for (int c = 0; c < 3; ++c) {
        const auto sample = [&](int px, int py) {
          px = px < 0 ? 1 : px >= patch.cols ? patch.cols - 2 : px;
          py = py < 0 ? 1 : py >= patch.rows ? patch.rows - 2 : py;
          return std::sqrt(static_cast<double>(patch.at<cv::Vec3b>(py, px)[c]));
        };
        dxs[c] = sample(x + 1, y) - sample(x - 1, y);
        dys[c] = sample(x, y + 1) - sample(x, y - 1);
        norms[c] = dxs[c] * dxs[c] + dys[c] * dys[c];
      }
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < a; ++b) {
          const bool largest =
              std::max(norms[a], norms[b]) >= std::max({norms[0], norms[1], norms[2]}) * (1 - 1e-5);
          const bool same = std::abs(norms[a] - norms[b]) <= 1e-5 * norms[a];
          const bool along = std::abs(dxs[a] * dys[b] - dys[a] * dxs[b]) <= 1e-6 * norms[a];
          if (largest && same && !along && norms[a] > 0) return true;
        }
    }
  return false;
}

struct Compared {
  int patches = 0, ties = 0;
  double worst = 0;
};
void compare_descriptors(const cv::Mat& mat, bool gamma, Compared& sum) {
  cv::HOGDescriptor hog;
  hog.gammaCorrection = gamma;
  DenseModel model;
  model.gamma = gamma;
  for (int y = 0; y + 128 <= mat.rows; y += 97)
    for (int x = 0; x + 64 <= mat.cols; x += 131) {
      const Both patch{mat(cv::Rect{x, y, 64, 128})};
      ++sum.patches;
      if (has_a_tie(patch.mat, gamma)) {
        ++sum.ties;
        continue;
      }
      std::vector<float> theirs;
      hog.compute(patch.mat, theirs);
      Result<std::vector<float>> mine = descriptor(model, patch.view());
      TEST_ASSERT_OK(mine);
      TEST_ASSERT_EQUAL(theirs.size(), mine->size());
      for (int i = 0; i < 3780; ++i)
        sum.worst = std::max(
            sum.worst,
            std::abs(static_cast<double>(theirs[static_cast<std::size_t>(i)] - (*mine)[ours(i)])));
    }
}

void check_descriptors(const std::vector<cv::Mat>& pictures) {
  for (bool gamma : {true, false}) {
    Compared grey, colour;
    for (const cv::Mat& picture : pictures) {
      cv::Mat plain;
      cv::cvtColor(picture, plain, cv::COLOR_BGR2GRAY);
      compare_descriptors(plain, gamma, grey);
      compare_descriptors(picture, gamma, colour);
    }
    std::printf("gamma %d: grey %d windows, worst %.1e; colour %d, %d with ties, worst %.1e\n",
                gamma, grey.patches, grey.worst, colour.patches, colour.ties, colour.worst);
    TEST_ASSERT_TRUE(grey.patches > 0 && colour.patches > colour.ties);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0, grey.worst);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0, colour.worst);
  }
}

/// The same windows, level by level, at OpenCV's threshold and at one that a fifth of them reach.
/// Scores within 1e-4 of the threshold may fall on either side of it.
void check_windows(const cv::Mat& mat, double scale_step) {
  // Colour: a pixel with a tie, see has_a_tie(), moves a score by up to some 1e-3.
  const double slack = mat.channels() == 3 ? 0.01 : 1e-4;
  const Both picture{mat};
  Workers workers{1};
  SearchSettings settings;
  settings.scale_step = scale_step;
  const DenseModel model = default_people();
  auto engine = make_dense_cpu(workers, {"", model}, settings, mat.cols, mat.rows);
  TEST_ASSERT_OK(engine);
  cv::HOGDescriptor hog;
  hog.setSVMDetector(cv::HOGDescriptor::getDefaultPeopleDetector());
  const SearchPlan& plan = (*engine)->plan();
  Result<Engine::Hits> everything = (*engine)->search(picture.view(), -1e9F);
  TEST_ASSERT_OK(everything);
  std::vector<float> all;
  for (int i = 0; i < everything->count; ++i) all.push_back(everything->data[i].score);
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() * 4 / 5),
                   all.end());
  for (double threshold : {0.0, static_cast<double>(all[all.size() * 4 / 5])}) {
    Result<Engine::Hits> hits =
        (*engine)->search(picture.view(), static_cast<float>(threshold - slack));
    TEST_ASSERT_OK(hits);
    int next = 0, theirs = 0, edge = 0;
    double worst = 0;
    for (std::size_t i = 0; i < plan.windows.size(); ++i) {
      const Level& level = plan.pyramid.levels[i];
      cv::Mat scaled;
      cv::resize(mat, scaled, {level.image_width, level.image_height}, 0, 0,
                 cv::INTER_LINEAR_EXACT);
      std::vector<cv::Point> places;
      std::vector<double> scores;
      hog.detect(scaled, places, scores, threshold, {8, 8}, {0, 0});
      std::map<int, double> found;
      for (std::size_t k = 0; k < places.size(); ++k)
        found[plan.windows[i].first_window + places[k].y / 8 * plan.windows[i].columns +
              places[k].x / 8] = scores[k];
      theirs += static_cast<int>(places.size());
      const int end = plan.windows[i].first_window + plan.windows[i].columns * plan.windows[i].rows;
      for (; next < hits->count && hits->data[next].window < end; ++next) {
        const Hit& hit = hits->data[next];
        const auto match = found.find(hit.window);
        if (match == found.end()) {
          ++edge;
          TEST_ASSERT_DOUBLE_WITHIN(slack, threshold, static_cast<double>(hit.score));
          continue;
        }
        worst = std::max(worst, std::abs(match->second - static_cast<double>(hit.score)));
        found.erase(match);
      }
      for (const auto& [window, score] : found) {
        char text[100];
        std::snprintf(text, sizeof text, "window %d, score %g, only OpenCV found", window, score);
        TEST_FAIL_MESSAGE(text);
      }
    }
    TEST_ASSERT_EQUAL(hits->count, next);
    std::printf(
        "%dx%dx%d step %.2f threshold %4.1f: OpenCV %d windows, ours %d, %d on the edge, "
        "scores differ by %.1e at most\n",
        mat.cols, mat.rows, mat.channels(), scale_step, threshold, theirs, hits->count, edge,
        worst);
    TEST_ASSERT_DOUBLE_WITHIN(slack, 0, worst);
  }
}

/// detectMultiScale itself, with its own levels: the raw windows are ours, as rectangles.
void check_multi_scale(const cv::Mat& mat, double threshold) {
  const Both picture{mat};
  Workers workers{1};
  SearchSettings settings;
  settings.scale_step = 1.1;
  auto engine = make_dense_cpu(workers, {"", default_people()}, settings, mat.cols, mat.rows);
  TEST_ASSERT_OK(engine);
  cv::HOGDescriptor hog;
  hog.setSVMDetector(cv::HOGDescriptor::getDefaultPeopleDetector());
  std::vector<cv::Rect> theirs;
  hog.detectMultiScale(mat, theirs, threshold, {8, 8}, {0, 0}, 1.1, 0);
  Result<Engine::Hits> hits = (*engine)->search(picture.view(), static_cast<float>(threshold));
  TEST_ASSERT_OK(hits);
  std::vector<cv::Rect> mine;
  const SearchPlan& plan = (*engine)->plan();
  std::size_t level = 0;
  for (int i = 0; i < hits->count; ++i) {
    while (level + 1 < plan.windows.size() &&
           hits->data[i].window >= plan.windows[level + 1].first_window)
      ++level;
    const LevelWindows& windows = plan.windows[level];
    const int at = hits->data[i].window - windows.first_window;
    const double scale = plan.pyramid.levels[level].scale;
    mine.emplace_back(cvRound(at % windows.columns * 8 * scale),
                      cvRound(at / windows.columns * 8 * scale), cvRound(64 * scale),
                      cvRound(128 * scale));
  }
  const auto order = [](const cv::Rect& a, const cv::Rect& b) {
    return std::tie(a.width, a.height, a.y, a.x) < std::tie(b.width, b.height, b.y, b.x);
  };
  std::sort(theirs.begin(), theirs.end(), order);
  std::sort(mine.begin(), mine.end(), order);
  TEST_ASSERT_EQUAL(theirs.size(), mine.size());
  for (std::size_t i = 0; i < mine.size(); ++i) TEST_ASSERT_TRUE(theirs[i] == mine[i]);
  std::printf("detectMultiScale: %zu windows, all the same\n", mine.size());
}

std::vector<cv::Mat> scenes() {
  std::vector<cv::Mat> pictures;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) pictures.push_back(scene(200, 230, seed, true));
  return pictures;
}

TEST(descriptors_of_scenes_equal_opencvs) { check_descriptors(scenes()); }
TEST(windows_of_scenes_are_opencvs) {
  check_windows(scene(203, 231, 5, false), 1.1);
  check_windows(scene(204, 231, 6, true), 1.2);
}
TEST(multi_scale_of_a_scene_is_opencvs) { check_multi_scale(scene(203, 231, 5, false), -2.5); }

TEST(descriptors_of_real_pictures_equal_opencvs) {
  const std::vector<cv::Mat> pictures = real_pictures(3);
  if (pictures.empty()) TEST_IGNORE_MESSAGE("no pictures: set KERB_DATA");
  check_descriptors(pictures);
}
TEST(windows_of_real_pictures_are_opencvs) {
  const std::vector<cv::Mat> pictures = real_pictures(2);
  if (pictures.empty()) TEST_IGNORE_MESSAGE("no pictures: set KERB_DATA");
  for (const cv::Mat& picture : pictures) {
    cv::Mat part =
        picture(cv::Rect{0, 0, std::min(320, picture.cols), std::min(400, picture.rows)});
    cv::Mat grey;
    cv::cvtColor(part, grey, cv::COLOR_BGR2GRAY);
    check_windows(grey, 1.1);
    check_windows(part.clone(), 1.2);
    check_multi_scale(grey, -0.5);
  }
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  cv::setNumThreads(1);
  return Start::run;
}
