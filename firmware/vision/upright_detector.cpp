// SPDX-License-Identifier: Apache-2.0
#include "firmware/vision/upright_detector.hpp"

#include <utility>

namespace kerb {
namespace {

/// One picture as a plane.
template <Space S>
PlanesView<S, const std::uint8_t> as_plane(const ImageView<S, const std::uint8_t>& grey) {
  return {grey.data, 1, grey.width, grey.height, grey.row_stride, grey.row_stride * grey.height};
}

/// All of the box; a side of 0 is no limit.
bool holds(const hog::Region& region, const Detection& box) noexcept {
  const auto within = [](float begin, float size, int from, int wide) {
    return wide <= 0 ||
           (begin >= static_cast<float>(from) && begin + size <= static_cast<float>(from + wide));
  };
  return within(box.x, box.w, region.x, region.width) &&
         within(box.y, box.h, region.y, region.height);
}

}  // namespace

UprightDetector::UprightDetector(const Context& context, Workers& workers, const Camera& camera,
                                 const UprightView& view, const hog::Region& region,
                                 Remapper remapper, std::unique_ptr<Detector> inner)
    : context_{context},
      workers_{workers},
      width_{camera.width},
      height_{camera.height},
      view_{view},
      region_{region},
      remapper_{std::move(remapper)},
      inner_{std::move(inner)},
      count_{inner_->needs_colour() ? 3 : 1} {}

Result<std::unique_ptr<UprightDetector>> UprightDetector::create(const Context& context,
                                                                 Workers& workers,
                                                                 const Camera& camera,
                                                                 const hog::Region& region,
                                                                 std::unique_ptr<Detector> inner) {
  const UprightView view{camera};
  std::vector<Remapper::Place> table;
  table.reserve(static_cast<std::size_t>(view.width()) * static_cast<std::size_t>(view.height()));
  for (int row = 0; row < view.height(); ++row)
    for (int column = 0; column < view.width(); ++column) {
      const std::optional<Pixel> at =
          view.in_picture(Pixel{static_cast<double>(column), static_cast<double>(row)});
      table.push_back(at ? Remapper::Place{static_cast<float>(at->x), static_cast<float>(at->y)}
                         : Remapper::Place{});
    }
  Result<Remapper> remapper = Remapper::create(context, {camera.width, camera.height},
                                               {view.width(), view.height()}, table);
  if (!remapper) return remapper.error();
  std::unique_ptr<UprightDetector> made{new UprightDetector{
      context, workers, camera, view, region, std::move(*remapper), std::move(inner)}};
  const std::size_t bytes = table.size() * static_cast<std::size_t>(made->count_);
  made->host_.resize(bytes);
  if (context.backend() == Backend::cuda) {
    Result<Stream> stream = Stream::create();
    if (!stream) return stream.error();
    made->stream_.emplace(std::move(*stream));
    Result<DeviceBuffer<std::uint8_t>> device = DeviceBuffer<std::uint8_t>::create(context, bytes);
    if (!device) return device.error();
    made->device_ = std::move(*device);
  }
  return made;
}

template <Space S>
PlanesView<S, std::uint8_t> UprightDetector::planes(std::uint8_t* data) const noexcept {
  return {data,          count_,
          view_.width(), view_.height(),
          view_.width(), static_cast<std::ptrdiff_t>(view_.width()) * view_.height()};
}

bool UprightDetector::is_shown(const Detection& person) const noexcept {
  const float x = person.x + person.w / 2, y = person.y + person.h / 2;
  return x >= 0 && y >= 0 && x <= static_cast<float>(width_) && y <= static_cast<float>(height_);
}

Status UprightDetector::detect(const PreparedImage& image, DetectionList& out) {
  out.count = 0;
  PreparedImage upright;
  const bool colour = count_ == 3;
  const bool on_device = context_.backend() == Backend::cuda &&
                         (colour ? image.device_rgb.data : image.device_grey.data) != nullptr;
  if (on_device) {
    const auto to = planes<Space::device>(device_.device_data());
    if (Status ok =
            remapper_.run(*stream_, colour ? image.device_rgb : as_plane(image.device_grey), to);
        !ok)
      return ok;
    if (Status ok = wait(*stream_); !ok) return ok;  // the inner one has a stream of its own
    upright.device_grey = to.plane(0);               // its size, where colour is looked at
    if (colour) upright.device_rgb = to;
  } else {
    const auto to = planes<Space::host>(host_.data());
    if (Status ok = remapper_.run(workers_, colour ? image.rgb : as_plane(image.grey), to); !ok)
      return ok;
    upright.grey = to.plane(0);
    if (colour) upright.rgb = to;
  }
  if (Status ok = inner_->detect(upright, found_); !ok) return ok;
  for (int i = 0; i < found_.count; ++i)
    if (const std::optional<Detection> person = view_.in_picture(found_.items[i]);
        person && is_shown(*person) && holds(region_, *person))
      out.items[out.count++] = *person;
  return Done{};
}

}  // namespace kerb
