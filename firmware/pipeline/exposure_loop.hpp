// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "firmware/exposure/exposure_controller.hpp"
#include "firmware/exposure/noise_model.hpp"
#include "firmware/exposure/road_meter.hpp"
#include "firmware/threads/newest.hpp"
#include "firmware/types/camera.hpp"
#include "hal/base/log.hpp"
#include "hal/frame_source.hpp"

namespace kerb {

/// How a frame was exposed, and what a noise filter needs to know of it.
struct FrameExposure {
  bool controlled = false;  ///< Kerbwatch sets exposure and gain; else nothing below is known
  bool settled = false;     ///< the frame shows `exposure`; else it may show an earlier setting
  Exposure exposure;
  MeterReading road;
  double error_stops = 0;         ///< of the road against its target, in the last settled frame
  std::uint64_t corrections = 0;  ///< settings that were asked for so far
  NoiseModel noise;               ///< at gain 1
};

/// Exposure and gain of one camera, set for people: the meter and the controller on the processing
/// thread, the camera's controls on the capture thread, which alone may use the source. A camera
/// without controls keeps its own automatic mode, which the log says once.
class ExposureLoop {
 public:
  /// `name` is the camera's in the log. Allocates; nothing later does, apart from log lines.
  ExposureLoop(const ExposureSettings& settings, const Camera& camera, const FrameSourceInfo& info,
               std::string name, Log& log);

  // The capture thread.

  /// Before each next() of the source: takes a new source over, and sets what was asked for.
  /// `source_number` differs for each source that is opened.
  void apply(FrameSource& source, std::uint64_t source_number, Nanos now);

  // The processing thread.

  /// Meters a frame and asks for a correction where one is due. `standing`: the camera is known not
  /// to move.
  FrameExposure process(const ImageView<Space::host, const std::uint8_t>& grey,
                        std::uint64_t sequence, Nanos captured, bool standing) noexcept;

 private:
  /// From the processing thread to the capture thread.
  struct Order {
    std::uint64_t number = 0;  ///< 0: none yet
    std::uint64_t source = 0;  ///< the source it is for
    Exposure exposure;
  };
  /// The other way round.
  struct Applied {
    std::uint64_t number = 0;  ///< of these messages; 0: none yet
    std::uint64_t source = 0;
    bool controlled = false;
    ExposureRange range;
    Exposure exposure;
    Nanos at{};
  };
  void take_over(ExposureControl* control, Nanos now);
  void set(ExposureControl& control, Nanos now);
  void give_up(ExposureControl& control);
  void tell(const Exposure& exposure, Nanos now);
  [[nodiscard]] Exposure start_of(ExposureControl& control) const;

  const ExposureSettings settings_;
  const ExposureControllerSettings controller_settings_;
  const std::string name_;
  Log& log_;
  Newest<Order> orders_;
  Newest<Applied> applied_;

  // The capture thread's.
  std::optional<std::uint64_t> source_;  // that was taken over
  bool controls_ = false;                // it has controls, and they work
  ExposureRange range_;
  std::optional<Exposure> pending_;  // to be set
  std::uint64_t obeyed_ = 0, told_ = 0;
  int failures_ = 0;  // in succession
  bool said_none_ = false;

  // The processing thread's.
  RoadMeter meter_;
  ExposureController controller_;
  std::unique_ptr<NoiseEstimator> noise_;  // null: the configuration says it, or it cannot be known
  NoiseModel model_;
  std::uint64_t heard_ = 0, heard_source_ = 0, asked_ = 0;
  bool controlled_ = false;
};

}  // namespace kerb
