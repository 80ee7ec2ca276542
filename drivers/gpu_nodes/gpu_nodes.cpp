// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpu_nodes/gpu_nodes.hpp"

#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace kerb {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSigns[] = {
    "/dev/nvidia0",    "/dev/nvidiactl", "/proc/driver/nvidia/version",  // a card
    "/dev/nvhost-gpu", "/dev/nvgpu",     "/sys/devices/platform/gpu.0",  // of a Jetson
};

std::string first_word(const fs::path& path) {
  std::string word;
  std::ifstream{path} >> word;
  return word;
}

}  // namespace

std::optional<std::string> find_gpu(const std::string& root) {
  std::error_code error;
  for (const char* sign : kSigns)
    if (fs::exists(root + sign, error)) return sign;
  for (fs::directory_iterator it{root + "/sys/bus/pci/devices", error}, end; !error && it != end;
       it.increment(error)) {
    const bool is_display = first_word(it->path() / "class").starts_with("0x03");
    if (is_display && first_word(it->path() / "vendor") == "0x10de")
      return "PCI device " + it->path().filename().string();
  }
  return std::nullopt;
}

std::optional<Error> missing_gpu(std::optional<Errc> fell_back,
                                 const std::optional<std::string>& sign) {
  if (!fell_back || *fell_back == Errc::unsupported) return std::nullopt;
  if (*fell_back == Errc::not_found && !sign) return std::nullopt;
  return Error{*fell_back, 0, "use the GPU of this machine",
               std::string_view{sign ? *sign : std::string{}}};
}

}  // namespace kerb
