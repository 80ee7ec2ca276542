// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpu/emd/targets.hpp"
#include "gpu/image/both.hpp"

/// The arithmetic of targets.hpp, and what is refused. For gpu/emd alone.
namespace kerb::emd {

KERB_BOTH std::uint8_t likelihood_of(std::uint32_t cost, std::uint32_t reach) noexcept {
  if (cost >= reach) return 0;
  const auto x = static_cast<std::uint32_t>(std::uint64_t{reach - cost} * 255U / reach);
  return static_cast<std::uint8_t>((x * x + 127U) / 255U);
}

KERB_BOTH bool is_within(const Box& box, int width, int height) noexcept {
  return box.width >= 1 && box.height >= 1 && box.width <= kMaxBoxSide &&
         box.height <= kMaxBoxSide && box.x >= 0 && box.y >= 0 && box.width <= width &&
         box.height <= height && box.x <= width - box.width && box.y <= height - box.height;
}

/// How far a box of `side` pixels moves along one axis, when the likelihoods in it sum up to `sum`
/// and, each times its place from the box's start, to `moment`: to the nearest pixel, halves away
/// from where it is, so that a box one pixel beside a target of its size moves onto it.
KERB_BOTH std::int32_t shift_of(std::uint64_t sum, std::uint64_t moment,
                                std::int32_t side) noexcept {
  if (sum == 0) return 0;
  const auto s = static_cast<std::int64_t>(sum);
  // The centre of the box is (side - 1) / 2. This is 2 s times the way to go.
  const std::int64_t off = 2 * static_cast<std::int64_t>(moment) - (side - 1) * s;
  const std::int64_t way = ((off < 0 ? -off : off) + s) / (2 * s);
  return static_cast<std::int32_t>(off < 0 ? -way : way);
}

KERB_BOTH std::int32_t kept_within(std::int32_t at, std::int32_t side, std::int32_t whole) {
  return at < 0 ? 0 : at > whole - side ? whole - side : at;
}

KERB_BOTH std::uint32_t mean_of(std::uint64_t sum, const Box& box) noexcept {
  const auto pixels =
      static_cast<std::uint64_t>(box.width) * static_cast<std::uint64_t>(box.height);
  return pixels == 0 ? 0 : static_cast<std::uint32_t>(sum * 256U / pixels);
}

inline Error bad_targets(const char* what) {
  return Error{Errc::invalid_argument, 0, "targets", what};
}

inline Status check_likelihoods(const void* costs, std::size_t costs_stride, std::size_t count,
                                int targets, std::uint32_t reach, const void* out,
                                std::size_t out_stride) {
  if (targets < 1 || targets > kMaxTargets) return bad_targets("targets: 1..8");
  if (reach == 0) return bad_targets("reach: above 0");
  if (count > 0 && (costs == nullptr || out == nullptr)) return bad_targets("no memory");
  if (targets > 1 && (costs_stride < count || out_stride < count))
    return bad_targets("targets overlap");
  return Done{};
}

template <Space S>
Status check_places(const PlanesView<S, const std::uint8_t>& planes, int most, const void* in,
                    const void* out) {
  if (planes.count < 1 || planes.count > kMaxTargets) return bad_targets("targets: 1..8");
  if (planes.data == nullptr || planes.width < 1 || planes.height < 1 ||
      planes.row_stride < planes.width)
    return bad_targets("not a picture");
  if (most < 1 || most > kMaxShifts) return bad_targets("iterations: 1..64");
  if (in == nullptr || out == nullptr) return bad_targets("no memory");
  return Done{};
}

}  // namespace kerb::emd
