// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/risk/people_estimator.hpp"
#include "firmware/types/people_report.hpp"
#include "firmware/types/senses.hpp"
#include "hal/base/clock.hpp"
#include "hal/vision.hpp"

namespace kerb {

/// Whoever writes down what each frame told and what was made of it. On the pipeline's thread, once
/// a frame: must neither wait nor allocate.
class PeopleSink {
 public:
  /// What the watch is about to take in.
  virtual void before(Nanos now, const track::Senses& senses,
                      const PeopleEstimator& watch) noexcept = 0;
  /// What it made of it; nobody has been told yet.
  virtual void after(Nanos now, const risk::PeopleReport& report,
                     const PreparedImage& image) noexcept = 0;

 protected:
  ~PeopleSink() = default;
};

}  // namespace kerb
