// SPDX-License-Identifier: Apache-2.0
#include "gpu/net/second_look.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gpu/net/second_look_check.hpp"

namespace kerb::net {
namespace {

constexpr int kMaxSide = 16384;

Error refused(const char* why) { return Error{Errc::invalid_argument, 0, "second look", why}; }

bool is_in_picture(const Detection& box, int width, int height) {
  const double x = box.x, y = box.y, w = box.w, h = box.h;
  // Also false for what is no number.
  return h > 0 && w >= 0 && std::isfinite(w) && std::isfinite(h) && x < width && y < height &&
         x + w > 0 && y + h > 0;
}

}  // namespace

Status check_made(const Network& network, int width, int height) {
  if (width < 1 || height < 1 || width > kMaxSide || height > kMaxSide)
    return Error{Errc::invalid_argument, 0, kMakeSecondLook, "sides must be 1..16384 pixels"};
  return validate(network);
}

template <Space S>
Status check_look(const PlanesView<S, const std::uint8_t>& picture, int planes, int width,
                  int height, const Detection* candidates, int count) {
  if (picture.data == nullptr || picture.count != planes || picture.width != width ||
      picture.height != height || picture.row_stride < width ||
      (planes > 1 && picture.plane_stride < picture.row_stride * (height - 1) + width))
    return refused("not the size or planes it was made for");
  if (count < 0 || count > SecondLook::kMaxCandidates || (count > 0 && candidates == nullptr))
    return refused("0..128 candidates");
  for (int i = 0; i < count; ++i)
    if (!is_in_picture(candidates[i], width, height))
      return refused("a candidate without height or outside of the picture");
  return Done{};
}
template Status check_look<Space::host>(const PlanesView<Space::host, const std::uint8_t>&, int,
                                        int, int, const Detection*, int);
template Status check_look<Space::device>(const PlanesView<Space::device, const std::uint8_t>&, int,
                                          int, int, const Detection*, int);

Detection corrected(const Detection& candidate, const float* results) noexcept {
  constexpr float kMaxShift = SecondLook::kMaxShift;
  const float right = std::clamp(results[1], -kMaxShift, kMaxShift) * candidate.h;
  const float down = std::clamp(results[2], -kMaxShift, kMaxShift) * candidate.h;
  const float growth = std::clamp(1 + results[3], SecondLook::kMinGrowth, SecondLook::kMaxGrowth);
  Detection out;
  out.w = candidate.w * growth;
  out.h = candidate.h * growth;
  out.x = candidate.x + candidate.w / 2 + right - out.w / 2;
  out.y = candidate.y + candidate.h / 2 + down - out.h / 2;
  out.score = results[0];
  return out;
}

Result<std::unique_ptr<SecondLook>> make_second_look(const Context& context, Workers& workers,
                                                     Network network, int width, int height) {
  if (context.backend() == Backend::cuda)
    return make_second_look_cuda(context, std::move(network), width, height);
  return make_second_look_cpu(workers, std::move(network), width, height);
}

}  // namespace kerb::net
