// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "firmware/track/existence.hpp"
#include "firmware/track/image_filter.hpp"
#include "firmware/track/person_filter.hpp"
#include "firmware/track/tracker.hpp"
#include "firmware/types/senses.hpp"

namespace kerb::track {

/// What a step of the tracker works with in one frame: camera, settings, time, the car's motion and
/// the camera's pitch.
struct View {
  const Camera& camera;
  const TrackerSettings& settings;
  Nanos now{};
  Travelled way;                         ///< of the car, since the previous frame
  double pitch = 0, pitch_sigma = 0.01;  ///< above the mounting's, radians
  bool pitch_seen = false;               ///< measured in this frame
  bool slow = false;                     ///< the car stands or creeps
  [[nodiscard]] double since(Nanos then) const noexcept {
    return static_cast<double>((now - then).count()) * 1e-9;  // seconds
  }
  /// What own motion in the picture is worth.
  [[nodiscard]] Moves moves(bool seen) const noexcept {
    return !seen ? Moves::not_known : slow ? Moves::surely : Moves::likely;
  }
};

/// One tracked person: position, certainty and appearance. Plain data.
class Track {
 public:
  /// Starts with a detection. False: nobody can stand there.
  bool begin(const View& view, std::uint32_t id, const Detection& box, const Signature& signature,
             Moves moves);
  /// Predicts the track for this frame; `flow`: how the picture moved at its box, or null.
  void advance(const View& view, const BoxFlow* flow);
  /// Log-likelihood ratio of "this box is this person" to "it is not", see MatchSettings; minus
  /// infinity where it cannot be. `unlike`: the spectral difference, 0 to 1, where it is known; it
  /// replaces the difference of appearance. `behind`: covered by another person.
  [[nodiscard]] double likelihood_ratio(const View& view, const Detection& box, const SeenBox& seen,
                                        const Signature& signature, const Appearance* appearance,
                                        const std::optional<double>& unlike, bool behind) const;
  /// Circumstances of a detection.
  struct Finding {
    Moves moves = Moves::not_known;  ///< whether it moves by itself
    bool clear = true;               ///< no other box covers it, so that its appearance is its own
    bool within = false;  ///< it lies within the box of a much nearer person: rather a part of that
                          ///< person than one behind, who would be hidden
  };
  void found(const View& view, const Detection& box, const Signature& signature,
             const Finding& how);
  void missed(const View& view, bool hidden);
  /// Whether a track that is gone may be remembered: a confirmed person at a place in the image.
  [[nodiscard]] bool is_memorable(const View& view) const;
  /// From now on it is remembered only, not reported: a detection that fits gives it back its id.
  void lose() noexcept { lost_ = true; }
  [[nodiscard]] bool lost() const noexcept { return lost_; }
  /// A detection of a person who was lost: starts anew, with the same id and appearance. False:
  /// nobody can stand there.
  bool begin_again(const View& view, const Detection& box, const Signature& signature, Moves moves);
  /// Not detected, but found by the spectrum of their clothes: gives the place across the view
  /// only. False: they cannot be there.
  bool found_by_bands(const View& view, const Likeness& like);
  [[nodiscard]] bool is_gone(const View& view) const;
  void report(const View& view, Person& out) const;

  [[nodiscard]] std::uint32_t id() const noexcept { return id_; }
  [[nodiscard]] Nanos last_seen() const noexcept { return last_seen_; }
  [[nodiscard]] const Detection& box() const noexcept { return box_; }
  [[nodiscard]] bool confirmed() const noexcept { return existence_.confirmed(); }
  [[nodiscard]] bool seen() const noexcept { return seen_; }
  /// In this frame.
  [[nodiscard]] bool found_by_bands() const noexcept { return found_by_bands_; }
  /// The probability that there is a person: by detections, size, place and motion.
  [[nodiscard]] double certainty(const TrackerSettings& settings) const noexcept;
  [[nodiscard]] double x() const noexcept { return filter_.state()[GroundFilter::kX]; }
  [[nodiscard]] double y() const noexcept { return filter_.state()[GroundFilter::kY]; }
  [[nodiscard]] double distance() const noexcept;
  [[nodiscard]] double speed_apart(const Track& other) const noexcept;
  /// Counts the frames in a row in which it was a duplicate of a detected track.
  int note_duplicate(bool is) noexcept {
    return duplicate_frames_ = is ? duplicate_frames_ + 1 : 0;
  }

 private:
  template <typename F>
  friend void fields(F& f, FieldsOf<F, Track>& object);  // state_fields.hpp
  void expect(const View& view);
  [[nodiscard]] bool is_farther(const BoxSettings& settings, const SeenBox& seen) const;
  [[nodiscard]] SeenBox with_correlation(SeenBox seen, const View& view) const;

  std::uint32_t id_ = 0;
  Nanos first_seen_{}, last_seen_{};
  PersonFilter filter_;
  ImageFilter image_;
  Existence existence_;
  Signature signature_;
  GroundFilter::Expected expected_;  // of this frame, with the bias
  GroundFilter::Measured bias_ =
      GroundFilter::Measured::Zero();  // constant offset of the boxes, in heights
  Detection box_;                      // of this frame
  double width_share_ = 0.4;           // of a box's height
  double score_ = 0;
  double missed_s_ = 0;  // time for which it should have been detected and was not
  int duplicate_frames_ = 0;
  int boxes_ = 1;    // detections so far
  int misfits_ = 0;  // in a row: boxes far smaller than the place says
  bool seen_ = false;
  bool lost_ = false;
  bool found_by_bands_ = false;  // in this frame
};

/// A detection as the filter takes it. An edge that is cut by the picture's border is unknown.
[[nodiscard]] SeenBox seen_box(const Camera& camera, const FilterSettings& settings,
                               const Detection& box);

}  // namespace kerb::track
