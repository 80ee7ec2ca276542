// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "gpu/hog/engine.hpp"
#include "gpu/hog/fusion.hpp"
#include "gpu/hog/model_file.hpp"
#include "gpu/hog/people_search.hpp"
#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/unit/gpu/model_bytes.hpp"
#include "tests/unit/gpu/models.hpp"

namespace kerb::fuzz {
namespace {

using namespace kerb::hog;

Result<Model> parsed(const std::uint8_t* data, std::size_t size) {
  const bool repair = size > 0 && (data[0] & 1U) != 0;
  const auto* first = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> bytes(first + (size > 0 ? 1 : 0), first + size);
  if (repair) hog::test::reseal(bytes);
  Result<Model> model = parse(bytes.data(), bytes.size());
  if (!model) {
    demand(!model.error().what.empty(), "errors say what");
    return model;
  }
  demand(static_cast<bool>(validate(*model)), "what is parsed is valid");
  const std::vector<std::byte> written = serialise(*model);
  if (hog::test::get_u32(bytes, 8) == kModelFileVersion) {
    demand(written == bytes, "what is parsed is written the same");
  } else {
    demand(static_cast<bool>(parse(written.data(), written.size())), "an older file is updated");
  }
  return model;
}

Result<std::unique_ptr<Engine>> engine_of(Workers& workers, const Model& model,
                                          const SearchSettings& settings, int width, int height) {
  return std::holds_alternative<DenseModel>(model.kind)
             ? make_dense_cpu(workers, model, settings, width, height)
             : make_cascade_cpu(workers, model, settings, width, height);
}

/// A network of hostile numbers gives scores and boxes that are numbers.
void look_again(Workers& workers, const Model& model, const SearchSettings& settings,
                const Picture<Space::host>& picture) {
  if (!model.look_again || net::products_of(model.look_again->network) > 1'000'000) return;
  static const Context context = std::move(*Context::create(BackendChoice::cpu));
  FusionSettings fusion;
  fusion.kind = FusionKind::suppression;
  Result<std::unique_ptr<PeopleSearch>> made = PeopleSearch::create(
      context, workers, model, settings, fusion, picture.grey.width, picture.grey.height);
  if (!made) return;
  DetectionList people;
  demand(static_cast<bool>((*made)->find(picture, -1e30F, people)), "a good picture is searched");
  demand(people.count <= model.look_again->most, "no more people than candidates");
  for (int i = 0; i < people.count; ++i) {
    const Detection& d = people.items[i];
    for (const float value : {d.x, d.y, d.w, d.h, d.score})
      demand(std::isfinite(value), "people's boxes and scores are numbers");
    demand(d.h > 0, "people have a height");
  }
}

}  // namespace

void model_file(const std::uint8_t* data, std::size_t size) {
  if (Result<Model> model = parsed(data, size); model)
    if (const auto* cascade = std::get_if<CascadeModel>(&model->kind))
      demand(grid_of(*cascade) >= 1 && grid_of(*cascade) <= 8, "grids are 1..8");
}

void engine(const std::uint8_t* data, std::size_t size) {
  const Result<Model> model = parsed(data, size);
  if (!model) return;
  const Geometry& g = model->geometry();
  if (g.window_width > 160 || g.window_height > 160) return;  // only to stay quick
  const int width = g.window_width + 9, height = g.window_height + 9;
  static Workers workers{1};
  SearchSettings settings;
  settings.max_levels = 2;
  settings.padding = size % 3 == 0 ? 5 : 0;
  settings.stride = size % 2 == 0 ? 8 : 3;
  Result<std::unique_ptr<Engine>> made = engine_of(workers, *model, settings, width, height);
  if (!made) return;
  const auto pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  std::vector<std::uint8_t> grey(pixels), rgb(3 * pixels);
  std::uint32_t state = 1;
  for (auto* plane : {&grey, &rgb})
    for (std::uint8_t& sample : *plane) {
      state = state * 1664525U + 1013904223U;
      sample = static_cast<std::uint8_t>(state >> 24);
    }
  Picture<Space::host> picture;
  picture.grey = {grey.data(), width, height, width};
  picture.rgb = {rgb.data(), 3, width, height, width, static_cast<std::ptrdiff_t>(pixels)};
  const Result<Engine::Hits> hits = (*made)->search(picture, -1e30F);
  if (!hits) return;
  const SearchPlan& plan = (*made)->plan();
  for (int i = 0; i < hits->count; ++i)
    demand(hits->data[i].window >= 0 && hits->data[i].window < plan.window_count,
           "hits are windows of the plan");
  static const std::unique_ptr<Fusion> fusion = *Fusion::create({});
  DetectionList people;
  fusion->fuse(*hits, g, plan, people);
  demand(people.count >= 0 && people.count <= DetectionList::kCapacity, "the list holds them");
  look_again(workers, *model, settings, picture);
}

std::vector<Bytes> model_seeds() {
  namespace t = hog::test;
  Model tiny = t::dense_model();
  auto& dense = std::get<DenseModel>(tiny.kind);
  dense.geometry = {16, 16, 1, 2, 3, 4};
  dense.weights.resize(36);
  Model cells = tiny;
  std::get<DenseModel>(cells.kind).kind = DenseKind::cells;
  Model soft = t::tree_cascade(2, 2), grey = t::tree_cascade(4, 2);
  std::get<CascadeModel>(soft.kind).cumulative = true;
  auto& trees = std::get<CascadeModel>(grey.kind);
  trees.channels.colour = false;
  for (TreeNode& node : trees.nodes) node.channel = std::min<std::int16_t>(node.channel, 9);
  Model looker = t::linear_cascade(1, 1), coloured = t::tree_cascade(1, 1);
  looker.look_again = t::look_again();
  coloured.look_again = t::look_again(2, 3);
  for (Model* model : {&looker, &coloured}) {
    model->advice.fusion = FusionKind::suppression;
    model->look_again->threshold = -1e6F;  // all windows
  }
  std::vector<Bytes> seeds;
  for (const Model& model : {looker, coloured, tiny, cells, soft, grey, t::linear_cascade(1, 1),
                             t::linear_cascade(2, 3), t::tree_cascade(1, 1), t::tree_cascade(3, 3)})
    for (const bool repair : {false, true}) {
      Bytes seed(1, repair ? 1 : 0);
      for (const std::byte b : serialise(model)) seed.push_back(std::to_integer<std::uint8_t>(b));
      seeds.push_back(std::move(seed));
    }
  return seeds;
}

}  // namespace kerb::fuzz
