// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/linux_output_line.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "drivers/base/errors.hpp"
#include "hal/base/fault_point.hpp"

namespace kerb {
namespace {

struct Chip {
  UniqueFd fd;
  std::string path;
  std::uint32_t lines = 0;
};

bool is_chip(int fd, gpiochip_info& info) {
  return ::ioctl(fd, GPIO_GET_CHIPINFO_IOCTL, &info) == 0;
}

Result<Chip> open_path(const std::string& path) {
  // Only a character device is opened: opening something else may have effects.
  struct stat status {};
  if (::stat(path.c_str(), &status) < 0) return open_error(errno, "open GPIO chip", path);
  if (!S_ISCHR(status.st_mode))
    return Error{Errc::unsupported, 0, "open GPIO chip: not a GPIO chip", std::string_view{path}};
  UniqueFd fd{::open(path.c_str(), O_RDWR | O_CLOEXEC)};
  if (!fd) return open_error(errno, "open GPIO chip", path);
  gpiochip_info info{};
  if (!is_chip(fd.get(), info))
    return Error{Errc::unsupported, errno, "open GPIO chip: not a GPIO chip",
                 std::string_view{path}};
  return Chip{std::move(fd), path, info.lines};
}

Result<Chip> open_label(const std::string& label) {
  std::unique_ptr<DIR, int (*)(DIR*)> folder{::opendir("/dev"), ::closedir};
  while (folder) {
    const dirent* entry = ::readdir(folder.get());
    if (entry == nullptr) break;
    if (!std::string_view{entry->d_name}.starts_with("gpiochip")) continue;
    const std::string path = std::string{"/dev/"} + entry->d_name;
    UniqueFd fd{::open(path.c_str(), O_RDWR | O_CLOEXEC)};
    gpiochip_info info{};
    if (fd && is_chip(fd.get(), info) && label == info.label)
      return Chip{std::move(fd), path, info.lines};
  }
  return Error{Errc::not_found, 0, "open GPIO chip: no chip has this label",
               std::string_view{label}};
}

Result<Chip> open_chip(const std::string& name) {
  if (name.empty()) return Error{Errc::invalid_argument, 0, "open GPIO chip: the name is empty"};
  if (name.front() == '/') return open_path(name);
  const bool number =
      std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (number) return open_path("/dev/gpiochip" + name);
  if (std::string_view{name}.starts_with("gpiochip")) return open_path("/dev/" + name);
  return open_label(name);
}

}  // namespace

Result<std::unique_ptr<LinuxOutputLine>> LinuxOutputLine::open(
    const LinuxOutputLineOptions& options) {
  Result<Chip> chip = open_chip(options.chip);
  if (!chip) return chip.error();
  const Text<112> name{std::string_view{chip->path + " line " + std::to_string(options.line)}};
  if (options.line >= chip->lines) {
    const std::string has = " of " + std::to_string(chip->lines);
    return Error{Errc::invalid_argument, 0, "take GPIO line: the chip has no such line",
                 Text<112>{name}.append(has)};
  }
  gpio_v2_line_request request{};
  request.num_lines = 1;
  request.offsets[0] = options.line;
  request.config.flags = GPIO_V2_LINE_FLAG_OUTPUT;
  if (options.active_low) request.config.flags |= GPIO_V2_LINE_FLAG_ACTIVE_LOW;
  request.config.num_attrs = 1;  // its level from the first moment
  request.config.attrs[0].mask = 1;
  request.config.attrs[0].attr.id = GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES;
  request.config.attrs[0].attr.values = options.on_when_opened ? 1 : 0;
  options.consumer.copy(request.consumer, sizeof request.consumer - 1);
  if (fault_point("gpio.open") || ::ioctl(chip->fd.get(), GPIO_V2_GET_LINE_IOCTL, &request) < 0) {
    if (errno == ENOTTY)
      return Error{Errc::unsupported, errno, "take GPIO line: needs Linux 5.10", name};
    return use_error(errno, "take GPIO line", name.view());
  }
  return std::unique_ptr<LinuxOutputLine>{
      new LinuxOutputLine{UniqueFd{request.fd}, name, options.on_when_closed}};
}

LinuxOutputLine::~LinuxOutputLine() { static_cast<void>(set(on_when_closed_)); }

Status LinuxOutputLine::set(bool on) {
  gpio_v2_line_values values{};
  values.bits = on ? 1 : 0;
  values.mask = 1;
  if (fault_point("gpio.set") || ::ioctl(line_.get(), GPIO_V2_LINE_SET_VALUES_IOCTL, &values) < 0)
    return use_error(errno, "set GPIO line", name_.view());
  return Done{};
}

Result<bool> LinuxOutputLine::get() const {
  gpio_v2_line_values values{};
  values.mask = 1;
  if (fault_point("gpio.get") || ::ioctl(line_.get(), GPIO_V2_LINE_GET_VALUES_IOCTL, &values) < 0)
    return use_error(errno, "read GPIO line", name_.view());
  return (values.bits & 1) != 0;
}

}  // namespace kerb
