// SPDX-License-Identifier: Apache-2.0
// Recordings of thermal cameras through the range: counts in 16-bit files, and, where they are,
// the thermal pictures of MSRS, which are 8-bit and get counts of their own here.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "drivers/replay/open_replay.hpp"
#include "gpu/image/preparer.hpp"
#include "hal/fake/clock.hpp"
#include "hal/fake/frame_memory.hpp"
#include "tests/support/random.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"

namespace fs = std::filesystem;
using namespace kerb;

namespace {

PageableFrameMemory memory;
FakeClock fake_clock;

struct Box {
  int x, y, w, h;
};

/// Mean of the middle half of a box less the mean of a frame around it, in grey levels.
template <typename T>
double contrast(const T* pixels, std::ptrdiff_t stride, int width, int height, const Box& box) {
  const auto mean = [&](const Box& b, const Box* without) {
    double sum = 0, n = 0;
    for (int y = std::max(b.y, 0); y < std::min(b.y + b.h, height); ++y)
      for (int x = std::max(b.x, 0); x < std::min(b.x + b.w, width); ++x) {
        if (without != nullptr && x >= without->x && x < without->x + without->w &&
            y >= without->y && y < without->y + without->h)
          continue;
        sum += pixels[y * stride + x];
        ++n;
      }
    return n > 0 ? sum / n : 0;
  };
  const Box inner{box.x + box.w / 4, box.y + box.h / 4, std::max(box.w / 2, 1),
                  std::max(box.h / 2, 1)};
  const Box around{box.x - box.w / 2, box.y - box.h / 8, 2 * box.w, box.h + box.h / 4};
  return mean(inner, nullptr) - mean(around, &box);
}

FrameSourceInfo counts_source(int width, int height) {
  FrameSourceInfo info;
  info.format = PixelFormat::grey16;
  info.width = width;
  info.height = height;
  return info;
}

TEST(a_folder_of_counts_is_seen_through_the_range) {
  const test::TempFolder folder;
  for (int i = 0; i < 6; ++i) {
    cv::Mat counts(60, 80, CV_16UC1, cv::Scalar::all(7000));
    counts(cv::Rect{30 + i, 20, 8, 24}).setTo(7400);
    test::Random random{static_cast<std::uint64_t>(i) + 1};
    for (int y = 0; y < counts.rows; ++y)
      for (int x = 0; x < counts.cols; ++x)
        counts.at<std::uint16_t>(y, x) =
            static_cast<std::uint16_t>(counts.at<std::uint16_t>(y, x) + random.next() % 9);
    TEST_ASSERT_TRUE(cv::imwrite((folder.path() / (std::to_string(i) + ".png")).string(), counts));
  }
  CameraSettings settings;
  settings.kind = CameraKind::folder;
  settings.imaging = Imaging::thermal;
  settings.device = folder.path().string();
  settings.pace = Pace::recorded;
  settings.loop = false;
  Result<std::unique_ptr<FrameSource>> source = open_replay(settings, memory, fake_clock);
  TEST_ASSERT_OK(source);
  TEST_ASSERT_EQUAL_STRING("grey16", name_of((*source)->info().format));
  Result<Context> context = Context::create(BackendChoice::cpu);
  const CountRangeSettings range;
  auto preparer = Preparer::create(*context, nullptr, (*source)->info(), false, &range);
  TEST_ASSERT_OK(preparer);
  for (int i = 0; i < 6; ++i) {
    const Result<Frame> frame = (*source)->next(Nanos::zero());
    TEST_ASSERT_OK(frame);
    const Result<PreparedImage> out = (*preparer)->prepare(frame->image);
    TEST_ASSERT_OK(out);
    const double seen = contrast(out->grey.data, out->grey.row_stride, 80, 60, {30 + i, 20, 8, 24});
    TEST_ASSERT_TRUE(seen > 200);
  }
  TEST_ASSERT_ERROR(Errc::end, (*source)->next(Nanos::zero()));
}

fs::path msrs() {
  const char* set = std::getenv("KERB_DATA");
  return fs::path{set != nullptr ? set : KERB_DATA_DEFAULT} / "streets/msrs";
}

/// People of 32 pixels or more in the thermal pictures, by file.
std::map<std::string, std::vector<Box>> people_of(const fs::path& truth) {
  std::map<std::string, std::vector<Box>> out;
  std::ifstream in{truth};
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::ranges::replace(line, ',', ' ');
    std::istringstream words{line};
    std::string file, kind;
    Box b{};
    if (words >> file >> b.x >> b.y >> b.w >> b.h >> kind && kind == "person" && b.h >= 32 &&
        file.find('N') != std::string::npos)
      out[file].push_back(b);
  }
  return out;
}

/// A picture's levels as the counts of a camera: some per level, from an offset, with noise; with
/// `hot`, a thing of 0.4 % of the picture that is far hotter than all the rest.
std::vector<std::uint16_t> as_counts(const cv::Mat& levels, bool hot) {
  std::vector<std::uint16_t> out;
  test::Random random{7};
  for (int y = 0; y < levels.rows; ++y)
    for (int x = 0; x < levels.cols; ++x) {
      const auto noise = static_cast<int>(random.next() % 7) - 3;
      const bool here = hot && x < 40 && y >= levels.rows - 30;
      out.push_back(static_cast<std::uint16_t>(
          here ? 15000 : 7000 + 3 * levels.at<std::uint8_t>(y, x) + noise));
    }
  return out;
}

/// People stand out from the street as before their picture became counts, with something hot in
/// view or not. A range from the lowest to the highest count loses them.
TEST(people_of_real_thermal_pictures_keep_their_contrast) {
  if (!fs::exists(msrs() / "truth.csv")) TEST_IGNORE_MESSAGE("no pictures: set KERB_DATA");
  Result<Context> context = Context::create(BackendChoice::cpu);
  double before = 0, range = 0, range_hot = 0, whole_hot = 0, top = 0;
  int people = 0, pictures = 0;
  for (const auto& [file, boxes] : people_of(msrs() / "truth.csv")) {
    const cv::Mat levels = cv::imread((msrs() / "ir" / file).string(), cv::IMREAD_GRAYSCALE);
    if (levels.empty()) continue;
    const int width = levels.cols, height = levels.rows;
    ++pictures;
    // Each a first picture: the range as the scene asks for it.
    const auto shown = [&](const std::vector<std::uint16_t>& counts,
                           const CountRangeSettings* settings) {
      auto preparer =
          Preparer::create(*context, nullptr, counts_source(width, height), false, settings);
      TEST_ASSERT_OK(preparer);
      RawImageView<Space::host> view;
      view.data = reinterpret_cast<const std::uint8_t*>(counts.data());
      view.width = width;
      view.height = height;
      view.row_stride = std::ptrdiff_t{2} * width;
      view.format = PixelFormat::grey16;
      const Result<PreparedImage> out = (*preparer)->prepare(view);
      TEST_ASSERT_OK(out);
      std::vector<std::uint8_t> grey;
      for (int y = 0; y < height; ++y)
        grey.insert(grey.end(), out->grey.data + y * out->grey.row_stride,
                    out->grey.data + y * out->grey.row_stride + width);
      return grey;
    };
    const auto seen_in = [&](const std::vector<std::uint8_t>& grey, const Box& box) {
      return contrast(grey.data(), width, width, height, box);
    };
    const std::vector<std::uint16_t> plain = as_counts(levels, false),
                                     hot = as_counts(levels, true);
    const CountRangeSettings usual, all{0, 0, 255, 30, 90};
    const std::vector<std::uint8_t> by_range = shown(plain, &usual),
                                    hot_by_range = shown(hot, &usual),
                                    hot_by_all = shown(hot, &all), by_top = shown(plain, nullptr);
    for (const Box& box : boxes) {
      ++people;
      before += contrast(levels.ptr<std::uint8_t>(), static_cast<std::ptrdiff_t>(levels.step),
                         width, height, box);
      range += seen_in(by_range, box);
      range_hot += seen_in(hot_by_range, box);
      whole_hot += seen_in(hot_by_all, box);
      top += seen_in(by_top, box);
    }
  }
  TEST_ASSERT_TRUE(people > 100);
  const double n = people;
  std::printf(
      "%d people in %d pictures; mean contrast in levels: 8-bit pictures %.1f, range %.1f, "
      "range with a hot thing %.1f, lowest to highest with it %.1f, top 8 bits %.1f\n",
      people, pictures, before / n, range / n, range_hot / n, whole_hot / n, top / n);
  TEST_ASSERT_TRUE(range > 0.9 * before && range_hot > 0.9 * before);
  TEST_ASSERT_TRUE(whole_hot < 0.2 * before && top < 0.1 * before);
}

}  // namespace
