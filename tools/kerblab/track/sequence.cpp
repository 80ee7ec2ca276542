// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/track/sequence.hpp"

#include <filesystem>
#include <string_view>
#include <utility>

#include "drivers/replay/picture.hpp"
#include "drivers/replay/picture_files.hpp"
#include "tools/files/text.hpp"
#include "tools/kerblab/app/frames.hpp"

namespace kerb::lab {
namespace {

namespace fs = std::filesystem;
using replay::failure;

constexpr const char* kReading = "read sequence";

/// MOT's seqinfo.ini: its line frameRate=N.
Result<std::optional<double>> told_rate(const fs::path& folder) {
  const std::string file = (folder / "seqinfo.ini").string();
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return std::optional<double>{};
  const Result<std::string> text = files::read_text(kReading, file);
  if (!text) return text.error();
  files::Lines lines{*text};
  for (std::string_view line; lines.next(line);) {
    const std::vector<std::string_view> parts = files::split(line, '=');
    if (parts.size() != 2 || parts[0] != "frameRate") continue;
    const std::optional<double> rate = files::number(parts[1]);
    if (!rate || *rate < 0.1 || *rate > 1000)
      return files::line_error(kReading, file, lines.number(), "frameRate: must be 0.1..1000");
    return rate;
  }
  return std::optional<double>{};
}

}  // namespace

Result<Sequence> read_sequence(const std::string& folder, std::optional<double> fps) {
  std::error_code ignored;
  const fs::path inner = fs::path{folder} / "img1";
  const std::string pictures = fs::is_directory(inner, ignored) ? inner.string() : folder;
  Result<std::vector<std::string>> paths = replay::list_pictures(pictures);
  if (!paths) return failure(paths.error().code, "read sequence: no pictures", pictures);
  Result<std::vector<int>> frames = number_frames("track", *paths, std::nullopt);
  if (!frames) return frames.error();
  if (frames->front() < 1)
    return failure(Errc::invalid_argument, "track: frame numbers start at 1", paths->front());
  const Result<std::optional<double>> told = told_rate(folder);
  if (!told) return told.error();
  return Sequence{*std::move(paths), *std::move(frames), fps.value_or(told->value_or(30))};
}

}  // namespace kerb::lab
