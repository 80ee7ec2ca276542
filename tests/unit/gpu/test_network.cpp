// SPDX-License-Identifier: Apache-2.0
// The rules of a network: each broken once.
#include "gpu/net/network.hpp"

#include <cmath>
#include <functional>
#include <limits>

#include "tests/support/test.hpp"
#include "tests/unit/gpu/net_cases.hpp"

using namespace kerb;
using namespace kerb::test;
using net::Layer;
using net::Network;

namespace {

Network small() {
  return random_network({"", {8, 12, 3, 10}, {{6, 3, 3, 2, 1}, {4, 4, 6, 1, 0}}}, 3);
}

TEST(the_networks_of_the_tests_are_valid) {
  for (const NetCase& c : net_cases()) TEST_ASSERT_OK(net::validate(random_network(c, 1)));
}

TEST(each_rule_is_checked) {
  const float infinite = std::numeric_limits<float>::infinity();
  struct Broken {
    const char* rule;
    std::function<void(Network&)> change;
  };
  const Broken cases[] = {
      {"crop: even sides of 2..256 pixels", [](Network& n) { n.crop.width = 7; }},
      {"crop: even sides of 2..256 pixels", [](Network& n) { n.crop.width = 0; }},
      {"crop: even sides of 2..256 pixels", [](Network& n) { n.crop.height = 13; }},
      {"crop: even sides of 2..256 pixels", [](Network& n) { n.crop.height = 258; }},
      {"crop: 1 plane (grey) or 3 (R, G, B)", [](Network& n) { n.crop.planes = 2; }},
      {"crop: a person of 1 pixel up to the crop's height",
       [](Network& n) { n.crop.person_height = 0; }},
      {"crop: a person of 1 pixel up to the crop's height",
       [](Network& n) { n.crop.person_height = 13; }},
      {"layers: 1..32", [](Network& n) { n.layers.clear(); }},
      {"layers: 1..32", [](Network& n) { n.layers.resize(33); }},
      {"inputs: as many as there are values before it", [](Network& n) { n.layers[0].inputs = 1; }},
      {"inputs: as many as there are values before it", [](Network& n) { n.layers[1].inputs = 5; }},
      {"outputs: 1..256", [](Network& n) { n.layers[0].outputs = 0; }},
      {"outputs: 1..256", [](Network& n) { n.layers[0].outputs = 257; }},
      {"kernels: sides of 1..16", [](Network& n) { n.layers[0].kernel_width = 0; }},
      {"kernels: sides of 1..16", [](Network& n) { n.layers[0].kernel_height = 17; }},
      {"stride: 1..16", [](Network& n) { n.layers[0].stride = 0; }},
      {"stride: 1..16", [](Network& n) { n.layers[0].stride = 17; }},
      {"padding: 0 or more, less than the kernel's sides",
       [](Network& n) { n.layers[0].padding = -1; }},
      {"padding: 0 or more, less than the kernel's sides",
       [](Network& n) { n.layers[0].padding = 3; }},
      {"sizes between layers: sides of 1..256", [](Network& n) { n.layers[1].kernel_width = 5; }},
      {"weights: one for each output, place of the kernel and input",
       [](Network& n) { n.layers[0].weights.pop_back(); }},
      {"weights: one for each output, place of the kernel and input",
       [](Network& n) { n.layers[1].weights.push_back(0); }},
      {"bias and factor: one for each output", [](Network& n) { n.layers[0].bias.pop_back(); }},
      {"bias and factor: one for each output", [](Network& n) { n.layers[0].factor.push_back(1); }},
      {"weights: -127..127", [](Network& n) { n.layers[0].weights[77] = -128; }},
      {"factors: over 0 and finite", [](Network& n) { n.layers[0].factor[5] = 0; }},
      {"factors: over 0 and finite", [](Network& n) { n.layers[0].factor[5] = -1; }},
      {"factors: over 0 and finite", [](Network& n) { n.layers[1].factor[3] = std::nanf(""); }},
      {"factors: over 0 and finite", [=](Network& n) { n.layers[1].factor[0] = infinite; }},
      {"factors: finite results", [](Network& n) { n.layers[1].factor[0] = 3e38F; }},
      {"sums: more than 32 bits", [](Network& n) { n.layers[0].bias[2] = 2147483647; }},
      {"sums: more than 32 bits", [](Network& n) { n.layers[0].bias[2] = -2147483647 - 1; }},
      {"results: 1 x 1 x 4", [](Network& n) { n.layers.pop_back(); }},
      {"results: 1 x 1 x 4", [](Network& n) {
         n.layers[1].outputs = 3;
         n.layers[1].weights.resize(3 * 4 * 6 * 6);
         n.layers[1].bias.resize(3);
         n.layers[1].factor.resize(3);
       }}};
  TEST_ASSERT_OK(net::validate(small()));
  for (const Broken& c : cases) {
    Network network = small();
    c.change(network);
    const Status status = net::validate(network);
    TEST_ASSERT_ERROR(Errc::invalid_argument, status);
    TEST_ASSERT_EQUAL_STRING(c.rule, status.error().what.c_str());
  }
}

/// The bound of sums is exact: one more is too much.
TEST(sums_may_use_all_of_32_bits) {
  Network network = small();
  Layer& layer = network.layers[0];
  layer.weights.assign(layer.weights.size(), 127);
  const std::int64_t most = std::int64_t{127} * 127 * 27;
  layer.bias[0] = static_cast<std::int32_t>(2147483647 - most);
  TEST_ASSERT_OK(net::validate(network));
  ++layer.bias[0];
  TEST_ASSERT_ERROR(Errc::invalid_argument, net::validate(network));
  layer.weights.assign(layer.weights.size(), -127);
  layer.bias[0] = static_cast<std::int32_t>(-2147483648 + most);
  TEST_ASSERT_OK(net::validate(network));
  --layer.bias[0];
  TEST_ASSERT_ERROR(Errc::invalid_argument, net::validate(network));
}

TEST(too_many_products) {
  const NetCase most{"",
                     {256, 256, 1, 100},
                     {{64, 1, 1, 1, 0}, {64, 1, 1, 1, 0}, {4, 16, 16, 16, 0}, {4, 16, 16, 1, 0}}};
  Network network = random_network(most, 1);
  TEST_ASSERT_ERROR(Errc::invalid_argument, net::validate(network));
  TEST_ASSERT_EQUAL_STRING("more than 2^28 multiplications",
                           net::validate(network).error().what.c_str());
  NetCase fewer = most;
  fewer.layers[1].outputs = 32;
  TEST_ASSERT_OK(net::validate(random_network(fewer, 1)));
}

TEST(sizes_and_products) {
  const Network network = random_network(net_cases().front(), 1);
  const std::vector<net::LayerSize> sizes = net::sizes_of(network);
  const int expected[][3] = {{48, 96, 3}, {24, 48, 16}, {12, 24, 32}, {12, 24, 32}, {6, 12, 64},
                             {6, 12, 64}, {3, 6, 96},   {3, 6, 96},   {1, 1, 128},  {1, 1, 4}};
  TEST_ASSERT_EQUAL(10, sizes.size());
  std::int64_t products = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    TEST_ASSERT_EQUAL(expected[i][0], sizes[i].width);
    TEST_ASSERT_EQUAL(expected[i][1], sizes[i].height);
    TEST_ASSERT_EQUAL(expected[i][2], sizes[i].channels);
    if (i > 0)  // each output pixel uses all of a kernel
      products += std::int64_t{sizes[i].width} * sizes[i].height *
                  static_cast<std::int64_t>(network.layers[i - 1].weights.size());
  }
  TEST_ASSERT_EQUAL_INT64(products, net::products_of(network));
}

}  // namespace
