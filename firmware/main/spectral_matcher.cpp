// SPDX-License-Identifier: Apache-2.0
#include "firmware/main/spectral_matcher.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "gpu/emd/distances.hpp"
#include "gpu/emd/signatures.hpp"
#include "gpu/emd/targets.hpp"
#include "gpu/emd/transport.hpp"

namespace kerb {
namespace {

constexpr int kMostBands = 10;       // bins; with the dark eleven, which the atlas solves
constexpr int kMass = 64;            // coarse, so that what looks alike is the same key
constexpr int kAcross = 6;           // places across the box that is looked for
constexpr int kMostPlaces = 1600;    // of a region
constexpr int kMostOfBox = 256;      // of a box that is learned
constexpr int kEvery = 8;            // samples between those the mean is taken of
constexpr std::uint32_t kSlow = 16;  // frames over which the mean follows
constexpr double kHeat = 3000;       // nm: beyond, bands are heat,
constexpr double kHeatBeyond = 200;  // and lie so far beyond the reddest
constexpr std::uint32_t kDark = 1;   // the dark's share: times the bands' mean
constexpr double kDarkCost = 0.75;   // between it and a band, hundreds of nm
constexpr int kMostShifts = 8;

using emd::Signature;

/// A part of a band's plane in places of `step` x `step` samples.
struct Grid {
  int x = 0, y = 0, width = 0, height = 0, step = 1;
  [[nodiscard]] std::size_t count() const noexcept {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
};

struct Layout {
  std::vector<int> bin_of;                     // of each band
  std::array<double, emd::kMaxBins> places{};  // of the bins, hundreds of nm
  int bins = 0;                                // without the dark
};

Layout layout_of(const std::vector<double>& nanometres, int bands) {
  std::vector<double> nm = nanometres;
  if (nm.empty()) {
    nm.resize(static_cast<std::size_t>(bands));
    for (std::size_t i = 0; i < nm.size(); ++i) nm[i] = 100 * static_cast<double>(i);
  } else {
    double reddest = 0;
    for (const double x : nm)
      if (x < kHeat) reddest = std::max(reddest, x);
    for (double& x : nm)
      if (x >= kHeat) x = reddest + kHeatBeyond;
  }
  std::vector<std::size_t> order(nm.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return nm[a] < nm[b]; });
  Layout out;
  out.bins = std::min(bands, kMostBands);
  out.bin_of.resize(nm.size());
  std::array<int, emd::kMaxBins> members{};
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const std::size_t bin = rank * static_cast<std::size_t>(out.bins) / order.size();
    out.bin_of[order[rank]] = static_cast<int>(bin);
    out.places[bin] += nm[order[rank]] / 100;
    ++members[bin];
  }
  for (std::size_t bin = 0; bin < static_cast<std::size_t>(out.bins); ++bin)
    out.places[bin] /= members[bin];
  return out;
}

/// Bands at their wavelengths, but none farther apart than is to the dark, the last, and back: so
/// it is a metric, and light that is missing is no worse than light of quite another colour.
Result<emd::Ground> ground_of(const Layout& layout) {
  const auto side = static_cast<std::size_t>(layout.bins) + 1;
  const double spread = layout.places[side - 2] - layout.places[0];
  const double dark = std::clamp(spread / 2, 0.01, kDarkCost);
  std::vector<float> costs(side * side);
  for (std::size_t i = 0; i < side; ++i)
    for (std::size_t j = 0; j < side; ++j) {
      if (i == j) continue;
      const bool is_dark = i + 1 == side || j + 1 == side;
      costs[i * side + j] = static_cast<float>(
          is_dark ? dark : std::min(std::abs(layout.places[i] - layout.places[j]), 2 * dark));
    }
  return emd::Ground::create(static_cast<int>(side), costs.data(), costs.size());
}

class EmdMatcher final : public SpectralMatcher {
 public:
  EmdMatcher(Workers& workers, const FrameSourceInfo& source, Layout layout,
             const emd::Ground& ground, double reach)
      : workers_{workers},
        mosaic_{source.mosaic},
        bands_{source.mosaic * source.mosaic},
        width_{source.width / source.mosaic},
        height_{source.height / source.mosaic},
        layout_{std::move(layout)},
        ground_{ground},
        reach_{std::max(emd::cost_of_distance(ground, kMass, reach), 1U)} {
    for (int band = 0; band < bands_; ++band)
      ++members_[static_cast<std::size_t>(layout_.bin_of[static_cast<std::size_t>(band)])];
    settings_.bands = layout_.bins + 1;
    settings_.mass = kMass;
    const std::size_t most = std::size_t{kPlaces} * kMostPlaces;
    samples_.resize(static_cast<std::size_t>(settings_.bands) * kMostPlaces);
    signatures_.resize(most);
    costs_.resize(most * kPlaces);
    likely_.resize(most * kPlaces);
  }

  /// What it computes with, warmed up so that nothing is allocated later.
  Status begin(const Context& context) {
    emd::DistanceSettings settings;
    settings.mass = kMass;
    Result<std::unique_ptr<emd::Distances>> made =
        emd::Distances::create(context, workers_, ground_, settings, signatures_.size());
    if (!made) return made.error();
    distances_ = std::move(*made);
    return probe();
  }

  Status probe() override {
    searches_ = 0;
    std::array<Signature, kPlaces> targets{};
    for (std::size_t i = 0; i < targets.size(); ++i) {
      targets[i].bins[0] = static_cast<std::uint8_t>(kMass - i);
      targets[i].bins[1] = static_cast<std::uint8_t>(i);
    }
    if (Status set = distances_->set_targets(targets.data(), kPlaces); !set) return set;
    signatures_[0] = targets[0];
    return run(1);
  }

  [[nodiscard]] bool can_look(const PreparedImage& image) const noexcept override {
    return image.bands.data != nullptr && image.bands.count == bands_ &&
           image.bands.width == width_ && image.bands.height == height_;
  }

  Status look(const PreparedImage& image, const Search* searches, int count,
              Found* found) override {
    searches_ = 0;
    if (!can_look(image)) return wrong("not the bands it was made for");
    if (count < 1 || count > kPlaces) return wrong("1..8 searches");
    for (int i = 0; i < count; ++i) {
      const int place = searches[i].place;
      if (place < 0 || place >= kPlaces || !models_[at(place)].model)
        return wrong("a place without a model");
    }
    balance(image);
    std::size_t used = 0;
    std::array<Signature, kPlaces> targets;
    for (int i = 0; i < count; ++i) {
      Region& r = regions_[at(i)];
      r = {};
      r.place = searches[i].place;
      r.box_width = searches[i].size.w / static_cast<float>(mosaic_);
      r.box_height = searches[i].size.h / static_cast<float>(mosaic_);
      targets[at(i)] = models_[at(r.place)].model->signature();
      r.grid = grid_of(searches[i].region, step_of(r.box_width), kMostPlaces);
      r.first = used;
      if (r.grid.count() == 0) continue;
      if (Status ok = sign(image, r.grid, signatures_.data() + used); !ok) return ok;
      used += r.grid.count();
    }
    if (used > 0) {
      if (Status ok = distances_->set_targets(targets.data(), count); !ok) return ok;
      const std::size_t stride = signatures_.size();
      if (Status ok = run(used); !ok) return ok;
      if (Status ok = emd::cpu::likelihoods(workers_, costs_.data(), stride, used, count, reach_,
                                            likely_.data(), stride);
          !ok)
        return ok;
    }
    searches_ = count;
    for (int i = 0; i < count; ++i) {
      found[i] = {};
      if (Status ok = find(i, found[i]); !ok) return ok;
    }
    return Done{};
  }

  [[nodiscard]] float likeness(int search, const Detection& box) const noexcept override {
    if (search < 0 || search >= searches_) return -1;
    const Region& r = regions_[at(search)];
    const auto n = static_cast<float>(mosaic_ * r.grid.step);
    const auto place = [&](float pixel, int origin) {
      return (pixel - static_cast<float>(origin * mosaic_)) / n;
    };
    const float left = place(box.x, r.grid.x), right = place(box.x + box.w, r.grid.x);
    const float top = place(box.y, r.grid.y), bottom = place(box.y + box.h, r.grid.y);
    const auto wide = static_cast<float>(r.grid.width), high = static_cast<float>(r.grid.height);
    const float area = (right - left) * (bottom - top);
    const float in = std::max(std::min(right, wide) - std::max(left, 0.0F), 0.0F) *
                     std::max(std::min(bottom, high) - std::max(top, 0.0F), 0.0F);
    if (!(area > 0) || !(in >= area / 2)) return -1;
    // Whole places whose middle is in the box, or at least the one in its middle.
    const auto begin_of = [](float from, int most) {
      return std::clamp(static_cast<int>(std::lround(from)), 0, most - 1);
    };
    const auto end_of = [](int begin, float to, int most) {
      return std::clamp(static_cast<int>(std::lround(to)), begin + 1, most);
    };
    const int x0 = begin_of(std::max(left, 0.0F), r.grid.width),
              x1 = end_of(x0, right, r.grid.width);
    const int y0 = begin_of(std::max(top, 0.0F), r.grid.height),
              y1 = end_of(y0, bottom, r.grid.height);
    std::uint32_t sum = 0;
    for (int y = y0; y < y1; ++y)
      for (int x = x0; x < x1; ++x) sum += likely(search, x, y);
    return relative(r.place, static_cast<float>(sum) / static_cast<float>((x1 - x0) * (y1 - y0)));
  }

  Result<bool> learn(const PreparedImage& image, int place, const Detection& box,
                     float share) override {
    if (place < 0 || place >= kPlaces) return wrong("no such place");
    if (!can_look(image)) return wrong("not the bands it was made for");
    if (!balanced_) balance(image);
    const Grid grid = grid_of(box, step_of(box.w / static_cast<float>(mosaic_)), kMostOfBox);
    if (grid.width < 2 || grid.height < 2) return false;
    // Behind the frame's own, which likeness() still reads.
    if (Status ok = sign(image, grid, seen_.data()); !ok) return ok.error();
    const ImageView<Space::host, const Signature> view{seen_.data(), grid.width, grid.height,
                                                       grid.width};
    const Result<emd::TargetModel> seen =
        emd::TargetModel::learn(view, {0, 0, grid.width, grid.height}, settings_.bands, kMass);
    if (!seen) return false;
    Model& m = models_[at(place)];
    const bool first = !m.model;
    if (first) {
      m.model = *seen;
    } else {
      m.model->update(*seen, std::clamp(static_cast<int>(std::lround(256 * share)), 1, 256));
    }
    const float own = own_likeness(m.model->signature(), grid);
    m.own = first ? own : m.own + share * (own - m.own);
    return true;
  }

  void forget(int place) noexcept override {
    if (place >= 0 && place < kPlaces) models_[at(place)] = {};
  }
  [[nodiscard]] const char* name() const noexcept override { return "emd"; }

 private:
  struct Model {
    std::optional<emd::TargetModel> model;
    float own = 0;  // mean likelihood of what it was learned from, 0..255
  };
  struct Region {
    Grid grid;
    std::size_t first = 0;  // of its signatures
    int place = 0;
    float box_width = 0, box_height = 0;  // samples of a plane
  };

  /// All signatures of the frame to all targets.
  Status run(std::size_t count) {
    return distances_->run(emd::SignaturesView<Space::host>{signatures_.data(), count},
                           emd::CostsView<Space::host>{costs_.data(), signatures_.size()});
  }
  static std::size_t at(int i) noexcept { return static_cast<std::size_t>(i); }
  static Error wrong(const char* what) {
    return Error{Errc::invalid_argument, 0, "spectral matcher", what};
  }
  [[nodiscard]] std::uint32_t likely(int search, int x, int y) const noexcept {
    const Region& r = regions_[at(search)];
    return likely_[at(search) * signatures_.size() + r.first + at(y) * at(r.grid.width) + at(x)];
  }
  /// Of what the model itself was learned from.
  [[nodiscard]] float relative(int place, float mean) const noexcept {
    return std::clamp(mean / std::max(models_[at(place)].own, 16.0F), 0.0F, 1.0F);
  }
  static int step_of(float box_width) noexcept {
    return std::max(1, static_cast<int>(box_width / static_cast<float>(kAcross)));
  }

  /// A box of the picture, as far as it is in it, in at most so many places.
  [[nodiscard]] Grid grid_of(const Detection& box, int step, int most) const noexcept {
    const auto n = static_cast<float>(mosaic_);
    const auto within = [](float v, int size) {
      return static_cast<int>(std::clamp(std::floor(v + 0.5F), 0.0F, static_cast<float>(size)));
    };
    Grid g;
    g.x = within(box.x / n, width_);
    g.y = within(box.y / n, height_);
    const int right = within((box.x + box.w) / n, width_);
    const int bottom = within((box.y + box.h) / n, height_);
    for (g.step = step;; ++g.step) {
      g.width = std::max(right - g.x, 0) / g.step;
      g.height = std::max(bottom - g.y, 0) / g.step;
      if (g.width * g.height <= most) return g;
    }
  }

  /// Gains that make all bands equally bright in the mean over the last frames.
  void balance(const PreparedImage& image) {
    std::array<std::uint32_t, emd::kMaxBins> sums{};
    std::uint32_t each = 0;
    for (int band = 0; band < bands_; ++band) {
      const ImageView<Space::host, const std::uint16_t> plane = image.bands.plane(band);
      std::uint64_t sum = 0;
      std::uint32_t count = 0;
      for (int y = kEvery / 2; y < plane.height; y += kEvery)
        for (int x = kEvery / 2; x < plane.width; x += kEvery, ++count)
          sum += plane.data[y * plane.row_stride + x];
      const auto bin = at(layout_.bin_of[at(band)]);
      sums[bin] += static_cast<std::uint32_t>(sum * 256 / std::max(count, 1U) /
                                              static_cast<std::uint64_t>(members_[bin]));
      each = std::max(each, count);
    }
    std::array<std::uint32_t, emd::kMaxBins> means{};
    std::uint32_t brightest = 1;
    for (std::size_t bin = 0; bin < at(layout_.bins); ++bin) {  // in 256ths
      means_[bin] = balanced_ ? means_[bin] - means_[bin] / kSlow + sums[bin] / kSlow : sums[bin];
      means[bin] = std::max(means_[bin] / 256, 1U);
      brightest = std::max(brightest, means[bin]);
    }
    balanced_ = each > 0;
    const auto gains = emd::white_gains(means, layout_.bins);
    std::copy_n(gains.begin(), at(layout_.bins), settings_.gain.begin());
    settings_.gain[at(layout_.bins)] = 256;
    dark_ = static_cast<std::uint16_t>(std::min(kDark * brightest, 65535U));
  }

  /// The signatures of a grid's places.
  Status sign(const PreparedImage& image, const Grid& grid, Signature* out) {
    const std::size_t count = grid.count(), bins = at(layout_.bins);
    const auto block = static_cast<std::uint32_t>(grid.step * grid.step);
    std::uint16_t* const dark = samples_.data() + bins * count;
    std::fill(dark, dark + count, dark_);
    for (int y = 0; y < grid.height; ++y) {
      for (int x = 0; x < grid.width; ++x) {
        std::array<std::uint32_t, emd::kMaxBins> sums{};
        const std::ptrdiff_t from =
            std::ptrdiff_t{grid.y + y * grid.step} * image.bands.row_stride + grid.x +
            x * grid.step;
        for (int band = 0; band < bands_; ++band) {
          const std::uint16_t* p = image.bands.data + band * image.bands.plane_stride + from;
          std::uint32_t sum = 0;
          for (int j = 0; j < grid.step; ++j, p += image.bands.row_stride)
            for (int i = 0; i < grid.step; ++i) sum += p[i];
          sums[at(layout_.bin_of[at(band)])] += sum / block;
        }
        const std::size_t i = at(y) * at(grid.width) + at(x);
        for (std::size_t bin = 0; bin < bins; ++bin)
          samples_[bin * count + i] =
              static_cast<std::uint16_t>(sums[bin] / static_cast<std::uint32_t>(members_[bin]));
      }
    }
    const PlanesView<Space::host, const std::uint16_t> planes{
        samples_.data(), settings_.bands, grid.width,
        grid.height,     grid.width,      static_cast<std::ptrdiff_t>(count)};
    return emd::cpu::band_signatures(workers_, planes, settings_,
                                     {out, grid.width, grid.height, grid.width});
  }

  /// The likeliest place of a search, and how it stands out.
  Status find(int search, Found& out) {
    const Region& r = regions_[at(search)];
    const auto in_places = [&](float samples, int most) {
      return std::clamp(static_cast<int>(std::lround(samples / static_cast<float>(r.grid.step))), 1,
                        std::max(most, 1));
    };
    const int w = in_places(r.box_width, r.grid.width), h = in_places(r.box_height, r.grid.height);
    if (r.grid.width < w + 2 || r.grid.height < h) return Done{};
    const PlanesView<Space::host, const std::uint8_t> plane{
        likely_.data() + at(search) * signatures_.size() + r.first,
        1,
        r.grid.width,
        r.grid.height,
        r.grid.width,
        static_cast<std::ptrdiff_t>(r.grid.count())};
    const emd::Search all{{0, 0, r.grid.width, r.grid.height}, w, h};
    emd::Found best;
    if (Status ok = emd::cpu::find_peaks(plane, &all, &best); !ok) return ok;
    if (best.box.width == 0) return Done{};
    if (Status ok = emd::cpu::mean_shift(plane, kMostShifts, &best); !ok) return ok;
    // The middle of what is in the box, finer than a place.
    std::uint64_t sum = 0, sum_x = 0, sum_y = 0, rest = 0;
    for (int y = 0; y < r.grid.height; ++y)
      for (int x = 0; x < r.grid.width; ++x) {
        const std::uint32_t v = likely(search, x, y);
        const bool in =
            x >= best.box.x && x < best.box.x + w && y >= best.box.y && y < best.box.y + h;
        if (!in) {
          // Right beside it is still the same cloth.
          const bool near = x >= best.box.x - w / 2 && x < best.box.x + w + w / 2;
          if (!near) rest += v;
          continue;
        }
        sum += v;
        sum_x += v * (2 * static_cast<std::uint32_t>(x) + 1);
        sum_y += v * (2 * static_cast<std::uint32_t>(y) + 1);
      }
    const int near_from = std::max(best.box.x - w / 2, 0);
    const int near_to = std::min(best.box.x + w + w / 2, r.grid.width);
    const auto beside = static_cast<float>((r.grid.width - near_to + near_from) * r.grid.height);
    out.known = true;
    out.likeness = relative(r.place, static_cast<float>(sum) / static_cast<float>(w * h));
    out.surrounding =
        beside > 0 ? relative(r.place, static_cast<float>(rest) / beside) : out.likeness;
    const auto pixel = [&](std::uint64_t twice, int origin) {
      const float middle = sum == 0 ? 0 : static_cast<float>(twice) / (2 * static_cast<float>(sum));
      return (static_cast<float>(origin) + middle * static_cast<float>(r.grid.step)) *
             static_cast<float>(mosaic_);
    };
    out.x = pixel(sum_x, r.grid.x);
    out.y = pixel(sum_y, r.grid.y);
    return Done{};
  }

  /// The mean likelihood of what was just learned from, weighed as it was learned.
  float own_likeness(const Signature& target, const Grid& grid) {
    std::uint64_t sum = 0, weights = 0;
    for (int y = 0; y < grid.height; ++y)
      for (int x = 0; x < grid.width; ++x) {
        const Signature& s = seen_[at(y) * at(grid.width) + at(x)];
        const auto weight = static_cast<std::uint64_t>(std::min(x + 1, grid.width - x)) *
                            static_cast<std::uint64_t>(std::min(y + 1, grid.height - y));
        const std::uint32_t cost = transport_.solve(ground_, s, target);
        const std::uint64_t near = cost >= reach_ ? 0 : std::uint64_t{reach_ - cost} * 255 / reach_;
        sum += weight * ((near * near + 127) / 255);
        weights += weight;
      }
    return weights == 0 ? 0 : static_cast<float>(sum) / static_cast<float>(weights);
  }

  Workers& workers_;
  const int mosaic_, bands_, width_, height_;
  const Layout layout_;
  const emd::Ground ground_;
  const std::uint32_t reach_;
  std::array<int, emd::kMaxBins> members_{};  // bands of each bin
  emd::BandSettings settings_;
  std::array<std::uint32_t, emd::kMaxBins> means_{};
  std::uint16_t dark_ = 1;
  bool balanced_ = false;
  std::unique_ptr<emd::Distances> distances_;
  emd::Transport transport_;
  std::array<Model, kPlaces> models_{};
  std::array<Region, kPlaces> regions_{};
  int searches_ = 0;  // of the last look
  std::vector<std::uint16_t> samples_;
  std::vector<Signature> signatures_;
  std::array<Signature, kMostOfBox> seen_{};
  std::vector<std::uint32_t> costs_;
  std::vector<std::uint8_t> likely_;
};

}  // namespace

Result<std::unique_ptr<SpectralMatcher>> make_spectral_matcher(
    const Context& context, Workers& workers, const FrameSourceInfo& source,
    const SpectralMatcherSettings& settings) {
  if (source.mosaic < 2)
    return Error{Errc::unsupported, 0, "spectral matcher", "the camera has no bands"};
  const int bands = source.mosaic * source.mosaic;
  if (!settings.nanometres.empty() && settings.nanometres.size() != static_cast<std::size_t>(bands))
    return Error{Errc::invalid_argument, 0, "spectral matcher",
                 "there must be a wavelength for each band, or none"};
  Layout layout = layout_of(settings.nanometres, bands);
  const Result<emd::Ground> ground = ground_of(layout);
  if (!ground) return ground.error();
  auto made =
      std::make_unique<EmdMatcher>(workers, source, std::move(layout), *ground, settings.reach);
  if (Status ok = made->begin(context); !ok) return ok.error();
  return std::unique_ptr<SpectralMatcher>{std::move(made)};
}

}  // namespace kerb
