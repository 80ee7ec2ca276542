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
  WarningRules rules;   ///< of the sensitivity normal
  Sensitivity sensitivity = Sensitivity::normal;
  std::vector<RecordedCamera> cameras;  ///< at most WarningLogic::kMostCameras
};

/// What is in the first chunk of a record.
struct RecordHeader {
  RecordedSettings settings;
  Nanos began{};                            ///< the warning, on the clock
  Nanos utc{};                              ///< the same moment since 1970, as far as the car knows
  WarningLevel level = WarningLevel::none;  ///< it began with
};

/// No settings are longer in the header: names are cut.
inline constexpr std::size_t kMostSettings = 8192;

/// The version of the product stands in front of the table: see record_file.cpp.
template <typename F>
void fields(F& f, FieldsOf<F, RecordHeader>& h) {
  f.structure("RecordHeader")("sensitivity", h.settings.sensitivity)("rules", h.settings.rules);
  auto& cameras = h.settings.cameras;
  int count = static_cast<int>(cameras.size());
  f.list("cameras", count, WarningLogic::kMostCameras, [&](std::size_t i) {
    if constexpr (F::kReads) cameras.resize(i + 1);
    auto& c = cameras[i];
    f("name", c.name)("model", c.model)("tracker", c.tracker)("car", c.car)("contact", c.contact);
  });
  f("began", h.began)("utc", h.utc)("level", h.level);
  if constexpr (F::kReads)
    if (h.level > WarningLevel::collision || h.settings.sensitivity > Sensitivity::early) f.fail();
}

}  // namespace kerb::records
