// SPDX-License-Identifier: Apache-2.0
#include "drivers/replay/picture_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "drivers/replay/picture.hpp"

namespace kerb::replay {
namespace {

namespace fs = std::filesystem;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes the run of digits at the start of `text`, without its leading zeros.
std::string_view take_number(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto size = static_cast<std::size_t>(end - text.begin());
  std::string_view digits = text.substr(0, size);
  text.remove_prefix(size);
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return digits;
}

bool is_picture(const fs::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  for (const char* known :
       {".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".pgm", ".ppm", ".pnm", ".webp"})
    if (extension == known) return true;
  return false;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) noexcept {
  const std::string_view whole_a = a, whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view x = take_number(a), y = take_number(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else {
      if (a.front() != b.front()) return a.front() < b.front();
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;  // "07" and "7": some order, always the same
}

Result<std::vector<std::string>> list_pictures(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    return failure(Errc::not_found, "open folder of pictures", folder,
                   error ? error.value() : ENOTDIR);
  std::vector<std::string> names;
  fs::directory_iterator entry{folder, error};
  for (; !error && entry != fs::directory_iterator{}; entry.increment(error)) {
    std::error_code no_status;
    if (is_picture(entry->path()) && !entry->is_directory(no_status))
      names.push_back(entry->path().filename().string());
  }
  if (error) return failure(Errc::io, "list folder of pictures", folder, error.value());
  if (names.empty()) return failure(Errc::not_found, "no picture in folder", folder);
  std::sort(names.begin(), names.end(), natural_less);
  for (std::string& name : names) name = (fs::path{folder} / name).string();
  return names;
}

Result<std::vector<std::uint8_t>> read_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::fopen(path.c_str(), "rb"),
                                                             std::fclose};
  if (!file)
    return failure(errno == ENOENT ? Errc::not_found : Errc::io, "open picture", path, errno);
  std::vector<std::uint8_t> bytes;
  constexpr std::size_t kChunk = 1 << 16;
  for (std::size_t got = kChunk; got == kChunk;) {
    const std::size_t had = bytes.size();
    bytes.resize(had + kChunk);
    got = std::fread(bytes.data() + had, 1, kChunk, file.get());
    bytes.resize(had + got);
  }
  if (std::ferror(file.get()) != 0) return failure(Errc::io, "read picture", path, errno);
  return bytes;
}

bool is_whole(const std::vector<std::uint8_t>& file) noexcept {
  constexpr std::uint8_t kStart = 0xD8, kEnd = 0xD9, kScan = 0xDA;
  if (file.size() < 2 || file[0] != 0xFF || file[1] != kStart) return true;
  bool in_scan = false;
  for (std::size_t at = 2; at + 1 < file.size();) {
    const std::uint8_t marker = file[at + 1];
    const bool is_stuffing = marker == 0x00 || (marker >= 0xD0 && marker <= 0xD7);
    if (file[at] != 0xFF || marker == 0xFF || (in_scan && is_stuffing)) {
      at += file[at] == 0xFF && marker != 0xFF ? 2 : 1;
      continue;
    }
    if (marker == kEnd) return true;
    if (at + 3 >= file.size()) return false;
    in_scan = marker == kScan;
    at += 2U + (std::size_t{file[at + 2]} << 8U) + file[at + 3];  // a segment names its length
  }
  return false;
}

}  // namespace kerb::replay
