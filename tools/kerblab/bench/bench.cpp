// SPDX-License-Identifier: Apache-2.0
// kerblab bench: our operators and detectors against each other, and against OpenCV's.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/bench/flow_bench.hpp"
#include "tools/bench/hog_bench.hpp"
#include "tools/bench/image_bench.hpp"
#include "tools/bench/night_bench.hpp"
#include "tools/bench/street.hpp"
#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/machine.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/app/progress.hpp"
#include "tools/kerblab/bench/emd.hpp"
#include "tools/kerblab/bench/opencv.hpp"
#include "tools/kerblab/model/models.hpp"

namespace kerb::lab {
namespace {

using Json = nlohmann::ordered_json;

struct BenchOptions {
  std::string what = "hog", json, picture, model, backend = "auto";
  int repeat = 0, threads = 0;
  bool quick = false;
};

Json to_json(const bench::Times& times) {
  return {{"median", times.median_ms}, {"best", times.best_ms}, {"worst", times.worst_ms}};
}

Json to_json(const bench::HogRow& row) {
  Json out;
  out["width"] = row.search.width;
  out["height"] = row.search.height;
  out["stride"] = row.search.stride;
  out["scale"] = row.search.scale;
  if (row.search.padding != 0) out["padding"] = row.search.padding;
  out["tables"] = row.search.tables;
  out["detector"] = row.name;
  out["backend"] = row.backend;
  if (row.threads != 0) out["threads"] = row.threads;
  out["ms"] = to_json(row.times);
  if (row.ratio > 0) out["times_as_fast_as_opencv"] = row.ratio;
  if (row.windows > 0) {
    out["windows"] = row.windows;
    out["blocks_per_window"] = row.per_window;
    out["hits"] = row.hits;
  }
  out["boxes"] = row.people;
  if (row.device_bytes > 0) out["device_bytes"] = row.device_bytes;
  return out;
}

Json to_json(const bench::ImageRow& row) {
  Json out;
  out["operator"] = row.name;
  out["detail"] = row.detail;
  out["width"] = row.width;
  out["height"] = row.height;
  out["backend"] = row.backend;
  if (row.threads != 0) out["threads"] = row.threads;
  out["ms"] = to_json(row.times);
  out["bytes"] = row.bytes;
  if (row.times.median_ms > 0) out["gb_per_s"] = row.bytes * 1e-6 / row.times.median_ms;
  return out;
}

Json to_json(const bench::NightRow& row) {
  Json out;
  out["width"] = row.size.width;
  out["height"] = row.size.height;
  out["operator"] = row.name;
  out["detail"] = row.detail;
  out["backend"] = row.backend;
  if (row.threads != 0) out["threads"] = row.threads;
  out["ms"] = to_json(row.times);
  if (row.of_detector > 0) out["of_detector"] = row.of_detector;
  return out;
}

Json to_json(const bench::FlowRow& row) {
  Json out;
  out["width"] = row.size.width;
  out["height"] = row.size.height;
  if (row.size.wanted < 1) out["wanted"] = row.size.wanted;
  out["method"] = row.name;
  out["backend"] = row.backend;
  if (row.threads != 0) out["threads"] = row.threads;
  out["ms"] = to_json(row.times);
  if (row.ratio > 0) out["times_as_fast_as_dis_medium"] = row.ratio;
  if (row.bytes_held > 0) out["bytes_held"] = row.bytes_held;
  if (row.bytes_moved > 0 && row.times.median_ms > 0)
    out["gb_per_s"] = row.bytes_moved * 1e-6 / row.times.median_ms;
  if (row.operations > 0 && row.times.median_ms > 0)
    out["gop_per_s"] = row.operations * 1e-6 / row.times.median_ms;
  if (row.equals_cpu) out["equals_cpu"] = *row.equals_cpu;
  return out;
}

void print_hog(const std::vector<bench::HogRow>& rows) {
  const bench::HogRow* last = nullptr;
  for (const bench::HogRow& row : rows) {
    const bench::HogCase& c = row.search;
    if (last == nullptr || last->search.width != c.width || last->search.stride != c.stride ||
        last->search.scale != c.scale || last->search.padding != c.padding) {
      fmt::print("\n{}x{}, stride {}, scale {:.5g}{}   ({})\n", c.width, c.height, c.stride,
                 c.scale, c.padding != 0 ? fmt::format(", padding {}", c.padding) : "",
                 std::isdigit(static_cast<unsigned char>(c.tables[0])) != 0
                     ? fmt::format("thesis: {}", c.tables)
                     : c.tables);
      fmt::print("{:<20}{:<17}{:>11}{:>10}{:>10}{:>12}{:>9}{:>9}\n", "detector", "backend",
                 "median ms", "best", "x OpenCV", "blocks/win", "windows", "boxes");
    }
    last = &row;
    fmt::print("{:<20}{:<17}{:>11.3f}{:>10.3f}{:>10}{:>12}{:>9}{:>9}\n", row.name, row.backend,
               row.times.median_ms, row.times.best_ms,
               row.ratio > 0 ? fmt::format("{:.2f}", row.ratio) : "-",
               row.windows > 0 ? fmt::format("{:.2f}", row.per_window) : "-",
               row.windows > 0 ? fmt::format("{}", row.windows) : "-", row.people);
  }
}

void print_image(const std::vector<bench::ImageRow>& rows) {
  fmt::print("{:<14}{:<26}{:<12}{:<8}{:>12}{:>10}{:>10}\n", "operator", "detail", "size", "backend",
             "median us", "best", "GB/s");
  for (const bench::ImageRow& row : rows)
    fmt::print("{:<14}{:<26}{:<12}{:<8}{:>12.1f}{:>10.1f}{:>10.2f}\n", row.name, row.detail,
               fmt::format("{}x{}", row.width, row.height), row.backend, 1000 * row.times.median_ms,
               1000 * row.times.best_ms,
               row.times.median_ms > 0 ? row.bytes * 1e-6 / row.times.median_ms : 0.0);
}

void print_night(const std::vector<bench::NightRow>& rows) {
  fmt::print("{:<17}{:<31}{:<12}{:<8}{:>11}{:>10}{:>15}\n", "operator", "detail", "size", "backend",
             "median ms", "best", "% of detector");
  for (const bench::NightRow& row : rows)
    fmt::print("{:<17}{:<31}{:<12}{:<8}{:>11.3f}{:>10.3f}{:>15}\n", row.name, row.detail,
               fmt::format("{}x{}", row.size.width, row.size.height), row.backend,
               row.times.median_ms, row.times.best_ms,
               row.of_detector > 0 ? fmt::format("{:.1f}", 100 * row.of_detector) : "-");
}

void print_flow(const std::vector<bench::FlowRow>& rows) {
  const bench::FlowRow* last = nullptr;
  for (const bench::FlowRow& row : rows) {
    const bench::FlowCase& c = row.size;
    if (last == nullptr || last->size.width != c.width || last->size.wanted != c.wanted) {
      fmt::print("\n{}x{}{}\n", c.width, c.height,
                 c.wanted < 1
                     ? fmt::format(", masked: {:.0f} % of the pixels computed", 100 * c.wanted)
                     : "");
      fmt::print("{:<22}{:<17}{:>11}{:>10}{:>14}{:>10}{:>9}\n", "method", "backend", "median ms",
                 "best", "x DIS medium", "MB held", "= CPU");
    }
    last = &row;
    fmt::print(
        "{:<22}{:<17}{:>11.3f}{:>10.3f}{:>14}{:>10}{:>9}\n", row.name, row.backend,
        row.times.median_ms, row.times.best_ms,
        row.ratio > 0 ? fmt::format("{:.2f}", row.ratio) : "-",
        row.bytes_held > 0 ? fmt::format("{:.1f}", static_cast<double>(row.bytes_held) / 1e6) : "-",
        !row.equals_cpu   ? "-"
        : *row.equals_cpu ? "yes"
                          : "NO");
  }
}

/// The picture that was named, or the street.
Result<FittedPicture> picture_of(const BenchOptions& o) {
  if (!o.picture.empty()) return fitted_picture(o.picture);
  return FittedPicture{[](int width, int height) { return bench::street_picture(width, height); },
                       [](int width, int height) { return bench::street_colours(width, height); }};
}

Result<std::vector<bench::HogRow>> run_hog(const BenchOptions& o, const Backends& backends,
                                           const Clock& clock) {
  bench::HogBench bench;
  if (o.repeat > 0) bench.repeats = o.repeat;
  if (o.quick) bench.cases = {{320, 240, 8, 1.2, "5-1 sparse"}};
  bench.threads = o.threads;
  bench.cpu = backends.cpu;
  bench.cuda = backends.cuda.has_value();
  if (!o.model.empty()) {
    Result<hog::Model> model = load_model(o.model);
    if (!model) return model.error();
    if (!o.quick) bench.cases = bench::model_cases(*model);
    bench.models.push_back(std::move(*model));
  }
  const Result<FittedPicture> picture = picture_of(o);
  if (!picture) return picture.error();
  bench.picture = picture->grey;
  bench.colours = picture->colours;
  if (Status ok = add_opencv(bench); !ok) return ok.error();
  Progress progress{clock, "bench hog"};
  bench.on_progress = [&](const std::string&, int done, int all) {
    progress.show(static_cast<std::size_t>(done), static_cast<std::size_t>(all));
  };
  return bench::bench_hog(clock, bench);
}

Result<std::vector<bench::ImageRow>> run_image(const BenchOptions& o, const Backends& backends,
                                               const Clock& clock) {
  bench::ImageBench bench;
  if (o.repeat > 0) bench.repeats = o.repeat;
  bench.threads = o.threads;
  bench.cpu = backends.cpu;
  bench.cuda = backends.cuda.has_value();
  bench.small = o.quick;
  Progress progress{clock, "bench image"};
  bench.on_progress = [&](const std::string&, int done, int all) {
    progress.show(static_cast<std::size_t>(done), static_cast<std::size_t>(all));
  };
  return bench::bench_image(clock, bench);
}

Result<std::vector<bench::NightRow>> run_night(const BenchOptions& o, const Backends& backends,
                                               const Clock& clock) {
  bench::NightBench bench;
  if (o.repeat > 0) bench.repeats = o.repeat;
  if (o.quick) bench.cases = {{160, 128}};
  bench.threads = o.threads;
  bench.cpu = backends.cpu;
  bench.cuda = backends.cuda.has_value();
  Result<hog::Model> model = o.model.empty() ? default_model() : load_model(o.model);
  if (!model) return model.error();
  bench.model = std::move(*model);
  Progress progress{clock, "bench night"};
  bench.on_progress = [&](int done, int all) {
    progress.show(static_cast<std::size_t>(done), static_cast<std::size_t>(all));
  };
  return bench::bench_night(clock, bench);
}

Result<std::vector<bench::FlowRow>> run_flow(const BenchOptions& o, const Backends& backends,
                                             const Clock& clock) {
  bench::FlowBench bench;
  if (o.repeat > 0) bench.repeats = o.repeat;
  if (o.quick) bench.cases = {{160, 96}, {160, 96, 0.25}};
  bench.threads = o.threads;
  bench.cpu = backends.cpu;
  bench.cuda = backends.cuda.has_value();
  const Result<FittedPicture> picture = picture_of(o);
  if (!picture) return picture.error();
  bench.picture = picture->grey;
  add_opencv(bench);
  Progress progress{clock, "bench flow"};
  bench.on_progress = [&](const std::string&, int done, int all) {
    progress.show(static_cast<std::size_t>(done), static_cast<std::size_t>(all));
  };
  return bench::bench_flow(clock, bench);
}

Status run(const BenchOptions& o) {
  if (!o.json.empty())
    if (Status ok = check_output(o.json); !ok) return ok;
  if (Status ok = check_apart({o.json}, {o.picture, o.model}); !ok) return ok;
  Result<Backends> backends = choose_backends(o.backend);
  if (!backends) return backends.error();
  const SystemClock clock;
  Json out;
  out["bench"] = o.what;
  out["version"] = version();
  out["machine"] =
      describe_machine(backends->cuda ? &*backends->cuda : nullptr, Workers{o.threads}.count());
  if (!o.model.empty()) out["model"] = o.model;
  out["picture"] = o.picture.empty() ? "street made by code" : o.picture;
  Json rows = Json::array();
  const bool table = o.json != "-";  // else JSON has stdout to itself
  if (o.what == "hog") {
    const Result<std::vector<bench::HogRow>> found = run_hog(o, *backends, clock);
    if (!found) return found.error();
    for (const bench::HogRow& row : *found) rows.push_back(to_json(row));
    if (table) print_hog(*found);
  } else if (o.what == "flow") {
    const Result<std::vector<bench::FlowRow>> found = run_flow(o, *backends, clock);
    if (!found) return found.error();
    for (const bench::FlowRow& row : *found) rows.push_back(to_json(row));
    if (table) print_flow(*found);
  } else if (o.what == "night") {
    const Result<std::vector<bench::NightRow>> found = run_night(o, *backends, clock);
    if (!found) return found.error();
    for (const bench::NightRow& row : *found) rows.push_back(to_json(row));
    if (table) print_night(*found);
    out.erase("picture");
  } else {
    const Result<std::vector<bench::ImageRow>> found = run_image(o, *backends, clock);
    if (!found) return found.error();
    for (const bench::ImageRow& row : *found) rows.push_back(to_json(row));
    if (table) print_image(*found);
    out.erase("picture");
  }
  out["results"] = std::move(rows);
  if (o.json.empty()) return Done{};
  return write_output(o.json, out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace

namespace {

/// Options of one benchmark, or of all.
void add_options(CLI::App& command, const std::shared_ptr<BenchOptions>& o, const char* repeats) {
  const bool has_picture = o->what == "hog" || o->what == "flow";
  const bool has_model = o->what == "hog" || o->what == "night";
  add_name_option(
      command, "--json", o->json,
      "Write the results as JSON to this file; - is stdout (the table is then not printed)");
  if (has_picture)
    add_name_option(command, "--picture", o->picture,
                    "Input picture, cropped and scaled to each size; default: a synthetic street");
  if (has_model)
    add_name_option(command, "--model", o->model,
                    o->what == "hog" ? "Measure only this model (Kerbwatch's or OpenCV's) instead "
                                       "of all detectors"
                                     : "The detector to compare with; default: the shipped one");
  command.add_option("--repeat", o->repeat, repeats)->check(CLI::Range(1, 100000));
  command.add_flag("--quick", o->quick,
                   "Tiny pictures and one small search: only checks that everything runs");
  add_backend_option(command, o->backend);
  add_threads_option(command, o->threads,
                     "Threads of the CPU backend and of OpenCV; 0: one per core");
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "bench", "Measure the run time of detectors, flow, image and night operators, and EMD");
  command->footer(
      "Prints a table. --backend auto measures the CPU, and CUDA if there is a device; cpu and "
      "cuda\n"
      "measure only that backend. hog, flow and emd are always compared with OpenCV on the CPU.\n"
      "Example: kerblab bench flow --backend cpu --threads 2 --json flow.json");
  command->require_subcommand(1);
  struct Part {
    const char *what, *text, *repeats, *footer;
  };
  for (const Part& part :
       {Part{"hog", "Detectors, from the grey picture to fused boxes",
             "Repetitions per median; default 11",
             "Compares every detector of Kerbwatch with OpenCV's HOGDescriptor; measurements "
             "alternate,\n"
             "medians are printed. With --model only that model is compared: in colour if it needs "
             "colour\n"
             "(OpenCV in grey), with its own threshold and fusion, in the searches of the thesis "
             "at\n"
             "1280x960 and in the search that the model advises.\n"
             "Examples:\n"
             "  kerblab bench hog --picture street.png --repeat 21 --json bench.json\n"
             "  kerblab bench hog --model models/default.kwm --threads 2"},
        Part{"flow", "Optical flow: dense, at points, and as the product computes it",
             "Repetitions per median; default 21",
             "Compares Kerbwatch's methods with OpenCV's on two pictures, the second slightly "
             "enlarged, with\n"
             "and without a mask. points: Lucas-Kanade at 1200 corners, one new picture per frame. "
             "product:\n"
             "what the firmware computes per frame with its defaults. cuda includes the transfers "
             "of\n"
             "pictures and result, 'cuda, on device' does not.\n"
             "Example: kerblab bench flow --backend cpu --threads 2 --repeat 5 --json flow.json"},
        Part{"image", "Every operator of gpu/image", "Repetitions per median; default 31",
             "Example: kerblab bench image --json image.json"},
        Part{"night", "Tone curve and temporal filter, beside the detector",
             "Repetitions per median; default 31",
             "Pictures are three planes, R, G and B. The detector searches as the product does on "
             "the CPU:\n"
             "people of 40 pixels and more, scale 1.15; all take turns.\n"
             "Example: kerblab bench night --backend cpu --threads 2 --json night.json"}}) {
    const auto o = std::make_shared<BenchOptions>();
    o->what = part.what;
    CLI::App* one = command->add_subcommand(part.what, part.text);
    one->footer(part.footer);
    add_options(*one, o, part.repeats);
    run_when_chosen(*one, action, [o] { return run(*o); });
  }
  add_bench_emd(*command, action);
}

}  // namespace kerb::lab
