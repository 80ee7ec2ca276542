// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/frame_source_replay.hpp"
#include "tests/support/test.hpp"

namespace {

kerb::contract::ReplayFixture fixture(const char* name, const char* format, int mosaic,
                                      kerb::Pace pace) {
  kerb::CameraSettings settings;
  settings.kind = kerb::CameraKind::pattern;
  settings.width = 160;
  settings.height = 96;
  settings.format = format;
  settings.mosaic = mosaic;
  settings.pace = pace;
  return {name, settings};
}

}  // namespace

SUITE_MAIN(words) {
  using kerb::Pace;
  auto yuyv = fixture("pattern, yuyv, real pace", "auto", 0, Pace::real);
  auto nv12 = fixture("pattern, nv12, recorded pace", "nv12", 0, Pace::recorded);
  auto mosaic =
      fixture("pattern, grey12 under a mosaic of 4, recorded pace", "grey12", 4, Pace::recorded);
  return kerb::contract::run_frame_source_contract({&yuyv, &nv12, &mosaic});
}
