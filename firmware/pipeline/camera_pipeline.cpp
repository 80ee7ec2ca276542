// SPDX-License-Identifier: Apache-2.0
#include "firmware/pipeline/camera_pipeline.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <utility>

#include "hal/base/fault_point.hpp"

namespace kerb {
namespace {
constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr DetectionList kNobody{};
constexpr Nanos kLongestStep = std::chrono::milliseconds{100};  // the car's motion is averaged over
                                                                // the last interval, at most this
constexpr double kStanding_mps = 0.05;                          // slower: the picture stands still
constexpr Nanos::rep kMotionFrames = 32;  // frames over which the time for motion is averaged

/// What a fault point says for the GPU.
Error refused_by_gpu() { return {Errc::device, errno, "use the GPU"}; }
}  // namespace

CameraPipeline::CameraPipeline(std::unique_ptr<ReopeningSource> source,
                               std::unique_ptr<ImagePreparer> preparer,
                               std::unique_ptr<Detector> detector, const StageBudgets& budgets,
                               HandOver hand_over, const Clock& clock,
                               std::unique_ptr<ego::MotionEstimator> motion,
                               std::unique_ptr<PeopleEstimator> people_estimator,
                               std::unique_ptr<SpectralSearch> spectral)
    : source_{std::move(source)},
      preparer_{std::move(preparer)},
      detector_{std::move(detector)},
      motion_{std::move(motion)},
      people_estimator_{std::move(people_estimator)},
      spectral_{std::move(spectral)},
      hand_over_{hand_over},
      live_{hand_over == HandOver::newest},
      clock_{clock},
      info_{source_->info()},
      people_{std::make_unique<DetectionList>()},
      moved_{std::make_unique<ego::MotionReport>()},
      senses_{std::make_unique<track::Senses>()},
      reported_people_{spectral_ ? std::make_unique<track::PersonList>() : nullptr} {
  for (std::size_t i = 0; i < times_.size(); ++i) times_[i].set_budget(budgets.of[i]);
  condition_since_ = clock_.now().count();
}

CameraPipeline::~CameraPipeline() { stop(); }

void CameraPipeline::start() {
  if (capture_.joinable()) return;
  process_ = std::thread{[this] {
    if (thread_start_) thread_start_(ThreadRole::vision);
    process_loop();
  }};
  capture_ = std::thread{[this] {
    if (thread_start_) thread_start_(ThreadRole::capture);
    capture_loop();
  }};
}

void CameraPipeline::stop() {
  stopping_ = true;
  latest_.close();
  if (capture_.joinable()) capture_.join();
  if (process_.joinable()) process_.join();
}

void CameraPipeline::enter(CameraCondition condition, Nanos now) noexcept {
  if (condition_.load(kRelaxed) == condition) return;
  condition_since_.store(now.count(), kRelaxed);
  condition_.store(condition, std::memory_order_release);
}

void CameraPipeline::capture_loop() {
  while (!stopping_) {
    static_cast<void>(fault_point("thread.capture"));
    capture_beats_.fetch_add(1, kRelaxed);
    if (hand_over_ == HandOver::every && !latest_.wait_until_taken(clock_.real(kWait))) continue;
    if (exposure_ && source_->is_open())
      exposure_->apply(*source_, source_->reopened(), clock_.now());
    Result<Frame> frame = source_->next(kWait);
    const Nanos now = clock_.now();
    const FrameCounters counters = source_->counters();
    delivered_.store(counters.delivered, kRelaxed);
    dropped_.store(counters.dropped, kRelaxed);
    damaged_.store(counters.damaged, kRelaxed);
    if (frame) {
      last_frame_.store(now.count(), kRelaxed);
      arrived_ = asked_ = now;
      captured_ = frame->captured;
      enter(CameraCondition::delivering, now);
      if (latest_.put(std::move(*frame))) skipped_.fetch_add(1, kRelaxed);
      continue;
    }
    if (frame.error().code == Errc::end) {
      ended_ = true;
      return;
    }
    capture_failed(frame.error().code, now);
    go_on_without(now);
  }
}

void CameraPipeline::capture_failed(Errc code, Nanos now) {
  switch (code) {
    case Errc::timeout:
      enter(CameraCondition::silent, now);
      break;
    case Errc::damaged:  // counted and logged by the source; the next may be good
      if (condition_.load(kRelaxed) != CameraCondition::delivering)
        enter(CameraCondition::silent, now);  // it is back, if only with damaged frames
      break;
    case Errc::no_signal:
      enter(CameraCondition::no_signal, now);
      clock_.sleep_until(now + std::chrono::milliseconds{20});  // it answers at once: do not spin
      break;
    case Errc::would_block:  // processing holds every buffer, and will release one
      clock_.sleep_until(now + std::chrono::milliseconds{1});
      break;
    default:
      enter(CameraCondition::gone, now);
  }
}

/// Lets the processing carry people on to now: a frame without a picture, as old as others were.
void CameraPipeline::go_on_without(Nanos now) {
  if (!live_ || arrived_ == Nanos::zero() || now - asked_ < kCarryOn) return;
  asked_ = now;
  Frame none;
  none.captured = captured_ + (now - arrived_);
  latest_.offer(std::move(none));
  if (hand_over_ == HandOver::newest) return;
  while (!stopping_ && !latest_.wait_until_done(clock_.real(kWait))) capture_beats_.fetch_add(1);
}

void CameraPipeline::process_loop() {
  while (!stopping_) {
    static_cast<void>(fault_point("thread.process"));
    process_beats_.fetch_add(1, kRelaxed);
    const bool over = ended_;  // read before the slot: a frame put before the end is still taken
    if (std::optional<Frame> frame = latest_.take(clock_.real(kWait))) {
      process(std::move(*frame));
      latest_.done();
    } else if (over) {
      drained_ = true;
      return;
    }
  }
}

void CameraPipeline::process(Frame frame) {
  if (frame.image.data == nullptr) return carry_on(frame.captured);
  if (!see(frame)) carry_on(frame.captured);
  finished_.fetch_add(1, kRelaxed);
}

bool CameraPipeline::see(const Frame& frame) {
  const Nanos taken = clock_.now();
  // At recorded pace the time stamps are the recording's: capture then took no time.
  const Nanos begin = hand_over_ == HandOver::every ? taken : frame.captured;
  times(Stage::capture).add(taken - begin);

  const Result<PreparedImage> prepared = fault_point("vision.prepare")
                                             ? Result<PreparedImage>{refused_by_gpu()}
                                             : preparer_->prepare(frame.image);
  const Nanos ready = clock_.now();
  times(Stage::prepare).add(ready - taken);
  if (!prepared) {
    vision_error_.store(static_cast<int>(prepared.error().code), kRelaxed);
    return false;
  }

  const ImageStatistics statistics = check_.update(prepared->grey, frame.captured);
  mean_.store(statistics.mean, kRelaxed);
  deviation_.store(statistics.deviation, kRelaxed);
  unchanged_.store(statistics.unchanged.count(), kRelaxed);
  dull_.store(statistics.dull, kRelaxed);
  // A repeated picture is ignored: with a frozen one, people would seem to run along with the car.
  // The motion to the next new picture belongs to the whole time since the last new one.
  const bool news = statistics.unchanged == Nanos::zero();
  if (aim_ && news) check_aim(prepared->grey, frame.captured);
  if (exposure_) meter(prepared->grey, frame);
  if (view_source_ && news) view_ = view_source_->measure(prepared->grey, frame.captured);
  times(Stage::check).add(clock_.now() - ready);

  const DetectionList* people = &kNobody;
  const bool motion_first = detector_ && detector_->needs_motion();
  bool moved = false;
  if (motion_first) {
    moved = news && motion_ && measure_motion(*prepared, frame.captured);
    // The vectors must begin where the detector's last picture was.
    detector_->set_motion(moved && motion_->from() == detected_ ? &motion_->field() : nullptr);
    if (news) detected_ = frame.captured;
  }
  if (detector_) {
    const Nanos start = clock_.now();
    FrameDetections& detections = detections_.draft();
    const Status found = fault_point("vision.detect")
                             ? Status{refused_by_gpu()}
                             : detector_->detect(*prepared, detections.people);
    detections.at = clock_.now();
    times(Stage::detect).add(detections.at - start);
    if (!found) {
      vision_error_.store(static_cast<int>(found.error().code), kRelaxed);
      return false;
    }
    if (motion_ || people_estimator_) {  // the draft must not be read once it is published
      *people_ = detections.people;
      people = people_.get();
    }
    detections_.publish();
  }
  vision_error_.store(-1, kRelaxed);
  const Nanos decided = clock_.now();
  if (!motion_first) moved = news && motion_ && measure_motion(*prepared, frame.captured);
  if (moved) judge_motion(*people, people_estimator_ != nullptr);
  // After a jump of the view people are where they were expected, until its reason is known.
  const bool steady = !aim_ || !aim_->suspects();
  const bool follows = people_estimator_ && news && steady && limits_.shows_people(statistics);
  if (people_estimator_) {
    if (follows) follow(*prepared, frame.captured, detector_ != nullptr, moved);
    times(Stage::total).add(clock_.now() - begin);
  } else {
    // Motion is not measured in every frame: what counts is its mean time per frame.
    motion_mean_ += (clock_.now() - decided - motion_mean_) / kMotionFrames;
    times(Stage::total).add(decided - begin + motion_mean_);
  }
  processed_.fetch_add(1, kRelaxed);
  return follows;
}

void CameraPipeline::meter(const ImageView<Space::host, const std::uint8_t>& grey,
                           const Frame& frame) noexcept {
  const ego::VehicleMotion vehicle =
      vehicle_.latest().over(frame.captured - kLongestStep, frame.captured);
  const bool standing = vehicle.speed_mps && std::abs(*vehicle.speed_mps) < kStanding_mps;
  exposures_.draft() = exposure_->process(grey, frame.sequence, frame.captured, standing);
  exposures_.publish();
}

void CameraPipeline::check_aim(const ImageView<Space::host, const std::uint8_t>& grey,
                               Nanos captured) noexcept {
  const Nanos from = std::max(std::exchange(aimed_, captured), captured - kLongestStep);
  aim_->update(grey, captured, vehicle_.latest().over(from, captured));
  aim_off_.store(aim_->off(), kRelaxed);
}

void CameraPipeline::follow(const PreparedImage& image, Nanos captured, bool looked, bool moved) {
  const Nanos start = clock_.now();
  // People may have been carried on a little farther than to a frame that then came.
  if (carried_ && captured < followed_ && followed_ - captured < kCarryOn) captured = followed_;
  const ego::VehicleMotion vehicle = begin_step(captured);
  // The flow is from the last picture, which is not where carried people were.
  const bool flows = moved && !std::exchange(carried_, false);
  people_estimator_->sense(captured, image, looked ? people_.get() : nullptr,
                           flows ? &motion_->field() : nullptr, moved ? moved_.get() : nullptr,
                           vehicle, *senses_);
  senses_->view = view_;
  Nanos bands{};  // time for bands, which is a stage of its own
  if (spectral_) bands = search_bands(image);
  report(image);
  if (spectral_) bands += learn_bands(image, *reported_people_);
  times(Stage::track).add(clock_.now() - start - bands);
  if (!spectral_) return;
  times(Stage::spectral).add(bands);
  // A recording at its own pace waits for the pipeline, and must give the same result every time.
  if (hand_over_ == HandOver::newest) spectral_->spent(bands);
}

/// Nothing was seen: people go on as they went, and the car as it says.
void CameraPipeline::carry_on(Nanos at) {
  if (!people_estimator_ || followed_ == Nanos::zero() || at - followed_ < kCarryOn) return;
  const ego::VehicleMotion vehicle = begin_step(at);
  people_estimator_->sense(at, {}, nullptr, nullptr, nullptr, vehicle, *senses_);
  senses_->view = {};
  carried_ = true;
  report({});
}

/// The car's motion since the last step.
ego::VehicleMotion CameraPipeline::begin_step(Nanos at) noexcept {
  const Nanos from = std::max(std::exchange(followed_, at), at - kLongestStep);
  return vehicle_.latest().over(from, at);
}

void CameraPipeline::report(const PreparedImage& image) {
  risk::PeopleReport& report = reports_.draft();
  if (sink_ != nullptr) sink_->before(clock_.now(), *senses_, *people_estimator_);
  people_estimator_->step(*senses_, report);
  if (sink_ != nullptr) sink_->after(clock_.now(), report, image);
  if (spectral_) *reported_people_ = report.people;  // the draft must not be read once published
  reports_.publish();
  if (bell_ != nullptr) bell_->ring();
}

Nanos CameraPipeline::search_bands(const PreparedImage& image) {
  const Nanos start = clock_.now();
  static_cast<void>(spectral_->search(image, *senses_));  // learn_bands() reports failures
  return clock_.now() - start;
}

Nanos CameraPipeline::learn_bands(const PreparedImage& image, const track::PersonList& people) {
  const Nanos start = clock_.now();
  static_cast<void>(spectral_->learn(image, people));
  const std::optional<Error>& failure = spectral_->failure();
  spectral_error_.store(failure ? static_cast<int>(failure->code) : -1, kRelaxed);
  const SpectralTotals& totals = spectral_->totals();
  spectral_frames_.store(totals.frames, kRelaxed);
  spectral_passed_.store(totals.passed, kRelaxed);
  spectral_searches_.store(totals.searches, kRelaxed);
  spectral_spared_.store(totals.spared, kRelaxed);
  spectral_found_.store(totals.found, kRelaxed);
  return clock_.now() - start;
}

bool CameraPipeline::measure_motion(const PreparedImage& image, Nanos captured) {
  const Nanos start = clock_.now();
  const Result<bool> measured = fault_point("vision.flow") ? Result<bool>{refused_by_gpu()}
                                                           : motion_->measure(image, captured);
  const Nanos spent = clock_.now() - start;
  flow_error_.store(measured ? -1 : static_cast<int>(measured.error().code), kRelaxed);
  if (measured && *measured) times(Stage::flow).add(spent);
  // A recording at its own pace waits for the pipeline, and must give the same result every time.
  if (hand_over_ == HandOver::newest) motion_->spent(spent);
  const bool too_slow = motion_->too_slow();
  flow_time_.store(motion_->measurement_time().count(), kRelaxed);
  if (too_slow && !flow_too_slow_.load(kRelaxed)) {
    motion_->report_too_slow(captured, motions_.draft());
    motions_.publish();
  }
  flow_too_slow_.store(too_slow, kRelaxed);
  return measured && *measured && !too_slow;
}

void CameraPipeline::judge_motion(const DetectionList& people, bool keep) {
  const Nanos start = clock_.now();
  motion_->judge(vehicle_.latest().over(motion_->from(), motion_->to()), people, motions_.draft());
  if (keep) *moved_ = motions_.draft();  // the draft must not be read once published
  if (aim_) aim_->travelled(motions_.draft().ego);
  motions_.publish();
  times(Stage::motion).add(clock_.now() - start);
}

PipelineFacts CameraPipeline::facts() const noexcept {
  PipelineFacts f;
  f.condition = condition_.load(std::memory_order_acquire);
  f.condition_since = Nanos{condition_since_.load(kRelaxed)};
  f.last_frame = Nanos{last_frame_.load(kRelaxed)};
  f.camera = {delivered_.load(kRelaxed), dropped_.load(kRelaxed), damaged_.load(kRelaxed)};
  f.processed = processed_.load(kRelaxed);
  f.finished = finished_.load(kRelaxed);
  f.skipped = skipped_.load(kRelaxed);
  f.reopened = source_->reopened();
  f.image = {mean_.load(kRelaxed), deviation_.load(kRelaxed), Nanos{unchanged_.load(kRelaxed)},
             dull_.load(kRelaxed)};
  f.aim_off_rad = aim_off_.load(kRelaxed);
  f.vision_error = vision_error_.load(kRelaxed);
  f.flow_error = flow_error_.load(kRelaxed);
  f.flow_too_slow = flow_too_slow_.load(kRelaxed);
  f.flow_time = Nanos{flow_time_.load(kRelaxed)};
  f.spectral_error = spectral_error_.load(kRelaxed);
  f.spectral = {spectral_frames_.load(kRelaxed), spectral_passed_.load(kRelaxed),
                spectral_searches_.load(kRelaxed), spectral_spared_.load(kRelaxed),
                spectral_found_.load(kRelaxed)};
  f.capture_beats = capture_beats_.load(kRelaxed);
  f.process_beats = process_beats_.load(kRelaxed);
  f.ended = drained_.load(kRelaxed);
  return f;
}

}  // namespace kerb
