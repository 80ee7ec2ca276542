// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "firmware/can/codec.hpp"
#include "firmware/can/publisher.hpp"
#include "firmware/health/health_monitor.hpp"
#include "firmware/warning/alert_outputs.hpp"
#include "tools/simulator/run/car.hpp"
#include "tools/simulator/run/firmware.hpp"

namespace kerb::sim {
namespace {

// How the oracle behaves: as a good product might, no better.
constexpr double kStartUp = 0.2;      // seconds until it is ACTIVE
constexpr double kWarnsAhead = 2.4;   // before a contact that will happen
constexpr double kReaction = 0.3;     // from a tenth visible to the warning
constexpr double kHold = 1.0;         // of a warning, at least
constexpr double kTellsFault = 0.3;   // after it began
constexpr double kRecovers = 1.0;     // after it ended
constexpr double kTellsClose = 0.15;  // after somebody is in the close zone

Cause cause_of(FaultSpec::Kind kind) {
  using Kind = FaultSpec::Kind;
  switch (kind) {
    case Kind::camera_blinded:
      return Cause::camera_blinded;
    case Kind::camera_dirty:
      return Cause::camera_dirty;
    case Kind::camera_frozen:
      return Cause::camera_frozen;
    case Kind::camera_dark:
      return Cause::camera_dark;
    case Kind::camera_misaligned:
      return Cause::camera_misaligned;
    case Kind::camera_silent:
      return Cause::camera_silent;
    case Kind::signals_lost:
    case Kind::signals_stuck:
      return Cause::signals_missing;
    case Kind::signals_late:
      return Cause::signals_late;
    case Kind::signals_implausible:
    case Kind::signals_reverse:
    case Kind::signals_standing:
      return Cause::signals_implausible;
    case Kind::vision_hangs:
      return Cause::vision_failed;
    case Kind::camera_time_jump:
      return Cause::camera_damaged;
  }
  return Cause::none;
}

class StandIn final : public Firmware {
 public:
  StandIn(Candidate candidate, const Scenario& scenario, const Truth& truth, const Reach& reach,
          Nanos start)
      : candidate_{candidate},
        scenario_{scenario},
        truth_{truth},
        reach_{reach},
        start_{start},
        status_{start},
        objects_{start},
        outputs_{&reach.warning_lamp, &reach.status_lamp, &reach.tone, TonePattern{}} {
    if (candidate == Candidate::oracle) plan();
  }

  void tick(Nanos now) override {
    while (reach_.bus.receive(Nanos::zero())) {  // it does not listen
    }
    const double t = static_cast<double>((now - start_).count()) * 1e-9;
    const HealthReport health = health_at(t);
    const Planned* planned = planned_at(t);
    WarningLevel level = planned != nullptr ? planned->level : WarningLevel::none;
    if (t >= kStartUp && candidate_ == Candidate::always) level = WarningLevel::collision;
    if (t >= kStartUp && candidate_ == Candidate::informs) level = WarningLevel::information;
    outputs_.show(level, level == WarningLevel::collision, health.state != HealthState::active,
                  now);
    can::StatusMessage status;
    status.health = health;
    status.detector_present = true;
    status.speed_valid = true;
    status.camera_rate_hz = scenario_.camera.rate_hz;
    status.dropped_percent = 0;
    if (const std::optional<CanFrame> frame = status_.poll(now, status)) send(*frame);
    can::WarningMessage warning;
    warning.level = level;
    if (level == WarningLevel::collision && truth_.contact && truth_.contact->t > t)
      warning.time_to_collision_s = truth_.contact->t - t;
    if (const std::optional<CanFrame> frame = warning_.poll(now, warning)) send(*frame);
    say_people(now, t);
  }

 private:
  struct Planned {
    WarningLevel level;
    double begin, end;
  };

  void send(const CanFrame& frame) { static_cast<void>(reach_.bus.send(frame)); }

  void plan() {
    // Whoever is close, one stretch where they follow each other.
    for (const Truth::Close& close : truth_.close) {
      const double begin = close.begin + kTellsClose, end = std::max(close.end, begin + kHold);
      if (close.end - close.begin < kTellsClose) continue;
      if (!plan_.empty() && begin <= plan_.back().end + 1.5)
        plan_.back().end = std::max(plan_.back().end, end);
      else
        plan_.push_back({WarningLevel::information, begin, end});
    }
    if (!truth_.contact || !truth_.seen) return;
    const double begin =
        std::max({kStartUp, truth_.contact->t - kWarnsAhead, *truth_.seen + kReaction});
    if (begin < truth_.contact->t)
      plan_.push_back({WarningLevel::collision, begin, truth_.contact->t + kHold});
  }
  [[nodiscard]] const Planned* planned_at(double t) const {
    const Planned* now = nullptr;
    for (const Planned& p : plan_)
      if (t >= p.begin && t < p.end && (now == nullptr || p.level > now->level)) now = &p;
    return now;
  }
  [[nodiscard]] HealthReport health_at(double t) const {
    if (t < kStartUp) return {};
    HealthReport health;
    health.state = HealthState::active;
    if (candidate_ != Candidate::oracle) return health;
    for (const FaultSpec& fault : scenario_.faults) {
      if (t < fault.from_s + kTellsFault || t >= fault.to_s + kRecovers) continue;
      health.state =
          fault.kind == FaultSpec::Kind::vision_hangs ? HealthState::failed : HealthState::degraded;
      health.cause = cause_of(fault.kind);
      health.number = (t - fault.from_s) * 1000;
      health.camera = is_of_camera(health.cause) ? 0 : -1;
    }
    return health;
  }
  /// The person that matters, or where numbers are judged everybody, as KW_Objects has them.
  void say_people(Nanos now, double t) {
    std::array<can::ObjectMessage, can::kMaxObjects> person{};
    std::size_t count = 0;
    if (candidate_ == Candidate::oracle && !truth_.everybody.empty()) {
      const auto next =
          std::upper_bound(truth_.everybody.begin(), truth_.everybody.end(), t,
                           [](double at, const Truth::Everybody& all) { return at < all.t; });
      if (next != truth_.everybody.begin())
        for (std::size_t i = 0; i < (next - 1)->people.size() && count < person.size(); ++i) {
          const Truth::Everybody::Place& p = (next - 1)->people[i];
          if (!(p.ahead > 0) || p.visible < kSeenShare) continue;
          person[count].id = static_cast<std::uint16_t>(i);
          person[count].x_m = p.ahead;
          person[count].y_m = p.left;
          ++count;
        }
    } else if (candidate_ == Candidate::oracle) {
      const auto next =
          std::upper_bound(truth_.samples.begin(), truth_.samples.end(), t,
                           [](double at, const Truth::Sample& sample) { return at < sample.t; });
      if (next != truth_.samples.begin()) {
        const Truth::Sample& sample = *(next - 1);
        if (sample.person >= 0 && sample.ahead > 0 && sample.visible >= kSeenShare) {
          person[0].id = static_cast<std::uint16_t>(sample.person);
          person[0].x_m = sample.ahead;
          person[0].y_m = sample.left;
          count = 1;
        }
      }
    }
    std::array<CanFrame, can::kMaxObjectFrames> frames;
    const int due = objects_.poll(now, std::span{person}.first(count), frames);
    for (int i = 0; i < due; ++i) send(frames[static_cast<std::size_t>(i)]);
  }

  const Candidate candidate_;
  const Scenario& scenario_;
  const Truth& truth_;
  Reach reach_;
  const Nanos start_;
  can::StatusPublisher status_;
  can::WarningPublisher warning_;
  can::ObjectPublisher objects_;
  AlertOutputs outputs_;
  std::vector<Planned> plan_;
};

}  // namespace

const char* name_of(Candidate candidate) noexcept {
  constexpr const char* kNames[] = {"product", "oracle", "always", "informs", "never"};
  return kNames[static_cast<int>(candidate)];
}

std::unique_ptr<Firmware> make_stand_in(Candidate candidate, const Scenario& scenario,
                                        const Truth& truth, const Reach& reach, Nanos start) {
  return std::make_unique<StandIn>(candidate, scenario, truth, reach, start);
}

}  // namespace kerb::sim
