// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "firmware/types/fields.hpp"
#include "firmware/types/people_report.hpp"
#include "firmware/types/sensitivity.hpp"
#include "firmware/types/vehicle_body.hpp"
#include "firmware/types/warning_level.hpp"
#include "hal/base/clock.hpp"

namespace kerb {

/// What the warning needs to know beside the people, each control round.
struct DriverSide {
  Readiness readiness = Readiness::starting;
  std::optional<double> speed_mps;
  std::optional<double> yaw_rate_radps;
  std::optional<Gear> gear;
  std::optional<TurnSignal> turn_signal;
};

/// What the driver is told.
struct WarningDecision {
  WarningLevel level = WarningLevel::none;
  std::optional<double> time_to_collision_s;
  std::optional<std::uint32_t> person;  ///< id
  int camera = 0;                       ///< that follows them
};

/// When somebody is warned of. Plain data; of(Sensitivity) has the values that ship.
struct WarningRules {
  // Collision: a contact this likely, this soon. The time is what a driver takes to react and to do
  // something about it: longer the faster the car, up to `most_ahead_s`.
  double likelihood = 0.55;
  double standing_ahead_s = 2.1;         ///< at no speed
  double longer_ahead_s_per_mps = 0.05;  ///< and more for each m/s
  double most_ahead_s = 2.4;
  // A car that creeps stops at once: only a contact that is nearly certain, and now.
  double creeping_likelihood = 0.9;
  double creeping_ahead_s = 1.0;
  [[nodiscard]] static WarningRules of(Sensitivity sensitivity) noexcept;
  /// How long ahead a contact is warned of at this speed.
  [[nodiscard]] double ahead_s(double speed_mps) const noexcept;
};

/// Decides what the driver is told, each control round, from the newest report of each camera.
/// Bit for bit the same for the same inputs. One thread; allocates nothing.
///
/// Collision: a confirmed person whom the car touches with at least the likelihood of the rules,
/// within their time, by at least two reports that span 32 ms (up to 92 ms where the contact is 2 s
/// away: there is time to be sure, and to see whether it becomes less likely, as it does for
/// whoever stands beyond a bend that the car begins to take). It stays while it is so by a looser
/// measure, and a little longer, lest it flicker; once the driver brakes hard only while as likely
/// as to begin one; and when braking or steering have ended the danger it ends without delay.
/// Information: a car that stands or creeps, and a confirmed person right in front of it.
/// No level lasts less than kShortest, and none comes again within kPause of its end (after a
/// collision warning, information may). Whoever turns from information to collision does so at
/// once. When nothing can be warned of any more (not ready, or reports older than kStale) nothing
/// begins, and what there is ends as soon as kShortest allows.
class WarningLogic {
 public:
  static constexpr int kMostCameras = 4;
  static constexpr Nanos kShortest = std::chrono::milliseconds{600};
  static constexpr Nanos kPause = std::chrono::milliseconds{1050};
  static constexpr Nanos kStale = std::chrono::milliseconds{300};

  explicit WarningLogic(Sensitivity sensitivity) noexcept;
  explicit WarningLogic(const WarningRules& rules) noexcept : rules_{rules} {}
  /// `reports`: of each camera, null where there is none yet. `now` does not go back.
  WarningDecision step(Nanos now,
                       const std::array<const risk::PeopleReport*, kMostCameras>& reports,
                       const DriverSide& side) noexcept;
  /// All that it remembers, for records of warnings; see types/fields.hpp.
  void save(FieldWriter& out) const noexcept;
  void load(FieldReader& in) noexcept;
  void describe(FieldLister& out) const;

 private:
  /// What speaks for a level, as of the newest reports.
  struct Case {
    bool begins = false;  ///< enough to begin it
    bool stays = false;   ///< enough for it to go on
    std::optional<std::uint32_t> person;
    int camera = 0;
    std::optional<double> time_s;
    void add(bool begin, bool stay, std::uint32_t id, int seen_by,
             std::optional<double> in_s) noexcept;
  };
  /// Who has been seen to be in danger, or close, and in how many reports.
  class Suspects {
   public:
    struct Said {
      bool enough = false;
      bool wanes = false;  ///< it was likelier a moment ago
    };
    /// Takes in what a report says of somebody, each report once: whether it is enough by now.
    Said take(int camera, std::uint32_t id, Nanos at, bool speaks_for, double likelihood,
              Nanos enough) noexcept;
    void forget(Nanos now) noexcept;
    void clear() noexcept { count_ = 0; }
    void save(FieldWriter& out) const noexcept;
    void load(FieldReader& in) noexcept;
    void describe(FieldLister& out) const;

   private:
    struct Suspect {
      std::uint32_t id = 0;
      int camera = 0;
      Nanos spoke{};      ///< so long the reports spoke for it, less so long they did not
      int reports = 0;    ///< that did
      Nanos last{};       ///< the newest looked at
      double lately = 0;  ///< how likely it was
    };
    template <typename F, typename Self>
    static void list(F& f, Self& s);
    static constexpr int kCapacity = 64;
    int count_ = 0;
    std::array<Suspect, kCapacity> items_{};
  };

  template <typename F, typename Self>
  static void list(F& f, Self& s);
  void look(Nanos now, int camera, const risk::PeopleReport& report, Case& collision,
            Case& information) noexcept;
  [[nodiscard]] WarningLevel next(Nanos now, const Case& collision,
                                  const Case& information) noexcept;

  WarningRules rules_;
  bool creeping_ = false;  ///< for information
  bool slow_ = false;      ///< for collision: the rules of a creeping car
  bool sees_ = false;      ///< ready, and some report is not old
  bool brakes_ = false, brakes_hard_ = false, steers_ = false;
  Suspects endangered_, close_;
  WarningLevel level_ = WarningLevel::none;
  Nanos since_{};                                    ///< of the level
  Nanos collision_wanted_{}, information_wanted_{};  ///< when it last had reason to be
  std::optional<Nanos> collision_ended_, information_ended_;
  WarningDecision told_;
};

}  // namespace kerb
