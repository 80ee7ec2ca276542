// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "firmware/records/chunk.hpp"
#include "firmware/risk/fields.hpp"
#include "firmware/track/fields.hpp"
#include "firmware/types/fields.hpp"
#include "firmware/types/people_report_fields.hpp"
#include "firmware/warning/fields.hpp"
#include "hal/can_bus.hpp"

/// What is in each chunk, field by field; beside fields.hpp of firmware/track, risk and warning.
namespace kerb {

namespace records {

using Reports = std::array<const risk::PeopleReport*, WarningLogic::kMostCameras>;

/// One round of the controller.
struct Round {
  Nanos now{};
  std::array<std::optional<Nanos>, WarningLogic::kMostCameras> reports{};  ///< their `at`
  DriverSide side;
  WarningDecision decision;
};
template <typename F>
void fields(F& f, FieldsOf<F, Round>& r) {
  f(r.now, r.reports, r.side, r.decision);
}

/// The level changed in this round.
struct Marker {
  Nanos now{};
  WarningLevel from = WarningLevel::none, to = WarningLevel::none;
};
template <typename F>
void fields(F& f, FieldsOf<F, Marker>& m) {
  f(m.now, m.from, m.to);
}

/// In front of a picture's own bytes.
struct PictureHead {
  enum class Format : std::uint8_t { jpeg = 1, grey8 = 2 };
  Nanos captured{};
  Format format = Format::grey8;
  std::uint8_t shrunk = 1;  ///< to so small a share of the camera's rows and columns
  std::uint16_t width = 0, height = 0;
};
template <typename F>
void fields(F& f, FieldsOf<F, PictureHead>& p) {
  f(p.captured, p.format, p.shrunk, p.width, p.height);
}
inline constexpr std::size_t kPictureHead = 14;

/// A short text: its length in a byte, then it.
template <typename F>
void text_fields(F& f, FieldsOf<F, std::string>& text) {
  if constexpr (F::kReads) {
    std::uint8_t size = 0;
    f(size);
    const std::span<const std::byte> bytes = f.bytes(size);
    text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  } else {
    const std::span<const char> kept{text.data(), text.size() < 255 ? text.size() : 255};
    f(static_cast<std::uint8_t>(kept.size()));
    f.bytes(std::as_bytes(kept));
  }
}

}  // namespace records

/// A CAN frame: the bytes in use alone.
template <typename F>
void fields(F& f, FieldsOf<F, CanFrame>& c) {
  f(c.id, c.extended, c.remote, c.fd, c.bit_rate_switch, c.received);
  if constexpr (F::kReads) {
    int size = 0;
    f.count(size, 64);
    c.size = static_cast<std::uint8_t>(size);
  } else {
    f.count(c.size, 64);
  }
  for (std::size_t i = 0; i < c.size; ++i) f(c.data[i]);
}

}  // namespace kerb
