// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/firmware/soak/soak_faults.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <system_error>

#include "hal/base/fault_plan.hpp"
#include "tests/support/unity.hpp"

namespace kerb::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Faults of one group would hide each other.
enum class Group : std::uint8_t { camera, picture, board, car, bus, output, watchdog, disk };

struct Kind {
  const char* name;
  Group group;
  Nanos longest;
  /// Within this time the amber lamp is lit; nothing: nobody need be told.
  std::optional<Nanos> told;
  bool blinds;  ///< the camera, or all of them
};

// The limits of docs/health.md, and up to three rounds and a frame.
constexpr Nanos kSlack = milliseconds{70};
constexpr std::array<Kind, kSoakFaults> kKinds{{
    {"silent", Group::camera, seconds{6}, milliseconds{250} + kSlack, true},
    {"gone", Group::camera, seconds{6}, milliseconds{250} + kSlack, true},
    {"no_signal", Group::camera, seconds{6}, milliseconds{250} + kSlack, true},
    {"damaged", Group::camera, seconds{6}, milliseconds{250} + kSlack, true},
    {"broken", Group::camera, seconds{6}, milliseconds{34} + kSlack, true},
    {"hung", Group::camera, milliseconds{1500}, milliseconds{334} + kSlack, true},
    {"frozen", Group::picture, seconds{6}, milliseconds{434} + kSlack, true},
    {"dark", Group::picture, seconds{6}, milliseconds{34} + kSlack, true},
    {"white", Group::picture, seconds{6}, milliseconds{34} + kSlack, true},
    {"hot", Group::board, seconds{6}, seconds{1} + kSlack, false},
    {"unreadable", Group::board, seconds{12}, seconds{6} + kSlack, false},
    {"mute", Group::car, seconds{6}, milliseconds{300}, false},
    {"no_yaw", Group::car, seconds{6}, milliseconds{500}, false},
    {"lie", Group::car, seconds{6}, milliseconds{300}, false},
    {"reverse", Group::car, seconds{6}, milliseconds{1000}, false},
    {"bus_down", Group::bus, seconds{6}, milliseconds{500} + kSlack, false},
    {"bus_off", Group::bus, seconds{6}, milliseconds{500} + kSlack, false},
    {"bus_full", Group::bus, seconds{6}, milliseconds{500} + kSlack, false},
    {"flood", Group::bus, seconds{3}, std::nullopt, false},
    {"red_gone", Group::output, seconds{6}, seconds{1} + kSlack, false},
    {"amber_gone", Group::output, seconds{6}, std::nullopt, false},
    {"tone_gone", Group::output, seconds{6}, seconds{1} + kSlack, false},
    {"watchdog", Group::watchdog, seconds{2}, seconds{1} + kSlack, false},
    {"disk_full", Group::disk, seconds{6}, std::nullopt, false},
    {"vision_point", Group::picture, seconds{6}, milliseconds{34} + kSlack, true},
    {"disk_point", Group::disk, seconds{6}, std::nullopt, false},
    {"wake_point", Group::watchdog, seconds{2}, std::nullopt, false},
}};

const Kind& kind_of(SoakFault fault) { return kKinds[static_cast<std::size_t>(fault)]; }

void limit_files(rlim_t bytes) {
  struct rlimit limit {};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = std::min(bytes, limit.rlim_max);
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

}  // namespace

#ifdef KERB_FAULT_POINTS
int soak_faults_built() noexcept { return kSoakFaults; }
void SoakFaults::plan() {
  std::string text;
  for (const Active& a : active_) text += a.points + ";";
  Result<FaultPlan> plan = FaultPlan::parse(text);
  TEST_ASSERT_TRUE_MESSAGE(static_cast<bool>(plan), text.c_str());
  set_faults(*std::move(plan));
}
#else
int soak_faults_built() noexcept { return static_cast<int>(SoakFault::vision_point); }
void SoakFaults::plan() {}
#endif

const char* name_of(SoakFault fault) noexcept { return kind_of(fault).name; }

SoakFaults::SoakFaults(std::uint64_t seed, std::vector<std::string> files)
    : random_{seed}, files_{std::move(files)} {
  last_.fill(-seconds{3600});
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit then fails with EFBIG
}

SoakFaults::~SoakFaults() { limit_files(RLIM_INFINITY); }

bool SoakFaults::is(SoakFault fault) const noexcept {
  return std::ranges::any_of(active_, [fault](const Active& a) { return a.fault == fault; });
}

bool SoakFaults::must_show(Nanos now) const noexcept {
  return std::ranges::any_of(active_, [now](const Active& a) {
    const std::optional<Nanos>& told = kind_of(a.fault).told;
    return told && !a.mending && now - a.from >= *told;
  });
}

bool SoakFaults::blind(const Drive&) const noexcept {
  std::size_t blind = 0;
  for (const Active& a : active_) {
    if (!kind_of(a.fault).blinds) continue;
    if (kind_of(a.fault).group == Group::picture) return true;
    ++blind;  // there is one fault of a camera at a time
  }
  return blind >= cameras_;
}

std::string SoakFaults::describe() const {
  std::string out;
  for (const Active& a : active_) {
    if (!out.empty()) out += ", ";
    out += name_of(a.fault);
    out += " since " + std::to_string(a.from / milliseconds{1}) + " ms";
    if (a.mending) out += " (mending)";
  }
  return out.empty() ? "no fault" : out;
}

void SoakFaults::step(Drive& drive) {
  const Nanos now = drive.clock.now();
  cameras_ = drive.cameras();
  if (!next_) next_ = now + seconds{5};
  for (Active& a : active_) {
    if (now < a.until)
      keep(drive, a);
    else
      a.mending = true;
  }
  std::erase_if(active_, [&](Active& a) {
    if (!a.mending || !mend(drive, a)) return false;
    last_[static_cast<std::size_t>(a.fault)] = now;
    return true;
  });
  if (now < *next_) return;
  begin(drive, now);
  // Mostly time enough to see it recover; now and then a second fault on top of the first.
  const bool soon = random_.next() % 4 == 0;
  next_ = now + Nanos{milliseconds{static_cast<int>(soon ? between(random_, 50, 2000)
                                                         : between(random_, 6000, 14000))}};
}

void SoakFaults::begin(Drive& drive, Nanos now) {
  Active a{static_cast<SoakFault>(random_.next() % static_cast<unsigned>(soak_faults_built()))};
  const Kind& kind = kind_of(a.fault);
  a.camera = random_.next() % drive.cameras();
  a.from = now;
  // Half of them are hiccups.
  const double most = static_cast<double>(kind.longest / milliseconds{1});
  const bool brief = random_.next() % 2 == 0;
  a.until = now + Nanos{milliseconds{static_cast<int>(brief ? between(random_, 50, 1000)
                                                            : between(random_, 1000, most))}};
  for (const Active& other : active_)
    if (kind_of(other.fault).group == kind.group) return;
  if (a.fault == SoakFault::reverse && drive.speed < 9) return;  // it could be true
  ++counts_[static_cast<std::size_t>(a.fault)];
  Drive::Eye& eye = drive.eye(a.camera);
  switch (a.fault) {
    case SoakFault::silent:
      eye.films = false;
      break;
    case SoakFault::gone:
      eye.films = false;
      eye.plug->fails = Errc::gone;
      break;
    case SoakFault::no_signal:
      eye.films = false;
      eye.plug->fails = Errc::no_signal;
      break;
    case SoakFault::damaged:
      eye.films = false;
      break;
    case SoakFault::broken:
      eye.crowd->broken = true;
      break;
    case SoakFault::hung:
      eye.preparer->stuck = true;
      eye.awaited = false;
      break;
    case SoakFault::frozen:
      drive.frozen = true;
      break;
    case SoakFault::dark:
      drive.brightness = 0;
      break;
    case SoakFault::white:
      drive.brightness = 253;
      break;
    case SoakFault::hot:
      drive.thermal.set(106);
      break;
    case SoakFault::unreadable:
      drive.thermal.zones[0].celsius.reset();
      break;
    case SoakFault::mute:
      drive.unheard = true;
      break;
    case SoakFault::no_yaw:
      drive.yaw_rate.reset();
      break;
    case SoakFault::lie:
      drive.told_speed = 300;
      break;
    case SoakFault::reverse:
      drive.gear = Gear::reverse;
      break;
    case SoakFault::bus_down:
      drive.ours.down();
      break;
    case SoakFault::bus_off:
      drive.ours.bus_off(a.until - now);
      break;
    case SoakFault::bus_full:
      drive.ours.queue_full(true);
      break;
    case SoakFault::red_gone:
      drive.lamp.unplugged = true;
      break;
    case SoakFault::amber_gone:
      drive.amber.unplugged = true;
      break;
    case SoakFault::tone_gone:
      drive.tone.unplugged = true;
      break;
    case SoakFault::disk_full:
      fill_disk();
      break;
    case SoakFault::vision_point:
      a.points = one_of({"vision.detect:fail=EIO", "vision.prepare:fail=EIO"});
      break;
    case SoakFault::disk_point:
      a.points = one_of({"events.*:fail=ENOSPC", "events.sync:fail=EIO", "records.*:fail=EROFS",
                         "records.sync:fail=EIO", "codes.*:fail=ENOSPC",
                         "events.write:fail=EIO:chance=0.3", "records.write:fail=EIO:chance=0.3",
                         "events.*:hang=5;records.*:hang=5;codes.*:hang=5"});
      break;
    case SoakFault::wake_point:
      a.points = one_of({"thread.capture:hang=3:chance=0.2", "thread.process:hang=3:chance=0.2"});
      break;
    case SoakFault::flood:
    case SoakFault::watchdog:
      break;  // see keep()
  }
  active_.push_back(a);
  if (!a.points.empty()) plan();
}

/// What has to be done again each round.
void SoakFaults::keep(Drive& drive, const Active& a) {
  switch (a.fault) {
    case SoakFault::damaged:
      if ((drive.clock.now() - a.from) / Controller::kTick % 3 == 0)
        drive.eye(a.camera).camera->fail_next({Errc::damaged, 0, "the fault"});
      break;
    case SoakFault::flood:
      for (int i = 0; i < 40; ++i) drive.send(can::encode(can::ServiceMessage{}));
      break;
    case SoakFault::watchdog:
      drive.watchdog.fail_next = Error{Errc::io, EBUSY, "kick the watchdog"};
      break;
    default:
      break;
  }
}

/// True when it is over.
bool SoakFaults::mend(Drive& drive, Active& a) {
  Drive::Eye& eye = drive.eye(a.camera);
  switch (a.fault) {
    case SoakFault::gone: {
      eye.plug->fails = Errc::end;
      // Opened again at its next attempt.
      if (eye.pipeline->facts().condition == CameraCondition::gone) return false;
      eye.films = true;
      break;
    }
    case SoakFault::silent:
    case SoakFault::no_signal:
    case SoakFault::damaged:
      eye.plug->fails = Errc::end;
      eye.films = true;
      break;
    case SoakFault::broken:
      eye.crowd->broken = false;
      break;
    case SoakFault::hung:
      eye.preparer->stuck = false;
      if (!comes_to_be([&] { return eye.camera->waiting() == 0 && eye.camera->loans() == 0; }))
        return false;
      eye.awaited = true;
      break;
    case SoakFault::frozen:
      drive.frozen = false;
      break;
    case SoakFault::dark:
    case SoakFault::white:
      drive.brightness = 120;
      break;
    case SoakFault::hot:
    case SoakFault::unreadable:
      drive.thermal.zones[0].celsius = 40;
      break;
    case SoakFault::mute:
      drive.unheard = false;
      break;
    case SoakFault::no_yaw:
      drive.yaw_rate = 0;
      break;
    case SoakFault::lie:
      drive.told_speed.reset();
      break;
    case SoakFault::reverse:
      drive.gear = Gear::drive;
      break;
    case SoakFault::bus_down:
      drive.ours.up();
      break;
    case SoakFault::bus_full:
      drive.ours.queue_full(false);
      break;
    case SoakFault::red_gone:
      drive.lamp.unplugged = false;
      break;
    case SoakFault::amber_gone:
      drive.amber.unplugged = false;
      break;
    case SoakFault::tone_gone:
      drive.tone.unplugged = false;
      break;
    case SoakFault::watchdog:
      drive.watchdog.fail_next.reset();
      break;
    case SoakFault::disk_full:
      limit_files(RLIM_INFINITY);
      break;
    case SoakFault::vision_point:
    case SoakFault::disk_point:
    case SoakFault::wake_point:
      a.points.clear();
      plan();
      break;
    case SoakFault::bus_off:
    case SoakFault::flood:
      break;
  }
  return true;
}

void SoakFaults::end_all(Drive& drive) {
  for (Active& a : active_) {
    a.mending = true;
    if (a.fault == SoakFault::bus_off) drive.ours.restart();
  }
  for (Active& a : active_) static_cast<void>(mend(drive, a));
  active_.clear();
  next_.reset();
}

/// A write that reaches beyond the end of one of the files is cut short, and the next one fails.
void SoakFaults::fill_disk() {
  std::uintmax_t bytes = 0;
  if (!files_.empty()) {
    std::error_code none;
    const std::uintmax_t size =
        std::filesystem::file_size(files_[random_.next() % files_.size()], none);
    if (!none) bytes = size + random_.next() % 400;
  }
  limit_files(static_cast<rlim_t>(bytes));
}

}  // namespace kerb::test
