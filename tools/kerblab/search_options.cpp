// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/search_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <vector>

#include "tools/kerblab/command.hpp"
#include "tools/kerblab/numbers.hpp"

namespace kerb::lab {
namespace {

Status read_region(const SearchOptions& options, hog::SearchSettings& search) {
  if (options.region.empty()) return Done{};
  const Result<std::vector<double>> n =
      parse_numbers("--region", "X,Y,WIDTH,HEIGHT in whole pixels", options.region, 4, 4);
  if (!n) return n.error();
  for (const double value : *n)
    if (!(std::abs(value) <= 1e6) || value != static_cast<int>(value))
      return Error{Errc::invalid_argument, 0, "--region", "whole pixels, up to a million"};
  search.region = {static_cast<int>((*n)[0]), static_cast<int>((*n)[1]), static_cast<int>((*n)[2]),
                   static_cast<int>((*n)[3])};
  if (search.region.width < 1 || search.region.height < 1)
    return Error{Errc::invalid_argument, 0, "--region", "width and height must be over 0"};
  return Done{};
}

Status read_ground(const SearchOptions& options, hog::SearchSettings& search) {
  if (options.ground.empty()) return Done{};
  const Result<std::vector<double>> n = parse_numbers(
      "--ground", "HORIZON_ROW,CAMERA_M[,SHORTEST_M,TALLEST_M[,SLACK_ROWS]]", options.ground, 2, 5);
  if (!n) return n.error();
  if (n->size() == 3)
    return Error{Errc::invalid_argument, 0, "--ground", "SHORTEST_M needs TALLEST_M"};
  hog::GroundPlane ground;
  ground.horizon_row = (*n)[0];
  ground.camera_height_m = (*n)[1];
  if (n->size() >= 4) {
    ground.shortest_m = (*n)[2];
    ground.tallest_m = (*n)[3];
  }
  if (n->size() == 5) ground.slack_rows = (*n)[4];
  search.ground = ground;
  return Done{};
}

}  // namespace

Status read_settings(SearchOptions& options) {
  if (!std::isfinite(options.threshold))  // CLI11's range lets NaN through
    return Error{Errc::invalid_argument, 0, "--threshold", "must be a number"};
  if (Status ok = read_region(options, options.search); !ok) return ok;
  if (Status ok = read_ground(options, options.search); !ok) return ok;
  options.fuse.kind = options.fusion == "mean-shift"    ? hog::FusionKind::mean_shift
                      : options.fusion == "suppression" ? hog::FusionKind::suppression
                                                        : hog::FusionKind::none;
  if (Status ok = hog::validate(options.search); !ok) return ok;
  options.fuse.of_smaller = options.overlap_of == "smaller";
  options.fuse.zero = std::min(0.0F, static_cast<float>(options.threshold));
  return hog::validate(options.fuse);
}

BackendChoice SearchOptions::backend_choice() const noexcept {
  BackendChoice choice = BackendChoice::automatic;
  parse(backend, choice);
  return choice;
}

CLI::Option* add_threshold_option(CLI::App& command, SearchOptions& options, const char* help) {
  return command.add_option("--threshold", options.threshold, help)->check(CLI::Range(-1e9, 1e9));
}

void add_search_options(CLI::App& command, SearchOptions& options) {
  command.add_option("--scale", options.search.scale_step, "Between levels, 1.001..16")
      ->capture_default_str();
  command
      .add_option("--stride", options.search.stride,
                  "Pixels of a level between windows, 1..256; multiples of 8, 4 or 2 are fast")
      ->capture_default_str();
  command.add_option("--min-height", options.search.min_height,
                     "Smallest person, pixels; 0: as the model's. Less enlarges the picture");
  command.add_option("--max-height", options.search.max_height,
                     "Largest person, pixels; 0: no limit");
  command.add_option("--padding", options.search.padding,
                     "Pixels of a level by which windows may stand out of the picture, 0..1024");
  command.add_option("--region", options.region, "Only people within X,Y,WIDTH,HEIGHT, pixels")
      ->check(not_empty);
  command
      .add_option("--ground", options.ground,
                  "Only people who stand on a flat road: "
                  "HORIZON_ROW,CAMERA_M[,SHORTEST_M,TALLEST_M[,SLACK_ROWS]]")
      ->check(not_empty);
  command.add_option("--fusion", options.fusion, "mean-shift, suppression or none")
      ->check(CLI::IsMember({"mean-shift", "suppression", "none"}))
      ->capture_default_str();
  command.add_option("--min-hits", options.fuse.min_hits, "Windows a person needs; not for none")
      ->capture_default_str();
  command
      .add_option("--overlap", options.fuse.overlap,
                  "suppression: a box that shares more with a better one goes, 0..1")
      ->capture_default_str();
  command
      .add_option("--overlap-of", options.overlap_of,
                  "suppression: what the overlap is a part of, the union of both boxes or the "
                  "smaller one")
      ->check(CLI::IsMember({"union", "smaller"}))
      ->capture_default_str();
  command.add_flag("--colour", options.colour,
                   "Give the model colour too: dense HoG then takes the strongest channel");
  command.add_option("--backend", options.backend, "auto, cpu or cuda")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  command.add_option("--threads", options.threads, "Of the CPU backend; 0: one for each core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
}

}  // namespace kerb::lab
