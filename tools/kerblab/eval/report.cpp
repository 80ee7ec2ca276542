// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/eval/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace kerb::lab {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kCurvePoints = 400, kPlotPoints = 2000;
constexpr double kWindowRates[] = {1e-3, 1e-4, 1e-5};
constexpr std::size_t kStagesShown = 32;

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

double threshold_of_things(const Report& report) {
  return report.performance->recommended ? report.fixed[0].threshold
                                         : report.operating[0].threshold;
}

/// Numbers that JSON has no word for are null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

template <typename Bin>  // with from and to
std::string range_name(const Bin& bin) {
  if (bin.from <= 0 && !std::isfinite(bin.to)) return "all";
  if (bin.from <= 0) return fmt::format("under {:g}", bin.to);
  if (!std::isfinite(bin.to)) return fmt::format("{:g} and more", bin.from);
  return fmt::format("{:g} to {:g}", bin.from, bin.to);
}

Json to_json(const eval::Curve& curve) {
  Json threshold = Json::array(), alarms = Json::array(), misses = Json::array();
  for (const eval::CurvePoint& p : eval::thinned(curve, kCurvePoints)) {
    threshold.push_back(number(p.threshold));
    alarms.push_back(p.false_alarms);
    misses.push_back(p.miss_rate);
  }
  return {{"threshold", threshold}, {"false_positives", alarms}, {"miss_rate", misses}};
}

Json to_json(const hog::Work& work, std::int64_t learners) {
  Json out{{"windows", work.windows},
           {"learners", learners},
           {"learners_per_window", share(work.learners, work.windows)}};
  if (work.windows_at_stage.empty()) return out;
  out["reach_stage"] = Json::array();
  for (const std::int64_t windows : work.windows_at_stage)
    out["reach_stage"].push_back(share(windows, work.windows));
  return out;
}

Json to_json(const eval::Interval& interval) { return Json::array({interval.low, interval.high}); }

/// Without people there is no error.
Json to_json(const eval::ErrorSummary& errors) {
  const auto value = [&](double error) {
    return errors.people > 0 ? number(error) : Json(nullptr);
  };
  return {{"people", errors.people},
          {"mean", value(errors.mean)},
          {"median", value(errors.median)},
          {"abs_median", value(errors.abs_median)},
          {"abs_p90", value(errors.abs_p90)}};
}

Json to_json(const eval::PlacementBin& bin, bool has_camera) {
  Json out{{"from", bin.from},
           {"to", number(bin.to)},
           {"found", bin.found},
           {"cut_off", bin.cut_off},
           {"foot_down_px", to_json(bin.foot_down_px)},
           {"foot_right_px", to_json(bin.foot_right_px)},
           {"height_percent", to_json(bin.height_percent)}};
  if (!has_camera) return out;
  out["distance_m"] = to_json(bin.distance_m);
  out["distance_percent"] = to_json(bin.distance_percent);
  out["above_horizon"] = bin.above_horizon;
  return out;
}

Json placement_json(const Report& report, std::size_t index, bool has_camera) {
  const Placement& placement = report.placements[index];
  Json out;
  if (index == 0)
    out["fppi"] = kOperating[0];
  else
    out["recommended"] = index == 1 && report.performance->recommended.has_value();
  out["threshold"] = number(placement.threshold);
  for (const eval::PlacementBin& bin : placement.bins)
    if (&bin != &placement.bins.back()) out["by_height"].push_back(to_json(bin, has_camera));
  out["all"] = to_json(placement.bins.back(), has_camera);
  return out;
}

Json to_json(const Report& report, bool has_camera) {
  const Performance& p = *report.performance;
  Json out;
  out["name"] = p.name;
  out["settings"] = p.settings;
  out["log_average_miss_rate"] = report.log_average;
  out["log_average_interval"] = to_json(report.intervals.log_average);
  for (std::size_t i = 0; i < std::size(kOperating); ++i)
    out["at_fppi"].push_back({{"fppi", kOperating[i]},
                              {"miss_rate", report.operating[i].miss_rate},
                              {"interval", to_json(report.intervals.at_rates[i])},
                              {"threshold", number(report.operating[i].threshold)}});
  for (std::size_t i = 0; i < report.fixed.size(); ++i)
    out["at_threshold"].push_back(
        {{"threshold", report.fixed[i].threshold},
         {"recommended", i == 0 && p.recommended.has_value()},
         {"miss_rate", report.fixed[i].miss_rate},
         {"miss_rate_interval", to_json(report.intervals.misses_at[i])},
         {"fppi", report.fixed[i].false_alarms},
         {"fppi_interval", to_json(report.intervals.false_alarms_at[i])}});
  for (const eval::ThingAlarms& kind : report.things)
    out["false_positives_on"].push_back(
        {{"class", kind.kind}, {"things", kind.things}, {"false_positives", kind.false_alarms}});
  for (const eval::HeightBin& bin : report.heights) {
    Json row{{"from", bin.from}, {"to", number(bin.to)}, {"people", bin.people}};
    for (std::size_t i = 0; i < std::size(kOperating); ++i)
      row["missed"].push_back({{"fppi", kOperating[i]}, {"people", bin.missed[i]}});
    for (std::size_t i = 0; i < report.fixed.size(); ++i)
      row["missed"].push_back({{"threshold", report.fixed[i].threshold},
                               {"people", bin.missed[std::size(kOperating) + i]}});
    out["by_height"].push_back(row);
  }
  for (std::size_t i = 0; i < report.placements.size(); ++i)
    out["placement"].push_back(placement_json(report, i, has_camera));
  if (const std::optional<double> ms = p.mean_ms()) out["ms_per_image"] = *ms;
  if (p.work) out["work"] = to_json(*p.work, p.learners);
  out["fppi_curve"] = to_json(report.fppi);
  if (report.fppw.empty()) return out;
  for (const double rate : kWindowRates)
    out["at_fppw"].push_back(
        {{"fppw", rate}, {"miss_rate", eval::at(report.fppw, rate).miss_rate}});
  out["fppw_windows"] = p.negative_windows;
  out["fppw_curve"] = to_json(report.fppw);
  return out;
}

/// Of many stages the first, and then ever fewer: 1 2 3 4 6 8 12 16 24 ...
bool is_shown(std::size_t stage, std::size_t stages) {
  if (stages <= kStagesShown || stage + 1 == stages) return true;
  std::size_t number = stage + 1;
  while (number % 2 == 0) number /= 2;
  return number == 1 || number == 3;
}

std::string work_text(const Performance& p) {
  const hog::Work& work = *p.work;
  std::string out = fmt::format("  {} windows; on average {:.2f} of {} {} evaluated per window\n",
                                work.windows, share(work.learners, work.windows), p.learners,
                                work.windows_at_stage.empty() ? "blocks" : "learners");
  const std::vector<std::int64_t>& at = work.windows_at_stage;
  if (at.empty()) return out;
  out += "  windows that reach stage N, %:";
  for (std::size_t i = 0; i < at.size(); ++i)
    if (is_shown(i, at.size()))
      out += fmt::format("  {}: {:.3g}", i + 1, 100 * share(at[i], work.windows));
  return out + "\n";
}

std::string text_of(const eval::Interval& interval) {
  return fmt::format("[{:.4f}, {:.4f}]", interval.low, interval.high);
}

std::string things_text(const Report& report) {
  if (report.things.empty()) return {};
  std::string out = fmt::format("  false positives at threshold {:.4g}, by what they are on:",
                                threshold_of_things(report));
  for (const eval::ThingAlarms& kind : report.things)
    if (kind.kind.empty())
      out += fmt::format("  nothing labelled: {}", kind.false_alarms);
    else
      out += fmt::format("  {}: {} (of {})", kind.kind, kind.false_alarms, kind.things);
  return out + "\n";
}

/// Columns of one kind of error: bias, median and 90 %.
std::string columns_of(const eval::ErrorSummary& errors, double bias) {
  if (errors.people == 0) return fmt::format("{:>9}{:>8}{:>8}", "-", "-", "-");
  return fmt::format("{:>+9.1f}{:>8.1f}{:>8.1f}", bias, errors.abs_median, errors.abs_p90);
}

std::string row_of(const eval::PlacementBin& bin, bool has_camera) {
  std::string out = fmt::format("  {:<16}{:>8}{:>9}", range_name(bin), bin.found, bin.cut_off);
  out += columns_of(bin.foot_down_px, bin.foot_down_px.mean);
  out += bin.found > 0 ? fmt::format("{:>9.1f}", bin.foot_right_px.abs_median)
                       : fmt::format("{:>9}", "-");
  out += columns_of(bin.height_percent, bin.height_percent.mean);
  // One foot point near the horizon would be the mean of all distances.
  if (has_camera) {
    out += columns_of(bin.distance_m, bin.distance_m.median);
    out += columns_of(bin.distance_percent, bin.distance_percent.median);
  }
  return out + "\n";
}

std::string placement_text(const Report& report, bool has_camera) {
  std::string out = fmt::format("  {:<33}{:>25}{:>9}{:>25}", "boxes of those found, by height",
                                "foot point down, px", "right", "height, %");
  if (has_camera) out += fmt::format("{:>25}{:>25}", "distance, m", "distance, %");
  out += "\n";
  for (std::size_t i = 0; i < report.placements.size(); ++i) {
    const Placement& placement = report.placements[i];
    const std::string at = i == 0 ? fmt::format("at {:g} FPPI", kOperating[0])
                                  : fmt::format("at threshold {:g}", placement.threshold);
    out += fmt::format("  {:<16}{:>8}{:>9}", at, "found", "cut off");
    const std::string three = fmt::format("{:>9}{:>8}{:>8}", "bias", "median", "90 %");
    out += fmt::format("{}{:>9}{}", three, "median", three);
    if (has_camera) out += three + three;
    out += "\n";
    for (const eval::PlacementBin& bin : placement.bins)
      if (bin.found > 0 || &bin == &placement.bins.back()) out += row_of(bin, has_camera);
  }
  return out;
}

std::string text_of(const Report& report, bool boxes, bool has_camera) {
  const Performance& p = *report.performance;
  std::string out = fmt::format("\n{}: {}\n", p.name, p.settings);
  out += fmt::format("  log-average miss rate {:.4f} {}\n", report.log_average,
                     text_of(report.intervals.log_average));
  for (std::size_t i = 0; i < std::size(kOperating); ++i)
    out += fmt::format("  {:g} FPPI: miss rate {:.4f} {} at threshold {:.4g}\n", kOperating[i],
                       report.operating[i].miss_rate, text_of(report.intervals.at_rates[i]),
                       report.operating[i].threshold);
  for (std::size_t i = 0; i < report.fixed.size(); ++i) {
    const eval::CurvePoint& point = report.fixed[i];
    out += fmt::format("  threshold {:g}{}: miss rate {:.4f} {} with {:.4g} {} FPPI\n",
                       point.threshold, i == 0 && p.recommended ? " (recommended)" : "",
                       point.miss_rate, text_of(report.intervals.misses_at[i]), point.false_alarms,
                       text_of(report.intervals.false_alarms_at[i]));
  }
  if (!report.fppi.empty())
    out += fmt::format("  the curve ends at {:.3g} FPPI with a miss rate of {:.4f}\n",
                       report.fppi.back().false_alarms, report.fppi.back().miss_rate);
  if (!report.fppw.empty())
    for (const double rate : kWindowRates)
      out += fmt::format("  {:g} FPPW: miss rate {:.4f}\n", rate,
                         eval::at(report.fppw, rate).miss_rate);
  out += fmt::format("  {:<16}{:>8}", "person's height", "people");
  for (const double rate : kOperating)
    out += fmt::format("{:>22}", fmt::format("missed at {:g} FPPI", rate));
  for (const eval::CurvePoint& point : report.fixed)
    out += fmt::format("{:>22}", fmt::format("at threshold {:g}", point.threshold));
  out += "\n";
  for (const eval::HeightBin& bin : report.heights) {
    if (bin.people == 0) continue;
    out += fmt::format("  {:<16}{:>8}", range_name(bin), bin.people);
    for (const int missed : bin.missed) out += fmt::format("{:>22.4f}", share(missed, bin.people));
    out += "\n";
  }
  if (boxes) out += placement_text(report, has_camera);
  out += things_text(report);
  if (p.work) out += work_text(p);
  return out;
}

/// A line for each detector and set.
std::string summary_text(const std::vector<SetReport>& sets) {
  std::size_t longest = 8, longest_set = 3;
  for (const SetReport& set : sets) {
    longest_set = std::max(longest_set, set.facts.name.size());
    for (const Report& report : set.reports)
      longest = std::max(longest, report.performance->name.size());
  }
  std::string out =
      fmt::format("{:<{}}  {:<{}}  {:>8}  {:>6}  {:>23}  {:>23}  {:>19}\n", "set", longest_set,
                  "detector", longest, "pictures", "people", "missed at 0.1 FPPI, %",
                  "log-average miss rate", "recommended: missed");
  for (const SetReport& set : sets)
    for (const Report& report : set.reports) {
      const eval::Interval& at = report.intervals.at_rates[0];
      const eval::Interval& average = report.intervals.log_average;
      const std::string recommended =
          report.performance->recommended
              ? fmt::format("{:.1f} % at {:.2f}", 100 * report.fixed[0].miss_rate,
                            report.fixed[0].false_alarms)
              : "-";
      out += fmt::format(
          "{:<{}}  {:<{}}  {:>8}  {:>6}  {:>23}  {:>23}  {:>19}\n", set.facts.name, longest_set,
          report.performance->name, longest, set.facts.pictures, set.facts.people,
          fmt::format("{:.1f} [{:.1f}, {:.1f}]", 100 * report.operating[0].miss_rate, 100 * at.low,
                      100 * at.high),
          fmt::format("{:.3f} [{:.3f}, {:.3f}]", report.log_average, average.low, average.high),
          recommended);
    }
  return out;
}

std::string text_of(const SetReport& set, bool boxes) {
  const EvalFacts& facts = set.facts;
  const std::vector<Report>& reports = set.reports;
  std::string out = fmt::format("{} people in {} pictures, {} of them from --negatives",
                                facts.people, facts.pictures, facts.negatives);
  if (facts.ignored > 0) out += fmt::format("; {} boxes of the truth are ignored", facts.ignored);
  std::size_t longest = 8;
  for (const Report& report : reports) longest = std::max(longest, report.performance->name.size());
  out += fmt::format("\n\n{:<{}}  {:>11}  {:>9}  {:>9}  {:>9}\n", "", longest, "log-average",
                     "miss rate", "at 1", "ms per");
  out += fmt::format("{:<{}}  {:>11}  {:>9}  {:>9}  {:>9}\n", "detector", longest, "miss rate",
                     "at 0.1", "FPPI", "image");
  for (const Report& report : reports) {
    const std::optional<double> ms = report.performance->mean_ms();
    out += fmt::format("{:<{}}  {:>11.4f}  {:>9.4f}  {:>9.4f}  {:>9}\n", report.performance->name,
                       longest, report.log_average, report.operating[0].miss_rate,
                       report.operating[1].miss_rate, ms ? fmt::format("{:.2f}", *ms) : "-");
  }
  for (const Report& report : reports) out += text_of(report, boxes, facts.camera.has_value());
  return out;
}

Json to_json(const SetReport& set) {
  const EvalFacts& facts = set.facts;
  Json out;
  if (!facts.name.empty()) out["set"] = facts.name;
  out["pictures"] = facts.pictures;
  out["negatives"] = facts.negatives;
  out["people"] = facts.people;
  out["ignored"] = facts.ignored;
  if (facts.crops > 0) out["crops"] = facts.crops;
  out["matching"] = {{"overlap", facts.match.overlap},
                     {"aspect", eval::kAspect},
                     {"min_height", facts.match.min_height},
                     {"max_height", number(facts.match.max_height)},
                     {"min_visible", facts.match.min_visible}};
  if (facts.camera)
    out["camera"] = {{"focal_px", facts.camera->focal_px},
                     {"height_m", facts.camera->height_m},
                     {"horizon_row", facts.camera->horizon_row}};
  out["detectors"] = Json::array();
  for (const Report& report : set.reports)
    out["detectors"].push_back(to_json(report, facts.camera.has_value()));
  return out;
}

eval::Plot plot_of(const std::vector<Report>& reports, bool per_window) {
  eval::Plot plot;
  plot.y_label = "miss rate";
  plot.y_ticks = {0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.64, 0.8, 1};
  plot.x_ticks = per_window ? std::vector{1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1}
                            : std::vector{1e-3, 1e-2, 1e-1, 1.0, 1e1};
  plot.x_from = plot.x_ticks.front();
  plot.x_to = plot.x_ticks.back();
  for (const Report& report : reports) {
    const eval::Curve& curve = per_window ? report.fppw : report.fppi;
    if (curve.empty() && per_window) continue;
    eval::Plot::Series& series = plot.series.emplace_back();
    const double figure = per_window ? eval::at(curve, 1e-4).miss_rate : report.log_average;
    series.name = fmt::format("{:5.2f} %  {}", 100 * figure, report.performance->name);
    // Points without a false alarm lie infinitely far to the left.
    for (const eval::CurvePoint& p : eval::thinned(curve, kPlotPoints))
      series.points.emplace_back(std::max(p.false_alarms, plot.x_from / 10),
                                 std::max(p.miss_rate, 1e-4));
  }
  return plot;
}

}  // namespace

Report make_report(const Performance& performance, const std::vector<eval::Judged>& judged,
                   const std::vector<std::vector<eval::TruthThing>>& things,
                   const std::vector<double>& asked, const eval::Resampling& resampling) {
  Report report;
  report.performance = &performance;
  report.fppi = eval::fppi_curve(judged);
  report.log_average = eval::log_average_miss_rate(report.fppi);
  std::vector<double> thresholds;
  for (const double rate : kOperating) {
    report.operating.push_back(eval::at(report.fppi, rate));
    thresholds.push_back(report.operating.back().threshold);
  }
  std::vector<double> fixed = asked;
  if (performance.recommended) fixed.insert(fixed.begin(), *performance.recommended);
  for (const double threshold : fixed) {
    report.fixed.push_back(eval::at_threshold(report.fppi, threshold));
    thresholds.push_back(threshold);
  }
  report.intervals =
      eval::resample(judged, {std::begin(kOperating), std::end(kOperating)}, fixed, resampling);
  report.heights = eval::by_height(judged, {std::begin(kHeights), std::end(kHeights)}, thresholds);
  if (std::any_of(things.begin(), things.end(), [](const auto& some) { return !some.empty(); })) {
    std::vector<eval::PictureThings> pictures;
    for (std::size_t i = 0; i < judged.size(); ++i)
      pictures.push_back({&things[i], &performance.seen[i].boxes, &judged[i]});
    report.things = eval::alarms_by_thing(pictures, threshold_of_things(report));
  }
  if (!performance.crop_scores.empty() && performance.negative_windows > 0)
    report.fppw = eval::fppw_curve(performance.crop_scores, performance.negative_scores,
                                   performance.negative_windows);
  return report;
}

void place_boxes(Report& report, const std::vector<eval::BoxError>& errors) {
  std::vector<double> thresholds{report.operating[0].threshold};
  for (const eval::CurvePoint& point : report.fixed) thresholds.push_back(point.threshold);
  for (const double threshold : thresholds)
    report.placements.push_back(
        {threshold,
         eval::placement_by_height(errors, {std::begin(kHeights), std::end(kHeights)}, threshold)});
}

std::string to_text(const std::vector<SetReport>& sets, bool boxes) {
  if (sets.size() == 1 && sets[0].facts.name.empty()) return text_of(sets[0], boxes);
  std::string out = summary_text(sets);
  for (const SetReport& set : sets)
    out += fmt::format("\n== {} ==\n{}", set.facts.name, text_of(set, boxes));
  return out;
}

std::string to_json(const std::vector<SetReport>& sets) {
  Json out;
  if (sets.size() == 1 && sets[0].facts.name.empty()) {
    out = to_json(sets[0]);
  } else {
    out["sets"] = Json::array();
    for (const SetReport& set : sets) out["sets"].push_back(to_json(set));
  }
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

eval::Plot fppi_plot(const SetReport& set) {
  const EvalFacts& facts = set.facts;
  eval::Plot plot = plot_of(set.reports, false);
  plot.title =
      fmt::format("{}{} people in {} pictures; legend: log-average miss rate",
                  facts.name.empty() ? "" : facts.name + ": ", facts.people, facts.pictures);
  plot.x_label = "false positives per image";
  return plot;
}

eval::Plot fppw_plot(const SetReport& set) {
  const EvalFacts& facts = set.facts;
  eval::Plot plot = plot_of(set.reports, true);
  plot.title = fmt::format("{} people, {} pictures without; legend: miss rate at 1e-4", facts.crops,
                           facts.negatives);
  plot.x_label = "false positives per window";
  return plot;
}

}  // namespace kerb::lab
