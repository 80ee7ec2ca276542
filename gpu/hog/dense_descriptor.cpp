// SPDX-License-Identifier: Apache-2.0
#include "gpu/hog/dense_descriptor.hpp"

#include <algorithm>
#include <array>

#include "gpu/hog/dense_plan.hpp"
#include "gpu/image/gradient_math.hpp"

// The numbers are the steps of dense_math.hpp.
namespace kerb::hog {
namespace {

using namespace dense;
using Plane = ImageView<Space::host, const std::uint8_t>;
using Histogram = std::array<float, kBins>;

Error bad(const char* text) { return {Errc::invalid_argument, 0, "dense descriptor", text}; }

std::size_t product(int a, int b) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
}
int mirrored(int i, int size) {
  if (i < 0) i = -i;
  return i < size ? i : 2 * (size - 1) - i;
}
int sample(const Plane& plane, int x, int y) {
  return plane.data[mirrored(y, plane.height) * plane.row_stride + mirrored(x, plane.width)];
}

Gradient gradient_at(const Plane& plane, const float (&samples)[256], int x, int y) {
  return {samples[sample(plane, x + 1, y)] - samples[sample(plane, x - 1, y)],
          samples[sample(plane, x, y + 1)] - samples[sample(plane, x, y - 1)]};
}

/// What a group gives to the blocks around it: [j][k].
using Parts = std::array<std::array<Histogram, 4>, 4>;

Parts parts_of(const Picture<Space::host>& picture, const Shares& shares,
               const float (&samples)[256], int x, int y) {
  Parts parts{};
  for (int v = 0; v < kCell; ++v) {
    std::array<std::array<float, 4>, kSlots> spread{};  // 2.
    for (int u = 0; u < kCell; ++u) {
      Gradient g{};
      if (picture.rgb.count == 3) {
        g = largest(gradient_at(picture.rgb.plane(0), samples, x + u, y + v),
                    gradient_at(picture.rgb.plane(1), samples, x + u, y + v),
                    gradient_at(picture.rgb.plane(2), samples, x + u, y + v));
      } else {
        g = gradient_at(picture.grey, samples, x + u, y + v);
      }
      const Vote vote = vote_of(g.dx, g.dy);  // 1.
      const auto slot = static_cast<std::size_t>(vote.slot);
      for (std::size_t k = 0; k < 4; ++k) {
        const float share = shares.of[u][k];
        spread[slot][k] += share * vote.lower;
        spread[slot + 1][k] += share * vote.upper;
      }
    }
    for (std::size_t k = 0; k < 4; ++k) {  // 3.
      spread[1][k] += spread[10][k];
      spread[9][k] += spread[0][k];
    }
    for (std::size_t j = 0; j < 4; ++j)  // 4.
      for (std::size_t k = 0; k < 4; ++k)
        for (std::size_t bin = 0; bin < kBins; ++bin)
          parts[j][k][bin] += shares.of[v][j] * spread[bin + 1][k];
  }
  return parts;
}

Histogram cell_of(const Plane& plane, int x, int y) {
  std::array<std::uint32_t, kBins> sums{};
  for (int v = 0; v < kCell; ++v)
    for (int u = 0; u < kCell; ++u) {
      const int dx = sample(plane, x + u + 1, y + v) - sample(plane, x + u - 1, y + v);
      const int dy = sample(plane, x + u, y + v + 1) - sample(plane, x + u, y + v - 1);
      const std::uint16_t packed = gradient::packed_of(dx, dy, kBins, false);
      sums[gradient::bin_of(packed)] += gradient::magnitude_of(packed);
    }
  Histogram cell{};
  for (std::size_t bin = 0; bin < kBins; ++bin)
    cell[bin] = static_cast<float>(sums[bin]) * kPerEighth;
  return cell;
}

/// 6.
float sum_of_squares(const float* block) {
  float lanes[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    const float* values = block + lane * kBins;
    lanes[lane] = values[0] * values[0];
    for (int bin = 1; bin < kBins; ++bin) lanes[lane] += values[bin] * values[bin];
  }
  return sum_of_lanes(lanes[0], lanes[1], lanes[2], lanes[3]);
}

/// 7.
void normalise(float* block, float clip) {
  const float first = first_scale(sum_of_squares(block));
  for (int i = 0; i < DenseModel::kBlockValues; ++i) block[i] = clipped(block[i] * first, clip);
  const float second = second_scale(sum_of_squares(block));
  for (int i = 0; i < DenseModel::kBlockValues; ++i) block[i] *= second;
}

}  // namespace

Result<std::vector<float>> descriptor(const DenseModel& model, const Picture<Space::host>& picture,
                                      int x, int y) {
  const Geometry& g = model.geometry;
  Model complete{"", model};
  auto& dense = std::get<DenseModel>(complete.kind);
  if (g.window_width < 1 || g.window_width > kMaxWindowSide || g.window_height < 1 ||
      g.window_height > kMaxWindowSide)
    return bad("the window's sides must be 1..1024");
  const int bx = std::max(0, model.blocks_x()), by = std::max(0, model.blocks_y());
  dense.bias = 0;
  dense.weights.assign(product(bx, by) * DenseModel::kBlockValues, 0.0F);
  if (Status ok = validate(complete); !ok) return ok.error();
  if (Status ok = check_picture(picture, picture.grey.width, picture.grey.height, model); !ok)
    return ok.error();
  if (x < 0 || y < 0 || x > picture.grey.width - g.window_width ||
      y > picture.grey.height - g.window_height)
    return bad("the window must lie within the picture");

  std::vector<float> values = std::move(dense.weights);
  const int across = bx + 1, down = by + 1;  // groups, or cells
  const auto at = [across](int gx, int gy) {
    return product(gy, across) + static_cast<std::size_t>(gx);
  };
  const auto groups = product(across, down);
  std::vector<Parts> parts;
  std::vector<Histogram> cells;
  if (model.kind == DenseKind::rhog) {
    const Shares shares = shares_of(model.sigma);
    float samples[256];
    fill_samples(model.gamma, samples);
    parts.reserve(groups);
    for (int gy = 0; gy < down; ++gy)
      for (int gx = 0; gx < across; ++gx)
        parts.push_back(parts_of(picture, shares, samples, x + gx * kCell, y + gy * kCell));
  } else {
    cells.reserve(groups);
    for (int gy = 0; gy < down; ++gy)
      for (int gx = 0; gx < across; ++gx)
        cells.push_back(cell_of(picture.grey, x + gx * kCell, y + gy * kCell));
  }
  for (int gy = 0; gy < by; ++gy)
    for (int gx = 0; gx < bx; ++gx) {
      float* const block = values.data() + (gy * bx + gx) * DenseModel::kBlockValues;
      for (int lane = 0; lane < kLanes; ++lane)
        for (std::size_t bin = 0; bin < kBins; ++bin) {
          const auto cx = static_cast<std::size_t>(lane % 2),
                     cy = static_cast<std::size_t>(lane / 2);
          float& value = block[lane * kBins + static_cast<int>(bin)];
          if (model.kind == DenseKind::rhog) {  // 5.
            value = (parts[at(gx, gy)][cy][cx][bin] + parts[at(gx + 1, gy)][cy][2 + cx][bin]) +
                    (parts[at(gx, gy + 1)][2 + cy][cx][bin] +
                     parts[at(gx + 1, gy + 1)][2 + cy][2 + cx][bin]);
          } else {
            value = cells[at(gx + lane % 2, gy + lane / 2)][bin];
          }
        }
      normalise(block, model.clip);
    }
  return values;
}

Result<float> score_of(const DenseModel& model, const std::vector<float>& values) {
  const int bx = model.blocks_x(), by = model.blocks_y();
  if (bx < 1 || by < 1 || values.size() != model.weights.size() ||
      values.size() !=
          static_cast<std::size_t>(bx) * static_cast<std::size_t>(by) * DenseModel::kBlockValues)
    return bad("as many values as weights are needed");
  float lanes[kLanes] = {};  // 8.
  for (int y = 0; y < by; ++y)
    for (int bin = 0; bin < kBins; ++bin)
      for (int x = 0; x < bx; ++x)
        for (int lane = 0; lane < kLanes; ++lane) {
          const std::size_t i = product(y * bx + x, DenseModel::kBlockValues) +
                                product(lane, kBins) + product(bin, 1);
          lanes[lane] += model.weights[i] * values[i];
        }
  return model.bias + sum_of_lanes(lanes[0], lanes[1], lanes[2], lanes[3]);
}

}  // namespace kerb::hog
