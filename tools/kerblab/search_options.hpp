// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "gpu/hog/fusion.hpp"
#include "gpu/hog/search.hpp"
#include "gpu/memory/context.hpp"
#include "hal/base/result.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
class Option;
}  // namespace CLI

namespace kerb::lab {

/// How a model is run over pictures, as the command line has it: the same options in every command
/// that does so.
struct SearchOptions {
  hog::SearchSettings search;
  hog::FusionSettings fuse;
  float threshold = 0;
  int threads = 0;
  bool colour = false;
  std::string region, ground, backend = "auto", fusion = "mean-shift",
                              overlap_of = "union";  ///< as given

  [[nodiscard]] BackendChoice backend_choice() const noexcept;
};

/// Adds them all but --threshold, whose default is each command's own. `options` must live until
/// the command line is read.
void add_search_options(CLI::App& command, SearchOptions& options);
/// Adds --threshold.
CLI::Option* add_threshold_option(CLI::App& command, SearchOptions& options, const char* help);

/// Turns what was given as text into settings, and checks all. Fails, naming the option:
/// invalid_argument.
Status read_settings(SearchOptions& options);

}  // namespace kerb::lab
