// SPDX-License-Identifier: Apache-2.0
#include "firmware/vision/night_detector.hpp"

#include <algorithm>
#include <utility>

namespace kerb {
namespace {

constexpr int kSampleStep = 4;             // of rows and columns, for the mean
constexpr std::uint32_t kLampLevel = 128;  // as the tone curve: lamps count little

/// One picture as a plane.
template <Space S>
PlanesView<S, const std::uint8_t> plane_of(const ImageView<S, const std::uint8_t>& grey) {
  return {grey.data, 1, grey.width, grey.height, grey.row_stride, grey.row_stride * grey.height};
}

}  // namespace

NightDetector::NightDetector(const Context& context, Workers& workers, int target,
                             std::unique_ptr<Detector> inner)
    : context_{context},
      workers_{workers},
      target_{target},
      inner_{std::move(inner)},
      count_{inner_->needs_colour() ? 3 : 1} {}

Result<std::unique_ptr<NightDetector>> NightDetector::create(const Context& context,
                                                             Workers& workers,
                                                             const NightMeasures& measures,
                                                             int width, int height,
                                                             std::unique_ptr<Detector> inner) {
  std::unique_ptr<NightDetector> made{
      new NightDetector{context, workers, measures.target, std::move(inner)}};
  if (Status ok = made->allocate(measures, width, height); !ok) return ok.error();
  return made;
}

Status NightDetector::allocate(const NightMeasures& measures, int width, int height) {
  width_ = width;
  height_ = height;
  const std::size_t bytes = static_cast<std::size_t>(count_) * static_cast<std::size_t>(width) *
                            static_cast<std::size_t>(height);
  const bool cuda = context_.backend() == Backend::cuda;
  if (cuda) {
    Result<Stream> stream = Stream::create();
    if (!stream) return stream.error();
    stream_.emplace(std::move(*stream));
  }
  const auto room = [&](std::vector<std::uint8_t>& here,
                        DeviceBuffer<std::uint8_t>& there) -> Status {
    if (!cuda) {
      here.resize(bytes);
      return Done{};
    }
    Result<DeviceBuffer<std::uint8_t>> buffer = DeviceBuffer<std::uint8_t>::create(context_, bytes);
    if (!buffer) return buffer.error();
    there = std::move(*buffer);
    return Done{};
  };
  if (measures.filter) {
    Result<night::TemporalFilter> made =
        night::TemporalFilter::create(context_, *measures.filter, width, height, count_);
    if (!made) return made.error();
    filter_.emplace(std::move(*made));
    if (Status ok = room(smooth_, smooth_there_); !ok) return ok;
  }
  if (measures.curve) {
    Result<night::ToneCurve> made =
        night::ToneCurve::create(context_, *measures.curve, width, height, count_);
    if (!made) return made.error();
    curve_.emplace(std::move(*made));
    if (Status ok = room(bright_, bright_there_); !ok) return ok;
  }
  return Done{};
}

bool NightDetector::is_dark(const ImageView<Space::host, const std::uint8_t>& grey) const noexcept {
  std::uint64_t sum = 0, count = 0;
  for (int y = 0; y < grey.height; y += kSampleStep) {
    const std::uint8_t* row = grey.data + y * grey.row_stride;
    std::uint32_t of_row = 0;
    for (int x = 0; x < grey.width; x += kSampleStep)
      of_row += std::min<std::uint32_t>(row[x], kLampLevel);
    sum += of_row;
    count += static_cast<std::uint64_t>((grey.width + kSampleStep - 1) / kSampleStep);
  }
  return sum < count * static_cast<std::uint64_t>(target_);
}

Status NightDetector::on_cpu(const PlanesView<Space::host, const std::uint8_t>& in,
                             PreparedImage& dark) {
  PlanesView<Space::host, const std::uint8_t> now = in;
  if (filter_) {
    const auto to = planes<Space::host>(smooth_.data());
    if (Status ok = filter_->run(workers_, now, motion_, to); !ok) return ok;
    now = to;
  }
  if (curve_) {
    const auto to = planes<Space::host>(bright_.data());
    const Result<bool> changed = curve_->run(workers_, now, to);
    if (!changed) return changed.error();
    if (*changed) now = to;
  }
  if (count_ == 1) dark.grey = now.plane(0);
  if (count_ == 3) dark.rgb = now;
  return Done{};
}

Status NightDetector::on_cuda(const PlanesView<Space::device, const std::uint8_t>& in,
                              PreparedImage& dark) {
  if (in.data == nullptr)
    return Error{Errc::invalid_argument, 0, "detect at night", "the picture is not on the device"};
  PlanesView<Space::device, const std::uint8_t> now = in;
  if (filter_) {
    const auto to = planes<Space::device>(smooth_there_.device_data());
    if (Status ok = filter_->run(*stream_, now, motion_, to); !ok) return ok;
    now = to;
  }
  if (curve_) {
    const auto to = planes<Space::device>(bright_there_.device_data());
    if (Status ok = curve_->run(*stream_, now, to); !ok) return ok;
    now = to;
  }
  if (count_ == 1) dark.device_grey = now.plane(0);
  if (count_ == 3) dark.device_rgb = now;
  return wait(*stream_);  // the inner one has a stream of its own
}

Status NightDetector::detect(const PreparedImage& image, DetectionList& out) {
  out.count = 0;
  if (!is_dark(image.grey)) {
    if (filter_) filter_->forget();
    motion_ = nullptr;
    return inner_->detect(image, out);
  }
  PreparedImage dark = image;
  const bool colour = count_ == 3;
  const Status ok = context_.backend() == Backend::cuda
                        ? on_cuda(colour ? image.device_rgb : plane_of(image.device_grey), dark)
                        : on_cpu(colour ? image.rgb : plane_of(image.grey), dark);
  motion_ = nullptr;
  if (!ok) return ok;
  return inner_->detect(dark, out);
}

}  // namespace kerb
