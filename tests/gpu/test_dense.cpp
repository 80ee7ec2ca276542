// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

#include "gpu/hog/dense_plan.hpp"
#include "tests/gpu/device.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/test_dense.hpp"

using namespace kerb;
using namespace kerb::hog;
using namespace kerb::test;

namespace {

constexpr float kLowest = -std::numeric_limits<float>::max();
constexpr DenseKind kKinds[] = {DenseKind::rhog, DenseKind::cells, DenseKind::integral};
constexpr std::size_t kOneRound = std::size_t{1} << 26;

void check_equal(const Engine::Hits& expected, const Result<Engine::Hits>& actual) {
  TEST_ASSERT_OK(actual);
  TEST_ASSERT_EQUAL(expected.count, actual->count);
  // memcmp: scores bit for bit
  for (int i = 0; i < expected.count; ++i)
    if (std::memcmp(&expected.data[i], &actual->data[i], sizeof(Hit)) != 0) {
      char text[160];
      std::snprintf(text, sizeof text, "hit %d: window %d score %.9g, on CUDA %d %.9g", i,
                    expected.data[i].window, static_cast<double>(expected.data[i].score),
                    actual->data[i].window, static_cast<double>(actual->data[i].score));
      TEST_FAIL_MESSAGE(text);
    }
}

/// The scene where kernels read it, rows padded as on the host.
hog::Picture<Space::device> upload(const DenseScene& scene, bool colour,
                                   DeviceBuffer<std::uint8_t>& memory) {
  Result<DeviceBuffer<std::uint8_t>> made =
      DeviceBuffer<std::uint8_t>::create(*gpu, scene.bytes.size());
  TEST_ASSERT_OK(made);
  memory = std::move(*made);
  TEST_ASSERT_OK(
      copy_to_device(gpu->stream(), memory.device_data(), scene.bytes.data(), scene.bytes.size()));
  TEST_ASSERT_OK(wait(gpu->stream()));  // engines work on another
  const hog::Picture<Space::host> host = scene.view(colour);
  hog::Picture<Space::device> picture;
  picture.grey = {memory.device_data(), host.grey.width, host.grey.height, host.grey.row_stride};
  if (colour)
    picture.rgb = {memory.device_data() + (host.rgb.data - host.grey.data),
                   3,
                   host.rgb.width,
                   host.rgb.height,
                   host.rgb.row_stride,
                   host.rgb.plane_stride};
  return picture;
}

/// Both engines on one scene: everything, and what reaches a threshold in the middle; grey and
/// colour by turns, from the host and from the device.
void check_scene(const DenseModel& model, const SearchSettings& settings, const DenseScene& scene,
                 std::size_t round_values = kOneRound) {
  Workers workers{2};
  auto cpu = make_dense_cpu(workers, {"", model}, settings, scene.width, scene.height);
  auto cuda =
      dense::make_dense_cuda(*gpu, {"", model}, settings, scene.width, scene.height, round_values);
  TEST_ASSERT_OK(cpu);
  TEST_ASSERT_OK(cuda);
  TEST_ASSERT_EQUAL((*cpu)->plan().window_count, (*cuda)->plan().window_count);
  DeviceBuffer<std::uint8_t> memory;
  for (bool colour : {true, false, true}) {
    const hog::Picture<Space::host> host = scene.view(colour);
    const hog::Picture<Space::device> device = upload(scene, colour, memory);
    Result<Engine::Hits> expected = (*cpu)->search(host, kLowest);
    TEST_ASSERT_OK(expected);
    TEST_ASSERT_EQUAL((*cpu)->plan().window_count, expected->count);
    check_equal(*expected, (*cuda)->search(host, kLowest));
    check_equal(*expected, (*cuda)->search(device, kLowest));
    if (expected->count == 0) continue;
    const float middle = expected->data[expected->count / 2].score;
    expected = (*cpu)->search(host, middle);
    check_equal(*expected, (*cuda)->search(device, middle));
    check_equal(*expected, (*cuda)->search(host, middle));
  }
}

TEST(engines_equal_the_cpus_bit_for_bit) {
  int cases = 0;
  for (DenseKind kind : kKinds)
    for (int stride : {8, 16, 4, 6, 24, 11, 1})
      for (const auto& [width, height] : {std::pair{32, 40}, std::pair{64, 128}}) {
        ++cases;
        const auto seed = static_cast<std::uint64_t>(cases);
        SearchSettings settings;
        settings.stride = stride;
        settings.scale_step = cases % 5 == 0 ? 1.05 : 1.3;
        settings.padding = cases % 3 == 0 ? 9 : 0;
        settings.min_height = cases % 4 == 0 ? height * 2 / 3 : 0;
        const int side = stride == 1 ? 20 : 61;
        check_scene(random_dense(kind, width, height, seed), settings,
                    DenseScene{width + side + cases, height + side - cases % 13, seed, cases % 5});
      }
  std::printf("%d settings\n", cases);
}

TEST(rounds_change_nothing) {
  SearchSettings settings;
  settings.stride = 6;
  settings.scale_step = 1.25;
  for (DenseKind kind : kKinds)
    for (std::size_t values : {std::size_t{1}, std::size_t{20000}})
      check_scene(random_dense(kind, 48, 64, 6), settings, DenseScene{140, 150, 9}, values);
}

TEST(a_whole_frame_with_more_hits_than_come_back_at_once) {
  SearchSettings settings;
  settings.scale_step = 1.2;
  for (DenseKind kind : kKinds)
    check_scene(random_dense(kind, 64, 128, 2), settings, DenseScene{1280, 960, 4});
}

TEST(one_window_and_none) {
  for (DenseKind kind : kKinds) {
    const DenseModel model = random_dense(kind, 32, 40, 1);
    check_scene(model, {}, DenseScene{32, 40, 1});
    check_scene(model, {}, DenseScene{31, 40, 1});
    check_scene(model, {}, DenseScene{1, 1, 1});
    check_scene(random_dense(kind, 16, 16, 1), {}, DenseScene{16, 17, 1});
    check_scene(random_dense(kind, 136, 24, 1), {}, DenseScene{300, 41, 1});
  }
}

TEST(engines_say_what_they_do) {
  const DenseScene scene{120, 140, 3};
  const Model model{"someone", random_dense(DenseKind::rhog, 32, 40, 6)};
  auto engine = make_dense_cuda(*gpu, model, {}, 120, 140);
  TEST_ASSERT_OK(engine);
  TEST_ASSERT_TRUE((*engine)->backend() == Backend::cuda);
  TEST_ASSERT_TRUE((*engine)->device_bytes() > 120 * 140);
  Result<Work> work = (*engine)->count_work(scene.view(false));
  TEST_ASSERT_OK(work);
  TEST_ASSERT_EQUAL((*engine)->plan().window_count, work->windows);
  TEST_ASSERT_EQUAL(work->windows * 3 * 4, work->learners);
}

TEST(engines_refuse_what_their_contract_refuses) {
  const DenseScene scene{64, 70, 3};
  const DenseModel good = random_dense(DenseKind::rhog, 32, 40, 6);
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    make_dense_cuda(*gpu, {"", CascadeModel{}}, {}, 64, 70));
  DenseModel model = good;
  model.weights.pop_back();
  TEST_ASSERT_ERROR(Errc::invalid_argument, make_dense_cuda(*gpu, {"", model}, {}, 64, 70));
  SearchSettings settings;
  settings.stride = 0;
  TEST_ASSERT_ERROR(Errc::invalid_argument, make_dense_cuda(*gpu, {"", good}, settings, 64, 70));
  Result<Context> cpu_context = Context::create(BackendChoice::cpu);
  TEST_ASSERT_ERROR(Errc::unsupported, make_dense_cuda(*cpu_context, {"", good}, {}, 64, 70));
  auto engine = make_dense_cuda(*gpu, {"", good}, {}, 64, 70);
  TEST_ASSERT_OK(engine);
  hog::Picture<Space::host> picture = scene.view(true);
  picture.grey.width = 63;
  TEST_ASSERT_ERROR(Errc::invalid_argument, (*engine)->search(picture, 0));
  picture = scene.view(true);
  picture.rgb.count = 2;
  TEST_ASSERT_ERROR(Errc::invalid_argument, (*engine)->search(picture, 0));
  TEST_ASSERT_ERROR(Errc::invalid_argument, (*engine)->search(hog::Picture<Space::device>{}, 0.0F));
}

}  // namespace

BEFORE_SUITE(words) { return kerb::test::open_gpu(); }

AFTER_SUITE() { gpu.reset(); }
