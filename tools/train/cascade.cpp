// SPDX-License-Identifier: Apache-2.0
#include "tools/train/cascade.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/hog/deterministic_math.hpp"
#include "hal/base/rules.hpp"
#include "tools/train/bytes.hpp"
#include "tools/train/json_line.hpp"
#include "tools/train/random.hpp"
#include "tools/train/solver.hpp"

namespace kerb::train {
namespace {

using hog::CascadeModel;
using hog::LinearLearner;

/// Streams of random numbers.
constexpr std::uint64_t kFirstNegatives = 1, kMoreNegatives = 2, kBlocks = 3;

/// A block's learner as found in one round, and how good it is: less is better.
struct Candidate {
  BlockSvm svm;
  double slope = 0, constant = 0;  // real votes
  double loss = std::numeric_limits<double>::infinity();
};

double clamped_exp(double x) { return hog::exact_exp(std::min(std::max(x, -60.0), 60.0)); }
float clamped_exp(float x) { return hog::exact_exp(std::min(std::max(x, -60.0F), 60.0F)); }

std::int32_t in_units(double vote) {
  return static_cast<std::int32_t>(std::nearbyint(vote * 65536));
}

Planes planes_of(const CascadeSettings& s) { return s.colour ? Planes::luv : Planes::grey; }

class Trainer {
 public:
  Trainer(const Context& context, Workers& workers, const CascadeSettings& settings,
          PictureSet& positives, PictureSet& negatives, Session& session, Observer& observer)
      : context_{context},
        workers_{workers},
        s_{settings},
        positives_{positives},
        negatives_{negatives},
        session_{session},
        observer_{observer},
        searches_{settings.searches.empty() ? default_searches() : settings.searches},
        pool_{block_pool(settings.geometry.window_width, settings.geometry.window_height,
                         settings.grid, settings.fine_pool)},
        windows_{settings.geometry.window_width, settings.geometry.window_height, settings.grid,
                 planes_of(settings)} {
    model_.geometry = settings.geometry;
    model_.channels.colour = settings.colour;
    model_.cumulative = settings.chain;
    for (int i = 0; i < workers.count(); ++i) desks_.emplace_back();
  }

  Result<hog::Model> run() {
    if (Status ok = validate(s_); !ok) return ok.error();
    if (pool_.empty())
      return Error{Errc::invalid_argument, 0, "train cascade", "no block fits the window"};
    const Result<std::vector<std::byte>> state = session_.begin();
    if (!state) return state.error();
    if (Status ok = state->empty() ? start() : restore(*state); !ok) return ok.error();
    while (!is_done()) {
      if (!has_negatives_)
        if (Status ok = find_negatives(); !ok) return ok.error();
      if (exhausted_) break;
      if (Status ok = load_negatives(); !ok) return ok.error();
      if (Status ok = train_stage(); !ok) return ok.error();
    }
    if (model_.stages.empty())
      return Error{Errc::invalid_argument, 0, "train cascade",
                   "the pictures hold too few windows for a first stage"};
    hog::Model model = whole();
    if (Status ok = hog::validate(model); !ok) return ok.error();
    return model;
  }

 private:
  struct Desk {
    BlockSvmScratch scratch;
    std::vector<float> values, v;
  };

  [[nodiscard]] hog::Model whole() const {
    hog::Model model;
    model.name = s_.name;
    model.kind = model_;
    model.advice.padding = 16;  // people who touch the picture's edge
    return model;
  }

  [[nodiscard]] int stage() const { return static_cast<int>(model_.stages.size()) - open_; }
  [[nodiscard]] bool is_last() const {  // the one that only ranks
    return s_.last_learners > 0 && (ranked_ > 0 || stage() >= s_.stages || rate_ <= s_.target);
  }
  [[nodiscard]] bool is_done() const {
    if (finished_) return true;
    return s_.last_learners == 0 && open_ == 0 && (stage() >= s_.stages || rate_ <= s_.target);
  }

  Status start() {
    session_.log(
        line_of(R"({"trainer":"cascade","positives":%zu,"pictures":%zu,"pool":%zu,"grid":%d,)"
                R"("sample":%d,"seed":%llu})",
                positives_.size(), negatives_.size(), pool_.size(), s_.grid, s_.sample,
                static_cast<unsigned long long>(s_.seed)));
    return load_positives();
  }

  /// All of them; those that a stage rejected go again.
  Status load_positives() {
    Patches patches{planes_of(s_), s_.geometry.window_width, s_.geometry.window_height};
    if (Status ok = add_crops(positives_, s_.crops, workers_, patches); !ok) return ok;
    windows_.add(patches, 0, workers_);
    positive_count_ = all_positives_ = patches.size();
    votes_.assign(positive_count_, 0);
    return Done{};
  }

  [[nodiscard]] std::size_t wanted() const {
    return s_.negatives > 0 ? static_cast<std::size_t>(s_.negatives) : all_positives_;
  }

  Status find_negatives() {
    const std::string what = "stage " + std::to_string(stage() + 1) + ": negatives";
    const double before = session_.seconds();
    const auto round = static_cast<std::uint64_t>(stage());
    Result<Mined> mined = [&]() -> Result<Mined> {
      if (stage() == 0)
        return draw_windows(s_.geometry, negatives_, searches_.front(), wanted(),
                            key_of({s_.seed, kFirstNegatives}));
      MineSettings settings;
      settings.searches = searches_;
      settings.threshold = std::numeric_limits<float>::lowest();
      settings.wanted = wanted();
      settings.enough = 20 * wanted();
      if (is_last()) {  // half of them the hardest
        settings.wanted -= wanted() / 2;
        settings.hardest = wanted() / 2;
        settings.enough = 0;
      }
      settings.seed = key_of({s_.seed, kMoreNegatives, round});
      return mine(context_, workers_, whole(), negatives_, settings, what, observer_);
    }();
    if (!mined) return mined.error();
    refs_ = mined->windows;
    mined_rate_ = mined->rate();
    exhausted_ = refs_.size() < std::min(static_cast<std::size_t>(s_.least_negatives), wanted());
    const std::string line = line_of(
        R"({"stage":%d,"negatives":%zu,"found":%lld,"searched":%lld,"pictures":%zu,"search":%d,)"
        R"("rate":%.4g,"seconds":%.2f})",
        stage() + 1, refs_.size(), static_cast<long long>(mined->found),
        static_cast<long long>(mined->searched), mined->pictures, mined->search, mined_rate_,
        session_.seconds() - before);
    session_.log(line);
    if (exhausted_) {
      observer_.say("stage " + std::to_string(stage() + 1) + ": only " +
                    std::to_string(refs_.size()) + " false positives left: training ends");
      return Done{};
    }
    has_negatives_ = true;
    return keep();
  }

  /// The windows of refs_ behind the positives, with the votes they have so far.
  Status load_negatives() {
    windows_.keep(positive_count_);
    Patches patches{planes_of(s_), s_.geometry.window_width, s_.geometry.window_height};
    const std::string what = "stage " + std::to_string(stage() + 1) + ": windows";
    if (Status ok = add_windows(negatives_, refs_, s_.geometry, searches_, workers_, patches, what,
                                observer_);
        !ok)
      return ok;
    windows_.add(patches, 0, workers_);
    const std::size_t count = windows_.size();
    votes_.resize(positive_count_);
    if (!s_.chain) std::fill(votes_.begin(), votes_.end(), 0);
    votes_.resize(count, 0);
    labels_.assign(count, -1.0F);
    std::fill_n(labels_.begin(), positive_count_, 1.0F);
    const std::size_t stage_first = first_learner();
    if (s_.chain)
      for (std::size_t i = 0; i < stage_first; ++i) add_votes(model_.linear[i], positive_count_);
    start_votes_ = votes_;
    for (std::size_t i = stage_first; i < model_.linear.size(); ++i) add_votes(model_.linear[i], 0);
    make_base();
    return Done{};
  }

  /// Of the stage in the making.
  [[nodiscard]] std::size_t first_learner() const {
    std::size_t first = 0;
    for (int i = 0; i < stage(); ++i)
      first += static_cast<std::size_t>(model_.stages[static_cast<std::size_t>(i)].count);
    return first;
  }

  /// To the votes of windows from `from` on.
  void add_votes(const LinearLearner& learner, std::size_t from) {
    const Histograms::Corners corners =
        windows_.corners({learner.x, learner.y, learner.width, learner.height});
    float weights[kBlockValues];
    to_arithmetic_order(learner.weights.data(), weights);
    constexpr std::size_t kAtOnce = 512;
    const std::size_t count = windows_.size() - from;
    workers_.run(static_cast<int>((count + kAtOnce - 1) / kAtOnce), [&](int task, int) {
      const std::size_t begin = from + static_cast<std::size_t>(task) * kAtOnce;
      for (std::size_t i = begin; i < std::min(begin + kAtOnce, windows_.size()); ++i)
        votes_[i] += vote_of(
            learner, Histograms::value(windows_.window(i), corners, weights, learner.offset));
    });
  }

  /// What each class weighs at the stage's start: a half.
  void make_base() {
    double sums[2] = {};
    for (std::size_t i = 0; i < labels_.size(); ++i)
      sums[labels_[i] > 0 ? 1 : 0] += boost_of(i, start_votes_);
    base_[0] = 0.5 / sums[0];
    base_[1] = 0.5 / sums[1];
  }

  [[nodiscard]] double boost_of(std::size_t i, const std::vector<std::int32_t>& votes) const {
    const double vote = static_cast<double>(votes[i]) / 65536;
    return clamped_exp(labels_[i] > 0 ? -vote : vote);
  }

  /// AdaBoost's weights of the examples that weigh most: all but `trim` of the whole. Boosting
  /// makes most examples light soon, and learning from those left takes half the time.
  void weigh() {
    const std::size_t count = labels_.size();
    std::vector<double> weights(count);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      weights[i] = base_[labels_[i] > 0 ? 1 : 0] * boost_of(i, votes_);
      sum += weights[i];
    }
    std::vector<double> sorted = weights;
    std::sort(sorted.begin(), sorted.end());
    double light = 0, cut = 0;
    for (const double w : sorted) {
      light += w;
      cut = w;
      if (light > s_.trim * sum) break;
    }
    heavy_.clear();
    double heavy = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (weights[i] >= cut) {
        heavy_.push_back(i);
        heavy += weights[i];
      }
    heavy_labels_.resize(heavy_.size());
    weights_.resize(heavy_.size());
    costs_.resize(heavy_.size());
    for (std::size_t k = 0; k < heavy_.size(); ++k) {
      heavy_labels_[k] = labels_[heavy_[k]];
      weights_[k] = static_cast<float>(weights[heavy_[k]] / heavy);
      costs_[k] = static_cast<float>(s_.cost) * weights_[k];
    }
  }

  Candidate try_block(const Block& block, Desk& desk) const {
    const std::size_t count = heavy_.size();
    const Histograms::Corners corners = windows_.corners(block);
    desk.values.resize(count * kBlockValues);
    // Windows lie far apart: their nodes come from memory, a few windows ahead.
    constexpr std::size_t kAhead = 6;
    for (std::size_t i = 0; i < count; ++i) {
      if (i + kAhead < count) {
        const std::uint32_t* next = windows_.window(heavy_[i + kAhead]);
        for (const std::ptrdiff_t at : corners.at) {
          __builtin_prefetch(next + at);
          __builtin_prefetch(next + at + 8);
        }
      }
      Histograms::values(windows_.window(heavy_[i]), corners,
                         desk.values.data() + i * kBlockValues);
    }
    Candidate c;
    c.svm = solve_block_svm(desk.values.data(), heavy_labels_.data(), costs_.data(), count,
                            desk.scratch);
    // The solver leaves y * v behind.
    const std::vector<float>& margins = desk.scratch.margins;
    if (s_.votes == Votes::step) {
      c.loss = 0;
      for (std::size_t i = 0; i < count; ++i)
        if (!(heavy_labels_[i] > 0 ? margins[i] >= 0 : margins[i] > 0))
          c.loss += static_cast<double>(weights_[i]);
      return c;
    }
    fit_vote(margins, c);
    return c;
  }

  /// slope and constant that make the sum of weight * exp(-y * (slope * v + constant)) least:
  /// Newton's method from 0, where it is 1.
  void fit_vote(const std::vector<float>& margins, Candidate& c) const {
    constexpr int kSteps = 8;
    double slope = 0, constant = 0;
    for (int step = 0; step <= kSteps; ++step) {
      double z = 0, gs = 0, gc = 0, hss = 0, hsc = 0, hcc = 0;
      for (std::size_t i = 0; i < margins.size(); ++i) {
        const float m = margins[i], y = heavy_labels_[i];
        const float e =
            weights_[i] *
            clamped_exp(-(static_cast<float>(slope) * m + static_cast<float>(constant) * y));
        const auto ed = static_cast<double>(e), md = static_cast<double>(m),
                   yd = static_cast<double>(y);
        z += ed;
        gs -= ed * md;
        gc -= ed * yd;
        hss += ed * md * md;
        hsc += ed * md * yd;
        hcc += ed;
      }
      if (!(z < c.loss)) return;  // went too far: the last was the best
      const bool enough = c.loss - z < 1e-5 * z;
      c.loss = z;
      c.slope = slope;
      c.constant = constant;
      if (enough) return;
      const double det = hss * hcc - hsc * hsc;
      if (!(det > 1e-12 * hss * hcc)) return;
      slope -= (gs * hcc - gc * hsc) / det;
      constant -= (gc * hss - gs * hsc) / det;
    }
  }

  LinearLearner next_learner(int index) {
    weigh();
    Random random{key_of({s_.seed, kBlocks, static_cast<std::uint64_t>(stage()),
                          static_cast<std::uint64_t>(index)})};
    const std::vector<std::size_t> drawn =
        draw(random, pool_.size(), static_cast<std::size_t>(s_.sample));
    std::vector<Candidate> candidates(drawn.size());
    workers_.run(static_cast<int>(drawn.size()), [&](int task, int worker) {
      const auto i = static_cast<std::size_t>(task);
      candidates[i] = try_block(pool_[drawn[i]], desks_[static_cast<std::size_t>(worker)]);
    });
    std::size_t best = 0;
    for (std::size_t i = 1; i < candidates.size(); ++i)
      if (candidates[i].loss < candidates[best].loss) best = i;
    const Block& block = pool_[drawn[best]];
    const Candidate& c = candidates[best];
    LinearLearner learner;
    learner.x = static_cast<std::int16_t>(block.x);
    learner.y = static_cast<std::int16_t>(block.y);
    learner.width = static_cast<std::int16_t>(block.width);
    learner.height = static_cast<std::int16_t>(block.height);
    learner.offset = -c.svm.bias;
    to_learner_order(c.svm.weights, learner.weights.data());
    if (s_.votes == Votes::step) {
      const double error = std::min(std::max(c.loss, 1e-6), 0.5 - 1e-6);
      learner.pass = in_units(0.5 * hog::exact_log((1 - error) / error));
      learner.fail = -learner.pass;
    } else {
      learner.slope = static_cast<float>(s_.shrink * c.slope * 65536);
      learner.pass = learner.fail = in_units(s_.shrink * c.constant);
    }
    return learner;
  }

  /// The highest threshold that lets d_min of the positives through, and what passes it.
  struct Cut {
    std::int32_t threshold = 0;
    double d = 1, f = 1;
  };
  [[nodiscard]] Cut cut(double d_min) const {
    std::vector<std::int32_t> people(votes_.begin(),
                                     votes_.begin() + static_cast<std::ptrdiff_t>(positive_count_));
    std::sort(people.begin(), people.end());
    const auto lost = static_cast<std::size_t>(
        std::floor((1 - d_min) * static_cast<double>(people.size()) + 1e-9));
    Cut cut;
    cut.threshold = people[std::min(lost, people.size() - 1)];
    const auto passes = [&](std::int32_t votes) { return votes >= cut.threshold; };
    const auto first_negative = votes_.begin() + static_cast<std::ptrdiff_t>(positive_count_);
    cut.d = static_cast<double>(std::count_if(people.begin(), people.end(), passes)) /
            static_cast<double>(people.size());
    cut.f = static_cast<double>(std::count_if(first_negative, votes_.end(), passes)) /
            static_cast<double>(votes_.size() - positive_count_);
    return cut;
  }

  Status train_stage() {
    const double before = session_.seconds();
    const bool last = is_last();
    const int most = last ? s_.last_learners : s_.max_learners;
    const auto first = static_cast<int>(first_learner());
    if (open_ == 0) {
      model_.stages.push_back({first, 0, 0});
      open_ = 1;
    }
    const std::string what = "stage " + std::to_string(stage() + 1) + (last ? ", learners" : ", %");
    Cut reached;
    while (true) {
      const int count = static_cast<int>(model_.linear.size()) - first;
      if (count > 0) {
        reached = cut(last ? 1.0 : s_.d_min);
        model_.stages.back().count = count;
        model_.stages.back().threshold = reached.threshold;
        if (count >= most || (!last && reached.f <= s_.f_max)) break;
        if (count % s_.checkpoint_every == 0 && model_.linear.size() != kept_learners_)
          if (Status ok = keep(); !ok) return ok;
      }
      const std::string note = line_of("%d learners, f %.3f", count, count == 0 ? 1 : reached.f);
      if (last) {
        observer_.progress(what, static_cast<std::size_t>(count), static_cast<std::size_t>(most),
                           note);
      } else {  // every learner takes about the same part of the false positives away
        const double way = count == 0 ? 0 : std::log(reached.f) / std::log(s_.f_max);
        observer_.progress(what, static_cast<std::size_t>(100 * std::clamp(way, 0.0, 1.0)), 100,
                           note);
      }
      model_.linear.push_back(next_learner(count));
      add_votes(model_.linear.back(), 0);
    }
    rate_ *= reached.f;
    detection_ *= reached.d;
    const int learners = model_.stages.back().count;
    open_ = 0;
    has_negatives_ = false;
    ranked_ += last ? 1 : 0;
    finished_ = ranked_ >= s_.last_rounds;
    drop_lost_people(reached.threshold);
    const double seconds = session_.seconds() - before;
    session_.log(
        line_of(R"({"stage":%d,"learners":%d,"all_learners":%zu,"threshold":%d,"d":%.5f,)"
                R"("f":%.5f,"D":%.5f,"F":%.4g,"positives":%zu,"seconds":%.2f,"total":%.1f})",
                stage(), learners, model_.linear.size(), reached.threshold, reached.d, reached.f,
                detection_, rate_, positive_count_, seconds, session_.seconds()));
    observer_.say(line_of("stage %2d: %3d learners (%4zu), d %.4f, f %.3f, D %.3f, F %.2e, %.1f s",
                          stage(), learners, model_.linear.size(), reached.d, reached.f, detection_,
                          rate_, seconds));
    return keep();
  }

  /// Whoever this stage rejects is not to be had any more.
  void drop_lost_people(std::int32_t threshold) {
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < positive_count_; ++i)
      if (votes_[i] >= threshold) left.push_back(i);
    std::vector<std::int32_t> votes;
    votes.reserve(left.size());
    for (const std::size_t i : left) votes.push_back(votes_[i]);
    windows_.keep(left);
    votes_ = std::move(votes);
    positive_count_ = left.size();
  }

  Status keep() {
    ByteWriter out;
    out.put(model_.stages);
    out.put(model_.linear);
    out.put(refs_);
    for (const double value : {rate_, detection_, mined_rate_}) out.put(value);
    for (const int value : {open_, has_negatives_ ? 1 : 0, finished_ ? 1 : 0, ranked_})
      out.put(value);
    if (Status ok = session_.keep(out.bytes()); !ok) return ok;
    kept_learners_ = model_.linear.size();
    if (++kept_ == s_.stop_after) return Error{Errc::end, 0, "train cascade", "stopped for a test"};
    return Done{};
  }

  Status restore(const std::vector<std::byte>& state) {
    ByteReader in{state};
    in.get(model_.stages);
    in.get(model_.linear);
    in.get(refs_);
    for (double* value : {&rate_, &detection_, &mined_rate_}) in.get(*value);
    int has = 0, finished = 0;
    in.get(open_);
    in.get(has);
    in.get(finished);
    in.get(ranked_);
    if (!in.at_end()) return Error{Errc::damaged, 0, "resume", "the checkpoint's state"};
    has_negatives_ = has != 0;
    kept_learners_ = model_.linear.size();
    finished_ = finished != 0;
    if (Status ok = load_positives(); !ok) return ok;
    // As the stages left them, one by one.
    std::size_t next = 0;
    for (int i = 0; i < stage(); ++i) {
      const hog::Stage& done = model_.stages[static_cast<std::size_t>(i)];
      if (!s_.chain) std::fill(votes_.begin(), votes_.end(), 0);
      const auto end = static_cast<std::size_t>(done.first) + static_cast<std::size_t>(done.count);
      for (; next < end; ++next) add_votes(model_.linear[next], 0);
      drop_lost_people(done.threshold);
    }
    observer_.say("resumed in stage " + std::to_string(stage() + 1) + " with " +
                  std::to_string(model_.linear.size()) + " learners");
    return Done{};
  }

  const Context& context_;
  Workers& workers_;
  const CascadeSettings& s_;
  PictureSet& positives_;
  PictureSet& negatives_;
  Session& session_;
  Observer& observer_;
  std::vector<hog::SearchSettings> searches_;
  std::vector<Block> pool_;
  Histograms windows_;  // people, then negatives
  std::size_t positive_count_ = 0, all_positives_ = 0;
  std::vector<std::int32_t> votes_, start_votes_;
  std::vector<float> labels_;
  std::vector<std::size_t> heavy_;                     // examples to learn from
  std::vector<float> heavy_labels_, weights_, costs_;  // theirs
  double base_[2] = {};
  std::vector<Desk> desks_;
  CascadeModel model_;
  int open_ = 0;  // 1: the last stage of model_ is in the making
  std::vector<WindowRef> refs_;
  bool has_negatives_ = false, exhausted_ = false, finished_ = false;
  double rate_ = 1, detection_ = 1, mined_rate_ = 1;
  int ranked_ = 0;  // last stages that are done
  int kept_ = 0;
  std::size_t kept_learners_ = 0;  // in the last checkpoint
};

}  // namespace

std::vector<hog::SearchSettings> default_searches() {
  hog::SearchSettings coarse, fine;
  coarse.scale_step = 1.1;
  coarse.stride = 8;
  fine.scale_step = 1.05;
  fine.stride = 4;
  return {coarse, fine};
}

std::string text_of(const CascadeSettings& s) {
  SettingsText text;
  text.add("name", s.name);
  text.add_geometry(s.geometry);
  text.add("colour", s.colour);
  text.add("grid", s.grid);
  text.add("fine_pool", s.fine_pool);
  text.add("sample", s.sample);
  text.add("d_min", s.d_min);
  text.add("f_max", s.f_max);
  text.add("stages", s.stages);
  text.add("target", s.target);
  text.add("max_learners", s.max_learners);
  text.add("last_learners", s.last_learners);
  text.add("last_rounds", s.last_rounds);
  text.add("negatives", s.negatives);
  text.add("least_negatives", s.least_negatives);
  text.add("votes", std::string{s.votes == Votes::step ? "step" : "real"});
  text.add("chain", s.chain);
  text.add("cost", s.cost);
  text.add("trim", s.trim);
  text.add("shrink", s.shrink);
  text.add("mirror", s.crops.mirror);
  text.add("shift", s.crops.shift);
  text.add("shift_copies", s.crops.copies);
  text.add("crop_scale", s.crops.scale);
  text.add_searches(s.searches.empty() ? default_searches() : s.searches);
  text.add("seed", s.seed);
  return text.text();
}

Status validate(const CascadeSettings& s) {
  return check_rules(
      {{s.grid == 1 || s.grid == 2 || s.grid == 4, "--pool", "a grid of 1, 2 or 4 pixels"},
       {s.sample >= 1 && s.sample <= 100000, "--sample", "1..100000 blocks"},
       {s.d_min > 0 && s.d_min <= 1, "--d-min", "must be more than 0, at most 1"},
       {s.f_max > 0 && s.f_max <= 1, "--f-max", "must be more than 0, at most 1"},
       {s.stages >= 1 && s.stages <= 1000, "--stages", "1..1000"},
       {s.target >= 0 && s.target < 1, "--target", "must be 0 or more and less than 1"},
       {s.max_learners >= 1 && s.max_learners <= 10000, "--max-learners", "1..10000"},
       {s.last_learners >= 0 && s.last_learners <= 10000, "--last-learners", "0..10000"},
       {s.last_rounds >= 1 && s.last_rounds <= 100, "--last-rounds", "1..100"},
       {s.crops.copies >= 0 && s.crops.copies <= 100, "--shift-copies", "0..100"},
       {s.negatives >= 0 && s.negatives <= 1000000, "--negatives-per-stage", "0..1000000"},
       {s.cost > 0 && s.cost <= 1e9, "--cost", "must be more than 0, at most 1e9"},
       {s.trim >= 0 && s.trim < 1, "--trim", "must be 0 or more and less than 1"},
       {s.shrink > 0 && s.shrink <= 1, "--shrink", "must be more than 0, at most 1"},
       {s.crops.shift >= 0 && s.crops.shift <= 1024, "--shift", "0..1024 pixels"},
       {s.geometry.window_width >= 16 && s.geometry.window_height >= 16 &&
            s.geometry.window_width % 4 == 0 && s.geometry.window_height % 4 == 0,
        "--window", "sides of 16 at least, multiples of 4"}});
}

Result<hog::Model> train_cascade(const Context& context, Workers& workers,
                                 const CascadeSettings& settings, PictureSet& positives,
                                 PictureSet& negatives, Session& session, Observer& observer) {
  return Trainer{context, workers, settings, positives, negatives, session, observer}.run();
}

}  // namespace kerb::train
