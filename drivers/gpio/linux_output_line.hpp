// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "drivers/base/unique_fd.hpp"
#include "hal/output_line.hpp"

namespace kerb {

struct LinuxOutputLineOptions {
  std::string chip =
      "/dev/gpiochip0";         ///< a path, "gpiochip0", "0", or a chip's label ("tegra234-gpio")
  std::uint32_t line = 0;       ///< offset on that chip
  bool active_low = false;      ///< on is the low level
  bool on_when_opened = false;  ///< driven from the moment the line is taken
  bool on_when_closed = false;  ///< what the destructor leaves behind
  std::string consumer = "kerbwatch";  ///< who holds the line, as gpioinfo shows it
};

/// A line of a GPIO character device (uAPI v2), held as an output from open() until destroyed;
/// driven to `on_when_opened` at first, and to `on_when_closed` at the end. Whether the pin keeps
/// that level once the line is released depends on the chip's driver; a killed process releases it
/// without driving it. Each call is one ioctl. One thread at a time.
class LinuxOutputLine final : public OutputLine {
 public:
  /// Fails: not_found (no such chip), unsupported (not a GPIO chip), invalid_argument (the chip has
  /// no such line), io (the line is held by someone else, or not permitted).
  static Result<std::unique_ptr<LinuxOutputLine>> open(const LinuxOutputLineOptions& options);
  ~LinuxOutputLine() override;
  LinuxOutputLine(const LinuxOutputLine&) = delete;
  LinuxOutputLine& operator=(const LinuxOutputLine&) = delete;

  Status set(bool on) override;
  [[nodiscard]] Result<bool> get() const override;

 private:
  LinuxOutputLine(UniqueFd line, Text<112> name, bool on_when_closed)
      : line_{std::move(line)}, name_{name}, on_when_closed_{on_when_closed} {}
  UniqueFd line_;
  Text<112> name_;  // "/dev/gpiochip0 line 5"
  bool on_when_closed_;
};

}  // namespace kerb
