// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/gpu/flow_bm_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <vector>

namespace kerb::test {
namespace {

using flow::Cost;

/// A picture that repeats its edge for ever.
struct Endless {
  int width = 0, height = 0;
  std::vector<int> pixels;
  [[nodiscard]] int at(int x, int y) const {
    const int i = std::clamp(y, 0, height - 1) * width + std::clamp(x, 0, width - 1);
    return pixels[static_cast<std::size_t>(i)];
  }
};

Endless filled(int width, int height, const std::function<int(int, int)>& value) {
  Endless out{width, height, {}};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) out.pixels.push_back(value(x, y));
  return out;
}

Endless smoothed(const ImageView<Space::host, const std::uint8_t>& in) {
  const Endless raw = filled(in.width, in.height,
                             [&](int x, int y) { return int{in.data[y * in.row_stride + x]}; });
  const int taps[] = {1, 2, 1};
  return filled(in.width, in.height, [&](int x, int y) {
    int sum = 8;
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) sum += taps[i] * taps[j] * raw.at(x + i - 1, y + j - 1);
    return sum / 16;
  });
}

Endless halved(const Endless& in) {
  const int taps[] = {1, 3, 3, 1};
  return filled((in.width + 1) / 2, (in.height + 1) / 2, [&](int x, int y) {
    int sum = 32;
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 4; ++i) sum += taps[i] * taps[j] * in.at(2 * x + i - 1, 2 * y + j - 1);
    return sum / 64;
  });
}

double rounded(double v) { return std::floor(v + 0.5); }

using Values = std::vector<double>;  // 64 of a block
double mean_of(const Values& v) {
  double sum = 0;
  for (const double x : v) sum += x;
  return sum / static_cast<double>(v.size());
}
/// The mean product of the deviations.
double covariance(const Values& a, const Values& b) {
  const double ma = mean_of(a), mb = mean_of(b);
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - ma) * (b[i] - mb);
  return sum / static_cast<double>(a.size());
}
double product(const Values& a, const Values& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum / static_cast<double>(a.size());
}

Values block_of(const Endless& in, int x, int y) {
  Values out;
  for (int j = 0; j < 8; ++j)
    for (int i = 0; i < 8; ++i) out.push_back(in.at(x + i, y + j));
  return out;
}

/// One sample at (x + qx / 16, y + qy / 16), to a sixteenth of a grey level.
double between_pixels(const Endless& in, int x, int y, int qx, int qy) {
  const int ix = static_cast<int>(std::floor(qx / 16.0)),
            iy = static_cast<int>(std::floor(qy / 16.0));
  const int fx = qx - 16 * ix, fy = qy - 16 * iy;
  x += ix;
  y += iy;
  const int sum = (16 - fy) * ((16 - fx) * in.at(x, y) + fx * in.at(x + 1, y)) +
                  fy * ((16 - fx) * in.at(x, y + 1) + fx * in.at(x + 1, y + 1));
  const int sixteenths = (sum + 8) / 16;
  return sixteenths / 16.0;
}

struct BlockField {
  int columns = 0, rows = 0;
  std::vector<double> u, v, likeness;
  std::vector<bool> poor;
  [[nodiscard]] std::size_t index(int column, int row) const {
    const int i = std::clamp(row, 0, rows - 1) * columns + std::clamp(column, 0, columns - 1);
    return static_cast<std::size_t>(i);
  }
};

struct Matcher {
  const flow::BlockMatchingSettings& settings;
  const Endless &first, &second;
  int limit;

  [[nodiscard]] double score(const Values& a, int x, int y) const {
    const Values b = block_of(second, x, y);
    double sum = 0;
    if (settings.cost == Cost::ncc) {
      if (covariance(a, a) == covariance(a, b) && covariance(a, b) == covariance(b, b)) return 1e9;
      return (covariance(a, b) + 1) / std::sqrt((covariance(a, a) + 1) * (covariance(b, b) + 1));
    }
    for (std::size_t i = 0; i < a.size(); ++i)
      sum += settings.cost == Cost::ssd ? (a[i] - b[i]) * (a[i] - b[i]) : std::fabs(a[i] - b[i]);
    return -sum;
  }

  void match(BlockField& field, int column, int row, const BlockField* above) const {
    const int x = 4 * column - 2, y = 4 * row - 2;
    const std::size_t n = field.index(column, row);
    const Values a = block_of(first, x, y);
    const std::size_t own = above == nullptr ? 0 : above->index(column / 2, row / 2);
    if (covariance(a, a) <= double{settings.noise} * double{settings.noise}) {
      field.u[n] = above == nullptr ? 0 : 2 * above->u[own];
      field.v[n] = above == nullptr ? 0 : 2 * above->v[own];
      field.poor[n] = true;
      return;
    }
    int best_u = 0, best_v = 0;
    double best = -1e30;
    const auto look = [&](double du, double dv) {
      const int u = std::clamp(static_cast<int>(du), std::max(-limit, -14 - x),
                               std::min(limit, second.width + 6 - x));
      const int v = std::clamp(static_cast<int>(dv), std::max(-limit, -14 - y),
                               std::min(limit, second.height + 6 - y));
      const double now = score(a, x + u, y + v);
      if (now <= best) return;
      best = now;
      best_u = u;
      best_v = v;
    };
    if (above == nullptr) {
      for (int far = 0; far <= 2 * limit * limit; ++far)
        for (int v = -limit; v <= limit; ++v)
          for (int u = -limit; u <= limit; ++u)
            if (u * u + v * v == far) look(u, v);
    } else {
      look(rounded(2 * above->u[own]), rounded(2 * above->v[own]));
      for (int j = -2; j <= 2; j += 2)
        for (int i = -2; i <= 2; i += 2) {
          const std::size_t there = above->index(column / 2 + i, row / 2 + j);
          look(rounded(2 * above->u[there]), rounded(2 * above->v[there]));
        }
      const int u = best_u, v = best_v;
      for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i) look(u + i, v + j);
    }
    refine(field, n, x, y, best_u, best_v, a);
  }

  void refine(BlockField& field, std::size_t n, int x, int y, int u, int v, const Values& a) const {
    const bool normalised = settings.cost == Cost::ncc;
    Values gx, gy;
    for (int j = 0; j < 8; ++j)
      for (int i = 0; i < 8; ++i) {
        gx.push_back((first.at(x + i + 1, y + j) - first.at(x + i - 1, y + j)) / 2.0);
        gy.push_back((first.at(x + i, y + j + 1) - first.at(x + i, y + j - 1)) / 2.0);
      }
    const auto inner = normalised ? covariance : product;
    const auto warped = [&](double du, double dv) {
      const int qx = static_cast<int>(rounded(16 * du)), qy = static_cast<int>(rounded(16 * dv));
      Values w;
      for (int j = 0; j < 8; ++j)
        for (int i = 0; i < 8; ++i)
          w.push_back(between_pixels(second, x + u + i, y + v + j, qx, qy));
      return w;
    };
    double du = 0, dv = 0;
    for (int step = 0; step < settings.steps; ++step) {
      const Values w = warped(du, dv);
      const double gain =
          normalised ? std::sqrt((covariance(a, a) + 1) / (covariance(w, w) + 1)) : 1;
      const double xx = inner(gx, gx), xy = inner(gx, gy), yy = inner(gy, gy);
      const double det = xx * yy - xy * xy;
      if (!(det > 1e-5 * xx * yy)) break;
      const double rx = gain * inner(w, gx) - inner(a, gx), ry = gain * inner(w, gy) - inner(a, gy);
      du = rounded(16 * du) / 16 - (yy * rx - xy * ry) / det;
      dv = rounded(16 * dv) / 16 - (xx * ry - xy * rx) / det;
      if (std::fabs(du) <= 1 && std::fabs(dv) <= 1) continue;
      du = dv = 0;
      break;
    }
    const Values w = warped(du, dv);
    field.likeness[n] =
        covariance(a, w) / std::sqrt((covariance(a, a) + 0.25) * (covariance(w, w) + 0.25));
    field.u[n] = u + du;
    field.v[n] = v + dv;
  }
};

std::vector<double> medians(const BlockField& field, const std::vector<double>& of) {
  std::vector<double> out;
  for (int row = 0; row < field.rows; ++row)
    for (int column = 0; column < field.columns; ++column) {
      std::vector<double> around;
      for (int j = -2; j <= 2; ++j)
        for (int i = -2; i <= 2; ++i) around.push_back(of[field.index(column + i, row + j)]);
      std::sort(around.begin(), around.end());
      out.push_back(around[12]);
    }
  return out;
}

}  // namespace

Vectors block_matching_by_definition(const flow::BlockMatchingSettings& settings,
                                     const ImageView<Space::host, const std::uint8_t>& first,
                                     const ImageView<Space::host, const std::uint8_t>& second) {
  std::vector<Endless> a{smoothed(first)}, b{smoothed(second)};
  while (static_cast<int>(a.size()) < settings.levels &&
         (std::min(a.back().width, a.back().height) + 1) / 2 >= 12) {
    a.push_back(halved(a.back()));
    b.push_back(halved(b.back()));
  }
  const int top = static_cast<int>(a.size()) - 1;
  const int radius = (settings.reach + (1 << top) - 1) / (1 << top);
  BlockField above, raw;
  for (int level = top; level >= 0; --level) {
    const auto l = static_cast<std::size_t>(level);
    const int columns = (a[l].width + 3) / 4, rows = (a[l].height + 3) / 4;
    const std::size_t count = static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
    BlockField field{columns,
                     rows,
                     std::vector<double>(count),
                     std::vector<double>(count),
                     std::vector<double>(count),
                     std::vector<bool>(count)};
    const Matcher matcher{settings, a[l], b[l], radius << (top - level)};
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column)
        matcher.match(field, column, row, level == top ? nullptr : &above);
    raw = field;
    field.u = medians(raw, raw.u);
    field.v = medians(raw, raw.v);
    above = field;
  }

  Vectors out{first.width, first.height};
  for (int y = 0; y < first.height; ++y)
    for (int x = 0; x < first.width; ++x) {
      double weights = 0, u = 0, v = 0;
      for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i) {
          const int column = std::clamp(x / 4 + i, 0, above.columns - 1);
          const int row = std::clamp(y / 4 + j, 0, above.rows - 1);
          const std::size_t n = above.index(column, row);
          const int qx = static_cast<int>(rounded(16 * above.u[n]));
          const int qy = static_cast<int>(rounded(16 * above.v[n]));
          const int from_x = 4 * (x / 4 + i), from_y = 4 * (y / 4 + j);
          const double dx = (x - from_x - 1.5) / 4, dy = (y - from_y - 1.5) / 4;
          const double pixel = a[0].at(x, y);
          const double misfit = std::fabs(pixel - between_pixels(b[0], x, y, qx, qy));
          const double unlike = pixel - a[0].at(4 * column + 1, 4 * row + 1);
          const double weight = std::exp(-(dx * dx + dy * dy) / 2) / std::max(misfit, 1.0) /
                                (1 + unlike * unlike / 100);
          weights += weight;
          u += weight * above.u[n];
          v += weight * above.v[n];
        }
      const std::size_t to = out.index(x, y), n = above.index(x / 4, y / 4);
      u /= weights;
      v /= weights;
      out.u[to] = static_cast<float>(u);
      out.v[to] = static_cast<float>(v);
      const double du = above.u[n] - raw.u[n], dv = above.v[n] - raw.v[n];
      const double likeness = raw.poor[n] ? 0 : std::clamp(raw.likeness[n], 0.0, 1.0);
      const double quality = rounded(255 * likeness / (1 + 4 * (du * du + dv * dv)));
      out.quality[to] = static_cast<std::uint8_t>(quality);
      int flags = 0;
      if (raw.poor[n]) {
        flags = flow::kTexturePoor;
      } else if (quality < 255 * double{settings.doubt}) {
        flags = flow::kInconsistent;
      }
      if (x + u < 0 || x + u > first.width - 1 || y + v < 0 || y + v > first.height - 1)
        flags |= flow::kOutOfView;
      out.flags[to] = static_cast<std::uint8_t>(flags == 0 ? flow::kValid : flags);
    }
  return out;
}

}  // namespace kerb::test
