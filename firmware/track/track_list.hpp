// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "firmware/track/assignment.hpp"
#include "firmware/track/track.hpp"

namespace kerb::track {

/// All tracks, and the assignment of detections to them. Allocates nothing.
class TrackList {
 public:
  static constexpr int kMost = PersonList::kCapacity;

  void clear() noexcept { count_ = 0; }
  /// Those that are reported.
  [[nodiscard]] int count() const noexcept;
  /// Predicts all tracks for this frame; `senses.flows` are in the order of the last report().
  void advance(const View& view, const Senses& senses);
  /// Assigns each detection to a track, or starts a new one with it.
  void take(const View& view, const Senses& senses, const Appearance* appearance);
  void drop_gone(const View& view);
  /// All tracks, confirmed ones first, then by distance. Keeps that order for advance().
  void report(const View& view, PersonList& out);

 private:
  template <typename F>
  friend void fields(F& f, FieldsOf<F, TrackList>& object);  // state_fields.hpp
  template <typename Is>
  void match(const View& view, const Senses& senses, const Appearance* appearance, const Is& is);
  template <typename Is>
  void assign(const View& view, const Senses& senses, const Appearance* appearance, const Is& is);
  void begin_new(const View& view, const Senses& senses);
  void recall(const View& view, const Senses& senses, const Appearance* appearance);
  [[nodiscard]] bool make_room() noexcept;
  void note_misses(const View& view, const Senses& senses);
  [[nodiscard]] bool is_covered(int person, bool found) const;
  [[nodiscard]] bool is_hidden(const View& view, int person) const;
  [[nodiscard]] bool is_within(const Detection& box, double distance) const;
  [[nodiscard]] bool is_free(const Senses& senses, const Likeness& like, int person) const;
  [[nodiscard]] bool is_taken(const Detection& box) const;
  [[nodiscard]] bool is_clear(const Senses& senses, int detection) const;
  [[nodiscard]] static bool is_duplicate(const View& view, const Track& duplicate, const Track& p);
  void drop_duplicates(const View& view);
  void remove(int person) noexcept;

  std::array<Track, kMost> people_{};
  int count_ = 0;
  std::uint32_t next_id_ = 1;
  // Of this frame's detections.
  std::array<SeenBox, kMost> seen_{};
  std::array<bool, kMost> usable_{}, taken_{};
  Assignment assignment_;
  std::array<int, kMost> person_{}, detection_{};  // rows and columns of the assignment
};

}  // namespace kerb::track
