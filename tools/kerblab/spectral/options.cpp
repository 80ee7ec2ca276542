// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/spectral/options.hpp"

#include <CLI/CLI.hpp>
#include <optional>

#include "tools/files/text.hpp"
#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/options.hpp"

namespace kerb::lab {

void add_signature_options(CLI::App& command, BandSource& source, SignatureSettings& settings) {
  const auto is_odd = [](const std::string& text) {
    return text.back() % 2 == 1 ? std::string{} : "must be an odd number of pixels";
  };
  const auto is_finite = [](const std::string& text) {
    const std::optional<double> value = files::number(text);
    return value ? std::string{} : "must be a number, not " + text.substr(0, 20);
  };
  command
      .add_option("--bands", source.bands,
                  "Number of bands into which a datacube is divided, 2..16")
      ->needs("--cube")
      ->check(CLI::Range(2, emd::kMaxBins))
      ->capture_default_str();
  command.add_option("--smooth", source.smooth, "Smooth bands by the mean of N x N samples; odd")
      ->check(CLI::Range(1, 31))
      ->check(is_odd)
      ->capture_default_str();
  command
      .add_option("--window", settings.window,
                  "Use local histograms of N x N pixels instead of bands; odd")
      ->check(CLI::Range(1, 15))
      ->check(is_odd);
  command
      .add_option("--bins", settings.bins,
                  "Bins of each local histogram; 0: 8 with two pictures, otherwise 11")
      ->check(CLI::Range(0, emd::kMaxBins));
  command
      .add_option("--dark", settings.dark,
                  "Weight of the bin for darkness, times the mean of the bands; 0: no such bin, "
                  "only colour counts (needed with 16 bands: --mosaic 4, --bands 16)")
      ->check(is_finite)
      ->check(between(0, 100))
      ->capture_default_str();
  command
      .add_option("--dark-cost", settings.dark_cost,
                  "Cost between darkness and any band; 0: half of the largest cost between bands")
      ->check(is_finite)
      ->check(between(0, 1000));
  command.add_flag("!--no-balance", settings.balance,
                   "Do not equalise the brightness of the bands over the picture");
  add_name_option(command, "--ground", settings.ground,
                  "Cost between bins: line, circle, flat, or a file with one row of costs per bin; "
                  "default: from the wavelengths of the bands");
}

bool within(const emd::Box& box, int x, int y) noexcept {
  return x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
}

bool in_ellipse(const emd::Box& box, int x, int y) noexcept {
  const double across = (x + 0.5 - box.x - box.width / 2.0) / (box.width / 2.0);
  const double down = (y + 0.5 - box.y - box.height / 2.0) / (box.height / 2.0);
  return across * across + down * down <= 0.6;
}

}  // namespace kerb::lab
