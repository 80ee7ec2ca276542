// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "firmware/can/messages.hpp"
#include "firmware/records/warning_recorder.hpp"

namespace kerb::records::test {

/// How long the writer is waited for, in life: only one that is stuck takes longer.
inline constexpr Nanos kPatience = std::chrono::seconds{60};

/// What one camera sees at a moment.
using Sight = std::function<void(std::size_t camera, Nanos at, track::Senses& out)>;

/// The product without its threads and devices: frames 30 times a second for each camera, rounds
/// 100 times, the car's messages 50 times, with the recorder beside it as in the product.
template <typename Watch, typename Logic>
class Drive {
 public:
  /// `recorder` null: nothing is written down.
  Drive(std::vector<std::unique_ptr<Watch>> watches, Logic logic, WarningRecorder* recorder)
      : watches_{std::move(watches)}, logic_{std::move(logic)}, recorder_{recorder} {
    reports_.resize(watches_.size());
    for (auto& report : reports_) report = std::make_unique<risk::PeopleReport>();
  }

  /// From where it stands until `end`.
  void run_until(Nanos end, const Sight& sight, double speed_mps) {
    for (; now_ < end; now_ += kRound) {
      while (captured_ + kBehind <= now_) {
        for (std::size_t i = 0; i < watches_.size(); ++i) frame(i, sight, speed_mps);
        captured_ += kFrame;
      }
      round(speed_mps);
      if (pace > Nanos::zero() && now_ % pace == Nanos::zero()) recorder_->flush(kPatience);
    }
  }
  [[nodiscard]] Nanos now() const noexcept { return now_; }
  [[nodiscard]] WarningLevel level() const noexcept { return level_; }
  /// So often the recorder is waited for, as if time passed; zero: never.
  Nanos pace{};
  GreyView picture;  ///< what all cameras deliver; none at first

 private:
  static constexpr Nanos kRound = std::chrono::milliseconds{10},
                         kBehind = std::chrono::milliseconds{25};
  static constexpr Nanos kFrame{33'333'333};

  void frame(std::size_t i, const Sight& sight, double speed_mps) {
    *senses_ = {};
    senses_->captured = captured_;
    senses_->vehicle.speed_mps = speed_mps;
    sight(i, captured_, *senses_);
    if (recorder_ != nullptr) recorder_->camera(i).before_step(now_, *senses_, *watches_[i]);
    watches_[i]->step(*senses_, *reports_[i]);
    if (recorder_ == nullptr) return;
    recorder_->camera(i).after_step(now_, *reports_[i]);
    if (picture.data != nullptr) recorder_->camera(i).picture(now_, captured_, picture);
  }

  void round(double speed_mps) {
    if (recorder_ != nullptr && now_ % std::chrono::milliseconds{20} == Nanos::zero()) {
      CanFrame frame;
      frame.id = can::kVehicleMotionId;
      frame.size = 8;
      frame.data[0] = static_cast<std::uint8_t>(now_ / std::chrono::milliseconds{20});
      frame.received = now_;
      recorder_->control().vehicle(now_, frame);
    }
    Reports reports{};
    for (std::size_t i = 0; i < reports_.size(); ++i)
      if (reports_[i]->at != Nanos::zero()) reports[i] = reports_[i].get();
    DriverSide side;
    side.readiness = Readiness::ready;
    side.speed_mps = speed_mps;
    side.gear = Gear::drive;
    if (recorder_ != nullptr) recorder_->control().before_round(now_, reports, logic_);
    const WarningDecision decision = logic_.step(now_, reports, side);
    if (recorder_ != nullptr) recorder_->control().after_round(now_, reports, side, decision);
    level_ = decision.level;
  }

  std::vector<std::unique_ptr<Watch>> watches_;
  Logic logic_;
  WarningRecorder* recorder_;
  std::vector<std::unique_ptr<risk::PeopleReport>> reports_;
  std::unique_ptr<track::Senses> senses_ = std::make_unique<track::Senses>();
  Nanos now_ = std::chrono::seconds{100}, captured_ = std::chrono::seconds{100};
  WarningLevel level_ = WarningLevel::none;
};

}  // namespace kerb::records::test
