// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/sim/sweep_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace kerb::lab {
namespace {

using PointJson = nlohmann::ordered_json;

constexpr double kMost = 1e12;  // of any number in a report
constexpr double kPadding = 1.02;

PointJson or_null(const std::optional<double>& value) {
  return value ? PointJson(*value) : PointJson(nullptr);
}

PointJson point_json(const SweepPoint& point) {
  const sim::Interval hourly = point.silence.per_hour_95();
  PointJson out{
      {"set", point.set},
      {"runs", point.runs},
      {"passed", point.passed},
      {"never_warned", point.never_warned},
      {"before_impact_s",
       {{"runs", point.impacts},
        {"tenth", or_null(point.tenth_s)},
        {"median", or_null(point.median_s)}}},
      {"silence",
       {{"runs", point.silence.runs},
        {"minutes", point.silence.seconds / 60},
        {"collision_warnings", point.silence.collision_warnings},
        {"per_hour", point.silence.per_hour()},
        {"per_hour_95",
         {hourly.low, std::isfinite(hourly.high) ? PointJson(hourly.high) : PointJson(nullptr)}}}}};
  out["groups"] = PointJson::array();
  for (const SweepPoint::Group& group : point.groups)
    out["groups"].push_back({{"suite", group.suite},
                             {"group", group.name},
                             {"runs", group.runs},
                             {"passed", group.passed}});
  out["failed"] = point.failed;
  PointJson bins = PointJson::array();
  for (const Calibration::Bin& bin : point.calibration.bins())
    bins.push_back({{"predictions", bin.predictions},
                    {"likelihood", bin.mean()},
                    {"came_true", bin.came_true}});
  out["calibration"] = {{"bins", std::move(bins)}, {"error", point.calibration.error()}};
  return out;
}

/// A value that no sweep has.
struct WrongPoint {
  std::string key;
};
double within(const PointJson& from, const char* key, double low, double high) {
  const auto value = from.at(key).get<double>();
  if (!(value >= low && value <= high)) throw WrongPoint{key};
  return value;
}
template <typename T>
T whole(const PointJson& from, const char* key) {
  if (!from.at(key).is_number_integer()) throw WrongPoint{key};
  return static_cast<T>(
      within(from, key, 0, std::min(kMost, double(std::numeric_limits<T>::max()))));
}
std::optional<double> time_of(const PointJson& from, const char* key) {
  return from.at(key).is_null() ? std::nullopt : std::optional{within(from, key, 0, kMost)};
}

SweepPoint read_point(const PointJson& from) {
  SweepPoint out;
  out.set = from.at("set").get<std::vector<std::string>>();
  out.runs = whole<int>(from, "runs");
  out.passed = whole<int>(from, "passed");
  out.never_warned = whole<int>(from, "never_warned");
  const PointJson& before = from.at("before_impact_s");
  out.impacts = whole<int>(before, "runs");
  out.tenth_s = time_of(before, "tenth");
  out.median_s = time_of(before, "median");
  const PointJson& silence = from.at("silence");
  out.silence.seconds = 60 * within(silence, "minutes", 0, kMost);
  out.silence.collision_warnings = whole<int>(silence, "collision_warnings");
  // Reports of the first sweeps do not have it.
  out.silence.runs =
      silence.contains("runs") ? whole<int>(silence, "runs") : (out.silence.seconds > 0 ? 1 : 0);
  for (const PointJson& group : from.value("groups", PointJson::array()))
    out.groups.push_back({group.at("suite").get<std::string>(),
                          group.at("group").get<std::string>(), whole<int>(group, "runs"),
                          whole<int>(group, "passed")});
  out.failed = from.value("failed", std::vector<std::string>{});
  const PointJson& bins = from.at("calibration").at("bins");
  if (!bins.is_array() || bins.size() != Calibration::kBins) throw WrongPoint{"bins"};
  std::array<Calibration::Bin, Calibration::kBins> read{};
  for (std::size_t i = 0; i < read.size(); ++i) {
    read[i].predictions = whole<std::int64_t>(bins[i], "predictions");
    read[i].came_true = whole<std::int64_t>(bins[i], "came_true");
    read[i].sum = within(bins[i], "likelihood", 0, 1) * static_cast<double>(read[i].predictions);
    if (read[i].came_true > read[i].predictions) throw WrongPoint{"came_true"};
  }
  out.calibration = Calibration{read};
  return out;
}

/// The values of those keys that are not the same in all points.
std::vector<std::string> labels_of(const std::vector<SweepPoint>& points) {
  std::map<std::string, std::set<std::string>> values;
  const auto parts = [](const std::string& text) {
    const std::size_t equals = text.find('=');
    return equals == std::string::npos ? std::pair{text, std::string{}}
                                       : std::pair{text.substr(0, equals), text.substr(equals + 1)};
  };
  for (const SweepPoint& point : points)
    for (const std::string& one : point.set) values[parts(one).first].insert(parts(one).second);
  std::vector<std::string> out;
  for (const SweepPoint& point : points) {
    std::string& label = out.emplace_back();
    for (const std::string& one : point.set)
      if (const auto [key, value] = parts(one); values[key].size() > 1)
        label += (label.empty() ? "" : " ") + value;
  }
  return out;
}
/// The keys that vary, for the title.
std::string varied_keys(const std::vector<SweepPoint>& points) {
  std::vector<std::string> keys;
  for (const SweepPoint& point : points)
    for (std::size_t i = 0; i < point.set.size() && i < points.front().set.size(); ++i) {
      const std::string key = point.set[i].substr(0, point.set[i].find('='));
      if (point.set[i] != points.front().set[i] && std::ranges::find(keys, key) == keys.end())
        keys.push_back(key);
    }
  return fmt::format("{}", fmt::join(keys, ", "));
}

constexpr eval::Colour kMedianColour{0, 114, 178}, kTenthColour{213, 94, 0},
    kDiagonalColour{150, 150, 150};

void add_curves(eval::Plot& plot, const std::vector<SweepPoint>& points, const std::string& prefix,
                bool dashed) {
  eval::Plot::Series median{prefix + "median", {}}, tenth{prefix + "tenth percentile", {}};
  median.colour = kMedianColour;
  tenth.colour = kTenthColour;
  median.marks = tenth.marks = true;
  median.dashed = tenth.dashed = dashed;
  const std::vector<std::string> labels = labels_of(points);
  // The line goes from few false alarms to many, in whatever order the values were given.
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    const SweepPoint& point = points[i];
    return std::pair{point.silence.runs == 0 ? 0.0 : point.silence.per_hour(),
                     point.median_s.value_or(0)};
  });
  for (const std::size_t i : order) {
    const SweepPoint& point = points[i];
    if (point.impacts == 0 || point.silence.runs == 0) continue;
    const double hourly = point.silence.per_hour();
    const sim::Interval range = point.silence.per_hour_95();
    median.points.emplace_back(hourly, point.median_s.value_or(0));
    tenth.points.emplace_back(hourly, point.tenth_s.value_or(0));
    median.labels.push_back(labels[i]);
    tenth.labels.push_back(labels[i]);
    median.x_ranges.emplace_back(range.low, range.high);
  }
  plot.series.push_back(std::move(median));
  plot.series.push_back(std::move(tenth));
}

bool same_bins(const Calibration& a, const Calibration& b) {
  return std::ranges::equal(a.bins(), b.bins(), [](const auto& x, const auto& y) {
    return x.predictions == y.predictions && x.came_true == y.came_true &&
           std::abs(x.sum - y.sum) < 1e-6;
  });
}

void add_reliability(eval::Plot& plot, const std::vector<SweepPoint>& points,
                     const std::string& prefix, bool dashed) {
  std::vector<std::size_t> distinct;  // the first of each
  for (std::size_t i = 0; i < points.size(); ++i)
    if (std::ranges::none_of(distinct, [&](std::size_t k) {
          return same_bins(points[k].calibration, points[i].calibration);
        }))
      distinct.push_back(i);
  const std::vector<std::string> labels = labels_of(points);
  for (const std::size_t i : distinct) {
    const Calibration& calibration = points[i].calibration;
    eval::Plot::Series series;
    series.marks = true;
    series.dashed = dashed;
    std::int64_t all = 0;
    for (const Calibration::Bin& bin : calibration.bins()) {
      if (bin.predictions == 0) continue;
      all += bin.predictions;
      series.points.emplace_back(bin.mean(), bin.share());
      constexpr std::int64_t kMostCounted = std::numeric_limits<int>::max();
      const double part = std::min(1.0, double(kMostCounted) / double(bin.predictions));
      const sim::Interval range =
          sim::wilson_interval(static_cast<int>(double(bin.came_true) * part),
                               static_cast<int>(double(bin.predictions) * part));
      series.y_ranges.emplace_back(range.low, range.high);
      series.labels.push_back(std::to_string(bin.predictions));
    }
    series.name =
        fmt::format("{}{}{} predictions, mean error {:.3f}", prefix,
                    distinct.size() > 1 ? labels[i] + ": " : "", all, calibration.error());
    plot.series.push_back(std::move(series));
  }
}

}  // namespace

std::optional<double> quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return std::nullopt;
  const double value =
      sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 1e-9)];
  return std::isfinite(value) ? std::optional{value} : std::nullopt;
}

SweepPoint make_point(std::vector<std::string> set, const sim::Report& report,
                      const Calibration& calibration) {
  SweepPoint out;
  out.set = std::move(set);
  out.calibration = calibration;
  std::vector<double> before_impact;
  for (const sim::ReportedRun& run : report.runs) {
    ++out.runs;
    out.passed += run.judgement.passed() ? 1 : 0;
    if (!run.judgement.passed()) out.failed.push_back(run.suite + "/" + run.scenario.name);
    if (run.truth.contact)
      before_impact.push_back(
          run.judgement.warned_before_impact.value_or(-std::numeric_limits<double>::infinity()));
  }
  for (const sim::SuiteResult& suite : report.suites) {
    out.silence.runs += suite.silence.runs;
    out.silence.seconds += suite.silence.seconds;
    out.silence.collision_warnings += suite.silence.collision_warnings;
    for (const sim::GroupResult& group : suite.groups) {
      out.never_warned += group.never_warned;
      out.groups.push_back({suite.name, group.name, group.runs, group.passed_runs});
    }
  }
  std::ranges::sort(before_impact);
  out.impacts = static_cast<int>(before_impact.size());
  out.tenth_s = quantile(before_impact, 0.1);
  out.median_s = quantile(before_impact, 0.5);
  return out;
}

std::string render_points(const std::vector<SweepPoint>& points) {
  PointJson all{{"points", PointJson::array()}};
  for (const SweepPoint& point : points) all["points"].push_back(point_json(point));
  return all.dump(1, ' ', false, PointJson::error_handler_t::replace) + "\n";
}

std::variant<std::vector<SweepPoint>, std::string> parse_points(std::string_view json) {
  const std::string wrong = "is not a report of kerblab sim sweep";
  try {
    const PointJson from = PointJson::parse(json);
    std::vector<SweepPoint> out;
    if (!from.is_object() || !from.contains("points") || !from["points"].is_array()) return wrong;
    for (const PointJson& point : from["points"]) out.push_back(read_point(point));
    return out;
  } catch (const WrongPoint& value) {
    return wrong + ": no possible value of " + value.key;
  } catch (const PointJson::exception&) {
    return wrong;
  }
}

eval::Plot curve_plot(const std::vector<SweepPoint>& points,
                      const std::vector<SweepPoint>& before) {
  eval::Plot plot;
  plot.x_scale = plot.y_scale = eval::Plot::Scale::linear;
  const std::string keys = varied_keys(points);
  plot.title = keys.empty() ? "False alarms and warning times" : "By " + keys;
  plot.y_label = "time from the warning to the impact, s";
  add_curves(plot, points, before.empty() ? "" : "after: ", false);
  if (!before.empty()) add_curves(plot, before, "before: ", true);
  double most_x = 0, most_y = 0, minutes = 0;
  for (const eval::Plot::Series& series : plot.series)
    for (const auto& [x, y] : series.points) {
      most_x = std::max(most_x, x);
      most_y = std::max(most_y, y);
    }
  for (const SweepPoint& point : points) minutes = std::max(minutes, point.silence.seconds / 60);
  plot.x_label =
      fmt::format("false collision warnings an hour, of {:.1f} minutes (95 % interval)", minutes);
  plot.x_ticks = eval::linear_ticks(kPadding * most_x);
  plot.y_ticks = eval::linear_ticks(kPadding * most_y);
  plot.x_from = plot.y_from = 0;
  plot.x_to = plot.x_ticks.back();
  plot.y_to = plot.y_ticks.back();
  return plot;
}

eval::Plot reliability_plot(const std::vector<SweepPoint>& points,
                            const std::vector<SweepPoint>& before) {
  eval::Plot plot;
  plot.x_scale = plot.y_scale = eval::Plot::Scale::linear;
  plot.title = "Predicted contacts, and how many came true";
  plot.x_label = "predicted likelihood of a contact";
  plot.y_label = "share that came true (95 % interval)";
  plot.x_ticks = plot.y_ticks = eval::linear_ticks(1);
  plot.x_from = plot.y_from = 0;
  plot.x_to = plot.y_to = 1;
  eval::Plot::Series diagonal{"as often as predicted", {{0, 0}, {1, 1}}};
  diagonal.dashed = true;
  diagonal.colour = kDiagonalColour;
  add_reliability(plot, points, before.empty() ? "" : "after: ", false);
  if (!before.empty()) add_reliability(plot, before, "before: ", true);
  plot.series.push_back(std::move(diagonal));
  return plot;
}

}  // namespace kerb::lab
