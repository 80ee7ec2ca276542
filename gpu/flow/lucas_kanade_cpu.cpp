// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <new>
#include <vector>

#include "gpu/flow/lucas_kanade_tile.hpp"

namespace kerb::flow {
namespace {

using namespace lk;

constexpr int kTileWidth = 128, kTileHeight = 64, kHighTile = 96;  // of tiles; wide: kWideTile
constexpr int kBandRows = 64;                                      // for what goes by rows

class LucasKanadeCpu final : public Estimator {
 public:
  LucasKanadeCpu(Workers& workers, const LucasKanadeSettings& settings, int width, int height)
      : workers_{workers}, settings_{settings}, plan_{make_plan(settings, width, height)} {
    for (auto& picture : pictures_) picture.resize(plan_.samples);
    for (int i = 0; i < (settings.check_back ? 6 : 4); ++i) vectors_[i].resize(plan_.vectors);
    scratch_.resize(static_cast<std::size_t>(workers.count()));
    columns_.resize(pyramid_scratch(plan_, workers));
    for (const Level& level : plan_.levels)
      tiles_.resize(std::max(tiles_.size(), static_cast<std::size_t>(tiles_of(level))));
    cells_x_ = (width + kCell - 1) / kCell;
    cells_y_ = (height + kCell - 1) / kCell;
    cells_.resize(static_cast<std::size_t>(cells_x_) * cells_y_);
  }

  using Estimator::run;
  Status run(const Picture<Space::host>& previous, const Picture<Space::host>& next,
             const Mask<Space::host>& mask, const FieldView<Space::host>& out) override {
    const Level& top = plan_.levels[0];
    if (Status ok = check_pair("Lucas-Kanade", top.width, top.height, previous, next, mask, out);
        !ok)
      return ok;
    make_pyramids(workers_, plan_, previous, next, pictures_, columns_);
    masked_ = false;
    if (settings_.check_back) {  // everywhere: where vectors lead is not known yet
      estimate(1, 0, nullptr);
      for (int p = 0; p < 2; ++p) std::swap(vectors_[2 * now_ + p], vectors_[4 + p]);
    }
    masked_ = mask.data != nullptr;
    if (masked_) find_cells(mask);
    estimate(0, 1, &out);
    finish(mask, out);
    return Done{};
  }
  Status run(const Picture<Space::device>&, const Picture<Space::device>&,
             const Mask<Space::device>&, const FieldView<Space::device>&) override {
    return Error{Errc::unsupported, 0, "Lucas-Kanade", "device pictures need the CUDA backend"};
  }
  [[nodiscard]] const char* name() const noexcept override { return "lk"; }
  [[nodiscard]] Backend backend() const noexcept override { return Backend::cpu; }
  [[nodiscard]] std::size_t bytes() const noexcept override {
    return 2 * sizeof(Sample) * plan_.samples +
           (settings_.check_back ? 6 : 4) * sizeof(std::int16_t) * plan_.vectors +
           scratch_.size() * sizeof(Scratch) + columns_.size() * 2 + tiles_.size() * sizeof(Rect);
  }

 private:
  static int tiles_of(const Level& level) {  // at most
    return ((level.width + kTileWidth - 1) / kTileWidth) * ((level.height + 15) / 16);
  }

  void find_cells(const Mask<Space::host>& mask) {
    workers_.run(cells_y_, [&](int cy, int) {
      std::uint8_t* row = cells_.data() + static_cast<std::ptrdiff_t>(cy) * cells_x_;
      std::fill(row, row + cells_x_, std::uint8_t{0});
      for (int y = cy * kCell; y < std::min((cy + 1) * kCell, mask.height); ++y) {
        const std::uint8_t* m = mask.data + y * mask.row_stride;
        for (int x = 0; x < mask.width; ++x) row[x / kCell] |= m[x];
      }
    });
  }

  /// Whether vectors of this tile are needed for any pixel that is wanted.
  [[nodiscard]] bool is_wanted(std::size_t index, const Rect& tile) const {
    const CellRange near =
        cells_near(tile.x0, tile.y0, tile.x1, tile.y1, plan_.levels[index].radius,
                   static_cast<int>(index), cells_x_, cells_y_);
    for (int y = near.y0; y < near.y1; ++y)
      for (int x = near.x0; x < near.x1; ++x)
        if (cells_[static_cast<std::size_t>(y) * cells_x_ + x] != 0) return true;
    return false;
  }

  int find_tiles(std::size_t index) {
    const Level& level = plan_.levels[index];
    const int enough = 4 * workers_.count() * kWideTile * kHighTile;
    const bool large = !masked_ && level.width * level.height >= enough;
    const int columns = large ? kWideTile : kTileWidth;
    const int rows = large ? kHighTile : std::min(kTileHeight, std::max(level.height / 4, 16));
    int count = 0;
    for (int y = 0; y < level.height; y += rows)
      for (int x = 0; x < level.width; x += columns) {
        const Rect tile{x, y, std::min(x + columns, level.width), std::min(y + rows, level.height)};
        if (!masked_ || is_wanted(index, tile)) tiles_[static_cast<std::size_t>(count++)] = tile;
      }
    return count;
  }

  /// Vectors from one picture to the other; they end up in now_.
  void estimate(int first, int second, const FieldView<Space::host>* out) {
    const Level& smallest = plan_.levels.back();
    now_ = 0;
    const std::size_t few = static_cast<std::size_t>(smallest.stride) * smallest.height;
    for (int p = 0; p < 2; ++p) std::fill_n(vectors_[p].data(), few, std::int16_t{0});
    for (std::size_t i = plan_.levels.size(); i-- > 0;) {
      const Level& level = plan_.levels[i];
      const int tiles = find_tiles(i);
      if (i + 1 < plan_.levels.size()) {
        const Level& coarse = plan_.levels[i + 1];
        const ConstFieldRows from = field(now_, coarse.stride);
        const FieldRows to = field(1 - now_, level.stride);
        // A margin around each tile, for what iterations read: written by more than one, alike,
        // would be a race; so the whole picture's rows, or what is near any tile.
        workers_.run((level.height + kBandRows - 1) / kBandRows, [&](int band, int) {
          const int y0 = band * kBandRows, y1 = std::min(y0 + kBandRows, level.height);
          double_vectors(coarse, from, level, to, {0, y0, level.width, y1});
        });
        now_ = 1 - now_;
      }
      for (int k = 0; k < level.iterations; ++k) {
        const bool last = out != nullptr && i == 0 && k + 1 == level.iterations;
        const TileJob job{level,
                          pictures_[first].data(),
                          pictures_[second].data(),
                          field(now_, level.stride),
                          field(1 - now_, level.stride),
                          16.0F * settings_.prior,
                          last ? out : nullptr,
                          16.0F * settings_.texture};
        workers_.run(tiles, [&](int task, int worker) {
          iterate(scratch_[static_cast<std::size_t>(worker)], job,
                  tiles_[static_cast<std::size_t>(task)]);
        });
        now_ = 1 - now_;
      }
    }
  }

  /// The vectors found to floats, with the flags that depend on them.
  void finish(const Mask<Space::host>& mask, const FieldView<Space::host>& out) {
    const Level& level = plan_.levels[0];
    const FieldRows found = field(now_, level.stride);
    const float tolerance = settings_.back_tolerance * static_cast<float>(kUnit);
    const float limit = tolerance * tolerance;
    const std::int16_t *back_u = vectors_[4].data(), *back_v = vectors_[5].data();
    const Sample* first = pictures_[0].data() + level.samples;
    const Sample* second = pictures_[1].data() + level.samples;
    workers_.run((level.height + 15) / 16, [&](int band, int) {
      for (int y = band * 16; y < std::min(band * 16 + 16, level.height); ++y) {
        std::int16_t* u = found.u + static_cast<std::ptrdiff_t>(y) * found.stride;
        std::int16_t* v = found.v + static_cast<std::ptrdiff_t>(y) * found.stride;
        for (int x = 0; x < level.width; ++x) {
          if (!is_near_whole(u[x]) || !is_near_whole(v[x])) continue;
          const Vector one =
              made_whole(first, second, level.stride, x, y, u[x], v[x], level.width, level.height);
          u[x] = static_cast<std::int16_t>(one.u);
          v[x] = static_cast<std::int16_t>(one.v);
        }
        float* fu = out.u + y * out.row_stride;
        float* fv = out.v + y * out.row_stride;
        constexpr float kScale = 1.0F / kUnit;
        for (int x = 0; x < level.width; ++x) fu[x] = static_cast<float>(u[x]) * kScale;
        for (int x = 0; x < level.width; ++x) fv[x] = static_cast<float>(v[x]) * kScale;
        std::uint8_t* flags = out.flags == nullptr ? nullptr : out.flags + y * out.row_stride;
        std::uint8_t* quality = out.quality == nullptr ? nullptr : out.quality + y * out.row_stride;
        if (flags != nullptr)
          for (int x = 0; x < level.width; ++x) {
            const bool outside = is_outside(x, y, u[x], v[x], level.width, level.height);
            int doubts = flags[x] | (outside ? kOutOfView : 0);
            if (settings_.check_back && !outside) {
              const std::ptrdiff_t at =
                  static_cast<std::ptrdiff_t>(nearest_pixel(y, v[x])) * found.stride +
                  nearest_pixel(x, u[x]);
              if (!leads_back(u[x], v[x], back_u[at], back_v[at], limit)) doubts |= kInconsistent;
            }
            flags[x] = static_cast<std::uint8_t>(doubts == 0 ? kValid : doubts);
          }
        if (mask.data == nullptr) continue;
        const std::uint8_t* m = mask.data + y * mask.row_stride;
        for (int x = 0; x < level.width; ++x) {
          if (m[x] != 0) continue;
          fu[x] = fv[x] = 0.0F;
          if (quality != nullptr) quality[x] = 0;
          if (flags != nullptr) flags[x] = kMaskedOut;
        }
      }
    });
  }

  FieldRows field(int which, int stride) {
    return {vectors_[2 * which].data(), vectors_[2 * which + 1].data(), stride};
  }

  Workers& workers_;
  LucasKanadeSettings settings_;
  Plan plan_;
  std::vector<Sample> pictures_[2];
  std::vector<std::int16_t> vectors_[6];  // u, v and u, v: by turns; then the way back's
  std::vector<Scratch> scratch_;
  std::vector<std::uint16_t> columns_;
  std::vector<Rect> tiles_;
  std::vector<std::uint8_t> cells_;
  int cells_x_ = 0, cells_y_ = 0;
  bool masked_ = false;
  int now_ = 0;  // which pair of vectors_ is the field
};

}  // namespace

Result<std::unique_ptr<Estimator>> make_lucas_kanade_cpu(const Context&, Workers& workers,
                                                         const LucasKanadeSettings& settings,
                                                         int width, int height) {
  try {
    return std::unique_ptr<Estimator>{
        std::make_unique<LucasKanadeCpu>(workers, settings, width, height)};
  } catch (const std::bad_alloc&) {
    return Error{Errc::io, 0, "Lucas-Kanade", "no memory left"};
  }
}

}  // namespace kerb::flow