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
#include "tools/emd/exact_emd.hpp"
#include "tools/files/npy.hpp"
#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/numbers.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/emd/ground.hpp"

namespace kerb::lab {
namespace {

using Json = nlohmann::ordered_json;
using Histogram = std::vector<double>;

struct EmdOptions {
  std::string from, to, signatures, target, ground = "line", solver = "auto", json, out,
                                            backend = "auto";
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
      parse_numbers("histogram", "a list of numbers separated by commas, nor @FILE", word, 1, 1000);
  if (!numbers) return numbers.error();
  for (const double number : *numbers)
    if (number < 0)
      return no_histogram(fmt::format("'{}': {:g} is below zero", word.substr(0, 40), number));
  return std::vector<Histogram>{*numbers};
}

/// What a file of histograms is meant by.
std::string word_for(const std::string& file) { return "@" + file; }

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
    if (Status ok = check_outputs(); !ok) return ok;
    Result<std::vector<Histogram>> from = read_histograms(options_.from);
    if (!from) return from.error();
    Result<std::vector<Histogram>> to = read_histograms(options_.to);
    if (!to) return to.error();
    bins_ = static_cast<int>(from->front().size());
    targets_ = to->size();
    if (Status ok = check(*from); !ok) return ok;
    if (Status ok = check(*to); !ok) return ok;
    if (options_.solver == "exact" && (options_.mass > 0 || options_.backend == "cuda"))
      return no_histogram(options_.mass > 0
                              ? "--mass: the solver exact does not round"
                              : "--backend cuda: the solver exact runs on the CPU only");
    const bool fits = choose_mass(*from, *to);
    const int most = is_exact(fits) ? emd::ExactEmd::kMaxBins : emd::kMaxBins;
    if (bins_ < emd::kMinBins || bins_ > most)
      return no_histogram(fmt::format("{} bins: must be {}..{}", bins_, emd::kMinBins, most));
    const Result<std::vector<double>> costs = costs_of(options_.ground, bins_, most);
    if (!costs) return costs.error();
    if (is_exact(fits)) {
      solve_exactly(*from, *to, *costs);
    } else {
      if (Status ok = as_signatures(*from, *to, fits); !ok) return ok;
      if (Status ok = solve(*costs); !ok) return ok;
    }
    return write(from->size());
  }

 private:
  [[nodiscard]] Status check_outputs() const {
    std::vector<std::string> outputs, inputs = {options_.ground};
    for (const std::string& path : {options_.json, options_.out})
      if (!path.empty()) outputs.push_back(path);
    for (const std::string& path : outputs)
      if (Status ok = check_output(path); !ok) return ok;
    for (const std::string& word : {options_.from, options_.to})
      if (!word.empty() && word.front() == '@') inputs.push_back(word.substr(1));
    if (Status ok = check_distinct(outputs); !ok) return ok;
    return check_apart(outputs, inputs);
  }

  [[nodiscard]] Status check(const std::vector<Histogram>& all) const {
    for (const Histogram& h : all) {
      if (static_cast<int>(h.size()) != bins_)
        return no_histogram(
            fmt::format("histograms differ in length: {} and {} bins", bins_, h.size()));
      if (!(total(h) > 0)) return no_histogram("a histogram is empty");
    }
    return Done{};
  }

  /// Whether all can be signatures as they are: `mass_` of each, or 0 where they are matched in
  /// part.
  bool choose_mass(const std::vector<Histogram>& from, const std::vector<Histogram>& to) {
    const double first = total(from.front());
    const auto fits = [&](const Histogram& h) {
      return is_small_and_whole(h) && (options_.partial || total(h) == first);
    };
    const bool all = bins_ <= emd::kMaxBins && targets_ <= std::size_t{emd::kMaxTargets} &&
                     std::all_of(from.begin(), from.end(), fits) &&
                     std::all_of(to.begin(), to.end(), fits);
    mass_ = options_.partial    ? 0
            : options_.mass > 0 ? options_.mass
            : all               ? static_cast<int>(first)
                                : emd::kMaxMass;
    return all;
  }

  /// By doubles, as they are: what is asked for, or what cannot be signatures unless rounded, which
  /// nobody asked for.
  [[nodiscard]] bool is_exact(bool fits) const {
    return options_.solver == "exact" ||
           (!fits && options_.solver == "auto" && options_.mass == 0 && options_.backend != "cuda");
  }

  void solve_exactly(const std::vector<Histogram>& from, const std::vector<Histogram>& to,
                     const std::vector<double>& costs) {
    Workers workers{options_.threads};
    std::vector<emd::ExactEmd> solvers(static_cast<std::size_t>(workers.count()),
                                       emd::ExactEmd{bins_, costs.data()});
    distances_.assign(from.size() * to.size(), 0);
    constexpr std::size_t kTask = 64;
    workers.run(static_cast<int>((from.size() + kTask - 1) / kTask), [&](int task, int worker) {
      const std::size_t begin = static_cast<std::size_t>(task) * kTask;
      for (std::size_t i = begin; i < std::min(begin + kTask, from.size()); ++i)
        for (std::size_t t = 0; t < to.size(); ++t)
          distances_[t * from.size() + i] = solvers[static_cast<std::size_t>(worker)].distance(
              from[i].data(), to[t].data(), options_.partial);
    });
    exact_ = true;
    solver_ = "exact";
    backend_ = "cpu";
    const Result<emd::Ground> ground = ground_of(costs, bins_);  // too many bins: nobody knows
    if (ground) ground_ = *ground;
  }

  Status as_signatures(const std::vector<Histogram>& from, const std::vector<Histogram>& to,
                       bool fits) {
    if (targets_ > std::size_t{emd::kMaxTargets})
      return no_histogram(fmt::format("{} targets: at most {}", targets_, emd::kMaxTargets));
    if (options_.partial && !fits)
      return no_histogram(
          fmt::format("--partial: must be whole numbers with a sum of at most {}", emd::kMaxMass));
    rounded_ = !options_.partial && (options_.mass > 0 || !fits);
    if (Status ok = to_signatures(from, from_); !ok) return ok;
    return to_signatures(to, to_);
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

  Status solve(const std::vector<double>& given) {
    Result<emd::Ground> ground = ground_of(given, bins_);
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
    return price(given);
  }

  /// Distances by the costs as they were given: solvers know them as whole numbers.
  Status price(const std::vector<double>& given) {
    emd::Transport transport;
    for (std::size_t t = 0; t < to_.size(); ++t)
      for (std::size_t i = 0; i < from_.size(); ++i) {
        if (transport.solve(ground_, from_[i], to_[t]) != costs_[distances_.size()])
          return Error{Errc::damaged, 0, "emd: cost differs from the network simplex's",
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
    return distances_[t * (distances_.size() / targets_) + i];
  }

  [[nodiscard]] Status write(std::size_t count) const {
    if (options_.json != "-" && options_.out.empty()) print(count);
    if (options_.json != "-") say_how();
    if (!options_.out.empty()) {
      std::vector<double> table;
      table.reserve(distances_.size());
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t t = 0; t < targets_; ++t) table.push_back(distance(i, t));
      std::vector<std::size_t> shape = {count};
      if (targets_ > 1) shape.push_back(targets_);
      if (Status ok = write_output(options_.out, files::to_npy(table, shape)); !ok) return ok;
    }
    return options_.json.empty() ? Status{Done{}}
                                 : write_output(options_.json, report(count).dump(1) + "\n");
  }

  void print(std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i) {
      std::string line;
      for (std::size_t t = 0; t < targets_; ++t)
        line += fmt::format("{}{:.9g}", t > 0 ? "\t" : "", distance(i, t));
      fmt::print("{}\n", line);
    }
  }

  [[nodiscard]] const char* ground_name() const {
    return ground_.bins() > 0 ? name_of(ground_.kind()) : "general";
  }
  [[nodiscard]] bool is_metric() const { return ground_.bins() == 0 || ground_.is_metric(); }

  void say_how() const {
    fmt::print(stderr, "{} bins, ground {}{}, {} on {}, {}\n", bins_, ground_name(),
               is_metric() ? "" : " (not a metric)", solver_, backend_,
               options_.partial ? "partial: the smaller total is moved"
               : exact_         ? "shares of each total, not rounded"
               : rounded_       ? fmt::format("rounded to {} parts", mass_)
                                : fmt::format("mass {} as given", mass_));
  }

  [[nodiscard]] Json report(std::size_t count) const {
    Json rows = Json::array();
    for (std::size_t i = 0; i < count; ++i) {
      Json distances = Json::array(), costs = Json::array();
      for (std::size_t t = 0; t < targets_; ++t) {
        distances.push_back(distance(i, t));
        if (!exact_) costs.push_back(costs_[t * count + i]);
      }
      rows.push_back({{"distance", distances}});
      if (!exact_) rows.back()["cost"] = costs;
    }
    Json out{{"bins", bins_}, {"ground", ground_name()}};
    out["metric"] = ground_.bins() > 0 ? Json(ground_.is_metric()) : Json(nullptr);
    if (!exact_) {
      out["unit"] = ground_.unit();
      out["mass"] = mass_;
    }
    out["rounded"] = rounded_;
    out["solver"] = solver_;
    out["backend"] = backend_;
    out["results"] = rows;
    return out;
  }

  const EmdOptions& options_;
  int bins_ = 0, mass_ = 0;
  std::size_t targets_ = 0;
  bool rounded_ = false, exact_ = false;
  emd::Ground ground_;  // without bins: exact, of more than it can have
  std::vector<emd::Signature> from_, to_;
  std::vector<std::uint32_t> costs_;  // of target t from t * from_.size() on
  std::vector<double> distances_;     // the same, in the costs' unit
  std::string solver_, backend_;
};

}  // namespace

void add_emd(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("emd", "Earth Mover's Distance between histograms");
  command->footer(
      "A histogram is a list of numbers separated by commas. @FILE reads histograms from a file: "
      "one per\n"
      "line, or one per row of a NumPy array (.npy). Prints one line per histogram of FROM with "
      "its\n"
      "distance to each of TO: the least cost of moving a unit of mass. --out writes an array "
      "instead.\n"
      "Whole numbers with equal totals up to 255 are used as they are. Other histograms are "
      "normalised\n"
      "to a total of 1 and solved in double precision without rounding (solver exact). With --mass "
      "or\n"
      "another solver they are first rounded to N parts (default 255), as in the product.\n"
      "The distance is exact if all costs are whole numbers up to 8388607, or such multiples of "
      "the\n"
      "smallest cost. For other costs the solvers except exact return a plan whose cost is less "
      "than\n"
      "3e-6 of the largest cost above the minimum.\n"
      "Solvers: auto, closed (closed forms), atlas (of all optimal trees), packed and network "
      "(simplex),\n"
      "exact (double precision, at most 256 bins; the others 16). Where several can be used, they "
      "give\n"
      "the same result.\n"
      "Examples:\n"
      "  kerblab emd 3,1,0,4 0,4,2,2\n"
      "  kerblab emd --ground costs.txt --solver packed --json - @frames.txt @targets.txt\n"
      "  kerblab emd --signatures s.npy --target t.npy --ground costs.npy --out d.npy");
  const auto o = std::make_shared<EmdOptions>();
  CLI::Option* from = command->add_option("from", o->from, "Histogram, or @FILE")
                          ->check(not_empty)
                          ->option_text("FROM");
  CLI::Option* to = command->add_option("to", o->to, "Target histogram, or @FILE")
                        ->check(not_empty)
                        ->option_text("TO");
  CLI::Option* signatures = add_name_option(*command, "--signatures", o->signatures,
                                            "File of histograms, instead of FROM")
                                ->excludes(from);
  CLI::Option* target =
      add_name_option(*command, "--target", o->target, "File of target histograms, instead of TO")
          ->excludes(to);
  signatures->needs(target);
  target->needs(signatures);
  add_name_option(
      *command, "--out", o->out,
      "Write the distances as a NumPy array: a row per histogram of FROM, a column per target");
  add_name_option(
      *command, "--ground", o->ground,
      "Cost between bins: line, circle, flat, or a file (also .npy) with one row per bin")
      ->capture_default_str();
  command->add_option("--solver", o->solver, "Solver, see below")
      ->check(CLI::IsMember({"auto", "closed", "atlas", "packed", "network", "exact"}))
      ->capture_default_str();
  CLI::Option* mass =
      command->add_option("--mass", o->mass, "Round every histogram to N parts, 1..255")
          ->check(CLI::Range(1, emd::kMaxMass));
  command->add_flag("--partial", o->partial, "Totals may differ: the smaller total is moved")
      ->excludes(mass);
  add_name_option(
      *command, "--json", o->json,
      "Write the distances as JSON to this file; - is stdout (the lines are then not printed)");
  add_backend_option(*command, o->backend);
  add_threads_option(*command, o->threads);
  command->callback([o, &action] {
    if (!o->signatures.empty()) {
      o->from = word_for(o->signatures);
      o->to = word_for(o->target);
    }
    if (o->from.empty() || o->to.empty())
      throw CLI::RequiredError{"FROM and TO, or --signatures and --target"};
    action = [o] {
      const Status done = Emd{*o}.run();
      return done ? 0 : fail(done.error());
    };
  });
}

}  // namespace kerb::lab
