// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "firmware/ego/motion_estimator.hpp"
#include "firmware/ego/vehicle_history.hpp"
#include "firmware/pipeline/aim_check.hpp"
#include "firmware/pipeline/exposure_loop.hpp"
#include "firmware/pipeline/image_check.hpp"
#include "firmware/pipeline/reopening_source.hpp"
#include "firmware/pipeline/stage_times.hpp"
#include "firmware/risk/people_estimator.hpp"
#include "firmware/risk/people_sink.hpp"
#include "firmware/spectral/spectral_search.hpp"
#include "firmware/threads/bell.hpp"
#include "firmware/threads/latest_frame.hpp"
#include "firmware/threads/newest.hpp"
#include "firmware/threads/real_time.hpp"
#include "firmware/visibility/view_source.hpp"
#include "hal/base/log.hpp"
#include "hal/frame_source.hpp"
#include "hal/vision.hpp"

namespace kerb {

/// The camera's state, from its last answer.
enum class CameraCondition : std::uint8_t { delivering, silent, no_signal, gone };

/// A pipeline's state and counters at one moment.
struct PipelineFacts {
  CameraCondition condition = CameraCondition::silent;
  Nanos condition_since{};      ///< when the condition began
  Nanos last_frame{};           ///< when the last frame arrived; zero before the first
  FrameCounters camera;         ///< of the source, over all its re-openings
  std::uint64_t processed = 0;  ///< frames that went through every stage
  std::uint64_t finished = 0;   ///< frames that the processing is done with, whatever came of it
  std::uint64_t skipped = 0;    ///< frames dropped because a newer one was there
  std::uint64_t reopened = 0;
  ImageStatistics image;       ///< of the last processed frame
  double aim_off_rad = 0;      ///< misalignment of the camera against its calibration
  int vision_error = -1;       ///< Errc of the last frame's image operators or detector; -1: none
  int flow_error = -1;         ///< Errc of the last frame's flow; people are still detected
  bool flow_too_slow = false;  ///< flow cannot be measured once a second within its budget: off
  Nanos flow_time{};           ///< of one measurement
  int spectral_error = -1;     ///< Errc of the search by bands; colours tell people apart meanwhile
  SpectralTotals spectral;     ///< of the search by bands
  std::uint64_t capture_beats = 0, process_beats = 0;  ///< rise as long as each thread lives
  bool ended = false;  ///< a recording that does not loop was processed to its last frame
};

/// The detected people of one frame, best first.
struct FrameDetections {
  Nanos at{};  ///< when the detector finished; zero: never
  DetectionList people;
};

/// How long a stage may take; zero: no budget.
struct StageBudgets {
  std::array<Nanos, kStageCount> of{};
};

/// newest: drop late frames, for cameras. every: capture waits until the last frame was taken, for
/// recordings.
enum class HandOver : std::uint8_t { newest, every };

/// One camera, from its frames to tracked people, on two threads. The capture thread takes every
/// frame and keeps the newest; the processing thread takes that one through the stages: prepare,
/// check, detect, flow, motion, spectral, track. Nothing here allocates per frame. Detector, motion
/// estimator, people estimator and spectral search may be null: their stages are then not run.
///
/// Where no picture comes, or one in which nobody can be found (repeated, white, dark, dirty, or
/// the view has just jumped), the tracked people are carried on without, every kCarryOn: their
/// uncertainty grows, and reports go on.
class CameraPipeline {
 public:
  CameraPipeline(std::unique_ptr<ReopeningSource> source, std::unique_ptr<ImagePreparer> preparer,
                 std::unique_ptr<Detector> detector, const StageBudgets& budgets,
                 HandOver hand_over, const Clock& clock,
                 std::unique_ptr<ego::MotionEstimator> motion = nullptr,
                 std::unique_ptr<PeopleEstimator> people_estimator = nullptr,
                 std::unique_ptr<SpectralSearch> spectral = nullptr);
  ~CameraPipeline();  ///< stops
  CameraPipeline(const CameraPipeline&) = delete;
  CameraPipeline& operator=(const CameraPipeline&) = delete;

  /// Receives every frame's people; set before start(). Must outlive this object, or be reset after
  /// stop().
  void set_sink(PeopleSink* sink) noexcept { sink_ = sink; }
  /// Rung when a frame's people are published; as set_sink().
  void set_bell(Bell* bell) noexcept { bell_ = bell; }
  /// Called on each of its threads, before anything else there; before start().
  void set_thread_start(std::function<void(ThreadRole)> start) { thread_start_ = std::move(start); }
  /// Lens and mounting: turns on the check that the camera still points there. Before start().
  void set_camera(const Camera& camera) {
    aim_ = std::make_unique<AimCheck>(camera, info_.width, info_.height);
  }
  /// Sets the camera's exposure and gain for people. Before start().
  void set_exposure(std::unique_ptr<ExposureLoop> exposure) { exposure_ = std::move(exposure); }
  /// Which pictures show nobody. Before start(); without it all do.
  void set_picture_limits(const PictureLimits& limits) noexcept { limits_ = limits; }
  /// How many buffers the camera has, all of which it may show again and again. Before start().
  void set_buffers(int buffers) noexcept { check_.remember(buffers); }
  /// The time stamps of frames are of our clock though every frame is taken: for a simulator.
  /// Before start().
  void set_live() noexcept { live_ = true; }
  /// Measures how far people are seen. Before start().
  void set_view_source(std::unique_ptr<ViewSource> source) { view_source_ = std::move(source); }
  void start();
  /// Ends both threads; takes at most 100 ms of clock time plus the frame being processed.
  void stop();

  [[nodiscard]] PipelineFacts facts() const noexcept;  ///< any thread
  [[nodiscard]] StageReport stage(Stage stage) const noexcept {
    return times_[static_cast<std::size_t>(stage)].report();
  }
  /// The longest time of a stage since the last call. For one reader.
  Nanos take_recent_max(Stage stage) noexcept { return times(stage).take_recent_max(); }
  /// The last detections; valid until the next call. For one reader. A frame on which the detector
  /// fails does not change them: compare the time.
  [[nodiscard]] const FrameDetections& detections() noexcept { return detections_.latest(); }
  /// The motion of the last frames; valid until the next call. For one reader.
  [[nodiscard]] const ego::MotionReport& motion() noexcept { return motions_.latest(); }
  /// All tracked people as of the last frame; valid until the next call. For one reader.
  [[nodiscard]] const risk::PeopleReport& people() noexcept { return reports_.latest(); }
  /// How the last frame was exposed; valid until the next call. For one reader. `controlled` is
  /// false without set_exposure().
  [[nodiscard]] const FrameExposure& exposure() noexcept { return exposures_.latest(); }
  /// The car's motion at `at`. For one writer.
  void set_vehicle(Nanos at, const ego::VehicleMotion& vehicle) noexcept {
    history_.add(at, vehicle);
    vehicle_.draft() = history_;
    vehicle_.publish();
  }
  /// Whether the time stamps of frames are of our clock.
  [[nodiscard]] bool live() const noexcept { return live_; }
  [[nodiscard]] const FrameSourceInfo& info() const noexcept { return info_; }
  [[nodiscard]] const char* backend() const noexcept { return preparer_->backend(); }
  /// The detector's name; null without one.
  [[nodiscard]] const char* detector() const noexcept {
    return detector_ ? detector_->name() : nullptr;
  }
  /// What the detector's scores mean to the tracker.
  [[nodiscard]] TrackingScores tracking_scores() const noexcept {
    return detector_ ? detector_->tracking_scores() : TrackingScores{};
  }
  /// Whether detected people are tracked.
  [[nodiscard]] bool follows() const noexcept { return people_estimator_ != nullptr; }
  /// The name of the spectral matcher; null without one.
  [[nodiscard]] const char* spectral() const noexcept {
    return spectral_ ? spectral_->name() : nullptr;
  }
  /// The name of the flow method; null where motion estimation is off.
  [[nodiscard]] const char* flow() const noexcept {
    return motion_ ? motion_->flow_name() : nullptr;
  }

 private:
  static constexpr Nanos kWait = std::chrono::milliseconds{100};
  static constexpr Nanos kCarryOn = std::chrono::milliseconds{100};

  void capture_loop();
  void process_loop();
  void capture_failed(Errc code, Nanos now);
  void go_on_without(Nanos now);
  void process(Frame frame);
  /// One picture through all stages. False: nobody was tracked by it.
  bool see(const Frame& frame);
  /// Whether the motion was measured, so that people can be judged by it.
  bool measure_motion(const PreparedImage& image, Nanos captured);
  void judge_motion(const DetectionList& people, bool keep);
  void meter(const ImageView<Space::host, const std::uint8_t>& grey, const Frame& frame) noexcept;
  void check_aim(const ImageView<Space::host, const std::uint8_t>& grey, Nanos captured) noexcept;
  void follow(const PreparedImage& image, Nanos captured, bool looked, bool moved);
  void carry_on(Nanos at);
  ego::VehicleMotion begin_step(Nanos at) noexcept;
  void report(const PreparedImage& image);
  Nanos search_bands(const PreparedImage& image);
  Nanos learn_bands(const PreparedImage& image, const track::PersonList& people);
  void enter(CameraCondition condition, Nanos now) noexcept;
  StageTimes& times(Stage stage) noexcept { return times_[static_cast<std::size_t>(stage)]; }

  std::unique_ptr<ReopeningSource> source_;
  std::unique_ptr<ImagePreparer> preparer_;
  std::unique_ptr<Detector> detector_;
  std::unique_ptr<ego::MotionEstimator> motion_;
  std::unique_ptr<PeopleEstimator> people_estimator_;
  std::unique_ptr<SpectralSearch> spectral_;
  PeopleSink* sink_ = nullptr;
  Bell* bell_ = nullptr;
  const HandOver hand_over_;
  bool live_;
  const Clock& clock_;
  const FrameSourceInfo info_;
  LatestFrame latest_;
  ImageCheck check_;
  PictureLimits limits_;
  std::unique_ptr<AimCheck> aim_;            // null: lens and mounting are not set
  Nanos aimed_{};                            // the last frame it checked
  std::unique_ptr<ExposureLoop> exposure_;   // null: the camera sets its exposure itself
  std::unique_ptr<ViewSource> view_source_;  // null: how far people are seen is not known
  ViewMeasurement view_;                     // of the frame being processed
  Newest<FrameExposure> exposures_;
  Newest<FrameDetections> detections_;
  Newest<ego::MotionReport> motions_;
  Newest<risk::PeopleReport> reports_;
  Newest<ego::VehicleHistory> vehicle_;
  ego::VehicleHistory history_;            // the writer's
  std::unique_ptr<DetectionList> people_;  // of the frame being processed
  std::unique_ptr<ego::MotionReport> moved_;
  std::unique_ptr<track::Senses> senses_;
  std::unique_ptr<track::PersonList> reported_people_;  // of this frame, where there are bands
  Nanos followed_{};                                    // up to this time people are tracked
  bool carried_ = false;                                // without a picture, since the last one
  Nanos arrived_{}, captured_{};  // of the last frame: on our clock, and its time stamp
  Nanos asked_{};                 // when a frame last came, or people were carried on without
  Nanos detected_{};              // the last new frame of a detector that needs motion
  Nanos motion_mean_{};           // mean time per frame for flow and motion
  std::array<StageTimes, kStageCount> times_;

  // Facts, each written by one thread and read by any.
  std::atomic<CameraCondition> condition_{CameraCondition::silent};
  std::atomic<Nanos::rep> condition_since_{0}, last_frame_{0}, unchanged_{0};
  std::atomic<std::uint64_t> delivered_{0}, dropped_{0}, damaged_{0}, processed_{0}, skipped_{0},
      finished_{0};
  std::atomic<std::uint64_t> capture_beats_{0}, process_beats_{0};
  std::atomic<double> mean_{0}, deviation_{0}, dull_{0}, aim_off_{0};
  std::atomic<int> vision_error_{-1}, flow_error_{-1};
  std::atomic<bool> flow_too_slow_{false};
  std::atomic<int> spectral_error_{-1};
  std::atomic<std::uint64_t> spectral_frames_{0}, spectral_passed_{0}, spectral_searches_{0},
      spectral_spared_{0}, spectral_found_{0};
  std::atomic<Nanos::rep> flow_time_{0};
  std::atomic<bool> ended_{false}, drained_{false}, stopping_{false};
  std::function<void(ThreadRole)> thread_start_;
  std::thread capture_, process_;
};

}  // namespace kerb
