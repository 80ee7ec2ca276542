// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace kerb {

enum class CameraKind : std::uint8_t { v4l2, pattern, folder, video };
/// What a camera sees: light, or the heat that things radiate (long-wave infrared).
enum class Imaging : std::uint8_t { visible, thermal };
enum class BufferMode : std::uint8_t { automatic, userptr, mmap };
/// real: frames come at their time and are dropped when they are not taken, as with a camera.
/// recorded: each call gives the next frame at once; time stamps are spaced as recorded.
enum class Pace : std::uint8_t { real, recorded };

/// Who sets exposure time and gain: the camera itself, or Kerbwatch by how bright the road is.
enum class ExposureMode : std::uint8_t { camera, people };
/// Lamps on mains light flicker at twice its frequency; exposures of whole periods do not show it.
enum class MainsLight : std::uint8_t { none, hz50, hz60 };
/// What the steps of a camera's gain control mean; see GainScale.
enum class GainKind : std::uint8_t { linear, decibel };

/// Exposure and gain set for people; see docs/exposure.md. Used with mode = people only.
struct ExposureSettings {
  ExposureMode mode = ExposureMode::camera;
  double longest_ms = 10;        ///< exposure time: the limit by motion blur
  double most_gain = 16;         ///< amplification: the limit by noise
  std::optional<double> target;  ///< grey value of the road, 0..255; unset: by the pixel format
  MainsLight mains = MainsLight::none;
  int latency_frames = 4;         ///< frames until a new setting shows, at most
  std::optional<double> step_us;  ///< of V4L2_CID_EXPOSURE, which has a unit of its driver's own
  GainKind gain_kind = GainKind::linear;
  std::optional<double> gain_unit;  ///< steps per least gain, or per decibel; unset: 16 (or the
                                    ///< control's minimum), 10
  /// Noise at gain 1, in squared grey values; unset: estimated while the car stands.
  std::optional<double> noise_read;  ///< variance in the dark
  std::optional<double> noise_shot;  ///< variance per grey value of signal
};

/// Settings of one camera. Plain data with usable defaults; the configuration fills and checks
/// them, the drivers apply them or fail. Here because firmware and drivers share them.
struct CameraSettings {
  std::string name = "front";
  CameraKind kind = CameraKind::v4l2;
  Imaging imaging = Imaging::visible;
  std::string device =
      "/dev/video0";  ///< a node, a folder of pictures or a video file; unused by the pattern
  int width = 1280, height = 720;  ///< pixels; a recording keeps its own size
  double rate_hz = 30;
  std::string format =
      "auto";            ///< a PixelFormat's name, "mjpeg", or "auto": the best the camera has
  int mosaic = 0;        ///< N of an N x N spectral filter pattern; 0: none
  std::string bands_nm;  ///< wavelengths of its bands, separated by commas; empty: unknown
  int range_min_counts = 255;      ///< thermal, over 8 bits: counts from black to white, at least
  std::optional<int> exposure_us;  ///< unset: automatic
  std::optional<int> gain;         ///< in the camera's own steps; unset: automatic
  ExposureSettings exposure;       ///< how both are set where they are automatic
  int buffers = 4;                 ///< frame buffers that the camera may fill in advance
  BufferMode memory = BufferMode::automatic;
  Pace pace = Pace::real;
  bool loop = true;  ///< recordings start again at their end
  // The lens and the mounting: they turn pixels into metres.
  double fov_deg = 60;                       ///< horizontal angle of view
  std::optional<double> focal_px;            ///< replaces fov_deg; pixels of the picture
  std::optional<double> center_x, center_y;  ///< of the lens; unset: the middle of the picture
  double height_m = 1.4;                     ///< above the road
  double pitch_deg = 0;                      ///< upwards is positive
  double yaw_deg = 0;                        ///< to the left is positive
  double roll_deg = 0;                       ///< right side down is positive
  double ahead_m = 1.5;                      ///< of the rear axle
  double left_m = 0;                         ///< of the car's middle
  double pitch_sigma_deg = 0.5;              ///< standard deviation of the pitch
  double k1 = 0, k2 = 0, k3 = 0;             ///< lens distortion as in OpenCV: radial
  double p1 = 0, p2 = 0;                     ///< and tangential
};

}  // namespace kerb
