// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/people/polygonise.hpp"

#include <algorithm>
#include <cmath>

namespace kerb::sim::people {
namespace {

constexpr int kBlock = 4;  // cells looked at together: far from the surface they are left out
constexpr std::uint32_t kNone = ~0u;

struct Grid {
  Vec3 low;
  double cell;
  int nx, ny, nz;  // corners
  [[nodiscard]] std::size_t index(int x, int y, int z) const {
    return (static_cast<std::size_t>(z) * static_cast<std::size_t>(ny) +
            static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(nx) +
           static_cast<std::size_t>(x);
  }
  [[nodiscard]] Vec3 at(double x, double y, double z) const {
    return {low.x + x * cell, low.y + y * cell, low.z + z * cell};
  }
};

std::vector<double> sample(const Field& field, const Grid& g) {
  std::vector<double> values(g.index(0, 0, g.nz), 1e9);
  for (int z = 0; z < g.nz; z += kBlock)
    for (int y = 0; y < g.ny; y += kBlock)
      for (int x = 0; x < g.nx; x += kBlock) {
        const double half = kBlock / 2.0;
        const double middle = field(g.at(x + half, y + half, z + half));
        const bool near = std::abs(middle) < 1.6 * g.cell * (half + 1) * std::sqrt(3.0);
        for (int k = z; k < std::min(z + kBlock, g.nz); ++k)
          for (int j = y; j < std::min(y + kBlock, g.ny); ++j)
            for (int i = x; i < std::min(x + kBlock, g.nx); ++i) {
              const bool border = i == 0 || j == 0 || k == 0 || i + 1 == g.nx || j + 1 == g.ny ||
                                  k + 1 == g.nz;  // outside: closed there
              values[g.index(i, j, k)] = border ? 1e9
                                         : near ? field(g.at(i, j, k))
                                                : std::copysign(1e9, middle);
            }
      }
  return values;
}

/// Onto the surface, not further than a cell's part from where it was.
void settle(const Field& field, double cell, int steps, Skin& skin) {
  const double e = 0.1 * cell;
  for (Vec3& p : skin.points) {
    const Vec3 start = p;
    for (int i = 0; i < steps; ++i) {
      const double d = field(p);
      const Vec3 g = (1 / e) * Vec3{field({p.x + e, p.y, p.z}) - d, field({p.x, p.y + e, p.z}) - d,
                                    field({p.x, p.y, p.z + e}) - d};
      const double g2 = dot(g, g);
      if (g2 < 1e-6) break;
      p = p - (d / g2) * g;
      const Vec3 moved = p - start;
      const double far = length(moved);
      if (far > 0.7 * cell) p = start + (0.7 * cell / far) * moved;
    }
  }
}

/// Each vertex half way to the middle of its neighbours: an even net, and even hems.
void relax(Skin& skin) {
  std::vector<Vec3> sum(skin.points.size());
  std::vector<double> count(skin.points.size());
  for (const auto& t : skin.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      sum[t[k]] = sum[t[k]] + (skin.points[t[(k + 1) % 3]] + skin.points[t[(k + 2) % 3]]);
      count[t[k]] += 2;
    }
  for (std::size_t i = 0; i < sum.size(); ++i)
    skin.points[i] = 0.5 * skin.points[i] + (0.5 / count[i]) * sum[i];
}

void find_normals(const Field& field, double cell, Skin& skin) {
  for (const Vec3& p : skin.points) {
    const Vec3 g = gradient(field, p, std::min(0.2 * cell, 0.004));
    skin.normals.push_back(length(g) > 1e-6 ? unit(g) : Vec3{0, 0, 1});
  }
}

}  // namespace

Skin polygonise(const Field& field, const Vec3& low, const Vec3& high, double cell) {
  const auto corners = [cell](double from, double to) {
    return static_cast<int>(std::ceil((to - from) / cell)) + 5;
  };
  const Grid g{low - Vec3{2 * cell, 2 * cell, 2 * cell}, cell, corners(low.x, high.x),
               corners(low.y, high.y), corners(low.z, high.z)};
  const std::vector<double> value = sample(field, g);
  std::vector<std::uint32_t> vertex(value.size(), kNone);
  Skin skin;
  for (int z = 0; z + 1 < g.nz; ++z)
    for (int y = 0; y + 1 < g.ny; ++y)
      for (int x = 0; x + 1 < g.nx; ++x) {
        Vec3 sum;
        int cuts = 0;
        for (int edge = 0; edge < 12; ++edge) {
          const int axis = edge / 4, u = edge & 1, v = (edge >> 1) & 1;
          const std::array<int, 3> a = axis == 0   ? std::array{0, u, v}
                                       : axis == 1 ? std::array{u, 0, v}
                                                   : std::array{u, v, 0};
          std::array<int, 3> b = a;
          b[static_cast<std::size_t>(axis)] = 1;
          const double va = value[g.index(x + a[0], y + a[1], z + a[2])];
          const double vb = value[g.index(x + b[0], y + b[1], z + b[2])];
          if ((va < 0) == (vb < 0)) continue;
          const double t = std::clamp(va / (va - vb), 0.05, 0.95);
          sum = sum + g.at(x + a[0] + t * (b[0] - a[0]), y + a[1] + t * (b[1] - a[1]),
                           z + a[2] + t * (b[2] - a[2]));
          ++cuts;
        }
        if (cuts == 0) continue;
        vertex[g.index(x, y, z)] = static_cast<std::uint32_t>(skin.points.size());
        skin.points.push_back((1.0 / cuts) * sum);
      }
  // A quad round each edge of the grid that the surface cuts, of the four cells at that edge.
  const auto quad = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d,
                        bool turn) {
    if (turn) std::swap(b, d);
    if (length(skin.points[a] - skin.points[c]) <= length(skin.points[b] - skin.points[d])) {
      skin.triangles.push_back({a, b, c});
      skin.triangles.push_back({a, c, d});
    } else {
      skin.triangles.push_back({a, b, d});
      skin.triangles.push_back({b, c, d});
    }
  };
  for (int z = 0; z + 1 < g.nz; ++z)
    for (int y = 0; y + 1 < g.ny; ++y)
      for (int x = 0; x + 1 < g.nx; ++x) {
        const bool in = value[g.index(x, y, z)] < 0;
        const auto cell_at = [&](int dx, int dy, int dz) {
          return vertex[g.index(x - dx, y - dy, z - dz)];
        };
        if (y > 0 && z > 0 && in != (value[g.index(x + 1, y, z)] < 0))
          quad(cell_at(0, 1, 1), cell_at(0, 0, 1), cell_at(0, 0, 0), cell_at(0, 1, 0), !in);
        if (x > 0 && z > 0 && in != (value[g.index(x, y + 1, z)] < 0))
          quad(cell_at(1, 0, 1), cell_at(1, 0, 0), cell_at(0, 0, 0), cell_at(0, 0, 1), !in);
        if (x > 0 && y > 0 && in != (value[g.index(x, y, z + 1)] < 0))
          quad(cell_at(1, 1, 0), cell_at(0, 1, 0), cell_at(0, 0, 0), cell_at(1, 0, 0), !in);
      }
  const bool tiny = skin.points.size() < 120;  // would shrink away
  settle(field, cell, tiny ? 2 : 1, skin);
  if (!tiny) {
    relax(skin);
    settle(field, cell, 1, skin);
    relax(skin);
    settle(field, cell, 2, skin);
  }
  find_normals(field, cell, skin);
  return skin;
}

}  // namespace kerb::sim::people
