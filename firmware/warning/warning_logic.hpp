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
  static constexpr int kMostCameras = 4;
  Readiness readiness = Readiness::starting;
  std::optional<double> speed_mps;
  std::optional<double> yaw_rate_radps;
  std::optional<Gear> gear;
  std::optional<TurnSignal> turn_signal;
  std::array<bool, kMostCameras> sees{true, true, true, true};  ///< by its state of health
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
/// two reports; of who is not confirmed, two of pictures that were searched. Once begun it stays
/// until the danger is gone or passed: while the contact remains possible, also while the person is
/// not detected, and a second more. Where the track of that person is lost meanwhile, nothing says
/// that the danger is gone: it stays until the contact should have happened. While the driver
/// brakes hard it continues only with the likelihood that begins one; when braking or steering have
/// ended the danger it ends without delay. Information: the car stands or creeps, and a confirmed
/// person is right in front of it. No level lasts less than kShortest. Once the danger from
/// somebody is gone, they are not warned of again within kPause; others are at once. Information
/// does not begin again within kPause (except after a collision warning). The change from
/// information to collision is immediate.
///
/// A fault is no evidence that the danger is gone. Where no camera sees the person any more, where
/// a cause of health or a lost speed stops warnings, or where no reports come, a collision warning
/// stays until the contact should have happened: by the people who are carried on without pictures
/// (risk::is_carried()), or by the time that was last expected. One begins for people who are
/// carried on, too, as long as the rules allow (`blind_s`). It ends as soon as kShortest allows
/// when the driver switches warnings off or drives backwards.
class WarningLogic {
 public:
  static constexpr int kMostCameras = DriverSide::kMostCameras;
  static constexpr Nanos kShortest = std::chrono::milliseconds{600};
  static constexpr Nanos kPause = std::chrono::milliseconds{1050};
  static constexpr Nanos kStale = std::chrono::milliseconds{300};
  static constexpr Nanos kPassed = std::chrono::milliseconds{300};  ///< after a contact unseen

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
  void assess(Nanos now, int reporter, bool sees, const risk::PeopleReport& report, Case& collision,
              Case& information) noexcept;
  [[nodiscard]] bool may_begin(Nanos now, std::uint32_t person, int camera) const noexcept;
  [[nodiscard]] bool is_unseen(Nanos now) const noexcept;
  void decide(Nanos now, const Case& collision, const Case& information) noexcept;
  [[nodiscard]] WarningLevel next(Nanos now, const Case& collision,
                                  const Case& information) noexcept;

  WarningRules rules_;
  bool creeping_ = false;  ///< for information
  bool slow_ = false;      ///< for collision: the rules of a creeping car
  bool ready_ = false;     ///< as of the last round
  bool able_ = false;      ///< a warning may begin: it is ready, or was a moment ago
  bool sees_ = false;      ///< a camera sees, by a recent report
  bool stopped_ = false;   ///< by the driver, or by driving backwards
  bool brakes_ = false, brakes_hard_ = false, steers_ = false;
  bool warned_seen_ = false;  ///< the person of the warning is in a report
  Candidates endangered_, close_;
  WarningLevel level_ = WarningLevel::none;
  Nanos since_{};                                    ///< of the level
  Nanos collision_wanted_{}, information_wanted_{};  ///< when there was last a reason for it
  Nanos contact_at_{};  ///< when the contact was last expected, of the collision warning
  std::optional<Nanos> unable_since_;  ///< no warning is possible; none: one is, or never was
  std::optional<Nanos> collision_ended_, information_ended_;
  std::optional<std::uint32_t> ended_for_;  ///< whose danger was gone at the end of the collision
  int ended_camera_ = 0;
  WarningDecision decision_;
};

}  // namespace kerb
