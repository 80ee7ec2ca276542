// SPDX-License-Identifier: Apache-2.0
// kerblab calibrate board: a lens from pictures of a checkerboard.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hal/base/clock.hpp"
#include "tools/calibrate/board.hpp"
#include "tools/kerblab/app/input_files.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/app/progress.hpp"
#include "tools/kerblab/calibrate/board_options.hpp"
#include "tools/kerblab/calibrate/calibrate.hpp"
#include "tools/kerblab/pictures/pictures.hpp"

namespace kerb::lab {
namespace {

struct Options {
  std::vector<std::string> images;
  BoardOptions board;
  std::string out = "-", draw;
  bool k3 = false;
};

int calibrate_board(const Options& o) {
  const Result<calibrate::Board> board = o.board.board();
  if (!board) return fail(board.error());
  const Result<std::vector<std::string>> paths = expand_list(o.images);
  if (!paths) return fail(paths.error());
  std::vector<std::string> outputs{o.out};
  if (!o.draw.empty()) outputs.push_back(o.draw);
  for (const std::string& output : outputs)
    if (Status ok = check_output(output); !ok) return fail(ok.error());
  if (Status ok = check_apart(outputs, *paths); !ok) return fail(ok.error());
  if (Status ok = check_distinct(outputs); !ok) return fail(ok.error());

  std::vector<calibrate::BoardView> views;
  cv::Mat background;
  cv::Size size;
  {
    const SystemClock clock;
    Progress progress{clock, "board"};
    for (std::size_t i = 0; i < paths->size(); ++i) {
      const std::string& path = (*paths)[i];
      const Result<LoadedPicture> picture = load_picture(path, false);
      if (!picture) return fail(picture.error());
      if (size.empty()) size = picture->bgr.size();
      if (picture->bgr.size() != size)
        return fail(fmt::format("{}: {}x{} pixels, the first picture has {}x{}", path,
                                picture->bgr.cols, picture->bgr.rows, size.width, size.height));
      const cv::Mat grey{size, CV_8UC1, const_cast<std::uint8_t*>(picture->grey.data())};
      std::optional<std::vector<cv::Point2f>> corners = calibrate::find_board(grey, *board);
      progress.show(i + 1, paths->size());
      if (!corners) {
        progress.clear();
        warn(fmt::format("{}: no complete board of {} {} found", path, o.board.size,
                         o.board.pattern == "checkerboard" ? "inner corners" : "circles"));
        continue;
      }
      if (background.empty()) background = picture->bgr.clone();
      calibrate::BoardView& view = views.emplace_back();
      view.name = path;
      view.found = std::move(*corners);
    }
  }
  calibrate::BoardSettings settings;
  settings.with_k3 = o.k3;
  const Result<calibrate::BoardCalibration> found =
      calibrate::calibrate_board(std::move(views), size, *board, settings);
  if (!found) return fail(found.error());
  if (!o.draw.empty())
    if (Status ok = write_picture(o.draw, calibrate::draw_board(*found, background)); !ok)
      return fail(ok.error());
  if (Status ok = write_output(o.out, calibrate::snippet_of(*found)); !ok) return fail(ok.error());
  for (const calibrate::BoardView& view : found->views)
    if (!view.same_as.empty())
      fmt::print(stderr, "                               {}  (as {})\n", view.name, view.same_as);
    else
      fmt::print(stderr, "{:8.3f} px  tilted {:2.0f} degrees  {}{}\n", view.rms_px, view.tilt_deg,
                 view.name, view.used ? "" : "  (dropped)");
  fmt::print(stderr,
             "{} of {} pictures used; corners within {:.3f} px (RMS), in {:.0f} % of the picture; "
             "focal length {:.1f} +- {:.1f} px, centre +- {:.1f} px, k1 +- {:.4f}\n",
             found->views_used, paths->size(), found->rms_px, 100 * found->coverage,
             found->lens.focal_px, found->focal_sigma_px, found->center_sigma_px, found->k1_sigma);
  for (const std::string& note : found->notes) warn(note);
  return 0;
}

}  // namespace

void add_calibrate_board(CLI::App& group, Action& action) {
  CLI::App* command =
      group.add_subcommand("board", "Calibrate the lens from pictures of a checkerboard");
  command->footer(
      "All pictures must come from one camera with one setting, in the size in which it will run.\n"
      "Print a board, fix it to something flat, and take 15 to 30 pictures: near and far, tilted "
      "to\n"
      "all sides, and in every corner of the picture. Writes a table [[camera]] with focal_px,\n"
      "center_x, center_y, k1, k2, k3, p1 and p2. Views with large errors are left out and marked\n"
      "'(dropped)'; a view that is nearly the same as another is marked '(as ...)' and does not\n"
      "count. --draw shows the error of each corner.\n"
      "Example: kerblab calibrate board --size 9x6 --square 0.025 --out lens.toml --draw lens.png\n"
      "  board/*.jpg");
  const auto o = std::make_shared<Options>();
  command->add_option("image", o->images, "Pictures of the board; @FILE reads a list of paths")
      ->required()
      ->option_text("IMAGE...");
  add_board_options(*command, o->board, true);
  add_name_option(*command, "--out", o->out, "Output file of the table; - is stdout")
      ->capture_default_str();
  add_name_option(*command, "--draw", o->draw,
                  "Draw the corners and their errors, enlarged, to this PNG file");
  command->add_flag("--k3", o->k3, "Also estimate k3: for lenses wider than about 100 degrees");
  run_when_chosen(*command, action, [o] { return calibrate_board(*o); });
}

}  // namespace kerb::lab
