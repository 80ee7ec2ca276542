// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>

#include "drivers/replay/frame_pool.hpp"
#include "drivers/replay/picture.hpp"
#include "hal/camera_settings.hpp"
#include "hal/frame_source.hpp"

namespace kerb::replay {

/// Plays the pictures of any reader as a FrameSource: lends buffers and keeps the pace.
class Playback final : public FrameSource {
 public:
  /// Fails: invalid_argument (rate over 0, up to 1000 Hz; buffers 1..32), and as `memory` does.
  static Result<std::unique_ptr<FrameSource>> open(std::unique_ptr<PictureReader> reader,
                                                   const CameraSettings& settings,
                                                   FrameMemory& memory, const Clock& clock);

  Result<Frame> next(Nanos timeout) override;
  [[nodiscard]] FrameSourceInfo info() const override;
  [[nodiscard]] FrameCounters counters() const override { return counters_; }

 private:
  Playback(std::unique_ptr<PictureReader> reader, std::shared_ptr<FramePool> pool, Pace pace,
           const Clock& clock);
  [[nodiscard]] Nanos due(std::uint64_t sequence) const;
  [[nodiscard]] std::uint64_t newest_due(Nanos now) const;
  Status wait_for(std::uint64_t sequence, Nanos timeout) const;
  [[nodiscard]] std::uint64_t oldest_kept() const;

  std::unique_ptr<PictureReader> reader_;
  std::shared_ptr<FramePool> pool_;
  Pace pace_;
  const Clock& clock_;
  Nanos start_;
  std::uint64_t next_ = 0;  // sequence number of the next picture
  FrameCounters counters_;
};

}  // namespace kerb::replay
