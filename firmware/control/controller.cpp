// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/controller.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "firmware/control/object_list.hpp"
#include "firmware/events/events.hpp"

namespace kerb {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Nanos kSignalsGrace = seconds{1};  // the vehicle may start talking after us
constexpr Nanos kThermalPeriod = seconds{1};
constexpr Nanos kThermalLimit = seconds{5};  // without a reading
constexpr Nanos kSummaryPeriod = seconds{60};
constexpr int kFramesPerTick = 64;  // a flooded bus must not hold the loop

double to_ms(Nanos duration) { return static_cast<double>(duration.count()) * 1e-6; }

PartState when(bool bad, PartState state = PartState::degraded) {
  return bad ? state : PartState::fine;
}

Stage stage_of(int index) { return static_cast<Stage>(index); }

/// "camera_silent (420 ms)"
std::string in_words(const HealthReport& report) {
  std::string text = name_of(report.cause);
  const double rounded = std::round(report.number * 10) / 10;
  std::string number = std::to_string(rounded);
  number.resize(number.find('.') + 2);
  if (number.ends_with(".0")) number.resize(number.size() - 2);
  text += " (" + number;
  if (*unit_of(report.cause) != '\0') text += std::string{" "} + unit_of(report.cause);
  return text + ")";
}

}  // namespace

Controller::Controller(const Config& config, const ControlDevices& devices,
                       std::vector<ControlledCamera> cameras, const Clock& clock, Log& log)
    : config_{config},
      devices_{devices},
      clock_{clock},
      log_{log},
      start_{clock.now()},
      monitor_{start_ + config.health.start, config.health.recover},
      vehicle_{config.can.vehicle, start_},
      status_{start_},
      ready_{start_},
      objects_{start_},
      service_{config.service_enabled},
      warner_{config.warning.sensitivity},
      outputs_{devices.warning_lamp, devices.status_lamp, devices.tone, config.tone.collision},
      bus_good_at_{start_},
      celsius_at_{start_},
      next_thermal_{start_},
      next_kick_{start_},
      next_summary_{start_ + kSummaryPeriod},
      last_summary_{start_},
      beat_at_{start_} {
  publish_times_.set_budget(config.budget.publish);
  int index = 0;
  detects_ = !cameras.empty();
  for (ControlledCamera& c : cameras) {
    if (!c.pipeline->follows()) detects_ = false;
    if (const char* name = c.pipeline->detector()) {
      post(events::detector_loaded(start_, c.name, name, c.pipeline->backend()));
    } else {
      detects_ = false;
      post(events::detector_missing(start_, c.detector_error ? describe(*c.detector_error)
                                            : config.detector.enabled
                                                ? "no model is configured, and none is installed"
                                                : "detector.enabled is false"));
    }
    Camera camera{std::move(c.name), c.pipeline, CameraJudge{config.health, index, start_}};
    if (c.detector_error) camera.detector_error = static_cast<int>(c.detector_error->code);
    camera.flow_error = c.flow_error;
    camera.spectral_error = c.spectral_error;
    camera.index = index++;
    cameras_.push_back(std::move(camera));
  }
}

void Controller::tick(Nanos now) {
  read_bus(now);
  tell_vehicle(now);
  judge_cameras(now);
  judge_bus(now);
  judge_board(now);
  judge_outputs(now);
  change_state(now);
  gather_reports();
  warn(now);
  const Nanos before = clock_.now();
  publish(now);
  publish_times_.add(clock_.now() - before);
  note_reactions();
  kick_watchdog(now);
  if (now >= next_summary_) summarise(now);
}

void Controller::read_bus(Nanos now) {
  if (devices_.bus == nullptr) return;
  for (int i = 0; i < kFramesPerTick; ++i) {
    const Result<CanFrame> frame = devices_.bus->receive(Nanos::zero());
    if (!frame) break;  // nothing there, or the bus is lost: judge_bus() sees which
    ++totals_.frames_received;
    if (vehicle_.feed(*frame, frame->received)) {
      if (devices_.recorder != nullptr) devices_.recorder->control().vehicle(now, *frame);
      continue;
    }
    if (const Result<can::VehicleDriver> buttons = can::decode_vehicle_driver(*frame)) {
      warner_.press(*buttons, now);
    } else if (const Result<can::ServiceMessage> request = can::decode_service(*frame)) {
      obey(*request, now);
    }
  }
}

void Controller::obey(const can::ServiceMessage& request, Nanos now) {
  const bool taken = service_.request(request, vehicle_.at(now).speed_mps.value, now);
  constexpr const char* kNames[] = {"stop", "lamp_test", "sound_test", "warning_test"};
  const char* name = kNames[static_cast<int>(request.request)];
  post(events::service_request(now, name, "can", taken));
  log_.info("service", std::string{name} + (taken ? " begins" : " refused"));
}

void Controller::judge_cameras(Nanos now) {
  bool all_flow = true, all_alive = true, all_ended = true;
  for (Camera& camera : cameras_) {
    PipelineFacts facts = camera.pipeline->facts();
    // A detector that could not be made fails on every frame.
    if (facts.vision_error < 0) facts.vision_error = camera.detector_error;
    if (camera.flow_error) facts.flow_error = static_cast<int>(camera.flow_error->code);
    if (camera.spectral_error) facts.spectral_error = static_cast<int>(camera.spectral_error->code);
    all_ended = all_ended && facts.ended;
    if (facts.processed > 0) camera.flowed = true;
    all_flow = all_flow && camera.flowed;
    camera.judge.judge(facts, camera.pipeline->stage(Stage::total), now, monitor_);
    note_camera(camera, facts, now);
    note_flow(camera, facts, now);
    note_motion(camera, now);
    note_bands(camera, facts, now);
    const bool alive =
        facts.capture_beats != camera.capture_beats && facts.process_beats != camera.process_beats;
    all_alive = all_alive && (alive || facts.ended);
  }
  if (all_alive) {  // each has moved since the last time all had: none is stuck
    beat_at_ = now;
    for (Camera& camera : cameras_) {
      const PipelineFacts facts = camera.pipeline->facts();
      camera.capture_beats = facts.capture_beats;
      camera.process_beats = facts.process_beats;
    }
  }
  if (all_flow) monitor_.frames_flow();
  ended_ = all_ended;
}

void Controller::note_camera(Camera& camera, const PipelineFacts& facts, Nanos now) {
  if (facts.condition == camera.condition) return;
  if (facts.condition == CameraCondition::delivering) {
    post(events::camera_opened(now, camera.name, camera.pipeline->info()));
  } else if (camera.condition == CameraCondition::delivering) {
    Error why{Errc::timeout, 0, "camera is silent"};
    if (facts.condition == CameraCondition::no_signal) why = {Errc::no_signal, 0, "no signal"};
    if (facts.condition == CameraCondition::gone) why = {Errc::gone, 0, "camera is gone"};
    post(events::camera_lost(now, camera.name, why));
  }
  camera.condition = facts.condition;
}

void Controller::note_bands(Camera& camera, const PipelineFacts& facts, Nanos now) {
  const bool missing = monitor_.severity(Cause::bands_missing, camera.index) != PartState::fine;
  if (missing == camera.bands_missing) return;
  camera.bands_missing = missing;
  if (!missing) {
    log_.info("spectral", "camera " + camera.name + ": bands are looked at again");
    return;
  }
  const auto code = static_cast<Errc>(facts.spectral_error);
  post(events::bands_missing(
      now, camera.name, code,
      camera.spectral_error ? describe(*camera.spectral_error) : "it fails on a frame"));
  if (!camera.spectral_error)  // else whoever could not make it has said so
    log_.warning("spectral", "camera " + camera.name + ": it fails (" + name_of(code) +
                                 "); colours tell people apart until it works again");
}

void Controller::judge_bus(Nanos now) {
  if (devices_.bus == nullptr) return;
  const CanState state = devices_.bus->state();
  if (state != bus_state_) {
    post(
        events::bus_state(now, config_.can.interface, bus_state_, state, devices_.bus->counters()));
    const std::string text = config_.can.interface + " is " + name_of(state);
    const bool bad = state == CanState::down || state == CanState::bus_off;
    log_.write(bad ? LogLevel::warning : LogLevel::info, "can", text);
    bus_state_ = state;
  }
  if (state != CanState::down && state != CanState::bus_off) bus_good_at_ = now;
  if (!config_.can.required) return;
  const Nanos lost = now - bus_good_at_;
  const bool is_lost = lost >= config_.health.bus_lost;
  monitor_.report(Cause::bus_lost, when(is_lost), to_ms(lost), now);

  // One cause for one fault: a lost bus explains why the vehicle is silent.
  std::optional<can::HealthFault> fault;
  if (!is_lost && now - start_ >= kSignalsGrace) fault = vehicle_.fault(now);
  for (const Cause cause :
       {Cause::signals_missing, Cause::signals_implausible, Cause::signals_late}) {
    const bool it_is = fault && fault->cause == cause;
    monitor_.report(cause, when(it_is), it_is ? fault->number : 0, now);
  }
}

void Controller::judge_board(Nanos now) {
  if (devices_.thermal == nullptr || now < next_thermal_) return;
  next_thermal_ = now + kThermalPeriod;
  if (const Result<ThermalReading> reading = devices_.thermal->hottest()) {
    celsius_ = reading->celsius;
    celsius_at_ = now;
    // A limit is left only when the board is cooler than it by the hysteresis.
    const ThermalSettings& t = config_.thermal;
    const double ease_failed = heat_ == PartState::failed ? t.hysteresis_c : 0;
    const double ease_degraded = heat_ != PartState::fine ? t.hysteresis_c : 0;
    heat_ = *celsius_ >= t.failed_c - ease_failed       ? PartState::failed
            : *celsius_ >= t.degraded_c - ease_degraded ? PartState::degraded
                                                        : PartState::fine;
    monitor_.report(Cause::board_hot, heat_, *celsius_, now);
  } else if (now - celsius_at_ >= kThermalLimit) {
    celsius_.reset();
  }
  const Nanos unread = now - celsius_at_;
  monitor_.report(Cause::thermal_unreadable, when(unread >= kThermalLimit), to_ms(unread) * 1e-3,
                  now);
}

void Controller::judge_outputs(Nanos now) {
  const std::optional<Error> refusal = outputs_.refusal();
  if (refusal.has_value() != output_refused_) {
    output_refused_ = refusal.has_value();
    if (refusal) {
      post(events::output_refused(now, "lamp or sound", *refusal));
      log_.error("warning", describe(*refusal));
    }
  }
  monitor_.report(Cause::output_refused, when(refusal.has_value()), refusal ? refusal->native : 0,
                  now);
  if (devices_.events != nullptr) {
    const int error = devices_.events->status().error;
    monitor_.report(Cause::event_log_refused, when(error != 0), error, now);
  }
  if (devices_.recorder != nullptr) {
    const int error = devices_.recorder->status().error;
    monitor_.report(Cause::records_refused, when(error != 0), error, now);
  }
}

void Controller::change_state(Nanos now) {
  const HealthReport report = monitor_.evaluate(now);
  if (report.state != health_.state || report.cause != health_.cause) {
    post(events::health_changed(now, health_.state, report));
    std::string text = name_of(report.state);
    if (report.cause != Cause::none) text += ": " + in_words(report);
    if (report.camera >= 0 && cameras_.size() > 1)
      text += ", camera " + cameras_[static_cast<std::size_t>(report.camera)].name;
    const LogLevel level = report.state == HealthState::failed     ? LogLevel::error
                           : report.state == HealthState::degraded ? LogLevel::warning
                                                                   : LogLevel::info;
    log_.write(level, "health", text);
    if (report.state != health_.state) ++totals_.state_changes;
  }
  health_ = report;
}

void Controller::gather_reports() noexcept {
  for (std::size_t i = 0; i < cameras_.size(); ++i) {
    const risk::PeopleReport& report = cameras_[i].pipeline->people();
    reports_[i] = report.at == Nanos::zero() ? nullptr : &report;
  }
}

void Controller::warn(Nanos now) {
  ReadinessFacts facts;
  facts.detector_present = detects_;
  take_health(monitor_, health_, static_cast<int>(cameras_.size()), facts);
  const WarningDecision& told =
      warner_.step(now, reports_, facts, vehicle_.at(now),
                   devices_.recorder != nullptr ? &devices_.recorder->control() : nullptr);
  if (told.level != warned_) {
    const WarningLevel from = std::exchange(warned_, told.level);
    if (told.level == WarningLevel::information && from == WarningLevel::none)
      ++totals_.informations;
    if (told.level == WarningLevel::collision) ++totals_.collisions;
    log_.info("warning", std::string{name_of(from)} + " -> " + name_of(told.level));
  }
  if (const Readiness readiness = warner_.readiness(); ready_told_ != readiness) {
    post(events::readiness_changed(now, ready_told_ ? name_of(*ready_told_) : "none",
                                   name_of(readiness)));
    if (ready_told_) log_.info("warning", std::string{"readiness: "} + name_of(readiness));
    ready_told_ = readiness;
  }
}

void Controller::publish(Nanos now) {
  const std::optional<double> speed = vehicle_.at(now).speed_mps.value;
  service_.update(speed, now);
  // A person on the road comes before any test.
  const WarningDecision& told = warner_.decision();
  const bool tests = told.level == WarningLevel::none;
  const WarningLevel lamp = tests ? service_.lamp() : told.level;
  const bool sound = tests ? service_.sound() : told.level == WarningLevel::collision;
  // The amber lamp says that nobody would be warned: the driver who switched it off sees it, too.
  const bool amber = health_.state != HealthState::active || warner_.switched_off();
  outputs_.show(lamp, sound, amber, now);
  if (lamp != shown_) {
    const bool by_test = tests && (service_.lamp() != WarningLevel::none || shown_by_test_);
    post(events::warning_changed(now, name_of(shown_), name_of(lamp),
                                 by_test ? "service test" : "people"));
    shown_ = lamp;
    shown_by_test_ = by_test && lamp != WarningLevel::none;
  }
  if (devices_.bus == nullptr) return;

  can::StatusMessage status;
  status.health = health_;
  status.speed_valid = speed.has_value();
  status.board_celsius = celsius_;
  if (!cameras_.empty()) {
    // The worst of all cameras: one that is dead must not hide behind another.
    status.detector_present = detects_;
    double rate = std::numeric_limits<double>::infinity(), dropped = 0;
    for (const Camera& camera : cameras_) {
      rate = std::min(rate, camera.judge.rates().frames_per_s);
      dropped = std::max(dropped, camera.judge.rates().dropped_percent);
    }
    status.camera_rate_hz = rate;
    status.dropped_percent = dropped;
  }
  if (const std::optional<CanFrame> frame = status_.poll(now, status))
    send(*frame, totals_.status_sent);

  can::WarningMessage warning;
  warning.level = tests ? service_.message() : told.level;
  warning.test = tests && service_.message() != WarningLevel::none;
  warning.time_to_collision_s = told.time_to_collision_s;
  if (told.person) warning.object_id = bus_number(*told.person, told.camera);
  if (const std::optional<CanFrame> frame = warning_.poll(now, warning))
    send(*frame, totals_.warnings_sent);
  can::ReadyMessage ready;
  ready.readiness = warner_.readiness();
  if (const std::optional<CanFrame> frame = ready_.poll(now, ready))
    send(*frame, totals_.status_sent);
  publish_objects(now);
}

void Controller::publish_objects(Nanos now) {
  if (!detects_) return;
  // An empty list says that somebody looked and saw nobody. So there is none at all unless every
  // camera has been looked through as lately as it must deliver.
  for (std::size_t i = 0; i < cameras_.size(); ++i)
    if (reports_[i] == nullptr || now - reports_[i]->at >= config_.health.camera_silent) return;
  ObjectList objects{};
  const std::size_t count = list_objects(std::span{reports_}.first(cameras_.size()),
                                         config_.car.axle_to_bumper_m, objects);
  std::array<CanFrame, can::kMaxObjectFrames> frames;
  const int due = objects_.poll(now, std::span{objects}.first(count), frames);
  if (due == 0) return;
  for (const CanFrame& frame : std::span{frames}.first(static_cast<std::size_t>(due)))
    if (!devices_.bus->send(frame)) {  // a list with a hole is dropped by whoever hears it
      ++totals_.send_refused;
      return;
    }
  ++totals_.lists_sent;
}

void Controller::note_reactions() noexcept {
  for (std::size_t i = 0; i < cameras_.size(); ++i) {
    Camera& camera = cameras_[i];
    if (reports_[i] == nullptr || !camera.pipeline->live()) continue;
    const Nanos taken = reports_[i]->at;
    if (std::exchange(camera.told_of, taken) != taken) reaction_times_.add(clock_.now() - taken);
  }
}

void Controller::send(const CanFrame& frame, std::uint64_t& counter) {
  ++(devices_.bus->send(frame) ? counter : totals_.send_refused);
}

void Controller::kick_watchdog(Nanos now) {
  if (devices_.watchdog == nullptr || now < next_kick_) return;
  // The watchdog counts real time. It is fed only while every thread of every pipeline is seen
  // alive; each of them wakes ten times a second, whatever its camera does, but opening a camera
  // may take a while.
  const double rate = 1e9 / static_cast<double>(clock_.real(seconds{1}).count());
  const Nanos patience{
      static_cast<Nanos::rep>(static_cast<double>(devices_.watchdog->timeout().count()) * rate)};
  next_kick_ = now + patience / 5;
  if (now - beat_at_ > patience / 2) {
    if (!std::exchange(watchdog_withheld_, true))
      log_.error("watchdog", "a pipeline thread is stuck: leaving the restart to the watchdog");
    return;
  }
  watchdog_withheld_ = false;
  const Status kicked = devices_.watchdog->kick();
  if (kicked) ++totals_.watchdog_kicks;
  if (!kicked && watchdog_obeys_) log_.error("watchdog", describe(kicked.error()));
  watchdog_obeys_ = static_cast<bool>(kicked);
}

void Controller::summarise(Nanos now) {
  for (Camera& camera : cameras_) {
    const PipelineFacts facts = camera.pipeline->facts();
    const StageReport total = camera.pipeline->stage(Stage::total);
    events::FramesSummary s;
    s.period = now - last_summary_;
    s.delivered = facts.camera.delivered - camera.summarised.delivered;
    s.dropped = facts.camera.dropped - camera.summarised.dropped;
    s.damaged = facts.camera.damaged - camera.summarised.damaged;
    s.processed = facts.processed - camera.processed_summarised;
    const std::uint64_t frames = total.frames - camera.total_summarised.frames;
    if (frames > 0)
      s.mean = (total.sum - camera.total_summarised.sum) / static_cast<Nanos::rep>(frames);
    s.worst = camera.pipeline->take_recent_max(Stage::total);
    camera.total_summarised = total;
    camera.summarised = facts.camera;
    camera.processed_summarised = facts.processed;
    post(events::frames_summary(now, camera.name, s));
    summarise_motion(camera, now);
    for (int i = 0; i < kStageCount; ++i) {
      const StageReport stage = camera.pipeline->stage(stage_of(i));
      std::uint64_t& told = camera.over_budget[static_cast<std::size_t>(i)];
      const Nanos worst =
          stage_of(i) == Stage::total ? s.worst : camera.pipeline->take_recent_max(stage_of(i));
      if (stage.over_budget > told)
        post(events::stage_over_budget(now, name_of(stage_of(i)), worst, stage.budget,
                                       stage.over_budget - told));
      told = stage.over_budget;
    }
  }
  last_summary_ = now;
  next_summary_ = now + kSummaryPeriod;
}

void Controller::finish(Nanos now) {
  summarise(now);
  outputs_.show(WarningLevel::none, false, true, now);  // whoever is not running is not ACTIVE
  if (devices_.bus != nullptr && shown_ != WarningLevel::none)  // or the car keeps the last one
    send(can::encode(can::WarningMessage{}), totals_.warnings_sent);
  if (devices_.watchdog == nullptr) return;
  if (const Status done = devices_.watchdog->disarm(); !done)
    log_.error("watchdog", describe(done.error()));
}

}  // namespace kerb
