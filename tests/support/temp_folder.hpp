// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace kerb::test {

/// Creates an empty folder, for setUp(); the caller removes it.
inline std::filesystem::path make_temp_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "kerb-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) std::abort();
  return name;
}

/// An empty folder, removed with this object.
class TempFolder {
 public:
  TempFolder() : path_{make_temp_folder()} {}
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// The path of `name` in this folder; missing folders on the way are created.
  [[nodiscard]] std::string at(std::string_view name) const {
    const std::filesystem::path path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    return path.string();
  }
  /// Writes a file and returns its path.
  std::string write(std::string_view name, std::string_view content) const {
    std::string path = at(name);
    std::ofstream{path, std::ios::binary} << content;
    return path;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace kerb::test
