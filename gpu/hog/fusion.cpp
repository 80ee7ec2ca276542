// SPDX-License-Identifier: Apache-2.0
#include "gpu/hog/fusion.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "gpu/hog/deterministic_math.hpp"

namespace kerb::hog {
namespace {

Error bad(const char* text) { return {Errc::invalid_argument, 0, "fusion", text}; }

// Hits are worked on in batches, lane by lane: sums are kept for each lane and added at the end, in
// that order on every machine, whatever the width of its vectors.
constexpr int kLanes = 8;
// Squared distances: from which on a hit counts nothing; within which a climb has arrived at a
// mode; within which a hit lies on a climb's way; under which a step is the last.
constexpr float kCutoff = 25, kJoin = 2.25F, kOnTheWay = 0.5F, kSmallStep = 1.0F / 90000;
constexpr float kReach = 5.05F;  // the root of kCutoff, and some room for rounding
constexpr int kMaxSteps = 100;
constexpr float kFarAway = 1e6F;  // in the logarithm of the scale
constexpr int kNowhere = -1;
constexpr std::int32_t kNone = std::numeric_limits<std::int32_t>::max();

struct Place {
  float x = 0, y = 0, s = 0;  ///< centre of the person's box, picture pixels; log of the scale
};

struct Batch {
  float x[kLanes], y[kLanes], s[kLanes];
  float fine[kLanes];          ///< exp(-2 s_i): H_i's first two entries are sigma^2 / fine
  float weight[kLanes];        ///< |H_i|^(-1/2) t(w_i), but for what all share
  std::int32_t climb[kLanes];  ///< the first that came by, or kNone
};

/// From where on a batch's hits count. Apart from Batch: all of these are looked at, few batches.
struct Reach {
  float left, right, top, bottom, small, large;
};

/// Modes found, as batches: the place of each, and `fine` of H_h there.
struct ModeBatch {
  float x[kLanes], y[kLanes], s[kLanes], fine[kLanes];
};

/// What else is known of a mode.
struct Mode {
  Place at;
  float score;
  int hits;
};

/// exp(-square / 2) for 0 <= square <= kCutoff, within 5e-6 of it: far more than the place of a
/// mode needs, in half the operations of exact_exp().
float kernel(float square) {
  const float shifted = square * -0.721347520F + 12582912.0F;  // see exact_exp()
  const float f = square * -0.721347520F - (shifted - 12582912.0F);
  // 2^f for |f| <= 1/2
  float p = 9.560510207e-3F;
  p = p * f + 5.591703917e-2F;
  p = p * f + 2.402498111e-1F;
  p = p * f + 6.931219677e-1F;
  p = p * f + 9.999991909e-1F;
  std::uint32_t bits = 0;
  std::memcpy(&bits, &shifted, sizeof bits);
  bits = (bits + 127U) << 23;
  float power = 0;
  std::memcpy(&power, &bits, sizeof power);
  return p * power;
}

/// By more than `share` of their union, or of the smaller one.
bool do_overlap(const Detection& a, const Detection& b, float share, bool of_smaller) {
  const float width = std::min(a.x + a.w, b.x + b.w) - std::max(a.x, b.x);
  const float height = std::min(a.y + a.h, b.y + b.h) - std::max(a.y, b.y);
  if (!(width > 0 && height > 0)) return false;
  const float both = width * height;
  const float area_a = a.w * a.h, area_b = b.w * b.h;
  return both > share * (of_smaller ? std::min(area_a, area_b) : area_a + area_b - both);
}

bool is_better(const Hit& a, const Hit& b) {
  return a.score != b.score ? a.score > b.score : a.window < b.window;
}

/// Bits 0..15 moved to 0, 2 .. 30.
std::uint32_t spread(std::uint32_t v) {
  v = (v | (v << 8)) & 0x00ff00ffU;
  v = (v | (v << 4)) & 0x0f0f0f0fU;
  v = (v | (v << 2)) & 0x33333333U;
  return (v | (v << 1)) & 0x55555555U;
}
/// A place on a curve that keeps neighbours together.
std::uint32_t curve(const Place& p) {
  const auto cell = [](float v) {
    return static_cast<std::uint32_t>(std::min(std::max(v * (1.0F / 32), 0.0F), 65535.0F));
  };
  return spread(cell(p.x)) | (spread(cell(p.y)) << 1);
}

class AnyFusion final : public Fusion {
 public:
  explicit AnyFusion(const FusionSettings& settings) : settings_{settings} {
    const auto most = static_cast<std::size_t>(settings.max_hits);
    best_.reserve(most);
    if (settings.kind == FusionKind::none) return;
    if (settings.kind == FusionKind::suppression) {
      boxes_.reserve(most);
      members_.reserve(most);
      return;
    }
    places_.reserve(most);
    scales_.reserve(most);
    order_.reserve(most);
    slots_.reserve(most);
    mode_of_climb_.reserve(most);
    modes_.reserve(most);
    mode_batches_.reserve(most / kLanes + 1);
    batches_.reserve(most / kLanes + 1);
    reaches_.reserve(most / kLanes + 1);
  }

  void fuse(const Engine::Hits& hits, const Geometry& geometry, const SearchPlan& plan,
            DetectionList& out) override {
    out.count = 0;
    choose(hits, plan);
    if (settings_.kind == FusionKind::mean_shift)
      shift(geometry, plan, out);
    else
      suppress(geometry, plan, out);
    keep_inside(plan, out);
  }

 private:
  /// Only those whose middle is in the picture.
  static void keep_inside(const SearchPlan& plan, DetectionList& out) {
    const auto width = static_cast<float>(plan.pyramid.width);
    const auto height = static_cast<float>(plan.pyramid.height);
    int kept = 0;
    for (int i = 0; i < out.count; ++i) {
      const Detection& d = out.items[i];
      const float x = d.x + d.w / 2, y = d.y + d.h / 2;
      if (x >= 0 && x <= width && y >= 0 && y <= height) out.items[kept++] = d;
    }
    out.count = kept;
  }

  /// The best max_hits, best first, into best_.
  void choose(const Engine::Hits& hits, const SearchPlan& plan) {
    best_.clear();
    const auto most = static_cast<std::size_t>(settings_.max_hits);
    for (int i = 0; i < hits.count; ++i) {
      const Hit& hit = hits.data[i];
      if (hit.window < 0 || hit.window >= plan.window_count || !std::isfinite(hit.score)) continue;
      if (best_.size() < most) {
        best_.push_back(hit);
        if (best_.size() == most) std::make_heap(best_.begin(), best_.end(), is_better);
      } else if (is_better(hit, best_.front())) {  // the worst of them is in front
        std::pop_heap(best_.begin(), best_.end(), is_better);
        best_.back() = hit;
        std::push_heap(best_.begin(), best_.end(), is_better);
      }
    }
    std::sort(best_.begin(), best_.end(), is_better);
  }

  static Detection box_of(const Geometry& geometry, const SearchPlan& plan, const Hit& hit) {
    const SearchPlan::Place at = plan.place(hit.window);
    return plan.box(geometry, at.level, at.x, at.y, hit.score);
  }

  // --- mean shift ----------------------------------------------------------------------------

  void shift(const Geometry& geometry, const SearchPlan& plan, DetectionList& out) {
    place(geometry, plan);
    lay_out();
    modes_.clear();
    mode_batches_.clear();
    mode_of_climb_.clear();
    for (std::size_t i = 0; i < best_.size(); ++i) {
      const std::uint32_t slot = slots_[i];
      const std::int32_t before = batches_[slot / kLanes].climb[slot % kLanes];
      int mode = before == kNone ? kNowhere : mode_of_climb_[static_cast<std::size_t>(before)];
      if (mode == kNowhere) {
        mode = climb(places_[i], best_[i].score);
        mode_of_climb_.push_back(mode);
      }
      if (mode != kNowhere) ++modes_[static_cast<std::size_t>(mode)].hits;
      // With one hit enough for a person, later modes could only be worse than those there are.
      if (settings_.min_hits == 1 && modes_.size() == most_people()) break;
    }
    for (const Mode& mode : modes_) {
      if (mode.hits < settings_.min_hits || out.count == settings_.max_people) continue;
      const auto scale = static_cast<float>(exact_exp(static_cast<double>(mode.at.s)));
      const float width = geometry.person_width * scale, height = geometry.person_height * scale;
      out.items[out.count++] = {mode.at.x - width / 2, mode.at.y - height / 2, width, height,
                                mode.score};
    }
  }

  void place(const Geometry& geometry, const SearchPlan& plan) {
    places_.clear();
    scales_.clear();
    order_.clear();
    int last = -1;
    float log_scale = 0;
    for (std::size_t i = 0; i < best_.size(); ++i) {
      const auto [level, x, y] = plan.place(best_[i].window);
      const Detection box = plan.box(geometry, level, x, y, best_[i].score);
      const double scale = plan.pyramid.levels[static_cast<std::size_t>(level)].scale;
      if (level != last) log_scale = static_cast<float>(exact_log(scale));
      last = level;
      places_.push_back({box.x + box.w / 2, box.y + box.h / 2, log_scale});
      scales_.push_back(static_cast<float>(scale));
      order_.push_back((std::uint64_t{curve(places_.back())} << 32) | i);
    }
    std::sort(order_.begin(), order_.end());
  }

  void lay_out() {
    batches_.clear();
    reaches_.clear();
    const float sigma_x = settings_.sigma_x, sigma_y = settings_.sigma_y;
    // Weights count against one another only. In this unit none overflows.
    slots_.resize(best_.size());
    const float best = best_.empty() ? 0.0F : best_[0].score - settings_.zero;
    const float unit = best > 0 ? best : 1.0F;
    for (std::size_t i = 0; i < order_.size(); i += kLanes) {
      Batch batch{};
      Reach reach{};
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        // Lanes beyond the last hit are copies of the first, without weight.
        const bool is_there = i + lane < order_.size();
        const std::size_t hit = order_[is_there ? i + lane : i] & 0xffffffffU;
        if (is_there) slots_[hit] = static_cast<std::uint32_t>(i + lane);
        const Place& p = places_[hit];
        const float scale = scales_[hit];
        const float wide = scale * sigma_x, high = scale * sigma_y;
        batch.x[lane] = p.x;
        batch.y[lane] = p.y;
        batch.s[lane] = p.s;
        batch.fine[lane] = 1.0F / (scale * scale);
        const float t = settings_.unit_weights
                            ? 1.0F
                            : std::max(best_[hit].score - settings_.zero, 0.0F) / unit;
        batch.climb[lane] = kNone;
        batch.weight[lane] = is_there ? t * batch.fine[lane] : 0.0F;
        const float dx = kReach * wide, dy = kReach * high, ds = kReach * settings_.sigma_scale;
        const Reach one{p.x - dx, p.x + dx, p.y - dy, p.y + dy, p.s - ds, p.s + ds};
        if (lane == 0) reach = one;
        reach = {std::min(reach.left, one.left),   std::max(reach.right, one.right),
                 std::min(reach.top, one.top),     std::max(reach.bottom, one.bottom),
                 std::min(reach.small, one.small), std::max(reach.large, one.large)};
      }
      batches_.push_back(batch);
      reaches_.push_back(reach);
    }
  }

  /// 1 / sigma^2, each.
  struct Inverse {
    float x, y, s;
  };
  /// D^2 of eq. 3.2.
  static float distance(float dx, float dy, float ds, float fine, const Inverse& inverse) {
    return (dx * dx * inverse.x + dy * dy * inverse.y) * fine + ds * ds * inverse.s;
  }

  /// Sums over all hits near a place: of weights, of weights times `fine`, of these times the way
  /// to the hit.
  struct Sums {
    float all[kLanes] = {}, fine[kLanes] = {}, dx[kLanes] = {}, dy[kLanes] = {}, ds[kLanes] = {};
  };
  static float total(const float (&lanes)[kLanes]) {
    float sum = 0;
    for (const float lane : lanes) sum += lane;
    return sum;
  }
  static void add(Batch& batch, const Place& at, const Inverse& inverse, std::int32_t climb,
                  Sums& sums) {
    for (int i = 0; i < kLanes; ++i) {
      const float dx = batch.x[i] - at.x, dy = batch.y[i] - at.y, ds = batch.s[i] - at.s;
      const float square = distance(dx, dy, ds, batch.fine[i], inverse);
      const float near = square < kCutoff ? square : kCutoff;  // kernel() has its limits
      const float all_of_it = batch.weight[i] * kernel(near);
      const float k = square < kCutoff ? all_of_it : 0.0F;
      const float kf = k * batch.fine[i];
      sums.all[i] += k;
      sums.fine[i] += kf;
      sums.dx[i] += kf * dx;
      sums.dy[i] += kf * dy;
      sums.ds[i] += k * ds;
      const std::int32_t passing = square < kOnTheWay ? climb : kNone;
      batch.climb[i] = std::min(batch.climb[i], passing);
    }
  }

  /// The first mode within kJoin of the place.
  int mode_at(const Place& at, const Inverse& inverse) const {
    for (std::size_t i = 0; i < mode_batches_.size(); ++i) {
      const ModeBatch& m = mode_batches_[i];
      float squares[kLanes];
      std::int32_t near = 0;
      for (int k = 0; k < kLanes; ++k) {
        squares[k] = distance(m.x[k] - at.x, m.y[k] - at.y, m.s[k] - at.s, m.fine[k], inverse);
        near |= squares[k] < kJoin ? 1 : 0;
      }
      if (near == 0) continue;
      const auto first = std::find_if(squares, squares + kLanes, [](float d) { return d < kJoin; });
      return static_cast<int>(i * kLanes) + static_cast<int>(first - squares);
    }
    return kNowhere;
  }
  int add_mode(const Place& at, float fine, float score) {
    const std::size_t number = modes_.size(), lane = number % kLanes;
    modes_.push_back({at, score, 0});
    if (lane == 0) {
      ModeBatch none{};
      // Far from everywhere, so that lanes without a mode are never near.
      std::fill(none.s, none.s + kLanes, kFarAway);
      mode_batches_.push_back(none);
    }
    ModeBatch& batch = mode_batches_.back();
    batch.x[lane] = at.x;
    batch.y[lane] = at.y;
    batch.s[lane] = at.s;
    batch.fine[lane] = fine;
    return static_cast<int>(number);
  }

  /// The mode it leads to, which may be a new one.
  int climb(Place at, float score) {
    const auto number = static_cast<std::int32_t>(mode_of_climb_.size());
    const auto inverse_square = [](float sigma) { return 1.0F / (sigma * sigma); };
    const Inverse inverse{inverse_square(settings_.sigma_x), inverse_square(settings_.sigma_y),
                          inverse_square(settings_.sigma_scale)};
    for (int step = 1;; ++step) {
      if (const int mode = mode_at(at, inverse); mode != kNowhere) return mode;
      Sums sums;
      for (std::size_t i = 0; i < reaches_.size(); ++i) {
        const Reach& r = reaches_[i];
        if (at.x >= r.left && at.x <= r.right && at.y >= r.top && at.y <= r.bottom &&
            at.s >= r.small && at.s <= r.large)
          add(batches_[i], at, inverse, number, sums);
      }
      const float all = total(sums.all), fine = total(sums.fine);
      if (!(all > 0 && fine > 0)) return kNowhere;
      // Eq. 3.6, as the way from here. What H_h shares with the sum beside it goes out.
      const Place by{total(sums.dx) / fine, total(sums.dy) / fine, total(sums.ds) / all};
      at = {at.x + by.x, at.y + by.y, at.s + by.s};
      const float square = distance(by.x, by.y, by.s, fine / all, inverse);
      if (square >= kSmallStep && step < kMaxSteps) continue;
      if (const int mode = mode_at(at, inverse); mode != kNowhere) return mode;
      return add_mode(at, fine / all, score);
    }
  }

  // --- suppression, and none -----------------------------------------------------------------

  void suppress(const Geometry& geometry, const SearchPlan& plan, DetectionList& out) {
    if (settings_.kind == FusionKind::none) {
      for (const Hit& hit : best_) {
        if (out.count == settings_.max_people) return;
        out.items[out.count++] = box_of(geometry, plan, hit);
      }
      return;
    }
    boxes_.clear();
    members_.clear();
    for (const Hit& hit : best_) {
      if (settings_.min_hits == 1 && boxes_.size() == most_people()) break;
      const Detection box = box_of(geometry, plan, hit);
      const auto owner = std::find_if(boxes_.begin(), boxes_.end(), [&](const Detection& taken) {
        return do_overlap(taken, box, settings_.overlap, settings_.of_smaller);
      });
      if (owner != boxes_.end()) {
        ++members_[static_cast<std::size_t>(owner - boxes_.begin())];
        continue;
      }
      boxes_.push_back(box);
      members_.push_back(1);
    }
    for (std::size_t i = 0; i < boxes_.size() && out.count < settings_.max_people; ++i)
      if (members_[i] >= settings_.min_hits) out.items[out.count++] = boxes_[i];
  }

  [[nodiscard]] std::size_t most_people() const {
    return static_cast<std::size_t>(settings_.max_people);
  }

  FusionSettings settings_;
  std::vector<Hit> best_;
  std::vector<Place> places_;         // of best_
  std::vector<float> scales_;         // of best_
  std::vector<std::uint64_t> order_;  // curve() << 32 | index into best_
  std::vector<Batch> batches_;
  std::vector<Reach> reaches_;
  std::vector<std::uint32_t> slots_;  // of best_: batch * kLanes + lane
  std::vector<Mode> modes_;
  std::vector<ModeBatch> mode_batches_;
  std::vector<int> mode_of_climb_;
  std::vector<Detection> boxes_;
  std::vector<int> members_;
};

}  // namespace

Status validate(const FusionSettings& s) {
  if (s.kind != FusionKind::mean_shift && s.kind != FusionKind::suppression &&
      s.kind != FusionKind::none)
    return bad("no such kind of fusion");
  if (!std::isfinite(s.zero)) return bad("zero: a number");
  if (!(s.sigma_x >= 0.5F && s.sigma_x <= 1000)) return bad("sigma_x: 0.5..1000");
  if (!(s.sigma_y >= 0.5F && s.sigma_y <= 1000)) return bad("sigma_y: 0.5..1000");
  if (!(s.sigma_scale >= 0.01F && s.sigma_scale <= 10)) return bad("sigma_scale: 0.01..10");
  if (s.min_hits < 1) return bad("min_hits: 1 or more");
  if (!(s.overlap >= 0 && s.overlap <= 1)) return bad("overlap: 0..1");
  if (s.max_people < 1 || s.max_people > DetectionList::kCapacity) return bad("max_people: 1..256");
  if (s.max_hits < 1 || s.max_hits > 65536) return bad("max_hits: 1..65536");
  return Done{};
}

Result<std::unique_ptr<Fusion>> Fusion::create(const FusionSettings& settings) {
  if (Status ok = validate(settings); !ok) return ok.error();
  return std::unique_ptr<Fusion>{std::make_unique<AnyFusion>(settings)};
}

void sort_best_first(DetectionList& people) noexcept {
  // By insertion: few, and mostly in order. std::stable_sort would allocate.
  for (int i = 1; i < people.count; ++i) {
    const Detection one = people.items[i];
    int at = i;
    for (; at > 0 && people.items[at - 1].score < one.score; --at)
      people.items[at] = people.items[at - 1];
    people.items[at] = one;
  }
}

void suppress(DetectionList& people, float overlap, bool of_smaller) noexcept {
  sort_best_first(people);
  int kept = 0;
  for (int i = 0; i < people.count; ++i) {
    const Detection one = people.items[i];
    const bool hidden = std::any_of(people.items, people.items + kept, [&](const Detection& taken) {
      return do_overlap(taken, one, overlap, of_smaller);
    });
    if (!hidden) people.items[kept++] = one;
  }
  people.count = kept;
}

}  // namespace kerb::hog
