// SPDX-License-Identifier: Apache-2.0
#include "firmware/track/track.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "firmware/exact/exact_math.hpp"
#include "firmware/types/boxes.hpp"

namespace kerb::track {
namespace {

constexpr double kMaxColumn_px = 1e5;  // no picture is wider

double sq(double x) noexcept { return x * x; }
double seconds(Nanos t) noexcept { return static_cast<double>(t.count()) * 1e-9; }

/// Smooths the `count`th box of a person with the expected one; the first boxes count more.
Detection smoothed(const BoxSettings& settings, const Detection& expected, const Detection& seen,
                   int count) noexcept {
  const double middle = std::max(settings.middle_gain, 1.0 / count),
               size = std::max(settings.size_gain, 1.0 / count);
  const auto between = [](double a, double b, double share) { return a + share * (b - a); };
  const double w = between(static_cast<double>(expected.w), static_cast<double>(seen.w), size);
  const double h = between(static_cast<double>(expected.h), static_cast<double>(seen.h), size);
  const auto along = [&](float a, float a_size, float b, float b_size) {
    return between(static_cast<double>(a) + static_cast<double>(a_size) / 2,
                   static_cast<double>(b) + static_cast<double>(b_size) / 2, middle);
  };
  const double x = along(expected.x, expected.w, seen.x, seen.w);
  const double y = along(expected.y, expected.h, seen.y, seen.h);
  return {static_cast<float>(x - w / 2), static_cast<float>(y - h / 2), static_cast<float>(w),
          static_cast<float>(h), seen.score};
}

}  // namespace

SeenBox seen_box(const Camera& camera, const FilterSettings& settings, const Detection& box) {
  const double left = static_cast<double>(box.x), top = static_cast<double>(box.y);
  const double width = static_cast<double>(box.w), height = static_cast<double>(box.h);
  const double middle = left + width / 2;
  const Pixel head = undistort(camera, {middle, top});
  const Pixel foot = undistort(camera, {middle, top + height});
  SeenBox out;
  out.column = (head.x + foot.x) / 2;
  out.foot = foot.y;
  out.head = head.y;
  const double rows = std::max(settings.row_jitter * height, settings.least_jitter_px);
  out.column_sigma = std::max(settings.column_jitter * height, settings.least_jitter_px);
  out.foot_sigma = out.head_sigma = rows;
  if (left <= settings.edge_px || left + width >= camera.width - settings.edge_px)
    out.column_sigma += width / 2;
  if (top + height >= camera.height - settings.edge_px) {
    out.foot_sigma = SeenBox::kUnknown;
    --out.rows;
  }
  if (top <= settings.edge_px) {
    out.head_sigma = SeenBox::kUnknown;
    --out.rows;
  }
  return out;
}

bool Track::begin(const View& view, std::uint32_t id, const Detection& box,
                  const Signature& signature, Moves moves) {
  *this = {};
  SeenBox seen = seen_box(view.camera, view.settings.filter, box);
  widen(seen, 1 + view.settings.filter.emerging_factor);
  if (!filter_.begin(view.camera, view.settings.filter, seen, view.pitch, view.pitch_sigma,
                     view.way.speed_known))
    return false;
  if (!(distance() < view.settings.max_distance_m)) return false;
  id_ = id;
  first_seen_ = last_seen_ = view.now;
  signature_ = signature;
  box_ = box;
  score_ = static_cast<double>(box.score);
  width_share_ = static_cast<double>(box.w) / static_cast<double>(box.h);
  seen_ = true;
  image_.begin(view.settings.image, box);
  expect(view);
  existence_.begin(view.settings.existence, score_, moves,
                   filter_.implausible(view.settings.filter, view.pitch, view.pitch_sigma));
  return true;
}

bool Track::begin_again(const View& view, const Detection& box, const Signature& signature,
                        Moves moves) {
  const Signature known = signature_.known ? signature_ : signature;
  const Nanos first_seen = first_seen_;
  if (!begin(view, id_, box, known, moves)) return false;
  first_seen_ = first_seen;
  return true;
}

bool Track::is_memorable(const View& view) const {
  return confirmed() && filter_.is_finite() && view.since(last_seen_) <= view.settings.remember_s &&
         covered(image_.box(width_share_), picture_box(view.camera.width, view.camera.height)) >=
             view.settings.memorable_share;
}

void Track::expect(const View& view) {
  expected_ = filter_.expect(view.camera);
  if (!expected_.in_front) return;
  const double height = expected_.box[1] - expected_.box[2];
  expected_.box += bias_ * height;
}

void Track::advance(const View& view, const BoxFlow* flow) {
  seen_ = found_by_bands_ = false;
  filter_.predict(view.camera, view.settings.filter, view.way);
  if (view.pitch_seen) filter_.see_pitch(view.pitch, view.pitch_sigma);
  // Without a detection for a while, the box may lie on another object.
  const bool there = view.now - last_seen_ <= view.settings.boxes.flow_valid;
  image_.predict(view.settings.image, view.way.seconds, 0);
  if (flow != nullptr && there) image_.see_flow(view.settings.image, view.way.seconds, *flow);
  if (flow != nullptr && flow->points > 0 && there) {
    // The flow without distortion, at the middle of the box in the previous frame.
    const Pixel from{static_cast<double>(box_.x) + static_cast<double>(box_.w) / 2,
                     static_cast<double>(box_.y) + static_cast<double>(box_.h) / 2};
    const Pixel a = undistort(view.camera, from);
    const Pixel b = undistort(view.camera, {from.x + static_cast<double>(flow->dx),
                                            from.y + static_cast<double>(flow->dy)});
    filter_.see_flow(view.camera, view.settings.filter, view.way, b.x - a.x,
                     static_cast<double>(flow->sigma_px), static_cast<double>(flow->growth),
                     static_cast<double>(flow->growth_sigma));
  }
  expect(view);
  if (!expected_.in_front) return;
  const Pixel head = distort(view.camera, {expected_.box[0], expected_.box[2]});
  const Pixel foot = distort(view.camera, {expected_.box[0], expected_.box[1]});
  const double height = std::max(foot.y - head.y, 1.0), width = width_share_ * height;
  box_ = {static_cast<float>((head.x + foot.x - width) / 2), static_cast<float>(head.y),
          static_cast<float>(width), static_cast<float>(height), static_cast<float>(score_)};
}

double Track::likelihood_ratio(const View& view, const Detection& box, const SeenBox& seen,
                               const Signature& signature, const Appearance* appearance,
                               const std::optional<double>& unlike, bool behind) const {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  const MatchSettings& m = view.settings.match;
  // Quick exit: no spread is wider than a few heights of the box.
  const double column = static_cast<double>(box.x + box.w / 2),
               expected = static_cast<double>(box_.x + box_.w / 2);
  if (std::abs(column - expected) > 4 * static_cast<double>(box.h + box_.h)) return kNever;
  const BandSettings& bands = view.settings.bands;
  if (unlike && *unlike > bands.other) return kNever;
  // Who is surely the same by bands may have turned round behind another: they need not be at the
  // expected place.
  const double nearer = unlike && *unlike < bands.same ? bands.same_scale : 1.0;
  const double soon = exact::exp(-view.since(last_seen_) / m.later_s);
  const auto weight = [soon](double at_first, double later) {
    return later + soon * (at_first - later);
  };
  // Each term takes something off: what is cheap to know comes first.
  const double common = std::max(expected_.in_front ? overlap(box, box_) : 0.0,
                                 overlap(box, image_.box(width_share_)));
  const ExistenceSettings& e = view.settings.existence;
  const double doubt = std::clamp((e.score_even - static_cast<double>(box.score)) / e.score_scale,
                                  0.0, m.most_doubt);
  double ratio = weight(m.same, m.same_later) - m.doubtful * doubt -
                 nearer * weight(m.overlap, m.overlap_later) * (1 - common);
  if (behind) ratio -= soon * m.behind;
  if (ratio < m.least) return kNever;
  const double in_image = image_.distance2(view.settings.image, box);
  const Distance on_road =
      expected_.in_front ? distance_of(expected_, seen) : Distance{m.most_place, 0};
  ratio -= nearer * m.place * std::min({on_road.squared, in_image, m.most_place}) +
           m.spread * on_road.log_spread;
  if (ratio < m.least) return kNever;
  std::optional<double> different = unlike;
  if (!different && appearance != nullptr && signature.known && signature_.known)
    different = appearance->distance(signature, signature_);
  if (different)
    ratio -= weight(m.appearance, m.appearance_later) * std::min(*different, m.most_different);
  return ratio;
}

/// A detector repeats its error in the next frame: boxes close in time carry less information than
/// as many boxes far apart. And those of what has just come into view grow with what is seen of it.
/// Widens the box's standard deviations accordingly.
SeenBox Track::with_correlation(SeenBox seen, const View& view) const {
  const FilterSettings& filter = view.settings.filter;
  const double fades = exact::exp(-view.since(first_seen_) / filter.emerging_s);
  widen(seen, 1 + filter.emerging_factor * fades);
  const double time = filter.jitter_time_s;
  if (!(time > 0)) return seen;
  const double alike = exact::exp(-seconds(view.now - last_seen_) / time);
  widen(seen, std::sqrt((1 + alike) / std::max(1 - alike, 0.1)));
  return seen;
}

/// Whether a box is far smaller than the place says, and not because the legs are hidden: then the
/// head is where it is expected.
bool Track::is_farther(const BoxSettings& settings, const SeenBox& seen) const {
  if (!expected_.in_front || seen.rows < 3) return false;
  const double expected = expected_.box[1] - expected_.box[2];
  return seen.foot - seen.head < settings.farther_share * expected &&
         std::abs(seen.head - expected_.box[2]) > settings.head_off * expected &&
         distance_of(expected_, seen).squared > settings.farther_distance2;
}

void Track::found(const View& view, const Detection& box, const Signature& signature,
                  const Finding& how) {
  const BoxSettings& boxes = view.settings.boxes;
  SeenBox seen = seen_box(view.camera, view.settings.filter, box);
  // A lower bound is known: the feet are below the picture's edge.
  if (seen.foot_sigma >= SeenBox::kUnknown && expected_.in_front && expected_.box[1] < seen.foot)
    seen.foot_sigma = std::max(view.settings.filter.row_jitter * static_cast<double>(box.h),
                               view.settings.filter.least_jitter_px);
  // Boxes of somebody much farther away: the place was another's, and begins anew with them. Until
  // that is sure, nobody is seen at this place.
  image_.see_box(view.settings.image, box);
  misfits_ = is_farther(boxes, seen) ? misfits_ + 1 : 0;
  if (misfits_ > 0 && misfits_ < boxes.most_misfits) {
    existence_.missed(view.settings.existence, true);
    return;
  }
  if (misfits_ > 0) {
    misfits_ = 0;
    PersonFilter anew;
    if (anew.begin(view.camera, view.settings.filter, seen, view.pitch, view.pitch_sigma,
                   view.way.speed_known)) {
      filter_ = anew;
      bias_.setZero();
    }
  } else {
    filter_.see_box(view.camera, view.settings.filter, with_correlation(seen, view));
  }
  const GroundFilter::Expected after = filter_.expect(view.camera);
  if (after.in_front) {
    const double height = std::max(after.box[1] - after.box[2], 1.0);
    const double sigma[3] = {seen.column_sigma, seen.foot_sigma, seen.head_sigma};
    const double at[3] = {seen.column, seen.foot, seen.head};
    for (int i = 0; i < 3; ++i) {
      if (sigma[i] >= SeenBox::kUnknown) continue;
      const double off =
          std::clamp((at[i] - after.box[i]) / height, -boxes.max_bias, boxes.max_bias);
      bias_[i] += boxes.bias_gain * (off - bias_[i]);
    }
  }
  width_share_ +=
      boxes.width_gain * (static_cast<double>(box.w) / static_cast<double>(box.h) - width_share_);
  score_ = static_cast<double>(box.score);
  boxes_ = std::min(boxes_ + 1, 1000);
  box_ = expected_.in_front ? smoothed(boxes, box_, box, boxes_) : box;
  seen_ = true;
  last_seen_ = view.now;
  missed_s_ = 0;
  if (how.within && !confirmed()) {
    existence_.missed(view.settings.existence, false);
  } else {
    existence_.found(view.settings.existence, score_, how.moves,
                     filter_.implausible(view.settings.filter, view.pitch, view.pitch_sigma));
  }
  if (!signature.known) return;
  if (!signature_.known) {
    signature_ = signature;
  } else if (how.clear) {
    for (std::size_t i = 0; i < signature.values.size(); ++i)
      signature_.values[i] +=
          static_cast<float>(boxes.appearance_gain) * (signature.values[i] - signature_.values[i]);
  }
}

void Track::missed(const View& view, bool hidden) {
  if (!hidden) missed_s_ += view.way.seconds;
  existence_.missed(view.settings.existence, hidden);
}

bool Track::found_by_bands(const View& view, const Likeness& like) {
  const double top = static_cast<double>(box_.y), height = static_cast<double>(box_.h);
  const double column = static_cast<double>(like.column);
  if (!expected_.in_front || !(like.sigma_px > 0) || !(std::abs(column) < kMaxColumn_px))
    return false;
  SeenBox seen;
  seen.column = undistort(view.camera, {column, top + view.settings.bands.breast_share * height}).x;
  seen.column_sigma = static_cast<double>(like.sigma_px);
  seen.foot = expected_.box[1];
  seen.head = expected_.box[2];
  seen.foot_sigma = seen.head_sigma = SeenBox::kUnknown;
  seen.rows = 1;
  const double off = seen.column - expected_.box[0];
  if (!(sq(off) < view.settings.bands.gate2 * (expected_.spread(0, 0) + sq(seen.column_sigma))))
    return false;
  filter_.see_box(view.camera, view.settings.filter, with_correlation(seen, view));
  box_.x += static_cast<float>(view.settings.boxes.middle_gain *
                               (column - static_cast<double>(box_.x + box_.w / 2)));
  found_by_bands_ = true;
  last_seen_ = view.now;
  missed_s_ = 0;
  // Hanging cloth looks the same: without detections the probability of a person keeps falling.
  existence_.missed(view.settings.existence, true);
  return true;
}

bool Track::is_gone(const View& view) const {
  if (!filter_.is_finite() || existence_.is_gone(view.settings.existence)) return true;
  const double unseen = seconds(view.now - last_seen_);
  const TrackerSettings& s = view.settings;
  if (missed_s_ > s.coast_s || unseen > (confirmed() ? s.coast_hidden_s : s.coast_s)) return true;
  if (!expected_.in_front && unseen > s.behind_camera_s) return true;
  const double far = distance();
  if (!(far < s.max_distance_m)) return true;
  // Variance across the line of sight.
  const double ax = -y() / std::max(far, 0.1), ay = x() / std::max(far, 0.1);
  const auto& p = filter_.covariance();
  const double across = ax * ax * p(0, 0) + 2 * ax * ay * p(0, 1) + ay * ay * p(1, 1);
  return across > sq(s.max_sigma_across_m);
}

double Track::certainty(const TrackerSettings& settings) const noexcept {
  const ExistenceSettings& e = settings.existence;
  double odds = existence_.evidence(e) + e.motion_weight * filter_.person_evidence();
  if (e.height_weight > 0) odds += e.height_weight * filter_.height_evidence(settings.filter);
  return 1 / (1 + exact::exp(-odds));
}

double Track::distance() const noexcept { return std::sqrt(sq(x()) + sq(y())); }

double Track::speed_apart(const Track& other) const noexcept {
  const auto &a = filter_.state(), &b = other.filter_.state();
  return std::sqrt(sq(a[GroundFilter::kVx] - b[GroundFilter::kVx]) +
                   sq(a[GroundFilter::kVy] - b[GroundFilter::kVy]));
}

void Track::report(const View& view, Person& out) const {
  const auto& s = filter_.state();
  const auto& p = filter_.covariance();
  out.id = id_;
  out.first_seen = first_seen_;
  out.last_seen = last_seen_;
  out.x_m = s[GroundFilter::kX];
  out.y_m = s[GroundFilter::kY];
  out.vx_mps = s[GroundFilter::kVx];
  out.vy_mps = s[GroundFilter::kVy];
  std::size_t at = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) out.covariance[at++] = p(i, j);
  out.walks = filter_.walks();
  const PersonFilter::Estimate walking = filter_.walking(), standing = filter_.standing();
  out.walking = {walking.state[GroundFilter::kX],
                 walking.state[GroundFilter::kY],
                 walking.state[GroundFilter::kVx],
                 walking.state[GroundFilter::kVy],
                 {}};
  at = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) out.walking.covariance[at++] = walking.covariance(i, j);
  out.standing = {standing.state[GroundFilter::kX],
                  standing.state[GroundFilter::kY],
                  {standing.covariance(0, 0), standing.covariance(0, 1), standing.covariance(1, 0),
                   standing.covariance(1, 1)}};
  out.height_m = s[GroundFilter::kHeight];
  out.height_sigma_m = std::sqrt(p(GroundFilter::kHeight, GroundFilter::kHeight));
  out.box = box_;
  out.certainty = certainty(view.settings);
  out.confirmed = confirmed();
  out.seen = seen_;
}

}  // namespace kerb::track
