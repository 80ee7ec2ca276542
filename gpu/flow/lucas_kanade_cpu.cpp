// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <new>
#include <vector>

#include "gpu/flow/lucas_kanade_masks.hpp"
#include "gpu/flow/lucas_kanade_tile.hpp"

namespace kerb::flow {
namespace {

using namespace lk;

constexpr const char* kWhere = "Lucas-Kanade";
constexpr int kTileWidth = 128, kTileHeight = 64, kHighTile = 96;  // of tiles; wide: kWideTile

class LucasKanadeCpu final : public Estimator {
 public:
  LucasKanadeCpu(Workers& workers, const LucasKanadeSettings& settings, int width, int height)
      : workers_{workers},
        settings_{settings},
        plan_{make_plan(settings, width, height)},
        wanted_{width, height} {
    for (auto& picture : pictures_) picture.resize(plan_.samples);
    for (auto& parts : parts_) parts.resize(plan_.levels.size());
    for (int i = 0; i < (settings.check_back ? 6 : 4); ++i) vectors_[i].resize(plan_.vectors);
    scratch_.resize(static_cast<std::size_t>(workers.count()));
    columns_.resize(pyramid_scratch(plan_, workers));
    for (const Level& level : plan_.levels)
      tiles_.resize(std::max(tiles_.size(), static_cast<std::size_t>(tiles_of(level))));
  }

  using Estimator::run;
  Status run(const Picture<Space::host>& previous, const Picture<Space::host>& next,
             const Mask<Space::host>& mask, const FieldView<Space::host>& out) override {
    const Level& level = plan_.levels[0];
    if (Status ok = check_pair(kWhere, level.width, level.height, previous, next, mask, out); !ok)
      return ok;
    const bool check_back = settings_.check_back && out.flags != nullptr;
    masked_ = mask.data != nullptr;
    if (masked_) {
      wanted_.take(workers_, mask);
      find_parts(plan_, wanted_.box(), check_back, parts_);
    }
    make_pyramids(workers_, plan_, previous, next, pictures_, columns_, masked_ ? parts_ : nullptr);
    estimate(0, 1, &out);
    settle();
    if (!check_back) {
      finish(mask, out, field(now_, level.stride), nullptr);
      return Done{};
    }
    for (int p = 0; p < 2; ++p) std::swap(vectors_[2 * now_ + p], vectors_[4 + p]);
    const FieldRows found = field(2, level.stride);
    const ConstFieldRows kept{found};
    if (masked_) want_ends(mask, kept);
    estimate(1, 0, nullptr);
    const ConstFieldRows back{field(now_, level.stride)};
    if (masked_) wanted_.take(workers_, mask);
    finish(mask, out, kept, &back);
    return Done{};
  }
  Status run(const Picture<Space::device>&, const Picture<Space::device>&,
             const Mask<Space::device>&, const FieldView<Space::device>&) override {
    return Error{Errc::unsupported, 0, kWhere, "device pictures need the CUDA backend"};
  }
  [[nodiscard]] const char* name() const noexcept override { return "lk"; }
  [[nodiscard]] Backend backend() const noexcept override { return Backend::cpu; }
  [[nodiscard]] std::size_t bytes() const noexcept override {
    return 2 * sizeof(Sample) * plan_.samples +
           (settings_.check_back ? 6 : 4) * sizeof(std::int16_t) * plan_.vectors +
           scratch_.size() * sizeof(Scratch) + columns_.size() * sizeof(std::uint16_t) +
           (tiles_.size() + 2 * plan_.levels.size()) * sizeof(Rect) + wanted_.bytes();
  }

 private:
  static int tiles_of(const Level& level) {  // at most
    return ((level.width + kTileWidth - 1) / kTileWidth) * ((level.height + 15) / 16);
  }

  /// The tiles of a level, or with a mask the parts of them that an iteration must compute, into
  /// tiles_. How many there are.
  int find_tiles(std::size_t index, int iteration) {
    const Level& level = plan_.levels[index];
    const int enough = 4 * workers_.count() * kWideTile * kHighTile;
    const bool large = !masked_ && level.width * level.height >= enough;
    const int columns = large ? kWideTile : kTileWidth;
    const int rows = large ? kHighTile : std::min(kTileHeight, std::max(level.height / 4, 16));
    const int radius = radius_of(level, iteration);
    int count = 0;
    for (int y = 0; y < level.height; y += rows)
      for (int x = 0; x < level.width; x += columns) {
        Rect tile{x, y, std::min(x + columns, level.width), std::min(y + rows, level.height)};
        if (masked_) tile = wanted_.near(tile, radius, static_cast<int>(index));
        if (!tile.empty()) tiles_[static_cast<std::size_t>(count++)] = tile;
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
      int tiles = 0;
      if (i + 1 < plan_.levels.size()) {
        const Level& coarse = plan_.levels[i + 1];
        const ConstFieldRows from = field(now_, coarse.stride);
        const FieldRows to = field(1 - now_, level.stride);
        tiles = find_tiles(i, -1);
        workers_.run(tiles, [&](int task, int) {
          double_vectors(coarse, from, level, to, tiles_[static_cast<std::size_t>(task)]);
        });
        now_ = 1 - now_;
      }
      for (int k = 0; k < level.iterations; ++k) {
        if (k == 0 || masked_) tiles = find_tiles(i, k);
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

  /// Runs `wanted(y, x0, x1)` for every part of a row that may hold wanted pixels and
  /// `other(y, x0, x1)` for the rest of it, all rows.
  template <typename Wanted, typename Other>
  void by_rows(const Wanted& wanted, const Other& other) {
    const Level& level = plan_.levels[0];
    workers_.run((level.height + kCell - 1) / kCell, [&](int row, int) {
      const int y1 = std::min((row + 1) * kCell, level.height);
      for (int x0 = 0; x0 < level.width;) {
        const bool is_wanted = !masked_ || wanted_.has(x0 / kCell, row);
        int x1 = masked_ ? x0 + kCell : level.width;
        while (x1 < level.width && wanted_.has(x1 / kCell, row) == is_wanted) x1 += kCell;
        x1 = std::min(x1, level.width);
        for (int y = row * kCell; y < y1; ++y)
          if (is_wanted)
            wanted(y, x0, x1);
          else
            other(y, x0, x1);
        x0 = x1;
      }
    });
  }

  /// Vectors that are nearly whole become so where the pictures agree.
  void settle() {
    const Level& level = plan_.levels[0];
    const FieldRows found = field(now_, level.stride);
    const Sample* first = pictures_[0].data() + level.samples;
    const Sample* second = pictures_[1].data() + level.samples;
    by_rows(
        [&](int y, int x0, int x1) {
          std::int16_t* u = found.u + static_cast<std::ptrdiff_t>(y) * found.stride;
          std::int16_t* v = found.v + static_cast<std::ptrdiff_t>(y) * found.stride;
          for (int x = x0; x < x1; ++x) {
            if (!is_near_whole(u[x]) || !is_near_whole(v[x])) continue;
            const Vector one = made_whole(first, second, level.stride, x, y, u[x], v[x],
                                          level.width, level.height);
            u[x] = static_cast<std::int16_t>(one.u);
            v[x] = static_cast<std::int16_t>(one.v);
          }
        },
        [](int, int, int) {});
  }

  /// What is wanted of the way back: where the wanted vectors end.
  void want_ends(const Mask<Space::host>& mask, const ConstFieldRows& found) {
    const Level& level = plan_.levels[0];
    wanted_.clear();
    workers_.run((level.height + kCell - 1) / kCell, [&](int row, int) {
      for (int y = row * kCell; y < std::min((row + 1) * kCell, level.height); ++y) {
        const std::uint8_t* m = mask.data + y * mask.row_stride;
        const std::int16_t* u = found.u + static_cast<std::ptrdiff_t>(y) * found.stride;
        const std::int16_t* v = found.v + static_cast<std::ptrdiff_t>(y) * found.stride;
        for (int x = 0; x < level.width; ++x)
          if (m[x] != 0 && !is_outside(x, y, u[x], v[x], level.width, level.height))
            wanted_.want(nearest_pixel(x, u[x]), nearest_pixel(y, v[x]));
      }
    });
  }

  /// The vectors found to floats, with the flags that depend on them.
  void finish(const Mask<Space::host>& mask, const FieldView<Space::host>& out,
              const ConstFieldRows& found, const ConstFieldRows* back) {
    by_rows(
        [&](int y, int x0, int x1) {
          write_vectors(out, found, y, x0, x1);
          if (out.flags != nullptr) write_flags(out, found, back, y, x0, x1);
          if (!masked_) return;
          const std::uint8_t* m = mask.data + y * mask.row_stride;
          for (int x = x0; x < x1; ++x)
            if (m[x] == 0) write_none(out, y, x, x + 1);
        },
        [&](int y, int x0, int x1) { write_none(out, y, x0, x1); });
  }
  static void write_none(const FieldView<Space::host>& out, int y, int x0, int x1) {
    const std::ptrdiff_t at = y * out.row_stride + x0;
    std::fill_n(out.u + at, x1 - x0, 0.0F);
    std::fill_n(out.v + at, x1 - x0, 0.0F);
    if (out.quality != nullptr) std::fill_n(out.quality + at, x1 - x0, std::uint8_t{0});
    if (out.flags != nullptr) std::fill_n(out.flags + at, x1 - x0, std::uint8_t{kMaskedOut});
  }
  static void write_vectors(const FieldView<Space::host>& out, const ConstFieldRows& found, int y,
                            int x0, int x1) {
    const std::int16_t* u = found.u + static_cast<std::ptrdiff_t>(y) * found.stride;
    const std::int16_t* v = found.v + static_cast<std::ptrdiff_t>(y) * found.stride;
    float* fu = out.u + y * out.row_stride;
    float* fv = out.v + y * out.row_stride;
    constexpr float kScale = 1.0F / kUnit;
    for (int x = x0; x < x1; ++x) fu[x] = static_cast<float>(u[x]) * kScale;
    for (int x = x0; x < x1; ++x) fv[x] = static_cast<float>(v[x]) * kScale;
  }
  void write_flags(const FieldView<Space::host>& out, const ConstFieldRows& found,
                   const ConstFieldRows* back, int y, int x0, int x1) const {
    const Level& level = plan_.levels[0];
    const float tolerance = settings_.back_tolerance * static_cast<float>(kUnit);
    const float limit = tolerance * tolerance;
    const std::int16_t* u = found.u + static_cast<std::ptrdiff_t>(y) * found.stride;
    const std::int16_t* v = found.v + static_cast<std::ptrdiff_t>(y) * found.stride;
    std::uint8_t* flags = out.flags + y * out.row_stride;
    for (int x = x0; x < x1; ++x) {
      const bool outside = is_outside(x, y, u[x], v[x], level.width, level.height);
      int doubts = flags[x] | (outside ? kOutOfView : 0);
      if (back != nullptr && !outside) {
        const std::ptrdiff_t at =
            static_cast<std::ptrdiff_t>(nearest_pixel(y, v[x])) * back->stride +
            nearest_pixel(x, u[x]);
        if (!leads_back(u[x], v[x], back->u[at], back->v[at], limit)) doubts |= kInconsistent;
      }
      flags[x] = static_cast<std::uint8_t>(doubts == 0 ? kValid : doubts);
    }
  }

  FieldRows field(int which, int stride) {
    return {vectors_[2 * which].data(), vectors_[2 * which + 1].data(), stride};
  }

  Workers& workers_;
  LucasKanadeSettings settings_;
  Plan plan_;
  std::vector<Sample> pictures_[2];
  std::vector<std::int16_t> vectors_[6];  // u, v and u, v: by turns; then those found, while the
                                          // way back is looked for
  std::vector<Scratch> scratch_;
  std::vector<std::uint16_t> columns_;
  std::vector<Rect> tiles_;
  bool masked_ = false;
  WantedCells wanted_;          // with a mask: of the way that is being computed
  std::vector<Rect> parts_[2];  // ... of each picture's levels
  int now_ = 0;                 // which pair of vectors_ is the field
};

}  // namespace

Result<std::unique_ptr<Estimator>> make_lucas_kanade_cpu(const Context&, Workers& workers,
                                                         const LucasKanadeSettings& settings,
                                                         int width, int height) {
  try {
    return std::unique_ptr<Estimator>{
        std::make_unique<LucasKanadeCpu>(workers, settings, width, height)};
  } catch (const std::bad_alloc&) {
    return Error{Errc::io, 0, kWhere, "no memory left"};
  }
}

}  // namespace kerb::flow
