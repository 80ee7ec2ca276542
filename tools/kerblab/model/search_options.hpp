// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "gpu/hog/fusion.hpp"
#include "gpu/hog/model.hpp"
#include "gpu/hog/search.hpp"
#include "gpu/memory/context.hpp"
#include "hal/base/result.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace kerb::lab {

/// Options of the search with a model, the same in every command that searches pictures. Options
/// not given follow the model's advice.
struct SearchOptions {
  std::optional<double> scale_step;
  std::optional<int> stride, padding;
  std::optional<float> threshold, overlap;
  std::optional<bool> of_smaller;
  std::optional<hog::FusionKind> fusion;
  int min_height = 0, max_height = 0, min_hits = 1, threads = 0;
  bool colour = false;
  bool lowest = false;  ///< instead of a threshold: see settings_for()
  hog::Region region;
  std::optional<hog::GroundPlane> ground;
  BackendChoice backend = BackendChoice::automatic;

  struct {
    std::string threshold, region, ground, fusion, overlap_of, backend = "auto";
  } text;  ///< as given; see read_settings()
};

/// What to run a model with.
struct RunSettings {
  hog::SearchSettings search;
  hog::FusionSettings fuse;
  float threshold = 0;
};

/// Adds them all. `options` must live until the command line is read.
void add_search_options(CLI::App& command, SearchOptions& options, const char* threshold_help);

/// Turns what was given as text into settings, and checks all. Fails, naming the option:
/// invalid_argument.
Status read_settings(SearchOptions& options);

/// The options given, and for the others the advice; `lowest` does not count.
[[nodiscard]] RunSettings settings_for(const SearchOptions& options, const hog::Advice& advice);
/// The same for a model. With `lowest` the threshold is so low that curves go well past one false
/// positive per image: all that a cascade's stages let through counts. With mean shift the
/// threshold of a dense model decides what windows weigh, so it stays near the advised one.
[[nodiscard]] RunSettings settings_for(const SearchOptions& options, const hog::Model& model);

/// "mean-shift", "suppression" or "none".
[[nodiscard]] const char* name_of(hog::FusionKind kind) noexcept;

}  // namespace kerb::lab
