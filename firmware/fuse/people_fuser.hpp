// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "firmware/fuse/camera_reports.hpp"
#include "firmware/risk/contact.hpp"
#include "firmware/types/fields.hpp"

namespace kerb::fuse {

struct FuserSettings {
  int cameras = 1;
  risk::CarShape car;
  risk::ContactSettings contact;
};

/// Makes one person, with one identity, of the tracks that several cameras have of them.
///
/// Each track belongs to one group, and a group has at most one track of a camera: two people whom
/// one camera sees are never one. A new report's tracks are compared with the other cameras' at the
/// same moment, and assigned one to one with the largest total likelihood ratio (one_person()). The
/// ratio, collected over time, begins a group, and ends it: errors persist, so that it counts per
/// second, not per report. A group lives as long as one of its tracks does, and for a few seconds
/// more: so the identity survives when one camera loses the person, and when they walk from one
/// view into another.
///
/// A group's identity is a camera and the id which that camera's tracker gave: that of the track
/// which was there first. So without a second camera nothing changes: reports pass as they are.
///
/// One thread; allocates only when constructed. The same reports give the same bits.
class PeopleFuser {
 public:
  explicit PeopleFuser(const FuserSettings& settings);
  PeopleFuser(PeopleFuser&&) noexcept;
  PeopleFuser& operator=(PeopleFuser&&) noexcept;
  ~PeopleFuser();

  /// The reports with everybody in one of them: the newest that tells of them, with all cameras'
  /// values as of its moment, and the contact of these. A report in which nothing changes is the
  /// one that was given. Valid until the next call, and while those given are.
  Reports step(const Reports& reports) noexcept;

  /// The whole state, for records of warnings; see firmware/types/fields.hpp.
  void save(FieldWriter& out) const noexcept;
  void load(FieldReader& in) noexcept;
  void describe(FieldLister& out) const;

 private:
  struct State;
  struct Work;
  FuserSettings settings_;
  std::unique_ptr<State> state_;
  std::unique_ptr<Work> work_;  ///< null: a single camera
};

}  // namespace kerb::fuse
