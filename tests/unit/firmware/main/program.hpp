// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "gpu/hog/model_file.hpp"
#include "gpu/hog/shipped_models.hpp"
#include "tests/support/outcome.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/bar_model.hpp"

/// The program as a person runs it: through a shell, with a configuration in a folder of the test.
namespace kerb::test {

namespace fs = std::filesystem;

inline fs::path g_folder;  ///< of the test that runs; a suite sets it up

inline Outcome shell(const std::string& what) {
  const std::string out = g_folder / "out", err = g_folder / "err";
  const std::string command = what + " >" + out + " 2>" + err;
  const int status = std::system(command.c_str());
  Outcome result{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(out), read(err)};
  return result;
}

/// Runs `kerbwatch ARGUMENTS` through the shell. No model is installed but where a test says so.
inline Outcome kerbwatch(const std::string& arguments) {
  return shell(std::string{KERBWATCH} + " " + arguments);
}

inline std::string config(const std::string& text) {
  const fs::path path = g_folder / "test.toml";
  std::ofstream{path} << text;
  return path;
}

/// No bus, no lamps, a small test pattern, events and records in the folder; more keys may follow.
inline std::string desk_config(const std::string& more = "") {
  return config(
      "[[camera]]\nsource = \"pattern\"\nwidth = 320\nheight = 240\n[can]\nenabled = false\n"
      "[thermal]\nenabled = false\n[events]\npath = \"" +
      (g_folder / "events.jsonl").string() + "\"\n[record]\npath = \"" +
      (g_folder / "records").string() + "\"\n[life]\npath = \"" + (g_folder / "life").string() +
      "\"\n" + more);
}

/// A model that takes bright bars for people, and the key that names it.
inline fs::path model_file() {
  const fs::path path = g_folder / "bars.kwm";
  TEST_ASSERT_OK(hog::save(hog::test::bar_model(), path));
  return path;
}
inline std::string detector_table(const fs::path& model, const std::string& more = "") {
  return "[detector]\nmodel = \"" + model.string() + "\"\n" + more;
}
inline void flip_a_bit(const fs::path& path) {
  std::fstream file{path, std::ios::in | std::ios::out | std::ios::binary};
  file.seekg(100);
  const char byte = static_cast<char>(file.get() ^ 1);
  file.seekp(100);
  file.put(byte);
}

/// Exit code 2 and one line, with `part` in it.
inline void expect_refused(const Outcome& o, const char* part) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(2, o.code, o.err.c_str());
  TEST_ASSERT_EQUAL_INT_MESSAGE(1, o.lines_of_error(), o.err.c_str());
  TEST_ASSERT_TRUE_MESSAGE(o.err.find(part) != std::string::npos, o.err.c_str());
}

/// Installed models, for as long as this lives: in colour, and a variant for grey cameras.
struct Installed {
  Installed() {
    const fs::path folder = g_folder / "models";
    fs::create_directory(folder);
    TEST_ASSERT_OK(hog::save(hog::test::red_bar_model(), folder / "default.kwm"));
    TEST_ASSERT_OK(hog::save(hog::test::bar_model(), folder / "default-grey.kwm"));
    setenv(hog::kModelsVariable, folder.c_str(), 1);
  }
  Installed(const Installed&) = delete;
  Installed& operator=(const Installed&) = delete;
  ~Installed() { setenv(hog::kModelsVariable, "/nowhere/models", 1); }
};

}  // namespace kerb::test
