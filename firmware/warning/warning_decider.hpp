// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "firmware/fuse/people_fuser.hpp"
#include "firmware/types/fields.hpp"
#include "firmware/warning/warning_logic.hpp"

namespace kerb {

/// What decides in a round: the people of all cameras become one list, and that a warning level. In
/// the controller and in a replay alike. One thread; allocates only when constructed; the same
/// inputs give the same bits.
class WarningDecider {
 public:
  static_assert(fuse::kMostCameras == WarningLogic::kMostCameras);

  WarningDecider(const WarningRules& rules, const fuse::FuserSettings& fusion)
      : fuser_{fusion}, logic_{rules} {}

  /// As PeopleFuser and WarningLogic: null is a camera without a report, or one that
  /// cannot see and has nobody to carry on.
  WarningDecision step(Nanos now, const fuse::Reports& reports, const DriverSide& side) noexcept {
    people_ = fuser_.step(reports);
    return logic_.step(now, people_, side);
  }
  /// Everybody in one report, of the last step; valid as PeopleFuser::step() says.
  [[nodiscard]] const fuse::Reports& people() const noexcept { return people_; }

  /// The whole state, for records of warnings; see firmware/types/fields.hpp. The logic's fields
  /// stand first, as in records of programs without fusion.
  void save(FieldWriter& out) const noexcept {
    logic_.save(out);
    out("fuser", fuser_);
  }
  void load(FieldReader& in) noexcept {
    logic_.load(in);
    in("fuser", fuser_);
  }
  void describe(FieldLister& out) const {
    logic_.describe(out);
    out("fuser", fuser_);
  }

 private:
  fuse::PeopleFuser fuser_;
  WarningLogic logic_;
  fuse::Reports people_{};
};

}  // namespace kerb
