// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/preparer.hpp"

#include "gpu/image/shapes.hpp"
#include "gpu/image/split_mosaic.hpp"
#include "gpu/image/to_grey.hpp"

namespace kerb {
namespace {

constexpr std::ptrdiff_t kRowAlign =
    128;  // bytes: a row starts at a GPU cache line, and at a vector

std::ptrdiff_t round_up(std::ptrdiff_t value, std::ptrdiff_t to) {
  return (value + to - 1) / to * to;
}
std::size_t size_of(std::ptrdiff_t stride, int rows) {
  return static_cast<std::size_t>(stride) * static_cast<std::size_t>(rows);
}

}  // namespace

Preparer::Preparer(const Context& context, const GpuFrameMemory* frames,
                   const FrameSourceInfo& source)
    : context_{context},
      frames_{frames},
      source_{source},
      grey_stride_{round_up(source.width, kRowAlign)},
      upload_stride_{round_up(min_row_bytes(source.format, source.width), kRowAlign)} {
  if (const int n = source.mosaic; n != 0) {
    band_count_ = n * n;
    band_width_ = source.width / n;
    band_height_ = source.height / n;
    band_stride_ = round_up(band_width_, kRowAlign / 2);
    band_plane_ = band_stride_ * band_height_;
  }
}

Result<std::unique_ptr<Preparer>> Preparer::create(const Context& context,
                                                   const GpuFrameMemory* frames,
                                                   const FrameSourceInfo& source) {
  if (Status ok = shapes::check_kind(source.format, source.width, source.height, source.mosaic);
      !ok)
    return ok.error();
  std::unique_ptr<Preparer> made{new Preparer{context, frames, source}};
  if (Status ok = made->allocate(); !ok) return ok.error();
  return made;
}

Status Preparer::allocate() {
  if (context_.backend() == Backend::cuda) {
    Result<Stream> stream = Stream::create();
    if (!stream) return stream.error();
    stream_ = std::move(*stream);
  }
  auto grey = DualBuffer<std::uint8_t>::create(context_, Use::result,
                                               size_of(grey_stride_, source_.height));
  if (!grey) return grey.error();
  grey_ = std::move(*grey);
  if (band_count_ != 0) {
    auto bands =
        DualBuffer<std::uint16_t>::create(context_, Use::result, size_of(band_plane_, band_count_));
    if (!bands) return bands.error();
    bands_ = std::move(*bands);
  }
  if (context_.backend() == Backend::cuda) {
    auto upload =
        DeviceBuffer<std::uint8_t>::create(context_, size_of(upload_stride_, source_.height));
    if (!upload) return upload.error();
    upload_ = std::move(*upload);
  }
  return Done{};
}

Result<PreparedImage> Preparer::prepare(const RawImageView<Space::host>& image) {
  if (image.width != source_.width || image.height != source_.height ||
      image.format != source_.format || image.mosaic != source_.mosaic)
    return Error{Errc::invalid_argument, 0, "prepare image",
                 "not the size or format it was made for"};
  // Here, not only in the operators: they would see the uploaded copy.
  if (Status ok = shapes::check_input(image.data, image.format, image.width, image.height,
                                      image.row_stride, image.mosaic);
      !ok)
    return ok.error();
  const Status done = context_.backend() == Backend::cuda ? run_on_cuda(image) : run_on_cpu(image);
  if (!done) return done.error();
  PreparedImage prepared;
  prepared.grey = {grey_.host(), source_.width, source_.height, grey_stride_};
  prepared.device_grey = device_grey();
  if (band_count_ != 0)
    prepared.bands = {bands_.host(), band_count_,  band_width_,
                      band_height_,  band_stride_, band_plane_};
  return prepared;
}

Status Preparer::run_on_cpu(const RawImageView<Space::host>& image) {
  const ImageView<Space::host, std::uint8_t> grey{grey_.host(), image.width, image.height,
                                                  grey_stride_};
  if (Status ok = cpu::to_grey(image, grey); !ok || band_count_ == 0) return ok;
  return cpu::split_mosaic(
      image, {bands_.host(), band_count_, band_width_, band_height_, band_stride_, band_plane_});
}

Status Preparer::run_on_cuda(const RawImageView<Space::host>& image) {
  const StreamRef stream = *stream_;
  Result<RawImageView<Space::device>> input = on_device(image);
  Status ok = input ? Status{Done{}} : Status{input.error()};
  if (ok) ok = to_grey(stream, *input, {grey_.device(), image.width, image.height, grey_stride_});
  if (ok) ok = grey_.to_host(stream);
  if (ok && band_count_ != 0) {
    ok = split_mosaic(
        stream, *input,
        {bands_.device(), band_count_, band_width_, band_height_, band_stride_, band_plane_});
    if (ok) ok = bands_.to_host(stream);
  }
  // Whatever failed: the frame goes back to the camera after this, so nothing may still be reading
  // it.
  const Status waited = wait(stream);
  return ok ? waited : ok;
}

Result<RawImageView<Space::device>> Preparer::on_device(const RawImageView<Space::host>& image) {
  RawImageView<Space::device> view;  // chroma stays out: no operator here reads it
  view.width = image.width;
  view.height = image.height;
  view.format = image.format;
  view.bayer = image.bayer;
  view.mosaic = image.mosaic;
  const auto row_bytes = static_cast<std::size_t>(min_row_bytes(image.format, image.width));
  const std::size_t extent = size_of(image.row_stride, image.height - 1) + row_bytes;
  view.data = frames_ == nullptr ? nullptr : frames_->device_pointer(image.data, extent);
  view.row_stride = image.row_stride;
  zero_copy_ = view.data != nullptr;
  if (zero_copy_) return view;
  view.data = upload_.device_data();
  view.row_stride = upload_stride_;
  Status ok = runtime::copy_rows(StreamRef{*stream_}.get(), runtime::Direction::to_device,
                                 upload_.device_data(), static_cast<std::size_t>(upload_stride_),
                                 image.data, static_cast<std::size_t>(image.row_stride), row_bytes,
                                 static_cast<std::size_t>(image.height));
  if (!ok) return ok.error();
  return view;
}

ImageView<Space::device, const std::uint8_t> Preparer::device_grey() const noexcept {
  return {grey_.device(), source_.width, source_.height, grey_stride_};
}

PlanesView<Space::device, const std::uint16_t> Preparer::device_bands() const noexcept {
  return {bands_.device(), band_count_, band_width_, band_height_, band_stride_, band_plane_};
}

}  // namespace kerb
