// SPDX-License-Identifier: Apache-2.0
// Crops and layers against OpenCV's operators, of which none knows of ours.
#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "gpu/net/convolve.hpp"
#include "gpu/net/crop.hpp"
#include "gpu/net/packed_network.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/net_cases.hpp"
#include "tests/unit/gpu/planes.hpp"

using namespace kerb;
using namespace kerb::test;
using net::CropPlace;
using net::CropShape;

namespace {

cv::Mat picture_of(const Planes& planes) {
  cv::Mat out(planes.height, planes.width, CV_8UC1);
  for (int y = 0; y < planes.height; ++y)
    for (int x = 0; x < planes.width; ++x) out.at<std::uint8_t>(y, x) = planes.at(0, x, y);
  return out;
}

std::vector<std::uint8_t> cut(const Planes& picture, const CropShape& shape,
                              const CropPlace& place) {
  const int samples = shape.width * shape.height;
  std::vector<std::uint8_t> out(static_cast<std::size_t>(samples));
  net::cut_crop(picture.planes(), shape, place, out.data());
  return out;
}

/// Between pixels, and over the edges, where both repeat the last ones.
TEST(crops_of_the_same_scale_are_those_of_get_rect_sub_pix) {
  const Planes picture{1, 90, 110, 0, 3};
  const cv::Mat image = picture_of(picture);
  const CropShape shape{48, 96, 1, 64};
  for (const Detection& person :
       {Detection{20.25F, 20.75F, 32, 64, 0}, Detection{-19.3F, -30.6F, 32, 64, 0},
        Detection{70.9F, 80.1F, 30, 64, 0}, Detection{33, 10.5F, 25, 64, 0}}) {
    const std::vector<std::uint8_t> crop = cut(picture, shape, net::place_crop(shape, person));
    // Its middle is that of the middle pixel; ours is a corner between four.
    const cv::Point2f middle{person.x + person.w / 2 - 0.5F, person.y + person.h / 2 - 0.5F};
    cv::Mat expected;
    cv::getRectSubPix(image, {shape.width, shape.height}, middle, expected, CV_32F);
    for (int y = 0; y < shape.height; ++y)
      for (int x = 0; x < shape.width; ++x)
        TEST_ASSERT_FLOAT_WITHIN(2.5F, expected.at<float>(y, x),  // 256ths of a pixel, both ways
                                 crop[static_cast<std::size_t>(y * shape.width + x)]);
  }
}

TEST(crops_of_smaller_scales_are_means_of_areas) {
  const Planes picture{1, 330, 340, 0, 4};
  const cv::Mat image = picture_of(picture);
  const CropShape shape{32, 48, 1, 40};
  for (const int scale : {2, 3, 5, 7}) {
    const CropPlace place{std::int64_t{5} << 16, std::int64_t{3} << 16, scale << 16, scale};
    const std::vector<std::uint8_t> crop = cut(picture, shape, place);
    cv::Mat expected;
    cv::resize(image(cv::Rect{5, 3, scale * shape.width, scale * shape.height}), expected,
               {shape.width, shape.height}, 0, 0, cv::INTER_AREA);
    for (int y = 0; y < shape.height; ++y)
      for (int x = 0; x < shape.width; ++x)
        TEST_ASSERT_INT_WITHIN(1, expected.at<std::uint8_t>(y, x),  // halves
                               crop[static_cast<std::size_t>(y * shape.width + x)]);
  }
}

/// A whole network by filter2D in doubles: exact.
std::vector<float> filtered(const net::Network& network, const std::vector<std::uint8_t>& values) {
  std::vector<cv::Mat> now;
  const int pixels = network.crop.width * network.crop.height;
  for (int p = 0; p < network.crop.planes; ++p) {
    cv::Mat plane(network.crop.height, network.crop.width, CV_64F);
    for (int i = 0; i < pixels; ++i) {
      const int at = p * pixels + i;
      plane.at<double>(i / network.crop.width, i % network.crop.width) =
          values[static_cast<std::size_t>(at)];
    }
    now.push_back(plane);
  }
  std::vector<float> results;
  for (const net::Layer& layer : network.layers) {
    const int places = layer.kernel_width * layer.kernel_height;
    for (cv::Mat& plane : now)
      cv::copyMakeBorder(plane.clone(), plane, layer.padding, layer.padding, layer.padding,
                         layer.padding, cv::BORDER_CONSTANT, 0);
    const int width = (now[0].cols - layer.kernel_width) / layer.stride + 1;
    const int height = (now[0].rows - layer.kernel_height) / layer.stride + 1;
    std::vector<cv::Mat> next;
    results.clear();
    for (int o = 0; o < layer.outputs; ++o) {
      cv::Mat sum(now[0].size(), CV_64F, cv::Scalar{0});
      for (int c = 0; c < layer.inputs; ++c) {
        cv::Mat kernel(layer.kernel_height, layer.kernel_width, CV_64F), part;
        for (int k = 0; k < places; ++k) {
          const int at = (o * places + k) * layer.inputs + c;
          kernel.at<double>(k / layer.kernel_width, k % layer.kernel_width) =
              layer.weights[static_cast<std::size_t>(at)];
        }
        cv::filter2D(now[static_cast<std::size_t>(c)], part, CV_64F, kernel, {0, 0}, 0,
                     cv::BORDER_CONSTANT);
        sum += part;
      }
      cv::Mat out(height, width, CV_64F);
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
          const double all = std::round(sum.at<double>(y * layer.stride, x * layer.stride)) +
                             layer.bias[static_cast<std::size_t>(o)];
          const float product = static_cast<float>(all) * layer.factor[static_cast<std::size_t>(o)];
          out.at<double>(y, x) = std::clamp(std::nearbyint(double{product}), 0.0, 127.0);
          results.push_back(product);
        }
      next.push_back(out);
    }
    now = next;
  }
  return results;
}

TEST(networks_are_those_of_filter_2d) {
  net::LevelTable as_they_are;
  for (std::size_t i = 0; i < as_they_are.size(); ++i)
    as_they_are[i] = static_cast<std::uint8_t>(i);
  Random random{6};
  for (const NetCase& c : net_cases()) {
    if (c.layers.front().outputs > 100) continue;  // would take long
    const net::Network network = random_network(c, 31);
    const int count = c.crop.planes * c.crop.width * c.crop.height;
    std::vector<std::uint8_t> values(static_cast<std::size_t>(count));
    for (std::uint8_t& v : values) v = static_cast<std::uint8_t>((random.next() >> 20) % 128);
    const net::PackedNetwork packed{network};
    std::vector<std::uint8_t> scratch(packed.scratch_bytes());
    float results[net::kResults];
    packed.run(net::convolution_lanes(), values.data(), as_they_are, scratch.data(), results);
    const std::vector<float> expected = filtered(network, values);
    TEST_ASSERT_EQUAL(net::kResults, expected.size());
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(expected.data(), results, sizeof results, c.name);
  }
}

}  // namespace
