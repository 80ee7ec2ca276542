// SPDX-License-Identifier: Apache-2.0
#include "gpu/hog/people_search.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/bar_model.hpp"
#include "tests/unit/gpu/cascade_cases.hpp"
#include "tests/unit/gpu/models.hpp"

using namespace kerb;
using namespace kerb::hog;
using namespace kerb::hog::test;

namespace {

Context cpu_context() { return std::move(*Context::create(BackendChoice::cpu)); }

FusionSettings suppression(float overlap) {
  FusionSettings settings;
  settings.kind = FusionKind::suppression;
  settings.overlap = overlap;
  return settings;
}

/// One that gives these four numbers whatever it sees.
LookAgain always(float score, float right, float down, float taller) {
  LookAgain look = look_again();
  net::Layer& last = look.network.layers.back();
  std::fill(last.weights.begin(), last.weights.end(), std::int8_t{0});
  const float wanted[] = {score, right, down, taller};
  for (std::size_t i = 0; i < 4; ++i) {
    last.factor[i] = 1.0F / 1024;
    last.bias[i] = static_cast<std::int32_t>(wanted[i] * 1024);
  }
  look.cascade_share = 0;
  return look;
}

TEST(a_model_without_a_network_is_its_engine_and_its_fusion) {
  const Context context = cpu_context();
  Workers workers{2};
  const Street street = Street{320, 240}.bar(48, 64).bar(208, 72);
  const Picture<Space::host> picture{street.view(), {}};
  auto found = PeopleSearch::create(context, workers, bar_model(), search(1.1, 8),
                                    suppression(0.5F), 320, 240);
  TEST_ASSERT_OK(found);
  TEST_ASSERT_NULL((*found)->second_look());
  DetectionList people, expected;
  TEST_ASSERT_OK((*found)->find(picture, 0, people));
  auto engine = make_engine(context, workers, bar_model(), search(1.1, 8), 320, 240);
  auto fusion = Fusion::create(suppression(0.5F));
  (*fusion)->fuse(*(*engine)->search(picture, 0), bar_model().geometry(), (*engine)->plan(),
                  expected);
  TEST_ASSERT_EQUAL_INT(2, expected.count);
  TEST_ASSERT_EQUAL_INT(2, people.count);
  TEST_ASSERT_EQUAL_MEMORY(expected.items, people.items, 2 * sizeof(Detection));
}

TEST(the_network_moves_and_scores_every_candidate) {
  const Context context = cpu_context();
  Workers workers{2};
  const Street street = Street{320, 240}.bar(80, 72);
  const Picture<Space::host> picture{street.view(), {}};
  auto plain = PeopleSearch::create(context, workers, bar_model(), search(1.1, 8),
                                    suppression(0.5F), 320, 240);
  auto made = PeopleSearch::create(context, workers,
                                   looking(bar_model(), always(2.5F, 0.25F, -0.125F, 0.5F)),
                                   search(1.1, 8), suppression(0.5F), 320, 240);
  TEST_ASSERT_OK(made);
  TEST_ASSERT_NOT_NULL((*made)->second_look());
  DetectionList before, after;
  TEST_ASSERT_OK((*plain)->find(picture, 0, before));
  TEST_ASSERT_OK((*made)->find(picture, 2.5F, after));
  TEST_ASSERT_EQUAL_INT(1, before.count);
  TEST_ASSERT_EQUAL_INT(1, after.count);
  const Detection &a = before.items[0], &b = after.items[0];
  TEST_ASSERT_EQUAL_FLOAT(2.5F, b.score);
  TEST_ASSERT_FLOAT_WITHIN(1e-3F, a.h * 1.5F, b.h);
  TEST_ASSERT_FLOAT_WITHIN(1e-3F, a.w * 1.5F, b.w);
  TEST_ASSERT_FLOAT_WITHIN(1e-3F, a.x + a.w / 2 + 0.25F * a.h, b.x + b.w / 2);
  TEST_ASSERT_FLOAT_WITHIN(1e-3F, a.y + a.h / 2 - 0.125F * a.h, b.y + b.h / 2);
  TEST_ASSERT_OK((*made)->find(picture, 2.51F, after));  // the threshold is of the new score
  TEST_ASSERT_EQUAL_INT(0, after.count);
}

/// By the definition of LookAgain, from the parts.
DetectionList by_parts(const Context& context, Workers& workers, const Model& model,
                       const Picture<Space::host>& picture,
                       const PlanesView<Space::host, const std::uint8_t>& planes, float threshold,
                       float overlap) {
  const int width = picture.grey.width, height = picture.grey.height;
  const LookAgain& look = *model.look_again;
  auto engine = make_engine(context, workers, model, search(1.2, 8), width, height);
  TEST_ASSERT_OK(engine);
  auto fusion = Fusion::create(suppression(look.overlap));
  TEST_ASSERT_OK(fusion);
  DetectionList candidates;
  (*fusion)->fuse(*(*engine)->search(picture, look.threshold), model.geometry(), (*engine)->plan(),
                  candidates);
  candidates.count = std::min(candidates.count, look.most);
  auto network = net::make_second_look_cpu(workers, look.network, width, height);
  TEST_ASSERT_OK(network);
  std::vector<Detection> seen{candidates.items, candidates.items + candidates.count};
  TEST_ASSERT_OK((*network)->look(planes, seen.data(), candidates.count));
  for (int i = 0; i < candidates.count; ++i)
    seen[static_cast<std::size_t>(i)].score += look.cascade_share * candidates.items[i].score;
  std::stable_sort(seen.begin(), seen.end(),
                   [](const Detection& a, const Detection& b) { return a.score > b.score; });
  const auto area = [](const Detection& d) { return d.w * d.h; };
  DetectionList out;
  for (const Detection& one : seen) {
    bool keep = one.score >= threshold;
    for (int i = 0; i < out.count && keep; ++i) {
      const Detection& o = out.items[i];
      const float w = std::min(o.x + o.w, one.x + one.w) - std::max(o.x, one.x);
      const float h = std::min(o.y + o.h, one.y + one.h) - std::max(o.y, one.y);
      keep = w <= 0 || h <= 0 || w * h <= overlap * (area(o) + area(one) - w * h);
    }
    if (keep) out.items[out.count++] = one;
  }
  return out;
}

TEST(it_is_the_sum_of_its_parts) {
  const Context context = cpu_context();
  Workers workers{2};
  int compared = 0, dropped = 0;
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    const bool colour = seed == 2;
    Model model =
        looking(model_for(kCascadeCases[colour ? 13 : 9], 2), look_again(seed, colour ? 3 : 1));
    const Scene scene{103, 167, 3, 4 + seed};
    Picture<Space::host> picture = scene.picture();
    if (!colour) picture.rgb = {};
    const PlanesView<Space::host, const std::uint8_t> grey{picture.grey.data,       1, 103, 167,
                                                           picture.grey.row_stride, 0};
    for (const float threshold : {-1e9F, 0.0F}) {
      const DetectionList expected =
          by_parts(context, workers, model, picture, colour ? picture.rgb : grey, threshold, 0.3F);
      auto made = PeopleSearch::create(context, workers, model, search(1.2, 8), suppression(0.3F),
                                       103, 167);
      TEST_ASSERT_OK(made);
      DetectionList people;
      people.count = 9;  // of a picture before
      TEST_ASSERT_OK((*made)->find(picture, threshold, people));
      TEST_ASSERT_EQUAL_INT(expected.count, people.count);
      if (expected.count > 0)
        TEST_ASSERT_EQUAL_MEMORY(expected.items, people.items,
                                 sizeof(Detection) * static_cast<std::size_t>(expected.count));
      compared += expected.count;
      dropped += model.look_again->most - expected.count;
    }
  }
  TEST_ASSERT_GREATER_THAN_INT(10, compared);  // or nothing would have been compared
  TEST_ASSERT_GREATER_THAN_INT(10, dropped);
}

TEST(only_the_best_candidates_are_looked_at) {
  const Context context = cpu_context();
  Workers workers{1};
  const Street street = Street{320, 240}.bar(48, 64).bar(208, 72);
  const Picture<Space::host> picture{street.view(), {}};
  LookAgain look = always(1, 0, 0, 0);
  look.most = 1;
  auto made = PeopleSearch::create(context, workers, looking(bar_model(), look), search(1.1, 8),
                                   suppression(0.5F), 320, 240);
  TEST_ASSERT_OK(made);
  auto plain = PeopleSearch::create(context, workers, bar_model(), search(1.1, 8),
                                    suppression(look.overlap), 320, 240);
  DetectionList people, candidates;
  TEST_ASSERT_OK((*made)->find(picture, 0, people));
  TEST_ASSERT_OK((*plain)->find(picture, look.threshold, candidates));
  TEST_ASSERT_EQUAL_INT(2, candidates.count);
  TEST_ASSERT_EQUAL_INT(1, people.count);
  TEST_ASSERT_FLOAT_WITHIN(1e-3F, candidates.items[0].x, people.items[0].x);
  TEST_ASSERT_FLOAT_WITHIN(1e-3F, candidates.items[0].h, people.items[0].h);
}

TEST(mean_shift_is_refused_and_no_fusion_keeps_all) {
  const Context context = cpu_context();
  Workers workers{1};
  const Model model = looking(bar_model(), always(1, 0, 0, 0));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    PeopleSearch::create(context, workers, model, search(1.1, 8), {}, 320, 240));
  const Street street = Street{320, 240}.bar(80, 72);
  const auto people_by = [&](const FusionSettings& fusion) {
    LookAgain look = always(1, 0, 0, 0);
    look.overlap = 1;  // every window is a candidate
    auto made = PeopleSearch::create(context, workers, looking(bar_model(), look), search(1.1, 8),
                                     fusion, 320, 240);
    TEST_ASSERT_OK(made);
    DetectionList people;
    TEST_ASSERT_OK((*made)->find(Picture<Space::host>{street.view(), {}}, 0, people));
    return people.count;
  };
  FusionSettings none = suppression(0.3F);
  none.kind = FusionKind::none;
  TEST_ASSERT_EQUAL_INT(1, people_by(suppression(0.3F)));
  TEST_ASSERT_GREATER_THAN_INT(1, people_by(none));
  none.max_people = 1;
  TEST_ASSERT_EQUAL_INT(1, people_by(none));
  FusionSettings many_hits = suppression(0.3F);
  many_hits.min_hits = 2;  // with this overlap every candidate has one
  TEST_ASSERT_EQUAL_INT(0, people_by(many_hits));
}

TEST(windows_in_the_padding_do_no_harm) {
  const Context context = cpu_context();
  Workers workers{1};
  LookAgain look = always(1, 0, 0, 0);
  look.threshold = -1e6F;
  Model model = looking(linear_cascade(1, 1), look);
  for (Stage& stage : std::get<CascadeModel>(model.kind).stages) stage.threshold = -1'000'000'000;
  SearchSettings settings = search(1.5, 16);
  settings.padding = 48;  // the middles of some are beside the picture
  const Street street{96, 160};
  auto made = PeopleSearch::create(context, workers, model, settings, suppression(0.5F), 96, 160);
  TEST_ASSERT_OK(made);
  DetectionList people;
  TEST_ASSERT_OK((*made)->find(Picture<Space::host>{street.view(), {}}, 0, people));
  TEST_ASSERT_GREATER_THAN_INT(0, people.count);
}

TEST(a_picture_of_another_size_finds_nobody) {
  const Context context = cpu_context();
  Workers workers{1};
  auto made = PeopleSearch::create(context, workers, looking(bar_model(), always(1, 0, 0, 0)),
                                   search(1.1, 8), suppression(0.5F), 320, 240);
  TEST_ASSERT_OK(made);
  DetectionList people;
  people.count = 3;
  const Street street{321, 240};
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    (*made)->find(Picture<Space::host>{street.view(), {}}, 0, people));
  TEST_ASSERT_EQUAL_INT(0, people.count);
}

TEST(finding_allocates_nothing) {
  const Context context = cpu_context();
  Workers workers{2};
  const Street street = Street{320, 240}.bar(48, 64).bar(208, 72);
  const Picture<Space::host> picture{street.view(), {}};
  auto made = PeopleSearch::create(context, workers, looking(bar_model(), always(1, 0, 0, 0)),
                                   search(1.1, 8), suppression(0.5F), 320, 240);
  TEST_ASSERT_OK(made);
  DetectionList people;
  bool good = static_cast<bool>((*made)->find(picture, 0, people));
  const std::uint64_t before = kerb::test::allocations();
  TEST_ASSERT_GREATER_THAN_UINT64(0, before);  // the counter does count
  for (int i = 0; i < 10; ++i) good &= static_cast<bool>((*made)->find(picture, 0, people));
  TEST_ASSERT_EQUAL_UINT64(before, kerb::test::allocations());
  TEST_ASSERT_TRUE(good && people.count == 2);
}

TEST(suppression_of_scored_boxes_keeps_the_best_in_order) {
  DetectionList people;
  const Detection boxes[] = {
      {0, 0, 10, 20, 1}, {1, 0, 10, 20, 3}, {50, 0, 10, 20, 1}, {50, 10, 10, 20, 2}};
  std::copy(std::begin(boxes), std::end(boxes), people.items);
  people.count = 4;
  suppress(people, 0.5F, false);  // the first two share 9/11, the others a third
  TEST_ASSERT_EQUAL_INT(3, people.count);
  TEST_ASSERT_EQUAL_FLOAT(3, people.items[0].score);
  TEST_ASSERT_EQUAL_FLOAT(2, people.items[1].score);
  TEST_ASSERT_EQUAL_FLOAT(50, people.items[2].x);
  suppress(people, 0.4F, true);  // half of the smaller
  TEST_ASSERT_EQUAL_INT(2, people.count);
}

}  // namespace
