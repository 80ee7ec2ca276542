// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "firmware/risk/people_sink.hpp"
#include "firmware/visibility/view_source.hpp"
#include "firmware/vision/vision.hpp"
#include "tools/simulator/run/vision_log.hpp"

namespace kerb::sim {

/// Keeps what vision delivers, picture by picture: the detections and flow vectors of the parts
/// that keeping() makes, and, as a sink of the pipeline, that the picture was followed.
class VisionKeeper final : public PeopleSink {
 public:
  /// A vision whose detector and flow tell this keeper. `vision` and the keeper must outlive it.
  [[nodiscard]] std::unique_ptr<Vision> keeping(Vision& vision);
  /// From now on: what was delivered before (a test of the parts) is not kept.
  void start() noexcept { started_ = true; }
  void found(const DetectionList& people);
  void measured(const MotionField& field, bool added);
  void before(Nanos now, const track::Senses& senses,
              const PeopleEstimator& estimator) noexcept override;
  void after(Nanos now, const risk::PeopleReport& report,
             const PreparedImage& image) noexcept override;
  [[nodiscard]] VisionLog& log() noexcept { return log_; }

 private:
  bool started_ = false;
  VisionFrame frame_;  // of the picture being processed
  VisionLog log_;
};

/// Plays a log as the parts of a pipeline: what they deliver for the picture captured at the time
/// that show() named.
class VisionPlayer {
 public:
  explicit VisionPlayer(std::shared_ptr<const VisionLog> log) : log_{std::move(log)} {}
  /// False: this picture is not in the log, and must not be shown to the pipeline.
  bool show(Nanos captured) noexcept;
  [[nodiscard]] const VisionFrame& now() const noexcept { return log_->frames[next_ - 1]; }
  [[nodiscard]] const VisionLog& log() const noexcept { return *log_; }
  // The parts; this object must outlive them.
  [[nodiscard]] std::unique_ptr<ImagePreparer> make_preparer() const;
  [[nodiscard]] std::unique_ptr<Detector> make_detector() const;
  [[nodiscard]] std::unique_ptr<FlowEstimator> make_flow() const;
  [[nodiscard]] std::unique_ptr<track::Appearance> make_appearance() const;
  [[nodiscard]] std::unique_ptr<ViewSource> make_view() const;

 private:
  std::shared_ptr<const VisionLog> log_;
  std::size_t next_ = 0;
};

}  // namespace kerb::sim
