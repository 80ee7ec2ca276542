// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/preparer.hpp"

#include "gpu/image/counts.hpp"
#include "gpu/image/shapes.hpp"
#include "gpu/image/split_mosaic.hpp"
#include "gpu/image/to_grey.hpp"
#include "gpu/image/to_rgb.hpp"

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

std::uint64_t pixels_of(const FrameSourceInfo& source) {
  return static_cast<std::uint64_t>(source.width) * static_cast<std::uint64_t>(source.height);
}

}  // namespace

Preparer::Preparer(const Context& context, const GpuFrameMemory* frames,
                   const FrameSourceInfo& source, bool colour)
    : context_{context},
      frames_{frames},
      source_{source},
      colour_{colour},
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
                                                   const FrameSourceInfo& source, bool colour,
                                                   const CountRangeSettings* range) {
  if (Status ok = shapes::check_kind(source.format, source.width, source.height, source.mosaic);
      !ok)
    return ok.error();
  if (colour && source.mosaic != 0)
    return Error{Errc::unsupported, 0, "prepare colour", "the bands of a mosaic are not R G B"};
  std::unique_ptr<Preparer> made{new Preparer{context, frames, source, colour}};
  if (range != nullptr) {
    if (Status ok = shapes::check_counts(source.format, source.mosaic); !ok) return ok.error();
    if (colour) return Error{Errc::unsupported, 0, "prepare colour", "counts have no colour"};
    Result<CountRange> counts = CountRange::create(*range, bit_depth(source.format));
    if (!counts) return counts.error();
    made->range_ = *counts;
  }
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
  if (range_) {
    auto histogram = DualBuffer<std::uint32_t>::create(context_, Use::result,
                                                       std::size_t{1} << bit_depth(source_.format));
    if (!histogram) return histogram.error();
    histogram_ = std::move(*histogram);
  }
  if (colour_) {
    auto rgb = DualBuffer<std::uint8_t>::create(context_, Use::result,
                                                3 * size_of(grey_stride_, source_.height));
    if (!rgb) return rgb.error();
    rgb_ = std::move(*rgb);
  }
  if (context_.backend() == Backend::cuda) {
    const int rows = source_.height + (reads_chroma() ? source_.height / 2 : 0);
    auto upload = DeviceBuffer<std::uint8_t>::create(context_, size_of(upload_stride_, rows));
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
  if (reads_chroma() && (image.chroma == nullptr || image.chroma_stride < image.width))
    return Error{Errc::invalid_argument, 0, "prepare image", "no chroma plane for its colours"};
  const Status done = context_.backend() == Backend::cuda ? run_on_cuda(image) : run_on_cpu(image);
  if (!done) return done.error();
  PreparedImage prepared;
  prepared.grey = {grey_.host(), source_.width, source_.height, grey_stride_};
  prepared.device_grey = device_grey();
  if (colour_) prepared.rgb = rgb_at<Space::host, const std::uint8_t>(rgb_.host());
  prepared.device_rgb = device_rgb();
  if (band_count_ != 0)
    prepared.bands = {bands_.host(), band_count_,  band_width_,
                      band_height_,  band_stride_, band_plane_};
  return prepared;
}

Status Preparer::run_on_cpu(const RawImageView<Space::host>& image) {
  const ImageView<Space::host, std::uint8_t> grey{grey_.host(), image.width, image.height,
                                                  grey_stride_};
  if (range_) {
    if (Status ok = cpu::count_samples(image, histogram_.host()); !ok) return ok;
    return cpu::map_counts(image, range_->update(histogram_.host(), pixels_of(source_)), grey);
  }
  Status ok = cpu::to_grey(image, grey);
  if (ok && colour_) ok = cpu::to_rgb(image, rgb_at<Space::host>(rgb_.host()));
  if (!ok || band_count_ == 0) return ok;
  return cpu::split_mosaic(
      image, {bands_.host(), band_count_, band_width_, band_height_, band_stride_, band_plane_});
}

Status Preparer::run_on_cuda(const RawImageView<Space::host>& image) {
  const StreamRef stream = *stream_;
  Result<RawImageView<Space::device>> input = on_device(image);
  Status ok = input ? Status{Done{}} : Status{input.error()};
  if (ok) ok = grey_on_cuda(*input);
  if (ok) ok = grey_.to_host(stream);
  if (ok && colour_) ok = to_rgb(stream, *input, rgb_at<Space::device>(rgb_.device()));
  if (ok && colour_) ok = rgb_.to_host(stream);
  if (ok && band_count_ != 0) {
    ok = split_mosaic(
        stream, *input,
        {bands_.device(), band_count_, band_width_, band_height_, band_stride_, band_plane_});
    if (ok) ok = bands_.to_host(stream);
  }
  // Even after a failure: the frame is returned to the camera after this, so nothing may still read
  // it.
  const Status waited = wait(stream);
  return ok ? waited : ok;
}

Status Preparer::grey_on_cuda(const RawImageView<Space::device>& image) {
  const StreamRef stream = *stream_;
  const ImageView<Space::device, std::uint8_t> grey{grey_.device(), image.width, image.height,
                                                    grey_stride_};
  if (!range_) return to_grey(stream, image, grey);
  // The range is found on the host, by the very code of the CPU backend.
  Status ok = count_samples(stream, image, histogram_.device());
  if (ok) ok = histogram_.to_host(stream);
  if (ok) ok = wait(stream);
  if (!ok) return ok;
  return map_counts(stream, image, range_->update(histogram_.host(), pixels_of(source_)), grey);
}

Result<RawImageView<Space::device>> Preparer::on_device(const RawImageView<Space::host>& image) {
  RawImageView<Space::device> view;  // its chroma stays out where no operator reads it
  view.width = image.width;
  view.height = image.height;
  view.format = image.format;
  view.bayer = image.bayer;
  view.mosaic = image.mosaic;
  const auto row_bytes = static_cast<std::size_t>(min_row_bytes(image.format, image.width));
  const auto in_place = [&](const std::uint8_t* data, std::ptrdiff_t stride, int rows) {
    const std::size_t extent = size_of(stride, rows - 1) + row_bytes;
    return frames_ == nullptr ? nullptr : frames_->device_pointer(data, extent);
  };
  view.data = in_place(image.data, image.row_stride, image.height);
  view.row_stride = image.row_stride;
  if (reads_chroma()) {
    view.chroma = in_place(image.chroma, image.chroma_stride, image.height / 2);
    view.chroma_stride = image.chroma_stride;
  }
  zero_copy_ = view.data != nullptr && (!reads_chroma() || view.chroma != nullptr);
  if (zero_copy_) return view;
  const auto upload = [&](std::uint8_t* to, const std::uint8_t* from, std::ptrdiff_t stride,
                          int rows) {
    return runtime::copy_rows(StreamRef{*stream_}.get(), runtime::Direction::to_device, to,
                              static_cast<std::size_t>(upload_stride_), from,
                              static_cast<std::size_t>(stride), row_bytes,
                              static_cast<std::size_t>(rows));
  };
  view.data = upload_.device_data();
  view.row_stride = upload_stride_;
  Status ok = upload(upload_.device_data(), image.data, image.row_stride, image.height);
  if (ok && reads_chroma()) {
    std::uint8_t* chroma = upload_.device_data() + upload_stride_ * image.height;
    view.chroma = chroma;
    view.chroma_stride = upload_stride_;
    ok = upload(chroma, image.chroma, image.chroma_stride, image.height / 2);
  }
  if (!ok) return ok.error();
  return view;
}

ImageView<Space::device, const std::uint8_t> Preparer::device_grey() const noexcept {
  return {grey_.device(), source_.width, source_.height, grey_stride_};
}

PlanesView<Space::device, const std::uint8_t> Preparer::device_rgb() const noexcept {
  if (rgb_.device() == nullptr) return {};
  return rgb_at<Space::device, const std::uint8_t>(rgb_.device());
}

}  // namespace kerb
