// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/kerblab/sim/scenes.hpp"
#include "tools/simulator/report/report.hpp"
#include "tools/simulator/run/run.hpp"

namespace kerb::lab {

inline constexpr int kSomeFailed = 1;  ///< the exit code where runs did not pass

/// Which candidate runs in the scenarios, and how; common to `sim run` and `sim view`.
struct CandidateChoice {
  bool oracle = false, always = false, informs = false, never = false;
  [[nodiscard]] bool stands_in() const noexcept { return oracle || always || informs || never; }
  std::string config, model, backend = "auto", draw = "auto";
  std::vector<std::string> set;  ///< "KEY=VALUE" of the configuration
  std::string records;           ///< folder for records of its warnings; empty: none
  double latency_ms = 33;
};
/// Adds --oracle, --always, --informs, --never, --config, --set, --model, --backend, --draw,
/// --latency and --records. `choice` must outlive the parsing.
void add_candidate_options(CLI::App& command, CandidateChoice& choice);

/// The configuration with these keys changed, "KEY=VALUE" each, as in its file; or nothing, after
/// what is wrong was printed.
std::optional<Config> changed(const Config& config, const std::vector<std::string>& set);

/// What was chosen, ready to run; or nothing, after what is wrong was printed. `threads` is for one
/// run: its drawing and its vision take turns.
std::optional<sim::RunOptions> run_options(const CandidateChoice& choice, int threads);

/// Files that a run with these reads.
[[nodiscard]] std::vector<std::string> inputs_of(const CandidateChoice& choice,
                                                 const sim::RunOptions& options);

/// A confirmed person in one picture.
struct FollowedPerson {
  Detection box;
  std::uint32_t id = 0;
  double ahead_m = 0;      ///< of the front bumper
  double probability = 0;  ///< of a contact
};
/// A contact that the firmware thinks possible, with somebody whom it need not have confirmed.
struct PredictedContact {
  double ahead_m = 0, left_m = 0;  ///< of the front bumper, of the car's middle
  double likelihood = 0;           ///< of the contact, times that of a person
};
/// The firmware's results on one picture.
struct FoundPeople {
  double t = 0;
  std::vector<Detection> people;
  std::vector<FollowedPerson> followed;
  std::vector<PredictedContact> contacts;
};

/// A run, with the results of each picture.
struct BatchRun {
  std::string set;
  sim::Run run;
  std::vector<FoundPeople> found;
};

/// Makes options store these results in `run`.
void keep_found(sim::RunOptions& options, BatchRun& run);

enum class PictureChoice : std::uint8_t { none, some, all };

struct BatchOptions {
  CandidateChoice candidate;
  int jobs = 0;  ///< runs in parallel; the caller must replace 0
  PictureChoice pictures = PictureChoice::none;
  std::string traces;  ///< folder for what was sent, a file each; empty: nowhere
  /// Folders of logs of vision, SET/RUN.vision: where to keep them, and where to take them from
  /// instead of drawing and searching. Empty: neither.
  std::string keep_vision, vision;
  std::function<void(const BatchRun&)> on_run;  ///< called with each run once judged; may be empty
};

/// Writes into a report what was driven: program, models and configuration by their checksums.
void name_candidate(sim::Report& report, const sim::RunOptions& each);

/// Runs them all, several at a time. Fails with the first that cannot be run.
Result<sim::Report> run_batch(const std::vector<SceneSet>& sets, const BatchOptions& options,
                              const sim::RunOptions& each);

/// The log of vision of a run.
[[nodiscard]] std::string vision_file(const std::string& folder, const std::string& set,
                                      const std::string& run);

/// Leaves the runs that have a log of vision in this folder. False: there is none, which was
/// printed.
bool keep_logged(ChosenScenes& scenes, const std::string& folder);

/// "euroncap: 120 of 120 runs passed": for the terminal, several lines.
[[nodiscard]] std::string render_summary(const sim::Report& report);

}  // namespace kerb::lab
