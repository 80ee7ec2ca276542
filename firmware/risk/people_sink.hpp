// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/risk/people_estimator.hpp"
#include "firmware/types/people_report.hpp"
#include "firmware/types/senses.hpp"
#include "hal/base/clock.hpp"
#include "hal/vision.hpp"

namespace kerb {

/// Receives each frame's measurements and results, to record them. Called on the pipeline's thread,
/// once a frame: must neither wait nor allocate.
class PeopleSink {
 public:
  /// The measurements, before the estimator takes them in.
  virtual void before(Nanos now, const track::Senses& senses,
                      const PeopleEstimator& estimator) noexcept = 0;
  /// The result, before it is published.
  virtual void after(Nanos now, const risk::PeopleReport& report,
                     const PreparedImage& image) noexcept = 0;

 protected:
  ~PeopleSink() = default;
};

}  // namespace kerb
