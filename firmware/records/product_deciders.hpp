// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "firmware/records/deciders.hpp"
#include "firmware/risk/people_estimator.hpp"

namespace kerb::records {

/// A camera's people watch with these settings: in the pipeline and in a replay alike.
[[nodiscard]] std::unique_ptr<PeopleEstimator> make_people_watch(const RecordedCamera& camera);

/// What decides in the product.
class ProductDeciders final : public Deciders {
 public:
  [[nodiscard]] std::unique_ptr<ReplayedWatch> watch(const RecordedCamera& camera) const override;
  [[nodiscard]] std::unique_ptr<ReplayedLogic> logic(
      const RecordedSettings& settings) const override;
};

}  // namespace kerb::records
