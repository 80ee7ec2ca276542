// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "firmware/track/existence.hpp"
#include "firmware/track/person_filter.hpp"
#include "firmware/track/tracker.hpp"
#include "firmware/types/senses.hpp"

namespace kerb::track {

/// What the camera sees and how well its pitch is known, as of one frame.
struct View {
  const Camera& camera;
  const TrackerSettings& settings;
  Nanos now{};
  Travelled way;                         ///< of the car, since the frame before
  double pitch = 0, pitch_sigma = 0.01;  ///< above the mounting's
  bool pitch_seen = false;               ///< in this frame
  bool slow = false;                     ///< the car stands or creeps
  /// What motion that was seen in a picture says.
  [[nodiscard]] Moves moves(bool seen) const noexcept {
    return !seen ? Moves::not_known : slow ? Moves::surely : Moves::likely;
  }
};

/// One person who is followed: where, how surely, and what they look like. Plain data.
class Followed {
 public:
  /// False: nobody can stand there.
  bool begin(const View& view, std::uint32_t id, const Detection& box, const Signature& look,
             Moves moves);
  /// On to this frame, with how the picture moved.
  void advance(const View& view, const BoxFlow* flow);
  /// What it would cost to say that this box is this person; infinite where it cannot be. `unlike`:
  /// how different its bands are, 0 to 1, where that is known; it counts instead of the looks.
  [[nodiscard]] double cost(const View& view, const Detection& box, const SeenBox& seen,
                            const Signature& look, const Appearance* appearance,
                            const std::optional<double>& unlike = std::nullopt) const;
  /// How a box was found.
  struct Finding {
    Moves moves = Moves::not_known;  ///< by itself, the motion watch says
    bool clear = true;               ///< no other box covers it, so that its looks are its own
    bool within = false;  ///< it lies within the box of somebody much nearer: more likely a part of
                          ///< them than somebody behind, whom they would hide
  };
  void found(const View& view, const Detection& box, const Signature& look, const Finding& how);
  void missed(const View& view, bool hidden);
  /// Not found by the detector, but by what they wear: only where across the view is known. False:
  /// that is not where they can be.
  bool made_out(const View& view, const Likeness& like);
  [[nodiscard]] bool is_gone(const View& view) const;
  void tell(Person& out) const;

  [[nodiscard]] std::uint32_t id() const noexcept { return id_; }
  [[nodiscard]] const Detection& box() const noexcept { return box_; }
  [[nodiscard]] bool confirmed() const noexcept { return existence_.confirmed(); }
  [[nodiscard]] bool seen() const noexcept { return seen_; }
  /// In this frame, by what they wear.
  [[nodiscard]] bool made_out() const noexcept { return made_out_; }
  [[nodiscard]] const Existence& existence() const noexcept { return existence_; }
  [[nodiscard]] double x() const noexcept { return filter_.state()[GroundFilter::kX]; }
  [[nodiscard]] double y() const noexcept { return filter_.state()[GroundFilter::kY]; }
  [[nodiscard]] double distance() const noexcept;
  [[nodiscard]] double speed_apart(const Followed& other) const noexcept;
  /// How many frames in a row it has been where another was found.
  int note_shadow(bool is) noexcept { return shadowed_ = is ? shadowed_ + 1 : 0; }

 private:
  template <typename F>
  friend void fields(F& f, FieldsOf<F, Followed>& object);  // state_fields.hpp
  void expect(const View& view);
  [[nodiscard]] SeenBox with_memory(SeenBox seen, const View& view) const;

  std::uint32_t id_ = 0;
  Nanos first_seen_{}, last_seen_{};
  PersonFilter filter_;
  Existence existence_;
  Signature look_;
  GroundFilter::Expected expected_;  // of this frame, with the habit
  GroundFilter::Measured habit_ =
      GroundFilter::Measured::Zero();  // by which boxes are off, heights
  Detection box_;                      // of this frame
  double width_share_ = 0.4;           // of a box's height
  double score_ = 0;
  double missed_s_ = 0;  // how long it should have been seen and was not
  int shadowed_ = 0;
  int boxes_ = 1;  // of the detector, so far
  bool seen_ = false;
  bool made_out_ = false;  // of one frame
};

/// A box for the filter: where it is cut by the picture's edge, that edge tells nothing.
[[nodiscard]] SeenBox seen_box(const Camera& camera, const FilterSettings& settings,
                               const Detection& box);

}  // namespace kerb::track
