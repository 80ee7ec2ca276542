// SPDX-License-Identifier: Apache-2.0
#include "drivers/pwm/linux_pwm.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "drivers/base/errors.hpp"
#include "hal/base/fault_point.hpp"

namespace kerb {
namespace {

constexpr double kNanosPerSecond = 1e9;

std::optional<std::int64_t> read_number(const std::string& path) {
  const UniqueFd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  char buffer[32];
  const ssize_t size = file ? ::read(file.get(), buffer, sizeof buffer) : -1;
  if (size <= 0) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(buffer, buffer + size, value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

/// One write from the beginning of the file, as the kernel wants it. False: errno says why.
bool write_number(int fd, std::int64_t value) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer - 1, value);
  *end = '\n';
  const auto size = static_cast<std::size_t>(end - buffer) + 1;
  const ssize_t written = ::pwrite(fd, buffer, size, 0);
  return written == static_cast<ssize_t>(size);
}
bool write_number(const std::string& path, std::int64_t value) {
  const UniqueFd file{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
  return file && write_number(file.get(), value);
}

/// The kernel's polarity turned back, where it is inversed and the chip has two: which level is the
/// bright one is LinuxPwmOptions' to say.
bool make_polarity_normal(const std::string& folder) {
  constexpr std::string_view kNormal = "normal\n", kInversed = "inversed";
  const std::string path = folder + "/polarity";
  char buffer[16];
  const UniqueFd now{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!now) return errno == ENOENT;  // it has one
  const ssize_t size = ::read(now.get(), buffer, sizeof buffer);
  if (size < 0) return false;
  if (!std::string_view{buffer, static_cast<std::size_t>(size)}.starts_with(kInversed)) return true;
  // It may change only while the channel is off; one that is off already may refuse to be told so.
  static_cast<void>(write_number(folder + "/enable", 0));
  const UniqueFd file{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
  return file && ::pwrite(file.get(), kNormal.data(), kNormal.size(), 0) ==
                     static_cast<ssize_t>(kNormal.size());
}

bool is_folder(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

Result<std::unique_ptr<LinuxPwm>> LinuxPwm::open(const LinuxPwmOptions& options) {
  const std::string folder = options.chip + "/pwm" + std::to_string(options.channel);
  const Text<112> name{std::string_view{folder}};
  const auto fails = [&] { return open_error(errno, "open PWM channel", name.view()); };
  const std::optional<std::int64_t> channels = read_number(options.chip + "/npwm");
  if (!channels)
    return Error{Errc::not_found, ENOENT, "open PWM chip", std::string_view{options.chip}};
  if (options.channel < 0 || options.channel >= *channels)
    return Error{Errc::invalid_argument, 0, "open PWM channel: the chip has no such channel", name};
  if (fault_point("pwm.open")) return fails();
  if (!is_folder(folder) && !write_number(options.chip + "/export", options.channel))
    return use_error(errno, "export PWM channel", name.view());

  const auto period =
      static_cast<std::int64_t>(std::llround(kNanosPerSecond / options.frequency_hz));
  UniqueFd duty{::open((folder + "/duty_cycle").c_str(), O_WRONLY | O_CLOEXEC)};
  if (!duty) return fails();
  // The kernel refuses a period that is shorter than the pulse, and a pulse longer than the period.
  const std::int64_t pulse = read_number(folder + "/duty_cycle").value_or(0);
  if (pulse > period && !write_number(duty.get(), 0)) return fails();
  if (!write_number(folder + "/period", period)) return fails();
  if (!make_polarity_normal(folder)) return fails();  // refused while there is no period
  std::unique_ptr<LinuxPwm> out{new LinuxPwm{std::move(duty), period, options.active_low, name}};
  if (Status s = out->set(1); !s) return s.error();
  if (!write_number(folder + "/enable", 1)) return fails();
  return out;
}

LinuxPwm::~LinuxPwm() { static_cast<void>(set(1)); }

Status LinuxPwm::set(double share) {
  if (!(share >= 0 && share <= 1))
    return Error{Errc::invalid_argument, 0, "set PWM: not a share of 0..1", name_};
  const double high = active_low_ ? 1 - share : share;
  const std::int64_t pulse = std::llround(static_cast<double>(period_ns_) * high);
  if (fault_point("pwm.set") || !write_number(duty_.get(), pulse))
    return use_error(errno, "set PWM", name_.view());
  return Done{};
}

}  // namespace kerb
