// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/frame_source_replay.hpp"
#include "tests/support/test.hpp"

#if KERB_OPENCV
#include <opencv2/imgcodecs.hpp>

#include "tests/support/temp_folder.hpp"

SUITE_MAIN(words) {
  using namespace kerb;
  const test::TempFolder folder;
  for (int i = 0; i < 5; ++i)
    cv::imwrite(folder.at(std::to_string(i) + ".png"),
                cv::Mat(48, 64, CV_8UC3, cv::Scalar(20 * i, 40 * i, 60 * i)));
  CameraSettings settings;
  settings.kind = CameraKind::folder;
  settings.device = folder.path().string();
  contract::ReplayFixture real{"folder, real pace", settings};
  settings.pace = Pace::recorded;
  settings.format = "grey8";
  contract::ReplayFixture recorded{"folder, grey8, recorded pace", settings};
  return contract::run_frame_source_contract({&real, &recorded});
}
#else
SUITE_MAIN(words) { return 77; }
#endif
