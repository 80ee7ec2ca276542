// SPDX-License-Identifier: Apache-2.0
#include "firmware/track/tracker.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "firmware/exact/exact_math.hpp"
#include "firmware/track/box_flow.hpp"
#include "firmware/track/state_fields.hpp"
#include "firmware/track/track_list.hpp"
#include "firmware/types/boxes.hpp"

namespace kerb::track {
namespace {

/// Fixed settings of Tracker; TrackerSettings has those that are set from outside.
struct TrackerTuning {
  double slow_mps = 3;                    ///< in a slower car, own motion in the picture is certain
  double drives_mps = 1;                  ///< in a slower car the background does not move
  double max_speed_mps = 120;             ///< a reported speed beyond it is ignored
  double max_yaw_rate_radps = 3;          ///< likewise
  double yaw_contradiction_radps = 0.05;  ///< between car and picture: the picture's is used
  double yaw_from_picture_sigma_radps = 0.01;
  double pitch_worthwhile = 0.8;  ///< a measured pitch is used where its standard deviation is
                                  ///< below this share of the mounting's
};
constexpr TrackerTuning kTrackerTuning{};

double in_seconds(Nanos t) noexcept { return static_cast<double>(t.count()) * 1e-9; }

std::optional<double> believed(const std::optional<double>& reported, double most) noexcept {
  return reported && std::abs(*reported) < most ? reported : std::nullopt;
}

Travelled travelled(const Senses& senses, const FilterSettings& settings, double dt) noexcept {
  Travelled way;
  way.seconds = dt;
  const std::optional<double> speed =
      believed(senses.vehicle.speed_mps, kTrackerTuning.max_speed_mps);
  way.speed_known = speed.has_value();
  way.speed_mps = speed.value_or(0);
  const std::optional<double> reported =
      believed(senses.vehicle.yaw_rate_radps, kTrackerTuning.max_yaw_rate_radps);
  const std::optional<double> seen =
      believed(senses.yaw_rate_radps, kTrackerTuning.max_yaw_rate_radps);
  if (reported && !(seen && std::abs(*reported - *seen) > kTrackerTuning.yaw_contradiction_radps)) {
    way.yaw_rate = *reported;
    way.yaw_rate_sigma = settings.yaw_rate_sigma;
  } else if (seen) {
    way.yaw_rate = *seen;
    way.yaw_rate_sigma = kTrackerTuning.yaw_from_picture_sigma_radps;
  } else {
    way.yaw_rate_sigma = settings.yaw_unknown_sigma;
  }
  return way;
}

}  // namespace

struct Tracker::State {
  Camera camera;
  TrackerSettings settings;
  std::unique_ptr<Appearance> appearance;
  TrackList tracks;
  PersonList last;  // as reported after the last frame
  std::optional<Nanos> at;
  double pitch = 0, pitch_sigma = 0;  // of the camera above its mounting

  bool follow_pitch(const Senses& senses, double dt) noexcept;
  [[nodiscard]] BoxFlow flow_of(int person, const MotionField& field, double stretch,
                                bool drives) const;

  /// All that is not a setting.
  template <typename F, typename Self>
  static void list(F& f, Self& s) {
    f.structure("Tracker")("tracks", s.tracks)("at", s.at)("pitch", s.pitch);
    f("pitch_sigma", s.pitch_sigma);
    f.list("last", s.last.count, PersonList::kCapacity,
           [&](std::size_t i) { f("person", s.last.items[i]); });
  }
};

/// The measured pitch, decaying towards the mounting's. True: this frame has a new measurement.
bool Tracker::State::follow_pitch(const Senses& senses, double dt) noexcept {
  const double stays = exact::exp(-dt / settings.filter.pitch_time_s);
  const double variance = camera.pitch_sigma_rad * camera.pitch_sigma_rad;
  pitch *= stays;
  pitch_sigma = std::sqrt(variance + (pitch_sigma * pitch_sigma - variance) * stays * stays);
  if (!senses.pitch_rad || !(senses.pitch_sigma_rad > 0)) return false;
  if (!(std::abs(*senses.pitch_rad) < 1) || !(senses.pitch_sigma_rad < pitch_sigma)) return false;
  pitch = *senses.pitch_rad - camera.pitch_rad;
  pitch_sigma = senses.pitch_sigma_rad;
  return true;
}

Tracker::Tracker(const Camera& camera, const TrackerSettings& settings,
                 std::unique_ptr<Appearance> appearance)
    : state_{std::make_unique<State>()} {
  state_->camera = camera;
  state_->camera.pitch_sigma_rad = std::max(camera.pitch_sigma_rad, 1e-4);
  state_->settings = settings;
  state_->appearance = std::move(appearance);
  forget();
}

Tracker::~Tracker() = default;

void Tracker::forget() noexcept {
  state_->tracks.clear();
  state_->last.count = 0;
  state_->at.reset();
  state_->pitch = 0;
  state_->pitch_sigma = state_->camera.pitch_sigma_rad;
}

void Tracker::save(FieldWriter& out) const noexcept { State::list(out, std::as_const(*state_)); }
void Tracker::load(FieldReader& in) noexcept { State::list(in, *state_); }
void Tracker::describe(FieldLister& out) const { State::list(out, std::as_const(*state_)); }

BoxFlow Tracker::State::flow_of(int person, const MotionField& field, double stretch,
                                bool drives) const {
  const Person& p = last.items[person];
  // People in front of this one: those whose feet are lower in the picture. A detected person
  // counts as in front of one who was not detected.
  const auto stands_before = [&p](const Person& other) {
    if (other.seen != p.seen) return other.seen;
    return other.box.y + other.box.h > p.box.y + p.box.h;
  };
  std::array<Detection, PersonList::kCapacity> before, others;
  std::size_t in_front = 0, all = 0;
  for (int i = 0; i < last.count; ++i) {
    const Person& other = last.items[i];
    if (i == person || !other.confirmed) continue;
    others[all++] = other.box;
    if (common_area(other.box, p.box) > 0 && stands_before(other)) before[in_front++] = other.box;
  }
  const FlowWithin within =
      flow_within(settings.flow, field, p.box, {before.data(), in_front}, {others.data(), all});
  if (within.like_surroundings && drives) return {};
  BoxFlow flow = within.flow;
  const auto scale = static_cast<float>(stretch);
  flow.dx *= scale;
  flow.dy *= scale;
  flow.growth *= scale;
  flow.sigma_px *= scale;
  flow.growth_sigma *= scale;
  return flow;
}

void Tracker::sense(Nanos captured, const PreparedImage& image, const DetectionList* found,
                    const MotionField* field, const ego::MotionReport* motion,
                    const ego::VehicleMotion& vehicle, Senses& out) const {
  const State& s = *state_;
  out.captured = captured;
  out.vehicle = vehicle;
  out.looked = found != nullptr;
  out.count = 0;
  out.likenesses = 0;
  if (found != nullptr) {
    // The best ones in order, whatever the order of the list.
    std::array<int, DetectionList::kCapacity> order;
    int count = 0;
    for (int i = 0; i < std::clamp(found->count, 0, DetectionList::kCapacity); ++i)
      if (is_sane(found->items[i])) order[static_cast<std::size_t>(count++)] = i;
    std::sort(order.begin(), order.begin() + count, [found](int a, int b) {
      const float sa = found->items[a].score, sb = found->items[b].score;
      return sa != sb ? sa > sb : a < b;
    });
    out.count = std::min(count, Senses::kMost);
    for (int k = 0; k < out.count; ++k) {
      const auto to = static_cast<std::size_t>(k);
      const Detection& box = found->items[order[to]];
      out.boxes[to] = box;
      out.looks[to] = {};
      if (s.appearance) s.appearance->sign(image, box, out.looks[to]);
      out.flow_says_moves[to] = false;
      if (motion == nullptr || motion->ego.state != ego::EgoState::valid) continue;
      for (int m = 0; m < std::clamp(motion->people, 0, DetectionList::kCapacity); ++m) {
        const Detection& b = motion->boxes[static_cast<std::size_t>(m)];
        if (b.x != box.x || b.y != box.y || b.w != box.w || b.h != box.h) continue;
        out.flow_says_moves[to] =
            motion->of[static_cast<std::size_t>(m)].verdict == ego::RegionVerdict::moving;
        break;
      }
    }
  }

  out.followed = s.last.count;
  const bool has_field = field != nullptr && field->has_previous && s.at.has_value();
  double stretch = 1;  // scales flow that was measured over another time than between the frames
  if (has_field && motion != nullptr && motion->ego.interval > Nanos::zero())
    stretch = std::clamp(in_seconds(captured - *s.at) / in_seconds(motion->ego.interval), 0.0, 4.0);
  const bool drives = std::abs(vehicle.speed_mps.value_or(0)) > kTrackerTuning.drives_mps;
  for (int i = 0; i < s.last.count; ++i)
    out.flows[static_cast<std::size_t>(i)] =
        has_field ? s.flow_of(i, *field, stretch, drives) : BoxFlow{};

  out.yaw_rate_radps.reset();
  out.pitch_rad.reset();
  out.pitch_sigma_rad = 0;
  if (motion == nullptr || motion->ego.state != ego::EgoState::valid) return;
  out.yaw_rate_radps = motion->ego.yaw_rate_radps;
  const double sigma = motion->ego.horizon_sigma_px / s.camera.focal_px;
  if (sigma > 0 && sigma < kTrackerTuning.pitch_worthwhile * s.camera.pitch_sigma_rad) {
    out.pitch_rad = motion->ego.pitch_rad;
    out.pitch_sigma_rad = sigma;
  }
}

void Tracker::step(const Senses& senses, PersonList& out) {
  State& s = *state_;
  double dt = s.at ? in_seconds(senses.captured - *s.at) : 0;
  if (dt < 0 || dt > s.settings.longest_gap_s) {
    forget();
    dt = 0;
  }
  s.at = senses.captured;
  const bool pitch_seen = s.follow_pitch(senses, dt);
  const View view{s.camera,
                  s.settings,
                  senses.captured,
                  travelled(senses, s.settings.filter, dt),
                  s.pitch,
                  s.pitch_sigma,
                  pitch_seen,
                  std::abs(senses.vehicle.speed_mps.value_or(kTrackerTuning.slow_mps)) <
                      kTrackerTuning.slow_mps};
  s.tracks.advance(view, senses);
  if (senses.looked) s.tracks.take(view, senses, s.appearance.get());
  s.tracks.drop_gone(view);
  s.tracks.report(view, s.last);
  out = s.last;
}

}  // namespace kerb::track
