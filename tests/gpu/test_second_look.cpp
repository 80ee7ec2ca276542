// SPDX-License-Identifier: Apache-2.0
// The second look on the GPU: the CPU's bits.
#include "gpu/net/second_look.hpp"

#include <cstdio>
#include <cstring>
#include <vector>

#include "gpu/memory/workers.hpp"
#include "tests/gpu/device.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/net_cases.hpp"
#include "tests/unit/gpu/planes.hpp"

using namespace kerb;
using namespace kerb::test;
using net::Network;
using net::SecondLook;

namespace {

constexpr int kWidth = 211, kHeight = 163;
using Made = Result<std::unique_ptr<SecondLook>>;
using There = PlanesView<Space::device, const std::uint8_t>;

There view_of(const Planes& picture, const DeviceBuffer<std::uint8_t>& buffer) {
  return {buffer.device_data(), picture.count,  picture.width,
          picture.height,       picture.stride, picture.plane_stride()};
}

/// Five numbers of each, as they are stored.
std::vector<std::uint32_t> bits_of(const std::vector<Detection>& found) {
  static_assert(sizeof(Detection) == 5 * sizeof(std::uint32_t));
  std::vector<std::uint32_t> out(5 * found.size());
  std::memcpy(out.data(), found.data(), found.size() * sizeof(Detection));
  return out;
}

std::vector<Detection> found_on_cpu(const Network& network, const Planes& picture,
                                    const std::vector<Detection>& candidates) {
  Workers workers{2};
  Made here = net::make_second_look_cpu(workers, network, picture.width, picture.height);
  TEST_ASSERT_OK(here);
  std::vector<Detection> found = candidates;
  const int count = static_cast<int>(candidates.size());
  TEST_ASSERT_OK((*here)->look(picture.planes(), found.data(), count));
  return found;
}

/// Whether this GPU runs clusters of `blocks` blocks, seen with a network that fits every GPU.
bool has_clusters_of(int blocks) {
  const Made made = net::make_second_look_cuda(*gpu, random_network(net_cases()[1], 1), kWidth,
                                               kHeight, {blocks, false});
  if (!made) TEST_ASSERT_TRUE(made.error().code == Errc::unsupported);
  return static_cast<bool>(made);
}

/// Looks at the same candidates on the CPU, and at the picture on the host and on the device.
void expect_equal(const Network& network, const Planes& picture,
                  const std::vector<Detection>& candidates, const char* what) {
  Workers workers{2};
  Made there = net::make_second_look(*gpu, workers, network, picture.width, picture.height);
  TEST_ASSERT_OK(there);
  TEST_ASSERT_TRUE((*there)->backend() == Backend::cuda);
  const int count = static_cast<int>(candidates.size());
  const std::vector<Detection> expected = found_on_cpu(network, picture, candidates);
  const DeviceBuffer<std::uint8_t> uploaded = upload(picture.bytes);
  for (int i = 0; i < 2; ++i) {  // again: nothing is left over from the first time
    std::vector<Detection> found = candidates;
    TEST_ASSERT_OK((*there)->look(picture.planes(), found.data(), count));
    assert_equal_bits(bits_of(expected), bits_of(found), what);
    found = candidates;
    TEST_ASSERT_OK((*there)->look(view_of(picture, uploaded), found.data(), count));
    assert_equal_bits(bits_of(expected), bits_of(found), what);
  }
}

TEST(scores_and_boxes_equal_the_cpu_bit_for_bit) {
  for (const NetCase& c : net_cases())
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      const int count = small_sizes() ? 7 : 60;
      expect_equal(random_network(c, seed), Planes{c.crop.planes, kWidth, kHeight, 5, seed},
                   net_candidates(count, kWidth, kHeight, c.crop, seed), c.name);
    }
}

/// However many blocks share a crop, and with as little shared memory as possible.
TEST(every_number_of_blocks_gives_the_bits_of_the_cpu) {
  for (const NetCase& c : net_cases()) {
    const Network network = random_network(c, 11);
    const Planes picture{c.crop.planes, kWidth, kHeight, 3, 11};
    std::vector<Detection> candidates =
        net_candidates(small_sizes() ? 7 : 60, kWidth, kHeight, c.crop, 11);
    candidates.push_back({-1, -1, 3000, 30000, 0});  // samples over a pixel apart
    const int count = static_cast<int>(candidates.size());
    const std::vector<Detection> expected = found_on_cpu(network, picture, candidates);
    const DeviceBuffer<std::uint8_t> uploaded = upload(picture.bytes);
    for (const int blocks : {1, 2, 4, 8}) {
      if (!has_clusters_of(blocks)) continue;
      for (const bool compact : {false, true}) {
        char what[100];
        std::snprintf(what, sizeof what, "%s, %d blocks%s", c.name, blocks,
                      compact ? ", compact" : "");
        Made made = net::make_second_look_cuda(*gpu, network, kWidth, kHeight, {blocks, compact});
        TEST_ASSERT_OK(made);
        for (int i = 0; i < 2; ++i) {
          std::vector<Detection> found = candidates;
          TEST_ASSERT_OK((*made)->look(view_of(picture, uploaded), found.data(), count));
          assert_equal_bits(bits_of(expected), bits_of(found), what);
        }
      }
    }
  }
}

/// With few candidates more blocks share a crop than with many.
TEST(every_number_of_candidates_gives_the_bits_of_the_cpu) {
  const NetCase& c = net_cases().front();
  const Network network = random_network(c, 12);
  const Planes picture{3, kWidth, kHeight, 0, 12};
  Workers workers{1};
  Made made = net::make_second_look(*gpu, workers, network, kWidth, kHeight);
  TEST_ASSERT_OK(made);
  const DeviceBuffer<std::uint8_t> uploaded = upload(picture.bytes);
  const int most = small_sizes() ? 5 : SecondLook::kMaxCandidates;
  const std::vector<Detection> all = net_candidates(most, kWidth, kHeight, c.crop, 12);
  const std::vector<std::uint32_t> expected = bits_of(found_on_cpu(network, picture, all));
  for (int count = 1; count <= most; count += count < 5 ? 1 : 7) {
    std::vector<Detection> found(all.begin(), all.begin() + count);
    TEST_ASSERT_OK((*made)->look(view_of(picture, uploaded), found.data(), count));
    const std::vector<std::uint32_t> some(expected.begin(), expected.begin() + 5 * count);
    assert_equal_bits(some, bits_of(found), "some of the candidates");
  }
}

TEST(as_many_candidates_as_there_may_be) {
  const NetCase& c = net_cases().front();
  const int width = 1280, height = 720;
  expect_equal(
      random_network(c, 3), Planes{3, width, height, 0, 3},
      net_candidates(small_sizes() ? 3 : SecondLook::kMaxCandidates, width, height, c.crop, 3),
      "128 candidates");
}

TEST(flat_and_dark_pictures) {
  const NetCase& c = net_cases().front();
  for (const int kind : {0, 1, 2, 3}) {
    Planes picture{3, kWidth, kHeight, 0, 8};
    for (std::uint8_t& b : picture.bytes)
      b = static_cast<std::uint8_t>(kind == 0   ? 0
                                    : kind == 1 ? 255
                                    : kind == 2 ? b % 3
                                                : 9 + b % 8);
    expect_equal(random_network(c, 4), picture,
                 net_candidates(small_sizes() ? 2 : 20, kWidth, kHeight, c.crop, 5), "flat");
  }
}

TEST(tiny_pictures_and_huge_people) {
  const NetCase& c = net_cases()[3];
  for (const Side& side : kPlaneSizes) {
    std::vector<Detection> candidates = net_candidates(8, side.width, side.height, c.crop, 6);
    candidates.push_back({-1, -1, 3000, 30000, 0});
    candidates.push_back({0, 0, 0.01F, 0.01F, 0});
    expect_equal(random_network(c, 7), Planes{3, side.width, side.height, 2, 9}, candidates,
                 "tiny");
  }
}

/// Several at a time, of which one needs more shared memory than the other.
TEST(two_networks_by_turns) {
  const Network large = random_network(net_cases().front(), 8);
  const Network small = random_network(net_cases()[1], 8);
  Workers workers{1};
  Made a = net::make_second_look(*gpu, workers, large, kWidth, kHeight);
  Made b = net::make_second_look(*gpu, workers, small, kWidth, kHeight);
  TEST_ASSERT_OK(a);
  TEST_ASSERT_OK(b);
  const Planes colours{3, kWidth, kHeight, 0}, grey{1, kWidth, kHeight, 0};
  for (int i = 0; i < 2; ++i) {
    Detection d{30, 30, 20, 40, 0};
    TEST_ASSERT_OK((*a)->look(colours.planes(), &d, 1));
    d = {30, 30, 20, 40, 0};
    TEST_ASSERT_OK((*b)->look(grey.planes(), &d, 1));
  }
  TEST_ASSERT_GREATER_THAN(3 * kWidth * kHeight, (*a)->device_bytes());
}

TEST(what_is_refused_on_the_gpu) {
  Workers workers{1};
  const Network network = random_network(net_cases()[3], 9);
  Made made = net::make_second_look(*gpu, workers, network, kWidth, kHeight);
  TEST_ASSERT_OK(made);
  const Planes picture{3, kWidth, kHeight, 0};
  const DeviceBuffer<std::uint8_t> there = upload(picture.bytes);
  There view = view_of(picture, there);
  std::vector<Detection> many(SecondLook::kMaxCandidates + 1, Detection{10, 10, 20, 40, 5});
  TEST_ASSERT_OK((*made)->look(view, many.data(), 0));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    (*made)->look(view, many.data(), SecondLook::kMaxCandidates + 1));
  many[0].h = 0;
  TEST_ASSERT_ERROR(Errc::invalid_argument, (*made)->look(view, many.data(), 1));
  view.count = 1;
  TEST_ASSERT_ERROR(Errc::invalid_argument, (*made)->look(view, many.data() + 1, 1));
  Network broken = network;
  broken.layers[0].weights[0] = -128;
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    net::make_second_look(*gpu, workers, broken, kWidth, kHeight));
  for (const int blocks : {-1, 3, 16})
    TEST_ASSERT_ERROR(Errc::invalid_argument,
                      net::make_second_look_cuda(*gpu, network, kWidth, kHeight, {blocks, false}));
  // Four million values between the layers: no GPU has shared memory for these.
  const NetCase wide{
      "", {256, 256, 3, 99}, {{64, 1, 1, 1, 0}, {4, 16, 16, 16, 0}, {4, 16, 16, 1, 0}}};
  TEST_ASSERT_ERROR(Errc::unsupported,
                    net::make_second_look(*gpu, workers, random_network(wide, 1), kWidth, kHeight));
  Result<Context> cpu = Context::create(BackendChoice::cpu);
  TEST_ASSERT_OK(cpu);
  Made on_cpu = net::make_second_look(*cpu, workers, network, kWidth, kHeight);
  TEST_ASSERT_OK(on_cpu);
  TEST_ASSERT_ERROR(Errc::unsupported,
                    (*on_cpu)->look(view_of(picture, there), many.data() + 1, 1));
}

}  // namespace

BEFORE_SUITE(words) { return kerb::test::open_gpu(); }

AFTER_SUITE() { gpu.reset(); }
