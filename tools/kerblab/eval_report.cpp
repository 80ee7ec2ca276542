// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/eval_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace kerb::lab {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kCurvePoints = 400;
const std::vector<double> kWindowRates = {1e-3, 1e-4, 1e-5};

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

/// Numbers that JSON has no word for are null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string range_name(const eval::HeightBin& bin) {
  if (bin.from <= 0) return fmt::format("<{:g}", bin.to);
  if (!std::isfinite(bin.to)) return fmt::format(">={:g}", bin.from);
  return fmt::format("{:g}-{:g}", bin.from, bin.to);
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

Json to_json(const Report& report) {
  const Performance& p = *report.performance;
  Json out;
  out["name"] = p.name;
  out["settings"] = p.settings;
  out["log_average_miss_rate"] = report.log_average;
  for (std::size_t i = 0; i < kOperating.size(); ++i)
    out["at_fppi"].push_back({{"fppi", kOperating[i]},
                              {"miss_rate", report.operating[i].miss_rate},
                              {"threshold", number(report.operating[i].threshold)}});
  for (const eval::HeightBin& bin : report.heights) {
    Json row{{"from", bin.from}, {"to", number(bin.to)}, {"people", bin.people}};
    for (std::size_t i = 0; i < kOperating.size(); ++i)
      row[fmt::format("missed_at_{}", kOperating[i])] = bin.missed[i];
    out["by_height"].push_back(row);
  }
  if (p.ms) out["ms_per_image"] = *p.ms;
  if (p.work && p.work->windows > 0) {
    Json& work = out["work"];
    work["windows"] = p.work->windows;
    work["learners_per_window"] =
        share(static_cast<double>(p.work->learners), static_cast<double>(p.work->windows));
    work["learners"] = p.learners;
    if (!p.work->windows_at_stage.empty()) work["windows_at_stage"] = p.work->windows_at_stage;
  }
  out["fppi_curve"] = to_json(report.fppi);
  if (!report.fppw.empty()) {
    for (const double rate : kWindowRates)
      out["at_fppw"].push_back(
          {{"fppw", rate}, {"miss_rate", eval::at(report.fppw, rate).miss_rate}});
    out["fppw_curve"] = to_json(report.fppw);
  }
  return out;
}

std::string text_of(const Report& report) {
  const Performance& p = *report.performance;
  std::string out = fmt::format("\n{} ({})\n", p.name, p.settings);
  out += fmt::format("  log-average miss rate {:.4f}\n", report.log_average);
  for (std::size_t i = 0; i < kOperating.size(); ++i)
    out += fmt::format("  at {:g} FPPI: miss rate {:.4f}, threshold {:.4g}\n", kOperating[i],
                       report.operating[i].miss_rate, report.operating[i].threshold);
  if (!report.fppi.empty())
    out += fmt::format("  the curve ends at {:.3g} FPPI, miss rate {:.4f}\n",
                       report.fppi.back().false_alarms, report.fppi.back().miss_rate);
  out += "  person height    people";
  for (const double rate : kOperating) out += fmt::format("   missed at {:g}", rate);
  out += "\n";
  for (const eval::HeightBin& bin : report.heights) {
    if (bin.people == 0) continue;
    out += fmt::format("  {:<14} {:>8}", range_name(bin), bin.people);
    for (const int missed : bin.missed)
      out += fmt::format("  {:>12.4f}", share(missed, bin.people));
    out += "\n";
  }
  if (p.work && p.work->windows > 0) {
    out += fmt::format(
        "  windows {}, {:.2f} of {} learners evaluated in each on average\n", p.work->windows,
        share(static_cast<double>(p.work->learners), static_cast<double>(p.work->windows)),
        p.learners);
    const std::vector<std::int64_t>& at = p.work->windows_at_stage;
    if (at.size() > 1 && at.size() <= 64) {
      out += "  windows left before each stage, %:";
      for (std::size_t i = 0; i < at.size(); ++i)
        out += fmt::format(" {:.3g}", 100 * share(static_cast<double>(at[i]),
                                                  static_cast<double>(p.work->windows)));
      out += "\n";
    }
  }
  if (!report.fppw.empty())
    for (const double rate : kWindowRates)
      out += fmt::format("  at {:g} FPPW: miss rate {:.4f}\n", rate,
                         eval::at(report.fppw, rate).miss_rate);
  if (p.ms) out += fmt::format("  {:.2f} ms a picture\n", *p.ms);
  return out;
}

eval::Plot plot_of(const std::vector<Report>& reports, bool per_window) {
  eval::Plot plot;
  plot.y_label = "miss rate";
  plot.y_ticks = {0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.64, 0.8, 1};
  plot.x_from = per_window ? 1e-6 : 1e-3;
  plot.x_to = per_window ? 1e-1 : 1e1;
  for (double tick = plot.x_from; tick <= plot.x_to * 1.01; tick *= 10)
    plot.x_ticks.push_back(tick);
  for (const Report& report : reports) {
    const eval::Curve& curve = per_window ? report.fppw : report.fppi;
    if (curve.empty()) continue;
    eval::Plot::Series& series = plot.series.emplace_back();
    const double figure = per_window ? eval::at(curve, 1e-4).miss_rate : report.log_average;
    series.name = fmt::format("{:.1f} %  {}", 100 * figure, report.performance->name);
    // Points without a false alarm lie infinitely far to the left: the last of them, at the edge.
    for (const eval::CurvePoint& p : eval::thinned(curve, 2000))
      series.points.emplace_back(std::max(p.false_alarms, plot.x_from / 10),
                                 std::max(p.miss_rate, 1e-4));
  }
  return plot;
}

}  // namespace

Report make_report(const Performance& performance, const std::vector<eval::Judged>& judged) {
  Report report;
  report.performance = &performance;
  report.fppi = eval::fppi_curve(judged);
  report.log_average = eval::log_average_miss_rate(report.fppi);
  std::vector<double> thresholds;
  for (const double rate : kOperating) {
    report.operating.push_back(eval::at(report.fppi, rate));
    thresholds.push_back(report.operating.back().threshold);
  }
  report.heights = eval::by_height(judged, kHeights, thresholds);
  if (!performance.crop_scores.empty() && performance.negative_windows > 0)
    report.fppw = eval::fppw_curve(performance.crop_scores, performance.negative_scores,
                                   performance.negative_windows);
  return report;
}

std::string to_text(const EvalFacts& facts, const std::vector<Report>& reports) {
  std::string out = fmt::format(
      "{} pictures, {} of them person-free by definition; {} people, {} regions to ignore\n",
      facts.pictures, facts.negatives, facts.people, facts.ignored);
  for (const Report& report : reports) out += text_of(report);
  return out;
}

std::string to_json(const EvalFacts& facts, const std::vector<Report>& reports) {
  Json out;
  out["pictures"] = facts.pictures;
  out["negatives"] = facts.negatives;
  out["people"] = facts.people;
  out["ignored"] = facts.ignored;
  if (facts.crops > 0) out["crops"] = facts.crops;
  out["matching"] = {{"overlap", facts.match.overlap},
                     {"aspect", facts.match.standardise ? Json(eval::kAspect) : Json(nullptr)},
                     {"min_height", facts.match.min_height},
                     {"max_height", number(facts.match.max_height)},
                     {"min_visible", facts.match.min_visible}};
  out["detectors"] = Json::array();
  for (const Report& report : reports) out["detectors"].push_back(to_json(report));
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

eval::Plot fppi_plot(const EvalFacts& facts, const std::vector<Report>& reports) {
  eval::Plot plot = plot_of(reports, false);
  plot.title = fmt::format("{} people in {} pictures", facts.people, facts.pictures);
  plot.x_label = "false positives per image";
  return plot;
}

eval::Plot fppw_plot(const EvalFacts& facts, const std::vector<Report>& reports) {
  eval::Plot plot = plot_of(reports, true);
  plot.title =
      fmt::format("{} people's windows, {} pictures without people", facts.crops, facts.negatives);
  plot.x_label = "false positives per window";
  return plot;
}

}  // namespace kerb::lab
