// SPDX-License-Identifier: Apache-2.0
#include "firmware/can/vehicle_decoder.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "firmware/can/crc8.hpp"

namespace kerb::can {
namespace {

constexpr unsigned kMostBytes = 8, kBits = 64;

std::uint64_t mask(unsigned length) noexcept {
  return length >= kBits ? ~std::uint64_t{0} : (std::uint64_t{1} << length) - 1;
}

Choice choice_of(TurnSignal signal) noexcept { return {static_cast<double>(signal), true}; }

}  // namespace

std::uint64_t VehiclePayload::get(SignalBits bits) const noexcept {
  if (bits.length == 0) return 0;
  if (!bits.big_endian) return little >> bits.start & mask(bits.length);
  const unsigned from_first = bits.start / 8 * 8u + (7u - bits.start % 8);
  return big >> (kBits - from_first - bits.length) & mask(bits.length);
}

std::optional<std::size_t> message_of(const VehicleLayout& layout, const CanFrame& frame) noexcept {
  const std::span<const VehicleMessage> all = layout.all_messages();
  const auto found = std::ranges::find_if(all, [&](const VehicleMessage& message) {
    return message.id == frame.id && message.extended == frame.extended;
  });
  if (found == all.end()) return std::nullopt;
  return static_cast<std::size_t>(found - all.begin());
}

std::uint8_t checksum_of(const VehicleMessage& message, const CanFrame& frame) noexcept {
  const std::uint16_t id = message.data_id.value_or(0);
  std::array<std::uint8_t, 2 + kMostBytes> covered{};
  std::size_t size = 0;
  if (message.data_id) {
    covered[size++] = static_cast<std::uint8_t>(id & 0xFFu);
    covered[size++] = static_cast<std::uint8_t>(id >> 8);
  }
  for (std::size_t i = 0; i < message.size && i < kMostBytes; ++i)
    if (i != message.checksum_byte) covered[size++] = frame.data[i];
  const std::span<const std::uint8_t> bytes = std::span{covered}.first(size);
  switch (message.checksum) {
    case Checksum::none:
      break;
    case Checksum::crc8_j1850:
      return crc8(bytes);
    case Checksum::crc8_e2e1:
      return static_cast<std::uint8_t>(crc8(bytes, 0xFF) ^ 0xFFu);  // start 0, and no final XOR
    case Checksum::exclusive_or: {
      unsigned sum = 0;
      for (const std::uint8_t byte : bytes) sum ^= byte;
      return static_cast<std::uint8_t>(sum);
    }
  }
  return 0;
}

Result<VehiclePayload> open(const VehicleMessage& message, const CanFrame& frame) noexcept {
  if (frame.id != message.id || frame.extended != message.extended || frame.remote)
    return Error{Errc::invalid_argument, 0, "decode: unexpected message id"};
  if (frame.size != message.size || frame.fd)
    return Error{Errc::invalid_argument, 0, "decode: not a classic frame of the message's length"};
  if (message.checksum != Checksum::none &&
      frame.data[message.checksum_byte] != checksum_of(message, frame))
    return Error{Errc::damaged, 0, "decode: CRC"};
  VehiclePayload out;
  for (unsigned i = 0; i < std::min<unsigned>(frame.size, kMostBytes); ++i) {
    out.little |= std::uint64_t{frame.data[i]} << 8 * i;
    out.big |= std::uint64_t{frame.data[i]} << 8 * (kMostBytes - 1 - i);
  }
  if (message.counter.length > 0 &&
      out.get(message.counter) >= static_cast<std::uint64_t>(message.counter_values))
    return Error{Errc::damaged, 0, "decode: counter out of range"};
  return out;
}

std::optional<std::uint8_t> counter_of(const VehicleMessage& message,
                                       const VehiclePayload& payload) noexcept {
  if (message.counter.length == 0) return std::nullopt;
  return static_cast<std::uint8_t>(payload.get(message.counter));
}

std::optional<double> read(const NumberSignal& signal, const VehiclePayload& payload) noexcept {
  if (signal.valid.length > 0 && payload.get(signal.valid) == 0) return std::nullopt;
  auto raw = static_cast<std::int64_t>(payload.get(signal.bits));
  if (signal.is_signed && raw >> (signal.bits.length - 1) != 0)
    raw -= std::int64_t{1} << signal.bits.length;
  if (raw < signal.raw_min || raw > signal.raw_max) return std::nullopt;
  const double value = (static_cast<double>(raw) * signal.factor + signal.offset) * signal.unit;
  return payload.get(signal.negative) != 0 ? -value : value;
}

Choice read(const ChoiceSignal& signal, const VehiclePayload& payload,
            std::uint8_t not_available) noexcept {
  const auto raw = static_cast<std::uint32_t>(payload.get(signal.bits));
  for (int i = 0; i < signal.meaning_count; ++i) {
    const ChoiceSignal::Meaning& meaning = signal.meanings[static_cast<std::size_t>(i)];
    if (meaning.raw != raw) continue;
    if (meaning.value == not_available) return {std::nullopt, true};
    return {meaning.value, true};
  }
  if (signal.other) return {*signal.other, true};
  return {raw, false};
}

Choice read_turn_signal(const VehicleLayout& layout, const VehiclePayload& payload) noexcept {
  if (layout.turn_signal.message >= 0)
    return read(layout.turn_signal, payload, static_cast<std::uint8_t>(TurnSignal::not_available));
  const bool left = read(layout.turn_left, payload), right = read(layout.turn_right, payload);
  if (left && right) return choice_of(TurnSignal::hazard);
  if (left) return choice_of(TurnSignal::left);
  return choice_of(right ? TurnSignal::right : TurnSignal::off);
}

}  // namespace kerb::can
