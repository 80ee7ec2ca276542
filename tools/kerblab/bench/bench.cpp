// SPDX-License-Identifier: Apache-2.0
// kerblab bench: our operators and detectors against each other, and against OpenCV's.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>
#include <optional>
#include <string>
#include <vector>

#include "firmware/main/version.hpp"
#include "tools/bench/flow_bench.hpp"
#include "tools/bench/hog_bench.hpp"
#include "tools/bench/image_bench.hpp"
#include "tools/bench/street.hpp"
#include "tools/import/opencv_models.hpp"
#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/machine.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/app/progress.hpp"
#include "tools/kerblab/bench/emd.hpp"
#include "tools/kerblab/flow/methods.hpp"
#include "tools/kerblab/model/models.hpp"
#include "tools/kerblab/pictures/pictures.hpp"

namespace kerb::lab {
namespace {

using Json = nlohmann::ordered_json;
using Grey = ImageView<Space::host, const std::uint8_t>;

struct BenchOptions {
  std::string what = "hog", json, picture, model, backend = "auto";
  int repeat = 0, threads = 0;
  bool quick = false;
};

/// OpenCV's detector with the same search, twice: raw windows, and with its default grouping.
std::vector<bench::Rival> opencv_rivals(const bench::HogCase& search, const Grey& grey,
                                        int threads) {
  cv::setNumThreads(threads);
  const auto hog = std::make_shared<cv::HOGDescriptor>();
  hog->setSVMDetector(cv::HOGDescriptor::getDefaultPeopleDetector());
  const cv::Mat picture{grey.height, grey.width, CV_8UC1, const_cast<std::uint8_t*>(grey.data),
                        static_cast<std::size_t>(grey.row_stride)};
  std::vector<bench::Rival> rivals;
  for (const double group : {0.0, 2.0})
    rivals.push_back({fmt::format("OpenCV, group {:.0f}", group), [=](int& people) -> Status {
                        try {
                          std::vector<cv::Rect> found;
                          hog->detectMultiScale(picture, found, 0, {search.stride, search.stride},
                                                {search.padding, search.padding}, search.scale,
                                                group);
                          people = static_cast<int>(found.size());
                        } catch (const std::exception&) {
                          return Error{Errc::device, 0, "OpenCV's detectMultiScale"};
                        }
                        return Done{};
                      }});
  return rivals;
}

/// OpenCV's flow methods; DIS medium, which all are compared with, comes first.
std::vector<bench::FlowRival> opencv_flows(const Grey& previous, const Grey& next, int threads) {
  cv::setNumThreads(threads);
  const auto mat = [](const Grey& view) {
    return cv::Mat{view.height, view.width, CV_8UC1, const_cast<std::uint8_t*>(view.data),
                   static_cast<std::size_t>(view.row_stride)};
  };
  std::vector<bench::FlowRival> rivals;
  for (const char* name :
       {"opencv-dis-medium", "opencv-dis-fast", "opencv-dis-ultrafast", "opencv-farneback"})
    rivals.push_back(
        {name, [a = mat(previous), b = mat(next), run = opencv_flow(name)]() -> Status {
           try {
             cv::Mat out;
             run(a, b, out);
           } catch (const std::exception&) {
             return Error{Errc::device, 0, "OpenCV's flow"};
           }
           return Done{};
         }});
  return rivals;
}

/// A real picture in any size: cut to the shape, then scaled.
cv::Mat fitted(const cv::Mat& whole, int width, int height) {
  const double scale =
      std::max(static_cast<double>(width) / whole.cols, static_cast<double>(height) / whole.rows);
  const int w = std::min(whole.cols, std::max(1, cvRound(width / scale)));
  const int h = std::min(whole.rows, std::max(1, cvRound(height / scale)));
  const cv::Mat part = whole(cv::Rect{(whole.cols - w) / 2, (whole.rows - h) / 2, w, h});
  cv::Mat out;
  cv::resize(part, out, {width, height}, 0, 0, scale < 1 ? cv::INTER_AREA : cv::INTER_CUBIC);
  return out;
}
std::vector<std::uint8_t> fitted_grey(const LoadedPicture& picture, int width, int height) {
  const cv::Mat whole{picture.bgr.rows, picture.bgr.cols, CV_8UC1,
                      const_cast<std::uint8_t*>(picture.grey.data())};
  const cv::Mat out = fitted(whole, width, height);
  return {out.data, out.data + out.total()};
}
/// R, G and B planes.
std::vector<std::uint8_t> fitted_colours(const LoadedPicture& picture, int width, int height) {
  std::vector<cv::Mat> bgr(3);
  cv::split(fitted(picture.bgr, width, height), bgr);
  std::vector<std::uint8_t> planes;
  for (const int c : {2, 1, 0}) {
    const cv::Mat& plane = bgr[static_cast<std::size_t>(c)];
    planes.insert(planes.end(), plane.data, plane.data + plane.total());
  }
  return planes;
}

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

void print_flow(const std::vector<bench::FlowRow>& rows) {
  const bench::FlowRow* last = nullptr;
  for (const bench::FlowRow& row : rows) {
    const bench::FlowCase& c = row.size;
    if (last == nullptr || last->size.width != c.width || last->size.wanted != c.wanted) {
      fmt::print("\n{}x{}{}\n", c.width, c.height,
                 c.wanted < 1 ? fmt::format(", {:.0f} % of it wanted", 100 * c.wanted) : "");
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

Result<std::vector<bench::HogRow>> run_hog(const BenchOptions& o, const Backends& backends,
                                           const Clock& clock) {
  bench::HogBench bench;
  if (o.repeat > 0) bench.repeats = o.repeat;
  if (o.quick) bench.cases = {{320, 240, 8, 1.2, "5-1 sparse"}};
  bench.threads = o.threads;
  bench.cpu = backends.cpu;
  bench.cuda = backends.cuda.has_value();
  if (o.model.empty()) {
    Result<hog::Model> people = default_people_detector();
    if (!people) return people.error();
    bench.people = std::move(*people);
  } else {
    Result<hog::Model> model = load_model(o.model);
    if (!model) return model.error();
    if (!o.quick) bench.cases = bench::model_cases(*model);
    bench.models.push_back(std::move(*model));
  }
  LoadedPicture picture;
  if (!o.picture.empty()) {
    Result<LoadedPicture> loaded = load_picture(o.picture, false);
    if (!loaded) return loaded.error();
    picture = std::move(*loaded);
  }
  bench.picture = [&](int width, int height) {
    return o.picture.empty() ? bench::street_picture(width, height)
                             : fitted_grey(picture, width, height);
  };
  bench.colours = [&](int width, int height) {
    return o.picture.empty() ? bench::street_colours(width, height)
                             : fitted_colours(picture, width, height);
  };
  bench.rivals = opencv_rivals;
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

Result<std::vector<bench::FlowRow>> run_flow(const BenchOptions& o, const Backends& backends,
                                             const Clock& clock) {
  bench::FlowBench bench;
  if (o.repeat > 0) bench.repeats = o.repeat;
  if (o.quick) bench.cases = {{160, 96}, {160, 96, 0.25}};
  bench.threads = o.threads;
  bench.cpu = backends.cpu;
  bench.cuda = backends.cuda.has_value();
  LoadedPicture picture;
  if (!o.picture.empty()) {
    Result<LoadedPicture> loaded = load_picture(o.picture, false);
    if (!loaded) return loaded.error();
    picture = std::move(*loaded);
  }
  bench.picture = [&](int width, int height) {
    return o.picture.empty() ? bench::street_picture(width, height)
                             : fitted_grey(picture, width, height);
  };
  bench.rivals = opencv_flows;
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
  out["version"] = kVersion;
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
  const bool hog = o->what == "hog", image = o->what == "image";
  command.add_option("--json", o->json, "Also as JSON, there; - is stdout, without the table")
      ->check(not_empty);
  if (!image)
    command
        .add_option("--picture", o->picture,
                    "A picture, cut and scaled to each size; default: a street made by code")
        ->check(not_empty);
  if (hog)
    command.add_option("--model", o->model, "This model (ours or OpenCV's) instead of all")
        ->check(not_empty);
  command.add_option("--repeat", o->repeat, repeats)->check(CLI::Range(1, 100000));
  command.add_flag("--quick", o->quick, "Tiny pictures, one small search: does it run at all?");
  command.add_option("--backend", o->backend, "auto, cpu or cuda")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  command
      .add_option("--threads", o->threads, "Of the CPU backend and of OpenCV; 0: one for each core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("bench", "Measure detectors, flow, image operators and EMD");
  command->footer(
      "Prints a table. Backend auto: the CPU, and CUDA too where there is a device; cpu or cuda:\n"
      "that one alone (OpenCV's, which runs on the CPU, always stands beside hog, flow and emd).\n"
      "Example: kerblab bench flow --backend cpu --threads 2 --json flow.json");
  command->require_subcommand(1);
  struct Part {
    const char *what, *text, *repeats, *footer;
  };
  for (const Part& part :
       {Part{"hog", "Detectors, from the grey picture to fused boxes",
             "Medians of so many; default 11",
             "Every detector of ours beside OpenCV's HOGDescriptor, by turns; medians. With "
             "--model, "
             "that\nmodel alone beside OpenCV's: in colour if it needs it (OpenCV's in grey), with "
             "its own\nthreshold and fusion, in the thesis's searches of 1280x960 and in its own.\n"
             "Examples:\n  kerblab bench hog --picture street.png --repeat 21 --json bench.json\n"
             "  kerblab bench hog --model models/default.kwm --threads 2"},
        Part{
            "flow", "Flow: dense, at points, and the product's", "Medians of so many; default 21",
            "Our methods beside OpenCV's on two pictures, the second a little nearer, whole and "
            "masked.\npoints: Lucas-Kanade at 1200 corners, one new picture a frame; product: what "
            "the firmware\ndoes of a frame with its defaults. cuda has pictures uploaded and the "
            "field read back,\n'cuda, on device' neither.\n"
            "Example: kerblab bench flow --backend cpu --threads 2 --repeat 5 --json flow.json"},
        Part{"image", "Every operator of gpu/image", "Medians of so many; default 31",
             "Example: kerblab bench image --json image.json"}}) {
    const auto o = std::make_shared<BenchOptions>();
    o->what = part.what;
    CLI::App* one = command->add_subcommand(part.what, part.text);
    one->footer(part.footer);
    add_options(*one, o, part.repeats);
    one->callback([o, &action] {
      action = [o] {
        const Status done = run(*o);
        return done ? 0 : fail(done.error());
      };
    });
  }
  add_bench_emd(*command, action);
}

}  // namespace kerb::lab
