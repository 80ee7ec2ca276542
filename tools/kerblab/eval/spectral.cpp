// SPDX-License-Identifier: Apache-2.0
// kerblab eval spectral: does a target stand out by EMD on bands where it does not in three
// colours?
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "drivers/replay/picture.hpp"
#include "hal/base/clock.hpp"
#include "tools/files/text.hpp"
#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/marked_page.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/app/progress.hpp"
#include "tools/kerblab/pictures/draw.hpp"
#include "tools/kerblab/plot/plot.hpp"
#include "tools/kerblab/spectral/draw_distances.hpp"
#include "tools/kerblab/spectral/options.hpp"
#include "tools/spectral/roc.hpp"

namespace kerb::lab {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct EvalSpectralOptions {
  std::string folder, boxes, json, into, draw, backend = "auto";
  std::vector<std::string> plots;
  BandSource source;
  SignatureSettings signatures;
  int threads = 0, every = 2, window = 11, most = 4;
};

/// Where a target is learned, what else shows it, and what is background.
struct Case {
  std::string name;
  BandSource source;
  emd::Box learn;
  std::vector<emd::Box> same;   ///< boxes of the target; empty: the one it is learned from
  std::vector<emd::Box> other;  ///< background alone; empty: all but `apart`
  std::vector<emd::Box> apart;  ///< what counts as neither
};

/// A way to measure: on which signatures, and how.
struct Way {
  const char* name;
  bool colours_only, windows;
  Measure measure;
  bool samples = false;  ///< Euclidean on samples as they are
};
constexpr Way kWays[] = {
    {"colours, Euclidean", true, false, Measure::euclidean, true},
    {"colours, chi-square", true, false, Measure::chi_square},
    {"colours, EMD", true, false, Measure::emd},
    {"bands, Euclidean", false, false, Measure::euclidean, true},
    {"bands, chi-square", false, false, Measure::chi_square},
    {"bands, EMD", false, false, Measure::emd},
    {"grey windows, chi-square", true, true, Measure::chi_square},
    {"grey windows, EMD", true, true, Measure::emd},
    {"windows, chi-square", false, true, Measure::chi_square},
    {"windows, EMD", false, true, Measure::emd},
};
constexpr std::size_t kWayCount = std::size(kWays);
constexpr std::size_t kEuclideanColours = 0, kChiColours = 1, kBandsEmd = 5;
constexpr double kRates[] = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1,
                             0.2,   0.3,   0.5,   0.7,  0.9,  1};

struct CaseResult {
  std::string name;
  std::vector<std::optional<spectral::Roc>> ways;  ///< as kWays; unset: not for these bands
  [[nodiscard]] double area(std::size_t way) const { return ways[way] ? ways[way]->area : 0; }
  /// How much better EMD on bands is than the better of the two on three colours.
  [[nodiscard]] double gain() const {
    return area(kBandsEmd) - std::max(area(kEuclideanColours), area(kChiColours));
  }
};

/// YOLO's "class x y w h" a line, all parts of the picture's sides, the middle first: the class 0.
Result<std::vector<emd::Box>> read_people(const std::string& path, int width, int height) {
  constexpr const char* kWhere = "read labels";
  const Result<std::string> text = files::read_text(kWhere, path);
  if (!text) return text.error();
  std::vector<emd::Box> people;
  files::Lines lines{*text};
  for (std::string_view line; lines.next(line);) {
    if (files::trimmed(line).empty()) continue;
    const std::vector<std::string_view> words = files::split(files::trimmed(line), ' ');
    std::vector<double> n;
    for (const std::string_view word : words) {
      const std::optional<double> value = files::number(word);
      if (!value || *value < 0) break;
      n.push_back(*value);
    }
    if (n.size() != 5 || words.size() != 5 || *std::max_element(n.begin() + 1, n.end()) > 1)
      return files::line_error(kWhere, path, lines.number(),
                               "expected 'class x y w h' with numbers 0..1");
    if (n[0] != 0) continue;
    const auto low = [](double middle, double side, int all) {
      return std::clamp(static_cast<int>(std::lround((middle - side / 2) * all)), 0, all - 1);
    };
    emd::Box box;
    box.x = low(n[1], n[3], width);
    box.y = low(n[2], n[4], height);
    box.width = std::min(static_cast<int>(std::lround(n[3] * width)), width - box.x);
    box.height = std::min(static_cast<int>(std::lround(n[4] * height)), height - box.y);
    if (box.width * box.height >= 64) people.push_back(box);
  }
  return people;
}

/// Larger by a part of its sides and some pixels, for what may still be the target's.
emd::Box with_rim(const emd::Box& b) {
  const int x = b.width * 15 / 100 + 4, y = b.height * 15 / 100 + 4;
  return {b.x - x, b.y - y, b.width + 2 * x, b.height + 2 * y};
}

/// A picture beside the visible one, whatever its kind.
std::optional<std::string> picture_named(const fs::path& folder, const std::string& stem) {
  std::error_code ignored;
  for (const char* end : {".png", ".jpg", ".jpeg", ".bmp", ".tif"})
    if (fs::path path = folder / (stem + end); fs::is_regular_file(path, ignored))
      return path.string();
  return std::nullopt;
}

class EvalSpectral {
 public:
  explicit EvalSpectral(const EvalSpectralOptions& options) : options_{options} {}

  Status run() {
    if (Status ok = check(); !ok) return ok;
    if (options_.folder.empty() == options_.source.cube.empty())
      return Error{Errc::invalid_argument, 0, "eval spectral",
                   "expected a folder with vi, ir and labels, or --cube with --boxes"};
    if (Status ok = options_.folder.empty() ? find_boxes() : find_pairs(); !ok) return ok;
    BackendChoice choice = BackendChoice::automatic;
    parse(options_.backend, choice);
    const Result<Context> context = Context::create(choice);
    if (!context) return context.error();
    Workers workers{options_.threads};
    const SystemClock clock;
    {
      Progress progress{clock, "eval spectral"};
      for (std::size_t i = 0; i < cases_.size(); ++i) {
        progress.show(i, cases_.size(), cases_[i].name);
        Result<CaseResult> result = judge(*context, workers, cases_[i], nullptr);
        if (!result) return result.error();
        results_.push_back(std::move(*result));
      }
    }
    if (!options_.draw.empty())
      if (Status ok = draw(*context, workers); !ok) return ok;
    return write();
  }

 private:
  Status check() {
    const Result<std::vector<std::string>> outputs =
        check_report(options_.plots, {options_.json, options_.into});
    if (!outputs) return outputs.error();
    if (options_.into.empty()) return Done{};
    return page_.read(options_.into, options_.folder.empty() ? "kerblab eval spectral: cube"
                                                             : "kerblab eval spectral");
  }

  /// Every labelled person of every pair is a target of its own.
  Status find_pairs() {
    const fs::path root = options_.folder;
    std::error_code error;
    if (!fs::is_directory(root, error))
      return replay::failure(Errc::not_found, "no such folder", options_.folder);
    std::vector<fs::path> labels;
    for (const fs::directory_entry& entry : fs::directory_iterator{root / "labels", error})
      if (entry.path().extension() == ".txt" && entry.path().stem() != "classes")
        labels.push_back(entry.path());
    std::sort(labels.begin(), labels.end(), [](const fs::path& a, const fs::path& b) {
      const std::string x = a.stem().string(), y = b.stem().string();
      return x.size() != y.size() ? x.size() < y.size() : x < y;  // numbers by their value
    });
    for (const fs::path& label : labels) {
      const std::string stem = label.stem().string();
      const std::optional<std::string> visible = picture_named(root / "vi", stem);
      const std::optional<std::string> thermal = picture_named(root / "ir", stem);
      if (!visible || !thermal)
        return replay::failure(Errc::not_found, "no picture in vi or ir for", label.string());
      Case one;
      one.source = options_.source;
      one.source.picture = *visible;
      one.source.thermal = *thermal;
      const Result<Bands> bands = load_bands(one.source);
      if (!bands) return bands.error();
      const Result<std::vector<emd::Box>> people =
          read_people(label.string(), bands->width, bands->height);
      if (!people) return people.error();
      for (const emd::Box& person : *people) one.apart.push_back(with_rim(person));
      for (std::size_t i = 0; i < people->size(); ++i) {
        one.name = people->size() == 1 ? stem : fmt::format("{}, person {}", stem, i + 1);
        one.learn = (*people)[i];
        cases_.push_back(one);
      }
    }
    if (cases_.empty())
      return replay::failure(Errc::not_found, "no labelled person in", options_.folder);
    return Done{};
  }

  /// Lines "name,x,y,w,h": the first box of a name is learned from, its others are the target,
  /// those of other names background.
  Status find_boxes() {
    constexpr const char* kWhere = "--boxes";
    if (options_.boxes.empty())
      return Error{Errc::invalid_argument, 0, "eval spectral",
                   "--cube and --boxes need each other"};
    const Result<std::string> text = files::read_text(kWhere, options_.boxes);
    if (!text) return text.error();
    const Result<Bands> bands = load_bands(options_.source);
    if (!bands) return bands.error();
    std::vector<std::pair<std::string, std::vector<emd::Box>>> kinds;
    files::Lines lines{*text};
    for (std::string_view line; lines.next(line);) {
      const std::vector<std::string_view> words = files::split(line.substr(0, line.find('#')), ',');
      if (words.size() == 1 && words[0].empty()) continue;
      emd::Box box;
      std::int32_t* const sides[] = {&box.x, &box.y, &box.width, &box.height};
      bool good = words.size() == 5;
      for (std::size_t k = 0; good && k < 4; ++k) {
        const std::optional<double> value = files::number(words[k + 1]);
        good =
            value && *value >= (k < 2 ? 0 : 1) && *value <= 65535 && *value == std::floor(*value);
        if (good) *sides[k] = static_cast<std::int32_t>(*value);
      }
      if (!good)
        return files::line_error(kWhere, options_.boxes, lines.number(), "expected 'name,x,y,w,h'");
      if (box.x + box.width > bands->width || box.y + box.height > bands->height)
        return files::line_error(
            kWhere, options_.boxes, lines.number(),
            fmt::format("box outside the picture of {} x {}", bands->width, bands->height),
            Errc::invalid_argument);
      const std::string name{words[0]};
      auto at = std::find_if(kinds.begin(), kinds.end(),
                             [&](const auto& kind) { return kind.first == name; });
      if (at == kinds.end()) at = kinds.insert(at, {name, {}});
      at->second.push_back(box);
    }
    for (const auto& [name, boxes] : kinds) {
      if (boxes.size() < 2) continue;  // background alone
      Case one;
      one.name = name;
      one.source = options_.source;
      one.learn = boxes.front();
      one.same.assign(boxes.begin() + 1, boxes.end());
      for (const auto& [other, theirs] : kinds)
        if (other != name) one.other.insert(one.other.end(), theirs.begin(), theirs.end());
      if (!one.other.empty()) cases_.push_back(one);
    }
    if (cases_.empty())
      return files::line_error(kWhere, options_.boxes, 0,
                               "expected a name with two boxes, and another name");
    return Done{};
  }

  Result<CaseResult> judge(const Context& context, Workers& workers, const Case& one,
                           cv::Mat* drawn) const {
    const Result<Bands> bands = load_bands(one.source);
    if (!bands) return bands.error();
    CaseResult out;
    out.name = one.name;
    out.ways.resize(kWayCount);
    std::vector<Panel> panels{{"three colours", bands->shown}};
    if (!bands->heat.empty()) {
      cv::Mat heat;
      const cv::Mat grey{bands->height, bands->width, CV_8UC1,
                         const_cast<std::uint8_t*>(bands->heat.data())};
      cv::merge(std::vector<cv::Mat>{grey, grey, grey}, heat);
      panels.push_back({"thermal", heat});
    }
    for (const bool windows : {false, true}) {
      if (windows && bands->heat.empty()) continue;
      for (const bool colours_only : {true, false}) {
        SignatureSettings settings = options_.signatures;
        settings.window = windows ? options_.window : 0;
        if (windows || colours_only) settings.ground.clear();
        const Result<SpectralPicture> picture =
            make_signatures(workers, *bands, settings, colours_only);
        if (!picture) return picture.error();
        const Result<emd::TargetModel> model =
            emd::TargetModel::learn(picture->view(), one.learn, picture->bins, picture->mass);
        if (!model) return model.error();
        for (std::size_t w = 0; w < kWayCount; ++w) {
          const Way& way = kWays[w];
          if (way.windows != windows || way.colours_only != colours_only) continue;
          DistanceImage image;
          if (way.samples) {
            image = colours_only ? sample_image(bands->three.data(), 3, bands->width, bands->height,
                                                one.learn)
                                 : sample_image(bands->samples.data(), bands->count(), bands->width,
                                                bands->height, one.learn);
          } else if (way.measure == Measure::emd) {
            Result<DistanceImage> found =
                emd_image(context, workers, *picture, model->signature(), emd::Solver::automatic);
            if (!found) return found.error();
            image = std::move(*found);
          } else {
            image = simple_image(*picture, model->signature(), way.measure);
          }
          out.ways[w] = compare(one, *bands, image);
          if (!out.ways[w])
            return replay::failure(Errc::invalid_argument,
                                   "no pixels of the target, or no pixels of the background",
                                   one.name);
          if (drawn != nullptr && (w == kEuclideanColours || w == kChiColours || w == kBandsEmd))
            panels.push_back({fmt::format("{}: AUC {:.3f}", way.name, out.ways[w]->area),
                              draw_distances(image.values, bands->width, bands->height)});
        }
      }
    }
    if (drawn != nullptr) *drawn = draw_panels(panels, one.learn);
    return out;
  }

  /// None where there is nothing to compare.
  [[nodiscard]] std::optional<spectral::Roc> compare(const Case& one, const Bands& bands,
                                                     const DistanceImage& image) const {
    const auto in_one = [](const std::vector<emd::Box>& boxes, int x, int y) {
      return std::any_of(boxes.begin(), boxes.end(),
                         [&](const emd::Box& b) { return within(b, x, y); });
    };
    std::vector<float> target, background;
    for (int y = 0; y < bands.height; ++y)
      for (int x = 0; x < bands.width; ++x) {
        const float d =
            image.values[static_cast<std::size_t>(y) * static_cast<std::size_t>(bands.width) +
                         static_cast<std::size_t>(x)];
        if (one.same.empty() ? in_ellipse(one.learn, x, y) : in_one(one.same, x, y))
          target.push_back(d);
        else if (!one.other.empty() ? in_one(one.other, x, y)
                                    : x % options_.every == 0 && y % options_.every == 0 &&
                                          !in_one(one.apart, x, y))
          background.push_back(d);
      }
    if (target.empty() || background.empty()) return std::nullopt;
    return spectral::roc_of(std::move(target), std::move(background));
  }

  /// Those in which EMD on bands gains most, and the same number in which it gains least.
  Status draw(const Context& context, Workers& workers) const {
    Result<OutputFolder> folder = OutputFolder::create(options_.draw);
    if (!folder) return folder.error();
    std::vector<std::size_t> order(results_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return results_[a].gain() > results_[b].gain();
    });
    const auto most = static_cast<std::size_t>(options_.most);
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      const bool best = rank < most;
      if (!best && rank + most < order.size()) continue;
      cv::Mat drawn;
      const Case& one = cases_[order[rank]];
      const Result<CaseResult> again = judge(context, workers, one, &drawn);
      if (!again) return again.error();
      std::string stem = fmt::format("{}-{}", best ? "best" : "worst", one.name);
      std::replace_if(
          stem.begin(), stem.end(), [](char c) { return c == ' ' || c == ',' || c == '/'; }, '-');
      if (Status ok = write_png(folder->next(stem, ".png"), drawn); !ok) return ok;
    }
    return folder->commit();
  }

  struct Summary {
    double mean = 0, median = 0, least = 0, at_1 = 0, at_10 = 0;
    int count = 0, wins = 0;  ///< cases in which this is the best of all ways
  };
  [[nodiscard]] Summary summary(std::size_t way) const {
    Summary s;
    std::vector<double> areas;
    for (const CaseResult& result : results_) {
      if (!result.ways[way]) continue;
      areas.push_back(result.area(way));
      s.at_1 += result.ways[way]->hits_at(0.01);
      s.at_10 += result.ways[way]->hits_at(0.1);
      bool best = true;
      for (std::size_t other = 0; other < kWayCount; ++other)
        best = best && result.area(other) <= result.area(way);
      s.wins += best ? 1 : 0;
    }
    s.count = static_cast<int>(areas.size());
    if (areas.empty()) return s;
    std::sort(areas.begin(), areas.end());
    for (const double a : areas) s.mean += a / s.count;
    s.median = (areas[areas.size() / 2] + areas[(areas.size() - 1) / 2]) / 2;
    s.least = areas.front();
    s.at_1 /= s.count;
    s.at_10 /= s.count;
    return s;
  }

  [[nodiscard]] std::string tables() const {
    std::string out = fmt::format(
        "\n| {} targets | mean AUC | median | least | hits at 1 % false | at 10 % | best of all "
        "|\n|---|---|---|---|---|---|---|\n",
        results_.size());
    for (std::size_t w = 0; w < kWayCount; ++w) {
      const Summary s = summary(w);
      if (s.count == 0) continue;
      out += fmt::format("| {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {} |\n",
                         kWays[w].name, s.mean, s.median, s.least, s.at_1, s.at_10, s.wins);
    }
    out += "\n| AUC |";
    std::string rule = "|---|";
    for (std::size_t w = 0; w < kWayCount; ++w) {
      if (!results_.front().ways[w]) continue;
      out += fmt::format(" {} |", kWays[w].name);
      rule += "---|";
    }
    out += "\n" + rule + "\n";
    for (const CaseResult& result : results_) {
      out += fmt::format("| {} |", result.name);
      for (const auto& way : result.ways)
        if (way) out += fmt::format(" {:.3f} |", way->area);
      out += "\n";
    }
    return out + "\n";
  }

  /// The mean miss rate over targets, at each rate of false ones.
  [[nodiscard]] eval::Plot plot() const {
    eval::Plot plot;
    plot.title = fmt::format("Target against background, mean of {} targets", results_.size());
    plot.x_label = "share of the background within the threshold";
    plot.y_label = "share of the target missed";
    plot.x_to = 1;
    plot.x_ticks = {1e-3, 1e-2, 1e-1, 1};
    plot.y_from = 0.01;
    plot.y_ticks = {0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1};
    for (std::size_t w = 0; w < kWayCount; ++w) {
      const Summary s = summary(w);
      if (s.count == 0) continue;
      eval::Plot::Series series{fmt::format("{:.3f} {}", s.mean, kWays[w].name), {}};
      for (const double rate : kRates) {
        double hits = 0;
        for (const CaseResult& result : results_) hits += result.ways[w]->hits_at(rate) / s.count;
        series.points.emplace_back(rate, std::max(1 - hits, 1e-4));
      }
      plot.series.push_back(std::move(series));
    }
    return plot;
  }

  [[nodiscard]] Json report() const {
    Json rows = Json::array();
    for (const CaseResult& result : results_)
      for (std::size_t w = 0; w < kWayCount; ++w) {
        if (!result.ways[w]) continue;
        Json curve = Json::array();
        for (const double rate : kRates)
          curve.push_back({{"false", rate}, {"hits", result.ways[w]->hits_at(rate)}});
        rows.push_back({{"target", result.name},
                        {"way", kWays[w].name},
                        {"area", result.area(w)},
                        {"curve", curve}});
      }
    Json means = Json::array();
    for (std::size_t w = 0; w < kWayCount; ++w) {
      const Summary s = summary(w);
      if (s.count > 0)
        means.push_back({{"way", kWays[w].name},
                         {"mean", s.mean},
                         {"median", s.median},
                         {"least", s.least},
                         {"hits_at_1_percent", s.at_1},
                         {"hits_at_10_percent", s.at_10},
                         {"best_of_all", s.wins}});
    }
    return {{"targets", results_.size()}, {"means", means}, {"results", rows}};
  }

  [[nodiscard]] Status write() const {
    for (const std::string& path : options_.plots)
      if (Status ok = write_plot(path, plot()); !ok) return ok;
    if (!options_.into.empty()) {
      if (Status ok = page_.write(tables()); !ok) return ok;
    } else if (options_.json != "-") {
      fmt::print("{}", tables());
    }
    return options_.json.empty() ? Status{Done{}}
                                 : write_output(options_.json, report().dump(1) + "\n");
  }

  const EvalSpectralOptions& options_;
  std::vector<Case> cases_;
  std::vector<CaseResult> results_;
  MarkedPage page_;
};

}  // namespace

void add_eval_spectral(CLI::App& group, Action& action) {
  CLI::App* command = group.add_subcommand(
      "spectral", "ROC of targets against background: EMD on bands compared with three colours");
  command->footer(
      "FOLDER contains visible pictures in vi, thermal pictures in ir and labels (YOLO text, class "
      "0 is\n"
      "a person). Every person is a target, learned from the box: its pixels in the ellipse of the "
      "box\n"
      "are compared with all pixels outside people's boxes. With --cube and --boxes (one line\n"
      "'name,x,y,w,h' per box), a target is learned from the first box of a name, and the other "
      "boxes\n"
      "of that name are compared with the boxes of all other names.\n"
      "Prints areas under the curve. --draw shows the targets for which EMD improves most and "
      "least.\n"
      "--into replaces the text between the lines '<!-- kerblab eval spectral: begin -->' (cube:\n"
      "'<!-- kerblab eval spectral: cube: begin -->') and the same with 'end' of a page.\n"
      "Example: kerblab eval spectral data/multispectral/msrs --smooth 5 --plot roc.svg --draw "
      "drawn");
  const auto o = std::make_shared<EvalSpectralOptions>();
  o->source.smooth = 5;
  command->add_option("folder", o->folder, "Folder of visible and thermal pictures with labels")
      ->check(not_empty)
      ->option_text("FOLDER");
  add_name_option(*command, "--cube", o->source.cube, "Header of an ENVI datacube");
  command->add_option("--boxes", o->boxes, "Labelled boxes of the datacube")
      ->needs("--cube")
      ->check(not_empty);
  add_signature_options(*command, o->source, o->signatures);
  command->remove_option(command->get_option("--window"));
  command
      ->add_option("--window", o->window,
                   "Side of the local histograms that are compared with bands, pixels")
      ->check(CLI::Range(3, 11))
      ->capture_default_str();
  command->add_option("--every", o->every, "Use every Nth pixel and row of the background")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  add_name_option(*command, "--plot", o->plots,
                  "Plot of miss rate over false positive rate, P.svg or P.png")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_name_option(*command, "--draw", o->draw, "Folder for pictures");
  command->add_option("--most", o->most, "Number of best and of worst pictures")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  add_name_option(*command, "--into", o->into, "Markdown page whose tables are replaced");
  add_name_option(
      *command, "--json", o->json,
      "Write all results as JSON to this file; - is stdout (the tables are then not printed)");
  add_backend_option(*command, o->backend);
  add_threads_option(*command, o->threads);
  run_when_chosen(*command, action, [o] { return EvalSpectral{*o}.run(); });
}

}  // namespace kerb::lab
