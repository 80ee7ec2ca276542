// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/spectral/bands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "drivers/replay/picture.hpp"
#include "drivers/replay/picture_files.hpp"
#include "gpu/emd/ground.hpp"
#include "gpu/image/split_mosaic.hpp"
#include "tools/kerblab/app/input_files.hpp"
#include "tools/kerblab/pictures/pictures.hpp"
#include "tools/spectral/envi.hpp"

namespace kerb::lab {
namespace {

using replay::failure;

constexpr int kMostBands = emd::kMaxBins;
constexpr double kHeatFrom = 3000, kHeatPlace = 2;
constexpr float kBrightest = 60000;  // what the largest sample of a cube of floats becomes

Error bad_bands(const std::string& what) {
  return Error{Errc::invalid_argument, 0, "bands", Text<112>{what}};
}

/// One channel of 8 or 16 bits, as it is.
Result<cv::Mat> load_samples(const std::string& path) {
  if (Status plain = check_plain(path); !plain) return plain.error();
  const Result<std::vector<std::uint8_t>> file = replay::read_file(path);
  if (!file) return failure(file.error().code, "read picture", path, file.error().native);
  cv::Mat out;
  try {
    if (!file->empty()) out = cv::imdecode(*file, cv::IMREAD_ANYDEPTH | cv::IMREAD_GRAYSCALE);
  } catch (const std::exception&) {  // said below
  }
  if (out.empty() || (out.depth() != CV_8U && out.depth() != CV_16U))
    return failure(Errc::damaged, "unreadable picture", path);
  return out;
}

/// Adds a plane, smoothed. Eight bits become twelve, so that means keep what they are made of.
void add_plane(std::vector<std::uint16_t>& out, const cv::Mat& plane, int smooth) {
  cv::Mat wide;
  plane.convertTo(wide, CV_32F, plane.depth() == CV_8U ? 16.0 : 1.0);
  if (smooth > 1) cv::blur(wide, wide, {smooth, smooth}, {-1, -1}, cv::BORDER_REPLICATE);
  for (int y = 0; y < wide.rows; ++y) {
    const float* row = wide.ptr<float>(y);
    for (int x = 0; x < wide.cols; ++x)
      out.push_back(static_cast<std::uint16_t>(std::clamp(std::lround(row[x]), 0L, 65535L)));
  }
}

void set_places(Bands& out, const std::vector<double>& nanometres) {
  double reddest = 0;
  for (const double nm : nanometres)
    if (nm < kHeatFrom) reddest = std::max(reddest, nm);
  for (std::size_t k = 0; k < out.names.size(); ++k) {
    if (nanometres.empty())
      out.places.push_back(static_cast<double>(k));
    else
      out.places.push_back(nanometres[k] < kHeatFrom ? nanometres[k] / 100
                                                     : reddest / 100 + kHeatPlace);
  }
}

/// The three planes as a picture, each stretched from its 1st to its 99th hundredth.
void show(Bands& out) {
  std::vector<cv::Mat> bgr;
  for (std::size_t c = 0; c < 3; ++c) {
    std::uint16_t* samples = out.three.data() + c * out.area();
    std::vector<std::uint16_t> sorted(samples, samples + out.area());
    std::sort(sorted.begin(), sorted.end());
    const std::size_t rim = sorted.size() / 100;
    const double low = sorted[rim], high = sorted[sorted.size() - 1 - rim];
    const double scale = 255 / std::max(1.0, high - low);
    const cv::Mat plane{out.height, out.width, CV_16UC1, samples};
    cv::Mat drawn;
    plane.convertTo(drawn, CV_8U, scale, -low * scale);
    bgr.push_back(drawn);
  }
  cv::merge(bgr, out.shown);
}

/// Takes the three out of the planes.
void choose_three(Bands& out, const std::vector<double>& nanometres) {
  for (int c = 0; c < 3; ++c) {
    int best = c * (out.count() - 1) / 2;
    const auto off = [&](int k) {
      return std::abs(nanometres[static_cast<std::size_t>(k)] - (450.0 + 100.0 * c));
    };
    for (int k = 0; !nanometres.empty() && k < out.count(); ++k)
      if (off(k) < off(best)) best = k;
    out.three.insert(out.three.end(), out.plane(best), out.plane(best) + out.area());
  }
  show(out);
}

Result<Bands> visible_and_thermal(const BandSource& source) {
  Result<LoadedPicture> visible = load_picture(source.picture, false);
  if (!visible) return visible.error();
  Bands out;
  out.width = visible->bgr.cols;
  out.height = visible->bgr.rows;
  out.shown = visible->bgr;
  out.names = {"blue", "green", "red"};
  out.places = {4.5, 5.5, 6.5};
  std::vector<cv::Mat> bgr;
  cv::split(visible->bgr, bgr);
  for (const cv::Mat& plane : bgr) add_plane(out.three, plane, source.smooth);
  out.samples = out.three;
  out.grey = std::move(visible->grey);
  if (source.thermal.empty()) return out;
  Result<LoadedPicture> thermal = load_picture(source.thermal, false);
  if (!thermal) return thermal.error();
  if (thermal->bgr.size() != out.shown.size())
    return bad_bands(fmt::format("sizes differ: visible {} x {}, thermal {} x {}", out.width,
                                 out.height, thermal->bgr.cols, thermal->bgr.rows));
  out.heat = std::move(thermal->grey);
  out.names.emplace_back("thermal");
  out.places.push_back(out.places.back() + kHeatPlace);
  add_plane(out.samples, cv::Mat{out.height, out.width, CV_8UC1, out.heat.data()}, source.smooth);
  return out;
}

Status check_count(int bands, const BandSource& source) {
  if (bands < 2 || bands > kMostBands)
    return bad_bands(fmt::format("{} bands: must be 2..{}", bands, kMostBands));
  if (!source.nanometres.empty() && static_cast<int>(source.nanometres.size()) != bands)
    return bad_bands(fmt::format("{} wavelengths for {} bands", source.nanometres.size(), bands));
  return Done{};
}

Result<Bands> side_by_side(const BandSource& source) {
  if (Status ok = check_count(source.beside, source); !ok) return ok.error();
  const Result<cv::Mat> all = load_samples(source.picture);
  if (!all) return all.error();
  if (all->cols % source.beside != 0)
    return bad_bands(fmt::format("{} pixels cannot be divided into {} bands side by side",
                                 all->cols, source.beside));
  Bands out;
  out.width = all->cols / source.beside;
  out.height = all->rows;
  for (int k = 0; k < source.beside; ++k) {
    out.names.push_back(fmt::format("band {}", k + 1));
    add_plane(out.samples, (*all)(cv::Rect{k * out.width, 0, out.width, out.height}),
              source.smooth);
  }
  set_places(out, source.nanometres);
  choose_three(out, source.nanometres);
  return out;
}

Result<Bands> mosaic_of(const BandSource& source) {
  const int n = source.mosaic * source.mosaic;
  if (Status ok = check_count(n, source); !ok) return ok.error();
  const Result<cv::Mat> raw = load_samples(source.picture);
  if (!raw) return raw.error();
  Bands out;
  out.width = raw->cols / source.mosaic;
  out.height = raw->rows / source.mosaic;
  if (out.width < 1 || out.height < 1)
    return bad_bands("the picture is smaller than its filter pattern");
  RawImageView<Space::host> in;
  in.data = raw->data;
  in.width = raw->cols;
  in.height = raw->rows;
  in.row_stride = static_cast<std::ptrdiff_t>(raw->step);
  in.format = raw->depth() == CV_8U ? PixelFormat::grey8 : PixelFormat::grey16;
  in.mosaic = source.mosaic;
  std::vector<std::uint16_t> planes(out.area() * static_cast<std::size_t>(n));
  const auto plane_stride = static_cast<std::ptrdiff_t>(out.area());
  if (Status ok =
          cpu::split_mosaic(in, {planes.data(), n, out.width, out.height, out.width, plane_stride});
      !ok)
    return ok.error();
  for (int k = 0; k < n; ++k) {
    out.names.push_back(fmt::format("band {}", k + 1));
    cv::Mat plane{out.height, out.width, CV_16UC1, planes.data() + k * plane_stride};
    if (raw->depth() == CV_8U) plane *= 16;
    add_plane(out.samples, plane, source.smooth);
  }
  set_places(out, source.nanometres);
  choose_three(out, source.nanometres);
  return out;
}

/// Floats may be parts of 1: all are multiplied alike, so that 16 bits hold them and tell them
/// apart.
Status scale_floats(spectral::Cube& cube, const std::string& path) {
  if (!cube.are_floats) return Done{};
  const auto [least, most] = std::minmax_element(cube.samples.begin(), cube.samples.end());
  if (*least < 0) return failure(Errc::invalid_argument, "a sample is below zero", path);
  if (!(*most > 0)) return failure(Errc::invalid_argument, "no sample is above zero", path);
  const double factor = static_cast<double>(kBrightest) / static_cast<double>(*most);
  for (float& sample : cube.samples)
    sample = static_cast<float>(static_cast<double>(sample) * factor);
  return Done{};
}

Result<Bands> cube_of(const BandSource& source) {
  if (Status ok = check_count(source.bands, {}); !ok) return ok.error();
  Result<spectral::Cube> whole = spectral::read_envi(source.cube);
  if (!whole) return whole.error();
  if (Status ok = scale_floats(*whole, source.cube); !ok) return ok.error();
  const Result<spectral::Cube> cut = spectral::cut_bands(*whole, source.bands);
  if (!cut) return cut.error();
  Bands out;
  out.width = cut->width;
  out.height = cut->height;
  const auto plane = [&](const spectral::Cube& cube, int k) {
    return cv::Mat{out.height, out.width, CV_32FC1, const_cast<float*>(cube.band(k))};
  };
  for (int k = 0; k < cut->bands; ++k) {
    const auto i = static_cast<std::size_t>(k);
    out.names.push_back(cut->wavelengths.empty() ? fmt::format("band {}", k + 1)
                                                 : fmt::format("{:.0f} nm", cut->wavelengths[i]));
    add_plane(out.samples, plane(*cut, k), source.smooth);
  }
  set_places(out, cut->wavelengths);
  if (whole->wavelengths.empty()) {
    choose_three(out, {});
    return out;
  }
  // A camera with three narrow filters: the cube's own bands, not the cut ones.
  for (const double wanted : {450.0, 550.0, 650.0})
    add_plane(out.three, plane(*whole, spectral::nearest_band(*whole, wanted)), source.smooth);
  show(out);
  return out;
}

}  // namespace

Result<Bands> load_bands(const BandSource& source) {
  if (source.cube.empty() == source.picture.empty())
    return bad_bands("expected a picture or a datacube, not both");
  const int kinds = (source.thermal.empty() ? 0 : 1) + (source.mosaic > 0 ? 1 : 0) +
                    (source.beside > 0 ? 1 : 0) + (source.cube.empty() ? 0 : 1);
  if (kinds > 1)
    return bad_bands("expected at most one of --thermal, --mosaic, --beside and --cube");
  if (!source.nanometres.empty() && source.mosaic == 0 && source.beside == 0)
    return bad_bands("--nm needs --mosaic or --beside");
  if (!source.cube.empty()) return cube_of(source);
  if (source.mosaic > 0) return mosaic_of(source);
  if (source.beside > 0) return side_by_side(source);
  return visible_and_thermal(source);
}

}  // namespace kerb::lab
