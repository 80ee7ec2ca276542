// SPDX-License-Identifier: Apache-2.0
#include "firmware/main/guard.hpp"

#include <csignal>
#include <filesystem>
#include <memory>
#include <system_error>

#include "drivers/gpio/linux_output_line.hpp"
#include "drivers/guard/process_guard.hpp"
#include "firmware/warning/reopening_outputs.hpp"
#include "hal/base/clock.hpp"

namespace kerb {
namespace {

/// A lamp that may come later.
std::unique_ptr<OutputLine> lamp(const LampSettings& settings, int line, bool active_low,
                                 bool amber, const Clock& clock, Log& log) {
  if (!settings.enabled) return nullptr;
  LinuxOutputLineOptions options;
  options.chip = settings.chip;
  options.line = static_cast<std::uint32_t>(line);
  options.active_low = active_low;
  options.on_when_opened = options.on_when_closed = amber;
  options.consumer = "kerbwatch guard";
  const auto open = [options]() -> Result<std::unique_ptr<OutputLine>> {
    Result<std::unique_ptr<LinuxOutputLine>> opened = LinuxOutputLine::open(options);
    if (!opened) return opened.error();
    return std::unique_ptr<OutputLine>{std::move(*opened)};
  };
  return std::make_unique<ReopeningLine>(nullptr, open, amber ? "status lamp" : "warning lamp",
                                         clock, log);
}

}  // namespace

int run_guard(const Config& config, const std::string& config_path, bool json, Log& log) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    log.error("guard", "find the program: " + error.message());
    return 1;
  }
  // The guard's times are of the product's clock, which an emulated board slows down.
  const SystemClock clock{config.clock_rate};
  const LampSettings& settings = config.lamp;
  const std::unique_ptr<OutputLine> amber =
      lamp(settings, settings.status_line, settings.status_is_low(), true, clock, log);
  const std::unique_ptr<OutputLine> red =
      lamp(settings, settings.warning_line, settings.warning_is_low(), false, clock, log);
  ProcessGuardOptions options;
  options.command = {program.string(), "run", "--config", config_path};
  if (json) options.command.emplace_back("--log-json");
  for (Nanos* time : {&options.patience, &options.hang, &options.first_wait, &options.longest_wait,
                      &options.worked, &options.ending})
    *time = clock.real(*time);
  return guard_process(options, amber.get(), red.get(), log);
}

}  // namespace kerb
