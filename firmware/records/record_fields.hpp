// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "firmware/records/chunk.hpp"
#include "firmware/risk/fields.hpp"
#include "firmware/track/fields.hpp"
#include "firmware/types/fields.hpp"
#include "firmware/types/people_report_fields.hpp"
#include "firmware/warning/fields.hpp"
#include "hal/can_bus.hpp"

/// The fields of each chunk, beside those in firmware/types, track, risk and warning.
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
  f.structure("Round")("now", r.now)("reports", r.reports)("side", r.side)("decision", r.decision);
}

/// The level changed in this round.
struct Marker {
  Nanos now{};
  WarningLevel from = WarningLevel::none, to = WarningLevel::none;
};
template <typename F>
void fields(F& f, FieldsOf<F, Marker>& m) {
  f.structure("Marker")("now", m.now)("from", m.from)("to", m.to);
}

/// In front of a picture's own bytes.
struct PictureHead {
  enum class Format : std::uint8_t { jpeg = 1, grey8 = 2 };
  Nanos captured{};
  Format format = Format::grey8;
  std::uint8_t shrunk = 1;  ///< rows and columns of the camera for each of the picture's
  std::uint16_t width = 0, height = 0;
};
template <typename F>
void fields(F& f, FieldsOf<F, PictureHead>& p) {
  f.structure("PictureHead")("captured", p.captured)("format", p.format)("shrunk", p.shrunk);
  f("width", p.width)("height", p.height);
}
inline constexpr std::size_t kPictureHead = 14;

/// What is in a logic_state chunk: the report of each camera, where there is one, and what the
/// warning logic remembers. Borrows both.
template <typename ReportsOrHeld, typename Logic>
struct LogicState {
  ReportsOrHeld& reports;
  Logic& logic;
};
template <typename F, typename R, typename L>
void fields(F& f, const LogicState<R, L>& s) {
  f.structure("LogicState")("reports", s.reports)("logic", s.logic);
}

}  // namespace records

/// A CAN frame: the bytes in use alone.
template <typename F>
void fields(F& f, FieldsOf<F, CanFrame>& c) {
  f.structure("CanFrame")("id", c.id)("extended", c.extended)("remote", c.remote)("fd", c.fd);
  f("bit_rate_switch", c.bit_rate_switch)("received", c.received);
  f.list("data", c.size, static_cast<int>(c.data.size()),
         [&](std::size_t i) { f("byte", c.data[i]); });
}

}  // namespace kerb
