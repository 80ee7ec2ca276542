// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "firmware/records/record_fields.hpp"

namespace kerb::records {

/// What one camera's decisions depend on beside what it sees.
struct RecordedCamera {
  std::string name;
  Camera model;
  track::TrackerSettings tracker;
  risk::CarShape car;
  risk::ContactSettings contact;
};

/// The settings of the decisions, and whose they are. The same for all records of a run.
struct RecordedSettings {
  std::string version;  ///< of the product
  Sensitivity sensitivity = Sensitivity::normal;
  std::vector<RecordedCamera> cameras;  ///< at most WarningLogic::kMostCameras
};

/// The first chunk of a record.
struct RecordHeader {
  RecordedSettings settings;
  Nanos began{};                            ///< the warning, on the clock
  Nanos utc{};                              ///< the same moment since 1970, as far as the car knows
  WarningLevel level = WarningLevel::none;  ///< it began with
};

/// What the lists of fields were made for: another number is another version's record, whether or
/// not somebody thought of raising kFormat.
constexpr std::uint32_t layout_of(std::uint16_t format) noexcept {
  std::uint32_t hash = format;
  const std::size_t senses = format < 3 ? track::kSensesWithoutLikenesses : sizeof(track::Senses);
  for (const std::size_t size :
       {sizeof(Camera), sizeof(track::FilterSettings), sizeof(track::ExistenceSettings),
        sizeof(track::MatchSettings), sizeof(track::TrackerSettings), sizeof(risk::CarShape),
        sizeof(risk::ContactSettings), senses, sizeof(track::Person), sizeof(risk::Contact),
        sizeof(risk::PeopleReport), sizeof(DriverSide), sizeof(WarningDecision),
        sizeof(WarningLogic)})
    hash = (hash ^ static_cast<std::uint32_t>(size)) * 16777619U;
  return hash;
}
inline constexpr std::uint32_t kLayout = layout_of(kFormat);

/// No header is longer: names are cut.
inline constexpr std::size_t kMostHeader = 4096;

template <typename F>
void fields(F& f, FieldsOf<F, RecordedCamera>& c) {
  text_fields(f, c.name);
  f(c.model, c.tracker, c.car, c.contact);
}
template <typename F>
void fields(F& f, FieldsOf<F, RecordHeader>& h) {
  text_fields(f, h.settings.version);
  f(h.settings.sensitivity);
  int cameras = static_cast<int>(h.settings.cameras.size());
  f.count(cameras, WarningLogic::kMostCameras);
  if constexpr (F::kReads) h.settings.cameras.resize(static_cast<std::size_t>(cameras));
  for (auto& camera : h.settings.cameras) f(camera);
  f(h.began, h.utc, h.level);
  if constexpr (F::kReads)
    if (h.level > WarningLevel::collision || h.settings.sensitivity > Sensitivity::early) f.fail();
}

}  // namespace kerb::records
