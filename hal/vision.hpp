// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "hal/base/result.hpp"
#include "hal/base/view.hpp"

namespace kerb {

struct MotionField;  // hal/motion.hpp

/// A camera picture made ready for the vision code. Borrowed from the ImagePreparer until its next
/// prepare().
struct PreparedImage {
  ImageView<Space::host, const std::uint8_t> grey;
  ImageView<Space::device, const std::uint8_t> device_grey;  ///< the same where kernels read it;
                                                             ///< no data on the CPU
  /// R, G and B: only from a preparer that was made with colour; count 0 otherwise. `device_rgb`
  /// has count 0 on the CPU.
  PlanesView<Space::host, const std::uint8_t> rgb;
  PlanesView<Space::device, const std::uint8_t> device_rgb;
  PlanesView<Space::host, const std::uint16_t> bands;  ///< of a mosaic camera; count 0 otherwise
};

/// Converts a raw picture to grey (also to R, G, B where it was made with colour, and to spectral
/// bands where there is a mosaic). Made for one picture size and format; allocates only when
/// constructed. One thread at a time.
class ImagePreparer {
 public:
  virtual ~ImagePreparer() = default;
  /// Fails: invalid_argument (another size or format than it was made for), device.
  virtual Result<PreparedImage> prepare(const RawImageView<Space::host>& image) = 0;
  /// Forgets what it took from earlier pictures: the next is like the first.
  virtual void forget() noexcept {}
  [[nodiscard]] virtual const char* backend() const noexcept = 0;  ///< "cpu" or "cuda"
};

/// A detected person: the person's box in pixels of the image, not the search window.
struct Detection {
  float x = 0, y = 0, w = 0, h = 0, score = 0;
};

/// Detections of one frame: room for a fixed number, so that the frame loop allocates nothing.
struct DetectionList {
  static constexpr int kCapacity = 256;
  int count = 0;
  Detection items[kCapacity];
};

/// How a tracker reads a detector's scores. The defaults are for a detector whose threshold for
/// single pictures is 0; where it is T, both are T higher.
struct TrackingScores {
  double even = 6 - 6.6;   ///< -0.6: a detection of this score is as likely a person as not
  double sure = 10 - 6.6;  ///< 3.4: two detections of this score confirm a person
};

/// Detects people. One thread at a time; allocates only when constructed.
class Detector {
 public:
  virtual ~Detector() = default;
  /// The best kCapacity detections at most, best first. Fails: invalid_argument (size), device.
  virtual Status detect(const PreparedImage& image, DetectionList& out) = 0;
  [[nodiscard]] virtual const char* name() const noexcept = 0;
  /// What its scores mean to a tracker.
  [[nodiscard]] virtual TrackingScores tracking_scores() const noexcept { return {}; }
  /// Whether it needs the picture's R, G and B planes.
  [[nodiscard]] virtual bool needs_colour() const noexcept { return false; }
  /// Whether it uses the motion between pictures: it is then measured before detect().
  [[nodiscard]] virtual bool needs_motion() const noexcept { return false; }
  /// The motion from the picture of the last detect() to that of the next; null: not known.
  /// Borrowed until that detect() has returned, and not used after it.
  virtual void set_motion(const MotionField* motion) noexcept { static_cast<void>(motion); }
};

}  // namespace kerb
