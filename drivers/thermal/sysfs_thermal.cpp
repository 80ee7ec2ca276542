// SPDX-License-Identifier: Apache-2.0
#include "drivers/thermal/sysfs_thermal.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "hal/base/fault_point.hpp"

namespace kerb {
namespace {

std::string_view trim(std::string_view text) noexcept {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

bool parse_whole(std::string_view text, int& value) noexcept {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

// What a small sysfs file holds; empty when it cannot be read.
Text<32> read_text(const std::string& path) {
  const UniqueFd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  char buffer[128];
  const ssize_t size = file ? ::read(file.get(), buffer, sizeof buffer) : -1;
  return size <= 0 ? Text<32>{} : Text<32>{trim({buffer, static_cast<std::size_t>(size)})};
}

}  // namespace

std::optional<double> parse_millidegrees(std::string_view text) noexcept {
  int value = 0;
  if (!parse_whole(trim(text), value)) return std::nullopt;
  if (value < -50'000 || value > 200'000) return std::nullopt;
  return value / 1000.0;
}

Result<std::unique_ptr<SysfsThermal>> SysfsThermal::open(const SysfsThermalOptions& options) {
  constexpr std::string_view kPrefix = "thermal_zone";
  const std::unique_ptr<DIR, int (*)(DIR*)> folder{::opendir(options.root.c_str()), ::closedir};
  if (!folder)
    return Error{Errc::not_found, errno, "open thermal zones", std::string_view{options.root}};
  std::vector<Zone> zones;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    Zone zone{};
    if (!name.starts_with(kPrefix) || !parse_whole(name.substr(kPrefix.size()), zone.number))
      continue;
    const std::string path = options.root + "/" + entry->d_name;
    zone.temp.reset(::open((path + "/temp").c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!zone.temp) continue;
    zone.type = read_text(path + "/type");
    if (zone.type.empty()) zone.type = name;
    zones.push_back(std::move(zone));
  }
  if (zones.empty())
    return Error{Errc::not_found, 0, "open thermal zones: none in this folder",
                 std::string_view{options.root}};
  std::sort(zones.begin(), zones.end(),
            [](const Zone& a, const Zone& b) { return a.number < b.number; });
  return std::unique_ptr<SysfsThermal>{new SysfsThermal{std::move(zones), options.root}};
}

Result<ThermalReading> SysfsThermal::hottest() {
  std::optional<ThermalReading> best;
  bool any_left = false;
  int last_error = 0;
  for (const Zone& zone : zones_) {
    char buffer[32];
    const ssize_t size =
        fault_point("thermal.read") ? -1 : ::pread(zone.temp.get(), buffer, sizeof buffer, 0);
    if (size < 0) {
      last_error = errno;
      any_left |= errno != ENODEV;  // what sysfs answers for a zone that was taken away
      continue;
    }
    any_left = true;
    const std::optional<double> celsius =
        parse_millidegrees({buffer, static_cast<std::size_t>(size)});
    if (celsius && (!best || *celsius > best->celsius)) best = ThermalReading{*celsius, zone.type};
  }
  if (best) return *best;
  if (!any_left) return Error{Errc::gone, last_error, "read thermal zones: none is left", root_};
  return Error{Errc::io, last_error, "read thermal zones: none can be read", root_};
}

}  // namespace kerb
