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
      "/dev/gpiochip0";     ///< a path, "gpiochip0", "0", or a chip's label ("tegra234-gpio")
  std::uint32_t line = 0;   ///< offset on that chip
  bool active_low = false;  ///< on is the low level
  std::string consumer = "kerbwatch";  ///< who holds the line, as gpioinfo shows it
};

/// A line of a GPIO character device (uAPI v2), held as an output from open() until destroyed; off
/// at both ends. Each call is one ioctl. One thread at a time.
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
  LinuxOutputLine(UniqueFd line, Text<112> name) : line_{std::move(line)}, name_{name} {}
  UniqueFd line_;
  Text<112> name_;  // "/dev/gpiochip0 line 5"
};

}  // namespace kerb
