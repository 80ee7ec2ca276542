// SPDX-License-Identifier: Apache-2.0
#include "firmware/vision/known_person.hpp"

#include <algorithm>
#include <memory>

#include "gpu/hog/detector.hpp"
#include "gpu/image/preparer.hpp"

namespace kerb {
namespace {

/// One hexadecimal digit for each pixel: 16 grey values.
constexpr char kDigits[] =
#include "firmware/vision/known_person_picture.inc"
    ;
constexpr auto kPixels = static_cast<std::size_t>(kKnownWidth) * kKnownHeight;
static_assert(sizeof kDigits == kPixels + 1);

constexpr float kShared = 0.5F;  // of both boxes: so much is a find
/// Models of models/ that find the person, by the names in their files. A test shows it.
constexpr const char* kModels[] = {"default", "default-free", "default-grey"};

std::uint8_t grey_of(char digit) noexcept {
  return static_cast<std::uint8_t>((digit <= '9' ? digit - '0' : digit - 'a' + 10) * 17);
}

float shared(const Detection& a, const Detection& b) noexcept {
  const float w = std::min(a.x + a.w, b.x + b.w) - std::max(a.x, b.x);
  const float h = std::min(a.y + a.h, b.y + b.h) - std::max(a.y, b.y);
  if (w <= 0 || h <= 0) return 0;
  return w * h / (a.w * a.h + b.w * b.h - w * h);
}

}  // namespace

std::vector<std::uint8_t> known_picture(PixelFormat format) {
  const std::size_t samples = format == PixelFormat::rgb24 ? 3 : 1;
  std::vector<std::uint8_t> out;
  out.reserve(kPixels * samples);
  for (std::size_t i = 0; i < kPixels; ++i) out.insert(out.end(), samples, grey_of(kDigits[i]));
  return out;
}

bool knows_person(const hog::Model& model) noexcept {
  return std::ranges::any_of(kModels, [&](const char* name) { return model.name == name; });
}

Status find_known_person(const Context& context, Workers& workers, const hog::Model& model) {
  const bool colour = hog::needs_colour(model);
  FrameSourceInfo info;
  info.format = colour ? PixelFormat::rgb24 : PixelFormat::grey8;
  info.width = kKnownWidth;
  info.height = kKnownHeight;
  const hog::Advice& advice = model.advice;
  hog::SearchSettings search;
  search.scale_step = hog::advised_scale_step(advice);
  search.stride = advice.stride;
  search.padding = advice.padding;
  hog::FusionSettings fusion;
  fusion.kind = advice.fusion;
  fusion.overlap = advice.overlap;
  fusion.of_smaller = advice.of_smaller;
  Result<std::unique_ptr<Preparer>> preparer = Preparer::create(context, nullptr, info, colour);
  if (!preparer) return preparer.error();
  Result<std::unique_ptr<HogDetector>> detector = HogDetector::create(
      context, workers, model, search, fusion, advice.threshold, kKnownWidth, kKnownHeight);
  if (!detector) return detector.error();
  const std::vector<std::uint8_t> pixels = known_picture(info.format);
  RawImageView<Space::host> raw;
  raw.data = pixels.data();
  raw.format = info.format;
  raw.width = kKnownWidth;
  raw.height = kKnownHeight;
  raw.row_stride = min_row_bytes(info.format, kKnownWidth);
  const Result<PreparedImage> prepared = (*preparer)->prepare(raw);
  if (!prepared) return prepared.error();
  const auto found = std::make_unique<DetectionList>();
  if (Status s = (*detector)->detect(*prepared, *found); !s) return s;
  const bool there =
      std::any_of(found->items, found->items + found->count,
                  [](const Detection& person) { return shared(person, kKnownPerson) >= kShared; });
  if (!there) return Error{Errc::not_found, 0, "self-test: the detector misses the known person"};
  return Done{};
}

}  // namespace kerb
