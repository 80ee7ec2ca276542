// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/base/things.hpp"

#include <algorithm>
#include <span>

namespace kerb::sim {
namespace {

Surface colour(std::uint32_t rgb) {
  Surface out;
  out.rgb = {(rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0};
  return out;
}

Surface one_of(std::span<const std::uint32_t> colours, Random& random) {
  Surface out =
      colour(colours[static_cast<std::size_t>(random.below(static_cast<int>(colours.size())))]);
  for (double& c : out.rgb) c = std::clamp(c + random.between(-0.03, 0.03), 0.0, 1.0);
  return out;
}

constexpr std::uint32_t kPaints[] = {0xd9d9d6, 0xf2f2f0, 0x17181a, 0x2a2c30, 0x8a8d91, 0x55585c,
                                     0x1d2f52, 0x7d1416, 0x2f4a3a, 0x9aa7b5, 0xb8b2a2, 0x5b2b1c};

}  // namespace

Vec3 usual_size(PropKind kind) {
  switch (kind) {
    case PropKind::car:
      return {4.4, 1.8, 1.48};
    case PropKind::van:
      return {5.3, 2, 2.4};
    case PropKind::truck:
      return {8.5, 2.5, 3.5};
    case PropKind::bicycle:
      return {1.75, 0.6, 1.05};
    case PropKind::pole:
      return {0.12, 0.12, 3};
    case PropKind::lamp_post:
      return {0.2, 0.2, 7};
    case PropKind::cone:
      return {0.38, 0.38, 0.75};
    case PropKind::sign:
      return {0.1, 0.65, 2.6};
    case PropKind::tree:
      return {4.5, 4.5, 8};
    case PropKind::bush:
      return {1.6, 1.6, 1.2};
    case PropKind::bin:
      return {0.5, 0.5, 1};
    case PropKind::wall:
      return {6, 0.3, 2.2};
    case PropKind::barrier:
      return {2.2, 0.1, 1.05};
    case PropKind::bench:
      return {1.7, 0.6, 0.85};
    case PropKind::poster:
      return {0.12, 1.3, 2.4};
    case PropKind::hydrant:
      return {0.3, 0.3, 0.85};
  }
  return {1, 1, 1};
}

Vec2 foot_print(const PropSpec& prop) {
  const Vec3 usual = usual_size(prop.kind);
  const Vec2 size{prop.size.x > 0 ? prop.size.x : usual.x, prop.size.y > 0 ? prop.size.y : usual.y};
  if (prop.kind == PropKind::tree) return {0.1 * size.x, 0.1 * size.y};
  return size;
}

bool can_drive(PropKind kind) {
  return kind == PropKind::car || kind == PropKind::van || kind == PropKind::truck ||
         kind == PropKind::bicycle;
}

Surface usual_surface(PropKind kind, Random& random) {
  switch (kind) {
    case PropKind::car:
    case PropKind::van:
    case PropKind::truck:
    case PropKind::bicycle:
      return one_of(kPaints, random);
    case PropKind::cone:
      return colour(0xe8551c);
    case PropKind::tree:
      return colour(0x4f6b35);
    case PropKind::bush:
      return colour(0x48622f);
    case PropKind::bin:
      return one_of(std::initializer_list<std::uint32_t>{0x3d4a3f, 0x4a4d50, 0x24262a}, random);
    case PropKind::wall:
      return one_of(std::initializer_list<std::uint32_t>{0x9a5f4a, 0xa9a49a, 0xc4bba7}, random);
    case PropKind::barrier:
      return one_of(std::initializer_list<std::uint32_t>{0x8f9499, 0xc03a2b, 0xd8d8d4}, random);
    case PropKind::bench:
      return colour(0x7a5a3c);
    case PropKind::hydrant:
      return colour(0xb3201f);
    case PropKind::sign:
    case PropKind::poster:
      return colour(0xf2f2f2);
    case PropKind::pole:
    case PropKind::lamp_post:
      break;
  }
  return colour(0x8a8d90);
}

}  // namespace kerb::sim
