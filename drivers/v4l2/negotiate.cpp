// SPDX-License-Identifier: Apache-2.0
#include "drivers/v4l2/negotiate.hpp"

#include <linux/videodev2.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>

namespace kerb::v4l2 {
namespace {

constexpr const char* kSetFormat = "set camera format";
constexpr std::uint32_t kMostBytes = 256u << 20;  // of one buffer: more is a driver's mistake

/// The formats a node lists. A list longer than any real one is cut.
class OfferedFormats {
 public:
  /// 0 or -errno.
  int read(const Device& device) noexcept {
    for (std::uint32_t i = 0; i < fourccs_.size(); ++i) {
      v4l2_fmtdesc entry{};
      entry.index = i;
      entry.type = device.buffer_type();
      const int rc = device.call(VIDIOC_ENUM_FMT, &entry);
      if (rc == -EINVAL) return 0;  // the end of the list
      if (rc < 0) return rc;
      fourccs_[count_++] = entry.pixelformat;
    }
    return 0;
  }
  [[nodiscard]] bool has(std::uint32_t fourcc) const noexcept {
    for (std::size_t i = 0; i < count_; ++i)
      if (fourccs_[i] == fourcc) return true;
    return false;
  }
  /// "yuyv, mjpeg, H264": each once.
  [[nodiscard]] Text<72> text() const noexcept {
    Text<72> line;
    for (std::size_t i = 0; i < count_; ++i) {
      const Text<8> label = format_label(fourccs_[i]);
      bool known = false;
      for (std::size_t k = 0; k < i; ++k) known = known || format_label(fourccs_[k]) == label;
      if (!known) line.append(line.empty() ? "" : ", ").append(label.view());
    }
    return line.empty() ? Text<72>{"no format"} : line;
  }

 private:
  std::array<std::uint32_t, 96> fourccs_{};
  std::size_t count_ = 0;
};

bool is_progressive(std::uint32_t field) noexcept {
  return field == V4L2_FIELD_NONE || field == V4L2_FIELD_ANY;  // "any" from drivers that never say
}

KernelFormat wanted(const CameraSettings& settings, std::uint32_t fourcc) noexcept {
  KernelFormat format;
  format.fourcc = fourcc;
  format.width = static_cast<std::uint32_t>(settings.width);
  format.height = static_cast<std::uint32_t>(settings.height);
  return format;
}

bool is_as_asked(const KernelFormat& asked, const KernelFormat& given) noexcept {
  return given.fourcc == asked.fourcc && given.width == asked.width &&
         given.height == asked.height && given.planes == 1 && is_progressive(given.field);
}

Error refusal(const Device& device, const CameraSettings& settings, const char* asked_format,
              const KernelFormat& given) noexcept {
  return device.error_text(
      Errc::unsupported, kSetFormat, "asked %dx%d %s, camera offers %ux%u %s%s%s", settings.width,
      settings.height, asked_format, given.width, given.height, format_label(given.fourcc).c_str(),
      is_progressive(given.field) ? "" : " interlaced", given.planes == 1 ? "" : " in planes");
}

/// Whether the camera lists an interval as short as asked; true when it lists none.
bool reaches_rate(const Device& device, const CameraSettings& settings,
                  std::uint32_t fourcc) noexcept {
  const double enough = 0.98 * settings.rate_hz;  // 29.97 will do for 30
  for (std::uint32_t i = 0; i < 64; ++i) {
    v4l2_frmivalenum entry{};
    entry.index = i;
    entry.pixel_format = fourcc;
    entry.width = static_cast<std::uint32_t>(settings.width);
    entry.height = static_cast<std::uint32_t>(settings.height);
    if (device.call(VIDIOC_ENUM_FRAMEINTERVALS, &entry) < 0) return i == 0;
    const v4l2_fract& shortest =
        entry.type == V4L2_FRMIVAL_TYPE_DISCRETE ? entry.discrete : entry.stepwise.min;
    if (shortest.denominator >= enough * shortest.numerator) return true;
    if (entry.type != V4L2_FRMIVAL_TYPE_DISCRETE) return false;
  }
  return false;
}

bool is_thermal(const CameraSettings& settings) noexcept {
  return settings.imaging == Imaging::thermal;
}

/// The formats that this kind of camera may have.
std::span<const FormatEntry> formats_for(const CameraSettings& settings) noexcept {
  if (is_thermal(settings)) return thermal_formats();
  return settings.mosaic > 0 ? mosaic_formats() : known_formats();
}

/// The entry to ask for. Fails with unsupported when there is none.
Result<const FormatEntry*> choose(const Device& device, const CameraSettings& settings,
                                  const OfferedFormats& offered) {
  const bool any = settings.format == "auto";
  const FormatEntry* slow = nullptr;
  KernelFormat instead;
  bool has_instead = false;
  for (const FormatEntry& entry : formats_for(settings)) {
    if (!any && settings.format != entry.name()) continue;
    if (!offered.has(entry.fourcc)) continue;
    if (!any) return &entry;  // S_FMT will say whether the size is right
    const KernelFormat asked = wanted(settings, entry.fourcc);
    if (!entry.compressed && !size_fits(entry.pixels, settings.width, settings.height)) continue;
    KernelFormat given = asked;
    const int rc = device.format(VIDIOC_TRY_FMT, given);
    if (rc == -ENODEV) return device.error(rc, kSetFormat);
    if (rc == 0 && !is_as_asked(asked, given)) {
      if (!has_instead) instead = given;
      has_instead = true;
      continue;
    }
    if (reaches_rate(device, settings, entry.fourcc)) return &entry;
    if (slow == nullptr) slow = &entry;
  }
  if (slow != nullptr) return slow;
  if (has_instead) return refusal(device, settings, settings.format.c_str(), instead);
  return device.error_text(Errc::unsupported, kSetFormat, "asked %s%s, camera offers %s",
                           settings.format.c_str(),
                           is_thermal(settings)  ? " thermal"
                           : settings.mosaic > 0 ? " mosaic"
                                                 : "",
                           offered.text().c_str());
}

Error invalid(const CameraSettings& settings, const char* format, double value) noexcept {
  char remark[96];
  std::snprintf(remark, sizeof remark, format, value);
  Error error{Errc::invalid_argument, 0, "camera settings", std::string_view{settings.device}};
  error.what.append(error.what.empty() ? "" : ": ").append(remark);
  return error;
}

}  // namespace

Status validate(const CameraSettings& settings) {
  const CameraSettings& s = settings;
  if (s.device.empty()) return invalid(s, "device must be set", 0);
  if (s.width < 16 || s.width > 16384) return invalid(s, "width %.0f is not 16..16384", s.width);
  if (s.height < 16 || s.height > 16384)
    return invalid(s, "height %.0f is not 16..16384", s.height);
  if (!(s.rate_hz >= 0.1 && s.rate_hz <= 1000))
    return invalid(s, "rate %g Hz is not 0.1..1000", s.rate_hz);
  if (s.buffers < 2 || s.buffers > VIDEO_MAX_FRAME)
    return invalid(s, "buffers %.0f is not 2..32", s.buffers);
  if (s.mosaic != 0 && (s.mosaic < 2 || s.mosaic > 16))
    return invalid(s, "mosaic %.0f is neither 0 nor 2..16", s.mosaic);
  if (s.exposure_us && *s.exposure_us <= 0)
    return invalid(s, "exposure %.0f us is not over 0", *s.exposure_us);

  Error error{Errc::invalid_argument, 0, "camera settings", std::string_view{s.device}};
  if (!is_format_name(s.format)) {
    error.what.append(": unknown format ").append(s.format);
    return error;
  }
  if (is_thermal(s)) {
    if (s.mosaic != 0) {
      error.what.append(": a thermal camera has no mosaic");
      return error;
    }
    bool known = s.format == "auto";
    for (const FormatEntry& entry : thermal_formats()) known = known || s.format == entry.name();
    if (!known) {
      error.what.append(": a thermal camera gives grey or YUV, not ").append(s.format);
      return error;
    }
  }
  PixelFormat pixels{};
  if (!parse(s.format, pixels)) {  // "auto" or "mjpeg"
    if (s.mosaic == 0 || s.format == "auto") return Done{};
    error.what.append(": a mosaic needs one sample per pixel, mjpeg has three");
    return error;
  }
  if (s.mosaic > 0 && !is_single_sample(pixels)) {
    error.what.append(": a mosaic needs one sample per pixel, not ").append(s.format);
    return error;
  }
  if (!size_fits(pixels, s.width, s.height)) {
    error.what.append(": this size is odd, ").append(s.format).append(" needs even sides");
    return error;
  }
  return Done{};
}

Result<Agreement> set_format(const Device& device, const CameraSettings& settings) {
  OfferedFormats offered;
  if (const int rc = offered.read(device); rc < 0) return device.error(rc, "list camera formats");
  Result<const FormatEntry*> chosen = choose(device, settings, offered);
  if (!chosen) return chosen.error();

  Agreement agreement{**chosen, wanted(settings, (*chosen)->fourcc), {}};
  const KernelFormat asked = agreement.format;
  const FormatEntry& entry = agreement.entry;
  KernelFormat& given = agreement.format;
  if (const int rc = device.format(VIDIOC_S_FMT, given); rc < 0)
    return device.error(rc, kSetFormat, rc == -EINVAL ? Errc::unsupported : Errc::io);
  if (!is_as_asked(asked, given)) return refusal(device, settings, entry.name(), given);
  const bool fits = given.size_image > 0 && given.size_image <= kMostBytes &&
                    (entry.compressed || layout_of(given, entry.pixels, agreement.layout));
  if (!fits)
    return device.error_text(
        Errc::unsupported, kSetFormat, "%u bytes per row and %u in total are too few for %ux%u %s",
        given.bytes_per_line, given.size_image, given.width, given.height, entry.name());
  return agreement;
}

Result<double> set_rate(const Device& device, double rate_hz) {
  constexpr const char* kSetRate = "set camera rate";
  v4l2_streamparm parm{};
  parm.type = device.buffer_type();
  if (const int rc = device.call(VIDIOC_G_PARM, &parm); rc < 0) {
    if (rc == -ENOTTY || rc == -EINVAL) return 0.0;
    return device.error(rc, kSetRate);
  }
  v4l2_captureparm& capture = parm.parm.capture;
  if ((capture.capability & V4L2_CAP_TIMEPERFRAME) != 0) {
    const bool whole = rate_hz == std::floor(rate_hz);
    capture.timeperframe.numerator = whole ? 1 : 1000;
    capture.timeperframe.denominator =
        static_cast<std::uint32_t>(std::lround(whole ? rate_hz : rate_hz * 1000));
    if (const int rc = device.call(VIDIOC_S_PARM, &parm); rc < 0) return device.error(rc, kSetRate);
  }
  const v4l2_fract& real = capture.timeperframe;
  if (real.numerator == 0 || real.denominator == 0) return 0.0;
  return static_cast<double>(real.denominator) / real.numerator;
}

}  // namespace kerb::v4l2
