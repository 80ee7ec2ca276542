// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/eval/worst.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <opencv2/imgproc.hpp>
#include <optional>

#include "tools/kerblab/pictures/draw.hpp"
#include "tools/kerblab/pictures/pictures.hpp"

namespace kerb::lab {
namespace {

void draw_box(cv::Mat& bgr, const eval::Box& box, const std::string& text,
              const cv::Scalar& colour) {
  // Boxes of others' detectors may lie anywhere; cv::Rect has ints.
  const auto pixel = [](double value) {
    return static_cast<int>(std::lround(std::clamp(value, -1e5, 1e5)));
  };
  const cv::Rect place{pixel(box.x), pixel(box.y), pixel(box.w), pixel(box.h)};
  const int thickness = std::max(bgr.cols, bgr.rows) > 1000 ? 2 : 1;
  cv::rectangle(bgr, place, {0, 0, 0}, thickness + 2, cv::LINE_AA);  // seen on any ground
  cv::rectangle(bgr, place, colour, thickness, cv::LINE_AA);
  if (!text.empty()) draw_label(bgr, place, text, colour);
}

std::string what_is(const eval::LabelledDetection& d) {
  if (d.label == eval::Label::duplicate) return "duplicate";
  return d.thing.empty() ? "nothing labelled" : d.thing;
}

/// A field of a CSV file.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

}  // namespace

void draw_errors(cv::Mat& bgr, const eval::Labels& labels, const eval::Errors& errors,
                 double threshold) {
  for (const eval::Box& box : labels.ignored) draw_box(bgr, box, "", kIgnoredColour);
  for (const eval::LabelledDetection& d : labels.detections) {
    if (d.detection.score < threshold) continue;
    if (d.label == eval::Label::ignored) draw_box(bgr, d.detection.box, "", kIgnoredColour);
    if (d.label == eval::Label::person)
      draw_box(bgr, d.detection.box, fmt::format("{:.2f}", d.detection.score), kFoundColour);
  }
  std::size_t number = 0;  // errors come last: on top
  for (const std::size_t i : errors.missed) {
    const eval::LabelledPerson& person = labels.people[i];
    draw_box(bgr, person.box,
             person.found ? fmt::format("{}: missed {:.2f}", ++number, *person.found)
                          : fmt::format("{}: missed", ++number),
             kMissedColour);
  }
  for (const std::size_t i : errors.false_alarms) {
    const eval::LabelledDetection& d = labels.detections[i];
    const std::string what = d.thing.empty() && d.label != eval::Label::duplicate ? "" : what_is(d);
    draw_box(
        bgr, d.detection.box,
        fmt::format("{}: {}{}{:.2f}", ++number, what, what.empty() ? "" : " ", d.detection.score),
        kFalseColour);
  }
}

Status WorstPictures::draw(const std::string& name,
                           const std::vector<eval::LabelledPicture>& pictures, double threshold,
                           std::size_t most) {
  std::vector<eval::Errors> errors;
  std::vector<std::size_t> counts;
  for (const eval::LabelledPicture& picture : pictures) {
    errors.push_back(eval::errors_at(picture.labels, threshold));
    counts.push_back(errors.back().count());
  }
  int place = 0;
  for (const std::size_t i : eval::worst_pictures(counts, most)) {
    const eval::LabelledPicture& picture = pictures[i];
    Result<LoadedPicture> loaded = load_picture(picture.image, false);
    if (!loaded) return loaded.error();
    draw_errors(loaded->bgr, picture.labels, errors[i], threshold);
    const std::string stem = fmt::format("{}-{:02}-{}", name, ++place,
                                         std::filesystem::path{picture.image}.stem().string());
    if (Status ok = write_png(folder_.next(stem, ".png"), loaded->bgr); !ok) return ok;
    const std::string drawing = std::filesystem::path{folder_.targets().back()}.filename().string();
    std::size_t number = 0;
    const auto add = [&](const std::string& what, const eval::Box& box,
                         std::optional<double> score) {
      ledger_ += fmt::format("{},{},{},{},{},{:g},{},{:g},{:g},{:g},{:g},{},\n", field(drawing),
                             ++number, field(picture.set), field(picture.model),
                             field(picture.image), threshold, field(what), box.x, box.y, box.w,
                             box.h, score ? fmt::format("{:g}", *score) : "");
    };
    for (const std::size_t k : errors[i].missed)
      add("missed", picture.labels.people[k].box, picture.labels.people[k].found);
    for (const std::size_t k : errors[i].false_alarms) {
      const eval::LabelledDetection& d = picture.labels.detections[k];
      add(what_is(d), d.detection.box, d.detection.score);
    }
  }
  return Done{};
}

Status WorstPictures::commit(const std::vector<std::string>& inputs) {
  if (Status ok = write_output(folder_.next("ledger", ".csv"), ledger_); !ok) return ok;
  if (Status ok = check_apart(folder_.targets(), inputs); !ok) return ok;
  return folder_.commit();
}

}  // namespace kerb::lab
