// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "firmware/fuse/people_fuser.hpp"
#include "firmware/records/deciders.hpp"
#include "firmware/records/decisions_version.hpp"
#include "firmware/risk/people_estimator.hpp"
#include "firmware/warning/warning_decider.hpp"

namespace kerb::records {

/// A camera's people estimator with these settings: in the pipeline and in a replay alike.
[[nodiscard]] std::unique_ptr<PeopleEstimator> make_people_estimator(const RecordedCamera& camera);

/// The settings of the fusion of all cameras' people: of all cameras the same.
[[nodiscard]] fuse::FuserSettings fusion_of(const RecordedSettings& settings);

/// What decides in the product.
class ProductDeciders final : public Deciders {
 public:
  [[nodiscard]] std::uint32_t version() const override { return kDecisionsVersion; }
  [[nodiscard]] std::unique_ptr<ReplayedEstimator> estimator(
      const RecordedCamera& camera) const override;
  [[nodiscard]] std::unique_ptr<ReplayedLogic> logic(
      const RecordedSettings& settings) const override;
};

}  // namespace kerb::records
