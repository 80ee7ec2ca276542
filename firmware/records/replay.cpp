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

/// What is the first to differ in two reports of one frame.
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
  return "it differs in a detail";
}

Error damaged() { return {Errc::damaged, 0, "replay: a chunk makes no sense"}; }

/// One camera gone through again, as far as the rounds need it.
class CameraRun {
 public:
  CameraRun(std::string name, std::unique_ptr<ReplayedWatch> watch)
      : name_{std::move(name)}, watch_{std::move(watch)} {}

  void add(const Chunk& chunk) { chunks_.push_back(chunk); }

  /// Finds every frame's report, so that seek() knows what lies ahead.
  Status index() {
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      if (chunks_[i].kind != ChunkKind::report) continue;
      Nanos at{};
      FieldReader in{chunks_[i].payload};
      in(at);
      if (!in.ok()) return damaged();
      reports_.push_back({at, i});
    }
    return Done{};
  }

  /// The report of `at`: goes on to it, comparing on the way. Null: it is not in the record.
  Result<const risk::PeopleReport*> seek(Nanos at, Nanos origin, ReplayResult& result) {
    if (current_ && report_->at == at) return std::as_const(report_).get();
    const auto found = std::find_if(reports_.begin() + static_cast<std::ptrdiff_t>(next_report_),
                                    reports_.end(), [at](const auto& r) { return r.first == at; });
    if (found == reports_.end()) return static_cast<const risk::PeopleReport*>(nullptr);
    if (Status done = go_to(found->second + 1, origin, result); !done) return done.error();
    next_report_ = static_cast<std::size_t>(found - reports_.begin()) + 1;
    return current_ ? std::as_const(report_).get() : nullptr;
  }
  /// To the end of what is there.
  Status finish(Nanos origin, ReplayResult& result) {
    return go_to(chunks_.size(), origin, result);
  }
  /// Takes over a report that was written down as a whole.
  void hold(const risk::PeopleReport& report) {
    if (current_ && report_->at == report.at) return;
    *held_ = report;
  }
  [[nodiscard]] const risk::PeopleReport* held(Nanos at) const {
    return held_->at == at ? held_.get() : nullptr;
  }

 private:
  Status go_to(std::size_t end, Nanos origin, ReplayResult& result) {
    for (; next_ < end; ++next_) {
      const Chunk& chunk = chunks_[next_];
      switch (chunk.kind) {
        case ChunkKind::gap:
          in_step_ = current_ = false;
          break;
        case ChunkKind::watch_state:
          if (Status done = take_state(chunk, origin, result); !done) return done;
          break;
        case ChunkKind::senses:
          if (Status done = take_senses(chunk, result); !done) return done;
          break;
        case ChunkKind::report:
          if (Status done = compare(chunk, origin, result); !done) return done;
          break;
        default:
          break;
      }
    }
    return Done{};
  }

  Status take_state(const Chunk& chunk, Nanos origin, ReplayResult& result) {
    if (in_step_) {
      ++result.states.count;
      FieldWriter out{*scratch_};
      watch_->save(out);
      if (out.ok() && same_bytes(std::span{*scratch_}.first(out.size()), chunk.payload))
        ++result.states.same;
      else
        note(chunk, origin, "the watch's state differs", result);
      return Done{};
    }
    FieldReader in{chunk.payload};
    watch_->load(in);
    if (!in.complete())
      return Error{Errc::unsupported, 0, "replay: state of another version",
                   std::string_view{name_}};
    in_step_ = true;
    return Done{};
  }

  Status take_senses(const Chunk& chunk, ReplayResult& result) {
    current_ = false;
    if (!in_step_) {
      ++result.lost;
      return Done{};
    }
    *senses_ = {};
    FieldReader in{chunk.payload};
    in(*senses_);
    if (!in.complete()) return damaged();
    watch_->step(*senses_, *report_);
    current_ = true;
    return Done{};
  }

  Status compare(const Chunk& chunk, Nanos origin, ReplayResult& result) {
    if (!current_) return Done{};
    ++result.reports.count;
    FieldWriter out{*scratch_};
    out(*report_);
    if (out.ok() && same_bytes(std::span{*scratch_}.first(out.size()), chunk.payload)) {
      ++result.reports.same;
      return Done{};
    }
    const auto then = std::make_unique<risk::PeopleReport>();
    FieldReader in{chunk.payload};
    in(*then);
    if (!in.complete()) return damaged();
    note(chunk, origin, difference_of(*report_, *then), result);
    return Done{};
  }

  void note(const Chunk& chunk, Nanos origin, const std::string& what, ReplayResult& result) const {
    if (result.difference) return;
    char time[32];
    std::snprintf(time, sizeof time, "%.3f s", seconds_of(chunk.at - origin));
    result.difference = std::string{time} + ", camera " + name_ + ": " + what;
  }

  std::string name_;
  std::unique_ptr<ReplayedWatch> watch_;
  std::vector<Chunk> chunks_;
  std::vector<std::pair<Nanos, std::size_t>> reports_;  // their `at`, and where they are
  std::size_t next_ = 0, next_report_ = 0;
  bool in_step_ = false;  // the watch is as it was in the car
  bool current_ = false;  // report_ is the last frame's
  std::unique_ptr<risk::PeopleReport> report_ = std::make_unique<risk::PeopleReport>(),
                                      held_ = std::make_unique<risk::PeopleReport>();
  std::unique_ptr<track::Senses> senses_ = std::make_unique<track::Senses>();
  std::unique_ptr<std::array<std::byte, kMostState>> scratch_ =
      std::make_unique<std::array<std::byte, kMostState>>();
};

/// The controller's rounds gone through again.
class LogicRun {
 public:
  LogicRun(std::unique_ptr<ReplayedLogic> logic, std::vector<CameraRun>& cameras, Nanos origin,
           ReplayResult& result)
      : logic_{std::move(logic)}, cameras_{cameras}, origin_{origin}, result_{result} {}

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
  Status take_state(const Chunk& chunk) {
    FieldReader in{chunk.payload};
    const auto report = std::make_unique<risk::PeopleReport>();
    for (std::size_t i = 0; i < Reports{}.size(); ++i) {
      bool there = false;
      in(there);
      if (!there) continue;
      *report = {};
      in(*report);
      if (in.ok() && i < cameras_.size()) cameras_[i].hold(*report);
    }
    if (!in.ok()) return damaged();
    if (!in_step_) {
      logic_->load(in);
      if (!in.complete()) return Error{Errc::unsupported, 0, "replay: state of another version"};
      in_step_ = true;
      return Done{};
    }
    ++result_.states.count;
    FieldWriter out{*scratch_};
    logic_->save(out);
    if (out.ok() && same_bytes(std::span{*scratch_}.first(out.size()), in.rest()))
      ++result_.states.same;
    else
      note(chunk.at, "the warning logic's state differs");
    return Done{};
  }

  Status take_round(const Chunk& chunk) {
    Round round;
    FieldReader in{chunk.payload};
    in(round);
    if (!in.complete()) return damaged();
    Reports reports{};
    bool known = in_step_;
    for (std::size_t i = 0; i < reports.size(); ++i) {
      if (!round.reports[i]) continue;
      if (i >= cameras_.size()) return damaged();
      Result<const risk::PeopleReport*> report =
          cameras_[i].seek(*round.reports[i], origin_, result_);
      if (!report) return report.error();
      reports[i] = *report != nullptr ? *report : cameras_[i].held(*round.reports[i]);
      known = known && reports[i] != nullptr;
    }
    if (!known) {
      ++result_.lost;
      in_step_ = false;  // until the next state
      return Done{};
    }
    const WarningDecision decision = logic_->step(round.now, reports, round.side);
    ++result_.rounds.count;
    std::array<std::byte, 64> now{}, then{};
    FieldWriter a{now}, b{then};
    a(decision);
    b(round.decision);
    if (same_bytes(std::span{now}.first(a.size()), std::span{then}.first(b.size())))
      ++result_.rounds.same;
    else
      note(round.now, in_words(decision) + "; recorded: " + in_words(round.decision));
    return Done{};
  }

  void note(Nanos at, const std::string& what) {
    if (result_.difference) return;
    char time[32];
    std::snprintf(time, sizeof time, "%.3f s", seconds_of(at - origin_));
    result_.difference = std::string{time} + ": " + what;
  }

  std::unique_ptr<ReplayedLogic> logic_;
  std::vector<CameraRun>& cameras_;
  const Nanos origin_;
  ReplayResult& result_;
  bool in_step_ = false;
  std::unique_ptr<std::array<std::byte, kMostState>> scratch_ =
      std::make_unique<std::array<std::byte, kMostState>>();
};

}  // namespace

Result<ReplayResult> replay(const RecordFile& record, const Deciders& deciders) {
  const RecordedSettings& settings = record.header().settings;
  std::vector<CameraRun> cameras;
  for (const RecordedCamera& camera : settings.cameras)
    cameras.emplace_back(camera.name, deciders.watch(camera));
  for (const Chunk& chunk : record.chunks())
    if (chunk.source < cameras.size()) cameras[chunk.source].add(chunk);
  for (CameraRun& camera : cameras)
    if (Status done = camera.index(); !done) return done.error();
  ReplayResult result;
  const Nanos origin = summarise(record).first;
  LogicRun logic{deciders.logic(settings), cameras, origin, result};
  for (const Chunk& chunk : record.chunks())
    if (chunk.source == kControl)
      if (Status done = logic.take(chunk); !done) return done.error();
  for (CameraRun& camera : cameras)
    if (Status done = camera.finish(origin, result); !done) return done.error();
  return result;
}

RecordSummary summarise(const RecordFile& record) {
  RecordSummary summary;
  for (const RecordedCamera& camera : record.header().settings.cameras)
    summary.cameras.push_back({camera.name});
  std::optional<Nanos> before;
  const auto report = std::make_unique<risk::PeopleReport>();
  for (const Chunk& chunk : record.chunks()) {
    FieldReader in{chunk.payload};
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
