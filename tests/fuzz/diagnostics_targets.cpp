// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>

#include "firmware/diagnostics/dtc_file.hpp"
#include "firmware/diagnostics/uds_server.hpp"
#include "hal/base/crc32.hpp"
#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"

namespace kerb::fuzz {
namespace {

using namespace kerb::diagnostics;

/// Outputs of a car that may be told to drive.
class Outputs final : public OutputControl {
 public:
  bool hold(Output output, bool on, std::optional<double> speed_mps) noexcept override {
    demand(static_cast<int>(output) < kOutputCount, "outputs are known");
    if (!speed_mps || *speed_mps > 0.5) return false;
    held_[static_cast<std::size_t>(output)] = on;
    return true;
  }
  void let_go(Output output) noexcept override { held_[static_cast<std::size_t>(output)].reset(); }
  [[nodiscard]] std::optional<bool> held(Output output) const noexcept override {
    return held_[static_cast<std::size_t>(output)];
  }

 private:
  std::array<std::optional<bool>, kOutputCount> held_{};
};

bool has_sub_function(std::uint8_t sid) {
  return sid == 0x10 || sid == 0x11 || sid == 0x19 || sid == 0x3E;
}

void check_answer(Request request, bool functional, std::span<const std::uint8_t> answer) {
  if (request.empty()) return demand(answer.empty(), "nothing is not answered");
  if (answer.empty()) {
    const bool suppressed =
        has_sub_function(request[0]) && request.size() > 1 && (request[1] & 0x80U) != 0;
    return demand(functional || suppressed, "a request is answered");
  }
  if (answer[0] != 0x7F)
    return demand(answer[0] == request[0] + 0x40, "the answer to this service");
  demand(answer.size() == 3 && answer[1] == request[0], "a negative response has three bytes");
  constexpr std::uint8_t kCodes[] = {0x11, 0x12, 0x13, 0x14, 0x22, 0x31, 0x7F};
  demand(std::ranges::count(kCodes, answer[2]) == 1, "negative responses are those of the page");
  constexpr std::uint8_t kSilent[] = {0x11, 0x12, 0x31, 0x7F};
  demand(!functional || std::ranges::count(kSilent, answer[2]) == 0,
         "who cannot help all is silent");
}

}  // namespace

void uds(const std::uint8_t* data, std::size_t size) {
  std::span<const std::uint8_t> rest{data, size};
  DtcMemory memory{2};
  memory.restore({}, "1");
  Outputs outputs;
  Identity identity;
  identity.software = "1.2.3";
  UdsServer server{identity, memory, outputs, true};
  HealthMonitor monitor{{}, {}};
  Situation situation;
  // The room holds no more than a small link would.
  std::array<std::uint8_t, 300> room{};
  // Each request: a byte of what happens before it, its length, its bytes.
  while (rest.size() >= 2) {
    const std::uint8_t event = rest[0];
    const std::size_t length = std::min<std::size_t>(rest[1], rest.size() - 2);
    situation.now += std::chrono::milliseconds{100} * (event & 0x3F);
    situation.speed_mps.reset();
    if ((event & 0x40U) != 0) situation.speed_mps = event % 3;
    monitor.report(static_cast<Cause>(1 + event % (kCauseCount - 1)),
                   event % 2 == 0 ? PartState::degraded : PartState::fine, event, situation.now, 0);
    situation.health = monitor.evaluate(situation.now);
    memory.update(situation, monitor);
    server.update(situation.now);
    const Request request = rest.subspan(2, length);
    const bool functional = (event & 0x80U) != 0;
    const std::size_t answered = server.answer(request, functional, situation, room);
    demand(answered <= room.size(), "the answer is in its room");
    check_answer(request, functional, std::span{room}.first(answered));
    rest = rest.subspan(2 + length);
  }
}

void dtc_file(const std::uint8_t* data, std::size_t size) {
  // The first byte's lowest bit says whether the checksum is put right first.
  std::vector<std::byte> bytes(size > 0 ? size - 1 : 0);
  if (!bytes.empty()) std::memcpy(bytes.data(), data + 1, bytes.size());
  if (size > 0 && (data[0] & 1U) != 0 && bytes.size() > 4) {
    const std::uint32_t crc = crc32(bytes.data(), bytes.size() - 4);
    for (std::size_t i = 0; i < 4; ++i)
      bytes[bytes.size() - 4 + i] = static_cast<std::byte>(crc >> (8 * i) & 0xFFU);
  }
  const Result<DtcImage> image = decode(bytes);
  if (!image) return demand(image.error().code == Errc::damaged, "errors say what");
  const Result<DtcImage> again = decode(encode(*image));
  demand(again && again->entries == image->entries && again->cycle == image->cycle,
         "what is read can be written");
  DtcMemory memory{4};
  memory.restore(*image, "next");
  memory.each([](DtcKey key, const DtcEntry&) { demand(key_of(dtc_of(key), 4) == key, "a code"); });
}

std::vector<Bytes> uds_seeds() {
  return {{0x40, 2, 0x10, 0x03, 0x40, 5, 0x2F, 0xFD, 0x20, 0x03, 0x01, 0x40, 2, 0x3E, 0x80},
          {0x00, 3, 0x19, 0x02, 0xFF, 0x02, 6, 0x19, 0x04, 0x9A, 0x04, 0x31, 0xFF},
          {0x04, 2, 0x19, 0x0A, 0x06, 6, 0x19, 0x06, 0x9A, 0x24, 0x4B, 0xFF, 0x40, 4, 0x14, 0xFF,
           0xFF, 0xFF},
          {0x80, 7, 0x22, 0xF1, 0x89, 0xFD, 0x12, 0xFD, 0x20, 0x80, 2, 0x27, 0x01, 0x40, 2, 0x11,
           0x01}};
}

std::vector<Bytes> dtc_file_seeds() {
  DtcImage image;
  image.cycle = "0b6e6a53-7a8f-4d0e-9d0b-2f6a2b1f7c11";
  image.entries[20] = {0xAF, 3, 39, {1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}};
  std::vector<Bytes> seeds;
  for (const std::uint8_t repair : {std::uint8_t{0}, std::uint8_t{1}}) {
    Bytes seed{repair};
    for (const std::byte byte : encode(image)) seed.push_back(std::to_integer<std::uint8_t>(byte));
    seeds.push_back(std::move(seed));
  }
  return seeds;
}

}  // namespace kerb::fuzz
