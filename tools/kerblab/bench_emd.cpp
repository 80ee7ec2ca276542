// SPDX-License-Identifier: Apache-2.0
// kerblab bench emd: the paper's experiment, as a table and a plot.
#include "tools/kerblab/bench_emd.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <opencv2/imgproc.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "firmware/main/version.hpp"
#include "tools/bench/emd_bench.hpp"
#include "tools/bench/street.hpp"
#include "tools/kerblab/draw_plot.hpp"
#include "tools/kerblab/machine.hpp"
#include "tools/kerblab/marked_page.hpp"
#include "tools/kerblab/output.hpp"
#include "tools/kerblab/pictures.hpp"
#include "tools/kerblab/progress.hpp"

namespace kerb::lab {
namespace {

using Json = nlohmann::ordered_json;
using bench::EmdRow;

struct BenchEmdOptions {
  std::string json, target, into, backend = "auto";
  std::vector<std::string> pictures, plots;
  std::vector<int> bins;
  int repeat = 0, threads = 0;
  bool quick = false;
};

/// OpenCV's, of one problem.
double opencv_emd(int bins, const std::uint8_t* from, const std::uint8_t* to, const float* costs) {
  cv::Mat a(bins, 1, CV_32F), b(bins, 1, CV_32F);  // braces would be a list of numbers
  for (int k = 0; k < bins; ++k) {
    a.at<float>(k) = from[k];
    b.at<float>(k) = to[k];
  }
  const cv::Mat cost(bins, bins, CV_32F, const_cast<float*>(costs));
  return static_cast<double>(cv::EMD(a, b, cv::DIST_USER, cost));
}

Result<bench::GreyPicture> grey_file(const std::string& path) {
  Result<LoadedPicture> loaded = load_picture(path, false);
  if (!loaded) return loaded.error();
  return bench::GreyPicture{loaded->bgr.cols, loaded->bgr.rows, std::move(loaded->grey)};
}

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
      const bench::GreyPicture& one = all[static_cast<std::size_t>(y / height * columns + c)];
      const auto row = one.samples.begin() + static_cast<std::ptrdiff_t>(y % height) * one.width;
      out.samples.insert(out.samples.end(), row, row + width);
    }
  return out;
}

bench::GreyPicture street(int width, int height) {
  return {width, height, bench::street_picture(width, height)};
}

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
    Result<Backends> backends = choose_backends(options_.backend);
    if (!backends) return backends.error();
    bench::EmdBench bench;
    if (Status ok = set_pictures(bench); !ok) return ok;
    if (options_.repeat > 0) bench.repeats = options_.repeat;
    if (!options_.bins.empty()) bench.bins = options_.bins;
    bench.threads = options_.threads;
    bench.cpu = backends->cpu;
    bench.cuda = backends->cuda.has_value();
    bench.rival = opencv_emd;
    bench.rival_name = "cv::EMD";
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
    for (const EmdRow& row : rows_)
      if (!row.equals_cpu.value_or(true))
        return Error{Errc::damaged, 0, "bench emd: other distances than the CPU's",
                     Text<112>{kind_of(row)}};
    return write();
  }

 private:
  Status check() {
    const Result<std::vector<std::string>> outputs =
        check_report(options_.plots, {options_.json, options_.into});
    if (!outputs) return outputs.error();
    if (!options_.into.empty())
      if (Status ok = page_.read(options_.into, "kerblab bench emd"); !ok) return ok;
    std::vector<std::string> inputs = options_.pictures;
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
      if (row.what == "solver") continue;
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

  [[nodiscard]] eval::Plot plot() const {
    eval::Plot plot;
    plot.title = "Processing time of a frame over channels";
    plot.x_label = "channels";
    plot.y_label = "milliseconds";
    double least = 1e9, most = 0;
    std::set<int> bins;
    for (const EmdRow& row : rows_) {
      if (row.what != "picture" && row.what != "random") continue;
      if (row.solver == "packed" || !(row.times.median_ms > 0)) continue;
      const auto same = [&](const eval::Plot::Series& s) { return s.name == kind_of(row); };
      auto at = std::find_if(plot.series.begin(), plot.series.end(), same);
      if (at == plot.series.end()) at = plot.series.insert(at, {kind_of(row), {}});
      at->points.emplace_back(row.bins, row.times.median_ms);
      least = std::min(least, row.times.median_ms);
      most = std::max(most, row.times.median_ms);
      bins.insert(row.bins);
    }
    if (bins.empty()) return plot;
    plot.x_from = *bins.begin();
    plot.x_to = std::max(*bins.rbegin(), *bins.begin() + 1);
    plot.x_ticks.assign(bins.begin(), bins.end());
    plot.y_from = least / 1.3;
    plot.y_to = most * 1.3;
    for (double tick = 1e-3; tick < 1e7; tick *= 10)
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
            {"version", kVersion},
            {"machine", machine_},
            {"pictures", options_.pictures.empty() ? std::vector<std::string>{"street made by code"}
                                                   : options_.pictures},
            {"target", options_.target.empty() ? "street made by code" : options_.target},
            {"results", results}};
  }

  [[nodiscard]] Status write() const {
    const std::string tables = "\n" + solver_table() + frame_table() + "\n";
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
  CLI::App* command = group.add_subcommand("emd", "Earth Mover's Distance: the paper's experiment");
  command->footer(
      "Local histograms of a picture (11x11 pixels around each), their distances to the histogram\n"
      "of another, by random costs: 1280x720 and, where the picture is that large, 1920x1080; "
      "cold\n"
      "(nothing known) and warm (the same frame again), with and without transfers on CUDA; the\n"
      "same for signatures without any likeness; the solvers by themselves beside cv::EMD. --into\n"
      "replaces what lies between the page's lines '<!-- kerblab bench emd: begin -->' and\n"
      "'<!-- kerblab bench emd: end -->'. Distances that differ from the CPU's are an error.\n"
      "Example: kerblab bench emd --picture city.jpg --target pout.tif --plot emd.svg\n"
      "  --into docs/results/emd.md --json emd.json");
  const auto o = std::make_shared<BenchEmdOptions>();
  command->add_option("--json", o->json, "Also as JSON, there; - is stdout, without the table")
      ->check(not_empty);
  command
      ->add_option("--picture", o->pictures,
                   "At least 1280x720, taken as grey; several are cut to one size and laid out in "
                   "rows; default: a street made by code")
      ->check(not_empty)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--target", o->target,
                   "Picture whose histogram is the target; default: another such street")
      ->check(not_empty);
  command->add_option("--bins", o->bins, "Channels; as often as needed; default 3 to 11")
      ->check(CLI::Range(emd::kMinBins, emd::kMaxBins))
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--plot", o->plots, "Time over channels, P.svg or P.png; as often as needed")
      ->check(not_empty)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--into", o->into, "Markdown page whose tables are replaced")
      ->check(not_empty);
  command
      ->add_option("--repeat", o->repeat, "Medians of so many, on the CPU of 3 at most; default 11")
      ->check(CLI::Range(1, 100000));
  command->add_flag("--quick", o->quick, "A tiny picture, few channels: does it run at all?");
  command->add_option("--backend", o->backend, "auto, cpu or cuda")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  command->add_option("--threads", o->threads, "Of the CPU backend; 0: one for each core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command->callback([o, &action] {
    action = [o] {
      const Status done = BenchEmd{*o}.run();
      return done ? 0 : fail(done.error());
    };
  });
}

}  // namespace kerb::lab
