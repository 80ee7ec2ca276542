// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpu/hog/engine.hpp"
#include "hal/vision.hpp"
#include "tools/train/observer.hpp"

/// Training data: crops of people, and whole pictures without people.
namespace kerb::train {

/// A picture, decoded.
struct Pixels {
  int width = 0, height = 0;
  std::vector<std::uint8_t> grey;    ///< rows without gaps
  std::vector<std::uint8_t> planes;  ///< R, G and B, one behind the other; empty: none

  [[nodiscard]] hog::Picture<Space::host> view() const noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept { return grey.size() + planes.size(); }
};

/// A part of a picture, in its pixels.
struct Area {
  double x = 0, y = 0, w = 0, h = 0;
};
/// How much of a window's person may lie in an avoided area: a window that shows somebody small in
/// its corner is a negative still, one that shows their head and chest is none.
inline constexpr double kAvoidedShare = 0.3;

/// Left and right exchanged.
[[nodiscard]] Pixels mirrored(const Pixels& picture);

/// Reads a picture file; with colour also its planes. Fails, naming the file. One call at a time.
using Loader = std::function<Result<Pixels>(const std::string& path, bool colour)>;

/// The picture files (by their extension: bmp, jpg, jpeg, pgm, png, pnm, ppm, tif, tiff, webp)
/// directly in these folders: folder by folder, in each by name. Fails, naming the folder:
/// not_found (no such folder; none in it), io.
Result<std::vector<std::string>> list_pictures(const std::vector<std::string>& folders);

/// A list without an `nth` part of it, and that part. 0: nothing is held out. Neighbours in the
/// list (crops of one photograph, frames of one video) stay together: it is cut into runs, of ten
/// items where there are enough, and every nth run is held out. A run does not end between two
/// crops of one photograph, whose names differ by what stands behind the last `_` alone, unless
/// there are more than ten of them.
struct Split {
  std::vector<std::string> kept, held_out;
};
[[nodiscard]] Split hold_out(const std::vector<std::string>& paths, int nth);

/// Pictures of files, in memory as far as `budget` goes, others read again when asked for.
class PictureSet {
 public:
  /// Reads every file once, so that a bad one is known at the start. Fails: as the loader;
  /// invalid_argument, naming the file, when a side is less than the least one.
  struct Options {
    bool colour = false;
    bool mirror = false;  ///< each twice, the second time with left and right exchanged
    int least_width = 1, least_height = 1;
    std::size_t budget = std::size_t{8} << 30;  ///< bytes
  };
  static Result<PictureSet> open(std::vector<std::string> paths, Loader loader,
                                 const Options& options, const std::string& what,
                                 Observer& observer);

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] const std::string& path(std::size_t i) const { return entries_[i].path; }
  [[nodiscard]] int width(std::size_t i) const { return entries_[i].width; }
  [[nodiscard]] int height(std::size_t i) const { return entries_[i].height; }
  /// Fails: as the loader; damaged when the file has changed since.
  Result<std::shared_ptr<const Pixels>> get(std::size_t i);

  /// Of the files that were opened, in their order: where people are, or may be. Such windows are
  /// no negatives. Mirrored pictures get theirs mirrored. Part of the fingerprint. Call it once.
  void avoid(const std::vector<std::vector<Area>>& areas);
  [[nodiscard]] bool avoids(std::size_t i) const noexcept { return !entries_[i].avoided.empty(); }
  /// Whether so much of a person's box lies in one of them that it is no negative.
  [[nodiscard]] bool is_avoided(std::size_t i, const Detection& box) const noexcept;
  /// Of names (without their folders) and pixels: the same data, the same number.
  [[nodiscard]] std::uint64_t fingerprint() const noexcept { return fingerprint_; }

 private:
  struct Entry {
    std::string path;
    int width = 0, height = 0;
    std::uint64_t hash = 0;
    std::shared_ptr<const Pixels> pixels;  // null: beyond the budget
    bool mirror = false;
    std::vector<Area> avoided;
  };
  std::vector<Entry> entries_;
  Loader loader_;
  bool colour_ = false;
  std::uint64_t fingerprint_ = 0;
};

/// FNV-1a over eight bytes at a time, for fingerprints.
[[nodiscard]] std::uint64_t hash_bytes(const void* data, std::size_t size,
                                       std::uint64_t start = 0xcbf29ce484222325U) noexcept;

}  // namespace kerb::train
