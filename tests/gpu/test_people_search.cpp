// SPDX-License-Identifier: Apache-2.0
// Models with a network, from a picture to people: on CUDA the CPU's list, bit for bit.
#include "gpu/hog/people_search.hpp"

#include <string>
#include <utility>
#include <vector>

#include "tests/gpu/device.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/bar_model.hpp"
#include "tests/unit/gpu/cascade_cases.hpp"
#include "tests/unit/gpu/net_cases.hpp"

using namespace kerb;
using namespace kerb::hog::test;
using hog::FusionKind;
using hog::FusionSettings;
using hog::LookAgain;
using hog::Model;
using hog::PeopleSearch;
using kerb::test::gpu;
using kerb::test::small_sizes;

namespace {

constexpr float kAnyScore = -1e9F;

/// Grey, or R, G and B, whose first plane is then the grey one too.
struct Photo {
  const char* name;
  int planes, width, height, stride;
  std::vector<std::uint8_t> bytes;

  Photo(const char* what, const Scene& scene)
      : name{what},
        planes{static_cast<int>(scene.planes.size())},
        width{scene.width},
        height{scene.height},
        stride{scene.stride},
        bytes{scene.rgb} {}
  Photo(const char* what, const Street& street)
      : name{what},
        planes{1},
        width{street.width},
        height{street.height},
        stride{street.width},
        bytes{street.grey} {}
  Photo(const char* what, const ColourStreet& street)
      : name{what},
        planes{3},
        width{street.width},
        height{street.height},
        stride{street.width},
        bytes{street.rgb} {}

  /// With its samples at `data`.
  template <Space S>
  [[nodiscard]] hog::Picture<S> at(const std::uint8_t* data) const {
    hog::Picture<S> picture{{data, width, height, stride}, {}};
    if (planes == 3)
      picture.rgb = {data, 3, width, height, stride, static_cast<std::ptrdiff_t>(stride) * height};
    return picture;
  }
  [[nodiscard]] hog::Picture<Space::host> here() const { return at<Space::host>(bytes.data()); }
};

FusionSettings fusion_of(FusionKind kind, float overlap = 0.3F, bool of_smaller = false) {
  FusionSettings settings;
  settings.kind = kind;
  settings.overlap = overlap;
  settings.of_smaller = of_smaller;
  return settings;
}

/// One model for pictures of one size, on both backends.
class Both {
 public:
  Both(const Model& model, const hog::SearchSettings& settings, const FusionSettings& fusion,
       int width, int height)
      : cpu_{Context::create(BackendChoice::cpu)} {
    TEST_ASSERT_OK(cpu_);
    auto on_cpu = PeopleSearch::create(*cpu_, workers_, model, settings, fusion, width, height);
    TEST_ASSERT_OK(on_cpu);
    here_ = std::move(*on_cpu);
    auto on_cuda = PeopleSearch::create(*gpu, workers_, model, settings, fusion, width, height);
    TEST_ASSERT_OK(on_cuda);
    there_ = std::move(*on_cuda);
    TEST_ASSERT_TRUE(there_->engine().backend() == Backend::cuda);
    TEST_ASSERT_NOT_NULL(there_->second_look());
    TEST_ASSERT_TRUE(there_->second_look()->backend() == Backend::cuda);
  }

  /// The CPU's people, after CUDA found the same: in the picture on the host, and in that on the
  /// device, twice each.
  DetectionList find(const Photo& photo, const std::uint8_t* on_device, float threshold) {
    DetectionList expected;
    expected.count = 7;  // of a picture before
    TEST_ASSERT_OK(here_->find(photo.here(), threshold, expected));
    for (int again = 0; again < 2; ++again) {
      DetectionList found;
      found.count = 9;
      TEST_ASSERT_OK(there_->find(photo.here(), threshold, found));
      expect_same(expected, found, photo.name, "uploaded");
      found.count = 9;
      TEST_ASSERT_OK(there_->find(photo.at<Space::device>(on_device), threshold, found));
      expect_same(expected, found, photo.name, "on the device");
    }
    return expected;
  }

  PeopleSearch& on_cuda() { return *there_; }

 private:
  static void expect_same(const DetectionList& expected, const DetectionList& found,
                          const char* picture, const char* where) {
    const std::string what = std::string{picture} + ", " + where;
    TEST_ASSERT_EQUAL_INT_MESSAGE(expected.count, found.count, what.c_str());
    if (expected.count > 0)
      TEST_ASSERT_EQUAL_MEMORY_MESSAGE(expected.items, found.items,
                                       sizeof(Detection) * static_cast<std::size_t>(expected.count),
                                       what.c_str());
  }

  Result<Context> cpu_;
  Workers workers_{1};
  std::unique_ptr<PeopleSearch> here_, there_;
};

/// How many candidates a model's windows propose, whatever its network may look at: on the CPU.
int candidates_of(const Model& model, const hog::SearchSettings& settings, const Photo& photo) {
  Model windows = model;
  windows.look_again.reset();
  const Result<Context> cpu = Context::create(BackendChoice::cpu);
  TEST_ASSERT_OK(cpu);
  Workers workers{1};
  auto made = PeopleSearch::create(*cpu, workers, windows, settings,
                                   fusion_of(FusionKind::suppression, model.look_again->overlap),
                                   photo.width, photo.height);
  TEST_ASSERT_OK(made);
  DetectionList found;
  TEST_ASSERT_OK((*made)->find(photo.here(), model.look_again->threshold, found));
  return found.count;
}

/// How a network is used here: on all that passes the cascade, of overlapping ones on several.
LookAgain on_all(LookAgain look) {
  look.threshold = kAnyScore;
  look.overlap = 0.7F;
  look.most = 40;
  return look;
}

LookAgain small(std::uint32_t seed, int planes) { return on_all(look_again(seed, planes)); }

/// A network as a detector has it, with these planes.
LookAgain typical(std::uint64_t seed, int planes) {
  kerb::test::NetCase c = kerb::test::net_cases().front();
  c.crop.planes = planes;
  LookAgain look = small(1, planes);
  look.network = kerb::test::random_network(c, seed);
  return look;
}

Model colour_dense(std::uint32_t seed) {
  Model model = dense_model(seed);
  std::get<hog::DenseModel>(model.kind).colour = true;
  return model;
}

struct ModelCase {
  const char* name;
  Model model;
  int planes;
};

std::vector<ModelCase> model_cases() {
  return {{"linear, small network", looking(model_for(kCascadeCases[3], 3), small(2, 1)), 1},
          {"linear, typical network", looking(model_for(kCascadeCases[3], 3), typical(2, 1)), 1},
          {"trees", looking(model_for(kCascadeCases[9], 2), typical(3, 1)), 1},
          {"soft trees", looking(model_for(kCascadeCases[12], 2), typical(4, 1)), 1},
          {"trees in colour", looking(model_for(kCascadeCases[13], 2), typical(5, 3)), 3},
          {"many trees in colour", looking(model_for(kCascadeCases[21], 2), small(6, 3)), 3},
          {"dense", looking(dense_model(3), typical(6, 1)), 1},
          {"dense in colour", looking(colour_dense(3), typical(7, 3)), 3}};
}

TEST(people_of_every_kind_of_model_are_the_same_as_on_the_cpu) {
  const FusionSettings fusions[] = {fusion_of(FusionKind::suppression),
                                    fusion_of(FusionKind::suppression, 0.5F, true),
                                    fusion_of(FusionKind::none)};
  const int width = small_sizes() ? 121 : 331, height = small_sizes() ? 167 : 259;
  for (const ModelCase& c : model_cases()) {
    // Of other contents, each at an address of its own.
    std::vector<Photo> photos;
    std::vector<DeviceBuffer<std::uint8_t>> uploaded;
    for (const std::uint64_t seed : {7U, 8U, 9U}) {
      photos.emplace_back(c.name, Scene{width, height, c.planes, seed});
      uploaded.push_back(kerb::test::upload(photos.back().bytes));
    }
    int all = 0, some = 0;
    for (const FusionSettings& fusion : fusions) {
      Both both{c.model, search(1.2, 8), fusion, width, height};
      for (std::size_t i = 0; i < photos.size(); ++i) {
        const DetectionList every = both.find(photos[i], uploaded[i].device_data(), kAnyScore);
        all += every.count;
        if (every.count == 0) continue;
        // A threshold that one person just reaches.
        const float middle = every.items[every.count / 2].score;
        const DetectionList better = both.find(photos[i], uploaded[i].device_data(), middle);
        TEST_ASSERT_EQUAL_FLOAT(middle, better.items[better.count - 1].score);
        some += better.count;
      }
    }
    TEST_ASSERT_GREATER_THAN_INT_MESSAGE(small_sizes() ? 20 : 100, all, c.name);
    TEST_ASSERT_LESS_THAN_INT_MESSAGE(all, some, c.name);
  }
}

TEST(of_more_candidates_than_the_most_the_same_are_seen) {
  const hog::SearchSettings settings = search(1.1, 4);
  for (const int planes : {1, 3}) {
    const Photo photo{"many candidates", Scene{183, 231, planes, 11}};
    const DeviceBuffer<std::uint8_t> uploaded = kerb::test::upload(photo.bytes);
    for (const int most : {1, 5, net::kMaxCandidates}) {
      if (small_sizes() && most > 5) continue;
      LookAgain look = typical(8, planes);
      look.overlap = 1;  // every window is a candidate
      look.most = most;
      const Model model =
          looking(model_for(kCascadeCases[planes == 3 ? 13 : 9], 2), std::move(look));
      TEST_ASSERT_GREATER_THAN_INT(most, candidates_of(model, settings, photo));
      for (const FusionKind kind : {FusionKind::none, FusionKind::suppression}) {
        Both both{model, settings, fusion_of(kind), photo.width, photo.height};
        const DetectionList people = both.find(photo, uploaded.device_data(), kAnyScore);
        if (kind == FusionKind::none) TEST_ASSERT_EQUAL_INT(most, people.count);
        TEST_ASSERT_GREATER_THAN_INT(0, people.count);
      }
    }
  }
}

/// Frames come at one address, as from a camera: bars, nobody, bars elsewhere, nobody.
void expect_bars(const Model& model, const std::vector<Photo>& frames, const int* bars) {
  Both both{model, search(1.1, 8), fusion_of(FusionKind::suppression), 320, 240};
  const DeviceBuffer<std::uint8_t> at = kerb::test::upload(frames.front().bytes);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    TEST_ASSERT_OK(copy_to_device(gpu->stream(), at.device_data(), frames[i].bytes.data(),
                                  frames[i].bytes.size()));
    TEST_ASSERT_OK(wait(gpu->stream()));
    TEST_ASSERT_EQUAL_INT_MESSAGE(bars[i], candidates_of(model, search(1.1, 8), frames[i]),
                                  frames[i].name);
    const DetectionList people = both.find(frames[i], at.device_data(), kAnyScore);
    TEST_ASSERT_TRUE_MESSAGE(bars[i] > 0 ? people.count > 0 : people.count == 0, frames[i].name);
  }
}

TEST(pictures_without_candidates_come_and_go) {
  const int bars[] = {0, 2, 0, 1, 0};
  const std::vector<Photo> grey{{"nobody at first", Street{320, 240}},
                                {"two bars", Street{320, 240}.bar(48, 64).bar(208, 72)},
                                {"nobody after two", Street{320, 240}},
                                {"one bar", Street{320, 240}.bar(120, 80)},
                                {"nobody at last", Street{320, 240}}};
  expect_bars(looking(bar_model(), small(5, 1)), grey, bars);
  expect_bars(looking(bar_model(), typical(9, 1)), grey, bars);
  const auto red = [](int x, int y) { return ColourStreet{320, 240}.bar(x, y, 220, 30, 30); };
  const std::vector<Photo> colour{{"a grey bar", ColourStreet{320, 240}.bar(48, 72, 120, 120, 120)},
                                  {"two red bars", red(48, 72).bar(208, 72, 220, 30, 30)},
                                  {"nobody after two", ColourStreet{320, 240}},
                                  {"one red bar", red(120, 80)},
                                  {"nobody at last", ColourStreet{320, 240}}};
  expect_bars(looking(red_bar_model(), small(6, 3)), colour, bars);
  expect_bars(looking(red_bar_model(), typical(10, 3)), colour, bars);
}

TEST(a_picture_of_another_size_finds_nobody) {
  Both both{looking(bar_model(), small(7, 1)), search(1.1, 8), fusion_of(FusionKind::suppression),
            320, 240};
  const Photo photo{"another size", Street{321, 240}.bar(48, 64)};
  const DeviceBuffer<std::uint8_t> uploaded = kerb::test::upload(photo.bytes);
  DetectionList people;
  people.count = 3;
  TEST_ASSERT_ERROR(
      Errc::invalid_argument,
      both.on_cuda().find(photo.at<Space::device>(uploaded.device_data()), 0, people));
  TEST_ASSERT_EQUAL_INT(0, people.count);
}

}  // namespace

BEFORE_SUITE(words) { return kerb::test::open_gpu(); }

AFTER_SUITE() { gpu.reset(); }
