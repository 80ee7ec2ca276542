// SPDX-License-Identifier: Apache-2.0
// kerblab train crops: people cut out of whole pictures, for the trainers.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "drivers/replay/picture.hpp"
#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/pictures/picture_truth.hpp"
#include "tools/kerblab/pictures/pictures.hpp"

namespace kerb::lab {
namespace {

/// Of a crop: as the trainers' window of 64 x 128 pixels wants it, with 16 more all round.
constexpr int kCropWidth = 96, kCropHeight = 160, kPersonHeight = 96;

struct CropOptions {
  std::vector<std::string> images, truth;
  std::string out;
  double min_height = 90, min_visible = 0.9;
  double min_aspect = 0, max_aspect = 10;  // width of the box to its height
  int every = 1;
};

/// Whether the person is whole, tall enough and seen.
bool is_wanted(const eval::TruthBox& person, const cv::Mat& picture, const CropOptions& o) {
  const eval::Box& b = person.box;
  return !person.ignore && b.h >= o.min_height && person.visible >= o.min_visible &&
         b.w >= o.min_aspect * b.h && b.w <= o.max_aspect * b.h && b.x >= 0 && b.y >= 0 &&
         b.x + b.w <= picture.cols && b.y + b.h <= picture.rows;
}

/// The person in the middle, kPersonHeight high; beyond the picture its edge goes on.
cv::Mat cut(const cv::Mat& picture, const eval::Box& person) {
  const double pixels = person.h / kPersonHeight;  // of the picture to one of the crop
  const int width = cvRound(kCropWidth * pixels), height = cvRound(kCropHeight * pixels);
  const double left = person.x + person.w / 2 - kCropWidth * pixels / 2,
               top = person.y + person.h / 2 - kCropHeight * pixels / 2;
  const cv::Matx23d move(1, 0, -left, 0, 1, -top);
  cv::Mat around, crop;
  cv::warpAffine(picture, around, move, cv::Size(width, height), cv::INTER_LINEAR,
                 cv::BORDER_REPLICATE);
  cv::resize(around, crop, cv::Size(kCropWidth, kCropHeight), 0, 0,
             pixels > 1 ? cv::INTER_AREA : cv::INTER_LINEAR);
  return crop;
}

Status cut_crops(const CropOptions& o) {
  const Result<std::vector<std::string>> paths = expand_pictures(o.images);
  if (!paths) return paths.error();
  const Result<PictureTruth> truth = truth_of(*paths, o.truth);
  if (!truth) return truth.error();
  Result<OutputFolder> folder = OutputFolder::create(o.out);
  if (!folder) return folder.error();
  int people = 0, kept = 0;
  for (std::size_t i = 0; i < paths->size(); ++i) {
    if (truth->boxes[i].empty()) continue;
    const Result<LoadedPicture> picture = load_picture((*paths)[i], true);
    if (!picture) return picture.error();
    for (const eval::TruthBox& person : truth->boxes[i]) {
      if (!is_wanted(person, picture->bgr, o) || people++ % o.every != 0) continue;
      const std::string file = folder->next(fmt::format("{:05}", kept++), ".png");
      if (!cv::imwrite(file, cut(picture->bgr, person.box)))
        return replay::failure(Errc::io, "write", file);
    }
  }
  if (kept == 0)
    return replay::failure(Errc::invalid_argument, "no person is complete, tall and visible enough",
                           o.truth.front());
  if (Status ok = check_apart(folder->targets(), *paths); !ok) return ok;
  if (Status ok = folder->commit(); !ok) return ok;
  if (!truth->left_out.empty()) warn(truth->left_out);
  return write_output("-", fmt::format("{}: {} crops of {} people\n", o.out, kept, people));
}

}  // namespace

void add_train_crops(CLI::App& group, Action& action) {
  CLI::App* crops = group.add_subcommand(
      "crops", "Cut people out of pictures, as input for --positives of the trainers");
  const auto o = std::make_shared<CropOptions>();
  const auto list = [crops](const char* name, std::vector<std::string>& out, const char* help) {
    crops->add_option(name, out, help)->check(not_empty)->required();
  };
  list("--images", o->images, "Pictures: folders, files, or @FILE with a list");
  list("--truth", o->truth, "Truth, as for kerblab eval detector");
  add_name_option(*crops, "--out", o->out, "Folder for the crops")->required();
  crops->add_option("--min-height", o->min_height, "Leave out shorter people, pixels")
      ->check(between(1, 65535))
      ->capture_default_str();
  crops
      ->add_option("--min-visible", o->min_visible,
                   "Leave out people of whom a smaller share is visible")
      ->check(between(0, 1))
      ->capture_default_str();
  crops
      ->add_option("--min-aspect", o->min_aspect,
                   "Leave out people whose box is narrower than this part of its height")
      ->check(between(0, 10))
      ->capture_default_str();
  crops
      ->add_option("--max-aspect", o->max_aspect,
                   "Leave out people whose box is wider than this part of its height: bent, in a "
                   "group, or with their legs hidden")
      ->check(between(0, 10))
      ->capture_default_str();
  crops->add_option("--every", o->every, "Use only every Nth person")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  crops->footer(
      "Crops have 96 x 160 pixels, with the person in the middle, 96 pixels tall. Beyond the edge "
      "of the\n"
      "picture its last pixels are repeated. People whose box leaves the picture are left out.\n"
      "Example: kerblab train crops --images street/img1 --truth street --out people");
  run_when_chosen(*crops, action, [o] { return cut_crops(*o); });
}

}  // namespace kerb::lab
