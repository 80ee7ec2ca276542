// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace kerb {

enum class CameraKind : std::uint8_t { v4l2, pattern, folder, video };
enum class BufferMode : std::uint8_t { automatic, userptr, mmap };
/// real: frames fall due by the clock, and are dropped when nobody takes them, as with a camera.
/// recorded: each call gives the next frame at once; time stamps are spaced as they were recorded.
enum class Pace : std::uint8_t { real, recorded };

/// What a camera is asked to be. Plain data with usable defaults; the configuration fills and
/// checks it, the drivers obey it or fail. Here, because firmware and drivers both speak of it.
struct CameraSettings {
  std::string name = "front";
  CameraKind kind = CameraKind::v4l2;
  std::string device =
      "/dev/video0";  ///< a node, a folder of pictures or a video file; unused by the pattern
  int width = 1280, height = 720;  ///< pixels; a recording keeps its own size
  double rate_hz = 30;
  std::string format =
      "auto";            ///< a PixelFormat's name, "mjpeg", or "auto": the best the camera has
  int mosaic = 0;        ///< N of an N x N spectral filter pattern; 0: none
  std::string bands_nm;  ///< wavelengths of its bands, parted by commas; empty: not known
  std::optional<int> exposure_us;  ///< unset: automatic
  std::optional<int> gain;         ///< in the camera's own steps; unset: automatic
  int buffers = 4;                 ///< frames the camera may fill ahead of us
  BufferMode memory = BufferMode::automatic;
  Pace pace = Pace::real;
  bool loop = true;  ///< recordings start again at their end
  // The lens and the mounting, for whoever makes metres of pixels.
  double fov_deg = 60;                       ///< angle of view from the left edge to the right
  std::optional<double> focal_px;            ///< instead of it, pixels of the picture
  std::optional<double> center_x, center_y;  ///< of the lens; unset: of the picture
  double height_m = 1.4;                     ///< above the road
  double pitch_deg = 0;                      ///< looks upwards by so much
  double yaw_deg = 0;                        ///< looks to the left by so much
  double roll_deg = 0;                       ///< its right side down by so much
  double ahead_m = 1.5;                      ///< of the rear axle
  double left_m = 0;                         ///< of the car's middle
  double pitch_sigma_deg = 0.5;              ///< how well the pitch is known
  double k1 = 0, k2 = 0, k3 = 0;             ///< the lens's distortion, as OpenCV's: radial
  double p1 = 0, p2 = 0;                     ///< and tangential
};

}  // namespace kerb
