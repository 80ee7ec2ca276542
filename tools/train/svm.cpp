// SPDX-License-Identifier: Apache-2.0
#include "tools/train/svm.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "gpu/hog/dense_descriptor.hpp"
#include "hal/base/rules.hpp"
#include "tools/train/bytes.hpp"
#include "tools/train/json_line.hpp"
#include "tools/train/random.hpp"
#include "tools/train/solver.hpp"

namespace kerb::train {
namespace {

/// Streams of random numbers.
constexpr std::uint64_t kFirst = 11, kHard = 12, kOrder = 13;

/// Descriptors, one behind the other.
class Descriptors final : public Rows {
 public:
  explicit Descriptors(std::size_t values) : values_{values} {}
  [[nodiscard]] std::size_t count() const noexcept override { return numbers_.size() / values_; }
  [[nodiscard]] std::size_t values() const noexcept override { return values_; }
  [[nodiscard]] const float* row(std::size_t i) const noexcept override {
    return numbers_.data() + i * values_;
  }
  /// The windows of all patches, by the product's own descriptor.
  Status add(const hog::DenseModel& model, const Patches& patches, Workers& workers,
             const std::string& what, Observer& observer) {
    const std::size_t first = count();
    numbers_.resize(numbers_.size() + patches.size() * values_);
    constexpr std::size_t kAtOnce = 256;
    std::atomic<bool> failed{false};
    Error error;
    for (std::size_t from = 0; from < patches.size(); from += kAtOnce) {
      const std::size_t count = std::min(kAtOnce, patches.size() - from);
      workers.run(static_cast<int>(count), [&](int task, int) {
        const std::size_t i = from + static_cast<std::size_t>(task);
        const Result<std::vector<float>> values = hog::descriptor(model, patches.view(i), 1, 1);
        if (values && values->size() == values_) {
          std::memcpy(numbers_.data() + (first + i) * values_, values->data(),
                      values_ * sizeof(float));
        } else if (!failed.exchange(true)) {
          error = values ? Error{Errc::unsupported, 0, "descriptor", "of another size"}
                         : values.error();
        }
      });
      if (failed) return error;
      observer.progress(what, from + count, patches.size());
    }
    return Done{};
  }

 private:
  std::size_t values_;
  std::vector<float> numbers_;
};

hog::DenseModel empty_model(const SvmSettings& s) {
  hog::DenseModel model;
  model.geometry = s.geometry;
  model.kind = s.kind;
  model.gamma = s.gamma;
  model.colour = s.colour;
  return model;
}

std::size_t value_count(const hog::DenseModel& model) {
  return static_cast<std::size_t>(model.blocks_x()) * static_cast<std::size_t>(model.blocks_y()) *
         hog::DenseModel::kBlockValues;
}

class Trainer {
 public:
  Trainer(const Context& context, Workers& workers, const SvmSettings& settings,
          PictureSet& positives, PictureSet& negatives, Session& session, Observer& observer)
      : context_{context},
        workers_{workers},
        s_{settings},
        positives_{positives},
        negatives_{negatives},
        session_{session},
        observer_{observer},
        searches_{settings.searches.empty() ? svm_searches() : settings.searches},
        model_{empty_model(settings)},
        rows_{value_count(model_)} {}

  Result<hog::Model> run() {
    const Result<std::vector<std::byte>> state = session_.begin();
    if (!state) return state.error();
    if (Status ok = load_people(); !ok) return ok.error();
    if (Status ok = state->empty() ? start() : restore(*state); !ok) return ok.error();
    while (solved_ <= s_.rounds) {
      if (!is_complete_) {
        if (Status ok = find_hard(); !ok) return ok.error();
        if (exhausted_) break;
      }
      if (Status ok = load_negatives(); !ok) return ok.error();
      if (Status ok = solve(); !ok) return ok.error();
    }
    hog::Model model = whole();
    if (Status ok = hog::validate(model); !ok) return ok.error();
    return model;
  }

 private:
  [[nodiscard]] hog::Model whole() const {
    hog::Model model;
    model.name = s_.name;
    model.kind = model_;
    model.advice.padding = 16;  // people who touch the picture's edge
    return model;
  }
  [[nodiscard]] Patches no_patches() const {
    return {s_.colour ? Planes::rgb : Planes::grey, s_.geometry.window_width,
            s_.geometry.window_height};
  }

  Status load_people() {
    Patches patches = no_patches();
    if (Status ok = add_crops(positives_, s_.crops, workers_, patches); !ok) return ok;
    people_ = patches.size();
    return rows_.add(model_, patches, workers_, "people", observer_);
  }

  Status start() {
    session_.log(line_of(R"({"trainer":"svm","positives":%zu,"people":%zu,"pictures":%zu,)"
                         R"("seed":%llu})",
                         positives_.size(), people_, negatives_.size(),
                         static_cast<unsigned long long>(s_.seed)));
    const Result<Mined> drawn =
        draw_windows(s_.geometry, negatives_, searches_.front(),
                     static_cast<std::size_t>(s_.negatives), key_of({s_.seed, kFirst}));
    if (!drawn) return drawn.error();
    if (drawn->windows.empty())
      return Error{Errc::invalid_argument, 0, "train svm", "the pictures hold no window"};
    refs_ = drawn->windows;
    is_complete_ = true;
    return keep();
  }

  /// What this round's model finds, but for what is known already.
  Status find_hard() {
    const double before = session_.seconds();
    MineSettings settings;
    settings.searches = searches_;
    settings.threshold = static_cast<float>(s_.margin);
    settings.wanted = static_cast<std::size_t>(s_.hard_negatives);
    settings.seed = key_of({s_.seed, kHard, static_cast<std::uint64_t>(solved_)});
    const Result<Mined> mined =
        mine(context_, workers_, whole(), negatives_, settings,
             "round " + std::to_string(solved_ + 1) + ": negatives", observer_);
    if (!mined) return mined.error();
    std::vector<WindowRef> known = refs_;
    std::sort(known.begin(), known.end());
    std::size_t fresh = 0;
    for (const WindowRef& window : mined->windows)
      if (!std::binary_search(known.begin(), known.end(), window)) {
        refs_.push_back(window);
        ++fresh;
      }
    session_.log(line_of(R"({"round":%d,"found":%lld,"searched":%lld,"rate":%.4g,"new":%zu,)"
                         R"("search":%d,"seconds":%.2f})",
                         solved_ + 1, static_cast<long long>(mined->found),
                         static_cast<long long>(mined->searched), mined->rate(), fresh,
                         mined->search, session_.seconds() - before));
    exhausted_ = fresh == 0;
    if (exhausted_) {
      observer_.say("no new hard negatives: training ends");
      return Done{};
    }
    is_complete_ = true;
    return keep();
  }

  Status load_negatives() {
    const std::size_t have = rows_.count() - people_;
    const std::vector<WindowRef> fresh(refs_.begin() + static_cast<std::ptrdiff_t>(have),
                                       refs_.end());
    const std::string what = "round " + std::to_string(solved_ + 1) + ": windows";
    // Some at a time: pixels and values of all together would take twice the memory.
    constexpr std::size_t kAtOnce = 4096;
    for (std::size_t from = 0; from < fresh.size(); from += kAtOnce) {
      Patches patches = no_patches();
      const std::size_t to = std::min(from + kAtOnce, fresh.size());
      if (Status ok = add_windows(negatives_,
                                  {fresh.begin() + static_cast<std::ptrdiff_t>(from),
                                   fresh.begin() + static_cast<std::ptrdiff_t>(to)},
                                  s_.geometry, searches_, workers_, patches, what, observer_);
          !ok)
        return ok;
      if (Status ok = rows_.add(model_, patches, workers_, what, observer_); !ok) return ok;
    }
    return Done{};
  }

  Status solve() {
    const double before = session_.seconds();
    observer_.progress("round " + std::to_string(solved_ + 1) + ": solve", 0, 1);
    std::vector<std::int8_t> labels(rows_.count(), -1);
    std::fill_n(labels.begin(), people_, std::int8_t{1});
    std::vector<float> costs(rows_.count(), static_cast<float>(s_.cost));
    std::fill_n(costs.begin(), people_, static_cast<float>(s_.cost * s_.person_cost));
    DualSettings settings;
    settings.tolerance = s_.tolerance;
    settings.seed = key_of({s_.seed, kOrder, static_cast<std::uint64_t>(solved_)});
    const DualSvm svm = solve_dual_svm(rows_, labels, costs, settings, alphas_);
    model_.weights = svm.weights;
    model_.bias = svm.bias;
    ++solved_;
    is_complete_ = false;
    std::size_t support = 0;
    for (const double alpha : alphas_) support += alpha > 0 ? 1 : 0;
    const double seconds = session_.seconds() - before;
    session_.log(line_of(R"({"round":%d,"windows":%zu,"support":%zu,"passes":%d,"objective":%.8g,)"
                         R"("dual":%.8g,"bias":%.6g,"seconds":%.2f,"total":%.1f})",
                         solved_, rows_.count(), support, svm.passes, svm.objective, -svm.dual,
                         static_cast<double>(svm.bias), seconds, session_.seconds()));
    observer_.say(
        line_of("round %d: %zu windows, %zu support vectors, %d passes, objective %.6g, %.1f s",
                solved_, rows_.count(), support, svm.passes, svm.objective, seconds));
    return keep();
  }

  Status keep() {
    ByteWriter out;
    out.put(refs_);
    out.put(alphas_);
    out.put(model_.weights);
    out.put(model_.bias);
    out.put(solved_);
    out.put(is_complete_ ? 1 : 0);
    if (Status ok = session_.keep(out.bytes()); !ok) return ok;
    if (++kept_ == s_.stop_after) return Error{Errc::end, 0, "train svm", "stopped for a test"};
    return Done{};
  }

  Status restore(const std::vector<std::byte>& state) {
    ByteReader in{state};
    int complete = 0;
    in.get(refs_);
    in.get(alphas_);
    in.get(model_.weights);
    in.get(model_.bias);
    in.get(solved_);
    in.get(complete);
    is_complete_ = complete != 0;
    if (!in.at_end()) return Error{Errc::damaged, 0, "resume", "the checkpoint's state"};
    observer_.say("resumed in round " + std::to_string(solved_ + 1) + " with " +
                  std::to_string(refs_.size()) + " negatives");
    return Done{};
  }

  const Context& context_;
  Workers& workers_;
  const SvmSettings& s_;
  PictureSet& positives_;
  PictureSet& negatives_;
  Session& session_;
  Observer& observer_;
  std::vector<hog::SearchSettings> searches_;
  hog::DenseModel model_;
  Descriptors rows_;  // people, then negatives
  std::size_t people_ = 0;
  std::vector<WindowRef> refs_;
  std::vector<double> alphas_;
  int solved_ = 0;
  bool is_complete_ = false;  // refs_ has this round's
  bool exhausted_ = false;
  int kept_ = 0;
};

}  // namespace

std::vector<hog::SearchSettings> svm_searches() {
  hog::SearchSettings search;
  search.scale_step = 1.1;
  search.stride = 8;
  return {search};
}

std::string text_of(const SvmSettings& s) {
  SettingsText text;
  text.add("name", s.name);
  text.add_geometry(s.geometry);
  text.add("kind", static_cast<int>(s.kind));
  text.add("gamma", s.gamma);
  text.add("colour", s.colour);
  text.add("cost", s.cost);
  text.add("person_cost", s.person_cost);
  text.add("negatives", s.negatives);
  text.add("rounds", s.rounds);
  text.add("hard_negatives", s.hard_negatives);
  text.add("margin", s.margin);
  text.add("tolerance", s.tolerance);
  text.add("mirror", s.crops.mirror);
  text.add("shift", s.crops.shift);
  text.add("shift_copies", s.crops.copies);
  text.add("crop_scale", s.crops.scale);
  text.add_searches(s.searches.empty() ? svm_searches() : s.searches);
  text.add("seed", s.seed);
  return text.text();
}

Status validate(const SvmSettings& s) {
  if (Status ok = check_rules(
          {{s.cost > 0 && s.cost <= 1e6, "--cost", "must be more than 0, at most 1e6"},
           {s.person_cost > 0 && s.person_cost <= 1e6, "--person-cost",
            "must be more than 0, at most 1e6"},
           {s.negatives >= 1 && s.negatives <= 1000000, "--random-negatives", "1..1000000"},
           {s.rounds >= 0 && s.rounds <= 100, "--rounds", "0..100"},
           {s.hard_negatives >= 1 && s.hard_negatives <= 1000000, "--hard-negatives", "1..1000000"},
           {s.margin >= -1e6 && s.margin <= 1e6, "--margin", "-1e6..1e6"},
           {s.tolerance > 0 && s.tolerance <= 10, "--tolerance", "must be more than 0, at most 10"},
           {!s.colour || s.kind == hog::DenseKind::rhog, "--colour", "only with rhog"},
           {s.crops.copies >= 0 && s.crops.copies <= 100, "--shift-copies", "0..100"},
           {s.crops.shift >= 0 && s.crops.shift <= 1024, "--shift", "0..1024 pixels"}});
      !ok)
    return ok;
  hog::Model model;
  hog::DenseModel dense = empty_model(s);
  dense.weights.assign(value_count(dense), 0.0F);
  model.name = s.name;
  model.kind = std::move(dense);
  return hog::validate(model);
}

Result<hog::Model> train_svm(const Context& context, Workers& workers, const SvmSettings& settings,
                             PictureSet& positives, PictureSet& negatives, Session& session,
                             Observer& observer) {
  if (Status ok = validate(settings); !ok) return ok.error();
  return Trainer{context, workers, settings, positives, negatives, session, observer}.run();
}

}  // namespace kerb::train
