// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/count_range.hpp"

#include <algorithm>

namespace kerb {
namespace {

constexpr int kFraction = 8;            // bits of low_ and high_ behind the point
constexpr std::uint32_t kLostPart = 4;  // of the range: contrast under this part of it is lost

std::int32_t in_fractions(std::uint32_t count) {
  return static_cast<std::int32_t>(count << kFraction);  // 24 bits at most
}

bool within(int value, int least, int most) { return value >= least && value <= most; }

}  // namespace

Result<CountRange> CountRange::create(const CountRangeSettings& settings, int bits) {
  const auto refuse = [](const char* what) {
    return Error{Errc::invalid_argument, 0, "make count range", what};
  };
  if (!within(bits, 9, 16)) return refuse("bits: 9..16");
  if (!within(settings.black_permyriad, 0, 4000) || !within(settings.white_permyriad, 0, 4000))
    return refuse("black_permyriad, white_permyriad: 0..4000");
  if (!within(settings.min_span, 1, 65535)) return refuse("min_span: 1..65535");
  if (!within(settings.smooth_frames, 1, 255)) return refuse("smooth_frames: 1..255");
  if (!within(settings.hold_frames, 0, 10000)) return refuse("hold_frames: 0..10000");
  return CountRange{settings, bits};
}

CountRange::Marks CountRange::find(const std::uint32_t* histogram,
                                   std::uint64_t pixels) const noexcept {
  const auto share = [pixels](int permyriad) {
    return pixels * static_cast<std::uint64_t>(permyriad) / 10000;
  };
  const std::uint64_t dark = share(settings_.black_permyriad), middle = pixels / 2,
                      bright = pixels - 1 - share(settings_.white_permyriad);
  Marks marks;
  marks.hash = 0xcbf29ce484222325u;  // FNV-1a, over the counts that occur
  std::uint64_t before = 0;          // pixels of a lower count
  for (std::uint32_t count = 0; count < 1u << bits_; ++count) {
    const std::uint64_t here = histogram[count];
    if (here == 0) continue;
    const std::uint64_t after = before + here;
    const auto holds = [=](std::uint64_t rank) { return rank >= before && rank < after; };
    if (holds(dark)) marks.dark = count;
    if (holds(middle)) marks.middle = count;
    if (holds(bright)) marks.bright = count;
    marks.hash = (marks.hash ^ (here << 16 | count)) * 0x100000001b3u;
    before = after;
  }
  return marks;
}

CountRange::Ends CountRange::wanted(const Marks& marks) const noexcept {
  const auto span = static_cast<std::uint32_t>(settings_.min_span);
  if (marks.bright - marks.dark >= span) return {marks.dark, marks.bright};
  const std::uint32_t most = (1u << bits_) - 1, centre = (marks.dark + marks.bright) / 2;
  const std::uint32_t low = centre > span / 2 ? centre - span / 2 : 0;
  const std::uint32_t fits = span < most ? std::min(low, most - span) : 0;
  return {fits, fits + span};
}

bool CountRange::lost_contrast(const Marks& marks) const noexcept {
  const std::uint32_t contrast = marks.bright - marks.dark;
  return contrast < static_cast<std::uint32_t>(settings_.min_span) &&
         contrast * kLostPart < map().span;
}

CountMap CountRange::map() const noexcept {
  const std::int32_t low = low_ >> kFraction, high = high_ >> kFraction;
  // The ends move apart or together by roundings of their own, up to one count.
  const std::int32_t span = std::clamp(high - low, settings_.min_span, 65535);
  return {static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(span)};
}

CountMap CountRange::update(const std::uint32_t* histogram, std::uint64_t pixels) noexcept {
  if (pixels == 0) return map();
  const Marks marks = find(histogram, pixels);
  if (seen_ && marks.hash == last_hash_) return map();
  last_hash_ = marks.hash;

  const CountMap now = map();
  const bool lost = seen_ && lost_contrast(marks);
  if (lost && held_ < settings_.hold_frames) {
    ++held_;
    return now;
  }
  if (!lost) held_ = 0;
  const Ends ends = wanted(marks);
  const std::int32_t low = in_fractions(ends.low), high = in_fractions(ends.high);
  const bool outside = marks.middle < now.low || marks.middle > now.low + now.span;
  if (!seen_ || outside) {
    low_ = low;
    high_ = high;
  } else {
    const std::int32_t most = std::max(high_ - low_, 1);  // roundings take less than min_span
    low_ += std::clamp(low - low_, -most, most) / settings_.smooth_frames;
    high_ += std::clamp(high - high_, -most, most) / settings_.smooth_frames;
  }
  seen_ = true;
  return map();
}

}  // namespace kerb
