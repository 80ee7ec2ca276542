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
    return text.back() % 2 == 1 ? std::string{} : "an odd number of pixels expected";
  };
  const auto is_finite = [](const std::string& text) {
    const std::optional<double> value = files::number(text);
    return value ? std::string{} : "a number expected, not " + text.substr(0, 20);
  };
  command.add_option("--bands", source.bands, "To cut a datacube into, 2..16")
      ->needs("--cube")
      ->check(CLI::Range(2, emd::kMaxBins))
      ->capture_default_str();
  command
      .add_option("--smooth", source.smooth, "Bands: each sample the mean of so many a side, odd")
      ->check(CLI::Range(1, 31))
      ->check(is_odd)
      ->capture_default_str();
  command
      .add_option("--window", settings.window,
                  "Local histograms of so many pixels a side instead of bands; odd")
      ->check(CLI::Range(1, 15))
      ->check(is_odd);
  command.add_option("--bins", settings.bins, "Of each such histogram; 0: 8 of two, else 11")
      ->check(CLI::Range(0, emd::kMaxBins));
  command
      .add_option(
          "--dark", settings.dark,
          "A bin for the dark, so many times the bands' mean; 0: none, colour alone counts, and 16 "
          "bands (--mosaic 4, --bands 16) need that")
      ->check(is_finite)
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  command
      .add_option("--dark-cost", settings.dark_cost,
                  "Between the dark and any band; 0: half of the greatest between bands")
      ->check(is_finite)
      ->check(CLI::Range(0.0, 1000.0));
  command.add_flag("!--no-balance", settings.balance,
                   "Do not make all bands equally bright over the picture");
  add_name_option(command, "--ground", settings.ground,
                  "line, circle, flat, or a file with a row of costs for each bin; default: by "
                  "where the bands lie");
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
