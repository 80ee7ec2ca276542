// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <memory>
#include <thread>

#include "firmware/ego/motion_estimator.hpp"
#include "firmware/ego/vehicle_history.hpp"
#include "firmware/pipeline/aim_check.hpp"
#include "firmware/pipeline/image_check.hpp"
#include "firmware/pipeline/reopening_source.hpp"
#include "firmware/pipeline/stage_times.hpp"
#include "firmware/risk/people_estimator.hpp"
#include "firmware/risk/people_sink.hpp"
#include "firmware/spectral/spectral_search.hpp"
#include "firmware/threads/bell.hpp"
#include "firmware/threads/latest_frame.hpp"
#include "firmware/threads/newest.hpp"
#include "hal/base/log.hpp"
#include "hal/frame_source.hpp"
#include "hal/vision.hpp"

namespace kerb {

/// What the camera last said of itself.
enum class CameraCondition : std::uint8_t { delivering, silent, no_signal, gone };

/// What a pipeline tells of itself at one moment.
struct PipelineFacts {
  CameraCondition condition = CameraCondition::silent;
  Nanos condition_since{};      ///< when the condition began
  Nanos last_frame{};           ///< when the last frame arrived; zero before the first
  FrameCounters camera;         ///< of the source, over all its re-openings
  std::uint64_t processed = 0;  ///< frames that went through every stage
  std::uint64_t skipped = 0;    ///< frames let go because a newer one was there
  std::uint64_t reopened = 0;
  ImageLook look;              ///< of the last processed frame
  double aim_off_rad = 0;      ///< so far the camera looks past where its calibration says
  int vision_error = -1;       ///< Errc of the last frame's image operators or detector; -1: none
  int flow_error = -1;         ///< Errc of the last frame's flow; people are found all the same
  bool flow_too_slow = false;  ///< its share of the time gives less than a look a second: none
  Nanos flow_look{};           ///< what one look takes
  int spectral_error = -1;     ///< Errc of the looks at bands; colours tell people apart meanwhile
  SpectralTotals spectral;     ///< of the looks at bands
  std::uint64_t capture_beats = 0, process_beats = 0;  ///< rise as long as each thread lives
  bool ended = false;  ///< a recording that does not loop has gone through, to its last frame
};

/// The people of one frame, best first.
struct Sighting {
  Nanos at{};  ///< when the detector had looked; zero: it never has
  DetectionList people;
};

/// How long a stage may take; zero: no budget.
struct StageBudgets {
  std::array<Nanos, kStageCount> of{};
};

/// newest: drop what is late, as a camera must. every: take the next only when the last is taken,
/// for recordings.
enum class HandOver : std::uint8_t { newest, every };

/// One camera from its frames to their detections, on two threads: capture takes every frame as it
/// comes and keeps the newest; processing takes that one through the stages: people are found, the
/// motion is looked at, and theirs, and where there are bands what they wear; then they are
/// followed. Nothing here allocates per frame. The detector, the motion watch, the people watch and
/// the spectral watch may be null: their place is empty, and their stages are not run.
class CameraPipeline {
 public:
  CameraPipeline(std::unique_ptr<ReopeningSource> source, std::unique_ptr<ImagePreparer> preparer,
                 std::unique_ptr<Detector> detector, const StageBudgets& budgets,
                 HandOver hand_over, const Clock& clock,
                 std::unique_ptr<ego::MotionEstimator> motion = nullptr,
                 std::unique_ptr<PeopleEstimator> watch = nullptr,
                 std::unique_ptr<SpectralSearch> spectral = nullptr);
  ~CameraPipeline();  ///< stops
  CameraPipeline(const CameraPipeline&) = delete;
  CameraPipeline& operator=(const CameraPipeline&) = delete;

  /// Who is told of every frame's people; before start(). Must outlive this, or be taken back after
  /// stop().
  void set_sink(PeopleSink* sink) noexcept { sink_ = sink; }
  /// What rings when a frame's people are known; before start(), as set_sink().
  void set_bell(Bell* bell) noexcept { bell_ = bell; }
  /// Lens and mounting: from now on it is watched whether the camera still looks there. Before
  /// start().
  void set_camera(const Camera& camera) {
    aim_ = std::make_unique<AimCheck>(camera, info_.width, info_.height);
  }
  void start();
  /// Ends both threads; bounded by the longest wait, 100 ms of clock time, and the frame in work.
  void stop();

  [[nodiscard]] PipelineFacts facts() const noexcept;  ///< any thread
  [[nodiscard]] StageReport stage(Stage stage) const noexcept {
    return times_[static_cast<std::size_t>(stage)].report();
  }
  /// The longest of a stage since this was last asked. For one reader.
  Nanos take_recent_max(Stage stage) noexcept { return times(stage).take_recent_max(); }
  /// What the detector saw last; stays until the next call. For one reader. A frame on which it
  /// fails changes nothing here: look at the time.
  [[nodiscard]] const Sighting& sighting() noexcept { return sightings_.look(); }
  /// What the motion in the last frames says; stays until the next call. For one reader.
  [[nodiscard]] const ego::MotionReport& motion() noexcept { return motions_.look(); }
  /// Everybody who is followed, as of the last frame; stays until the next call. For one reader.
  [[nodiscard]] const risk::PeopleReport& people() noexcept { return reports_.look(); }
  /// How the car moved at `at`. For one writer.
  void tell_vehicle(Nanos at, const ego::VehicleMotion& vehicle) noexcept {
    told_.add(at, vehicle);
    vehicle_.draft() = told_;
    vehicle_.publish();
  }
  /// Whether frames carry the time of our clock at which they were taken.
  [[nodiscard]] bool live() const noexcept { return hand_over_ == HandOver::newest; }
  [[nodiscard]] const FrameSourceInfo& info() const noexcept { return info_; }
  [[nodiscard]] const char* backend() const noexcept { return preparer_->backend(); }
  /// The detector's name, or null when its place is empty.
  [[nodiscard]] const char* detector() const noexcept {
    return detector_ ? detector_->name() : nullptr;
  }
  /// What the detector's scores mean to the tracker.
  [[nodiscard]] TrackingScores tracking_scores() const noexcept {
    return detector_ ? detector_->tracking_scores() : TrackingScores{};
  }
  /// Whether whom it finds is followed.
  [[nodiscard]] bool follows() const noexcept { return watch_ != nullptr; }
  /// What looks at bands, by name, or null when nobody does.
  [[nodiscard]] const char* spectral() const noexcept {
    return spectral_ ? spectral_->name() : nullptr;
  }
  /// The name of the flow's method, or null when nobody looks at motion.
  [[nodiscard]] const char* flow() const noexcept {
    return motion_ ? motion_->flow_name() : nullptr;
  }

 private:
  static constexpr Nanos kWait = std::chrono::milliseconds{100};

  void capture_loop();
  void process_loop();
  void process(Frame frame);
  /// Whether the motion was measured, and people are to be judged by it.
  bool measure_motion(const PreparedImage& image, Nanos captured);
  void judge_motion(const DetectionList& people, bool keep);
  void check_aim(const ImageView<Space::host, const std::uint8_t>& grey, Nanos captured) noexcept;
  void follow(const PreparedImage& image, Nanos captured, bool looked, bool moved);
  Nanos look_at_bands(const PreparedImage& image);
  Nanos learn_bands(const PreparedImage& image, const track::PersonList& people);
  void enter(CameraCondition condition, Nanos now) noexcept;
  StageTimes& times(Stage stage) noexcept { return times_[static_cast<std::size_t>(stage)]; }

  std::unique_ptr<ReopeningSource> source_;
  std::unique_ptr<ImagePreparer> preparer_;
  std::unique_ptr<Detector> detector_;
  std::unique_ptr<ego::MotionEstimator> motion_;
  std::unique_ptr<PeopleEstimator> watch_;
  std::unique_ptr<SpectralSearch> spectral_;
  PeopleSink* sink_ = nullptr;
  Bell* bell_ = nullptr;
  const HandOver hand_over_;
  const Clock& clock_;
  const FrameSourceInfo info_;
  LatestFrame latest_;
  ImageCheck check_;
  std::unique_ptr<AimCheck> aim_;  // null: nobody said where it looks
  Nanos aimed_{};                  // the last frame it looked at
  Newest<Sighting> sightings_;
  Newest<ego::MotionReport> motions_;
  Newest<risk::PeopleReport> reports_;
  Newest<ego::VehicleHistory> vehicle_;
  ego::VehicleHistory told_;               // the writer's
  std::unique_ptr<DetectionList> people_;  // of the frame in work
  std::unique_ptr<ego::MotionReport> moved_;
  std::unique_ptr<track::Senses> senses_;
  std::unique_ptr<track::PersonList> told_people_;  // of the frame in work, where there are bands
  Nanos followed_{};                                // the last frame that was
  Nanos motion_mean_{};                             // what flow and motion take of a frame's time
  std::array<StageTimes, kStageCount> times_;

  // Facts, each written by one thread and read by any.
  std::atomic<CameraCondition> condition_{CameraCondition::silent};
  std::atomic<Nanos::rep> condition_since_{0}, last_frame_{0}, unchanged_{0};
  std::atomic<std::uint64_t> delivered_{0}, dropped_{0}, damaged_{0}, processed_{0}, skipped_{0};
  std::atomic<std::uint64_t> capture_beats_{0}, process_beats_{0};
  std::atomic<double> mean_{0}, deviation_{0}, dull_{0}, aim_off_{0};
  std::atomic<int> vision_error_{-1}, flow_error_{-1};
  std::atomic<bool> flow_too_slow_{false};
  std::atomic<int> spectral_error_{-1};
  std::atomic<std::uint64_t> spectral_frames_{0}, spectral_passed_{0}, spectral_searches_{0},
      spectral_spared_{0}, spectral_found_{0};
  std::atomic<Nanos::rep> flow_look_{0};
  std::atomic<bool> ended_{false}, drained_{false}, stopping_{false};
  std::thread capture_, process_;
};

}  // namespace kerb
