// SPDX-License-Identifier: Apache-2.0
#include "tools/train/pictures.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace kerb::train {
namespace {

namespace fs = std::filesystem;

bool is_picture_name(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  constexpr const char* kKnown[] = {".bmp", ".jpg", ".jpeg", ".pgm",  ".png",
                                    ".pnm", ".ppm", ".tif",  ".tiff", ".webp"};
  return std::any_of(std::begin(kKnown), std::end(kKnown),
                     [&](const char* known) { return extension == known; });
}

std::uint64_t hash_of(const Pixels& pixels) {
  const int sides[2] = {pixels.width, pixels.height};
  const std::uint64_t shape = hash_bytes(sides, sizeof sides);
  const std::uint64_t grey = hash_bytes(pixels.grey.data(), pixels.grey.size(), shape);
  return hash_bytes(pixels.planes.data(), pixels.planes.size(), grey);
}

void mirror_plane(const std::uint8_t* in, int width, int height, std::uint8_t* out) {
  for (int y = 0; y < height; ++y, in += width, out += width)
    std::reverse_copy(in, in + width, out);
}

/// Whether two names differ by what stands behind their last `_` alone.
bool same_photograph(const std::string& a, const std::string& b) {
  const std::size_t end = a.find_last_of('_');
  return end != std::string::npos && b.find_last_of('_') == end &&
         a.compare(0, end, b, 0, end) == 0;
}

}  // namespace

Error failure(Errc code, const char* where, std::string_view what, int native) {
  constexpr std::size_t kRoom = 112;
  if (what.size() > kRoom) {
    Text<kRoom> text{"..."};
    text.append(what.substr(what.size() - (kRoom - 3)));
    return {code, native, where, text};
  }
  return {code, native, where, what};
}

std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t start) noexcept {
  constexpr std::uint64_t kPrime = 0x100000001b3U;
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::uint64_t hash = start ^ (size * kPrime);
  for (; size >= 8; size -= 8, bytes += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, bytes, 8);
    hash = (hash ^ eight) * kPrime;
    hash ^= hash >> 29;
  }
  for (; size > 0; --size, ++bytes) hash = (hash ^ *bytes) * kPrime;
  return hash;
}

hog::Picture<Space::host> Pixels::view() const noexcept {
  hog::Picture<Space::host> view;
  view.grey = {grey.data(), width, height, width};
  if (!planes.empty())
    view.rgb = {planes.data(), 3, width, height, width, std::ptrdiff_t{width} * height};
  return view;
}

Pixels mirrored(const Pixels& picture) {
  Pixels out;
  out.width = picture.width;
  out.height = picture.height;
  out.grey.resize(picture.grey.size());
  mirror_plane(picture.grey.data(), picture.width, picture.height, out.grey.data());
  out.planes.resize(picture.planes.size());
  if (!picture.planes.empty())
    mirror_plane(picture.planes.data(), picture.width, 3 * picture.height, out.planes.data());
  return out;
}

Result<std::vector<std::string>> list_pictures(const std::vector<std::string>& folders) {
  std::vector<std::string> paths;
  for (const std::string& folder : folders) {
    std::error_code error;
    if (!fs::is_directory(folder, error)) return failure(Errc::not_found, "no such folder", folder);
    std::vector<std::string> names;
    fs::directory_iterator files{folder, error};
    for (; !error && files != fs::directory_iterator{}; files.increment(error)) {
      std::error_code ignored;
      if (is_picture_name(files->path()) && !files->is_directory(ignored))
        names.push_back(files->path().string());
    }
    if (error) return failure(Errc::io, "read folder", folder, error.value());
    if (names.empty()) return failure(Errc::not_found, "no picture in the folder", folder);
    std::sort(names.begin(), names.end());
    paths.insert(paths.end(), names.begin(), names.end());
  }
  return paths;
}

Split hold_out(const std::vector<std::string>& paths, int nth) {
  Split split;
  if (nth <= 0) {
    split.kept = paths;
    return split;
  }
  constexpr std::size_t kLongest = 10;
  const auto every = static_cast<std::size_t>(nth);
  const std::size_t run = std::clamp<std::size_t>(paths.size() / (every * kLongest), 1, kLongest);
  std::size_t number = 1;
  for (std::size_t first = 0; first < paths.size(); ++number) {
    std::size_t end = std::min(first + run, paths.size());
    while (end < paths.size() && end < first + run + kLongest &&
           same_photograph(paths[end - 1], paths[end]))
      ++end;
    std::vector<std::string>& side = number % every == 0 ? split.held_out : split.kept;
    side.insert(side.end(), paths.begin() + static_cast<std::ptrdiff_t>(first),
                paths.begin() + static_cast<std::ptrdiff_t>(end));
    first = end;
  }
  return split;
}

Result<PictureSet> PictureSet::open(std::vector<std::string> paths, Loader loader,
                                    const Options& options, const std::string& what,
                                    Observer& observer) {
  PictureSet set;
  set.loader_ = std::move(loader);
  set.colour_ = options.colour;
  std::size_t used = 0;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    Result<Pixels> pixels = set.loader_(paths[i], options.colour);
    if (!pixels) return pixels.error();
    Entry entry;
    entry.path = std::move(paths[i]);
    entry.width = pixels->width;
    entry.height = pixels->height;
    if (entry.width < options.least_width || entry.height < options.least_height)
      return failure(Errc::invalid_argument, "picture smaller than the window",
                     std::to_string(entry.width) + "x" + std::to_string(entry.height) + ", not " +
                         std::to_string(options.least_width) + "x" +
                         std::to_string(options.least_height) + ": " + entry.path);
    entry.hash = hash_of(*pixels);
    const std::string name = fs::path{entry.path}.filename().string();
    set.fingerprint_ = hash_bytes(name.data(), name.size(), set.fingerprint_ ^ entry.hash);
    if (used + pixels->bytes() <= options.budget) {
      used += pixels->bytes();
      entry.pixels = std::make_shared<const Pixels>(*std::move(pixels));
    }
    set.entries_.push_back(entry);
    if (options.mirror) {
      entry.mirror = true;
      set.fingerprint_ = hash_bytes("mirror", 6, set.fingerprint_);
      set.entries_.push_back(std::move(entry));
    }
    observer.progress(what, i + 1, paths.size());
  }
  return set;
}

void PictureSet::avoid(const std::vector<std::vector<Area>>& areas) {
  std::size_t file = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (i > 0 && !entry.mirror) ++file;
    entry.avoided = areas[file];
    for (Area& area : entry.avoided) {
      if (entry.mirror) area.x = entry.width - area.x - area.w;
      const double numbers[] = {area.x, area.y, area.w, area.h};
      fingerprint_ = hash_bytes(numbers, sizeof numbers, fingerprint_);
    }
  }
}

bool PictureSet::is_avoided(std::size_t i, const Detection& box) const noexcept {
  const auto [x, y, w, h, score] = box;
  return std::any_of(entries_[i].avoided.begin(), entries_[i].avoided.end(), [&](const Area& area) {
    const double wide = std::min<double>(x + w, area.x + area.w) - std::max<double>(x, area.x);
    const double high = std::min<double>(y + h, area.y + area.h) - std::max<double>(y, area.y);
    return wide > 0 && high > 0 && wide * high > kAvoidedShare * w * h;
  });
}

Result<std::shared_ptr<const Pixels>> PictureSet::get(std::size_t i) {
  const Entry& entry = entries_[i];
  std::shared_ptr<const Pixels> pixels = entry.pixels;
  if (pixels == nullptr) {
    Result<Pixels> loaded = loader_(entry.path, colour_);
    if (!loaded) return loaded.error();
    if (hash_of(*loaded) != entry.hash)
      return failure(Errc::damaged, "picture changed during the training", entry.path);
    pixels = std::make_shared<const Pixels>(*std::move(loaded));
  }
  if (entry.mirror) pixels = std::make_shared<const Pixels>(mirrored(*pixels));
  return pixels;
}

}  // namespace kerb::train
