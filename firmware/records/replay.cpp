// SPDX-License-Identifier: Apache-2.0
#include "firmware/records/replay.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "firmware/records/taps.hpp"
#include "hal/base/crc32.hpp"

namespace kerb::records {
namespace {

double seconds_of(Nanos time) { return static_cast<double>(time.count()) * 1e-9; }

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

template <typename T>
std::string number(const std::optional<T>& value, const char* format) {
  if (!value) return "none";
  char text[48];
  std::snprintf(text, sizeof text, format, *value);
  return text;
}

std::string in_words(const WarningDecision& d) {
  return std::string{name_of(d.level)} + ", time to collision " +
         number(d.time_to_collision_s, "%.17g") + ", person " + number(d.person, "%u");
}

/// The first difference of two reports of one frame.
std::string difference_of(const risk::PeopleReport& now, const risk::PeopleReport& then) {
  if (now.people.count != then.people.count)
    return std::to_string(now.people.count) +
           " people, recorded: " + std::to_string(then.people.count);
  for (int i = 0; i < now.people.count; ++i) {
    const track::Person &a = now.people.items[i], &b = then.people.items[i];
    const risk::Contact &c = now.contacts[i], &d = then.contacts[i];
    struct Field {
      const char* name;
      double now, then;
    };
    for (const Field& field :
         {Field{"id", double(a.id), double(b.id)}, Field{"x_m", a.x_m, b.x_m},
          Field{"y_m", a.y_m, b.y_m}, Field{"vx_mps", a.vx_mps, b.vx_mps},
          Field{"vy_mps", a.vy_mps, b.vy_mps}, Field{"certainty", a.certainty, b.certainty},
          Field{"probability", c.probability, d.probability},
          Field{"time_s", c.time_s.value_or(-1), d.time_s.value_or(-1)},
          Field{"closest_m", c.closest_m, d.closest_m}}) {
      if (std::bit_cast<std::uint64_t>(field.now) == std::bit_cast<std::uint64_t>(field.then))
        continue;
      char text[160];
      std::snprintf(text, sizeof text, "person %u: %s is %.17g, recorded: %.17g", b.id, field.name,
                    field.now, field.then);
      return text;
    }
  }
  return "another field differs";
}

Error damaged() { return {Errc::damaged, 0, "replay: invalid chunk"}; }

/// Room for two states or reports.
struct Scratch {
  std::array<std::byte, kMostState> ours, copy;
};

/// What all parts of a replay share.
struct Run {
  const RecordFile& record;
  const Nanos origin;  // the first round
  ReplayResult& result;
  Scratch& scratch;

  [[nodiscard]] std::string at(Nanos time, const std::string& what) const {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f s", seconds_of(time - origin));
    return text + what;
  }
  void note(Nanos time, const std::string& what) const {
    if (!result.difference) result.difference = at(time, what);
  }
  template <typename... T>
  void digest(const T&... values) const {
    std::array<std::byte, 64> bytes{};
    FieldWriter out{bytes};
    out(values...);
    result.digest = crc32(bytes.data(), out.size(), result.digest);
  }
};

template <typename T>
std::span<const std::byte> bytes_of(const T& value, std::span<std::byte> room) {
  FieldWriter out{room};
  out(value);
  return out.ok() ? room.first(out.size()) : std::span<std::byte>{};
}

/// Whether a recorded value is the same as ours, bit for bit, in the fields that the record has:
/// `read` reads it into a copy of ours.
template <typename T, typename Read>
bool same_where_recorded(const T& ours, T& copy, Scratch& scratch, const Read& read) {
  const std::span<const std::byte> now = bytes_of(ours, scratch.ours);
  FieldReader in{now};
  in(copy);
  if (!in.complete() || !read(copy)) return false;
  return !now.empty() && same_bytes(now, bytes_of(copy, scratch.copy));
}

/// One camera's frames replayed, as far as the rounds need them.
class CameraRun {
 public:
  CameraRun(const RecordedCamera& camera, const Deciders& deciders, const Run& run)
      : camera_{camera}, deciders_{deciders}, run_{run} {}

  void add(const Chunk& chunk) { chunks_.push_back(chunk); }

  /// Finds every frame's report, so that seek() knows what lies ahead.
  Status index() {
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      if (chunks_[i].kind != ChunkKind::report) continue;
      ReportTime time;
      FieldReader in = run_.record.reader(chunks_[i]);
      in(time);
      if (!in.ok()) return damaged();
      reports_.push_back({time.at, i});
    }
    return Done{};
  }

  /// The report of `at`: replays up to it, comparing on the way. Null: it is not in the record.
  Result<const risk::PeopleReport*> seek(Nanos at) {
    if (current_ && report_->at == at) return std::as_const(report_).get();
    const auto found = std::find_if(reports_.begin() + static_cast<std::ptrdiff_t>(next_report_),
                                    reports_.end(), [at](const auto& r) { return r.first == at; });
    if (found == reports_.end()) return static_cast<const risk::PeopleReport*>(nullptr);
    if (Status done = go_to(found->second + 1); !done) return done.error();
    next_report_ = static_cast<std::size_t>(found - reports_.begin()) + 1;
    return current_ ? std::as_const(report_).get() : nullptr;
  }
  /// Replays what is left.
  Status finish() { return go_to(chunks_.size()); }
  /// Takes over a report that was recorded with the state of the warning logic.
  void hold(const risk::PeopleReport& report) {
    if (current_ && report_->at == report.at) return;
    *held_ = report;
  }
  [[nodiscard]] const risk::PeopleReport* held(Nanos at) const {
    return held_->at == at ? held_.get() : nullptr;
  }

 private:
  /// The one field of a report that tells which frame's it is.
  struct ReportTime {
    Nanos at{};
    friend void fields(FieldReader& f, ReportTime& t) { f("at", t.at); }
  };

  Status go_to(std::size_t end) {
    for (; next_ < end; ++next_) {
      const Chunk& chunk = chunks_[next_];
      switch (chunk.kind) {
        case ChunkKind::gap:
          in_step_ = current_ = false;
          break;
        case ChunkKind::people_state:
          if (Status done = take_state(chunk); !done) return done;
          break;
        case ChunkKind::senses:
          if (Status done = take_senses(chunk); !done) return done;
          break;
        case ChunkKind::report:
          if (Status done = compare(chunk); !done) return done;
          break;
        default:
          break;
      }
    }
    return Done{};
  }

  Status take_state(const Chunk& chunk) {
    FieldReader in = run_.record.reader(chunk);
    if (!in_step_) {
      estimator_ = deciders_.estimator(camera_);
      in(*estimator_);
      if (!in.complete()) return damaged();
      in_step_ = true;
      return Done{};
    }
    ++run_.result.states.count;
    const auto copy = deciders_.estimator(camera_);
    if (same_where_recorded(*estimator_, *copy, run_.scratch, [&](ReplayedEstimator& into) {
          in(into);
          return in.complete();
        }))
      ++run_.result.states.same;
    else
      note(chunk, "the estimator's state differs");
    return Done{};
  }

  Status take_senses(const Chunk& chunk) {
    current_ = false;
    if (!in_step_) {
      ++run_.result.lost;
      return Done{};
    }
    *senses_ = {};
    FieldReader in = run_.record.reader(chunk);
    in(*senses_);
    if (!in.complete()) return damaged();
    estimator_->step(*senses_, *report_);
    digest();
    current_ = true;
    return Done{};
  }

  Status compare(const Chunk& chunk) {
    if (!current_) return Done{};
    ++run_.result.reports.count;
    bool read = false;
    if (same_where_recorded(*report_, *then_, run_.scratch, [&](risk::PeopleReport& into) {
          FieldReader in = run_.record.reader(chunk);
          in(into);
          return read = in.complete();
        }))
      ++run_.result.reports.same;
    else if (read)
      note(chunk, difference_of(*report_, *then_));
    return read ? Status{Done{}} : Status{damaged()};
  }

  void digest() const {
    run_.digest(report_->at, report_->path_known);
    for (int i = 0; i < report_->people.count; ++i) {
      const track::Person& person = report_->people.items[i];
      const risk::Contact& contact = report_->contacts[i];
      run_.digest(person.id, person.x_m, person.y_m, person.vx_mps, person.vy_mps);
      run_.digest(person.certainty, person.confirmed, contact.probability, contact.time_s);
    }
  }

  void note(const Chunk& chunk, const std::string& what) const {
    run_.note(chunk.at, ", camera " + camera_.name + ": " + what);
  }

  const RecordedCamera& camera_;
  const Deciders& deciders_;
  Run run_;
  std::unique_ptr<ReplayedEstimator> estimator_;
  std::vector<Chunk> chunks_;
  std::vector<std::pair<Nanos, std::size_t>> reports_;  // their `at`, and where they are
  std::size_t next_ = 0, next_report_ = 0;
  bool in_step_ = false;  // the estimator is as it was in the car
  bool current_ = false;  // report_ is the last frame's
  std::unique_ptr<risk::PeopleReport> report_ = std::make_unique<risk::PeopleReport>(),
                                      then_ = std::make_unique<risk::PeopleReport>(),
                                      held_ = std::make_unique<risk::PeopleReport>();
  std::unique_ptr<track::Senses> senses_ = std::make_unique<track::Senses>();
};

/// The controller's rounds replayed.
class LogicRun {
 public:
  LogicRun(const RecordedSettings& settings, const Deciders& deciders,
           std::vector<CameraRun>& cameras, const Run& run)
      : settings_{settings}, deciders_{deciders}, cameras_{cameras}, run_{run} {}

  Status take(const Chunk& chunk) {
    switch (chunk.kind) {
      case ChunkKind::gap:
        in_step_ = false;
        return Done{};
      case ChunkKind::logic_state:
        return take_state(chunk);
      case ChunkKind::round:
        return take_round(chunk);
      default:
        return Done{};
    }
  }

 private:
  using Held = std::array<std::optional<risk::PeopleReport>, std::tuple_size_v<Reports>>;

  /// Reads the state into `logic`, and the reports beside it into their cameras.
  bool read(const Chunk& chunk, ReplayedLogic& logic) {
    const auto held = std::make_unique<Held>();
    LogicState<Held, ReplayedLogic> state{*held, logic};
    FieldReader in = run_.record.reader(chunk);
    in(state);
    if (!in.complete()) return false;
    for (std::size_t i = 0; i < cameras_.size(); ++i)
      if ((*held)[i]) cameras_[i].hold(*(*held)[i]);
    return true;
  }

  Status take_state(const Chunk& chunk) {
    if (!in_step_) {
      logic_ = deciders_.logic(settings_);
      if (!read(chunk, *logic_)) return damaged();
      in_step_ = true;
      return Done{};
    }
    ++run_.result.states.count;
    const auto copy = deciders_.logic(settings_);
    if (same_where_recorded(*logic_, *copy, run_.scratch,
                            [&](ReplayedLogic& into) { return read(chunk, into); }))
      ++run_.result.states.same;
    else
      run_.note(chunk.at, ": the warning logic's state differs");
    return Done{};
  }

  Status take_round(const Chunk& chunk) {
    Round round;
    if (!read(chunk, round)) return damaged();
    Reports reports{};
    bool known = in_step_;
    for (std::size_t i = 0; i < reports.size(); ++i) {
      if (!round.reports[i]) continue;
      if (i >= cameras_.size()) return damaged();
      Result<const risk::PeopleReport*> report = cameras_[i].seek(*round.reports[i]);
      if (!report) return report.error();
      reports[i] = *report != nullptr ? *report : cameras_[i].held(*round.reports[i]);
      known = known && reports[i] != nullptr;
    }
    if (!known) {
      ++run_.result.lost;
      in_step_ = false;  // until the next state
      return Done{};
    }
    const WarningDecision now = logic_->step(round.now, reports, round.side);
    run_.digest(round.now, now.level, now.time_to_collision_s, now.person, now.camera);
    compare(chunk, round, now);
    return Done{};
  }

  void compare(const Chunk& chunk, const Round& round, const WarningDecision& now) {
    ++run_.result.rounds.count;
    Round then = round;
    then.decision = now;  // what the record lacks is as ours
    (void)read(chunk, then);
    std::array<std::byte, 64> a{}, b{};
    FieldWriter ours{a}, theirs{b};
    ours(now);
    theirs(then.decision);
    if (same_bytes(std::span{a}.first(ours.size()), std::span{b}.first(theirs.size()))) {
      ++run_.result.rounds.same;
      return;
    }
    const std::string what = ": " + in_words(now) + "; recorded: " + in_words(then.decision);
    run_.note(round.now, what);
    std::optional<std::string>& first = run_.result.decision_difference;
    if (!first) first = run_.at(round.now, what);
  }
  bool read(const Chunk& chunk, Round& into) const {
    FieldReader in = run_.record.reader(chunk);
    in(into);
    return in.complete();
  }

  const RecordedSettings& settings_;
  const Deciders& deciders_;
  std::vector<CameraRun>& cameras_;
  Run run_;
  std::unique_ptr<ReplayedLogic> logic_;
  bool in_step_ = false;  // the logic is as it was in the car
};

}  // namespace

Result<ReplayResult> replay(const RecordFile& record, const Deciders& deciders) {
  ReplayResult result;
  result.decided_by = record.decisions_version();
  result.replayed_by = deciders.version();
  const std::string own = field_table_of(deciders);
  if (record.table().text() != own) {
    const Result<FieldTable> table = FieldTable::parse(own);
    if (!table) return table.error();
    result.fields = difference_of(record.table(), *table);
  }
  const auto scratch = std::make_unique_for_overwrite<Scratch>();
  const Run run{record, summarise(record).first, result, *scratch};
  const RecordedSettings& settings = record.header().settings;
  std::vector<CameraRun> cameras;
  for (const RecordedCamera& camera : settings.cameras) cameras.emplace_back(camera, deciders, run);
  for (const Chunk& chunk : record.chunks())
    if (chunk.source < cameras.size()) cameras[chunk.source].add(chunk);
  for (CameraRun& camera : cameras)
    if (Status done = camera.index(); !done) return done.error();
  LogicRun logic{settings, deciders, cameras, run};
  for (const Chunk& chunk : record.chunks())
    if (chunk.source == kControl)
      if (Status done = logic.take(chunk); !done) return done.error();
  for (CameraRun& camera : cameras)
    if (Status done = camera.finish(); !done) return done.error();
  return result;
}

RecordSummary summarise(const RecordFile& record) {
  RecordSummary summary;
  for (const RecordedCamera& camera : record.header().settings.cameras)
    summary.cameras.push_back({camera.name});
  std::optional<Nanos> before;
  const auto report = std::make_unique<risk::PeopleReport>();
  for (const Chunk& chunk : record.chunks()) {
    FieldReader in = record.reader(chunk);
    if (chunk.kind == ChunkKind::gap) ++summary.gaps;
    if (chunk.kind == ChunkKind::vehicle) ++summary.vehicle_frames;
    if (chunk.source < summary.cameras.size()) {
      RecordSummary::Camera& camera = summary.cameras[chunk.source];
      if (chunk.kind == ChunkKind::senses) ++camera.frames;
      if (chunk.kind == ChunkKind::picture) ++camera.pictures;
      if (chunk.kind != ChunkKind::report) continue;
      in(*report);
      if (!in.complete()) continue;
      int people = 0;
      for (int i = 0; i < report->people.count; ++i)
        if (report->people.items[i].confirmed) ++people;
      camera.most_people = std::max(camera.most_people, people);
    }
    if (chunk.kind != ChunkKind::round) continue;
    Round round;
    in(round);
    if (!in.complete()) continue;
    if (summary.rounds++ == 0) summary.first = round.now;
    summary.last = round.now;
    const WarningDecision& decision = round.decision;
    summary.highest = std::max(summary.highest, decision.level);
    if (decision.level != WarningLevel::none && before) summary.warned += round.now - *before;
    before = round.now;
    if (decision.level == WarningLevel::none || !decision.time_to_collision_s) continue;
    if (!summary.shortest_ttc_s || *decision.time_to_collision_s < *summary.shortest_ttc_s)
      summary.shortest_ttc_s = decision.time_to_collision_s;
  }
  return summary;
}

}  // namespace kerb::records
