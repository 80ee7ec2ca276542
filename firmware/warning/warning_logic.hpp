// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "firmware/types/fields.hpp"
#include "firmware/types/people_report.hpp"
#include "firmware/types/vehicle_body.hpp"
#include "firmware/types/warning_level.hpp"
#include "firmware/types/warning_rules.hpp"
#include "hal/base/clock.hpp"

namespace kerb {

/// The inputs of the warning logic beside people, each control round.
struct DriverSide {
  Readiness readiness = Readiness::starting;
  std::optional<double> speed_mps;
  std::optional<double> yaw_rate_radps;
  std::optional<Gear> gear;
  std::optional<TurnSignal> turn_signal;
};

/// What is shown to the driver.
struct WarningDecision {
  WarningLevel level = WarningLevel::none;
  std::optional<double> time_to_collision_s;
  std::optional<std::uint32_t> person;  ///< id
  int camera = 0;                       ///< whose tracker gave the id
};

/// Decides the warning level, each control round, from the newest report of each camera. The same
/// inputs give the same bits. One thread; allocates nothing.
///
/// Collision begins for a person whom the car touches with at least the likelihood of the rules
/// (that of the contact times that of a person being there at all), within their time, in at least
/// two reports. Once begun it stays until the danger is gone or passed: while the contact remains
/// possible, also while the person is not detected, and a second more. Where the track of that
/// person is lost meanwhile, nothing says that the danger is gone: it stays until the contact
/// should have happened. While the driver brakes hard it continues only with the likelihood that
/// begins one; when braking or steering have ended the danger it ends without delay. Information:
/// the car stands or creeps, and a confirmed person is right in front of it. No level lasts less
/// than kShortest, and none begins again within kPause of its end (except information after a
/// collision warning). The change from information to collision is immediate. When no warning is
/// possible any more (not ready, or reports older than kStale) none begins, and a present one ends
/// as soon as kShortest allows.
class WarningLogic {
 public:
  static constexpr int kMostCameras = 4;
  static constexpr Nanos kShortest = std::chrono::milliseconds{600};
  static constexpr Nanos kPause = std::chrono::milliseconds{1050};
  static constexpr Nanos kStale = std::chrono::milliseconds{300};

  explicit WarningLogic(const WarningRules& rules) noexcept : rules_{rules} {}
  /// `reports`: of each camera, null where there is none yet. `now` does not go back.
  WarningDecision step(Nanos now,
                       const std::array<const risk::PeopleReport*, kMostCameras>& reports,
                       const DriverSide& side) noexcept;
  /// The whole state, for records of warnings; see firmware/types/fields.hpp.
  void save(FieldWriter& out) const noexcept;
  void load(FieldReader& in) noexcept;
  void describe(FieldLister& out) const;

 private:
  /// The reasons for a level, as of the newest reports.
  struct Case {
    bool begins = false;  ///< enough to begin it
    bool stays = false;   ///< enough to continue it
    std::optional<std::uint32_t> person;
    int camera = 0;
    std::optional<double> time_s;
    void add(bool begin, bool stay, std::uint32_t id, int seen_by,
             std::optional<double> in_s) noexcept;
  };
  /// People who may cause a level, with the evidence collected over reports.
  class Candidates {
   public:
    struct Enough {
      int reports = 2;  ///< that support the level
      Nanos time{};     ///< that they span, less time with others
    };
    /// Takes in one report of a person, each report once. `supports`: it supports the level. True:
    /// that is enough to begin it.
    bool take(int camera, std::uint32_t id, Nanos at, bool supports, const Enough& enough) noexcept;
    void forget(Nanos now) noexcept;
    void clear() noexcept { count_ = 0; }
    void save(FieldWriter& out) const noexcept;
    void load(FieldReader& in) noexcept;
    void describe(FieldLister& out) const;

   private:
    struct Candidate {
      std::uint32_t id = 0;
      int camera = 0;
      Nanos support{};  ///< time with supporting reports, less time with others
      int reports = 0;  ///< supporting ones
      Nanos last{};     ///< time of the newest report
    };
    template <typename F, typename Self>
    static void list(F& f, Self& s);
    static constexpr int kCapacity = 64;
    int count_ = 0;
    std::array<Candidate, kCapacity> items_{};
  };

  template <typename F, typename Self>
  static void list(F& f, Self& s);
  void assess(Nanos now, int reporter, const risk::PeopleReport& report, Case& collision,
              Case& information) noexcept;
  [[nodiscard]] bool is_lost(Nanos now) const noexcept;
  [[nodiscard]] WarningLevel next(Nanos now, const Case& collision,
                                  const Case& information) noexcept;

  WarningRules rules_;
  bool creeping_ = false;  ///< for information
  bool slow_ = false;      ///< for collision: the rules of a creeping car
  bool sees_ = false;      ///< ready, and there is a recent report
  bool brakes_ = false, brakes_hard_ = false, steers_ = false;
  bool warned_seen_ = false;  ///< the person of the warning is in a report
  Candidates endangered_, close_;
  WarningLevel level_ = WarningLevel::none;
  Nanos since_{};                                    ///< of the level
  Nanos collision_wanted_{}, information_wanted_{};  ///< when there was last a reason for it
  Nanos contact_at_{};  ///< when the contact was last expected, of the collision warning
  std::optional<Nanos> collision_ended_, information_ended_;
  WarningDecision decision_;
};

}  // namespace kerb
