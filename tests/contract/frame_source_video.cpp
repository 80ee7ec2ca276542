// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/frame_source_replay.hpp"
#include "tests/support/test.hpp"

#if KERB_OPENCV
#include <cstdio>

#include "tests/support/temp_folder.hpp"
#include "tests/support/video.hpp"

namespace {

/// A video names its own rate: one file for each that the suite asks for.
class VideoFixture final : public kerb::contract::ReplayFixture {
 public:
  VideoFixture(const char* name, const kerb::CameraSettings& settings)
      : ReplayFixture{name, settings} {}
  kerb::Result<std::unique_ptr<kerb::FrameSource>> make(double rate_hz, int buffers) override {
    settings_.device = folder_.at(std::to_string(static_cast<int>(rate_hz)) + ".avi");
    if (!std::filesystem::exists(settings_.device) &&
        !kerb::test::write_video(settings_.device, rate_hz, 10, 64, 48))
      return kerb::Error{kerb::Errc::io, 0, "write test video"};
    return ReplayFixture::make(rate_hz, buffers);
  }

 private:
  kerb::test::TempFolder folder_;
};

}  // namespace

SUITE_MAIN(words) {
  using namespace kerb;
  CameraSettings settings;
  settings.kind = CameraKind::video;
  VideoFixture real{"video, real pace", settings};
  settings.pace = Pace::recorded;
  settings.format = "rgb24";
  VideoFixture recorded{"video, rgb24, recorded pace", settings};
  return contract::run_frame_source_contract({&real, &recorded});
}
#else
SUITE_MAIN(words) { return 77; }
#endif
