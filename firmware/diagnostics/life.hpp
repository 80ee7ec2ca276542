// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "firmware/health/health_monitor.hpp"
#include "firmware/types/warning_level.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/result.hpp"

/// What outlives every start: counters of the product's life, and the driver's off switch. Two
/// copies, written in turn, each replaced as a whole: a power cut leaves the last or the one
/// before.
namespace kerb::diagnostics {

/// Room for causes to come, so that identifiers keep their length.
inline constexpr std::size_t kFaultCounters = 64;

/// All saturate.
struct LifeCounters {
  std::uint64_t distance_mm = 0;                   ///< of the vehicle, while its speed was known
  std::uint64_t run_ms = 0, active_ms = 0;         ///< running; of that, ACTIVE
  std::uint64_t ready_ms = 0;                      ///< a warning would have been given
  std::uint32_t starts = 0;                        ///< of the program
  std::uint32_t interrupted = 0;                   ///< runs without an orderly end
  std::uint32_t informations = 0, collisions = 0;  ///< warnings of people that began
  std::array<std::uint32_t, kFaultCounters> faults{};  ///< by cause; of all cameras together
  friend bool operator==(const LifeCounters&, const LifeCounters&) = default;
};

/// The driver has switched warnings off.
struct KeptSwitch {
  bool off = false;
  std::uint8_t ignition_cycle = 0;  ///< in which; 0: the vehicle does not count them
  friend bool operator==(const KeptSwitch&, const KeptSwitch&) = default;
};

struct LifeImage {
  std::uint64_t sequence = 0;  ///< of the writes
  bool running = false;        ///< the program has not ended in order
  KeptSwitch off_switch;
  LifeCounters counters;
  friend bool operator==(const LifeImage&, const LifeImage&) = default;
};

[[nodiscard]] std::vector<std::byte> encode(const LifeImage& image);
/// Fails: damaged.
Result<LifeImage> decode_life(std::span<const std::byte> bytes);

/// The newer of both copies that is good: PATH.a and PATH.b. Fails: not_found (there is none),
/// damaged (neither is good), io.
Result<LifeImage> load_life(const std::string& path);
/// Replaces the older copy. Fails: io; the newer one is as before.
Status save_life(const std::string& path, const LifeImage& image);

/// For people, and for machines as one JSON object.
[[nodiscard]] std::string render_life(const LifeImage& image);
[[nodiscard]] std::string render_life_json(const LifeImage& image);

/// What a round adds.
struct LifeRound {
  Nanos now{};
  HealthState state = HealthState::starting;
  Readiness readiness = Readiness::starting;
  std::optional<double> speed_mps;                 ///< nothing: not known
  std::uint64_t informations = 0, collisions = 0;  ///< since the program's start
};

/// Counts. Pure logic; one thread; allocates nothing.
class LifeTally {
 public:
  /// Rounds farther apart than this count as this: a clock that jumps adds no hours.
  static constexpr Nanos kLongestRound = std::chrono::seconds{1};

  /// Goes on from what was kept: a start, and where the last run did not end in order, that.
  explicit LifeTally(const LifeImage& kept) noexcept;
  void round(const LifeRound& round, const HealthMonitor& monitor) noexcept;
  /// A distance or time that is already kept is not lost by it; the image says that it has ended.
  void finish() noexcept { image_.running = false; }
  void keep(const KeptSwitch& off_switch) noexcept { image_.off_switch = off_switch; }
  [[nodiscard]] const LifeImage& image() const noexcept { return image_; }

 private:
  void count_faults(const HealthMonitor& monitor) noexcept;

  LifeImage image_;
  std::optional<Nanos> last_;
  double rest_mm_ = 0;                ///< of a millimetre
  Nanos run_{}, active_{}, ready_{};  ///< of a millisecond
  std::uint64_t informations_ = 0, collisions_ = 0;
  std::array<bool, static_cast<std::size_t>(kCauseCount) * HealthMonitor::kMaxCameras> there_{};
};

}  // namespace kerb::diagnostics
