// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/hog_bench.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "gpu/hog/fusion.hpp"
#include "gpu/memory/buffer.hpp"
#include "tools/bench/contexts.hpp"
#include "tools/bench/random.hpp"
#include "tools/bench/workload.hpp"

namespace kerb::bench {
namespace {

using Grey = ImageView<Space::host, const std::uint8_t>;
using Picture = hog::Picture<Space::host>;

/// How a model is run: its search is the case's.
struct Use {
  float threshold = 0;
  hog::FusionSettings fusion;
};
Use advised(const hog::Advice& advice) {
  Use use;
  use.threshold = advice.threshold;
  use.fusion.kind = advice.fusion;
  use.fusion.overlap = advice.overlap;
  use.fusion.of_smaller = advice.of_smaller;
  use.fusion.zero = std::min(0.0F, advice.threshold);
  return use;
}

hog::SearchSettings settings_of(const HogCase& search) {
  hog::SearchSettings settings;
  settings.scale_step = search.scale;
  settings.stride = search.stride;
  settings.padding = search.padding;
  return settings;
}

/// A detector of ours with all it needs, made once, as in the product.
class Ours {
 public:
  static Result<std::unique_ptr<Ours>> create(const Context& context, Workers& workers,
                                              const hog::Model& model, const Use& use,
                                              const HogCase& search, const Picture& picture,
                                              bool on_device) {
    auto ours = std::make_unique<Ours>();
    Result<std::unique_ptr<hog::Engine>> engine = hog::make_engine(
        context, workers, model, settings_of(search), picture.grey.width, picture.grey.height);
    if (!engine) return engine.error();
    ours->engine_ = std::move(*engine);
    Result<std::unique_ptr<hog::Fusion>> fusion = hog::Fusion::create(use.fusion);
    if (!fusion) return fusion.error();
    ours->fusion_ = std::move(*fusion);
    ours->threshold_ = use.threshold;
    ours->picture_ = picture;
    if (!hog::needs_colour(model)) ours->picture_.rgb = {};
    if (on_device)
      if (Status ok = ours->upload(context); !ok) return ok.error();
    if (!on_device && context.backend() == Backend::cuda)
      if (Status ok = ours->pin(context); !ok) return ok.error();
    return ours;
  }

  Status frame() {
    const Result<hog::Engine::Hits> hits = device_.size() == 0
                                               ? engine_->search(picture_, threshold_)
                                               : engine_->search(there_, threshold_);
    if (!hits) return hits.error();
    hits_ = hits->count;
    fusion_->fuse(*hits, engine_->model().geometry(), engine_->plan(), people_);
    return Done{};
  }

  /// The threshold that `count` windows pass.
  Result<float> threshold_for(int count) {
    const Result<hog::Engine::Hits> hits =
        engine_->search(picture_, std::numeric_limits<float>::lowest());
    if (!hits) return hits.error();
    if (hits->count == 0) return 0.0F;
    std::vector<float> scores;
    scores.reserve(static_cast<std::size_t>(hits->count));
    for (int i = 0; i < hits->count; ++i) scores.push_back(hits->data[i].score);
    const auto nth = scores.begin() + std::clamp(count, 1, hits->count) - 1;
    std::nth_element(scores.begin(), nth, scores.end(), std::greater<>{});
    return *nth;
  }

  Status fill(HogRow& row) {
    row.windows = engine_->plan().window_count;
    row.hits = hits_;
    row.people = people_.count;
    row.device_bytes = engine_->device_bytes();
    const Result<hog::Work> work = engine_->count_work(picture_);
    if (!work) return work.error();
    row.per_window = per_window(*work);
    return Done{};
  }
  [[nodiscard]] int hits() const { return hits_; }

 private:
  /// The samples the model looks at, all planes, and how many there are. Rows and planes have no
  /// gaps.
  [[nodiscard]] const std::uint8_t* samples() const {
    return picture_.rgb.count == 3 ? picture_.rgb.data : picture_.grey.data;
  }
  [[nodiscard]] std::size_t sample_count() const {
    return static_cast<std::size_t>(picture_.rgb.count == 3 ? 3 : 1) *
           static_cast<std::size_t>(picture_.grey.width) *
           static_cast<std::size_t>(picture_.grey.height);
  }
  /// The same picture with its samples elsewhere.
  template <Space S>
  [[nodiscard]] hog::Picture<S> at(const std::uint8_t* data) const {
    const Grey& grey = picture_.grey;
    const ImageView<S, const std::uint8_t> plane{data, grey.width, grey.height, grey.width};
    if (picture_.rgb.count != 3) return {plane, {}};
    return {plane,
            {data, 3, grey.width, grey.height, grey.width,
             static_cast<std::ptrdiff_t>(grey.width) * grey.height}};
  }
  /// Where a camera's frames would lie.
  Status pin(const Context& context) {
    Result<HostBuffer<std::uint8_t>> buffer =
        HostBuffer<std::uint8_t>::create(context, kerb::Use::camera_input, sample_count());
    if (!buffer) return buffer.error();
    pinned_ = std::move(*buffer);
    std::copy_n(samples(), sample_count(), pinned_.data());
    picture_ = at<Space::host>(pinned_.data());
    return Done{};
  }
  Status upload(const Context& context) {
    Result<DeviceBuffer<std::uint8_t>> buffer =
        DeviceBuffer<std::uint8_t>::create(context, sample_count());
    if (!buffer) return buffer.error();
    device_ = std::move(*buffer);
    there_ = at<Space::device>(device_.device_data());
    if (Status ok =
            copy_to_device(context.stream(), device_.device_data(), samples(), sample_count());
        !ok)
      return ok;
    return wait(context.stream());
  }

  std::unique_ptr<hog::Engine> engine_;
  std::unique_ptr<hog::Fusion> fusion_;
  float threshold_ = 0;
  Picture picture_;
  hog::Picture<Space::device> there_;
  DeviceBuffer<std::uint8_t> device_;
  HostBuffer<std::uint8_t> pinned_;
  int hits_ = 0;
  DetectionList people_;
};

struct NamedModel {
  std::string name;
  hog::Model model;
  Use use{};
};

class HogRunner {
 public:
  HogRunner(const Clock& clock, const HogBench& bench)
      : clock_{clock}, bench_{bench}, workers_{bench.threads} {}

  Result<std::vector<HogRow>> run() {
    if (Status ok = contexts_.open(bench_.cuda); !ok) return ok.error();
    if (Status ok = make_models(); !ok) return ok.error();
    for (const HogCase& search : bench_.cases)
      if (Status ok = run_case(search); !ok) return ok.error();
    return std::move(rows_);
  }

 private:
  void progress(const std::string& what, int done, int all) {
    if (bench_.on_progress) bench_.on_progress(what, done, all);
  }

  Status make_models() {
    for (const hog::Model& model : bench_.models)
      models_.push_back({model.name, model, advised(model.advice)});
    if (!models_.empty()) return Done{};
    const auto* people = std::get_if<hog::DenseModel>(&bench_.people.kind);
    if (people == nullptr || bench_.cases.empty())
      return Error{Errc::invalid_argument, 0, "bench hog", "a dense model and a case"};
    models_.push_back({"dense rhog", bench_.people});
    for (const auto& [name, kind] : {std::pair{"dense cells", hog::DenseKind::cells},
                                     std::pair{"dense integral", hog::DenseKind::integral}}) {
      hog::DenseModel other = *people;
      other.kind = kind;
      models_.push_back({name, {bench_.people.name, std::move(other), {}}});
    }
    return Done{};
  }

  /// The cascades for this size of picture, in place of those for the last.
  Status calibrate(const HogCase& search) {
    if (search.width == calibrated_.width && search.height == calibrated_.height) return Done{};
    calibrated_ = search;
    int most = -1;
    for (const HogCase& other : bench_.cases) {
      if (other.width != search.width || other.height != search.height) continue;
      const Result<hog::SearchPlan> plan =
          hog::plan_search(hog::Geometry{}, settings_of(other), other.width, other.height);
      if (!plan) return plan.error();
      if (plan->window_count <= most) continue;
      most = plan->window_count;
      calibrated_ = other;
    }
    models_.resize(kDenseKinds);
    const int width = search.width, height = search.height;
    const std::vector<std::uint8_t> samples = bench_.picture(width, height);
    for (const int grid : {4, 2}) {
      progress("calibrating the cascades", grid == 4 ? 0 : 1, 2);
      WorkloadSettings settings;
      settings.grid = grid;
      Result<hog::Model> model = make_workload(workers_, settings, settings_of(calibrated_),
                                               {samples.data(), width, height, width});
      if (!model) return model.error();
      models_.push_back({"cascade, grid " + std::to_string(grid), std::move(*model)});
    }
    return Done{};
  }

  /// Biases under which borrowed and random weights have as many hits as wanted.
  Status set_biases(const HogCase& search, const Picture& picture) {
    int wanted = bench_.hits_of_people;
    for (std::size_t i = 0; i < kDenseKinds; ++i) {
      NamedModel& model = models_[i];
      Result<std::unique_ptr<Ours>> ours =
          Ours::create(*cpu_, workers_, model.model, model.use, search, picture, false);
      if (!ours) return ours.error();
      if (i == 0 && wanted == 0) {  // trained: 0 is the threshold
        if (Status ok = (*ours)->frame(); !ok) return ok;
        wanted = (*ours)->hits();
        continue;
      }
      const Result<float> threshold = (*ours)->threshold_for(wanted);
      if (!threshold) return threshold.error();
      // By the bias, so that hits score over 0, as those of a trained model: fusion weighs by
      // score.
      std::get<hog::DenseModel>(model.model.kind).bias -= *threshold;
    }
    return Done{};
  }

  Status run_case(const HogCase& search) {
    const std::vector<std::uint8_t> samples = bench_.picture(search.width, search.height);
    Picture picture{{samples.data(), search.width, search.height, search.width}, {}};
    std::vector<std::uint8_t> colours;
    if (std::any_of(models_.begin(), models_.end(),
                    [](const NamedModel& m) { return hog::needs_colour(m.model); })) {
      if (!bench_.colours)
        return Error{Errc::invalid_argument, 0, "bench hog", "no picture in colour"};
      colours = bench_.colours(search.width, search.height);
      picture.rgb = {colours.data(), 3,
                     search.width,   search.height,
                     search.width,   static_cast<std::ptrdiff_t>(search.width) * search.height};
    }
    const Grey& grey = picture.grey;
    if (bench_.models.empty()) {
      if (Status ok = calibrate(search); !ok) return ok;
      if (Status ok = set_biases(search, picture); !ok) return ok;
    }

    std::vector<Contestant> contestants;
    std::vector<int> rival_people;
    std::vector<Rival> rivals;
    if (bench_.rivals) rivals = bench_.rivals(search, grey, workers_.count());
    rival_people.resize(rivals.size());
    for (std::size_t i = 0; i < rivals.size(); ++i)
      contestants.push_back(
          {rivals[i].name, "cpu", [&, i] { return rivals[i].frame(rival_people[i]); }});

    std::vector<std::unique_ptr<Ours>> ours;
    const auto add = [&](const NamedModel& model, const Context& context,
                         bool on_device) -> Status {
      Result<std::unique_ptr<Ours>> made =
          Ours::create(context, workers_, model.model, model.use, search, picture, on_device);
      if (!made) return made.error();
      ours.push_back(std::move(*made));
      const char* backend = on_device ? "cuda, on device" : name_of(context.backend());
      contestants.push_back(
          {model.name, backend, [one = ours.back().get()] { return one->frame(); }});
      return Done{};
    };
    for (const NamedModel& model : models_) {
      if (bench_.cpu)
        if (Status ok = add(model, *cpu_, false); !ok) return ok;
      for (const bool on_device : {false, true})
        if (cuda_)
          if (Status ok = add(model, *cuda_, on_device); !ok) return ok;
    }

    const std::string what = std::to_string(search.width) + "x" + std::to_string(search.height);
    const Result<std::vector<Times>> times = contest(
        clock_, contestants, bench_.repeats, [&](int done, int all) { progress(what, done, all); });
    if (!times) return times.error();
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      HogRow row;
      row.search = search;
      row.name = contestants[i].name;
      row.backend = contestants[i].backend;
      row.threads = row.backend == "cpu" ? workers_.count() : 0;
      row.times = (*times)[i];
      if (!rivals.empty() && row.times.median_ms > 0)
        row.ratio = times->front().median_ms / row.times.median_ms;
      if (i < rivals.size()) {
        row.people = rival_people[i];
      } else if (Status ok = ours[i - rivals.size()]->fill(row); !ok) {
        return ok;
      }
      rows_.push_back(std::move(row));
    }
    return Done{};
  }

  static constexpr std::size_t kDenseKinds = 3;  // the first models; the cascades follow
  const Clock& clock_;
  const HogBench& bench_;
  Workers workers_;
  Contexts contexts_;
  const std::optional<Context>&cpu_ = contexts_.cpu, &cuda_ = contexts_.cuda;
  std::vector<NamedModel> models_;
  HogCase calibrated_;  // where the cascades' thresholds come from
  std::vector<HogRow> rows_;
};

}  // namespace

const std::vector<HogCase>& thesis_cases() {
  static const std::vector<HogCase> cases = {{1280, 960, 8, 1.05, "3-1, 4-1, 7-1"},
                                             {1280, 960, 8, 1.1, "3-1, 7-1"},
                                             {1280, 960, 8, 1.2, "3-1, 7-1"},
                                             {640, 480, 8, 1.05, "4-1"},
                                             {320, 240, 8, 1.05, "4-1"},
                                             {320, 240, 8, 1.2, "5-1 sparse"},
                                             {320, 240, 4, 1.05, "5-1 dense"}};
  return cases;
}

std::vector<HogCase> model_cases(const hog::Model& model) {
  std::vector<HogCase> cases;
  for (const HogCase& one : thesis_cases())
    if (one.width == 1280) cases.push_back(one);
  const hog::Advice& advice = model.advice;
  for (const auto& [width, height] : {std::pair{1280, 960}, std::pair{640, 480}})
    cases.push_back({width, height, advice.stride, hog::advised_scale_step(advice), "as advised",
                     advice.padding});
  return cases;
}

void set_random_people(HogBench& bench) {
  hog::DenseModel model;
  Random random{1};
  model.weights.resize(static_cast<std::size_t>(model.blocks_x()) *
                       static_cast<std::size_t>(model.blocks_y()) * hog::DenseModel::kBlockValues);
  for (float& weight : model.weights) weight = random.unit() - 0.5F;
  bench.people = {"random", std::move(model)};
  bench.hits_of_people = 60;  // as many as OpenCV's detector has on the street
}

Result<std::vector<HogRow>> bench_hog(const Clock& clock, const HogBench& bench) {
  return HogRunner{clock, bench}.run();
}

}  // namespace kerb::bench
