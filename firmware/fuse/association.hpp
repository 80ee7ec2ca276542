// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>

#include "firmware/fuse/person_groups.hpp"

/// Who is who: which tracks of several cameras are one person. What speaks for it is collected over
/// time; enough of it makes one group of two, or two of one (person_groups.hpp).
namespace kerb::fuse {

/// A track that may belong to another group than its own.
struct Candidate {
  Identity track, group;
  double evidence = 0;   ///< that it does: a log-likelihood ratio
  bool renewed = false;  ///< in this step
};

/// All of them: what lasts from step to step, beside the evidence in each Member.
struct CandidateList {
  static constexpr int kMost = kMostCameras * kPeople;

  int count = 0;
  std::array<Candidate, kMost> items{};

  /// Its fields in a record, as a part of those of PeopleFuser.
  template <typename F, typename Self>
  static void list(F& f, Self& s) {
    static_assert(sizeof(Candidate) == 32, "a new member? list it");
    f.list("candidates", s.count, kMost, [&](std::size_t i) {
      auto& c = s.items[i];
      identity_fields(f, "track_id", "track_camera", c.track);
      identity_fields(f, "group_id", "group_camera", c.group);
      f("evidence", c.evidence);
    });
  }

  void clear() noexcept { count = 0; }
};

/// Compares one camera's tracks with the groups, and puts them into the groups they belong to.
///
/// The tracks of a report are assigned to the groups one to one, with the largest total
/// likelihood ratio (one_person()). The ratio counts per second, not per report, as errors persist.
/// `tracks` and `candidates` outlive this. One thread; allocates nothing. The cost of a report
/// grows with its tracks times the groups.
class Association {
 public:
  Association(GroupedTracks& tracks, CandidateList& candidates) noexcept
      : tracks_{tracks}, candidates_{candidates} {}

  /// Of a camera whose report is new and usable, `dt` seconds after the one before. Comes after
  /// tracks.take(). Changes groups and their numbers.
  void update(std::size_t c, double dt) noexcept;

  /// Comes after the step's update() of all cameras. Decides who is not to be confirmed yet:
  /// somebody new who is probably a person whom another camera has confirmed, or they would be two
  /// until that is settled. The others who are confirmed count as told from now on.
  void hold_back() noexcept;
  /// As the last hold_back() has it. Group numbers have not changed since.
  [[nodiscard]] bool is_held_back(int group) const noexcept { return held_back_[slot(group)]; }

 private:
  using Track = GroupedTracks::Track;
  static constexpr int kColumns = 128;    // groups that one report's tracks may be
  static constexpr double kNever = -1e6;  // the ratio of two that cannot be one

  void assign(std::size_t c) noexcept;
  void solve(int rows) noexcept;
  void weigh(std::size_t c, double dt) noexcept;
  void leave(std::size_t c) noexcept;
  void join(std::size_t c) noexcept;
  [[nodiscard]] bool may_join(std::size_t c, const Track& track, int to) const noexcept;
  [[nodiscard]] Candidate* candidate(const Identity& track, const Identity& group) noexcept;
  void drop(int candidate) noexcept;

  GroupedTracks& tracks_;
  CandidateList& candidates_;
  std::array<bool, GroupList::kMost> held_back_{};

  // The assignment of one report. Its rows are the tracks.
  int columns_ = 0;
  std::array<int, kColumns> group_of_{};
  std::array<std::array<double, kColumns>, kPeople> ratio_{};
  std::array<double, kPeople> own_ratio_{};
  std::array<int, kPeople> assigned_{};  // column; -1: none
  std::array<double, kPeople + 1> row_price_{};
  std::array<double, kColumns + kPeople + 1> column_price_{}, least_{};
  std::array<bool, kColumns + kPeople + 1> used_{};
  std::array<int, kColumns + kPeople + 1> row_at_{}, from_column_{};
};

}  // namespace kerb::fuse
