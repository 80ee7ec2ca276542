// SPDX-License-Identifier: Apache-2.0
// Block matching on the Middlebury pairs, whose true flow is known. OpenCV reads the pictures.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gpu/flow/block_matching.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using namespace kerb::flow;

namespace {

std::optional<Context> cpu;
std::optional<Workers> workers;

std::filesystem::path folder() {
  const char* named = std::getenv("KERB_DATA");
  return std::filesystem::path{named != nullptr ? named : KERB_DATA_DEFAULT} / "flow";
}

/// A .flo file's vectors, u v u v ...
std::vector<float> read_truth(const std::filesystem::path& path, int width, int height) {
  std::ifstream file{path, std::ios::binary};
  float tag = 0;
  std::int32_t size[2] = {};
  file.read(reinterpret_cast<char*>(&tag), sizeof tag);
  file.read(reinterpret_cast<char*>(size), sizeof size);
  if (tag != 202021.25F || size[0] != width || size[1] != height) return {};
  std::vector<float> vectors(static_cast<std::size_t>(2 * width * height));
  file.read(reinterpret_cast<char*>(vectors.data()),
            static_cast<std::streamsize>(vectors.size() * sizeof(float)));
  return file ? vectors : std::vector<float>{};
}

struct Pair {
  const char* name;
  double most;  ///< pixels: what OpenCV's DIS, medium preset, errs by on the same pictures
};
constexpr Pair kPairs[] = {{"RubberWhale", 0.220},
                           {"Dimetrodon", 0.151},
                           {"Grove2", 0.322},
                           {"Urban2", 0.645},
                           {"Venus", 0.394}};

struct Errors {
  double all = 0;      ///< the mean end-point error of all pixels whose truth is known
  double better = 0;   ///< of the better half by quality
  double valid = 0;    ///< of those flagged kValid alone
  double doubted = 0;  ///< of those with any doubt
};

Errors errors_on(const char* name, const BlockMatchingSettings& settings) {
  const cv::Mat first = cv::imread(folder() / name / "frame10.png", cv::IMREAD_GRAYSCALE);
  const cv::Mat second = cv::imread(folder() / name / "frame11.png", cv::IMREAD_GRAYSCALE);
  TEST_ASSERT_FALSE_MESSAGE(first.empty() || second.empty(), name);
  const int width = first.cols, height = first.rows;
  const std::vector<float> truth = read_truth(folder() / name / "flow10.flo", width, height);
  TEST_ASSERT_FALSE_MESSAGE(truth.empty(), name);
  Result<std::unique_ptr<Estimator>> made =
      make_block_matching(*cpu, *workers, settings, width, height);
  TEST_ASSERT_OK(made);
  Result<FlowField> field = FlowField::create(*cpu, width, height);
  TEST_ASSERT_OK(field);
  const FieldView<Space::host> out = field->host();
  TEST_ASSERT_OK(
      (*made)->run({first.data, width, height, static_cast<std::ptrdiff_t>(first.step)},
                   {second.data, width, height, static_cast<std::ptrdiff_t>(second.step)}, out));
  struct Known {
    int quality;
    double error;
  };
  std::vector<Known> known;
  double sums[2] = {};
  int counts[2] = {};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const float* const t = truth.data() + 2 * (y * width + x);
      if (std::fabs(t[0]) > 1e9F || std::fabs(t[1]) > 1e9F) continue;
      const std::ptrdiff_t i = y * out.row_stride + x;
      const double error =
          std::hypot(double{out.u[i]} - double{t[0]}, double{out.v[i]} - double{t[1]});
      known.push_back({out.quality[i], error});
      const int doubted = out.flags[i] == kValid ? 0 : 1;
      sums[doubted] += error;
      ++counts[doubted];
    }
  std::stable_sort(known.begin(), known.end(),
                   [](const Known& a, const Known& b) { return a.quality > b.quality; });
  Errors errors;
  for (std::size_t i = 0; i < known.size(); ++i) {
    errors.all += known[i].error / static_cast<double>(known.size());
    if (i < known.size() / 2)
      errors.better += known[i].error * 2 / static_cast<double>(known.size());
  }
  errors.valid = sums[0] / std::max(counts[0], 1);
  errors.doubted = sums[1] / std::max(counts[1], 1);
  std::printf("%s, %s: end-point error %.3f, better half %.3f, valid %.3f, doubted %.3f\n", name,
              name_of(settings.cost), errors.all, errors.better, errors.valid, errors.doubted);
  return errors;
}

TEST(every_vector_of_every_pair_errs_less_than_dis_medium_on_average) {
  for (const Pair& pair : kPairs)
    TEST_ASSERT_TRUE_MESSAGE(errors_on(pair.name, {}).all <= pair.most, pair.name);
}

TEST(quality_and_flags_tell_good_vectors_from_bad_ones) {
  for (const char* name : {"RubberWhale", "Grove2", "Urban2"}) {
    const Errors errors = errors_on(name, {});
    TEST_ASSERT_TRUE_MESSAGE(errors.better < 0.6 * errors.all, name);
    TEST_ASSERT_TRUE_MESSAGE(errors.valid < 0.5 * errors.doubted, name);
  }
}

TEST(differences_match_within_the_target_too) {
  for (const Cost cost : {Cost::ssd, Cost::sad}) {
    BlockMatchingSettings settings;
    settings.cost = cost;
    TEST_ASSERT_TRUE(errors_on("RubberWhale", settings).all <= 0.35);
  }
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  if (!std::filesystem::exists(folder() / "RubberWhale" / "flow10.flo")) {
    std::printf("skipped: no Middlebury pairs in %s: set KERB_DATA\n", folder().c_str());
    return Start::skip;
  }
  Result<Context> context = Context::create(BackendChoice::cpu);
  cpu.emplace(std::move(*context));
  workers.emplace(2);
  return Start::run;
}
