// SPDX-License-Identifier: Apache-2.0
#include "firmware/main/diagnostics_setup.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include "firmware/diagnostics/calibration.hpp"
#include "firmware/events/events.hpp"
#include "firmware/main/version.hpp"
#include "firmware/records/decisions_version.hpp"
#include "firmware/vision/vision.hpp"
#include "hal/base/crc32.hpp"

namespace kerb {
namespace {

std::uint32_t crc_of_file(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  std::array<char, 1 << 16> part{};
  std::uint32_t crc = 0;
  while (in.read(part.data(), part.size()) || in.gcount() > 0) {
    const auto bytes = std::as_bytes(std::span{part}).first(static_cast<std::size_t>(in.gcount()));
    crc = crc32(bytes.data(), bytes.size(), crc);
  }
  return crc;
}

/// As the board's firmware tells it; empty where it does not.
std::string board_serial() {
  std::ifstream in{"/proc/device-tree/serial-number", std::ios::binary};
  std::string serial;
  std::getline(in, serial, '\0');
  return serial;
}

diagnostics::Identity identity_of(const Config& config) {
  diagnostics::Identity out;
  out.software = kVersion;
  const std::string& serial = config.diagnostics.serial;
  out.serial.assign(serial.empty() ? board_serial() : serial);
  out.vin.assign(config.diagnostics.vin);
  if (config.detector.enabled) {
    if (const std::string model = find_models(config.detector).model; !model.empty()) {
      out.model.assign(std::filesystem::path{model}.filename().string());
      out.model_crc = crc_of_file(model);
    }
  }
  out.calibration_crc = diagnostics::calibration_crc(config.cameras);
  out.decisions = static_cast<std::uint16_t>(records::kDecisionsVersion);
  return out;
}

}  // namespace

Diagnostician open_diagnostics(const Config& config, DiagnosticLink* link, Log& log) {
  Diagnostician out;
  if (!config.diagnostics.enabled) return out;
  out.setup = std::make_unique<diagnostics::Setup>();
  diagnostics::Setup& setup = *out.setup;
  setup.identity = identity_of(config);
  setup.link = link;
  setup.cameras = static_cast<int>(config.cameras.size());
  setup.cycle = events::boot_id().view();
  // Where a service manager waits for us, it starts us again: quick-start-jetson.md.
  setup.restarts = std::getenv("NOTIFY_SOCKET") != nullptr;
  diagnostics::DtcStoreOptions options;
  options.path = config.diagnostics.path;
  Result<std::unique_ptr<diagnostics::DtcStore>> store = diagnostics::DtcStore::open(options);
  if (!store) {
    log.error("diagnostics", describe(store.error()) + "; trouble codes end with the program");
    return out;
  }
  out.store = std::move(*store);
  setup.store = out.store.get();
  if (const Result<diagnostics::DtcImage>& kept = out.store->kept()) {
    setup.image = *kept;
  } else if (kept.error().code != Errc::not_found) {
    log.error("diagnostics", describe(kept.error()) + "; trouble codes begin anew");
  }
  return out;
}

}  // namespace kerb
