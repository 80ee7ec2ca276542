// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "gpu/hog/engine.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"
#include "tools/import/opencv_models.hpp"

using namespace kerb;
using namespace kerb::hog;
using namespace kerb::lab;
using kerb::test::TempFolder;

namespace {

void says(const Result<Model>& result, Errc code, const char* words) {
  TEST_ASSERT_ERROR(code, result);
  const std::string text = describe(result.error());
  if (text.find(words) == std::string::npos) TEST_FAIL_MESSAGE((text + " != " + words).c_str());
}

// --- coefficients -------------------------------------------------------------------------------

/// Every weight is where OpenCV has it: block and cell by columns there, by rows here.
void same_weights(const std::vector<float>& theirs, const Result<Model>& model) {
  TEST_ASSERT_OK(model);
  const auto& m = std::get<DenseModel>(model->kind);
  for (int by = 0; by < m.blocks_y(); ++by)
    for (int bx = 0; bx < m.blocks_x(); ++bx)
      for (int cy = 0; cy < 2; ++cy)
        for (int cx = 0; cx < 2; ++cx)
          for (int bin = 0; bin < 9; ++bin) {
            const int here = ((by * m.blocks_x() + bx) * 4 + cy * 2 + cx) * 9 + bin;
            const int there = ((bx * m.blocks_y() + by) * 4 + cx * 2 + cy) * 9 + bin;
            TEST_ASSERT_EQUAL_FLOAT(theirs[static_cast<std::size_t>(there)],
                                    m.weights[static_cast<std::size_t>(here)]);
          }
  const bool has_bias = theirs.size() % 36 == 1;
  TEST_ASSERT_EQUAL_FLOAT(has_bias ? theirs.back() : 0, m.bias);
}

TEST(opencvs_people_detector_is_ours_permuted) {
  const Result<Model> model = default_people_detector();
  same_weights(cv::HOGDescriptor::getDefaultPeopleDetector(), model);
  TEST_ASSERT_EQUAL_STRING("opencv-people", model->name.c_str());
  const Geometry& g = model->geometry();
  TEST_ASSERT_EQUAL(64, g.window_width);
  TEST_ASSERT_EQUAL(128, g.window_height);
  TEST_ASSERT_EQUAL_FLOAT(16, g.person_x);
  TEST_ASSERT_EQUAL_FLOAT(16, g.person_y);
  TEST_ASSERT_EQUAL_FLOAT(32, g.person_width);
  TEST_ASSERT_EQUAL_FLOAT(96, g.person_height);
}

// The descriptor itself, as OpenCV computes it, times both: the same score.
TEST(the_order_is_that_of_opencvs_descriptors) {
  // One bright edge in one cell, so that few values of the descriptor are not 0.
  cv::Mat picture(128, 64, CV_8U, cv::Scalar(50));
  picture(cv::Rect(36, 90, 28, 5)).setTo(200);
  const cv::HOGDescriptor hog;
  std::vector<float> values;
  hog.compute(picture, values);
  // Theirs by columns of blocks. Block (x, y) sees the edge only if it covers rows 89..95.
  const std::size_t first = 0, last = 14;  // the first and the last block of the left column
  for (const std::size_t block : {first, last})
    for (std::size_t i = 0; i < 36; ++i) TEST_ASSERT_EQUAL_FLOAT(0, values[block * 36 + i]);
  const std::size_t seen = 4 * 15 + 10;  // x 32..47, y 80..95
  float sum = 0;
  for (std::size_t i = 0; i < 36; ++i) sum += values[seen * 36 + i];
  TEST_ASSERT_TRUE(sum > 1);
}

std::string saved(const cv::HOGDescriptor& hog, const TempFolder& folder, const char* name) {
  const std::string path = folder.at(name);
  hog.save(path);
  return path;
}

TEST(saved_descriptors_are_read_in_every_format) {
  const TempFolder folder;
  cv::HOGDescriptor hog;
  hog.setSVMDetector(cv::HOGDescriptor::getDefaultPeopleDetector());
  for (const char* name : {"people.xml", "people.yml", "people.json"}) {
    const Result<Model> model = read_opencv_model(saved(hog, folder, name));
    same_weights(cv::HOGDescriptor::getDefaultPeopleDetector(), model);
    const auto& m = std::get<DenseModel>(model->kind);
    TEST_ASSERT_TRUE(m.kind == DenseKind::rhog && m.gamma);
    TEST_ASSERT_EQUAL_FLOAT(4, m.sigma);
    TEST_ASSERT_EQUAL_FLOAT(0.2F, m.clip);
    TEST_ASSERT_EQUAL_STRING("people", model->name.c_str());
  }
  cv::HOGDescriptor daimler({48, 96}, {16, 16}, {8, 8}, {8, 8}, 9, 1, 5.5, cv::HOGDescriptor::L2Hys,
                            0.3, false);
  daimler.setSVMDetector(cv::HOGDescriptor::getDaimlerPeopleDetector());
  const Result<Model> model = read_opencv_model(saved(daimler, folder, "daimler.xml"));
  same_weights(cv::HOGDescriptor::getDaimlerPeopleDetector(), model);
  const auto& m = std::get<DenseModel>(model->kind);
  TEST_ASSERT_FALSE(m.gamma);
  TEST_ASSERT_EQUAL_FLOAT(5.5F, m.sigma);
  TEST_ASSERT_EQUAL_FLOAT(0.3F, m.clip);
  TEST_ASSERT_EQUAL_FLOAT(72, m.geometry.person_height);
}

TEST(descriptors_of_other_kinds_are_refused) {
  const TempFolder folder;
  const auto refused = [&folder](const cv::HOGDescriptor& hog, const char* words) {
    says(read_opencv_model(saved(hog, folder, "hog.xml")), Errc::unsupported, words);
  };
  refused({{64, 128}, {32, 32}, {8, 8}, {8, 8}, 9}, "blockSize");
  refused({{64, 128}, {16, 16}, {16, 16}, {8, 8}, 9}, "blockStride");
  refused({{64, 128}, {16, 16}, {8, 8}, {4, 4}, 9}, "cellSize");
  refused({{64, 128}, {16, 16}, {8, 8}, {8, 8}, 6}, "nbins");
  refused({{64, 128},
           {16, 16},
           {8, 8},
           {8, 8},
           9,
           1,
           -1,
           cv::HOGDescriptor::L2Hys,
           0.2,
           false,
           64,
           true},
          "signedGradient");
  says(read_opencv_model(saved({}, folder, "hog.xml")), Errc::damaged, "SVMDetector");
  cv::HOGDescriptor hog;
  hog.setSVMDetector(cv::HOGDescriptor::getDefaultPeopleDetector());
  std::ifstream file{saved(hog, folder, "hog.xml")};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  const std::size_t at = text.find("64 128");
  TEST_ASSERT_TRUE(at != std::string::npos);
  says(parse_opencv_model(text.replace(at, 6, "64.5 128")), Errc::unsupported, "winSize");
}

std::string list_of(const std::vector<float>& numbers, const char* between) {
  std::ostringstream text;
  text.precision(9);
  for (const float n : numbers) text << n << between;
  return text.str();
}

TEST(plain_lists_are_read) {
  std::vector<float> numbers = cv::HOGDescriptor::getDefaultPeopleDetector();
  for (const char* between : {" ", "\n", ", ", ",", ";\r\n", "\t"})
    same_weights(numbers, parse_opencv_model(list_of(numbers, between)));
  same_weights(numbers, parse_opencv_model("\xef\xbb\xbf \n+" + list_of(numbers, " ").substr(0)));
  numbers.pop_back();
  same_weights(numbers, parse_opencv_model(list_of(numbers, " ")));
  numbers.pop_back();
  says(parse_opencv_model(list_of(numbers, " ")), Errc::damaged, "3779 numbers");
  same_weights(cv::HOGDescriptor::getDaimlerPeopleDetector(),
               parse_opencv_model(list_of(cv::HOGDescriptor::getDaimlerPeopleDetector(), " ")));
  says(parse_opencv_model(""), Errc::damaged, "empty");
  says(parse_opencv_model(" \n"), Errc::damaged, "empty");
  says(parse_opencv_model("1 2\n3 four 5"), Errc::damaged, "line 2: 'four'");
  says(parse_opencv_model("1 2 3x"), Errc::damaged, "'3x'");
  says(parse_opencv_model("1 2 1e999"), Errc::damaged, "'1e999'");
  says(parse_opencv_model(std::string("1 2 \0", 5)), Errc::damaged, "not a text");
  std::string nan = "nan ";
  for (int i = 0; i < 3780; ++i) nan += "1 ";
  TEST_ASSERT_ERROR(Errc::invalid_argument, parse_opencv_model(nan));
}

/// What cv::ml::SVM::save() writes.
std::string svm_of(const char* type, const std::vector<std::vector<float>>& vectors,
                   const std::vector<float>& alpha, float rho, const char* kernel = "LINEAR") {
  std::ostringstream text;
  text.precision(9);
  text
      << "<?xml version=\"1.0\"?>\n<opencv_storage>\n<opencv_ml_svm>\n<format>3</format>\n<svmType>"
      << type << "</svmType>\n<kernel><type>" << kernel << "</type></kernel>\n<C>1.</C>\n"
      << "<var_count>3780</var_count>\n<class_count>2</class_count>\n"
      << "<sv_total>" << vectors.size() << "</sv_total>\n<support_vectors>\n";
  for (const auto& v : vectors) text << "<_>" << list_of(v, " ") << "</_>\n";
  text << "</support_vectors>\n<decision_functions>\n<_><sv_count>" << vectors.size()
       << "</sv_count><rho>" << rho << "</rho><alpha>" << list_of(alpha, " ") << "</alpha><index>";
  for (std::size_t i = 0; i < vectors.size(); ++i) text << i << ' ';
  text << "</index></_></decision_functions>\n</opencv_ml_svm>\n</opencv_storage>\n";
  return text.str();
}

TEST(linear_svms_are_read) {
  std::vector<float> numbers = cv::HOGDescriptor::getDefaultPeopleDetector();
  const float bias = numbers.back();
  numbers.pop_back();
  std::vector<float> whole = numbers;
  whole.push_back(-2.5F);
  same_weights(whole, parse_opencv_model(svm_of("EPS_SVR", {numbers}, {1}, 2.5F)));
  // Of classes a positive sum means the lower label: not a person.
  for (float& n : whole) n = -n;
  same_weights(whole, parse_opencv_model(svm_of("C_SVC", {numbers}, {1}, 2.5F)));
  // Several vectors are their sum.
  std::vector<float> half = numbers, other = numbers;
  for (std::size_t i = 0; i < half.size(); ++i) {
    other[i] = static_cast<float>(i % 7) / 4;
    half[i] = numbers[i] * 2 + other[i];
  }
  whole = numbers;
  whole.push_back(bias);
  const Result<Model> sum =
      parse_opencv_model(svm_of("EPS_SVR", {half, other}, {0.5F, -0.5F}, -bias));
  TEST_ASSERT_OK(sum);
  const Result<Model> expected = parse_opencv_model(list_of(whole, " "));
  const auto& a = std::get<DenseModel>(expected->kind);
  const auto& b = std::get<DenseModel>(sum->kind);
  for (std::size_t i = 0; i < a.weights.size(); ++i)
    TEST_ASSERT_FLOAT_WITHIN(1e-6F, a.weights[i], b.weights[i]);
  TEST_ASSERT_EQUAL_FLOAT(bias, b.bias);
  says(parse_opencv_model(svm_of("EPS_SVR", {numbers}, {1}, 1, "RBF")), Errc::unsupported,
       "linear");
  says(parse_opencv_model(svm_of("ONE_CLASS", {numbers}, {1}, 1)), Errc::unsupported, "C_SVC");
  says(parse_opencv_model(svm_of("C_SVC", {numbers}, {1, 1}, 1)), Errc::damaged, "alpha");
  std::string fraction = svm_of("EPS_SVR", {numbers}, {1}, 1);
  fraction.replace(fraction.find("<index>0"), 8, "<index>0.5");
  says(parse_opencv_model(fraction), Errc::damaged, "no such support vector");
}

// --- cascades
// -------------------------------------------------------------------------------------

// As OpenCV 2.4 had it, in float.
struct OldNode {
  int left, right, feature;
  float threshold;
};
struct OldTree {
  std::vector<OldNode> nodes;
  std::vector<float> leaves;
};
struct OldStage {
  std::vector<OldTree> trees;
  float threshold = 0;
};
struct OldFeature {
  int x, y, width, height, component;
};
struct OldCascade {
  int width = 48, height = 96;
  std::vector<OldStage> stages;
  std::vector<OldFeature> features;
};

/// Integral pictures of the magnitude in each of 9 bins, and in all.
std::vector<cv::Mat> integral_histogram(const cv::Mat& picture) {
  cv::Mat rimmed;
  cv::copyMakeBorder(picture, rimmed, 1, 1, 1, 1, cv::BORDER_REFLECT_101);
  std::vector<cv::Mat> bins(10);
  for (cv::Mat& bin : bins) bin = cv::Mat::zeros(picture.size(), CV_32F);
  for (int y = 0; y < picture.rows; ++y) {
    cv::Mat dx(1, picture.cols, CV_32F), dy(1, picture.cols, CV_32F), magnitude, angle;
    for (int x = 0; x < picture.cols; ++x) {
      dx.at<float>(x) = static_cast<float>(rimmed.at<uchar>(y + 1, x + 2)) -
                        static_cast<float>(rimmed.at<uchar>(y + 1, x));
      dy.at<float>(x) = static_cast<float>(rimmed.at<uchar>(y + 2, x + 1)) -
                        static_cast<float>(rimmed.at<uchar>(y, x + 1));
    }
    cv::cartToPolar(dx, dy, magnitude, angle, false);
    const auto scale = static_cast<float>(9 / CV_PI);
    for (int x = 0; x < picture.cols; ++x) {
      int bin = cvFloor(angle.at<float>(x) * scale - 0.5F);
      bin = bin < 0 ? bin + 9 : bin >= 9 ? bin - 9 : bin;
      bins[static_cast<std::size_t>(bin)].at<float>(y, x) = magnitude.at<float>(x);
      bins[9].at<float>(y, x) = magnitude.at<float>(x);
    }
  }
  for (cv::Mat& bin : bins) cv::integral(bin.clone(), bin, CV_64F);
  return bins;
}

float sum_in(const cv::Mat& integral, int x, int y, int width, int height) {
  return static_cast<float>(integral.at<double>(y, x) - integral.at<double>(y, x + width) -
                            integral.at<double>(y + height, x) +
                            integral.at<double>(y + height, x + width));
}

float value_of(const OldFeature& f, const std::vector<cv::Mat>& bins, int x, int y) {
  const int cell = f.component / 9;
  const int cx = x + f.x + (cell % 2) * f.width, cy = y + f.y + (cell / 2) * f.height;
  const float sum =
      sum_in(bins[static_cast<std::size_t>(f.component % 9)], cx, cy, f.width, f.height);
  const float all = sum_in(bins[9], x + f.x, y + f.y, 2 * f.width, 2 * f.height);
  return sum > 0.001F ? sum / (all + 0.001F) : 0;
}

bool passes(const OldCascade& cascade, const std::vector<cv::Mat>& bins, int x, int y) {
  for (const OldStage& stage : cascade.stages) {
    float sum = 0;
    for (const OldTree& tree : stage.trees) {
      int index = 0;
      do {
        const OldNode& node = tree.nodes[static_cast<std::size_t>(index)];
        const float value =
            value_of(cascade.features[static_cast<std::size_t>(node.feature)], bins, x, y);
        index = value < node.threshold ? node.left : node.right;
      } while (index > 0);
      sum += tree.leaves[static_cast<std::size_t>(-index)];
    }
    if (sum < stage.threshold - 1e-5F) return false;
  }
  return true;
}

/// As opencv_traincascade writes it.
std::string xml_of(const OldCascade& c) {
  std::ostringstream text;
  text.precision(17);
  text << "<?xml version=\"1.0\"?>\n<opencv_storage>\n"
          "<cascade type_id=\"opencv-cascade-classifier\"><stageType>BOOST</stageType>\n"
          "  <featureType>HOG</featureType>\n  <height>"
       << c.height << "</height>\n  <width>" << c.width
       << "</width>\n  <stageParams><boostType>GAB</boostType><maxDepth>2</maxDepth>"
          "</stageParams>\n  <featureParams><maxCatCount>0</maxCatCount><featSize>36</featSize>"
          "</featureParams>\n  <stageNum>"
       << c.stages.size() << "</stageNum>\n  <stages>\n";
  for (const OldStage& stage : c.stages) {
    text << "    <_>\n      <maxWeakCount>" << stage.trees.size()
         << "</maxWeakCount>\n      <stageThreshold>" << stage.threshold
         << "</stageThreshold>\n      <weakClassifiers>\n";
    for (const OldTree& tree : stage.trees) {
      text << "        <_>\n          <internalNodes>\n           ";
      for (const OldNode& n : tree.nodes)
        text << ' ' << n.left << ' ' << n.right << ' ' << n.feature << ' ' << n.threshold;
      text << "</internalNodes>\n          <leafValues>\n           ";
      for (const float leaf : tree.leaves) text << ' ' << leaf;
      text << "</leafValues></_>\n";
    }
    text << "</weakClassifiers></_>\n";
  }
  text << "</stages>\n  <features>\n";
  for (const OldFeature& f : c.features)
    text << "    <_>\n      <rect>\n        " << f.x << ' ' << f.y << ' ' << f.width << ' '
         << f.height << ' ' << f.component << "</rect></_>\n";
  text << "</features></cascade>\n</opencv_storage>\n";
  return text.str();
}

/// Stumps and small trees over random features; each stage lets about half of random windows pass.
OldCascade random_cascade(std::uint32_t seed, int stages) {
  std::mt19937 random{seed};
  const auto below = [&random](int n) {
    return static_cast<int>(random() % static_cast<unsigned>(n));
  };
  OldCascade c;
  for (int i = 0; i < 40; ++i) {
    const int width = 4 * (1 + below(5)), height = 4 * (1 + below(5));
    const int x = 4 * below((c.width - 2 * width) / 4 + 1);
    const int y = 4 * below((c.height - 2 * height) / 4 + 1);
    c.features.push_back({x, y, width, height, below(36)});
  }
  for (int s = 0; s < stages; ++s) {
    OldStage stage;
    for (int t = 0; t < 3; ++t) {
      OldTree tree;
      const auto threshold = [&] { return 0.01F + static_cast<float>(below(300)) / 10000; };
      const auto leaf = [&] { return static_cast<float>(below(2000) - 1000) / 1000; };
      if (t == 0) {
        tree.nodes = {{1, 2, below(40), threshold()},
                      {0, -1, below(40), threshold()},
                      {-2, -3, below(40), threshold()}};
        tree.leaves = {leaf(), leaf(), leaf(), leaf()};
      } else {
        tree.nodes = {{0, -1, below(40), threshold()}};
        tree.leaves = {leaf(), leaf()};
      }
      stage.trees.push_back(tree);
    }
    stage.threshold = -0.3F;
    c.stages.push_back(stage);
  }
  return c;
}

TEST(cascades_become_trees) {
  OldCascade c;
  c.features = {{4, 8, 8, 12, 30}, {0, 0, 24, 48, 4}};  // cell 3, bin 3; cell 0, bin 4
  c.stages.resize(2);
  c.stages[0].trees = {{{{0, -1, 0, 0.25F}}, {-0.5F, 0.75F}}};
  c.stages[0].threshold = 0.5F;
  c.stages[1].trees = {{{{1, 0, 1, 0.125F}, {-1, -2, 0, 0.5F}}, {1, -1, 2}}};
  c.stages[1].threshold = -1;
  const Result<Model> model = parse_opencv_model(xml_of(c));
  TEST_ASSERT_OK(model);
  const auto& m = std::get<CascadeModel>(model->kind);
  TEST_ASSERT_TRUE(m.channels.half_shifted && m.channels.magnitude && !m.channels.colour);
  TEST_ASSERT_EQUAL(9, m.channels.bins);
  TEST_ASSERT_EQUAL(2, m.stages.size());
  TEST_ASSERT_EQUAL(3, m.nodes.size());
  TEST_ASSERT_EQUAL(48, m.geometry.window_width);
  TEST_ASSERT_EQUAL_FLOAT(8, m.geometry.person_x);
  TEST_ASSERT_EQUAL_FLOAT(8, m.geometry.person_y);
  TEST_ASSERT_EQUAL_FLOAT(32, m.geometry.person_width);
  TEST_ASSERT_EQUAL_FLOAT(80, m.geometry.person_height);
  const TreeNode& n = m.nodes[0];
  TEST_ASSERT_EQUAL(12, n.x);
  TEST_ASSERT_EQUAL(20, n.y);
  TEST_ASSERT_EQUAL(8, n.width);
  TEST_ASSERT_EQUAL(12, n.height);
  TEST_ASSERT_EQUAL(3, n.channel);
  TEST_ASSERT_EQUAL(9, n.divisor);
  TEST_ASSERT_EQUAL(4, n.divisor_x);
  TEST_ASSERT_EQUAL(8, n.divisor_y);
  TEST_ASSERT_EQUAL(16, n.divisor_width);
  TEST_ASSERT_EQUAL(24, n.divisor_height);
  TEST_ASSERT_EQUAL(~0, n.left);
  TEST_ASSERT_EQUAL(~1, n.right);
  TEST_ASSERT_EQUAL_FLOAT(0.25F, n.threshold);
  TEST_ASSERT_EQUAL(1, m.nodes[1].left);
  TEST_ASSERT_EQUAL(~0, m.nodes[1].right);
  TEST_ASSERT_EQUAL(~1, m.nodes[2].left);
  TEST_ASSERT_EQUAL(~2, m.nodes[2].right);
  TEST_ASSERT_EQUAL(-32768, m.leaves[0]);
  TEST_ASSERT_EQUAL(49152, m.leaves[1]);
  // 0.5 less 1e-5 (0.66 units) and what two roundings can cost.
  TEST_ASSERT_INT_WITHIN(1, 32768 - 2, m.stages[0].threshold);
  TEST_ASSERT_TRUE(m.stages[0].threshold < 32768);
}

/// How many of a picture's windows differ, of one level, every 8 pixels; and how many pass.
struct Comparison {
  int windows = 0, passed = 0, differ = 0;
};
Comparison compare(const OldCascade& cascade, const cv::Mat& picture) {
  Result<Model> model = parse_opencv_model(xml_of(cascade));
  TEST_ASSERT_OK(model);
  SearchSettings settings;
  settings.max_levels = 1;
  const auto workers = std::make_unique<Workers>(1);
  Result<std::unique_ptr<Engine>> engine =
      make_cascade_cpu(*workers, *std::move(model), settings, picture.cols, picture.rows);
  TEST_ASSERT_OK(engine);
  hog::Picture<Space::host> view;
  view.grey = {picture.data, picture.cols, picture.rows, static_cast<std::ptrdiff_t>(picture.step)};
  const Result<Engine::Hits> hits = (*engine)->search(view, -1e9F);
  TEST_ASSERT_OK(hits);
  const SearchPlan& plan = (*engine)->plan();
  std::vector<bool> found(static_cast<std::size_t>(plan.window_count));
  for (int i = 0; i < hits->count; ++i)
    found[static_cast<std::size_t>(hits->data[i].window)] = true;
  const std::vector<cv::Mat> bins = integral_histogram(picture);
  Comparison result;
  for (int i = 0; i < plan.window_count; ++i) {
    const int x = i % plan.windows[0].columns * 8, y = i / plan.windows[0].columns * 8;
    const bool expected = passes(cascade, bins, x, y);
    ++result.windows;
    result.passed += expected ? 1 : 0;
    result.differ += expected != found[static_cast<std::size_t>(i)] ? 1 : 0;
  }
  return result;
}

cv::Mat random_picture(std::uint32_t seed, int width, int height) {
  cv::RNG random{seed};
  cv::Mat picture(height, width, CV_8U);
  random.fill(picture, cv::RNG::UNIFORM, 0, 256);
  cv::GaussianBlur(picture, picture, {5, 5}, 1.5);
  return picture;
}

void check(const Comparison& total) {
  char text[120];
  std::snprintf(text, sizeof text, "%d of %d windows differ, %d pass", total.differ, total.windows,
                total.passed);
  // Magnitudes are rounded here, and angles are OpenCV's approximation there.
  TEST_ASSERT_TRUE_MESSAGE(total.passed > total.windows / 50, text);
  TEST_ASSERT_TRUE_MESSAGE(total.passed < total.windows * 9 / 10, text);
  TEST_ASSERT_TRUE_MESSAGE(total.differ * 200 <= total.windows, text);
}

TEST(cascades_find_what_opencv_found_in_noise) {
  Comparison total;
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    const Comparison one = compare(random_cascade(seed, 2), random_picture(seed, 251, 197));
    total.windows += one.windows, total.passed += one.passed, total.differ += one.differ;
  }
  check(total);
}

std::vector<std::string> streets() {
  const char* set = std::getenv("KERB_DATA");
  const std::filesystem::path folder =
      std::filesystem::path{set != nullptr ? set : KERB_DATA} / "ped_test" / "fudan";
  std::error_code none;
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(cascades_find_what_opencv_found_in_streets) {
  // Ignoring leaves by longjmp, past destructors: nothing may be alive then.
  if (streets().empty()) TEST_IGNORE_MESSAGE("no pictures: set KERB_DATA");
  const std::vector<std::string> paths = streets();
  Comparison total;
  for (std::size_t i = 0; i < std::min<std::size_t>(paths.size(), 3); ++i) {
    cv::Mat picture = cv::imread(paths[i], cv::IMREAD_GRAYSCALE);
    TEST_ASSERT_FALSE(picture.empty());
    picture = picture(cv::Rect(0, 0, std::min(picture.cols, 320), std::min(picture.rows, 240)));
    const Comparison one =
        compare(random_cascade(static_cast<std::uint32_t>(i) + 1, 2), picture.clone());
    total.windows += one.windows, total.passed += one.passed, total.differ += one.differ;
  }
  check(total);
}

// A level edge's gradient is at 90 degrees, a bound of these bins: OpenCV has it in the one above.
TEST(level_edges_are_where_opencv_had_them) {
  cv::Mat picture(96, 48, CV_8U, cv::Scalar(40));
  picture(cv::Rect(0, 40, 48, 56)).setTo(200);
  for (const int bin : {3, 4}) {
    OldCascade c;
    c.features = {{0, 24, 24, 24, bin}};
    c.stages.resize(1);
    c.stages[0].trees = {{{{0, -1, 0, 0.25F}}, {-1, 1}}};
    const Comparison one = compare(c, picture);
    TEST_ASSERT_EQUAL(1, one.windows);
    TEST_ASSERT_EQUAL(bin == 4 ? 1 : 0, one.passed);
    TEST_ASSERT_EQUAL(0, one.differ);
  }
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  TEST_ASSERT_TRUE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

TEST(cascades_that_make_no_sense_are_refused) {
  const std::string good = xml_of(random_cascade(1, 2));
  TEST_ASSERT_OK(parse_opencv_model(good));
  TEST_ASSERT_OK(
      parse_opencv_model(replaced(good, "<stages>", "<!-- f\xc3\xbcr <b> -->\n<stages>")));
  const auto refused = [&good](Errc code, const char* what, const char* with, const char* words) {
    says(parse_opencv_model(replaced(good, what, with)), code, words);
  };
  refused(Errc::damaged, "<stages>", "<!-- <stages>", "a comment without end");
  refused(Errc::damaged, "<stages>", "<stages>\xc3\xbc", "not plain text");
  refused(Errc::damaged, "</stages>", "", "XML: ");
  refused(Errc::unsupported, "BOOST", "TREE", "stageType");
  refused(Errc::unsupported, "HOG", "LBP", "featureType");
  refused(Errc::unsupported, "<featSize>36", "<featSize>1", "featSize");
  refused(Errc::damaged, "<width>48</width>", "", "width");
  refused(Errc::damaged, "<width>48<", "<width>wide<", "width");
  refused(Errc::unsupported, "<width>48<", "<width>4800<", "width");
  refused(Errc::invalid_argument, "<width>48<", "<width>8<", "within the window");
  refused(Errc::damaged, "stageThreshold>-", "stageThreshold>x", "stageThreshold");
  refused(Errc::damaged, "<rect>", "<rect> 1", "rect");
  refused(Errc::damaged, "<rect>\n        ", "<rect>-", "rect");
  refused(Errc::damaged, "<leafValues>\n", "<leafValues> 1e300", "too large");
  refused(Errc::damaged, "<internalNodes>\n", "<internalNodes> 7", "four numbers");
  refused(Errc::invalid_argument, "<internalNodes>\n            1 2", "<internalNodes> 1 7",
          "later node");
  refused(Errc::damaged, "<internalNodes>\n            1 2", "<internalNodes> 1 99999", "branch");
  refused(Errc::damaged, "<internalNodes>\n            1 2 ", "<internalNodes> 1 2 9", "feature");
  // Nothing is rounded to a number that makes sense.
  OldCascade stump;
  stump.features = {{4, 8, 8, 12, 30}, {0, 0, 24, 48, 4}};
  stump.stages.resize(1);
  stump.stages[0].trees = {{{{0, -1, 1, 0.25F}}, {-0.5F, 0.75F}}};
  const std::string whole = xml_of(stump);
  TEST_ASSERT_OK(parse_opencv_model(whole));
  for (const char* four : {" 0.5 -1 1 ", " 0 -0.5 1 ", " 0 -1.5 1 "})
    says(parse_opencv_model(replaced(whole, " 0 -1 1 ", four)), Errc::damaged, "branch");
  says(parse_opencv_model(replaced(whole, " 0 -1 1 ", " 0 -1 0.5 ")), Errc::damaged, "feature");
  says(parse_opencv_model("<?xml version=\"1.0\"?>\n<opencv_storage></opencv_storage>\n"),
       Errc::unsupported, "neither");
  says(parse_opencv_model("<?xml version=\"1.0\"?>\n<opencv_storage><a>1</a></opencv_storage>\n"),
       Errc::unsupported, "neither");
  says(parse_opencv_model("<html><body>404</body></html>"), Errc::damaged, "");
}

TEST(what_cannot_be_read_is_named) {
  const TempFolder folder;
  says(read_opencv_model(folder.at("none.xml")), Errc::not_found, "none.xml");
  says(read_opencv_model(folder.path().string()), Errc::invalid_argument, "regular file");
  says(read_opencv_model(folder.write("empty.xml", "")), Errc::damaged, "empty.xml");
  // What cannot be looked at is not called "not a regular file". A link to itself: for root too.
  namespace fs = std::filesystem;
  fs::create_symlink("loop.xml", folder.at("loop.xml"));
  says(read_opencv_model(folder.at("loop.xml")), Errc::io, "loop.xml");
  fs::create_directory(folder.at("closed"));
  folder.write("closed/model.xml", "");
  fs::permissions(folder.at("closed"), fs::perms::none);
  const Result<Model> hidden = read_opencv_model(folder.at("closed/model.xml"));
  fs::permissions(folder.at("closed"), fs::perms::owner_all);
  if (geteuid() != 0) says(hidden, Errc::io, "model.xml");
  std::string list;
  for (int i = 0; i < 3780; ++i) list += "1 ";
  const Result<Model> odd = read_opencv_model(folder.write("n\xc3\xa4me.txt", list));
  TEST_ASSERT_OK(odd);
  TEST_ASSERT_EQUAL_STRING("n__me", odd->name.c_str());
}

// Cut or scribbled on anywhere: an error, or a model that keeps the rules. No exception.
TEST(damaged_files_are_refused_or_sound) {
  const std::string good = xml_of(random_cascade(3, 1));
  std::mt19937 random{9};
  int refused = 0;
  const auto feed = [&refused](const std::string& text) {
    const Result<Model> model = parse_opencv_model(text);
    if (model) TEST_ASSERT_OK(validate(*model));
    refused += model ? 0 : 1;
  };
  for (std::size_t size = 0; size < good.size(); size += 97) feed(good.substr(0, size));
  for (std::size_t size = 0; size < 200; ++size) feed(good.substr(0, size));  // attributes
  feed("<?xml z=\r5=\"n");  // OpenCV 4.6 by itself would crash here, and below
  feed("<?xml version=");
  feed("%YAML:1.0\n---h\xff\xff~Size: [16 ]\n\xff\xfe-\x8f--\x97\xff");  // for ever
  feed("%YAML:1.\n---fg:0\ng:e-\no:");                                   // the same
  feed("%YAML:1.0\n---\n\n s:o2:YAML:1.0\n1---\n\n s:o2: 2\ns: 2\n 2\n</ops: 2\ns:");
  std::string deep = "<?xml version=\"1.0\"?>\n<opencv_storage>";
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  feed(deep);
  for (const char* one : {"{\"a\":", "[", "- ", "a: "}) {
    deep = one[0] == '{' ? "" : "%YAML:1.0\n---\na:\n   ";
    for (int i = 0; i < 100000; ++i) deep += one;
    feed(deep);
  }
  for (int i = 0; i < 150; ++i) {
    std::string text = good;
    for (unsigned n = 1 + random() % 4; n > 0; --n)
      text[random() % text.size()] = static_cast<char>(' ' + random() % 95);
    feed(text);
  }
  TEST_ASSERT_TRUE(refused > 50);
}

}  // namespace
