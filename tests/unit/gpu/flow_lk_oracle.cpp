// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/gpu/flow_lk_oracle.hpp"

#include <algorithm>
#include <cmath>

namespace kerb::test {
namespace {

/// A plane whose edge goes on for ever.
template <typename T>
struct Plane {
  int width = 0, height = 0;
  std::vector<T> values;

  Plane(int w, int h)
      : width{w}, height{h}, values(static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {}
  [[nodiscard]] std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(std::clamp(y, 0, height - 1)) *
               static_cast<std::size_t>(width) +
           static_cast<std::size_t>(std::clamp(x, 0, width - 1));
  }
  [[nodiscard]] T at(int x, int y) const { return values[index(x, y)]; }
  T& set(int x, int y) { return values[index(x, y)]; }
  template <typename F>
  void fill(const F& f) {
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) set(x, y) = f(x, y);
  }
};
using Ints = Plane<int>;
using Floats = Plane<float>;

Ints smoothed(const ImageView<Space::host, const std::uint8_t>& in) {
  Ints grey{in.width, in.height}, out{in.width, in.height};
  grey.fill([&](int x, int y) { return int{in.data[y * in.row_stride + x]}; });
  constexpr int kWeights[3] = {1, 2, 1};
  out.fill([&](int x, int y) {
    int sum = 0;
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i)
        sum += kWeights[i + 1] * kWeights[j + 1] * grey.at(x + i, y + j);
    return sum;
  });
  return out;
}

Ints half(const Ints& in) {
  Ints out{(in.width + 1) / 2, (in.height + 1) / 2};
  constexpr int kWeights[4] = {1, 3, 3, 1};
  out.fill([&](int x, int y) {
    int sum = 0;
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 4; ++i)
        sum += kWeights[i] * kWeights[j] * in.at(2 * x - 1 + i, 2 * y - 1 + j);
    return (sum + 32) / 64;
  });
  return out;
}

int floor_of(double v) { return static_cast<int>(std::floor(v)); }

/// Catmull and Rom's weights in 1024ths, rounded; the second makes the sum right.
std::vector<int> weights(int t) {
  const double f = t / 64.0;
  const int a = floor_of(1024 * (-f * f * f + 2 * f * f - f) / 2 + 0.5);
  const int c = floor_of(1024 * (-3 * f * f * f + 4 * f * f + f) / 2 + 0.5);
  const int d = floor_of(1024 * (f * f * f - f * f) / 2 + 0.5);
  return {a, 1024 - a - c - d, c, d};
}

Ints twice(const Ints& in, int width, int height, int reach) {
  Ints out{width, height};
  out.fill([&](int x, int y) {
    const int dx = x % 2 == 0 ? -1 : 1, dy = y % 2 == 0 ? -1 : 1;
    const int sum = 9 * in.at(x / 2, y / 2) + 3 * in.at(x / 2 + dx, y / 2) +
                    3 * in.at(x / 2, y / 2 + dy) + in.at(x / 2 + dx, y / 2 + dy);
    return std::clamp(floor_of(sum / 8.0 + 0.5), -reach, reach);
  });
  return out;
}

Ints median5(const Ints& in) {
  Ints out{in.width, in.height};
  out.fill([&](int x, int y) {
    std::vector<int> near;
    for (int j = -2; j <= 2; ++j)
      for (int i = -2; i <= 2; ++i) near.push_back(in.at(x + i, y + j));
    std::sort(near.begin(), near.end());
    return near[12];
  });
  return out;
}

/// 1 2 1 along rows, then along columns.
Floats windowed(const Floats& in) {
  Floats rows{in.width, in.height}, out{in.width, in.height};
  rows.fill([&](int x, int y) { return (in.at(x - 1, y) + in.at(x + 1, y)) + 2 * in.at(x, y); });
  out.fill(
      [&](int x, int y) { return (rows.at(x, y - 1) + rows.at(x, y + 1)) + 2 * rows.at(x, y); });
  return out;
}

struct Field {
  Ints u, v;
};

class Iteration {
 public:
  Iteration(const Ints& first, const Ints& second, const Field& field)
      : width_{first.width},
        height_{first.height},
        a11_{width_, height_},
        a12_{width_, height_},
        a22_{width_, height_},
        b1_{width_, height_},
        b2_{width_, height_},
        misfit_{width_, height_},
        field_{field} {
    Floats difference{width_, height_}, sum{width_, height_}, seen{width_, height_};
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x) {
        const int px = 64 * x + field.u.at(x, y), py = 64 * y + field.v.at(x, y);
        const int cx = std::clamp(px, 0, 64 * (width_ - 1));
        const int cy = std::clamp(py, 0, 64 * (height_ - 1));
        seen.set(x, y) = px == cx && py == cy ? 1.0F : 0.0F;
        const std::vector<int> wx = weights(cx % 64), wy = weights(cy % 64);
        int warped = 0;
        for (int i = 0; i < 4; ++i) {
          int column = 0;
          for (int j = 0; j < 4; ++j)
            column += wy[static_cast<std::size_t>(j)] * second.at(cx / 64 - 1 + i, cy / 64 - 1 + j);
          warped += wx[static_cast<std::size_t>(i)] * floor_of(column / 256.0 + 0.5);
        }
        const double here = 4096.0 * first.at(x, y);
        difference.set(x, y) = static_cast<float>(floor_of((warped - here) / 256 + 0.5));
        sum.set(x, y) = static_cast<float>(floor_of((warped + here) / 256 + 0.5));
      }
    const auto& d = difference;
    const auto& m = sum;
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x) {
        const float rx =
            (8 * (d.at(x + 1, y) - d.at(x - 1, y)) - (d.at(x + 2, y) - d.at(x - 2, y))) / 1536;
        const float ry =
            (8 * (d.at(x, y + 1) - d.at(x, y - 1)) - (d.at(x, y + 2) - d.at(x, y - 2))) / 1536;
        const float a = (m.at(x - 1, y) + m.at(x + 1, y) - 2 * m.at(x, y)) / 256;
        const float c = (m.at(x, y - 1) + m.at(x, y + 1) - 2 * m.at(x, y)) / 256;
        const float b =
            (m.at(x - 1, y - 1) + m.at(x + 1, y + 1) - (m.at(x + 1, y - 1) + m.at(x - 1, y + 1))) /
            1024;
        const float rr = rx * rx + ry * ry;
        const float w =
            seen.at(x, y) / ((1 + rr * (1 / 400.0F)) * ((0.5F * (a * a + c * c) + b * b) + 10));
        a11_.set(x, y) = w * (a * a + b * b);
        a12_.set(x, y) = w * (b * (a + c));
        a22_.set(x, y) = w * (b * b + c * c);
        b1_.set(x, y) = w * (a * rx + b * ry);
        b2_.set(x, y) = w * (b * rx + c * ry);
        misfit_.set(x, y) = w * rr;
      }
    for (Floats* plane : {&a11_, &a12_, &a22_, &b1_, &b2_, &misfit_}) *plane = windowed(*plane);
  }

  [[nodiscard]] Field solved(float prior, int reach) const {
    Field out{{width_, height_}, {width_, height_}};
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x) {
        const float mean_u = mean_around(field_.u, x, y), mean_v = mean_around(field_.v, x, y);
        const float e1 = static_cast<float>(field_.u.at(x, y)) - mean_u;
        const float e2 = static_cast<float>(field_.v.at(x, y)) - mean_v;
        const float a12 = a12_.at(x, y);
        const float r1 = (a11_.at(x, y) * e1 + a12 * e2) - 64 * b1_.at(x, y);
        const float r2 = (a12 * e1 + a22_.at(x, y) * e2) - 64 * b2_.at(x, y);
        const float a = a11_.at(x, y) + 16 * prior, c = a22_.at(x, y) + 16 * prior;
        const float scale = 1 / (a * c - a12 * a12);
        out.u.set(x, y) = to_unit(mean_u + (c * r1 - a12 * r2) * scale, reach);
        out.v.set(x, y) = to_unit(mean_v + (a * r2 - a12 * r1) * scale, reach);
      }
    return {median5(out.u), median5(out.v)};
  }

  void judge(float texture, Vectors& out) const {
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x) {
        const float trace = a11_.at(x, y) + a22_.at(x, y);
        const float det = a11_.at(x, y) * a22_.at(x, y) - a12_.at(x, y) * a12_.at(x, y);
        const float smaller = trace > 0 && det > 0 ? det / trace : 0;
        const float off = misfit_.at(x, y) / (trace + 1e-6F);
        const float part = (smaller / (smaller + 0.5F)) * (0.05F / (0.05F + off));
        int quality = static_cast<int>(std::nearbyint(part * 255));
        int flags = 0;
        if (smaller < 16 * texture) {
          flags |= flow::kTexturePoor;
          quality /= 4;
        }
        if (off > 0.2F) flags |= flow::kInconsistent;
        out.quality[out.index(x, y)] = static_cast<std::uint8_t>(quality);
        out.flags[out.index(x, y)] = static_cast<std::uint8_t>(flags);
      }
  }

 private:
  static float mean_around(const Ints& in, int x, int y) {
    int sum = -in.at(x, y);
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i) sum += in.at(x + i, y + j);
    return static_cast<float>(sum) / 8;
  }
  static int to_unit(float v, int reach) {
    const float limit = static_cast<float>(reach);
    return static_cast<int>(std::nearbyint(std::clamp(v, -limit, limit)));
  }

  int width_, height_;
  Floats a11_, a12_, a22_, b1_, b2_, misfit_;
  const Field& field_;
};

Field estimated(const flow::LucasKanadeSettings& settings, const std::vector<Ints>& first,
                const std::vector<Ints>& second, Vectors* out) {
  const Ints& smallest = first.back();
  Field field{{smallest.width, smallest.height}, {smallest.width, smallest.height}};
  for (std::size_t level = first.size(); level-- > 0;) {
    const int width = first[level].width, height = first[level].height;
    const int reach = floor_of(64.0 * settings.reach / (1 << level));
    if (field.u.width != width || field.u.height != height)
      field = {twice(field.u, width, height, reach), twice(field.v, width, height, reach)};
    const int count = level == 0 ? settings.finest_iterations : settings.iterations;
    for (int k = 0; k < count; ++k) {
      const Field before = field;
      const Iteration iteration{first[level], second[level], before};
      if (level == 0 && k + 1 == count && out != nullptr) iteration.judge(settings.texture, *out);
      field = iteration.solved(settings.prior, reach);
    }
  }
  return field;
}

}  // namespace

Vectors lucas_kanade_by_definition(const flow::LucasKanadeSettings& settings,
                                   const ImageView<Space::host, const std::uint8_t>& first,
                                   const ImageView<Space::host, const std::uint8_t>& second) {
  const int width = first.width, height = first.height;
  std::vector<Ints> a{smoothed(first)}, b{smoothed(second)};
  const int levels = flow::level_count(settings.pyramid, width, height);
  for (int i = 1; i < levels; ++i) {
    a.push_back(half(a.back()));
    b.push_back(half(b.back()));
  }
  Vectors out{width, height};
  const Field field = estimated(settings, a, b, &out);
  std::vector<Field> back;
  if (settings.check_back) back.push_back(estimated(settings, b, a, nullptr));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      int u = field.u.at(x, y), v = field.v.at(x, y);
      const int whole_u = floor_of(u / 64.0 + 0.5), whole_v = floor_of(v / 64.0 + 0.5);
      const int to_x = x + whole_u, to_y = y + whole_v;
      if (std::abs(u - 64 * whole_u) <= 6 && std::abs(v - 64 * whole_v) <= 6 && x > 0 && y > 0 &&
          x < width - 1 && y < height - 1 && to_x > 0 && to_y > 0 && to_x < width - 1 &&
          to_y < height - 1) {
        bool same = true;
        for (int j = -1; j <= 1; ++j)
          for (int i = -1; i <= 1; ++i)
            same = same && a[0].at(x + i, y + j) == b[0].at(to_x + i, to_y + j);
        if (same) {
          u = 64 * whole_u;
          v = 64 * whole_v;
        }
      }
      const int px = 64 * x + u, py = 64 * y + v;
      const std::size_t i = out.index(x, y);
      out.u[i] = static_cast<float>(u) / 64;
      out.v[i] = static_cast<float>(v) / 64;
      int flags = out.flags[i];
      if (px < 0 || py < 0 || px > 64 * (width - 1) || py > 64 * (height - 1)) {
        flags |= flow::kOutOfView;
      } else if (!back.empty()) {
        const int nx = floor_of(px / 64.0 + 0.5), ny = floor_of(py / 64.0 + 0.5);
        const double du = u + back[0].u.at(nx, ny), dv = v + back[0].v.at(nx, ny);
        const double limit = 64.0 * static_cast<double>(settings.back_tolerance);
        if (du * du + dv * dv > limit * limit) flags |= flow::kInconsistent;
      }
      out.flags[i] = static_cast<std::uint8_t>(flags == 0 ? flow::kValid : flags);
    }
  return out;
}

}  // namespace kerb::test
