// SPDX-License-Identifier: Apache-2.0
#include "tools/train/channels.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hal/base/rules.hpp"
#include "tools/train/bytes.hpp"
#include "tools/train/json_line.hpp"
#include "tools/train/random.hpp"

namespace kerb::train {
namespace {

constexpr double kUnits = 65536;  // votes to 1

std::int32_t votes(double value) { return static_cast<std::int32_t>(std::lround(value * kUnits)); }

/// Windows are thrown out after each of the first trees, later after every few: looking costs time.
int stage_size(std::size_t trees_before) {
  if (trees_before < 32) return 1;
  if (trees_before < 64) return 2;
  if (trees_before < 128) return 4;
  return trees_before < 256 ? 8 : 16;
}

/// `thresholds`: for each tree, what the sum must be after it.
hog::Model model_of(const ChannelSettings& s, const std::vector<Feature>& features,
                    const FeatureTable& table, const std::vector<Tree>& trees,
                    const std::vector<std::int32_t>& thresholds) {
  hog::CascadeModel m;
  m.geometry = s.geometry;
  m.channels = s.channels;
  m.cumulative = true;
  for (const Tree& tree : trees) {
    hog::TreeLearner learner;
    learner.first_node = static_cast<std::int32_t>(m.nodes.size());
    learner.first_leaf = static_cast<std::int32_t>(m.leaves.size());
    std::vector<std::int16_t> number(tree.size());  // of a node, or ~leaf
    for (std::size_t b = 0; b < tree.size(); ++b)
      number[b] = tree[b].feature >= 0 ? learner.node_count++
                                       : static_cast<std::int16_t>(~learner.leaf_count++);
    for (const Branch& branch : tree) {
      if (branch.feature < 0) {
        m.leaves.push_back(branch.vote);
        continue;
      }
      const auto feature = static_cast<std::size_t>(branch.feature);
      hog::TreeNode node = node_of(features[feature], s.grid);
      node.threshold = table.cut(feature, branch.step);
      node.left = number[static_cast<std::size_t>(branch.left)];
      node.right = number[static_cast<std::size_t>(branch.right)];
      m.nodes.push_back(node);
    }
    m.trees.push_back(learner);
  }
  for (std::size_t first = 0; first < trees.size();) {
    const auto count = std::min(static_cast<std::size_t>(stage_size(first)), trees.size() - first);
    m.stages.push_back({static_cast<std::int32_t>(first), static_cast<std::int32_t>(count),
                        thresholds[first + count - 1]});
    first += count;
  }
  hog::Model model;
  model.name = s.name;
  model.kind = std::move(m);
  return model;
}

/// A tree that asks nothing (nothing told its windows apart) would be no TreeLearner.
bool asks(const Tree& tree) { return tree.size() > 1; }

/// What random numbers are for.
constexpr std::uint64_t kFirst = 1, kHard = 2, kThin = 3, kPool = 4, kCuts = 5, kTrees = 6;

class Trainer {
 public:
  Trainer(const Context& context, Workers& workers, const ChannelSettings& settings,
          PictureSet& positives, PictureSet& negatives, Session& session, Observer& observer)
      : context_{context},
        workers_{workers},
        s_{settings},
        positives_{positives},
        negatives_{negatives},
        session_{session},
        observer_{observer},
        planes_{settings.channels.colour ? Planes::luv : Planes::grey},
        people_{planes_, settings.geometry.window_width, settings.geometry.window_height} {
    hog::SearchSettings search;
    search.scale_step = s_.step;
    search.stride = s_.stride;
    search.padding = s_.padding;
    search.min_height = s_.least_height;
    searches_.push_back(search);
  }

  Result<hog::Model> run() {
    const Result<std::vector<std::byte>> state = session_.begin();
    if (!state) return state.error();
    if (Status ok = load_people(); !ok) return ok.error();
    if (Status ok = state->empty() ? start() : restore(*state); !ok) return ok.error();
    for (;;) {
      if (Status ok = boost(); !ok) return ok.error();
      if (round_ + 1 == s_.rounds.size()) break;
      if (Status ok = find_hard(); !ok) return ok.error();
    }
    advise();
    if (Status ok = hog::validate(model_); !ok) return ok.error();
    return model_;
  }

 private:
  [[nodiscard]] std::string title(const char* what) const {
    return "round " + std::to_string(round_ + 1) + ": " + what;
  }
  [[nodiscard]] std::uint64_t key(std::uint64_t purpose) const {
    return key_of({s_.seed, purpose, round_});
  }

  Status load_people() {
    if (Status ok = add_crops(positives_, s_.crops, workers_, people_); !ok) return ok;
    if (!s_.edges) return Done{};
    // Of the windows that are not shifted.
    Patches straight{planes_, people_.window_width(), people_.window_height()};
    CropOptions unshifted = s_.crops;
    unshifted.shift = 0;
    if (Status ok = add_crops(positives_, unshifted, workers_, straight); !ok) return ok;
    const hog::Geometry& g = s_.geometry;
    const int above = static_cast<int>(g.person_y);
    const int below = g.window_height - static_cast<int>(g.person_y + g.person_height);
    add_cut_short(straight, below, false, people_);
    add_cut_short(straight, above, true, people_);
    return Done{};
  }

  Status start() {
    session_.log(line_of(R"({"trainer":"channels","positives":%zu,"people":%zu,"pictures":%zu,)"
                         R"("seed":%llu})",
                         positives_.size(), people_.size(), negatives_.size(),
                         static_cast<unsigned long long>(s_.seed)));
    Result<Mined> drawn = draw_windows(
        s_.geometry, negatives_, searches_.front(),
        static_cast<std::size_t>(std::min(s_.first_negatives, s_.most_negatives)), key(kFirst));
    if (!drawn) return drawn.error();
    if (drawn->windows.empty())
      return Error{Errc::invalid_argument, 0, "train channels", "the pictures hold no window"};
    refs_ = std::move(drawn->windows);
    return keep();
  }

  /// Makes this round's model, from trees_ on.
  Status boost() {
    const double before = session_.seconds();
    Patches others{planes_, people_.window_width(), people_.window_height()};
    if (Status ok = add_windows(negatives_, refs_, s_.geometry, searches_, workers_, others,
                                title("windows"), observer_);
        !ok)
      return ok;
    observer_.progress(title("features"), 0, 1);
    const std::vector<Feature> features = draw_features(
        s_.channels, people_.window_width() / s_.grid, people_.window_height() / s_.grid, s_.mix,
        static_cast<std::size_t>(s_.pool), key(kPool));
    constexpr std::size_t kSampled = 4096;
    const FeatureTable table = FeatureTable::build(features, s_.channels, s_.grid, people_, others,
                                                   kSampled, key(kCuts), workers_);
    Booster booster{table, people_.size(), s_.boost, key(kTrees), workers_};
    booster.take(trees_);
    const auto wanted = static_cast<std::size_t>(s_.rounds[round_]);
    constexpr std::size_t kBetweenCheckpoints = 128;
    while (booster.trees().size() < wanted) {
      booster.grow();
      if (!asks(booster.trees().back())) break;  // the drawn features tell nothing more
      observer_.progress(title("trees"), booster.trees().size(), wanted);
      if (booster.trees().size() % kBetweenCheckpoints != 0) continue;
      trees_ = booster.trees();
      if (Status ok = keep(); !ok) return ok;
    }
    trees_ = booster.trees();
    while (!trees_.empty() && !asks(trees_.back())) trees_.pop_back();
    if (trees_.empty())
      return Error{Errc::invalid_argument, 0, "train channels",
                   "no feature separates the people from the negatives"};
    model_ = model_of(s_, features, table, trees_,
                      std::vector<std::int32_t>(trees_.size(), votes(s_.rejection)));
    const double seconds = session_.seconds() - before;
    session_.log(line_of(R"({"round":%zu,"trees":%zu,"people":%zu,"negatives":%zu,)"
                         R"("error":%.5f,"seconds":%.2f,"total":%.1f})",
                         round_ + 1, trees_.size(), people_.size(), others.size(), booster.error(),
                         seconds, session_.seconds()));
    observer_.say(line_of("round %zu: %zu trees, %zu people, %zu negatives, error %.4f, %.1f s",
                          round_ + 1, trees_.size(), people_.size(), others.size(), booster.error(),
                          seconds));
    return Done{};
  }

  /// The next round's negatives: this one's and what its model takes for people.
  Status find_hard() {
    const double before = session_.seconds();
    ++round_;
    MineSettings mining;
    mining.searches = searches_;
    mining.wanted = static_cast<std::size_t>(s_.round_negatives);
    mining.per_picture = static_cast<std::size_t>(s_.per_picture);
    mining.seed = key(kHard);
    mining.threshold = static_cast<float>(s_.hard - s_.rejection);
    const Result<Mined> mined =
        mine(context_, workers_, model_, negatives_, mining, title("negatives"), observer_);
    if (!mined) return mined.error();
    std::vector<WindowRef> fresh;
    std::sort(refs_.begin(), refs_.end());
    std::set_difference(mined->windows.begin(), mined->windows.end(), refs_.begin(), refs_.end(),
                        std::back_inserter(fresh));
    // When there are too many, old ones go first.
    const auto most = static_cast<std::size_t>(s_.most_negatives);
    Random random{key(kThin)};
    const auto thin = [&random](std::vector<WindowRef>& refs, std::size_t room) {
      if (refs.size() <= room) return;
      std::vector<WindowRef> kept;
      for (const std::size_t i : draw(random, refs.size(), room)) kept.push_back(refs[i]);
      refs = std::move(kept);
    };
    thin(refs_, most - std::min(most, fresh.size()));
    thin(fresh, most);
    refs_.insert(refs_.end(), fresh.begin(), fresh.end());
    std::sort(refs_.begin(), refs_.end());
    session_.log(line_of(R"({"round":%zu,"found":%lld,"searched":%lld,"rate":%.4g,"new":%zu,)"
                         R"("seconds":%.2f})",
                         round_ + 1, static_cast<long long>(mined->found),
                         static_cast<long long>(mined->searched), mined->rate(), fresh.size(),
                         session_.seconds() - before));
    trees_.clear();
    return keep();
  }

  void advise() {
    model_.advice.scale_step = 1.0718F;  // ten levels an octave
    model_.advice.stride = s_.stride;
    model_.advice.padding = s_.padding;
    model_.advice.fusion = hog::FusionKind::suppression;
    model_.advice.overlap = 0.65F;
    model_.advice.of_smaller = true;
  }

  Status keep() {
    ByteWriter out;
    out.put(std::uint64_t{round_});
    out.put(refs_);
    out.put(std::uint64_t{trees_.size()});
    for (const Tree& tree : trees_) out.put(tree);
    if (Status ok = session_.keep(out.bytes()); !ok) return ok;
    if (++kept_ == s_.stop_after)
      return Error{Errc::end, 0, "train channels", "stopped for a test"};
    return Done{};
  }

  Status restore(const std::vector<std::byte>& state) {
    ByteReader in{state};
    std::uint64_t round = 0, count = 0;
    in.get(round);
    in.get(refs_);
    in.get(count);
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) in.get(trees_.emplace_back());
    if (!in.at_end() || round >= s_.rounds.size())
      return Error{Errc::damaged, 0, "resume", "the checkpoint's state"};
    round_ = static_cast<std::size_t>(round);
    observer_.say("resumed in round " + std::to_string(round_ + 1) + " with " +
                  std::to_string(refs_.size()) + " negatives and " + std::to_string(trees_.size()) +
                  " trees");
    return Done{};
  }

  const Context& context_;
  Workers& workers_;
  const ChannelSettings& s_;
  PictureSet& positives_;
  PictureSet& negatives_;
  Session& session_;
  Observer& observer_;
  Planes planes_;
  Patches people_;
  std::vector<hog::SearchSettings> searches_;
  std::vector<WindowRef> refs_;  // this round's negatives
  std::vector<Tree> trees_;      // of this round, as far as it has come
  std::size_t round_ = 0;
  hog::Model model_;  // of the last round that is done
  int kept_ = 0;
};

}  // namespace

std::string text_of(const ChannelSettings& s) {
  SettingsText text;
  text.add("name", s.name);
  text.add_geometry(s.geometry);
  text.add("bins", s.channels.bins);
  text.add("colour", s.channels.colour);
  text.add("grid", s.grid);
  text.add("mirror", s.crops.mirror);
  text.add("shift", s.crops.shift);
  text.add("crop_scale", s.crops.scale);
  text.add("edges", s.edges);
  std::string rounds;
  for (const int trees : s.rounds) rounds += (rounds.empty() ? "" : ",") + std::to_string(trees);
  text.add("rounds", rounds);
  text.add("pool", s.pool);
  text.add("mix", std::to_string(s.mix.plain) + "," + std::to_string(s.mix.local) + "," +
                      std::to_string(s.mix.neighbour));
  text.add("depth", s.boost.depth);
  text.add("sample", std::uint64_t{s.boost.sample});
  text.add("trim", s.boost.trim);
  text.add("discrete", s.boost.discrete);
  text.add("shrink", s.boost.shrink);
  text.add("first_negatives", s.first_negatives);
  text.add("round_negatives", s.round_negatives);
  text.add("most_negatives", s.most_negatives);
  text.add("per_picture", s.per_picture);
  text.add("rejection", s.rejection);
  text.add("hard", s.hard);
  text.add("step", s.step);
  text.add("stride", s.stride);
  text.add("padding", s.padding);
  if (s.least_height != 0) text.add("least_height", s.least_height);
  text.add("seed", s.seed);
  return text.text();
}

Status validate(const ChannelSettings& s) {
  const hog::Geometry& g = s.geometry;
  const bool sound_grid = s.grid == 1 || s.grid == 2 || s.grid == 4;
  const auto in = [](double value, double least, double most) {
    return value >= least && value <= most;
  };
  return check_rules(
      {{sound_grid, "--grid", "1, 2 or 4"},
       {sound_grid && g.window_width % s.grid == 0 && g.window_height % s.grid == 0, "--window",
        "whole cells of the grid"},
       {!s.rounds.empty() && s.rounds.size() <= 64, "--rounds", "1 to 64 of them"},
       {std::all_of(s.rounds.begin(), s.rounds.end(),
                    [](int n) { return n >= 1 && n <= hog::kMaxLearners; }),
        "--rounds", "of 1..65536 trees each"},
       {in(s.pool, 1, 1e6), "--pool", "1..1000000"},
       {s.boost.sample >= 1, "--sample", "1 or more"},
       {in(s.boost.depth, 1, 6), "--depth", "1..6"},
       {in(s.boost.trim, 0, 0.5), "--trim", "0..0.5"},
       {in(s.boost.shrink, 0.001, 10), "--shrink", "0.001..10"},
       {in(s.mix.plain, 0, 1000) && in(s.mix.local, 0, 1000) && in(s.mix.neighbour, 0, 1000) &&
            s.mix.plain + s.mix.local + s.mix.neighbour >= 1,
        "--mix", "three shares of 0..1000, not all 0"},
       {in(s.first_negatives, 1, 1e6), "--random-negatives", "1..1000000"},
       {in(s.round_negatives, 1, 1e6), "--hard-negatives", "1..1000000"},
       {in(s.most_negatives, 1, 1e6), "--most-negatives", "1..1000000"},
       {in(s.per_picture, 0, 1e6), "--per-picture", "0..1000000"},
       {in(s.rejection, -1000, 0), "--rejection", "-1000..0"},
       {in(s.hard, s.rejection, 1000), "--hard", "from --rejection to 1000"},
       {in(s.crops.shift, 0, 1024), "--shift", "0..1024 pixels"},
       {in(s.step, 1.001, 16), "--step", "1.001..16"},
       {in(s.stride, 1, 256), "--stride", "1..256"},
       {in(s.padding, 0, 1024), "--padding", "0..1024"},
       {in(s.least_height, 0, 65535), "--least-height", "0..65535 pixels"}});
}

Result<hog::Model> train_channels(const Context& context, Workers& workers,
                                  const ChannelSettings& settings, PictureSet& positives,
                                  PictureSet& negatives, Session& session, Observer& observer) {
  if (Status ok = validate(settings); !ok) return ok.error();
  return Trainer{context, workers, settings, positives, negatives, session, observer}.run();
}

}  // namespace kerb::train
