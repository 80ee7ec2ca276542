// SPDX-License-Identifier: Apache-2.0
#include "gpu/hog/shipped_models.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#ifndef KERB_INSTALLED_MODELS
#define KERB_INSTALLED_MODELS "/usr/share/kerbwatch/models"
#endif

namespace kerb::hog {
namespace {

namespace fs = std::filesystem;

/// The path when something is there, else nothing.
std::string if_there(const fs::path& path) {
  std::error_code unknown;  // a folder that may not be read counts as missing
  return fs::exists(path, unknown) ? path.string() : std::string{};
}

/// The file beside `model` with this before its ending, or nothing.
std::string variant(const std::string& model, const char* suffix) {
  fs::path path{model};
  const std::string name = path.stem().string() + suffix + path.extension().string();
  return if_there(path.replace_filename(name));
}

}  // namespace

std::string shipped_models() {
  // Read while a program starts, by its only thread.
  const char* told = std::getenv(kModelsVariable);  // NOLINT(concurrency-mt-unsafe)
  if (told != nullptr && *told != '\0') return told;
  std::error_code unknown;
  const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
  if (!unknown) {
    const fs::path prefix = program.parent_path().parent_path();
    if (std::string found = if_there(prefix / "share/kerbwatch/models"); !found.empty())
      return found;
  }
  return KERB_INSTALLED_MODELS;
}

std::string shipped_model(std::string_view name) {
  return if_there(fs::path{shipped_models()} / name);
}

std::string grey_variant(const std::string& model) { return variant(model, "-grey"); }
std::string thermal_variant(const std::string& model) { return variant(model, "-thermal"); }

}  // namespace kerb::hog
