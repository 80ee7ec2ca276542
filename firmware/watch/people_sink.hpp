// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/risk/people_report.hpp"
#include "firmware/track/senses.hpp"
#include "hal/vision.hpp"

namespace kerb {

/// Whoever writes down what each frame told and what was made of it.
class PeopleSink {
 public:
  /// On the pipeline's thread, once a frame: must neither wait nor allocate.
  virtual void take(const track::Senses& senses, const risk::PeopleReport& report,
                    const PreparedImage& image) noexcept = 0;

 protected:
  ~PeopleSink() = default;
};

}  // namespace kerb
