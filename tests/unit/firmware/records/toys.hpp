// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "firmware/records/deciders.hpp"
#include "firmware/types/fields.hpp"

namespace kerb::records::test {

/// Stands in for PeopleEstimator where only the recording is looked at: follows the first box with
/// a filter, whose memory goes back further than any record.
class ToyEstimator {
 public:
  void step(const track::Senses& senses, risk::PeopleReport& out) {
    ++frames_;
    if (senses.count > 0) x_ = 0.97 * x_ + 0.03 * senses.boxes[0].x;
    out = {};
    out.at = senses.captured;
    out.path_known = senses.vehicle.speed_mps.has_value();
    out.speed_mps = senses.vehicle.speed_mps.value_or(0);
    out.people.count = senses.count;
    for (int i = 0; i < senses.count; ++i) {
      track::Person& person = out.people.items[i];
      person.id = static_cast<std::uint32_t>(frames_ / 100 + i + 1);
      person.x_m = x_;
      person.confirmed = true;
      person.box = senses.boxes[static_cast<std::size_t>(i)];
      out.contacts[i].time_s = 600.0 / person.box.h;
    }
  }
  void save(FieldWriter& out) const noexcept { list(out, *this); }
  void load(FieldReader& in) noexcept { list(in, *this); }
  void describe(FieldLister& out) const { list(out, *this); }

 private:
  template <typename F, typename Self>
  static void list(F& f, Self& s) {
    f.structure("ToyEstimator")("x", s.x_)("frames", s.frames_);
  }
  double x_ = 17.25;
  std::int32_t frames_ = 0;
};

/// Stands in for WarningLogic: warns of who is near for some rounds on end.
class ToyLogic {
 public:
  WarningDecision step(Nanos now, const Reports& reports, const DriverSide& side) {
    double nearest = 1e9;
    WarningDecision out;
    for (const risk::PeopleReport* report : reports) {
      if (report == nullptr || now - report->at > std::chrono::milliseconds{500}) continue;
      for (int i = 0; i < report->people.count; ++i)
        if (*report->contacts[i].time_s < nearest) {
          nearest = *report->contacts[i].time_s;
          out.person = report->people.items[i].id;
        }
    }
    pressure_ = 0.9 * pressure_ + (side.readiness == Readiness::ready ? 0.1 / nearest : 0);
    out.level = pressure_ > 0.5    ? WarningLevel::collision
                : pressure_ > 0.33 ? WarningLevel::information
                                   : WarningLevel::none;
    if (out.level == WarningLevel::none) return {};
    out.time_to_collision_s = nearest - pressure_;
    return out;
  }
  void save(FieldWriter& out) const noexcept { list(out, *this); }
  void load(FieldReader& in) noexcept { list(in, *this); }
  void describe(FieldLister& out) const { list(out, *this); }

 private:
  template <typename F, typename Self>
  static void list(F& f, Self& s) {
    f.structure("ToyLogic")("pressure", s.pressure_);
  }
  double pressure_ = 0;
};

/// Any class with the same functions, as a ReplayedEstimator.
template <typename Estimator>
class EstimatorOf final : public ReplayedEstimator {
 public:
  template <typename... Args>
  explicit EstimatorOf(Args&&... args) : estimator_{std::forward<Args>(args)...} {}
  void save(FieldWriter& out) const override { estimator_.save(out); }
  void load(FieldReader& in) override { estimator_.load(in); }
  void describe(FieldLister& out) const override { estimator_.describe(out); }
  void step(const track::Senses& senses, risk::PeopleReport& out) override {
    estimator_.step(senses, out);
  }

 private:
  Estimator estimator_;
};

class ToyDeciders final : public Deciders {
 public:
  static constexpr std::uint32_t kVersion = 7;
  [[nodiscard]] std::uint32_t version() const override { return kVersion; }
  [[nodiscard]] std::unique_ptr<ReplayedEstimator> estimator(const RecordedCamera&) const override {
    return std::make_unique<EstimatorOf<ToyEstimator>>();
  }
  [[nodiscard]] std::unique_ptr<ReplayedLogic> logic(const RecordedSettings&) const override {
    return std::make_unique<LogicOf<ToyLogic>>();
  }
};

}  // namespace kerb::records::test
