// SPDX-License-Identifier: Apache-2.0
#include "firmware/records/product_deciders.hpp"

#include <utility>

#include "firmware/track/colour_appearance.hpp"

namespace kerb::records {
namespace {

class Estimator final : public ReplayedEstimator {
 public:
  explicit Estimator(std::unique_ptr<PeopleEstimator> people) : people_{std::move(people)} {}
  void save(FieldWriter& out) const override { people_->save(out); }
  void load(FieldReader& in) override { people_->load(in); }
  void describe(FieldLister& out) const override { people_->describe(out); }
  void step(const track::Senses& senses, risk::PeopleReport& out) override {
    people_->step(senses, out);
  }

 private:
  std::unique_ptr<PeopleEstimator> people_;
};

}  // namespace

std::unique_ptr<PeopleEstimator> make_people_estimator(const RecordedCamera& camera) {
  return std::make_unique<PeopleEstimator>(camera.model, camera.tracker, camera.car, camera.contact,
                                           track::make_colour_appearance());
}

fuse::FuserSettings fusion_of(const RecordedSettings& settings) {
  fuse::FuserSettings out;
  out.cameras = static_cast<int>(settings.cameras.size());
  if (settings.cameras.empty()) return out;
  out.car = settings.cameras.front().car;
  out.contact = settings.cameras.front().contact;
  return out;
}

std::unique_ptr<ReplayedEstimator> ProductDeciders::estimator(const RecordedCamera& camera) const {
  return std::make_unique<Estimator>(make_people_estimator(camera));
}

std::unique_ptr<ReplayedLogic> ProductDeciders::logic(const RecordedSettings& settings) const {
  return std::make_unique<LogicOf<WarningDecider>>(settings.rules.at(settings.sensitivity),
                                                   fusion_of(settings));
}

}  // namespace kerb::records
