// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/run/hanging_vision.hpp"

#include <algorithm>
#include <utility>

namespace kerb::sim {
namespace {

struct Hang {
  Nanos from{}, to{};
};

class HangingPreparer final : public ImagePreparer {
 public:
  HangingPreparer(std::unique_ptr<ImagePreparer> preparer, std::vector<Hang> hangs,
                  LockstepCamera& camera, const SimClock& clock)
      : preparer_{std::move(preparer)}, hangs_{std::move(hangs)}, camera_{camera}, clock_{clock} {}
  Result<PreparedImage> prepare(const RawImageView<Space::host>& image) override {
    const Nanos now = clock_.now();
    for (const Hang& hang : hangs_)
      if (now >= hang.from && now < hang.to) {
        camera_.hold(hang.to);
        clock_.sleep_until(hang.to);
      }
    return preparer_->prepare(image);
  }
  void forget() noexcept override { preparer_->forget(); }
  [[nodiscard]] const char* backend() const noexcept override { return preparer_->backend(); }

 private:
  std::unique_ptr<ImagePreparer> preparer_;
  const std::vector<Hang> hangs_;
  LockstepCamera& camera_;
  const SimClock& clock_;
};

class HangingVision final : public Vision {
 public:
  HangingVision(Vision& vision, std::vector<Hang> hangs, LockstepCamera& camera,
                const SimClock& clock)
      : vision_{vision}, hangs_{std::move(hangs)}, camera_{camera}, clock_{clock} {}
  FrameMemory& frame_memory() override { return vision_.frame_memory(); }
  Result<std::unique_ptr<ImagePreparer>> make_preparer(const FrameSourceInfo& info,
                                                       const CameraSettings& camera,
                                                       bool colour) override {
    Result<std::unique_ptr<ImagePreparer>> made = vision_.make_preparer(info, camera, colour);
    if (!made) return made;
    return std::unique_ptr<ImagePreparer>{
        std::make_unique<HangingPreparer>(std::move(*made), hangs_, camera_, clock_)};
  }
  Result<std::unique_ptr<Detector>> make_detector(const FrameSourceInfo& info,
                                                  const CameraSettings& camera) override {
    return vision_.make_detector(info, camera);
  }
  Result<std::unique_ptr<FlowEstimator>> make_flow(const FrameSourceInfo& info) override {
    return vision_.make_flow(info);
  }
  Result<std::unique_ptr<SpectralMatcher>> make_spectral(const FrameSourceInfo& info,
                                                         const CameraSettings& camera) override {
    return vision_.make_spectral(info, camera);
  }

 private:
  Vision& vision_;
  const std::vector<Hang> hangs_;
  LockstepCamera& camera_;
  const SimClock& clock_;
};

}  // namespace

bool has_hangs(const Scenario& scenario) noexcept {
  return std::ranges::any_of(scenario.faults, [](const FaultSpec& fault) {
    return fault.kind == FaultSpec::Kind::vision_hangs;
  });
}

std::unique_ptr<Vision> make_hanging_vision(Vision& vision, const Scenario& scenario,
                                            LockstepCamera& camera, const SimClock& clock) {
  std::vector<Hang> hangs;
  for (const FaultSpec& fault : scenario.faults)
    if (fault.kind == FaultSpec::Kind::vision_hangs)
      hangs.push_back({SimClock::of_scenario(fault.from_s),
                       SimClock::of_scenario(std::min(fault.to_s, scenario.seconds + 1))});
  return std::make_unique<HangingVision>(vision, std::move(hangs), camera, clock);
}

}  // namespace kerb::sim
