// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "firmware/ego/ego_motion.hpp"
#include "firmware/replay/chunk.hpp"
#include "firmware/risk/contact.hpp"
#include "firmware/risk/people_report.hpp"
#include "firmware/state/fields.hpp"
#include "firmware/track/camera_model.hpp"
#include "firmware/track/senses.hpp"
#include "firmware/track/tracker.hpp"
#include "firmware/warning/warning_logic.hpp"
#include "hal/can_bus.hpp"

/// What is in each chunk, field by field. A struct that grows fails to compile here: write the new
/// field down too, and raise kFormat.
namespace kerb {

template <typename F>
void fields(F& f, FieldsOf<F, ego::VehicleMotion>& v) {
  static_assert(sizeof(ego::VehicleMotion) == 32);
  f(v.speed_mps, v.yaw_rate_radps);
}
template <typename F>
void fields(F& f, FieldsOf<F, Detection>& d) {
  static_assert(sizeof(Detection) == 20);
  f(d.x, d.y, d.w, d.h, d.score);
}
template <typename F>
void fields(F& f, FieldsOf<F, track::Signature>& s) {
  static_assert(sizeof(track::Signature) == 4 + 4 * track::Signature::kSize);
  f(s.known);
  if (s.known) f(s.values);
}
template <typename F>
void fields(F& f, FieldsOf<F, track::BoxFlow>& b) {
  static_assert(sizeof(track::BoxFlow) == 24);
  f(b.points, b.dx, b.dy, b.growth, b.sigma_px, b.growth_sigma);
}
/// The entries in use alone.
template <typename F>
void fields(F& f, FieldsOf<F, track::Senses>& s) {
  constexpr std::size_t kMost = track::Senses::kMost;
  static_assert(sizeof(track::Senses) ==
                16 + kMost * (20 + sizeof(track::Signature) + 1 + 24) + 8 + 32 + 2 * 16 + 8);
  f(s.captured, s.looked);
  f.count(s.count, track::Senses::kMost);
  for (std::size_t i = 0; i < static_cast<std::size_t>(s.count); ++i)
    f(s.boxes[i], s.looks[i], s.flow_says_moves[i]);
  f.count(s.followed, track::Senses::kMost);
  for (std::size_t i = 0; i < static_cast<std::size_t>(s.followed); ++i) f(s.flows[i]);
  f(s.vehicle, s.yaw_rate_radps, s.pitch_rad, s.pitch_sigma_rad);
}
template <typename F>
void fields(F& f, FieldsOf<F, track::Person>& p) {
  static_assert(sizeof(track::Person) == 24 + 4 * 8 + 16 * 8 + 2 * 8 + 24 + 8 + 8);
  f(p.id, p.first_seen, p.last_seen, p.x_m, p.y_m, p.vx_mps, p.vy_mps, p.covariance, p.height_m,
    p.height_sigma_m, p.box, p.certainty, p.confirmed, p.seen);
}
template <typename F>
void fields(F& f, FieldsOf<F, risk::Contact>& c) {
  static_assert(sizeof(risk::Contact) == 56);
  f(c.probability, c.time_s, c.closest_m, c.closest_in_s, c.ahead_m, c.beside_m);
}
template <typename F>
void fields(F& f, FieldsOf<F, risk::PeopleReport>& r) {
  static_assert(sizeof(risk::PeopleReport) ==
                40 + 8 +
                    track::PersonList::kCapacity * (sizeof(track::Person) + sizeof(risk::Contact)));
  f(r.at, r.path_known, r.speed_mps, r.acceleration_mps2, r.yaw_rate_radps);
  f.count(r.people.count, track::PersonList::kCapacity);
  for (int i = 0; i < r.people.count; ++i) f(r.people.items[i], r.contacts[i]);
}
template <typename F>
void fields(F& f, FieldsOf<F, DriverSide>& d) {
  static_assert(sizeof(DriverSide) == 8 + 2 * 16 + 8);
  f(d.readiness, d.speed_mps, d.yaw_rate_radps, d.gear, d.turn_signal);
}
template <typename F>
void fields(F& f, FieldsOf<F, WarningDecision>& d) {
  static_assert(sizeof(WarningDecision) == 32);
  f(d.level, d.time_to_collision_s, d.person);
  if constexpr (F::kReads)
    if (d.level > WarningLevel::collision) f.fail();
}
template <typename F>
void fields(F& f, FieldsOf<F, track::CameraModel>& c) {
  static_assert(sizeof(track::CameraModel) == 8 + 15 * 8);
  f(c.width, c.height, c.focal_px, c.center_x, c.center_y, c.k1, c.k2, c.k3, c.p1, c.p2, c.height_m,
    c.pitch_rad, c.yaw_rad, c.roll_rad, c.ahead_m, c.left_m, c.pitch_sigma_rad);
}
template <typename F>
void fields(F& f, FieldsOf<F, track::TrackerSettings>& t) {
  static_assert(sizeof(track::TrackerSettings) == 8);
  f(t.birth_score);
}
template <typename F>
void fields(F& f, FieldsOf<F, risk::CarShape>& c) {
  static_assert(sizeof(risk::CarShape) == 24);
  f(c.width_m, c.length_m, c.axle_to_bumper_m);
}
template <typename F>
void fields(F& f, FieldsOf<F, risk::ContactSettings>& c) {
  static_assert(sizeof(risk::ContactSettings) == 16);
  f(c.horizon_s, c.person_radius_m);
}

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
