// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "firmware/records/chunk.hpp"
#include "firmware/records/picture.hpp"
#include "firmware/records/record_fields.hpp"
#include "firmware/risk/people_sink.hpp"
#include "firmware/threads/byte_lane.hpp"
#include "firmware/types/fields.hpp"

namespace kerb {
class Bell;
}

/// Where the product's threads record the inputs and results of decisions. Nothing here waits,
/// allocates or fails: what finds no room is left out, and a gap chunk marks the place.
namespace kerb::records {

/// The time between two states of one source: a replay can begin at each.
inline constexpr Nanos kStatePeriod = std::chrono::seconds{1};
/// The least time between two reduced pictures.
inline constexpr Nanos kPicturePeriod = std::chrono::milliseconds{133};
/// Room for one state; one that does not fit is not recorded, and status() says so.
inline constexpr std::size_t kMostState = std::size_t{192} << 10;
/// Room for the senses of a full frame, and for a report of as many people as there can be.
inline constexpr std::size_t kMostSenses = sizeof(track::Senses) + 256;
inline constexpr std::size_t kMostReport = sizeof(risk::PeopleReport) + 256;

/// Chunks of one source into its lane; remembers what was lost.
class ChunkPusher {
 public:
  ChunkPusher(ByteLane& lane, std::uint8_t source) noexcept : lane_{lane}, source_{source} {}

  /// Pushes what `fill(FieldWriter&)` writes, up to `most` bytes. False: no room, or it did not
  /// fit.
  template <typename Fill>
  bool push(ChunkKind kind, Nanos at, std::size_t most, const Fill& fill) noexcept {
    const std::span<std::byte> room = lane_.claim(ChunkHead::kSize + most);
    if (room.empty()) return false;
    FieldWriter out{room.subspan(ChunkHead::kSize)};
    fill(out);
    if (!out.ok()) return false;
    const std::size_t size = ChunkHead::kSize + out.size();
    put_head(room.first(size), kind, source_, at);
    lane_.push(size);
    return true;
  }

 private:
  ByteLane& lane_;
  std::uint8_t source_;
};

/// What the threads and the writer share beside their lanes.
struct TapFlags {
  std::atomic<std::uint64_t> lost{0};  ///< frames, rounds and messages without room
  std::atomic<std::uint64_t> pictures_lost{0};
  std::atomic<bool> state_too_big{false};  ///< kMostState is too small: no record can be replayed
};

/// One camera's: for the thread that takes its frames through PeopleEstimator.
class CameraTap final : public PeopleSink {
 public:
  CameraTap(ByteLane& lane, ByteLane* pictures, std::uint8_t camera, TapFlags& flags) noexcept
      : chunks_{lane, camera}, pictures_{pictures}, camera_{camera}, flags_{flags} {}

  /// Before PeopleEstimator::step(): its input and, once a second, its state.
  void before_step(Nanos now, const track::Senses& senses, StateRef estimator) noexcept;
  /// After it, and before the report is published.
  void after_step(Nanos now, const risk::PeopleReport& report) noexcept;
  void before(Nanos now, const track::Senses& senses,
              const PeopleEstimator& estimator) noexcept override {
    before_step(now, senses, estimator);
  }
  void after(Nanos now, const risk::PeopleReport& report,
             const PreparedImage& image) noexcept override {
    after_step(now, report);
    picture(now, report.at, image.grey);
  }
  /// The same frame's picture: made small, several times a second; and whole, once after each
  /// rise of the level.
  void picture(Nanos now, Nanos captured, const GreyView& grey) noexcept;

  /// Any thread: the next picture shall be a whole one.
  void want_whole() noexcept { want_whole_.store(true, std::memory_order_relaxed); }

 private:
  ChunkPusher chunks_;
  ByteLane* pictures_;  // null: none are wanted
  std::uint8_t camera_;
  TapFlags& flags_;
  bool gap_ = false, in_step_ = false;
  Nanos state_due_ = Nanos::min(), picture_due_ = Nanos::min();
  std::atomic<bool> want_whole_{false};
};

/// The controller's.
class ControlTap {
 public:
  ControlTap(ByteLane& lane, std::span<CameraTap* const> cameras, Bell& bell,
             TapFlags& flags) noexcept;

  /// Before WarningLogic::step(): the logic as it is, and the reports before it, once a second.
  void before_round(Nanos now, const Reports& reports, StateRef logic) noexcept;
  /// After it.
  void after_round(Nanos now, const Reports& reports, const DriverSide& side,
                   const WarningDecision& decision) noexcept;
  /// A frame of the vehicle's, as it was received.
  void vehicle(Nanos now, const CanFrame& frame) noexcept;

 private:
  void lose() noexcept;

  ChunkPusher chunks_;
  std::array<CameraTap*, WarningLogic::kMostCameras> cameras_{};
  Bell& bell_;
  TapFlags& flags_;
  bool gap_ = false, in_step_ = false;
  WarningLevel level_ = WarningLevel::none;
  Nanos state_due_ = Nanos::min();
};

}  // namespace kerb::records
