// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "firmware/fuse/camera_reports.hpp"
#include "firmware/fuse/estimate.hpp"
#include "firmware/types/person.hpp"
#include "hal/base/clock.hpp"

/// The list of people that the tracks of several cameras make up: under which identity somebody is
/// in it, for how long, and where they are. Which tracks are one person is decided elsewhere
/// (association.hpp).
namespace kerb::fuse {

inline constexpr std::size_t kCameras = kMostCameras;
inline constexpr int kPeople = track::PersonList::kCapacity;  ///< of one report

/// Fixed settings of how long people stay in the list; tests/unit/firmware/fuse shows what a change
/// does.
struct GroupTuning {
  /// A track that is gone may come back with its id: longer than the tracker remembers.
  Nanos remembers = std::chrono::seconds{5};
  /// A person whom no camera sees may appear in another one.
  Nanos hands_over = std::chrono::seconds{2};
};
inline constexpr GroupTuning kGroupTuning{};

/// An int that is not negative, as an index.
[[nodiscard]] constexpr std::size_t slot(int i) noexcept { return static_cast<std::size_t>(i); }

/// A person's: a camera, and the id that its tracker gave (or another, where that was in use).
struct Identity {
  std::uint32_t id = 0;
  std::uint8_t camera = 0;
  bool operator==(const Identity&) const = default;
};

/// A track of one camera, in a group.
struct Member {
  std::uint32_t id = 0;  ///< 0: none
  bool present = false;  ///< in that camera's newest report
  Nanos last{};          ///< when it was
  double evidence = 0;   ///< that it is the same person as the others
};

/// One person: at most one track of each camera.
struct Group {
  Identity identity;
  bool told = false;   ///< somebody has been confirmed with this identity
  Nanos first_seen{};  ///< by the earliest of its tracks
  Nanos last{};        ///< when a track was there
  std::array<Member, kCameras> of{};
  Moving state;  ///< as of the fuser's time
};

/// Which of two identities stays: one that others know, then the one that was there first.
[[nodiscard]] bool is_older(const Group& a, const Group& b) noexcept;

/// Of a record. An identity without such a camera is refused.
template <typename F, typename I>
void identity_fields(F& f, const char* id, const char* camera, I& identity) {
  f(id, identity.id)(camera, identity.camera);
  if constexpr (F::kReads)
    if (identity.camera >= kMostCameras) {
      identity.camera = 0;
      f.fail();
    }
}

/// Everybody there is: what lasts from step to step. Identities are unique.
struct GroupList {
  static constexpr int kMost =
      kMostCameras * kPeople + kPeople;                      // all tracks, and some who are lost
  static constexpr std::uint32_t kFirstFresh = 0x3000'0000;  // ids that no tracker reaches
  static constexpr std::uint32_t kLastFresh = 0x3FFF'FFFF;

  std::uint32_t fresh = kFirstFresh;  ///< the next id for one that is in use
  int count = 0;
  std::array<Group, kMost> items{};

  /// Its fields in a record, as a part of those of PeopleFuser.
  template <typename F, typename Self>
  static void list(F& f, Self& s) {
    static_assert(
        sizeof(Member) == 24 && sizeof(Group) == 32 + kCameras * sizeof(Member) + sizeof(Moving),
        "a new member? list it");
    f("fresh", s.fresh);
    f.list("groups", s.count, kMost, [&](std::size_t i) {
      auto& g = s.items[i];
      identity_fields(f, "id", "camera", g.identity);
      f("told", g.told)("first_seen", g.first_seen)("last", g.last);
      f("mean", g.state.mean)("covariance", g.state.covariance);
      std::array<std::uint32_t, kCameras> id{};
      std::array<bool, kCameras> present{};
      std::array<Nanos, kCameras> last{};
      std::array<double, kCameras> evidence{};
      for (std::size_t c = 0; c < kCameras; ++c) {
        id[c] = g.of[c].id;
        present[c] = g.of[c].present;
        last[c] = g.of[c].last;
        evidence[c] = g.of[c].evidence;
      }
      f("tracks", id)("present", present)("seen", last)("evidence", evidence);
      if constexpr (F::kReads)
        for (std::size_t c = 0; c < kCameras; ++c)
          g.of[c] = {id[c], present[c], last[c], evidence[c]};
    });
  }

  /// The number of the group with this identity; -1: none.
  [[nodiscard]] int find(const Identity& identity) const noexcept;
  /// The tracker's own id as an identity or, where that is in use, another one.
  [[nodiscard]] Identity identity_for(std::uint8_t camera, std::uint32_t id) noexcept;
  /// Moves everybody on, as the car's way has it.
  void advance_all(const Way& way) noexcept;
  void clear() noexcept { count = 0; }
};

/// A camera's newest report, in one step.
struct NewestReport {
  const risk::PeopleReport* report = nullptr;  ///< null: none
  bool usable = false;                         ///< recent enough to compare it with others
  Way since;                                   ///< the car's, from the report to now
};
using NewestReports = std::array<NewestReport, kCameras>;

/// The tracks of the newest reports, each with its group: room for one step, which begins with
/// take(). Keeps the groups: begins them, ends them, passes their identities on.
///
/// A group's number holds until take(), split() or merge(): where a group ends, the last one gets
/// its number. The list, and the reports of the last take(), outlive the use of this. One thread;
/// allocates nothing.
class GroupedTracks {
 public:
  /// A track, as of now.
  struct Track {
    const track::Person* person = nullptr;
    int group = -1;       ///< -1: none, for the report or its id is damaged, or there is no room
    bool proper = false;  ///< its state is
    Moving state;
  };

  explicit GroupedTracks(GroupList& groups) noexcept : groups_{groups} {}

  /// Finds the group of each track; begins one for a track that has none. Ends those whose tracks
  /// are all gone for longer than they are remembered and, where there is no room, the one who was
  /// lost longest ago. The groups' states are as of `now` already.
  void take(const NewestReports& reports, Nanos now) noexcept;
  /// A track leaves its group and begins one of its own. The one whose id is the group's identity
  /// keeps it; the group then gets that of another of its tracks, or ends if it has none. Only for
  /// a track that has a group.
  void split(std::size_t c, int track) noexcept;
  /// Two groups, or a group and somebody who was lost, become one. `from` ends. The identity is
  /// that which others know; of two, the older one. Each of the tracks then has at least this
  /// evidence. Only for two that are apart(), or of which one is lost.
  void merge(int from, int into, double least_evidence) noexcept;
  /// Keeps for everybody where they are now: for the time when they are lost.
  void settle() noexcept;

  /// Where the surest of the group's tracks of other cameras than `c` puts the person (kCameras: of
  /// any camera); of somebody who is lost, where they should be by now. False: there is no such
  /// track now, and the person is not lost either, or has been for too long.
  [[nodiscard]] bool rest_of(int group, std::size_t c, Moving& rest) const noexcept;
  /// No camera has a track in both.
  [[nodiscard]] bool apart(int a, int b) const noexcept;

  [[nodiscard]] GroupList& groups() const noexcept { return groups_; }
  [[nodiscard]] Group& group(int i) const noexcept { return groups_.items[slot(i)]; }
  /// The newest report of a camera that has one.
  [[nodiscard]] const risk::PeopleReport& report(std::size_t c) const noexcept {
    return *in_[c].report;
  }
  /// How many tracks a camera has; 0: or no report.
  [[nodiscard]] int people(std::size_t c) const noexcept {
    return in_[c].report == nullptr ? 0 : std::clamp(in_[c].report->people.count, 0, kPeople);
  }
  [[nodiscard]] const Track& track(std::size_t c, int i) const noexcept {
    return tracks_[c][slot(i)];
  }
  /// The place of a group's track in each camera's report; -1: there is none.
  [[nodiscard]] const std::array<int, kCameras>& place_of(int group) const noexcept {
    return place_of_[slot(group)];
  }

 private:
  void index() noexcept;
  void add(std::size_t c, const track::Person& person) noexcept;
  void remove(int i) noexcept { group(i) = group(--groups_.count); }

  GroupList& groups_;
  NewestReports in_{};
  Nanos now_{};
  std::array<std::array<Track, kPeople>, kCameras> tracks_{};
  std::array<std::array<int, kCameras>, GroupList::kMost> place_of_{};
};

}  // namespace kerb::fuse
