// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>

#include "drivers/replay/picture.hpp"
#include "drivers/replay/swatch.hpp"
#include "hal/camera_settings.hpp"

namespace kerb::replay {

/// The built-in test picture: its number in the top rows (see frame_number.hpp), below it a moving
/// street and a walking figure. Frame n is the same in every run. Drawn by copying spans of
/// pictures made once: costs about one memcpy of the frame, allocates nothing.
class PatternReader final : public PictureReader {
 public:
  /// Fails: invalid_argument (format, size: 64x32 at least, mosaic), unsupported (mjpeg).
  static Result<std::unique_ptr<PictureReader>> open(const CameraSettings& settings);

  [[nodiscard]] Text<64> name() const override { return "pattern"; }
  [[nodiscard]] const PictureLayout& layout() const override { return layout_; }
  [[nodiscard]] double rate_hz() const override { return rate_hz_; }
  [[nodiscard]] std::uint64_t length() const override { return kEndless; }
  void skip(std::uint64_t count) override { number_ += count; }
  Status read(std::uint8_t* out) override;

 private:
  struct Swatches {
    Swatch street, white, black, coat, skin;
  };
  PatternReader(const PictureLayout& layout, double rate_hz, Swatches swatches)
      : layout_{layout}, rate_hz_{rate_hz}, swatches_{std::move(swatches)} {}
  void draw_number(std::uint8_t* out) const;
  void draw_street(std::uint8_t* out) const;
  void draw_walker(std::uint8_t* out) const;
  void draw_span(const Swatch& solid, std::uint8_t* out, int left, int right, int y) const;

  PictureLayout layout_;
  double rate_hz_;
  Swatches swatches_;
  std::uint64_t number_ = 0;
};

}  // namespace kerb::replay
