// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/spectral/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "gpu/emd/signatures.hpp"
#include "tools/kerblab/emd/ground.hpp"

namespace kerb::lab {
namespace {

constexpr float kFar = std::numeric_limits<float>::infinity();
constexpr int kBinsAlone = 11, kBinsOfTwo = 8;

Error bad_signatures(const std::string& what) {
  return Error{Errc::invalid_argument, 0, "signatures", Text<112>{what}};
}

/// Bands at their places; the dark, bin 0 where there is one, is as far from each.
Result<emd::Ground> natural_ground(const std::vector<double>& places, bool dark, double dark_cost) {
  const std::size_t side = places.size() + (dark ? 1 : 0), from = dark ? 1 : 0;
  const auto [low, high] = std::minmax_element(places.begin(), places.end());
  if (dark_cost == 0) dark_cost = (*high - *low) / 2;
  std::vector<float> costs(side * side);
  for (std::size_t i = 0; i < side; ++i)
    for (std::size_t j = 0; j < side; ++j) {
      if (i == j) continue;
      const double cost =
          i < from || j < from ? dark_cost : std::abs(places[i - from] - places[j - from]);
      costs[i * side + j] = static_cast<float>(cost);
    }
  return emd::Ground::create(static_cast<int>(side), costs.data(), costs.size());
}

Result<SpectralPicture> by_bands(Workers& workers, const Bands& bands,
                                 const SignatureSettings& settings, bool colours_only) {
  const int count = colours_only ? 3 : bands.count();
  const bool dark = settings.dark > 0;
  if (count + (dark ? 1 : 0) > emd::kMaxBins)
    return bad_signatures(
        fmt::format("{} bands leave no bin for darkness: use --dark 0, or fewer bands", count));
  const std::vector<std::uint16_t>& source = colours_only ? bands.three : bands.samples;
  const std::size_t area = bands.area();
  emd::BandSettings made;
  made.bands = count + (dark ? 1 : 0);
  std::array<std::uint32_t, emd::kMaxBins> means{};
  double sum = 0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
    const auto first = source.begin() + static_cast<std::ptrdiff_t>(k * area);
    const auto total =
        std::accumulate(first, first + static_cast<std::ptrdiff_t>(area), std::uint64_t{0});
    means[k] = static_cast<std::uint32_t>(total / area);
  }
  const auto gains =
      settings.balance ? emd::white_gains(means, count) : emd::BandSettings::even_gains();
  for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k)
    sum += means[k] * static_cast<double>(gains[k]) / 256;
  std::vector<std::uint16_t> planes;
  planes.reserve(area * static_cast<std::size_t>(made.bands));
  if (dark)
    planes.assign(
        area, static_cast<std::uint16_t>(std::clamp(settings.dark * sum / count, 1.0, 65535.0)));
  planes.insert(
      planes.end(), source.begin(),
      source.begin() + static_cast<std::ptrdiff_t>(area * static_cast<std::size_t>(count)));
  for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k)
    made.gain[k + (dark ? 1 : 0)] = gains[k];
  SpectralPicture out;
  out.width = bands.width;
  out.height = bands.height;
  out.bins = made.bands;
  out.mass = made.mass;
  if (dark) out.names.emplace_back("dark");
  if (colours_only)
    out.names.insert(out.names.end(), {"blue", "green", "red"});
  else
    out.names.insert(out.names.end(), bands.names.begin(), bands.names.end());
  out.signatures.resize(area);
  const PlanesView<Space::host, const std::uint16_t> in{
      planes.data(), made.bands,  bands.width,
      bands.height,  bands.width, static_cast<std::ptrdiff_t>(area)};
  if (Status ok = emd::cpu::band_signatures(
          workers, in, made, {out.signatures.data(), out.width, out.height, out.width});
      !ok)
    return ok.error();
  const std::vector<double> three = {4.5, 5.5, 6.5};
  Result<emd::Ground> ground =
      settings.ground.empty()
          ? natural_ground(colours_only ? three : bands.places, dark, settings.dark_cost)
          : ground_of(settings.ground, out.bins);
  if (!ground) return ground.error();
  out.ground = *ground;
  return out;
}

/// Local histograms of one picture, equally full bins.
Result<std::vector<emd::Signature>> histograms(Workers& workers,
                                               const std::vector<std::uint8_t>& samples, int width,
                                               int height, int bins, int window) {
  const ImageView<Space::host, const std::uint8_t> in{samples.data(), width, height, width};
  std::array<std::uint32_t, 256> levels{};
  if (Status ok = emd::count_levels(in, levels); !ok) return ok.error();
  emd::WindowSettings made;
  made.bins = bins;
  made.window = window;
  made.levels = emd::equalised_bins(levels, bins);
  std::vector<emd::Signature> out(samples.size());
  if (Status ok =
          emd::cpu::window_signatures(workers, in, made, {out.data(), width, height, width});
      !ok)
    return ok.error();
  return out;
}

Result<SpectralPicture> by_windows(Workers& workers, const Bands& bands,
                                   const SignatureSettings& settings, bool colours_only) {
  if (bands.grey.empty())
    return bad_signatures("--window needs a colour or grey picture, optionally with --thermal");
  const bool two = !bands.heat.empty() && !colours_only;
  // Alone it has the bins it has beside the other: the same histogram, less what heat adds.
  const bool beside = !bands.heat.empty();
  const int bins = settings.bins > 0 ? settings.bins : beside ? kBinsOfTwo : kBinsAlone;
  const int parts = two ? 2 : 1;
  if (bins < emd::kMinBins || parts * bins > emd::kMaxBins)
    return bad_signatures(
        fmt::format("{} bins of {} pictures: at most {} in all", bins, parts, emd::kMaxBins));
  SpectralPicture out;
  out.width = bands.width;
  out.height = bands.height;
  out.bins = parts * bins;
  out.mass = parts * settings.window * settings.window;
  if (out.mass > emd::kMaxMass)
    return bad_signatures(fmt::format("a window of {} has {} pixels: at most {}", settings.window,
                                      out.mass, emd::kMaxMass));
  Result<std::vector<emd::Signature>> grey =
      histograms(workers, bands.grey, bands.width, bands.height, bins, settings.window);
  if (!grey) return grey.error();
  out.signatures = std::move(*grey);
  std::vector<double> places;
  for (int k = 0; k < bins; ++k) {
    out.names.push_back(fmt::format("grey {}", k + 1));
    places.push_back(k);
  }
  if (two) {
    const Result<std::vector<emd::Signature>> heat =
        histograms(workers, bands.heat, bands.width, bands.height, bins, settings.window);
    if (!heat) return heat.error();
    for (std::size_t i = 0; i < out.signatures.size(); ++i)
      for (std::size_t k = 0; k < static_cast<std::size_t>(bins); ++k)
        out.signatures[i].bins[static_cast<std::size_t>(bins) + k] = (*heat)[i].bins[k];
    // Both halves have the same mass in every signature: nothing goes from the one to the other.
    for (int k = 0; k < bins; ++k) {
      out.names.push_back(fmt::format("thermal {}", k + 1));
      places.push_back(2 * bins + k);
    }
  }
  Result<emd::Ground> ground =
      settings.ground.empty() ? ground_between(places) : ground_of(settings.ground, out.bins);
  if (!ground) return ground.error();
  out.ground = *ground;
  return out;
}

}  // namespace

Result<SpectralPicture> make_signatures(Workers& workers, const Bands& bands,
                                        const SignatureSettings& settings, bool colours_only) {
  return settings.window > 0 ? by_windows(workers, bands, settings, colours_only)
                             : by_bands(workers, bands, settings, colours_only);
}

Result<DistanceImage> emd_image(const Context& context, Workers& workers,
                                const SpectralPicture& picture, const emd::Signature& target,
                                emd::Solver solver) {
  emd::DistanceSettings settings;
  settings.mass = picture.mass;
  settings.solver = solver;
  settings.cache_entries = 0;  // one frame is all there is
  const std::size_t count = picture.signatures.size();
  const Result<std::unique_ptr<emd::Distances>> made =
      emd::Distances::create(context, workers, picture.ground, settings, count);
  if (!made) return made.error();
  if (Status ok = (*made)->set_targets(&target, 1); !ok) return ok.error();
  std::vector<std::uint32_t> costs(count);
  if (Status ok = (*made)->run(emd::SignaturesView<Space::host>{picture.signatures.data(), count},
                               emd::CostsView<Space::host>{costs.data(), count});
      !ok)
    return ok.error();
  DistanceImage out;
  const Result<emd::DistanceCounts> counts = (*made)->counts();
  if (!counts) return counts.error();
  out.counts = *counts;
  out.solver = emd::name_of((*made)->solver());
  out.backend = kerb::name_of((*made)->backend());
  const double unit = picture.ground.unit() / picture.mass;
  out.values.reserve(count);
  for (const std::uint32_t cost : costs)
    out.values.push_back(cost == emd::kNoDistance ? kFar : static_cast<float>(cost * unit));
  return out;
}

DistanceImage simple_image(const SpectralPicture& picture, const emd::Signature& target,
                           Measure measure) {
  DistanceImage out;
  out.values.reserve(picture.signatures.size());
  for (const emd::Signature& s : picture.signatures) {
    double sum = 0, total = 0;
    for (std::size_t k = 0; k < s.bins.size(); ++k) {
      const double p = s.bins[k], q = target.bins[k], both = p + q;
      total += p;
      if (both > 0) sum += (p - q) * (p - q) / (measure == Measure::chi_square ? both : 1.0);
    }
    const double distance = measure == Measure::chi_square ? sum : std::sqrt(sum);
    out.values.push_back(total > 0 ? static_cast<float>(distance) : kFar);
  }
  return out;
}

DistanceImage sample_image(const std::uint16_t* samples, int planes, int width, int height,
                           const emd::Box& box) {
  const std::size_t area = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  std::vector<double> mean(static_cast<std::size_t>(planes), 0);
  double weights = 0;
  for (int y = std::max(0, box.y); y < std::min(height, box.y + box.height); ++y)
    for (int x = std::max(0, box.x); x < std::min(width, box.x + box.width); ++x) {
      const double across = std::min(x - box.x, box.x + box.width - 1 - x) + 1;
      const double down = std::min(y - box.y, box.y + box.height - 1 - y) + 1;
      const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                             static_cast<std::size_t>(x);
      weights += across * down;
      for (std::size_t k = 0; k < mean.size(); ++k)
        mean[k] += across * down * samples[k * area + at];
    }
  for (double& m : mean) m /= std::max(weights, 1.0);
  DistanceImage out;
  out.values.reserve(area);
  for (std::size_t i = 0; i < area; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < mean.size(); ++k) {
      const double off = samples[k * area + i] - mean[k];
      sum += off * off;
    }
    out.values.push_back(static_cast<float>(std::sqrt(sum)));
  }
  return out;
}

}  // namespace kerb::lab
