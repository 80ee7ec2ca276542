// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <utility>

#include "firmware/records/record_header.hpp"
#include "firmware/types/fields.hpp"

namespace kerb::records {

/// A camera's people estimator, as a replay needs it.
class ReplayedEstimator {
 public:
  virtual ~ReplayedEstimator() = default;
  virtual void save(FieldWriter& out) const = 0;
  virtual void load(FieldReader& in) = 0;
  virtual void describe(FieldLister& out) const = 0;
  virtual void step(const track::Senses& senses, risk::PeopleReport& out) = 0;
};

/// The warning logic, as a replay needs it.
class ReplayedLogic {
 public:
  virtual ~ReplayedLogic() = default;
  virtual void save(FieldWriter& out) const = 0;
  virtual void load(FieldReader& in) = 0;
  virtual void describe(FieldLister& out) const = 0;
  virtual WarningDecision step(Nanos now, const Reports& reports, const DriverSide& side) = 0;
};

/// Makes what decided in the car once more, from the settings in the record.
class Deciders {
 public:
  virtual ~Deciders() = default;
  [[nodiscard]] virtual std::uint32_t version() const = 0;  ///< see kDecisionsVersion
  [[nodiscard]] virtual std::unique_ptr<ReplayedEstimator> estimator(
      const RecordedCamera& camera) const = 0;
  [[nodiscard]] virtual std::unique_ptr<ReplayedLogic> logic(
      const RecordedSettings& settings) const = 0;
};

/// The table of all chunks of a record, as it is written with these deciders.
[[nodiscard]] std::string field_table_of(const Deciders& deciders);

/// Any class with the same functions, as a ReplayedLogic.
template <typename Logic>
class LogicOf final : public ReplayedLogic {
 public:
  template <typename... Args>
  explicit LogicOf(Args&&... args) : logic_{std::forward<Args>(args)...} {}
  void save(FieldWriter& out) const override { logic_.save(out); }
  void load(FieldReader& in) override { logic_.load(in); }
  void describe(FieldLister& out) const override { logic_.describe(out); }
  WarningDecision step(Nanos now, const Reports& reports, const DriverSide& side) override {
    return logic_.step(now, reports, side);
  }

 private:
  Logic logic_;
};

}  // namespace kerb::records
