// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/model/search_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <variant>
#include <vector>

#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/numbers.hpp"
#include "tools/kerblab/app/options.hpp"

namespace kerb::lab {
namespace {

constexpr int kLeastHeight =
    16;  // pixels; for less a picture is enlarged so far that it takes minutes

Status read_threshold(SearchOptions& options) {
  const std::string& text = options.text.threshold;
  options.lowest = text == "lowest";
  if (text.empty() || options.lowest) return Done{};
  const Result<std::vector<double>> n =
      parse_numbers("--threshold", "a number, or lowest", text, 1, 1);
  if (!n) return n.error();
  if (!(std::abs((*n)[0]) <= 1e9))
    return Error{Errc::invalid_argument, 0, "--threshold", "must be -1e9..1e9, or lowest"};
  options.threshold = static_cast<float>((*n)[0]);
  return Done{};
}

Status read_region(SearchOptions& options) {
  if (options.text.region.empty()) return Done{};
  const Result<std::vector<double>> n =
      parse_numbers("--region", "X,Y,WIDTH,HEIGHT in whole pixels", options.text.region, 4, 4);
  if (!n) return n.error();
  for (const double value : *n)
    if (!(std::abs(value) <= 1e6) || value != static_cast<int>(value))
      return Error{Errc::invalid_argument, 0, "--region", "must be whole pixels, at most 1000000"};
  options.region = {static_cast<int>((*n)[0]), static_cast<int>((*n)[1]), static_cast<int>((*n)[2]),
                    static_cast<int>((*n)[3])};
  if (options.region.width < 1 || options.region.height < 1)
    return Error{Errc::invalid_argument, 0, "--region", "width and height must be greater than 0"};
  return Done{};
}

Status read_ground(SearchOptions& options) {
  if (options.text.ground.empty()) return Done{};
  const Result<std::vector<double>> n =
      parse_numbers("--ground", "HORIZON_ROW,CAMERA_M[,SHORTEST_M,TALLEST_M[,SLACK_ROWS]]",
                    options.text.ground, 2, 5);
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
  options.ground = ground;
  return Done{};
}

}  // namespace

const char* name_of(hog::FusionKind kind) noexcept {
  return kind == hog::FusionKind::mean_shift    ? "mean-shift"
         : kind == hog::FusionKind::suppression ? "suppression"
                                                : "none";
}

Status read_settings(SearchOptions& options) {
  if (Status ok = read_threshold(options); !ok) return ok;
  if (Status ok = read_region(options); !ok) return ok;
  if (Status ok = read_ground(options); !ok) return ok;
  for (const hog::FusionKind kind :
       {hog::FusionKind::mean_shift, hog::FusionKind::suppression, hog::FusionKind::none})
    if (options.text.fusion == name_of(kind)) options.fusion = kind;
  if (!options.text.overlap_of.empty()) options.of_smaller = options.text.overlap_of == "smaller";
  parse(options.text.backend, options.backend);
  const RunSettings settings = settings_for(options, hog::Advice{});
  if (Status ok = hog::validate(settings.search); !ok) return ok;
  return hog::validate(settings.fuse);
}

RunSettings settings_for(const SearchOptions& options, const hog::Advice& advice) {
  RunSettings settings;
  hog::SearchSettings& search = settings.search;
  search.scale_step = options.scale_step.value_or(hog::advised_scale_step(advice));
  search.stride = options.stride.value_or(advice.stride);
  search.padding = options.padding.value_or(advice.padding);
  search.min_height = options.min_height;
  search.max_height = options.max_height;
  search.region = options.region;
  search.ground = options.ground;
  settings.threshold = options.threshold.value_or(advice.threshold);
  hog::FusionSettings& fuse = settings.fuse;
  fuse.kind = options.fusion.value_or(advice.fusion);
  fuse.overlap = options.overlap.value_or(advice.overlap);
  fuse.of_smaller = options.of_smaller.value_or(advice.of_smaller);
  fuse.min_hits = options.min_hits;
  fuse.zero = std::min(0.0F, settings.threshold);
  return settings;
}

RunSettings settings_for(const SearchOptions& options, const hog::Model& model) {
  RunSettings settings = settings_for(options, model.advice);
  if (!options.lowest) return settings;
  if (model.look_again || !std::holds_alternative<hog::DenseModel>(model.kind)) {
    settings.threshold = -1e9F;
    settings.fuse.zero = 0;
    return settings;
  }
  settings.threshold = settings.fuse.kind == hog::FusionKind::mean_shift
                           ? std::min(0.0F, model.advice.threshold)
                           : model.advice.threshold - 1;
  settings.fuse.zero = std::min(0.0F, settings.threshold);
  return settings;
}

void add_search_options(CLI::App& command, SearchOptions& options, const char* threshold_help) {
  add_name_option(command, "--threshold", options.text.threshold, threshold_help);
  command.add_option("--scale", options.scale_step,
                     "Scale ratio between levels, 1.001..16; default: the model's advice");
  command.add_option("--stride", options.stride,
                     "Step between windows, pixels of the level, 1..256; multiples of 8, 4 or 2 "
                     "are fast; default: the model's advice");
  command
      .add_option("--min-height", options.min_height,
                  "Height of the smallest person, pixels, from 16; 0: the model's. Less enlarges "
                  "the picture")
      ->check(CLI::Validator{[](const std::string& text) {
                               const double height = std::strtod(text.c_str(), nullptr);
                               return height == 0 || height >= kLeastHeight
                                          ? std::string{}
                                          : fmt::format("{}: must be 0 or {} and more", text,
                                                        kLeastHeight);
                             },
                             ""});
  command.add_option("--max-height", options.max_height,
                     "Height of the tallest person, pixels; 0: no limit");
  command.add_option("--padding", options.padding,
                     "How far windows may extend beyond the picture, pixels of the level, 0..1024; "
                     "default: the model's advice");
  add_name_option(command, "--region", options.text.region,
                  "Search only for people within X,Y,WIDTH,HEIGHT, pixels");
  add_name_option(command, "--ground", options.text.ground,
                  "Search only for people who stand on a flat road: "
                  "HORIZON_ROW,CAMERA_M[,SHORTEST_M,TALLEST_M[,SLACK_ROWS]]");
  command
      .add_option(
          "--fusion", options.text.fusion,
          "How hits are merged: mean-shift, suppression or none; default: the model's advice")
      ->check(CLI::IsMember({"mean-shift", "suppression", "none"}));
  command.add_option("--min-hits", options.min_hits, "Fewest hits of a person; not with none")
      ->capture_default_str();
  command.add_option("--overlap", options.overlap,
                     "suppression: a box that overlaps a better one by more than this is removed, "
                     "0..1; default: the model's advice");
  command
      .add_option("--overlap-of", options.text.overlap_of,
                  "suppression: overlap relative to the union of both boxes or to the smaller box: "
                  "union or smaller; default: the model's advice")
      ->check(CLI::IsMember({"union", "smaller"}));
  command.add_flag("--colour", options.colour,
                   "Also use colour: dense HoG then takes the channel of strongest gradient");
  add_backend_option(command, options.text.backend);
  add_threads_option(command, options.threads);
}

}  // namespace kerb::lab
