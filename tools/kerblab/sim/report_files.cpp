// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/sim/report_files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>
#include <variant>

#include "tools/kerblab/app/command.hpp"

namespace kerb::lab {

std::optional<std::vector<sim::NamedReport>> read_reports(const std::vector<std::string>& files) {
  std::vector<sim::NamedReport> out;
  for (const std::string& file : files) {
    std::ifstream in{file, std::ios::binary};
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (!in) {
      fail(fmt::format("{}: {}", file, std::strerror(errno != 0 ? errno : EIO)));
      return std::nullopt;
    }
    std::variant<sim::Report, std::string> read = sim::parse_report(text);
    if (const auto* problem = std::get_if<std::string>(&read)) {
      fail(fmt::format("{}: {}", file, *problem));
      return std::nullopt;
    }
    out.push_back({file, std::move(std::get<sim::Report>(read))});
  }
  return out;
}

}  // namespace kerb::lab
