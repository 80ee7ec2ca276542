// SPDX-License-Identifier: Apache-2.0
// kerblab bench emd: the paper's experiment, as a table and a plot.
#include "tools/kerblab/bench/emd.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tools/bench/emd_bench.hpp"
#include "tools/bench/street.hpp"
#include "tools/files/text.hpp"
#include "tools/kerblab/app/machine.hpp"
#include "tools/kerblab/app/marked_page.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/app/progress.hpp"
#include "tools/kerblab/bench/opencv.hpp"
#include "tools/kerblab/plot/plot.hpp"

namespace kerb::lab {
namespace {

using Json = nlohmann::ordered_json;
using bench::EmdRow;

struct BenchEmdOptions {
  std::string json, target, into, backend = "auto";
  std::vector<std::string> pictures, plots, from;
  std::vector<int> bins;
  int repeat = 0, threads = 0;
  bool quick = false;
};

/// Several as one, in rows and columns, each cut to what all of them have: real pixels, not
/// enlarged ones.
Result<bench::GreyPicture> laid_out(const std::vector<std::string>& paths) {
  std::vector<bench::GreyPicture> all;
  for (const std::string& path : paths) {
    Result<bench::GreyPicture> loaded = grey_file(path);
    if (!loaded) return loaded.error();
    all.push_back(std::move(*loaded));
  }
  int width = all.front().width, height = all.front().height, columns = 1;
  for (const bench::GreyPicture& one : all) {
    width = std::min(width, one.width);
    height = std::min(height, one.height);
  }
  const int count = static_cast<int>(all.size());
  while (columns * columns < count) ++columns;
  const int rows = count / columns;  // whole ones alone
  bench::GreyPicture out{columns * width, rows * height, {}};
  for (int y = 0; y < out.height; ++y)
    for (int c = 0; c < columns; ++c) {
      const int place = y / height * columns + c;
      const bench::GreyPicture& one = all[static_cast<std::size_t>(place)];
      const auto row = one.samples.begin() + static_cast<std::ptrdiff_t>(y % height) * one.width;
      out.samples.insert(out.samples.end(), row, row + width);
    }
  return out;
}

bench::GreyPicture street(int width, int height) {
  return {width, height, bench::street_picture(width, height)};
}

/// What bench_emd wrote on some machine, line by line. Fails: invalid_argument (not that, or
/// nothing measured), and as files::read_text().
Result<std::vector<EmdRow>> read_rows(const std::string& path, std::vector<std::string>& machines) {
  const Result<std::string> text = files::read_text("--from", path);
  if (!text) return text.error();
  std::vector<EmdRow> rows;
  std::istringstream lines{*text};
  for (std::string line; std::getline(lines, line);) {
    const Json one = Json::parse(line, nullptr, false);
    try {
      if (one.contains("machine")) {
        machines.push_back(one.at("machine").get<std::string>());
        continue;
      }
      EmdRow row;
      row.what = one.at("what").get<std::string>();
      row.width = one.at("width").get<int>();
      row.height = one.at("height").get<int>();
      row.bins = one.at("bins").get<int>();
      row.solver = one.at("solver").get<std::string>();
      row.backend = one.at("backend").get<std::string>();
      row.threads = one.at("threads").get<int>();
      row.cache = one.at("cache").get<std::string>();
      row.transfers = one.at("transfers").get<std::string>();
      row.times = {one.at("median_ms").get<double>(), one.at("best_ms").get<double>(),
                   one.at("worst_ms").get<double>()};
      row.rate = one.at("per_second").get<double>();
      row.counts.solved = one.at("solved").get<std::uint32_t>();
      row.counts.duplicates = one.at("duplicates").get<std::uint32_t>();
      row.counts.cached = one.at("cached").get<std::uint32_t>();
      if (!one.at("equals_cpu").is_null()) row.equals_cpu = one.at("equals_cpu").get<bool>();
      rows.push_back(std::move(row));
    } catch (const Json::exception&) {
      return Error{Errc::invalid_argument, 0, "bench emd: not a file written by bench_emd",
                   Text<112>{path}};
    }
  }
  if (rows.empty())
    return Error{Errc::invalid_argument, 0, "bench emd: the file has no rows", Text<112>{path}};
  return rows;
}

/// What is meant to hurt: it has a table of its own.
bool is_hard(const EmdRow& row) {
  return row.what.starts_with("random, ") && row.what != "random, partial" &&
         row.what != "random, line";
}

/// The paper's frames a second on a C2050: 1280x720 and 1920x1080, up to 11 channels, whatever the
/// scene.
constexpr double kPaperLeast = 9.9, kPaperMost = 117.1;

std::string size_of(const EmdRow& row) { return fmt::format("{}x{}", row.width, row.height); }

/// What a row of the table is of; its columns are numbers of bins.
std::string kind_of(const EmdRow& row) {
  std::string kind = fmt::format("{}, {}, {}", row.what, size_of(row), row.backend);
  if (row.solver == "packed") kind += ", the paper's solver";
  if (row.cache == "cold" || row.cache == "warm") kind += ", " + row.cache;
  if (row.transfers == "planes") kind += ", with transfers";
  if (row.transfers == "picture") kind += ", from the grey picture, with transfers";
  return kind;
}

class BenchEmd {
 public:
  explicit BenchEmd(const BenchEmdOptions& options) : options_{options} {}

  Status run() {
    if (Status ok = check(); !ok) return ok;
    if (Status ok = options_.from.empty() ? measure() : read(); !ok) return ok;
    for (const EmdRow& row : rows_)
      if (!row.equals_cpu.value_or(true))
        return Error{Errc::damaged, 0, "bench emd: distances differ from the CPU's",
                     Text<112>{kind_of(row)}};
    return write();
  }

 private:
  Status measure() {
    Result<Backends> backends = choose_backends(options_.backend);
    if (!backends) return backends.error();
    bench::EmdBench bench;
    if (Status ok = set_pictures(bench); !ok) return ok;
    if (options_.repeat > 0) bench.repeats = options_.repeat;
    if (!options_.bins.empty()) bench.bins = options_.bins;
    bench.threads = options_.threads;
    bench.cpu = backends->cpu;
    bench.cuda = backends->cuda.has_value();
    add_opencv(bench);
    const SystemClock clock;
    machine_ = describe_machine(backends->cuda ? &*backends->cuda : nullptr,
                                Workers{options_.threads}.count());
    {
      Progress progress{clock, "bench emd"};
      std::size_t done = 0;
      bench.on_progress = [&](const std::string& what) {
        ++done;
        progress.show(done, std::max(done, 10 * bench.bins.size()), what);
      };
      Result<std::vector<EmdRow>> rows = bench::bench_emd(clock, bench);
      if (!rows) return rows.error();
      rows_ = std::move(*rows);
    }
    return Done{};
  }

  Status read() {
    std::vector<std::string> machines;
    for (const std::string& path : options_.from) {
      Result<std::vector<EmdRow>> rows = read_rows(path, machines);
      if (!rows) return rows.error();
      std::move(rows->begin(), rows->end(), std::back_inserter(rows_));
    }
    machine_ = machines;
    return Done{};
  }

  Status check() {
    const Result<std::vector<std::string>> outputs =
        check_report(options_.plots, {options_.json, options_.into});
    if (!outputs) return outputs.error();
    if (!options_.into.empty())
      if (Status ok = page_.read(options_.into, "kerblab bench emd"); !ok) return ok;
    std::vector<std::string> inputs = options_.pictures;
    inputs.insert(inputs.end(), options_.from.begin(), options_.from.end());
    inputs.push_back(options_.target);
    return check_apart(*outputs, inputs);
  }

  Status set_pictures(bench::EmdBench& bench) const {
    bench.small = options_.quick;
    if (options_.quick) {
      bench.bins = {3, 5};
      bench.problems = 200;
      bench.repeats = 1;
    }
    bench.picture = options_.quick ? street(64, 48) : street(1920, 1080);
    bench.target = street(320, 240);
    if (!options_.pictures.empty()) {
      Result<bench::GreyPicture> loaded = laid_out(options_.pictures);
      if (!loaded) return loaded.error();
      bench.picture = std::move(*loaded);
    }
    if (options_.target.empty()) return Done{};
    Result<bench::GreyPicture> loaded = grey_file(options_.target);
    if (!loaded) return loaded.error();
    bench.target = std::move(*loaded);
    return Done{};
  }

  /// Problems a second of each solver by itself, and how many times OpenCV's that is.
  [[nodiscard]] std::string solver_table() const {
    double rival = 0;
    for (const EmdRow& row : rows_)
      if (row.what == "solver" && row.solver == "cv::EMD") rival = row.rate;
    std::string out;
    for (const EmdRow& row : rows_) {
      if (row.what != "solver") continue;
      if (out.empty())
        out = fmt::format(
            "| solver, {} bins, random costs, one core | problems a second | of cv::EMD's "
            "|\n|---|---|---|\n",
            row.bins);
      if (row.solver == "atlas, built")
        out += fmt::format("| atlas: building it, once for a ground distance | {:.0f} ms | |\n",
                           row.times.median_ms);
      else
        out += fmt::format("| {} | {:.0f} | {} |\n", row.solver, row.rate,
                           rival > 0 ? fmt::format("{:.1f}", row.rate / rival) : "–");
    }
    return out.empty() ? out : out + "\n";
  }

  /// A row for each kind, a column for each number of bins.
  [[nodiscard]] std::string frame_table() const {
    std::set<int> bins;
    std::vector<std::string> kinds;
    for (const EmdRow& row : rows_) {
      if (row.what == "solver" || is_hard(row)) continue;
      bins.insert(row.bins);
      if (std::find(kinds.begin(), kinds.end(), kind_of(row)) == kinds.end())
        kinds.push_back(kind_of(row));
    }
    std::string head = "| frames a second; channels: |", rule = "|---|";
    for (const int b : bins) {
      head += fmt::format(" {} |", b);
      rule += "---|";
    }
    std::string out = head + "\n" + rule + "\n";
    out += fmt::format("| the paper's, a C2050: {} to {}, by channels and scene |", kPaperLeast,
                       kPaperMost);
    for (std::size_t b = 0; b < bins.size(); ++b) out += " |";
    out += "\n";
    for (const std::string& kind : kinds) {
      out += fmt::format("| {} |", kind);
      for (const int b : bins) {
        const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const EmdRow& r) {
          return r.what != "solver" && r.bins == b && kind_of(r) == kind;
        });
        if (row == rows_.end())
          out += " |";
        else
          out += row->rate < 100 ? fmt::format(" {:.1f} |", row->rate)
                                 : fmt::format(" {:.0f} |", row->rate);
      }
      out += "\n";
    }
    return out;
  }

  /// What is meant to hurt, beside the same frame with all of it and without any.
  [[nodiscard]] std::string hard_table() const {
    const EmdRow* plain = nullptr;
    for (const EmdRow& row : rows_)
      if (row.what == "random, no cache, no duplicates") plain = &row;
    if (plain == nullptr || !(plain->times.median_ms > 0)) return {};
    std::string out = fmt::format(
        "| {}, {} bins, {} | ms a frame | frames a second | of plain solving's time | solved | "
        "from "
        "the cache |\n|---|---|---|---|---|---|\n",
        size_of(*plain), plain->bins, plain->backend);
    for (const EmdRow& row : rows_) {
      const bool beside = row.what == "random" && row.transfers.empty() &&
                          row.solver == plain->solver && row.backend == plain->backend &&
                          row.bins == plain->bins && row.width == plain->width;
      if (!beside && !is_hard(row)) continue;
      out += fmt::format("| {}{} | {:.3f} | {:.0f} | {:.2f} | {} | {} |\n", row.what,
                         beside ? ", " + row.cache : "", row.times.median_ms, row.rate,
                         row.times.median_ms / plain->times.median_ms, row.counts.solved,
                         row.counts.cached);
    }
    return out + "\n";
  }

  /// Of the larger frames: the paper's range, and ours.
  [[nodiscard]] eval::Plot plot() const {
    eval::Plot plot;
    int width = 0;
    for (const EmdRow& row : rows_) width = std::max(width, row.width);
    plot.title = "Processing time of a frame over channels";
    plot.x_label = "channels";
    plot.y_label = "milliseconds";
    double least = 1e9, most = 0;
    std::set<int> bins;
    for (const EmdRow& row : rows_) {
      if (row.what != "picture" && row.what != "random") continue;
      if (row.solver == "packed" || !(row.times.median_ms > 0) || row.width != width ||
          row.transfers == "picture")
        continue;
      const auto same = [&](const eval::Plot::Series& s) { return s.name == kind_of(row); };
      auto at = std::find_if(plot.series.begin(), plot.series.end(), same);
      if (at == plot.series.end()) at = plot.series.insert(at, {kind_of(row), {}});
      at->points.emplace_back(row.bins, row.times.median_ms);
      least = std::min(least, row.times.median_ms);
      most = std::max(most, row.times.median_ms);
      bins.insert(row.bins);
    }
    if (bins.empty()) return plot;
    for (eval::Plot::Series& s : plot.series) std::sort(s.points.begin(), s.points.end());
    for (const auto& [name, rate] : {std::pair{"the paper's, C2050, slowest", kPaperLeast},
                                     std::pair{"the paper's, C2050, fastest", kPaperMost}}) {
      eval::Plot::Series line{name, {}};
      for (const int b : bins) line.points.emplace_back(b, 1e3 / rate);
      plot.series.push_back(std::move(line));
      least = std::min(least, 1e3 / rate);
      most = std::max(most, 1e3 / rate);
    }
    plot.x_from = *bins.begin();
    plot.x_to = std::max(*bins.rbegin(), *bins.begin() + 1);
    plot.x_ticks.assign(bins.begin(), bins.end());
    plot.y_from = least / 1.3;
    plot.y_to = most * 1.3;
    for (const double tick : {1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6})
      for (const double part : {1.0, 2.0, 5.0}) plot.y_ticks.push_back(part * tick);
    return plot;
  }

  [[nodiscard]] Json report() const {
    Json results = Json::array();
    for (const EmdRow& row : rows_) {
      Json one;
      one["what"] = row.what;
      if (row.width > 0) one["width"] = row.width;
      if (row.height > 0) one["height"] = row.height;
      one["bins"] = row.bins;
      one["solver"] = row.solver;
      one["backend"] = row.backend;
      if (row.threads > 0) one["threads"] = row.threads;
      if (!row.cache.empty()) one["cache"] = row.cache;
      if (!row.transfers.empty()) one["transfers"] = row.transfers;
      one["ms"] = {{"median", row.times.median_ms},
                   {"best", row.times.best_ms},
                   {"worst", row.times.worst_ms}};
      one["per_second"] = row.rate;
      one["solved"] = row.counts.solved;
      one["duplicates"] = row.counts.duplicates;
      one["cached"] = row.counts.cached;
      if (row.equals_cpu) one["equals_cpu"] = *row.equals_cpu;
      results.push_back(std::move(one));
    }
    return {{"bench", "emd"},
            {"version", version()},
            {"machine", machine_},
            {"pictures", options_.pictures.empty() ? std::vector<std::string>{"street made by code"}
                                                   : options_.pictures},
            {"target", options_.target.empty() ? "street made by code" : options_.target},
            {"results", results}};
  }

  [[nodiscard]] Status write() const {
    const std::string tables = "\n" + solver_table() + frame_table() + "\n" + hard_table();
    for (const std::string& path : options_.plots)
      if (Status ok = write_plot(path, plot()); !ok) return ok;
    if (!options_.into.empty()) {
      if (Status ok = page_.write(tables); !ok) return ok;
    } else if (options_.json != "-") {
      fmt::print("{}", tables);
    }
    return options_.json.empty()
               ? Status{Done{}}
               : write_output(options_.json,
                              report().dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  }

  const BenchEmdOptions& options_;
  Json machine_;
  std::vector<EmdRow> rows_;
  MarkedPage page_;
};

}  // namespace

void add_bench_emd(CLI::App& group, Action& action) {
  CLI::App* command =
      group.add_subcommand("emd", "Earth Mover's Distance: repeat the experiment of the paper");
  command->footer(
      "Computes local histograms of a picture (11x11 pixels around each pixel) and their distances "
      "to\n"
      "the histogram of another picture, with random costs: at 1280x720 and, if the picture is "
      "large\n"
      "enough, at 1920x1080; with an empty cache (cold) and with the same frame again (warm); on "
      "CUDA\n"
      "with and without transfers. Measures the same for signatures of which no two are equal, "
      "and\n"
      "the solvers alone, compared with cv::EMD. --into replaces the text between the lines\n"
      "'<!-- kerblab bench emd: begin -->' and '<!-- kerblab bench emd: end -->' of a page.\n"
      "Distances that differ from the CPU's are an error.\n"
      "Example: kerblab bench emd --picture city.jpg --target pout.tif --plot emd.svg\n"
      "  --into docs/results/emd.md --json emd.json");
  const auto o = std::make_shared<BenchEmdOptions>();
  add_name_option(
      *command, "--json", o->json,
      "Write the results as JSON to this file; - is stdout (the table is then not printed)");
  add_name_option(*command, "--picture", o->pictures,
                  "Input picture, at least 1280x720, converted to grey; several are cropped to one "
                  "size and tiled in rows; default: a synthetic street")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_name_option(*command, "--target", o->target,
                  "Picture whose histogram is the target; default: another synthetic street");
  command
      ->add_option("--bins", o->bins, "Number of channels to measure; repeatable; default 3 to 11")
      ->check(CLI::Range(emd::kMinBins, emd::kMaxBins))
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_name_option(*command, "--plot", o->plots,
                  "Plot of time over channels, P.svg or P.png; repeatable")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_name_option(*command, "--into", o->into, "Markdown page whose tables are replaced");
  add_name_option(*command, "--from", o->from,
                  "Results of bench_emd from another machine, instead of measuring; repeatable")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--repeat", o->repeat,
                   "Repetitions per median (frames on the CPU: at most 3); default 11")
      ->check(CLI::Range(1, 100000));
  command->add_flag("--quick", o->quick,
                    "A tiny picture and few channels: only checks that everything runs");
  add_backend_option(*command, o->backend);
  add_threads_option(*command, o->threads);
  run_when_chosen(*command, action, [o] { return BenchEmd{*o}.run(); });
}

}  // namespace kerb::lab
