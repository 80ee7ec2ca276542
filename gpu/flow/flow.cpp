// SPDX-License-Identifier: Apache-2.0
#include "gpu/flow/flow.hpp"

#include <algorithm>
#include <cstdio>

namespace kerb::flow {
namespace {

constexpr int kAlign = 32;  // samples: a row begins where vectors and warps like it

Error refuse(const char* where, const char* what) {
  return Error{Errc::invalid_argument, 0, where, what};
}

template <Space S, typename T>
bool rows_fit(const ImageView<S, T>& view, int width, int height) {
  return view.width == width && view.height == height && view.row_stride >= width;
}

}  // namespace

Status check_size(const char* where, int width, int height) {
  if (width <= 0 || height <= 0) return refuse(where, "the pictures are empty");
  const bool small = width < kMinSide || height < kMinSide;
  if (!small && width <= kMaxSide && height <= kMaxSide) return Done{};
  char text[96];
  std::snprintf(text, sizeof text, "pictures of %d x %d: a side must be at %s %d pixels", width,
                height, small ? "least" : "most", small ? kMinSide : kMaxSide);
  return refuse(where, text);
}

template <Space S>
Status check_pair(const char* where, int width, int height, const Picture<S>& previous,
                  const Picture<S>& next, const Mask<S>& mask, const FieldView<S>& out) {
  if (previous.data == nullptr || next.data == nullptr || previous.width <= 0 ||
      previous.height <= 0 || next.width <= 0 || next.height <= 0)
    return refuse(where, "a picture is empty");
  if (previous.width != next.width || previous.height != next.height)
    return refuse(where, "the two pictures differ in size");
  if (!rows_fit(previous, width, height) || !rows_fit(next, width, height))
    return refuse(where, "the pictures are not of the size this was made for");
  if (out.u == nullptr || out.v == nullptr) return refuse(where, "the field has no memory");
  if (out.width != width || out.height != height || out.row_stride < width)
    return refuse(where, "the field is not of the pictures' size");
  if (mask.data != nullptr && !rows_fit(mask, width, height))
    return refuse(where, "the mask is not of the pictures' size");
  return Done{};
}
template Status check_pair(const char*, int, int, const Picture<Space::host>&,
                           const Picture<Space::host>&, const Mask<Space::host>&,
                           const FieldView<Space::host>&);
template Status check_pair(const char*, int, int, const Picture<Space::device>&,
                           const Picture<Space::device>&, const Mask<Space::device>&,
                           const FieldView<Space::device>&);

int level_count(const PyramidSettings& settings, int width, int height) noexcept {
  const int least = settings.levels > 0 ? 2 : std::max(settings.min_side, 2);
  const int most = settings.levels > 0 ? std::min(settings.levels, kMaxLevels) : kMaxLevels;
  int count = 1;
  for (int side = std::min(width, height); count < most; ++count) {
    side = (side + 1) / 2;
    if (side < least) break;
  }
  return count;
}

Result<FlowField> FlowField::create(const Context& context, int width, int height) {
  if (Status ok = check_size("flow field", width, height); !ok) return ok.error();
  FlowField field;
  field.width_ = width;
  field.height_ = height;
  field.row_stride_ = (width + kAlign - 1) / kAlign * kAlign;
  const std::size_t samples =
      static_cast<std::size_t>(field.row_stride_) * static_cast<std::size_t>(height);
  Result<DualBuffer<float>> vectors = DualBuffer<float>::create(context, Use::shared, 2 * samples);
  if (!vectors) return vectors.error();
  Result<DualBuffer<std::uint8_t>> bytes =
      DualBuffer<std::uint8_t>::create(context, Use::shared, 2 * samples);
  if (!bytes) return bytes.error();
  field.vectors_ = std::move(*vectors);
  field.bytes_ = std::move(*bytes);
  return field;
}

FieldView<Space::host> FlowField::host() const noexcept {
  const std::size_t plane = vectors_.size() / 2;
  if (plane == 0) return {};
  return {vectors_.host(), vectors_.host() + plane,
          bytes_.host(),   bytes_.host() + plane,
          width_,          height_,
          row_stride_};
}

FieldView<Space::device> FlowField::device() const noexcept {
  const std::size_t plane = vectors_.size() / 2;
  if (plane == 0 || vectors_.device() == nullptr) return {};
  return {vectors_.device(),
          vectors_.device() + plane,
          bytes_.device(),
          bytes_.device() + plane,
          width_,
          height_,
          row_stride_};
}

Status FlowField::to_host(StreamRef stream) const {
  if (Status ok = vectors_.to_host(stream); !ok) return ok;
  return bytes_.to_host(stream);
}
Status FlowField::to_device(StreamRef stream) const {
  if (Status ok = vectors_.to_device(stream); !ok) return ok;
  return bytes_.to_device(stream);
}
std::size_t FlowField::bytes() const noexcept { return vectors_.size() * 4 + bytes_.size(); }

}  // namespace kerb::flow
