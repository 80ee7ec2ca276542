// SPDX-License-Identifier: Apache-2.0
#include "tools/spectral/band_follower.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gpu/image/split_mosaic.hpp"

namespace kerb::spectral {
namespace {

constexpr float kBeside = 0.4F;  // searched beyond the upper body, person's heights
constexpr float kLike = 0.7F;    // less: nobody is there, the place stays
constexpr float kShare = 0.02F;  // of each picture, in the model
constexpr int kTile = 40;        // samples a side: as many places as a search may have

}  // namespace

Detection beside(const Detection& body, float tall) noexcept {
  return {body.x - kBeside * tall, body.y, body.w + 2 * kBeside * tall, body.h, 0};
}

Result<BandFollower> BandFollower::create(const Context& context, Workers& workers,
                                          const FrameSourceInfo& source,
                                          const EmdMatcherSettings& settings, bool draws) {
  Result<std::unique_ptr<SpectralMatcher>> made =
      EmdMatcher::create(context, workers, source, settings);
  if (!made) return made.error();
  if (!draws) return BandFollower{std::move(*made), nullptr, source};
  Result<std::unique_ptr<SpectralMatcher>> drawing =
      EmdMatcher::create(context, workers, source, settings);
  if (!drawing) return drawing.error();
  return BandFollower{std::move(*made), std::move(*drawing), source};
}

BandFollower::BandFollower(std::unique_ptr<SpectralMatcher> matcher,
                           std::unique_ptr<SpectralMatcher> drawing, const FrameSourceInfo& info)
    : matcher_{std::move(matcher)},
      drawing_{std::move(drawing)},
      info_{info},
      planes_(static_cast<std::size_t>(info.mosaic * info.mosaic) *
              static_cast<std::size_t>(width()) * static_cast<std::size_t>(height())) {}

Status BandFollower::show(const std::uint8_t* pixels) {
  RawImageView<Space::host> raw;
  raw.data = pixels;
  raw.width = info_.width;
  raw.height = info_.height;
  raw.row_stride = info_.width;
  raw.mosaic = info_.mosaic;
  const PlanesView<Space::host, std::uint16_t> out{
      planes_.data(), info_.mosaic * info_.mosaic,       width(), height(),
      width(),        std::ptrdiff_t{width()} * height()};
  image_.bands = out;
  return cpu::split_mosaic(raw, out);
}

Result<bool> BandFollower::learn(const Detection& body, float share) {
  if (drawing_)
    if (Result<bool> learned = drawing_->learn(image_, 0, body, share); !learned) return learned;
  return matcher_->learn(image_, 0, body, share);
}

Status BandFollower::begin(const Detection& body, float tall) {
  tall_ = tall;
  matcher_->forget(0);
  if (drawing_) drawing_->forget(0);
  const Result<bool> learned = learn(body, 1);
  if (!learned) return learned.error();
  if (!*learned)
    return Error{Errc::invalid_argument, 0, "follow", "the person is too small in the picture"};
  return Done{};
}

Status BandFollower::follow(Detection& body) {
  const SpectralMatcher::Search search{0, beside(body, tall_), body};
  SpectralMatcher::Found found;
  if (Status ok = matcher_->search(image_, &search, 1, &found); !ok) return ok;
  if (!found.known || found.likeness < kLike) return Done{};
  body.x = found.x - body.w / 2;
  // At the rim there may be too little of it to learn from.
  const Result<bool> learned = learn(body, kShare);
  return learned ? Status{Done{}} : Status{learned.error()};
}

Result<std::vector<std::uint8_t>> BandFollower::likeness() {
  if (!drawing_) return Error{Errc::unsupported, 0, "likeness", "it does not draw"};
  const int w = width(), h = height();
  std::vector<std::uint8_t> out(static_cast<std::size_t>(w) * static_cast<std::size_t>(h));
  const auto sample = static_cast<float>(info_.mosaic);
  const auto box = [&](int x, int y, int side) {
    const auto in_pixels = [&](int samples) { return sample * static_cast<float>(samples); };
    return Detection{in_pixels(x), in_pixels(y), in_pixels(side), in_pixels(side), 0};
  };
  for (int y = 0; y < h; y += kTile)
    for (int x = 0; x < w; x += kTile) {
      const SpectralMatcher::Search search{0, box(x, y, kTile), box(0, 0, 1)};
      SpectralMatcher::Found found;
      if (Status ok = drawing_->search(image_, &search, 1, &found); !ok) return ok.error();
      for (int j = y; j < std::min(y + kTile, h); ++j)
        for (int i = x; i < std::min(x + kTile, w); ++i)
          out[static_cast<std::size_t>(j) * static_cast<std::size_t>(w) +
              static_cast<std::size_t>(i)] =
              static_cast<std::uint8_t>(
                  std::lround(255 * std::max(drawing_->likeness(0, box(i, j, 1)), 0.0F)));
    }
  return out;
}

}  // namespace kerb::spectral
