// SPDX-License-Identifier: Apache-2.0
// kerblab emd: the Earth Mover's Distance between histograms.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "gpu/emd/distances.hpp"
#include "gpu/emd/signatures.hpp"
#include "gpu/emd/transport.hpp"
#include "tools/kerblab/command.hpp"
#include "tools/kerblab/emd_ground.hpp"
#include "tools/kerblab/numbers.hpp"
#include "tools/kerblab/output.hpp"

namespace kerb::lab {
namespace {

using Json = nlohmann::ordered_json;
using Histogram = std::vector<double>;

struct EmdOptions {
  std::string from, to, ground = "line", solver = "auto", json, backend = "auto";
  int mass = 0, threads = 0;
  bool partial = false;
};

Error no_histogram(const std::string& what) {
  return Error{Errc::invalid_argument, 0, "emd", Text<112>{what}};
}

/// Numbers, or the rows of "@FILE".
Result<std::vector<Histogram>> read_histograms(const std::string& word) {
  if (!word.empty() && word.front() == '@') {
    Result<std::vector<NumberRow>> rows = read_rows("read histograms", word.substr(1));
    if (!rows) return rows.error();
    std::vector<Histogram> all;
    for (NumberRow& row : *rows) all.push_back(std::move(row.numbers));
    return all;
  }
  const Result<std::vector<double>> numbers =
      parse_numbers("histogram", "numbers parted by commas, nor @FILE", word, 1, 1000);
  if (!numbers) return numbers.error();
  for (const double number : *numbers)
    if (number < 0)
      return no_histogram(fmt::format("'{}': {:g} is below zero", word.substr(0, 40), number));
  return std::vector<Histogram>{*numbers};
}

/// In the same proportions, the largest of them 1/2 to 1: floats hold it, however large or small
/// the numbers were.
std::vector<float> within_floats(const Histogram& h) {
  int power = 0;
  std::frexp(*std::max_element(h.begin(), h.end()), &power);
  std::vector<float> out;
  for (const double v : h) out.push_back(static_cast<float>(std::ldexp(v, -power)));
  return out;
}

double total(const Histogram& h) { return std::accumulate(h.begin(), h.end(), 0.0); }

/// Whether it can be a signature as it is.
bool is_small_and_whole(const Histogram& h) {
  return total(h) <= emd::kMaxMass &&
         std::all_of(h.begin(), h.end(), [](double v) { return v == std::floor(v); });
}

class Emd {
 public:
  explicit Emd(const EmdOptions& options) : options_{options} {}

  Status run() {
    if (!options_.json.empty()) {
      if (Status ok = check_output(options_.json); !ok) return ok;
      std::vector<std::string> inputs = {options_.ground};
      for (const std::string& word : {options_.from, options_.to})
        if (!word.empty() && word.front() == '@') inputs.push_back(word.substr(1));
      if (Status ok = check_apart({options_.json}, inputs); !ok) return ok;
    }
    Result<std::vector<Histogram>> from = read_histograms(options_.from);
    if (!from) return from.error();
    Result<std::vector<Histogram>> to = read_histograms(options_.to);
    if (!to) return to.error();
    if (to->size() > static_cast<std::size_t>(emd::kMaxTargets))
      return no_histogram(fmt::format("{} targets: {} at most", to->size(), emd::kMaxTargets));
    bins_ = static_cast<int>(from->front().size());
    if (bins_ < emd::kMinBins || bins_ > emd::kMaxBins)
      return no_histogram(fmt::format("{} bins: {}..{}", bins_, emd::kMinBins, emd::kMaxBins));
    if (Status ok = check(*from); !ok) return ok;
    if (Status ok = check(*to); !ok) return ok;
    if (Status ok = choose_mass(*from, *to); !ok) return ok;
    if (Status ok = to_signatures(*from, from_); !ok) return ok;
    if (Status ok = to_signatures(*to, to_); !ok) return ok;
    if (Status ok = solve(); !ok) return ok;
    if (options_.json != "-") print();
    return options_.json.empty() ? Status{Done{}}
                                 : write_output(options_.json, report().dump(1) + "\n");
  }

 private:
  [[nodiscard]] Status check(const std::vector<Histogram>& all) const {
    for (const Histogram& h : all) {
      if (static_cast<int>(h.size()) != bins_)
        return no_histogram(fmt::format("histograms of {} and {} bins", bins_, h.size()));
      if (!(total(h) > 0)) return no_histogram("an empty histogram: nothing to move");
    }
    return Done{};
  }

  /// As they are where that can be; else in so many parts of their total.
  Status choose_mass(const std::vector<Histogram>& from, const std::vector<Histogram>& to) {
    std::vector<Histogram> all = from;
    all.insert(all.end(), to.begin(), to.end());
    const bool whole = std::all_of(all.begin(), all.end(), is_small_and_whole);
    if (options_.partial) {
      if (!whole)
        return no_histogram(
            fmt::format("--partial: whole numbers, together {} at most, expected", emd::kMaxMass));
      mass_ = 0;
      return Done{};
    }
    const double first = total(all.front());
    const bool equal =
        std::all_of(all.begin(), all.end(), [&](const Histogram& h) { return total(h) == first; });
    rounded_ = options_.mass > 0 || !whole || !equal;
    mass_ = options_.mass > 0 ? options_.mass : rounded_ ? emd::kMaxMass : static_cast<int>(first);
    return Done{};
  }

  Status to_signatures(const std::vector<Histogram>& all, std::vector<emd::Signature>& out) const {
    for (const Histogram& h : all) {
      if (rounded_) {
        const Result<emd::Signature> made = emd::quantise(within_floats(h).data(), bins_, mass_);
        if (!made) return made.error();
        out.push_back(*made);
        continue;
      }
      emd::Signature as_is;
      for (std::size_t k = 0; k < h.size(); ++k) as_is.bins[k] = static_cast<std::uint8_t>(h[k]);
      out.push_back(as_is);
    }
    return Done{};
  }

  Status solve() {
    const Result<std::vector<double>> given = costs_of(options_.ground, bins_);
    if (!given) return given.error();
    Result<emd::Ground> ground = ground_of(*given, bins_);
    if (!ground) return ground.error();
    ground_ = *ground;
    BackendChoice choice = BackendChoice::automatic;
    parse(options_.backend, choice);
    const Result<Context> context = Context::create(choice);
    if (!context) return context.error();
    Workers workers{options_.threads};
    emd::DistanceSettings settings;
    settings.mass = mass_;
    settings.cache_entries = 0;  // one frame is all there is
    emd::parse(options_.solver, settings.solver);
    const Result<std::unique_ptr<emd::Distances>> made =
        emd::Distances::create(*context, workers, ground_, settings, from_.size());
    if (!made) return made.error();
    if (Status ok = (*made)->set_targets(to_.data(), static_cast<int>(to_.size())); !ok) return ok;
    costs_.assign(from_.size() * to_.size(), 0);
    if (Status ok = (*made)->run(emd::SignaturesView<Space::host>{from_.data(), from_.size()},
                                 emd::CostsView<Space::host>{costs_.data(), from_.size()});
        !ok)
      return ok;
    solver_ = name_of((*made)->solver());
    backend_ = name_of((*made)->backend());
    return price(*given);
  }

  /// Distances by the costs as they were given: solvers know them as whole numbers.
  Status price(const std::vector<double>& given) {
    emd::Transport transport;
    for (std::size_t t = 0; t < to_.size(); ++t)
      for (std::size_t i = 0; i < from_.size(); ++i) {
        if (transport.solve(ground_, from_[i], to_[t]) != costs_[distances_.size()])
          return Error{Errc::damaged, 0, "emd: another cost than the network simplex's",
                       Text<112>{solver_}};
        distances_.push_back(transport.cost_by(given.data(), bins_) / moved(i, t));
      }
    return Done{};
  }

  static int mass_of(const emd::Signature& s) {
    return std::accumulate(s.bins.begin(), s.bins.end(), 0);
  }
  [[nodiscard]] int moved(std::size_t i, std::size_t t) const {
    return std::min(mass_of(from_[i]), mass_of(to_[t]));
  }
  [[nodiscard]] double distance(std::size_t i, std::size_t t) const {
    return distances_[t * from_.size() + i];
  }

  void print() const {
    for (std::size_t i = 0; i < from_.size(); ++i) {
      std::string line;
      for (std::size_t t = 0; t < to_.size(); ++t)
        line += fmt::format("{}{:.9g}", t > 0 ? "\t" : "", distance(i, t));
      fmt::print("{}\n", line);
    }
    fmt::print(stderr, "{} bins, ground {}{}, {} on {}, {}\n", bins_, name_of(ground_.kind()),
               ground_.is_metric() ? "" : " (no metric)", solver_, backend_,
               mass_ == 0 ? "partial: as much as the lighter side has"
               : rounded_ ? fmt::format("rounded to {} parts", mass_)
                          : fmt::format("mass {} as given", mass_));
  }

  [[nodiscard]] Json report() const {
    Json rows = Json::array();
    for (std::size_t i = 0; i < from_.size(); ++i) {
      Json distances = Json::array(), costs = Json::array();
      for (std::size_t t = 0; t < to_.size(); ++t) {
        distances.push_back(distance(i, t));
        costs.push_back(costs_[t * from_.size() + i]);
      }
      rows.push_back({{"distance", distances}, {"cost", costs}});
    }
    return {{"bins", bins_},
            {"ground", name_of(ground_.kind())},
            {"metric", ground_.is_metric()},
            {"unit", ground_.unit()},
            {"mass", mass_},
            {"rounded", rounded_},
            {"solver", solver_},
            {"backend", backend_},
            {"results", rows}};
  }

  const EmdOptions& options_;
  int bins_ = 0, mass_ = 0;
  bool rounded_ = false;
  emd::Ground ground_;
  std::vector<emd::Signature> from_, to_;
  std::vector<std::uint32_t> costs_;  // of target t from t * from_.size() on
  std::vector<double> distances_;     // the same
  std::string solver_, backend_;
};

}  // namespace

void add_emd(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("emd", "Earth Mover's Distance between histograms");
  command->footer(
      "A histogram is numbers parted by commas; @FILE stands for one on each line of FILE. Prints "
      "a\n"
      "line for each of FROM with its distance to each of TO: the least cost of moving a unit of\n"
      "mass. Whole numbers with one total up to 255 are taken as they are; others are first "
      "rounded\n"
      "to 255 parts of their total (--mass: another number of parts). Of these the distance is "
      "exact\n"
      "for costs that are whole numbers up to 8388607 or such multiples of the smallest; of other\n"
      "costs it is that of a plan less than 3e-6 of the largest cost above the least.\n"
      "Solvers: auto, closed (forms), atlas (of all optimal trees), packed and network (simplex); "
      "all\n"
      "give the same, where they can do it.\n"
      "Examples:\n  kerblab emd 3,1,0,4 0,4,2,2\n"
      "  kerblab emd --ground costs.txt --solver packed --json - @frames.txt @targets.txt");
  const auto o = std::make_shared<EmdOptions>();
  command->add_option("from", o->from, "Histogram, or @FILE")
      ->required()
      ->check(not_empty)
      ->option_text("FROM");
  command->add_option("to", o->to, "What distances are to: histogram, or @FILE of up to 8")
      ->required()
      ->check(not_empty)
      ->option_text("TO");
  command
      ->add_option("--ground", o->ground,
                   "Cost between bins: line, circle, flat, or a file with a row for each bin")
      ->check(not_empty)
      ->capture_default_str();
  command->add_option("--solver", o->solver, "See below")
      ->check(CLI::IsMember({"auto", "closed", "atlas", "packed", "network"}))
      ->capture_default_str();
  CLI::Option* mass =
      command->add_option("--mass", o->mass, "Round every histogram to so many parts, 1..255")
          ->check(CLI::Range(1, emd::kMaxMass));
  command
      ->add_flag("--partial", o->partial,
                 "Totals may differ: as much is moved as the lighter side has")
      ->excludes(mass);
  command->add_option("--json", o->json, "Distances as JSON, there; - is stdout, without the lines")
      ->check(not_empty);
  command->add_option("--backend", o->backend, "auto, cpu or cuda")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  command->add_option("--threads", o->threads, "Of the CPU backend; 0: one for each core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command->callback([o, &action] {
    action = [o] {
      const Status done = Emd{*o}.run();
      return done ? 0 : fail(done.error());
    };
  });
}

}  // namespace kerb::lab
