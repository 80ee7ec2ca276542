// SPDX-License-Identifier: Apache-2.0
// kerblab sim explain: what each prediction of a contact was made of, beside the truth.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/sim/batch.hpp"
#include "tools/kerblab/sim/sim.hpp"
#include "tools/simulator/world/world.hpp"

namespace kerb::lab {
namespace {

struct ExplainOptions {
  SceneChoice scenes;
  CandidateChoice candidate;
  std::string vision, json;
  double least = 0.3;
  double before_s = 0.3;  // of a warning
};

/// One track in one picture.
struct Row {
  double t = 0;
  double car_mps = 0, car_mps2 = 0, yaw_radps = 0, true_yaw_radps = 0;
  track::Person person;
  risk::Contact contact;
  double age_s = 0, unseen_s = 0;
  // The nearest person there is, and whether the car will touch them.
  std::optional<double> off_m, truly_ahead_m, truly_left_m, truly_mps_left, contact_in_s;
  [[nodiscard]] double likelihood() const noexcept {
    return contact.probability * person.certainty;
  }
};

class QuietLog final : public Log {
 public:
  void write(LogLevel, const char*, std::string_view) noexcept override {}
};

double seconds(Nanos time) noexcept { return static_cast<double>(time.count()) * 1e-9; }

void add_truth(const sim::World& world, const sim::Moment& now,
               const std::vector<sim::PersonTruth>& people, Row& row) {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < people.size(); ++i) {
    const double off =
        std::hypot(people[i].ahead - row.contact.ahead_m, people[i].left - row.person.y_m);
    if (off >= nearest) continue;
    nearest = off;
    row.off_m = off;
    row.truly_ahead_m = people[i].ahead;
    row.truly_left_m = people[i].left;
    row.truly_mps_left = now.people[i].velocity.y * std::cos(now.car.place.heading) -
                         now.people[i].velocity.x * std::sin(now.car.place.heading);
    row.contact_in_s.reset();
    if (const auto& contact = world.contacts()[i]) row.contact_in_s = contact->t - row.t;
  }
}

nlohmann::ordered_json json_of(const std::string& run, const Row& row) {
  const track::Person& p = row.person;
  const risk::Contact& c = row.contact;
  const auto or_null = [](const std::optional<double>& v) {
    return v ? nlohmann::ordered_json(*v) : nlohmann::ordered_json(nullptr);
  };
  return {{"run", run},
          {"t", row.t},
          {"id", p.id},
          {"likelihood", row.likelihood()},
          {"contact", c.probability},
          {"certainty", p.certainty},
          {"contact_in_s", or_null(c.expected_s)},
          {"contact_sigma_s", c.expected_sigma_s},
          {"ahead_m", c.ahead_m},
          {"left_m", p.y_m},
          {"ahead_sigma_m", std::sqrt(p.covariance[0])},
          {"left_sigma_m", std::sqrt(p.covariance[5])},
          {"walks", p.walks},
          {"walking_mps", {p.walking.vx_mps, p.walking.vy_mps}},
          {"walking_sigma_mps",
           {std::sqrt(p.walking.covariance[10]), std::sqrt(p.walking.covariance[15])}},
          {"height_m", p.height_m},
          {"confirmed", p.confirmed},
          {"age_s", row.age_s},
          {"unseen_s", row.unseen_s},
          {"score", p.box.score},
          {"box", {p.box.x, p.box.y, p.box.w, p.box.h}},
          {"car_mps", row.car_mps},
          {"car_mps2", row.car_mps2},
          {"yaw_radps", row.yaw_radps},
          {"true_yaw_radps", row.true_yaw_radps},
          {"person_off_m", or_null(row.off_m)},
          {"person_ahead_m", or_null(row.truly_ahead_m)},
          {"person_left_m", or_null(row.truly_left_m)},
          {"person_mps_left", or_null(row.truly_mps_left)},
          {"person_contact_in_s", or_null(row.contact_in_s)}};
}

std::string line_of(const Row& row) {
  const track::Person& p = row.person;
  std::string truth = "nobody";
  if (row.off_m)
    truth = fmt::format("{:.1f} m off: {:.1f}, {:+.1f} m, {:+.1f} m/s{}", *row.off_m,
                        *row.truly_ahead_m, *row.truly_left_m, *row.truly_mps_left,
                        row.contact_in_s && *row.contact_in_s > 0
                            ? fmt::format(", hit in {:.2f} s", *row.contact_in_s)
                            : std::string{});
  return fmt::format(
      "{:8.2f} {:4} {:5.2f} {:5.2f} {:5.2f} {:5.2f}  {:5.1f} {:+5.1f}  {:4.2f} {:+5.2f} {:+5.2f}  "
      "{:5.2f} {:5.1f}{} {:4.1f} {:+6.3f}  {}\n",
      row.t, p.id, row.likelihood(), row.contact.probability, p.certainty,
      row.contact.expected_s.value_or(0), row.contact.ahead_m, p.y_m, p.walks, p.walking.vx_mps,
      p.walking.vy_mps, row.age_s, static_cast<double>(p.box.score), p.confirmed ? '!' : ' ',
      row.car_mps, row.yaw_radps, truth);
}

int explain(const ExplainOptions& o) {
  if (!o.json.empty())
    if (Status ok = check_output(o.json); !ok) return fail(ok.error());
  std::optional<ChosenScenes> scenes = load_scenes(o.scenes);
  if (!scenes || !keep_logged(*scenes, o.vision)) return kBadInput;
  std::optional<sim::RunOptions> options = run_options(o.candidate, 1);
  if (!options) return kBadInput;
  std::FILE* text = o.json == "-" ? stderr : stdout;
  std::string json;
  QuietLog log;
  for (const SceneSet& set : scenes->sets)
    for (const sim::Scenario& scenario : set.loaded.scenarios) {
      Result<sim::VisionLog> vision =
          sim::read_vision_log(vision_file(o.vision, set.name, scenario.name));
      if (!vision) return fail(vision.error());
      sim::RunOptions each = *options;
      each.vision = std::make_shared<sim::VisionLog>(std::move(*vision));
      const sim::World world{scenario};
      std::vector<Row> rows;
      sim::Moment now;
      std::vector<sim::PersonTruth> people;
      each.on_picture = [&](double t, const DetectionList&, const risk::PeopleReport& report) {
        world.at(t, now);
        world.truth(now, people);
        for (int i = 0; i < report.people.count; ++i) {
          Row row;
          row.t = t;
          row.person = report.people.items[i];
          row.contact = report.contacts[i];
          if (row.likelihood() < o.least) continue;
          row.car_mps = report.speed_mps;
          row.car_mps2 = report.acceleration_mps2;
          row.yaw_radps = report.yaw_rate_radps;
          row.true_yaw_radps = now.car.yaw_radps;
          row.age_s = seconds(report.at - row.person.first_seen);
          row.unseen_s = seconds(report.at - row.person.last_seen);
          add_truth(world, now, people, row);
          rows.push_back(row);
        }
      };
      Result<sim::Run> run = sim::run_scenario(scenario, each, log);
      if (!run) return fail(run.error());
      const std::string name = set.name + "/" + scenario.name;
      for (const sim::Sent::Warning& warning : run->judgement.sent.warnings) {
        if (warning.level != WarningLevel::collision) continue;
        fmt::print(text, "{}: collision warning from {:.2f} to {:.2f} s{}\n{}\n", name,
                   warning.begin, warning.end,
                   run->truth.contact ? fmt::format(", contact at {:.2f} s", run->truth.contact->t)
                                      : ", nobody is in danger",
                   "       t   id  like. cont. cert.  in s  ahead  left  walks   vx    vy      age "
                   "score  car    yaw  the nearest person");
        for (const Row& row : rows)
          if (row.t >= warning.begin - o.before_s && row.t <= warning.begin)
            fmt::print(text, "{}", line_of(row));
      }
      if (!o.json.empty())
        for (const Row& row : rows) json += json_of(name, row).dump() + '\n';
    }
  if (!o.json.empty())
    if (Status ok = write_output(o.json, json); !ok) return fail(ok.error());
  return 0;
}

}  // namespace

void add_sim_explain(CLI::App& group, Action& action) {
  CLI::App* command = group.add_subcommand(
      "explain", "Show what each collision warning was made of, and the truth");
  command->footer(
      "Needs logs of vision of the runs: kerblab sim run --keep-vision DIR. For each collision\n"
      "warning, the tracks of its last pictures: likelihood (of a contact, times that of a "
      "person), when\n"
      "the contact is expected, where the track is, how probably and how fast it walks (ahead, to "
      "the\n"
      "left), age and last score (! confirmed), speed and yaw rate of the car; then the nearest "
      "person\n"
      "there is. --json has every such prediction of the runs, a line each.\n"
      "Example:\n"
      "  kerblab sim run --run hours/drive-0007@1100 --keep-vision logs\n"
      "  kerblab sim explain --run hours/drive-0007@1100 --vision logs --json -");
  const auto o = std::make_shared<ExplainOptions>();
  add_scene_options(*command, o->scenes);
  add_candidate_options(*command, o->candidate);
  add_name_option(*command, "--vision", o->vision, "Folder of the logs of vision")->required();
  add_name_option(*command, "--json", o->json,
                  "Write all predictions, a JSON object a line; - is stdout");
  command->add_option("--least", o->least, "Only predictions of this likelihood or more")
      ->check(between(0, 1))
      ->capture_default_str();
  command->add_option("--before", o->before_s, "Show so many seconds before each warning")
      ->check(between(0, 60))
      ->capture_default_str();
  run_when_chosen(*command, action, [o] { return explain(*o); });
}

}  // namespace kerb::lab
