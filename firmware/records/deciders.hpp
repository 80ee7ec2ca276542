// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <utility>

#include "firmware/records/record_header.hpp"
#include "firmware/types/fields.hpp"

namespace kerb::records {

/// A camera's people watch, as a replay needs it.
class ReplayedWatch {
 public:
  virtual ~ReplayedWatch() = default;
  virtual void save(FieldWriter& out) const = 0;
  virtual void load(FieldReader& in) = 0;
  virtual void step(const track::Senses& senses, risk::PeopleReport& out) = 0;
};

/// The warning logic, as a replay needs it.
class ReplayedLogic {
 public:
  virtual ~ReplayedLogic() = default;
  virtual void save(FieldWriter& out) const = 0;
  virtual void load(FieldReader& in) = 0;
  virtual WarningDecision step(Nanos now, const Reports& reports, const DriverSide& side) = 0;
};

/// Makes what decided in the car once more, from the settings in the record.
class Deciders {
 public:
  virtual ~Deciders() = default;
  [[nodiscard]] virtual std::unique_ptr<ReplayedWatch> watch(
      const RecordedCamera& camera) const = 0;
  [[nodiscard]] virtual std::unique_ptr<ReplayedLogic> logic(
      const RecordedSettings& settings) const = 0;
};

/// Any class with the same three functions, as one of the above.
template <typename Watch>
class WatchOf final : public ReplayedWatch {
 public:
  template <typename... Args>
  explicit WatchOf(Args&&... args) : watch_{std::forward<Args>(args)...} {}
  void save(FieldWriter& out) const override { watch_.save(out); }
  void load(FieldReader& in) override { watch_.load(in); }
  void step(const track::Senses& senses, risk::PeopleReport& out) override {
    watch_.step(senses, out);
  }

 private:
  Watch watch_;
};
template <typename Logic>
class LogicOf final : public ReplayedLogic {
 public:
  template <typename... Args>
  explicit LogicOf(Args&&... args) : logic_{std::forward<Args>(args)...} {}
  void save(FieldWriter& out) const override { logic_.save(out); }
  void load(FieldReader& in) override { logic_.load(in); }
  WarningDecision step(Nanos now, const Reports& reports, const DriverSide& side) override {
    return logic_.step(now, reports, side);
  }

 private:
  Logic logic_;
};

}  // namespace kerb::records
