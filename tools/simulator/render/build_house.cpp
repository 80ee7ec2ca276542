// SPDX-License-Identifier: Apache-2.0
// Fronts of houses: storeys of windows set back into the wall, doors, shops, balconies, roofs.
#include "tools/simulator/render/parts.hpp"

namespace kerb::sim {
namespace {

struct FrontStyle {
  std::uint16_t wall, trim, frame;
  float window_w, window_h, sill;
  bool sills, lintels, bars, shutters, quoins;
};

constexpr std::uint16_t kWalls[] = {
    id_of(Base::brick_red),     id_of(Base::brick_brown),   id_of(Base::brick_yellow),
    id_of(Base::plaster_white), id_of(Base::plaster_cream), id_of(Base::plaster_grey),
    id_of(Base::plaster_pink),  id_of(Base::plaster_ochre), id_of(Base::stone),
    id_of(Base::plaster_cream), id_of(Base::brick_red),     id_of(Base::concrete)};

/// A piece of the front, with where it is dirty and in the shade: low down, and under cornices.
void wall_piece(Builder& b, float x0, float x1, float z0, float z1, std::uint16_t m) {
  if (x1 - x0 < 0.01F || z1 - z0 < 0.01F) return;
  b.u0 = x0;
  b.v0 = z0;
  const auto open = [](float z) { return 0.55F + 0.45F * smooth(0.0F, 7.0F, z); };
  b.quad_shaded({x0, 0, z0}, {x1, 0, z0}, {x1, 0, z1}, {x0, 0, z1}, m, open(z0), open(z1));
  b.u0 = b.v0 = 0;
}

/// The sides of a hole in the front, `in` deep.
void reveal(Builder& b, float x0, float x1, float z0, float z1, float in, std::uint16_t m) {
  const float keep = b.shade;
  b.shade = 0.55F;
  b.quad({x0, 0, z0}, {x1, 0, z0}, {x1, in, z0}, {x0, in, z0}, m);
  b.shade = 0.3F;
  b.quad({x0, in, z1}, {x1, in, z1}, {x1, 0, z1}, {x0, 0, z1}, m);
  b.shade = 0.45F;
  b.quad({x0, 0, z0}, {x0, in, z0}, {x0, in, z1}, {x0, 0, z1}, m);
  b.quad({x1, in, z0}, {x1, 0, z0}, {x1, 0, z1}, {x1, in, z1}, m);
  b.shade = keep;
}

void bar(Builder& b, float x0, float x1, float z0, float z1, float y, std::uint16_t m) {
  b.quad({x0, y, z0}, {x1, y, z0}, {x1, y, z1}, {x0, y, z1}, m);
}

void window(Builder& b, float x0, float x1, float z0, float z1, const FrontStyle& look,
            Dice& dice) {
  const float in = 0.16F;
  reveal(b, x0, x1, z0, z1, in, look.trim);
  const float r = dice.unit();
  const std::uint16_t pane = id_of(r < 0.45F   ? Base::window
                                   : r < 0.80F ? Base::window_curtain
                                               : Base::window_lit);
  b.shade = 0.6F;
  b.picture({x0, in, z0}, {x1, in, z0}, {x1, in, z1}, {x0, in, z1}, pane);
  const float t = 0.055F, y = in - 0.02F;
  b.shade = 0.65F;
  bar(b, x0, x0 + t, z0, z1, y, look.frame);
  bar(b, x1 - t, x1, z0, z1, y, look.frame);
  bar(b, x0, x1, z0, z0 + t, y, look.frame);
  bar(b, x0, x1, z1 - t, z1, y, look.frame);
  if (look.bars) {
    bar(b, (x0 + x1 - t) / 2, (x0 + x1 + t) / 2, z0, z1, y, look.frame);
    bar(b, x0, x1, z0 + 0.66F * (z1 - z0), z0 + 0.66F * (z1 - z0) + 0.04F, y, look.frame);
  }
  if (pane != id_of(Base::window) && dice.chance(0.25F))  // a blind half down
    bar(b, x0 + t, x1 - t, z1 - dice.between(0.2F, 0.7F) * (z1 - z0), z1 - t, y + 0.008F,
        id_of(Base::frame_white));
  b.shade = 0.9F;
  if (look.sills) b.box({x0 - 0.08F, -0.09F, z0 - 0.08F}, {x1 + 0.08F, 0.02F, z0}, look.trim, true);
  if (look.lintels)
    b.box({x0 - 0.12F, -0.06F, z1}, {x1 + 0.12F, 0.02F, z1 + 0.18F}, look.trim, true);
  if (look.shutters) {
    const float w = (x1 - x0) / 2 - 0.02F;
    b.box({x0 - w - 0.03F, -0.05F, z0}, {x0 - 0.03F, 0.0F, z1}, id_of(Base::door_green));
    b.box({x1 + 0.03F, -0.05F, z0}, {x1 + w + 0.03F, 0.0F, z1}, id_of(Base::door_green));
  }
  b.shade = 1;
}

void door(Builder& b, float x0, float x1, float z1, const FrontStyle& look, Dice& dice) {
  const float in = 0.25F;
  const std::uint16_t leaf = id_of(dice.chance(0.6F) ? Base::door_wood : Base::door_green);
  reveal(b, x0, x1, 0, z1, in, look.trim);
  b.shade = 0.5F;
  b.quad({x0, in, 0}, {x1, in, 0}, {x1, in, z1 - 0.45F}, {x0, in, z1 - 0.45F}, leaf);
  b.picture({x0, in, z1 - 0.45F}, {x1, in, z1 - 0.45F}, {x1, in, z1}, {x0, in, z1},
            id_of(Base::window_lit));
  bar(b, (x0 + x1) / 2 - 0.02F, (x0 + x1) / 2 + 0.02F, 0, z1 - 0.45F, in - 0.01F,
      id_of(Base::frame_dark));
  b.shade = 0.9F;
  b.box({x0 - 0.1F, -0.32F, 0}, {x1 + 0.1F, in, 0.14F}, look.trim);
  b.shade = 1;
}

void shop(Builder& b, float x0, float x1, float z1, const FrontStyle& look, Dice& dice) {
  const float in = 0.22F, z0 = 0.45F;
  constexpr Base kSigns[] = {Base::shop_sign_a, Base::shop_sign_b, Base::shop_sign_c};
  wall_piece(b, x0, x1, 0, z0, id_of(Base::stone));
  reveal(b, x0, x1, z0, z1, in, look.trim);
  b.shade = 0.7F;
  const float from = dice.unit();
  b.picture({x0, in, z0}, {x1, in, z0}, {x1, in, z1}, {x0, in, z1}, id_of(Base::shop), from,
            from + (x1 - x0) / 4);
  const int panes = std::max(1, i32((x1 - x0) / 1.6F));
  for (int i = 0; i <= panes; ++i) {
    const float x = x0 + (x1 - x0) * f32(i) / f32(panes);
    b.box({x - 0.035F, in - 0.08F, z0}, {x + 0.035F, in, z1}, id_of(Base::frame_dark));
  }
  bar(b, x0, x1, z0, z0 + 0.1F, in - 0.06F, id_of(Base::frame_dark));
  b.shade = 0.9F;
  b.u0 = 3 * dice.unit();
  b.box({x0 - 0.1F, -0.10F, z1}, {x1 + 0.1F, 0.02F, z1 + 0.62F}, id_of(kSigns[dice.below(3)]),
        true);
  b.u0 = 0;
  if (dice.chance(0.4F)) {  // an awning
    b.two_sided = true;
    b.quad({x0, -1.2F, z1 - 0.55F}, {x1, -1.2F, z1 - 0.55F}, {x1, -0.1F, z1 + 0.05F},
           {x0, -0.1F, z1 + 0.05F}, id_of(Base::awning));
    b.quad({x0, -1.2F, z1 - 0.75F}, {x1, -1.2F, z1 - 0.75F}, {x1, -1.2F, z1 - 0.55F},
           {x0, -1.2F, z1 - 0.55F}, id_of(Base::awning));
    b.two_sided = false;
  }
  b.shade = 1;
}

void balcony(Builder& b, float x0, float x1, float z) {
  const std::uint16_t rail = id_of(Base::metal_dark);
  b.box({x0, -1.0F, z - 0.14F}, {x1, 0, z}, id_of(Base::concrete), true);
  b.box({x0, -1.0F, z + 0.95F}, {x1, -0.96F, z + 1.0F}, rail, true);
  for (int i = 0; i <= i32((x1 - x0) / 0.14F); ++i) {
    const float x = x0 + 0.14F * f32(i);
    b.box({x, -0.99F, z}, {x + 0.02F, -0.97F, z + 0.95F}, rail);
  }
  for (const float x : {x0, x1 - 0.03F})
    b.box({x, -1.0F, z + 0.95F}, {x + 0.03F, 0, z + 1.0F}, rail, true);
}

void roof(Builder& b, const HouseStyle& h, float top, const FrontStyle& look, Dice& dice) {
  const float w = h.width, d = h.depth;
  b.shade = 1;
  // Cornice.
  b.box({-0.05F, -0.28F, top - 0.22F}, {w + 0.05F, 0.02F, top}, look.trim, true);
  b.box({-0.02F, -0.14F, top - 0.42F}, {w + 0.02F, 0.02F, top - 0.22F}, look.trim, true);
  if (!h.gable) {
    b.box({0, 0, top}, {w, d, top + 0.6F}, look.wall);
    return;
  }
  const float rise = dice.between(0.55F, 0.95F) * d / 2;
  const std::uint16_t tiles = id_of(dice.chance(0.6F) ? Base::roof_red : Base::roof_grey);
  const V3 a{0, -0.3F, top}, c{w, -0.3F, top}, e{w, d / 2, top + rise}, g{0, d / 2, top + rise};
  b.quad(a, c, e, g, tiles);
  b.quad({w, d + 0.3F, top}, {0, d + 0.3F, top}, g, e, tiles);
  b.triangle({0, d, top}, {0, 0, top}, g, look.wall);
  b.triangle({w, 0, top}, {w, d, top}, e, look.wall);
  if (dice.chance(0.5F)) {  // dormers
    const int n = std::max(1, i32(w / 4.5F));
    for (int i = 0; i < n; ++i) {
      const float x = w * (f32(i) + 0.5F) / f32(n), z = top + 0.35F * rise, y = d / 2 * 0.3F;
      b.box({x - 0.7F, y, z}, {x + 0.7F, d / 2, z + 1.25F}, look.wall);
      b.picture({x - 0.5F, y - 0.01F, z + 0.15F}, {x + 0.5F, y - 0.01F, z + 0.15F},
                {x + 0.5F, y - 0.01F, z + 1.1F}, {x - 0.5F, y - 0.01F, z + 1.1F},
                id_of(Base::window));
    }
  }
  const float cx = dice.between(0.15F, 0.85F) * w;
  b.box({cx - 0.35F, d / 2 - 0.3F, top + rise - 0.6F},
        {cx + 0.35F, d / 2 + 0.4F, top + rise + 1.0F}, id_of(Base::brick_brown));
}

}  // namespace

void build_house(Builder& b, const HouseStyle& h) {
  Dice dice{h.seed};
  FrontStyle look{};
  look.wall = kWalls[dice.below(12)];
  const bool brick = look.wall <= id_of(Base::brick_yellow);
  look.trim = id_of(brick || dice.chance(0.5F) ? Base::stone : Base::plaster_white);
  look.frame = id_of(dice.chance(0.7F) ? Base::frame_white : Base::frame_dark);
  look.window_w = dice.between(0.9F, 1.35F);
  look.window_h = dice.between(1.35F, 1.9F);
  look.sill = dice.between(0.7F, 1.0F);
  look.sills = dice.chance(0.8F);
  look.lintels = dice.chance(0.5F);
  look.bars = dice.chance(0.7F);
  look.shutters = !h.shop && dice.chance(0.15F);
  const float storey = dice.between(2.9F, 3.4F), ground = h.shop ? 3.6F : storey;
  const float bay = dice.between(2.1F, 2.9F);
  const int bays = std::max(1, i32(h.width / bay));
  const float step = h.width / f32(bays);
  const float top = ground + storey * f32(h.floors - 1) + 0.35F;
  const int door_bay = dice.below(bays);
  const bool balconies = h.floors > 2 && dice.chance(0.3F);
  for (int f = 0; f < h.floors; ++f) {
    const float z0 = f == 0 ? 0 : ground + storey * f32(f - 1);
    const float z1 = f == 0 ? ground : z0 + storey;
    for (int i = 0; i < bays; ++i) {
      const float x0 = step * f32(i), x1 = x0 + step, mid = (x0 + x1) / 2;
      float l = mid - look.window_w / 2, r = mid + look.window_w / 2;
      float low = z0 + look.sill, high = std::min(low + look.window_h, z1 - 0.3F);
      const bool is_door = f == 0 && i == door_bay, is_shop = f == 0 && h.shop && !is_door;
      if (is_door) {
        l = mid - 0.55F;
        r = mid + 0.55F;
        low = z0;
        high = z0 + 2.5F;
      }
      if (is_shop) {
        l = x0 + 0.18F;
        r = x1 - 0.18F;
        low = z0;
        high = z0 + 2.75F;
      }
      wall_piece(b, x0, l, z0, z1, look.wall);
      wall_piece(b, r, x1, z0, z1, look.wall);
      if (low > z0) wall_piece(b, l, r, z0, low, look.wall);
      wall_piece(b, l, r, high, z1, look.wall);
      if (is_door)
        door(b, l, r, high, look, dice);
      else if (is_shop)
        shop(b, l, r, high, look, dice);
      else
        window(b, l, r, low, high, look, dice);
      if (balconies && f > 0 && (i % 2) == 0) balcony(b, l - 0.4F, r + 0.4F, z0 + 0.05F);
    }
    if (f > 0 && dice.chance(0.5F))
      b.box({0, -0.06F, z0 - 0.1F}, {h.width, 0.0F, z0 + 0.06F}, look.trim, true);
  }
  wall_piece(b, 0, h.width, ground + storey * f32(h.floors - 1), top, look.wall);
  // Plinth, sides, back.
  b.shade = 0.6F;
  if (!h.shop) {
    const float x0 = step * f32(door_bay) + step / 2 - 0.6F, x1 = x0 + 1.2F;
    b.box({0, -0.05F, 0}, {x0, 0, 0.5F}, id_of(Base::concrete));
    b.box({x1, -0.05F, 0}, {h.width, 0, 0.5F}, id_of(Base::concrete));
  }
  b.shade = 0.8F;
  const float d = h.depth, w = h.width;
  b.quad({0, d, 0}, {0, 0, 0}, {0, 0, top}, {0, d, top}, look.wall);
  b.quad({w, 0, 0}, {w, d, 0}, {w, d, top}, {w, 0, top}, look.wall);
  b.quad({w, d, 0}, {0, d, 0}, {0, d, top}, {w, d, top}, look.wall);
  // A rain pipe, which looks much like somebody thin.
  const float px = dice.chance(0.5F) ? 0.12F : w - 0.12F;
  b.tube({px, -0.09F, 0}, {px, -0.09F, top}, 0.05F, 0.05F, 6, id_of(Base::metal_grey));
  roof(b, h, top, look, dice);
}

void build_garden_wall(Builder& b, float l, int kind, Dice& dice) {
  switch (kind) {
    case 0: {  // a low wall with piers
      const std::uint16_t m = kWalls[dice.below(6)];
      b.box({0, -0.11F, 0}, {l, 0.11F, 0.85F}, m);
      b.box({0, -0.14F, 0.85F}, {l, 0.14F, 0.93F}, id_of(Base::stone), true);
      for (int i = 0; 3 * f32(i) < l; ++i) {
        const float x = 3 * f32(i);
        b.box({x, -0.18F, 0}, {x + 0.36F, 0.18F, 1.25F}, m);
        b.box({x - 0.04F, -0.22F, 1.25F}, {x + 0.40F, 0.22F, 1.33F}, id_of(Base::stone), true);
      }
      break;
    }
    case 1: {  // railings
      const std::uint16_t m = id_of(Base::metal_dark);
      b.box({0, -0.12F, 0}, {l, 0.12F, 0.3F}, id_of(Base::stone));
      b.box({0, -0.02F, 1.15F}, {l, 0.02F, 1.2F}, m, true);
      for (int i = 0; 0.05F + 0.15F * f32(i) < l; ++i) {
        const float x = 0.05F + 0.15F * f32(i);
        b.box({x, -0.012F, 0.3F}, {x + 0.024F, 0.012F, 1.3F}, m);
      }
      break;
    }
    case 2:  // a hedge
      b.shade = 0.85F;
      b.box({0, -0.35F, 0}, {l, 0.35F, dice.between(1.0F, 1.6F)}, id_of(Base::hedge));
      b.shade = 1;
      break;
    default: {  // a wooden fence
      b.two_sided = true;
      b.quad({0, 0, 0.05F}, {l, 0, 0.05F}, {l, 0, 1.3F}, {0, 0, 1.3F}, id_of(Base::wood));
      b.two_sided = false;
      for (int i = 0; 2 * f32(i) < l; ++i) {
        const float x = 2 * f32(i);
        b.box({x, -0.06F, 0}, {x + 0.1F, 0.06F, 1.4F}, id_of(Base::wood));
      }
    }
  }
}

}  // namespace kerb::sim
