// SPDX-License-Identifier: Apache-2.0
// kerblab calibrate: what a camera is, and how it sits in its car.
#include "tools/kerblab/calibrate/calibrate.hpp"

#include <CLI/CLI.hpp>
#include <opencv2/imgcodecs.hpp>

#include "tools/kerblab/app/output.hpp"

namespace kerb::lab {

Status write_picture(const std::string& path, const cv::Mat& picture) {
  std::vector<std::uint8_t> bytes;
  if (!cv::imencode(".png", picture, bytes))
    return Error{Errc::io, 0, "write picture", Text<112>{path}};
  return write_output(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void add_calibrate(CLI::App& app, Action& action) {
  CLI::App* group = app.add_subcommand(
      "calibrate",
      "Calibrate a camera's lens and mounting, or two cameras; writes tables of the configuration");
  group->require_subcommand(1);
  group->footer(
      "Examples:\n"
      "  kerblab calibrate board --size 9x6 --square 0.025 --out lens.toml board/*.jpg\n"
      "  kerblab calibrate drive --camera lens.toml --height 1.32 --out camera.toml drive.mp4\n"
      "  kerblab calibrate pair --cameras visible.toml thermal.toml --names front thermal\n"
      "    --size 9x6 --square 0.05 --first v/*.png --second t/*.png --out pair.toml\n"
      "docs/calibration.md explains how to take the pictures and which accuracy to expect.");
  add_calibrate_board(*group, action);
  add_calibrate_drive(*group, action);
  add_calibrate_pair(*group, action);
}

}  // namespace kerb::lab
