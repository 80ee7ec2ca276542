// SPDX-License-Identifier: Apache-2.0
#include "firmware/pipeline/camera_pipeline.hpp"

#include <algorithm>
#include <utility>

namespace kerb {
namespace {
constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr DetectionList kNobody{};
constexpr Nanos kLongestStep =
    std::chrono::milliseconds{100};       // the car's motion is asked for so far back
constexpr Nanos::rep kMotionFrames = 32;  // over so many what motion takes is averaged
}  // namespace

CameraPipeline::CameraPipeline(std::unique_ptr<ReopeningSource> source,
                               std::unique_ptr<ImagePreparer> preparer,
                               std::unique_ptr<Detector> detector, const StageBudgets& budgets,
                               HandOver hand_over, const Clock& clock,
                               std::unique_ptr<ego::MotionEstimator> motion,
                               std::unique_ptr<PeopleEstimator> watch,
                               std::unique_ptr<SpectralSearch> spectral)
    : source_{std::move(source)},
      preparer_{std::move(preparer)},
      detector_{std::move(detector)},
      motion_{std::move(motion)},
      watch_{std::move(watch)},
      spectral_{std::move(spectral)},
      hand_over_{hand_over},
      clock_{clock},
      info_{source_->info()},
      people_{std::make_unique<DetectionList>()},
      moved_{std::make_unique<ego::MotionReport>()},
      senses_{std::make_unique<track::Senses>()},
      told_people_{spectral_ ? std::make_unique<track::PersonList>() : nullptr} {
  for (std::size_t i = 0; i < times_.size(); ++i) times_[i].set_budget(budgets.of[i]);
  condition_since_ = clock_.now().count();
}

CameraPipeline::~CameraPipeline() { stop(); }

void CameraPipeline::start() {
  if (capture_.joinable()) return;
  process_ = std::thread{[this] { process_loop(); }};
  capture_ = std::thread{[this] { capture_loop(); }};
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
    capture_beats_.fetch_add(1, kRelaxed);
    if (hand_over_ == HandOver::every && !latest_.wait_until_taken(clock_.real(kWait))) continue;
    Result<Frame> frame = source_->next(kWait);
    const Nanos now = clock_.now();
    const FrameCounters counters = source_->counters();
    delivered_.store(counters.delivered, kRelaxed);
    dropped_.store(counters.dropped, kRelaxed);
    damaged_.store(counters.damaged, kRelaxed);
    if (frame) {
      last_frame_.store(now.count(), kRelaxed);
      enter(CameraCondition::delivering, now);
      if (latest_.put(std::move(*frame))) skipped_.fetch_add(1, kRelaxed);
      continue;
    }
    switch (frame.error().code) {
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
      case Errc::end:
        ended_ = true;
        return;
      case Errc::would_block:  // processing holds every buffer; it will let go
        clock_.sleep_until(now + std::chrono::milliseconds{1});
        break;
      default:
        enter(CameraCondition::gone, now);
    }
  }
}

void CameraPipeline::process_loop() {
  while (!stopping_) {
    process_beats_.fetch_add(1, kRelaxed);
    const bool over = ended_;  // read before the slot: what was put before the end is still taken
    if (std::optional<Frame> frame = latest_.take(clock_.real(kWait))) {
      process(std::move(*frame));
    } else if (over) {
      drained_ = true;
      return;
    }
  }
}

void CameraPipeline::process(Frame frame) {
  const Nanos taken = clock_.now();
  // At recorded pace the time stamps are the recording's: what came before us took no time.
  const Nanos begin = hand_over_ == HandOver::every ? taken : frame.captured;
  times(Stage::capture).add(taken - begin);

  const Result<PreparedImage> prepared = preparer_->prepare(frame.image);
  const Nanos ready = clock_.now();
  times(Stage::prepare).add(ready - taken);
  if (!prepared) {
    vision_error_.store(static_cast<int>(prepared.error().code), kRelaxed);
    return;
  }

  const ImageLook look = check_.look(prepared->grey, frame.captured);
  mean_.store(look.mean, kRelaxed);
  deviation_.store(look.deviation, kRelaxed);
  unchanged_.store(look.unchanged.count(), kRelaxed);
  dull_.store(look.dull, kRelaxed);
  // The same picture again is no news: a frozen one would have people run along with the car, and
  // what moved since the last new one moved in all the time since.
  const bool news = look.unchanged == Nanos::zero();
  if (aim_ && news) check_aim(prepared->grey, frame.captured);
  times(Stage::check).add(clock_.now() - ready);

  const DetectionList* people = &kNobody;
  if (detector_) {
    const Nanos start = clock_.now();
    Sighting& sighting = sightings_.draft();
    const Status found = detector_->detect(*prepared, sighting.people);
    sighting.at = clock_.now();
    times(Stage::detect).add(sighting.at - start);
    if (!found) {
      vision_error_.store(static_cast<int>(found.error().code), kRelaxed);
      return;
    }
    if (motion_ || watch_) {  // the draft is no longer ours once it is published
      *people_ = sighting.people;
      people = people_.get();
    }
    sightings_.publish();
  }
  vision_error_.store(-1, kRelaxed);
  const Nanos decided = clock_.now();
  const bool moved = news && motion_ && measure_motion(*prepared, frame.captured);
  if (moved) judge_motion(*people, watch_ != nullptr);
  if (watch_) {
    // After a jump of the view people stay where they were, until it is known what it was.
    const bool steady = !aim_ || !aim_->suspects();
    if (news && steady) follow(*prepared, frame.captured, detector_ != nullptr, moved);
    times(Stage::total).add(clock_.now() - begin);
  } else {
    // Motion is looked at now and then: what counts is what that takes of each frame's time.
    motion_mean_ += (clock_.now() - decided - motion_mean_) / kMotionFrames;
    times(Stage::total).add(decided - begin + motion_mean_);
  }
  processed_.fetch_add(1, kRelaxed);
}

void CameraPipeline::check_aim(const ImageView<Space::host, const std::uint8_t>& grey,
                               Nanos captured) noexcept {
  const Nanos from = std::max(std::exchange(aimed_, captured), captured - kLongestStep);
  aim_->look(grey, captured, vehicle_.look().over(from, captured));
  aim_off_.store(aim_->off(), kRelaxed);
}

void CameraPipeline::follow(const PreparedImage& image, Nanos captured, bool looked, bool moved) {
  const Nanos start = clock_.now();
  const Nanos from = std::max(std::exchange(followed_, captured), captured - kLongestStep);
  const ego::VehicleMotion vehicle = vehicle_.look().over(from, captured);
  watch_->sense(captured, image, looked ? people_.get() : nullptr,
                moved ? &motion_->field() : nullptr, moved ? moved_.get() : nullptr, vehicle,
                *senses_);
  Nanos bands{};  // what they take, which is a stage of its own
  if (spectral_) bands = look_at_bands(image);
  risk::PeopleReport& report = reports_.draft();
  if (sink_ != nullptr) sink_->before(clock_.now(), *senses_, *watch_);
  watch_->step(*senses_, report);
  if (sink_ != nullptr) sink_->after(clock_.now(), report, image);
  if (spectral_) *told_people_ = report.people;  // the draft is no longer ours once published
  reports_.publish();
  if (bell_ != nullptr) bell_->ring();
  if (spectral_) bands += learn_bands(image, *told_people_);
  times(Stage::track).add(clock_.now() - start - bands);
  if (!spectral_) return;
  times(Stage::spectral).add(bands);
  // A recording at its own pace waits for us, and is to give the same every time.
  if (hand_over_ == HandOver::newest) spectral_->spent(bands);
}

Nanos CameraPipeline::look_at_bands(const PreparedImage& image) {
  const Nanos start = clock_.now();
  static_cast<void>(spectral_->look(image, *senses_));  // learn_bands() tells how it went
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
  const Result<bool> measured = motion_->measure(image, captured);
  const Nanos spent = clock_.now() - start;
  flow_error_.store(measured ? -1 : static_cast<int>(measured.error().code), kRelaxed);
  if (measured && *measured) times(Stage::flow).add(spent);
  // A recording at its own pace waits for us, and is to give the same every time.
  if (hand_over_ == HandOver::newest) motion_->spent(spent);
  const bool too_slow = motion_->too_slow();
  flow_look_.store(motion_->look_time().count(), kRelaxed);
  if (too_slow && !flow_too_slow_.load(kRelaxed)) {
    motion_->report_too_slow(captured, motions_.draft());
    motions_.publish();
  }
  flow_too_slow_.store(too_slow, kRelaxed);
  return measured && *measured && !too_slow;
}

void CameraPipeline::judge_motion(const DetectionList& people, bool keep) {
  const Nanos start = clock_.now();
  motion_->judge(vehicle_.look().over(motion_->from(), motion_->to()), people, motions_.draft());
  if (keep) *moved_ = motions_.draft();  // no longer ours once it is published
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
  f.skipped = skipped_.load(kRelaxed);
  f.reopened = source_->reopened();
  f.look = {mean_.load(kRelaxed), deviation_.load(kRelaxed), Nanos{unchanged_.load(kRelaxed)},
            dull_.load(kRelaxed)};
  f.aim_off_rad = aim_off_.load(kRelaxed);
  f.vision_error = vision_error_.load(kRelaxed);
  f.flow_error = flow_error_.load(kRelaxed);
  f.flow_too_slow = flow_too_slow_.load(kRelaxed);
  f.flow_look = Nanos{flow_look_.load(kRelaxed)};
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
