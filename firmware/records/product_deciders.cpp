// SPDX-License-Identifier: Apache-2.0
#include "firmware/records/product_deciders.hpp"

#include <utility>

#include "firmware/track/colour_appearance.hpp"

namespace kerb::records {
namespace {

class Watch final : public ReplayedWatch {
 public:
  explicit Watch(std::unique_ptr<PeopleEstimator> watch) : watch_{std::move(watch)} {}
  void save(FieldWriter& out) const override { watch_->save(out); }
  void load(FieldReader& in) override { watch_->load(in); }
  void step(const track::Senses& senses, risk::PeopleReport& out) override {
    watch_->step(senses, out);
  }

 private:
  std::unique_ptr<PeopleEstimator> watch_;
};

}  // namespace

std::unique_ptr<PeopleEstimator> make_people_watch(const RecordedCamera& camera) {
  return std::make_unique<PeopleEstimator>(camera.model, camera.tracker, camera.car, camera.contact,
                                           track::make_colour_appearance());
}

std::unique_ptr<ReplayedWatch> ProductDeciders::watch(const RecordedCamera& camera) const {
  return std::make_unique<Watch>(make_people_watch(camera));
}

std::unique_ptr<ReplayedLogic> ProductDeciders::logic(const RecordedSettings& settings) const {
  return std::make_unique<LogicOf<WarningLogic>>(settings.sensitivity);
}

}  // namespace kerb::records
