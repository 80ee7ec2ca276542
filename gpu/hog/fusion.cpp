// SPDX-License-Identifier: Apache-2.0
#include "gpu/hog/fusion.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "gpu/hog/deterministic_math.hpp"

namespace kerb::hog {
namespace {

Error bad(const char* text) { return {Errc::invalid_argument, 0, "fusion", text}; }

// Hits are worked on in batches, lane by lane: sums are kept for each lane and added at the end, in
// that order on every machine, whatever the width of its vectors.
constexpr int kLanes = 8;
constexpr float kCutoff = 32;   // squared distance from which a hit counts nothing
constexpr float kReach = 5.7F;  // its root, and some room for rounding
constexpr float kJoin = 1;      // squared distances, too
constexpr float kSmallStep = 1e-6F;
constexpr int kMaxSteps = 100;

struct Place {
  float x = 0, y = 0, s = 0;  ///< centre of the person's box, picture pixels; log of the scale
};

struct Batch {
  float x[kLanes], y[kLanes], s[kLanes];
  float inverse_x[kLanes], inverse_y[kLanes];  ///< of H_i
  float weight[kLanes];                        ///< |H_i|^(-1/2) t(w_i), but for what all share
};

/// From where on a batch's hits count. Apart from Batch: all of these are looked at, few batches.
struct Reach {
  float left, right, top, bottom, small, large;
};

struct Mode {
  Place at;
  float inverse_x, inverse_y;  ///< of H_h
  float score;
  int hits;
};

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
    modes_.reserve(most);
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
  }

 private:
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

  static int level_of(const SearchPlan& plan, int window) {
    const auto after = std::upper_bound(
        plan.windows.begin(), plan.windows.end(), window,
        [](int number, const LevelWindows& level) { return number < level.first_window; });
    return static_cast<int>(after - plan.windows.begin()) - 1;
  }
  static Detection box_of(const Geometry& geometry, const SearchPlan& plan, const Hit& hit,
                          int level) {
    const LevelWindows& windows = plan.windows[static_cast<std::size_t>(level)];
    const int number = hit.window - windows.first_window;
    return plan.box(geometry, level, windows.first_x + number % windows.columns * plan.stride,
                    windows.first_y + number / windows.columns * plan.stride, hit.score);
  }

  // --- mean shift ----------------------------------------------------------------------------

  void shift(const Geometry& geometry, const SearchPlan& plan, DetectionList& out) {
    place(geometry, plan);
    lay_out();
    modes_.clear();
    for (std::size_t i = 0; i < best_.size(); ++i) {
      climb(places_[i], best_[i].score);
      // With one hit enough for a person, later modes could only be worse than those there are.
      if (settings_.min_hits == 1 && modes_.size() == DetectionList::kCapacity) break;
    }
    for (const Mode& mode : modes_) {
      if (mode.hits < settings_.min_hits || out.count == DetectionList::kCapacity) continue;
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
      const int level = level_of(plan, best_[i].window);
      const Detection box = box_of(geometry, plan, best_[i], level);
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
    const float unit = best_.empty() || !(best_[0].score > 0) ? 1.0F : best_[0].score;
    for (std::size_t i = 0; i < order_.size(); i += kLanes) {
      Batch batch{};
      Reach reach{};
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        // Lanes beyond the last hit are copies of the first, without weight.
        const bool is_there = i + lane < order_.size();
        const std::size_t hit = order_[is_there ? i + lane : i] & 0xffffffffU;
        const Place& p = places_[hit];
        const float scale = scales_[hit];
        const float wide = scale * sigma_x, high = scale * sigma_y;
        batch.x[lane] = p.x;
        batch.y[lane] = p.y;
        batch.s[lane] = p.s;
        batch.inverse_x[lane] = 1.0F / (wide * wide);
        batch.inverse_y[lane] = 1.0F / (high * high);
        const float t = settings_.unit_weights ? 1.0F : std::max(best_[hit].score, 0.0F) / unit;
        batch.weight[lane] = is_there ? t / (scale * scale) : 0.0F;
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

  /// Sums over all hits near a place: of weights, of weights over H's entries, of both times the
  /// way to the hit.
  struct Sums {
    float all[kLanes] = {}, inverse_x[kLanes] = {}, inverse_y[kLanes] = {};
    float dx[kLanes] = {}, dy[kLanes] = {}, ds[kLanes] = {};
  };
  static float total(const float (&lanes)[kLanes]) {
    float sum = 0;
    for (const float lane : lanes) sum += lane;
    return sum;
  }
  static void add(const Batch& batch, const Place& at, float inverse_s, Sums& sums) {
    for (int i = 0; i < kLanes; ++i) {
      const float dx = batch.x[i] - at.x, dy = batch.y[i] - at.y, ds = batch.s[i] - at.s;
      const float square =
          (dx * dx * batch.inverse_x[i] + dy * dy * batch.inverse_y[i]) + ds * ds * inverse_s;
      const float near = std::min(square, kCutoff);  // no further: exact_exp() has its limits
      const float kernel = square < kCutoff ? exact_exp(near * -0.5F) : 0.0F;
      const float k = batch.weight[i] * kernel;
      const float kx = k * batch.inverse_x[i], ky = k * batch.inverse_y[i];
      sums.all[i] += k;
      sums.inverse_x[i] += kx;
      sums.inverse_y[i] += ky;
      sums.dx[i] += kx * dx;
      sums.dy[i] += ky * dy;
      sums.ds[i] += k * ds;
    }
  }

  /// The first mode within kJoin of the place, or nullptr.
  Mode* mode_at(const Place& at, float inverse_s) {
    for (Mode& mode : modes_) {
      const float dx = mode.at.x - at.x, dy = mode.at.y - at.y, ds = mode.at.s - at.s;
      if ((dx * dx * mode.inverse_x + dy * dy * mode.inverse_y) + ds * ds * inverse_s < kJoin)
        return &mode;
    }
    return nullptr;
  }

  void climb(Place at, float score) {
    const float inverse_s = 1.0F / (settings_.sigma_scale * settings_.sigma_scale);
    for (int step = 0;; ++step) {
      if (Mode* mode = mode_at(at, inverse_s)) {
        ++mode->hits;
        return;
      }
      Sums sums;
      for (std::size_t i = 0; i < reaches_.size(); ++i) {
        const Reach& r = reaches_[i];
        if (at.x >= r.left && at.x <= r.right && at.y >= r.top && at.y <= r.bottom &&
            at.s >= r.small && at.s <= r.large)
          add(batches_[i], at, inverse_s, sums);
      }
      const float all = total(sums.all);
      const float sum_x = total(sums.inverse_x), sum_y = total(sums.inverse_y);
      if (!(all > 0 && sum_x > 0 && sum_y > 0)) return;
      const Place by{total(sums.dx) / sum_x, total(sums.dy) / sum_y, total(sums.ds) / all};
      at = {at.x + by.x, at.y + by.y, at.s + by.s};
      const float inverse_x = sum_x / all, inverse_y = sum_y / all;
      const float square =
          (by.x * by.x * inverse_x + by.y * by.y * inverse_y) + by.s * by.s * inverse_s;
      if (square >= kSmallStep && step + 1 < kMaxSteps) continue;
      if (Mode* mode = mode_at(at, inverse_s))
        ++mode->hits;
      else
        modes_.push_back({at, inverse_x, inverse_y, score, 1});
      return;
    }
  }

  // --- suppression, and none -----------------------------------------------------------------

  static bool overlap(const Detection& a, const Detection& b, float limit) {
    const float width = std::min(a.x + a.w, b.x + b.w) - std::max(a.x, b.x);
    const float height = std::min(a.y + a.h, b.y + b.h) - std::max(a.y, b.y);
    if (!(width > 0 && height > 0)) return false;
    const float both = width * height;
    return both > limit * (a.w * a.h + b.w * b.h - both);
  }

  void suppress(const Geometry& geometry, const SearchPlan& plan, DetectionList& out) {
    if (settings_.kind == FusionKind::none) {
      for (const Hit& hit : best_) {
        if (out.count == DetectionList::kCapacity) return;
        out.items[out.count++] = box_of(geometry, plan, hit, level_of(plan, hit.window));
      }
      return;
    }
    boxes_.clear();
    members_.clear();
    for (const Hit& hit : best_) {
      if (settings_.min_hits == 1 && boxes_.size() == DetectionList::kCapacity) break;
      const Detection box = box_of(geometry, plan, hit, level_of(plan, hit.window));
      const auto owner = std::find_if(boxes_.begin(), boxes_.end(), [&](const Detection& taken) {
        return overlap(taken, box, settings_.overlap);
      });
      if (owner != boxes_.end()) {
        ++members_[static_cast<std::size_t>(owner - boxes_.begin())];
        continue;
      }
      boxes_.push_back(box);
      members_.push_back(1);
    }
    for (std::size_t i = 0; i < boxes_.size() && out.count < DetectionList::kCapacity; ++i)
      if (members_[i] >= settings_.min_hits) out.items[out.count++] = boxes_[i];
  }

  FusionSettings settings_;
  std::vector<Hit> best_;
  std::vector<Place> places_;         // of best_
  std::vector<float> scales_;         // of best_
  std::vector<std::uint64_t> order_;  // curve() << 32 | index into best_
  std::vector<Batch> batches_;
  std::vector<Reach> reaches_;
  std::vector<Mode> modes_;
  std::vector<Detection> boxes_;
  std::vector<int> members_;
};

}  // namespace

Status validate(const FusionSettings& s) {
  if (s.kind != FusionKind::mean_shift && s.kind != FusionKind::suppression &&
      s.kind != FusionKind::none)
    return bad("no such kind of fusion");
  if (!(s.sigma_x >= 0.5F && s.sigma_x <= 1000)) return bad("sigma_x: 0.5..1000");
  if (!(s.sigma_y >= 0.5F && s.sigma_y <= 1000)) return bad("sigma_y: 0.5..1000");
  if (!(s.sigma_scale >= 0.01F && s.sigma_scale <= 10)) return bad("sigma_scale: 0.01..10");
  if (s.min_hits < 1) return bad("min_hits: 1 or more");
  if (!(s.overlap >= 0 && s.overlap <= 1)) return bad("overlap: 0..1");
  if (s.max_hits < 1 || s.max_hits > 65536) return bad("max_hits: 1..65536");
  return Done{};
}

Result<std::unique_ptr<Fusion>> Fusion::create(const FusionSettings& settings) {
  if (Status ok = validate(settings); !ok) return ok.error();
  return std::unique_ptr<Fusion>{std::make_unique<AnyFusion>(settings)};
}

}  // namespace kerb::hog
