// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/firmware/soak/soak.hpp"

#include <algorithm>
#include <bitset>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>

#include "firmware/diagnostics/diagnostics.hpp"
#include "firmware/diagnostics/dtc_file.hpp"
#include "firmware/events/event_log.hpp"
#include "firmware/events/events.hpp"
#include "firmware/records/product_deciders.hpp"
#include "firmware/records/record_file.hpp"
#include "firmware/records/replay.hpp"
#include "firmware/records/warning_recorder.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/unity.hpp"

namespace kerb::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Nanos kLife = seconds{60};  // the longest wait for a disk, which needs milliseconds

/// A car that drives, and somebody in its way now and then.
class Encounters {
 public:
  explicit Encounters(std::uint64_t seed) : random_{seed} {}

  /// Before a round.
  void step(Drive& drive) {
    const Nanos now = drive.clock.now();
    if (!next_) next_ = now + seconds{6};
    seen_ <<= 1;
    if (drive.people.empty()) {
      speed_ += std::clamp(target_ - speed_, -0.03, 0.02);
      if (now >= *next_ && std::abs(target_ - speed_) < 1e-9) meet(drive);
    } else if (drive.people.front().x_m < kBumper - 0.2) {
      drive.people.clear();
      left_ = now;
      target_ = between(random_, 8, 14);
      next_ = now + Nanos{milliseconds{static_cast<int>(between(random_, 7000, 15000))}};
    }
    drive.speed = speed_;
  }
  /// After it: whether cameras could see the person.
  void see(const Drive& drive, bool blind) {
    if (!drive.people.empty() && !blind && box_of(road_camera(), drive.people.front()))
      seen_.set(0);
  }
  /// Somebody will be hit in 0.3 to 1.2 s, and was seen for a second of the last one and a half.
  [[nodiscard]] bool danger(const Drive& drive) const {
    if (drive.people.empty()) return false;
    const double left_s = (drive.people.front().x_m - kBumper) / speed_;
    return left_s > 0.3 && left_s <= 1.2 && seen_.count() >= 100;
  }
  /// Nobody is there, and has been for longer than anybody is remembered.
  [[nodiscard]] bool nobody(const Drive& drive) const {
    return drive.people.empty() && drive.clock.now() - left_ > seconds{6};
  }
  void restart() {
    next_.reset();
    seen_.reset();
    left_ = {};
    speed_ = 0;
  }
  [[nodiscard]] std::uint64_t met() const noexcept { return met_; }

 private:
  static constexpr double kBumper = 3.6;

  /// In 4.5 s they will be before the bumper: standing there, or walking there from the side.
  void meet(Drive& drive) {
    constexpr double kAhead_s = 4.5;
    Walker w{.x_m = kBumper + speed_ * kAhead_s, .y_m = between(random_, -0.4, 0.4)};
    if (random_.next() % 2 == 0) {
      w.vy_mps = (random_.next() % 2 == 0 ? 1 : -1) * between(random_, 0.6, 1.4);
      w.y_m -= w.vy_mps * kAhead_s;
    }
    drive.people = {w};
    ++met_;
  }

  Random random_;
  std::optional<Nanos> next_;
  std::bitset<150> seen_;
  Nanos left_{};
  double speed_ = 0, target_ = 10;
  std::uint64_t met_ = 0;
};

/// The product from one power cut to the next.
struct Session {
  SystemClock life;
  FakeLog log;
  std::unique_ptr<EventLog> events;
  std::unique_ptr<records::WarningRecorder> recorder;
  std::unique_ptr<diagnostics::DtcStore> codes;
  diagnostics::Setup setup;
  std::unique_ptr<Drive> drive;

  Session(const std::string& events_path, const std::string& records_path,
          const std::string& codes_path, int cameras) {
    EventLogOptions event_options;
    event_options.path = events_path;
    event_options.max_file_bytes = 1 << 20;
    event_options.files = 50;
    event_options.first_retry = event_options.last_retry = milliseconds{5};
    Result<std::unique_ptr<EventLog>> opened = EventLog::open(event_options, life);
    TEST_ASSERT_TRUE(static_cast<bool>(opened));
    events = std::move(*opened);
    events->post(events::started(life.now(), "soak", "run", events::boot_id().view()));

    records::RecordedSettings settings;
    for (int i = 0; i < cameras; ++i)
      settings.cameras.push_back({.name = "camera " + std::to_string(i),
                                  .model = road_camera(),
                                  .tracker = {},
                                  .car = {},
                                  .contact = {}});
    records::RecorderOptions record_options;
    record_options.path = records_path;
    record_options.max_bytes = std::uint64_t{16} << 20;
    record_options.pictures = false;
    record_options.retry = milliseconds{5};
    record_options.shutdown_limit = kLife;
    Result<std::unique_ptr<records::WarningRecorder>> recording =
        records::WarningRecorder::open(record_options, settings, nullptr, log);
    TEST_ASSERT_TRUE(static_cast<bool>(recording));
    recorder = std::move(*recording);
    diagnostics::DtcStoreOptions code_options;
    code_options.path = codes_path;
    code_options.interval = milliseconds{20};
    Result<std::unique_ptr<diagnostics::DtcStore>> storing =
        diagnostics::DtcStore::open(code_options);
    TEST_ASSERT_TRUE(static_cast<bool>(storing));
    codes = std::move(*storing);
    setup.store = codes.get();
    setup.cameras = cameras;
    setup.cycle = events::boot_id().view();
    if (const Result<diagnostics::DtcImage> image = diagnostics::load_image(codes_path))
      setup.image = *image;
    Drive::Options options;
    options.diagnostics = &setup;
    options.cameras = cameras;
    options.recorder = recorder.get();
    options.events = events.get();
    options.health = {};  // as in a car, `recover` included
    options.plugs = true;
    drive = std::make_unique<Drive>(options);
    drive->gear = Gear::drive;
  }
  /// The writers get their share of this faster time.
  void flush() const {
    TEST_ASSERT_TRUE(recorder->flush(kLife));
    TEST_ASSERT_TRUE(events->flush(kLife));
  }
  /// What the fakes remember is not the product's.
  void forget() {
    const auto keep_last = [](auto& all) {
      if (all.size() > 1) all.erase(all.begin(), all.end() - 1);
      all.shrink_to_fit();
    };
    keep_last(drive->statuses);
    keep_last(drive->warnings);
    keep_last(drive->readies);
    drive->lists = {};
    drive->lamp.history.clear();
    drive->amber.history.clear();
    drive->tone.history.clear();
    drive->log.clear();
    log.clear();
  }
};

class Soak {
 public:
  explicit Soak(const SoakOptions& options)
      : options_{options},
        random_{options.seed},
        encounters_{random_.next()},
        faults_{random_.next(), {events_path_}} {}

  SoakResult run() {
    const auto all = static_cast<std::uint64_t>(options_.minutes * 6000);
    const std::uint64_t first = all / 6, tenth = std::max<std::uint64_t>(all / 10, 1);
    begin();
    for (std::uint64_t i = 1; i <= all; ++i) {
      if (cut_at_ == i) cut_power(i);
      round();
      if (i % 500 == 0 && !disk_trouble()) session_->flush();
      if (i % 6000 == 0) session_->forget();
      if (i % 500 == 0) {
        std::size_t& most = result_.most_resident[std::min<std::size_t>((i - 1) * 10 / all, 9)];
        most = std::max(most, ProcessMemory::now().resident);
      }
      if (i == first) result_.first = memory();
      if (options_.progress && i % tenth == 0) tell(i, all);
    }
    faults_.end_all(*session_->drive);
    session_->flush();
    result_.last = memory();
    end();
    result_.rounds = all;
    result_.encounters = encounters_.met();
    result_.breaches = judge_.by_name();
    result_.faults = faults_.counts();
    result_.recoveries = judge_.recoveries();
    result_.longest_recovery = judge_.longest_recovery();
    result_.due = judge_.due();
    result_.given = judge_.given();
    read_back();
    return std::move(result_);
  }

 private:
  /// From the start until a warning would be given.
  void begin() {
    session_ =
        std::make_unique<Session>(events_path_, records_path_, codes_path_, options_.cameras);
    encounters_.restart();
    TEST_ASSERT_TRUE(session_->drive->becomes_ready());
    TEST_ASSERT_TRUE(session_->drive->until([&] { return !session_->drive->amber.on(); }));
    began_ = session_->drive->clock.now();
    cut_at_ = 0;
  }
  void end() {
    session_->drive.reset();
    session_.reset();
  }

  void round() {
    Drive& drive = *session_->drive;
    encounters_.step(drive);
    faults_.step(drive);
    drive.step();
    const Nanos now = drive.clock.now();
    encounters_.see(drive, faults_.blind(drive));
    const auto works = [&](SoakFault fault, Nanos since) {
      return !faults_.is(fault) && now - faults_.last(fault) > since;
    };
    // A disk and its retries take life's time: its cause is over when the writers say so.
    const bool disk = disk_trouble();
    SoakRound r;
    r.now = now;
    r.danger = encounters_.danger(drive);
    r.nobody = encounters_.nobody(drive);
    r.faulty = faults_.any() || disk;
    r.must_show = faults_.must_show(now);
    // What was unplugged is written again within a second.
    r.amber_works = works(SoakFault::amber_gone, milliseconds{1050});
    r.red_works = works(SoakFault::red_gone, milliseconds{1050});
    r.bus_works = works(SoakFault::bus_down, milliseconds{200}) &&
                  works(SoakFault::bus_off, milliseconds{200}) &&
                  works(SoakFault::bus_full, milliseconds{200});
    r.bitten = drive.timer.expired();
    r.ready = drive.controller->readiness() == Readiness::ready;
    r.active = drive.controller->health().state == HealthState::active;
    r.decided = drive.controller->decision().level == WarningLevel::collision;
    r.heard = drive.level() == WarningLevel::collision;
    r.amber = drive.amber.on();
    r.red = drive.lamp.on();
    judge_.take(r);
    if (judge_.fresh() && result_.first_breaches.size() < 20) {
      const HealthReport& health = drive.controller->health();
      result_.first_breaches.push_back(*judge_.fresh() + ": " + faults_.describe() + "; " +
                                       name_of(health.state) + " " + name_of(health.cause) + " " +
                                       std::to_string(health.number) + ", " +
                                       name_of(drive.controller->readiness()));
    }
    // Power goes while a record is being written, more often than not.
    if (cut_at_ == 0 && now - began_ > kSession) {
      cut_at_ = ++rounds_ + (random_.next() % 4000);
      return;
    }
    ++rounds_;
  }

  [[nodiscard]] bool disk_trouble() const {
    return faults_.is(SoakFault::disk_full) || faults_.is(SoakFault::disk_point) ||
           session_->events->status().error != 0 || session_->recorder->status().error != 0;
  }

  /// The last bytes of what was being written never reach the disk.
  void cut_power(std::uint64_t) {
    faults_.end_all(*session_->drive);
    session_->flush();
    session_->drive.reset();
    const std::string part = copy_of_part();
    session_.reset();
    cut(events_path_, 600);
    if (!part.empty()) cut(part, 20'000);
    ++result_.power_cuts;
    judge_restart();
    begin();
  }
  void judge_restart() {
    // A new process: what was true of the old one is not a recovery.
    SoakRound r;
    r.ready = r.active = r.nobody = true;
    judge_.take(r);
  }
  /// The record that is being written as it is at this moment, as a power cut leaves it: the
  /// recorder's end would make it whole. Empty where there is none.
  [[nodiscard]] std::string copy_of_part() {
    for (const auto& entry : fs::directory_iterator{records_path_}) {
      const fs::path& path = entry.path();
      if (path.extension() != ".part") continue;
      const fs::path copy = folder_.path() / "cut" / (std::to_string(cuts_++) + ".kwr.part");
      fs::create_directories(copy.parent_path());
      std::error_code error;
      if (fs::copy_file(path, copy, error)) return copy.string();
    }
    return {};
  }
  void cut(const std::string& path, std::uintmax_t most) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(path, error);
    if (!error) fs::resize_file(path, size - std::min(size, random_.next() % most), error);
  }

  void read_back() {
    read_events();
    if (const Result<diagnostics::DtcImage> codes = diagnostics::load_image(codes_path_); !codes)
      wrong("trouble codes: " + kerb::describe(codes.error()));
    for (const auto& entry : fs::directory_iterator{records_path_}) read_record(entry.path());
    if (fs::exists(folder_.path() / "cut"))
      for (const auto& entry : fs::directory_iterator{folder_.path() / "cut"})
        read_record(entry.path());
  }
  void wrong(std::string what) {
    if (result_.files.wrong.size() < 20) result_.files.wrong.push_back(std::move(what));
  }
  void read_events() {
    SoakFiles& f = result_.files;
    std::vector<fs::path> files;
    for (int age = 60; age > 0; --age)
      if (const fs::path old = events_path_ + "." + std::to_string(age); fs::exists(old))
        files.push_back(old);
    files.emplace_back(events_path_);
    std::string run;
    std::uint64_t next = 0;
    bool gap = false;
    for (const fs::path& file : files) {
      std::ifstream in{file};
      for (std::string line; std::getline(in, line);) {
        ++f.lines;
        const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
        if (json.is_discarded() || in.eof()) {  // the last one has its end, too
          wrong("torn event: " + line.substr(0, 60));
          continue;
        }
        const std::string event = json.value("kind", "");
        const std::uint64_t seq = json.value("seq", std::uint64_t{0});
        if (const std::string its = json.value("run", ""); its != run) {
          run = its;
          next = seq;
          ++f.runs;
          if (seq != 0) wrong("a run that does not begin: " + line.substr(0, 60));
        }
        // Lost events have numbers, and a line that says so.
        gap = seq != next;
        if (event == "events_lost")
          ++f.lost;
        else if (gap)
          wrong("a gap: " + line.substr(0, 60));
        f.repairs += event == "log_repaired" ? 1 : 0;
        next = seq + 1;
      }
    }
  }
  void read_record(const fs::path& path) {
    SoakFiles& f = result_.files;
    const bool part = path.extension() == ".part";
    Result<records::RecordFile> record = records::RecordFile::read(path.string());
    if (!record) {
      // One that was cut in its header has nothing to read, and says so.
      const Errc code = record.error().code;
      const bool short_one = code == Errc::damaged || code == Errc::invalid_argument;
      if (!part || !short_one) wrong("record: " + kerb::describe(record.error()));
      ++f.cut_records;
      return;
    }
    ++(part ? f.cut_records : f.records);
    if (!part && !record->whole()) wrong("not whole: " + path.filename().string());
    if (f.replayed >= 40) return;
    const Result<records::ReplayResult> replayed =
        records::replay(*record, records::ProductDeciders{});
    if (!replayed)
      wrong("replay: " + kerb::describe(replayed.error()));
    else if (replayed->is_fault())
      wrong("replay of " + path.filename().string() + ": " + *replayed->difference);
    else
      ++f.replayed;
  }

  [[nodiscard]] static SoakMemory memory() { return {ProcessMemory::now(), live_allocations()}; }
  void tell(std::uint64_t round, std::uint64_t all) const {
    if (disk_trouble()) return;
    std::printf("seed %llu: %3d %%, %llu breaches\n",
                static_cast<unsigned long long>(options_.seed), static_cast<int>(100 * round / all),
                static_cast<unsigned long long>(judge_.breaches()));
    std::fflush(stdout);
  }

  static constexpr Nanos kSession = std::chrono::minutes{4};

  const SoakOptions options_;
  const TempFolder folder_;
  const std::string events_path_ = folder_.at("events/events.jsonl");
  const std::string records_path_ = folder_.at("records");
  const std::string codes_path_ = folder_.at("codes/dtc");
  Random random_;
  Encounters encounters_;
  SoakFaults faults_;
  SoakJudge judge_;
  std::unique_ptr<Session> session_;
  Nanos began_{};
  std::uint64_t rounds_ = 0, cut_at_ = 0;
  int cuts_ = 0;
  SoakResult result_;
};

}  // namespace

SoakResult soak(const SoakOptions& options) { return Soak{options}.run(); }

}  // namespace kerb::test
