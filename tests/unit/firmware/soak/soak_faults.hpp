// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/random.hpp"
#include "tests/unit/firmware/control/drive.hpp"

namespace kerb::test {

/// A number from least up to most.
inline double between(Random& random, double least, double most) {
  return least + (most - least) * static_cast<double>(random.next() >> 11) * 0x1p-53;
}

enum class SoakFault : std::uint8_t {
  silent,      ///< a camera delivers nothing
  gone,        ///< its plug is out
  no_signal,   ///< it has no input
  damaged,     ///< all of its frames are
  broken,      ///< the detector fails, as with a GPU that refuses
  hung,        ///< an image operator does not come back
  frozen,      ///< all cameras repeat a picture
  dark,        ///< they show black
  white,       ///< or white
  hot,         ///< the board
  unreadable,  ///< its temperature
  mute,        ///< what the car says is lost
  no_yaw,      ///< it does not know how it turns
  lie,         ///< it tells a speed that cannot be
  reverse,     ///< it tells the reverse gear while it drives forward
  bus_down,
  bus_off,
  bus_full,  ///< our queue
  flood,     ///< requests of a workshop, as many as the bus takes
  red_gone,
  amber_gone,
  tone_gone,
  watchdog,  ///< refuses to be fed
  disk_full,
  // Where the product has fault points:
  vision_point,  ///< the GPU refuses
  disk_point,    ///< writes and syncs of one of the files fail, or take long
  wake_point     ///< threads wake late
};
inline constexpr int kSoakFaults = 27;
/// How many of them there are in this build.
[[nodiscard]] int soak_faults_built() noexcept;
[[nodiscard]] const char* name_of(SoakFault fault) noexcept;

/// Breaks and mends parts of a drive at random, never two of a group at once.
class SoakFaults {
 public:
  /// `files`: on the disk that is full now and then.
  SoakFaults(std::uint64_t seed, std::vector<std::string> files);
  ~SoakFaults();
  SoakFaults(const SoakFaults&) = delete;
  SoakFaults& operator=(const SoakFaults&) = delete;

  /// Before the drive's next round.
  void step(Drive& drive);
  /// All is mended, at once.
  void end_all(Drive& drive);

  [[nodiscard]] bool any() const noexcept { return !active_.empty(); }
  [[nodiscard]] bool is(SoakFault fault) const noexcept;
  /// When it last was; long ago where never.
  [[nodiscard]] Nanos last(SoakFault fault) const noexcept {
    return last_[static_cast<std::size_t>(fault)];
  }
  /// One of them must be told by now.
  [[nodiscard]] bool must_show(Nanos now) const noexcept;
  /// No camera of the drive sees anybody.
  [[nodiscard]] bool blind(const Drive& drive) const noexcept;
  [[nodiscard]] const std::array<int, kSoakFaults>& counts() const noexcept { return counts_; }
  /// Those that are there now, in words.
  [[nodiscard]] std::string describe() const;

 private:
  struct Active {
    SoakFault fault;
    std::size_t camera = 0;
    Nanos from{}, until{};
    bool mending = false;  ///< over, but for what has to come back first
    std::string points{};  ///< rules of a FaultPlan
  };
  void begin(Drive& drive, Nanos now);
  static void keep(Drive& drive, const Active& fault);
  bool mend(Drive& drive, Active& fault);
  void fill_disk();
  void plan();
  std::string one_of(std::initializer_list<const char*> rules) {
    return rules.begin()[random_.next() % rules.size()];
  }

  Random random_;
  std::vector<std::string> files_;
  std::vector<Active> active_;
  std::array<int, kSoakFaults> counts_{};
  std::array<Nanos, kSoakFaults> last_{};
  std::size_t cameras_ = 1;
  std::optional<Nanos> next_;
};

}  // namespace kerb::test
