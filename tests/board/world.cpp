// SPDX-License-Identifier: Apache-2.0
#include "tests/board/world.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "tests/board/checks.hpp"

namespace kerb::board {
namespace {

constexpr const char* kLog = "/tmp/kerbwatch.log";
constexpr auto kBetweenLooks = std::chrono::milliseconds(5);

Config load(const std::string& path) {
  const LoadResult loaded = load_config(path);
  if (!loaded.ok()) throw BoardError(loaded.lines().front());
  return loaded.config;
}

std::unique_ptr<FrameWriter> connect_camera(const VividNodes& nodes) {
  connect_loop(nodes, LoopFormat{});
  return start_writer(nodes, LoopFormat{});
}

}  // namespace

std::string in_words(const can::StatusMessage& status) {
  const HealthReport& health = status.health;
  if (health.cause == Cause::none) return name_of(health.state);
  return text("%s: %s %.0f %s", name_of(health.state), name_of(health.cause), health.number,
              unit_of(health.cause));
}

World::World(std::string config_path)
    : config_path_(std::move(config_path)),
      config_(load(config_path_)),
      nodes_(find_vivid()),
      writer_(connect_camera(nodes_)),
      car_(config_.can.interface, config_.clock_rate),
      lamps_(config_.lamp.warning_line, config_.lamp.status_line) {
  std::filesystem::create_directories(std::filesystem::path(config_.events.path).parent_path());
}

World::~World() { kill_firmware(); }

void World::start_firmware(bool guarded) {
  kill_firmware();
  std::filesystem::remove(config_.events.path);
  guarded_ = guarded;
  firmware_ = std::make_unique<Process>(
      std::vector<std::string>{"/bin/kerbwatch", guarded ? "guard" : "run", "--config",
                               config_path_},
      kLog);
}

std::optional<pid_t> World::product() {
  if (!firmware_ || !firmware_->is_running()) return std::nullopt;
  return guarded_ ? child_of(firmware_->id()) : firmware_->id();
}

void World::kill_firmware() {
  const auto orphan = guarded_ ? product() : std::nullopt;  // a guard that is killed leaves it
  firmware_.reset();
  if (!orphan) return;
  ::kill(*orphan, SIGKILL);
  await([&] { return is_gone(*orphan); }, 1000);
}

void World::tell_log() const {
  if (!firmware_) return;
  std::vector<std::string> lines;
  std::istringstream log(firmware_->output());
  for (std::string line; std::getline(log, line);) lines.push_back(line);
  constexpr std::size_t kShown = 60;
  for (std::size_t i = lines.size() - std::min(lines.size(), kShown); i < lines.size(); ++i)
    std::printf("SAW   firmware: %s\n", lines[i].c_str());
}

bool World::await(const std::function<bool()>& holds, double limit_ms) const {
  const auto end = RealClock::now() + real(limit_ms);
  for (;;) {
    const bool last = RealClock::now() >= end;  // before looking, so that the last look is late
    if (holds()) return true;
    if (last) return false;
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

std::optional<HeardStatus> World::await_status(RealClock::time_point from, const Wanted& wanted,
                                               double limit_ms) const {
  std::optional<HeardStatus> found;
  const double passed = firmware_ms(RealClock::now() - from);
  await(
      [&] {
        for (const HeardStatus& status : car_.statuses(from))
          if (!found && wanted(status.message)) found = status;
        return found.has_value();
      },
      limit_ms - passed);
  return found;
}

std::optional<HeardStatus> World::await_active(RealClock::time_point from, double limit_ms) const {
  const auto active = await_status(
      from,
      [](const can::StatusMessage& status) { return status.health.state == HealthState::active; },
      limit_ms);
  if (!active || !await([&] { return lamps_.now().is_held && !lamps_.now().status; }, 100))
    return std::nullopt;
  return active;
}

}  // namespace kerb::board
