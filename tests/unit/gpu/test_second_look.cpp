// SPDX-License-Identifier: Apache-2.0
// The second look on the CPU: every kind of lanes this machine has against the definition.
#include "gpu/net/second_look.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "gpu/net/packed_network.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/net_cases.hpp"
#include "tests/unit/gpu/net_oracle.hpp"

using namespace kerb;
using namespace kerb::test;
using net::ConvolutionLanes;
using net::Network;
using net::SecondLook;

namespace {

constexpr int kWidth = 211, kHeight = 163;

std::vector<ConvolutionLanes> all_lanes() {
  std::vector<ConvolutionLanes> all{net::base::convolution_lanes()};
#if defined(__x86_64__)
  if (net::has_avx2()) all.push_back(net::avx2::convolution_lanes());
#elif defined(__aarch64__)
  if (net::has_dot()) all.push_back(net::dot::convolution_lanes());
#endif
  return all;
}

/// Values 0..127 of several kinds.
std::vector<std::uint8_t> values_of(const net::CropShape& crop, int kind, Random& random) {
  const int count = crop.planes * crop.width * crop.height;
  std::vector<std::uint8_t> out(static_cast<std::size_t>(count));
  for (std::uint8_t& v : out) {
    const std::uint64_t r = random.next() >> 16;
    v = static_cast<std::uint8_t>(kind == 0   ? r % 128
                                  : kind == 1 ? 127
                                  : kind == 2 ? 0
                                              : r % 2 * 127);
  }
  return out;
}

TEST(every_kind_of_lanes_gives_the_defined_results) {
  net::LevelTable as_they_are;
  for (std::size_t i = 0; i < as_they_are.size(); ++i)
    as_they_are[i] = static_cast<std::uint8_t>(i);
  Random random{5};
  for (const NetCase& c : net_cases())
    for (int kind = 0; kind < 4; ++kind) {
      const Network network = random_network(c, static_cast<std::uint64_t>(kind) + 10);
      TEST_ASSERT_OK(net::validate(network));
      const net::PackedNetwork packed{network};
      const std::vector<std::uint8_t> values = values_of(c.crop, kind, random);
      const std::vector<float> expected = plain_results(network, values);
      for (const ConvolutionLanes& lanes : all_lanes()) {
        std::vector<std::uint8_t> scratch(packed.scratch_bytes());
        for (int again = 0; again < 2; ++again) {  // nothing is left over from the first time
          float results[net::kResults];
          packed.run(lanes, values.data(), as_they_are, scratch.data(), results);
          TEST_ASSERT_EQUAL_MEMORY_MESSAGE(expected.data(), results, sizeof results, c.name);
        }
      }
    }
}

TEST(this_machine_uses_its_best_lanes) {
  TEST_ASSERT_EQUAL_STRING(all_lanes().back().name, net::convolution_lanes().name);
}

struct Look {
  Workers workers;
  Result<std::unique_ptr<SecondLook>> made;
  explicit Look(const Network& network, int threads = 2)
      : workers{threads}, made{net::make_second_look_cpu(workers, network, kWidth, kHeight)} {
    TEST_ASSERT_OK(made);
  }
  SecondLook* operator->() { return made->get(); }
};

void expect_equal(const Detection& expected, const Detection& actual, const char* what) {
  TEST_ASSERT_EQUAL_MEMORY_MESSAGE(&expected, &actual, sizeof expected, what);
}

TEST(scores_and_boxes_are_as_defined) {
  for (const NetCase& c : net_cases()) {
    const Network network = random_network(c, 21);
    const Planes picture{c.crop.planes, kWidth, kHeight, 5, 31};
    // The definition is slow.
    const int count = net::products_of(network) > 1000000 ? 6 : 24;
    const std::vector<Detection> candidates = net_candidates(count, kWidth, kHeight, c.crop, 41);
    std::vector<Detection> found = candidates;
    Look look{network};
    TEST_ASSERT_OK(look->look(picture.planes(), found.data(), static_cast<int>(found.size())));
    for (std::size_t i = 0; i < found.size(); ++i)
      expect_equal(plain_look(network, picture, candidates[i]), found[i], c.name);
  }
}

/// Crops without contrast, and dark ones.
TEST(flat_and_dark_pictures_are_as_defined) {
  for (const int kind : {0, 1, 2, 3}) {
    const NetCase& c = net_cases()[3];
    const Network network = random_network(c, 22);
    Planes picture{3, kWidth, kHeight, 0, 8};
    for (std::uint8_t& b : picture.bytes)
      b = static_cast<std::uint8_t>(kind == 0   ? 0
                                    : kind == 1 ? 255
                                    : kind == 2 ? b % 3
                                                : 9 + b % 8);
    const std::vector<Detection> candidates = net_candidates(20, kWidth, kHeight, c.crop, 43);
    std::vector<Detection> found = candidates;
    Look look{network};
    TEST_ASSERT_OK(look->look(picture.planes(), found.data(), static_cast<int>(found.size())));
    for (std::size_t i = 0; i < found.size(); ++i)
      expect_equal(plain_look(network, picture, candidates[i]), found[i], c.name);
  }
}

/// A network of one layer without weights: its results are bias times factor.
Network constant(float score, float right, float down, float growth) {
  Network out = random_network({"", {6, 8, 1, 5}, {{4, 6, 8, 1, 0}}}, 1);
  net::Layer& layer = out.layers[0];
  layer.weights.assign(layer.weights.size(), 0);
  std::size_t i = 0;
  for (const float result : {score, right, down, growth}) {
    layer.bias[i] = result < 0 ? -1024 : 1024;
    layer.factor[i++] = std::max(std::abs(result), 1e-30F) / 1024;
  }
  return out;
}

TEST(boxes_are_moved_and_scaled) {
  const Planes picture{1, kWidth, kHeight, 0};
  struct Case {
    float results[4];
    Detection expected;
  };
  // The candidate's middle is at 40, 60.
  const Case cases[] = {{{2.5F, 0, 0, 0}, {30, 40, 20, 40, 2.5F}},
                        {{-1, 0.25F, 0, 0}, {40, 40, 20, 40, -1}},
                        {{0.5F, 0, -0.5F, 0}, {30, 20, 20, 40, 0.5F}},
                        {{1, 0, 0, 0.5F}, {25, 30, 30, 60, 1}},
                        {{1, 0.5F, 0.25F, -0.5F}, {55, 60, 10, 20, 1}},
                        {{1, 9, -9, -3}, {77.5F, 15, 5, 10, 1}},     // cut
                        {{1, -9, 9, 1000}, {-40, 20, 80, 160, 1}}};  // cut
  for (const Case& c : cases) {
    Look look{constant(c.results[0], c.results[1], c.results[2], c.results[3])};
    Detection d{30, 40, 20, 40, 77};
    TEST_ASSERT_OK(look->look(picture.planes(), &d, 1));
    TEST_ASSERT_FLOAT_WITHIN(1e-4F, c.expected.x, d.x);
    TEST_ASSERT_FLOAT_WITHIN(1e-4F, c.expected.y, d.y);
    TEST_ASSERT_FLOAT_WITHIN(1e-4F, c.expected.w, d.w);
    TEST_ASSERT_FLOAT_WITHIN(1e-4F, c.expected.h, d.h);
    TEST_ASSERT_FLOAT_WITHIN(1e-6F, c.expected.score, d.score);
  }
}

TEST(threads_change_nothing) {
  const NetCase& c = net_cases().front();
  const Network network = random_network(c, 23);
  const Planes picture{3, kWidth, kHeight, 0, 9};
  std::vector<Detection> one = net_candidates(40, kWidth, kHeight, c.crop, 44);
  std::vector<Detection> three = one;
  Look alone{network, 1}, many{network, 3};
  TEST_ASSERT_OK(alone->look(picture.planes(), one.data(), static_cast<int>(one.size())));
  TEST_ASSERT_OK(many->look(picture.planes(), three.data(), static_cast<int>(three.size())));
  for (std::size_t i = 0; i < one.size(); ++i) expect_equal(one[i], three[i], "threads");
}

TEST(looking_allocates_nothing) {
  const NetCase& c = net_cases().front();
  Look look{random_network(c, 24)};
  const Planes picture{3, kWidth, kHeight, 0, 10};
  const std::vector<Detection> candidates = net_candidates(20, kWidth, kHeight, c.crop, 45);
  for (int i = 0; i < 3; ++i) {
    std::vector<Detection> found = candidates;
    const std::uint64_t before = allocations();
    TEST_ASSERT_OK(look->look(picture.planes(), found.data(), static_cast<int>(found.size())));
    TEST_ASSERT_EQUAL(before, allocations());
  }
}

TEST(what_a_second_look_is) {
  const Network network = random_network(net_cases()[3], 25);
  Look look{network};
  TEST_ASSERT_TRUE(look->backend() == Backend::cpu);
  TEST_ASSERT_EQUAL(0, look->device_bytes());
  TEST_ASSERT_EQUAL(network.layers.size(), look->network().layers.size());
  Result<Context> cpu = Context::create(BackendChoice::cpu);
  TEST_ASSERT_OK(cpu);
  Workers workers{1};
  Result<std::unique_ptr<SecondLook>> made =
      net::make_second_look(*cpu, workers, network, kWidth, kHeight);
  TEST_ASSERT_OK(made);
  TEST_ASSERT_TRUE((*made)->backend() == Backend::cpu);
  TEST_ASSERT_ERROR(Errc::unsupported, net::make_second_look_cuda(*cpu, network, kWidth, kHeight));
}

TEST(what_is_refused) {
  Workers workers{1};
  const Network network = random_network(net_cases()[3], 26);
  Network broken = network;
  broken.layers[0].weights[0] = -128;
  for (const Side& side : {Side{0, 10}, Side{10, 0}, Side{16385, 10}, Side{10, 16385}})
    TEST_ASSERT_ERROR(Errc::invalid_argument,
                      net::make_second_look_cpu(workers, network, side.width, side.height));
  TEST_ASSERT_ERROR(Errc::invalid_argument, net::make_second_look_cpu(workers, broken, 10, 10));

  Look look{network};
  const Planes picture{3, kWidth, kHeight, 0};
  using View = PlanesView<Space::host, const std::uint8_t>;
  std::vector<Detection> many(SecondLook::kMaxCandidates + 1, Detection{10, 10, 20, 40, 5});
  const auto refused = [&](const View& view, int count) {
    TEST_ASSERT_ERROR(Errc::invalid_argument, look->look(view, many.data(), count));
  };
  const auto with = [&](auto change) {
    View view = picture.planes();
    change(view);
    return view;
  };
  refused(with([](View& v) { v.data = nullptr; }), 1);
  refused(with([](View& v) { v.count = 1; }), 1);
  refused(with([](View& v) { --v.width; }), 1);
  refused(with([](View& v) { ++v.height; }), 1);
  refused(with([](View& v) { --v.row_stride; }), 1);
  refused(with([](View& v) { --v.plane_stride; }), 1);
  refused(picture.planes(), -1);
  refused(picture.planes(), SecondLook::kMaxCandidates + 1);
  TEST_ASSERT_ERROR(Errc::invalid_argument, look->look(picture.planes(), nullptr, 1));
  TEST_ASSERT_OK(look->look(picture.planes(), nullptr, 0));

  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinite = std::numeric_limits<float>::infinity();
  for (const Detection& bad :
       {Detection{10, 10, 20, 0, 5}, Detection{10, 10, 20, -1, 5}, Detection{10, 10, -1, 40, 5},
        Detection{-20, 10, 20, 40, 5}, Detection{10, -40, 20, 40, 5},
        Detection{kWidth, 10, 20, 40, 5}, Detection{10, kHeight, 20, 40, 5},
        Detection{nan, 10, 20, 40, 5}, Detection{10, nan, 20, 40, 5}, Detection{10, 10, nan, 40, 5},
        Detection{10, 10, 20, nan, 5}, Detection{10, 10, infinite, 40, 5},
        Detection{10, 10, 20, infinite, 5}, Detection{-infinite, 10, 20, 40, 5}}) {
    many[3] = bad;
    refused(picture.planes(), 5);
  }
  for (std::size_t i : {std::size_t{0}, std::size_t{4}})  // what fails changes nothing
    expect_equal({10, 10, 20, 40, 5}, many[i], "unchanged");
  TEST_ASSERT_ERROR(
      Errc::unsupported,
      look->look(PlanesView<Space::device, const std::uint8_t>{picture.bytes.data(), 3, kWidth,
                                                               kHeight, kWidth, kWidth * kHeight},
                 many.data(), 1));
}

}  // namespace
