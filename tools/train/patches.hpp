// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <compare>
#include <cstdint>
#include <vector>

#include "gpu/hog/search.hpp"
#include "tools/train/pictures.hpp"

namespace kerb::train {

/// Which planes the engines scale and look at: grey, R G B (dense HoG in colour), or L U V
/// (cascades with colour).
enum class Planes : std::uint8_t { grey, rgb, luv };
[[nodiscard]] constexpr int count_of(Planes planes) noexcept {
  return planes == Planes::grey ? 1 : 3;
}

/// Windows cut out of pictures, each with the rim of one pixel that its gradients look at: exactly
/// the samples an engine has there, so that what is computed from them agrees with it bit for bit.
/// Plane after plane, rows without gaps; all windows one behind the other.
class Patches {
 public:
  Patches(Planes planes, int window_width, int window_height)
      : planes_{planes}, width_{window_width}, height_{window_height} {}

  [[nodiscard]] Planes planes() const noexcept { return planes_; }
  [[nodiscard]] int window_width() const noexcept { return width_; }
  [[nodiscard]] int window_height() const noexcept { return height_; }
  [[nodiscard]] int row_stride() const noexcept { return width_ + 2; }
  [[nodiscard]] std::size_t plane_size() const noexcept {
    return static_cast<std::size_t>(width_ + 2) * static_cast<std::size_t>(height_ + 2);
  }
  [[nodiscard]] std::size_t patch_size() const noexcept {
    return plane_size() * static_cast<std::size_t>(count_of(planes_));
  }
  [[nodiscard]] std::size_t size() const noexcept { return samples_.size() / patch_size(); }
  /// The corner of the rim of a plane of patch i.
  [[nodiscard]] const std::uint8_t* plane(std::size_t i, int plane = 0) const noexcept {
    return samples_.data() + i * patch_size() + static_cast<std::size_t>(plane) * plane_size();
  }
  /// The patch as a picture of its own, rim included, whose window is at (1, 1): of grey and rgb
  /// ones. For grey, `rgb` is empty; for rgb ones, `grey` is the first plane, to have a size.
  [[nodiscard]] hog::Picture<Space::host> view(std::size_t i) const noexcept;

  /// Room for one more.
  std::uint8_t* add();
  /// Room for `count` more, to be filled in any order; the first one's index.
  std::size_t grow(std::size_t count);
  [[nodiscard]] std::uint8_t* at(std::size_t i) noexcept {
    return samples_.data() + i * patch_size();
  }
  void clear() noexcept { samples_.clear(); }

 private:
  Planes planes_;
  int width_, height_;
  std::vector<std::uint8_t> samples_;
};

/// The window whose corner is at (x, y) of an unscaled picture; what lies outside is the picture
/// mirrored at its edge pixels, as engines have it. Fails: invalid_argument (no colour where it is
/// needed).
Status add_window(const Pixels& picture, int x, int y, Patches& out);

/// How crops of people become windows.
struct CropOptions {
  double scale = 1;    ///< crop pixels to one of the window's, which is scaled as a level is
  bool mirror = true;  ///< each also with left and right exchanged
  int shift = 0;       ///< if over 0, also shifted by N window pixels in four directions
  int copies = 0;      ///< if over 0, instead this number of random shifts (the same for every
                       ///< seed), by up to `shift` both ways; not where a crop has no room for it
};
/// Appends windows as they look where the picture ends `rows` rows above their lower end (or, if
/// `upper`, below their upper end): what lies outside is the picture mirrored.
void add_cut_short(const Patches& windows, int rows, bool upper, Patches& out);

/// The middle of each crop, mirrored and shifted as asked. A crop no larger than the window in one
/// direction is not shifted that way. Fails: as PictureSet::get()
/// and plan_pyramid().
Status add_crops(PictureSet& crops, const CropOptions& options, Workers& workers, Patches& out);

/// A window of a search through one of the pictures of a set.
struct WindowRef {
  std::int32_t picture = 0;  ///< index in the set
  std::int32_t search = 0;   ///< index in a list of settings
  std::int32_t window = 0;   ///< SearchPlan's number
  friend bool operator==(const WindowRef&, const WindowRef&) = default;
  friend std::strong_ordering operator<=>(const WindowRef&,
                                          const WindowRef&) =
      default;  // NOLINT(modernize-use-nullptr)
};

/// Cuts out windows, appended in the order of `windows`. Fails: invalid_argument (no such window),
/// as plan_search() and PictureSet::get().
Status add_windows(PictureSet& pictures, const std::vector<WindowRef>& windows,
                   const hog::Geometry& geometry, const std::vector<hog::SearchSettings>& searches,
                   Workers& workers, Patches& out, const std::string& what, Observer& observer);

}  // namespace kerb::train
