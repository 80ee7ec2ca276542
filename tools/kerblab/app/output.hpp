// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "hal/base/result.hpp"

/// Output files appear complete or not at all.
namespace kerb::lab {

/// Checks before a long computation that write_output() can succeed. Fails:
/// not_found (no such folder), invalid_argument (a folder, a pipe, a device), io (may not be
/// written).
Status check_output(const std::string& path);

/// Checks that no output is one of the inputs, under any name or link. Outputs that do not exist
/// yet are allowed. Fails, naming the output: invalid_argument.
Status check_apart(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

/// That no two outputs are the same file, or both stdout. Fails, naming it: invalid_argument.
Status check_distinct(const std::vector<std::string>& outputs);

/// Writes a file under a temporary name beside it and renames it, or to stdout for "-" and
/// /dev/stdout; /dev/null is not replaced. Fails: io.
Status write_output(const std::string& path, std::string_view text);

/// A set of files: written into a hidden folder inside `folder` and moved out by commit(). Without
/// commit() they are removed with this object, and so is `folder` if it was created here.
class OutputFolder {
 public:
  /// Fails: io.
  static Result<OutputFolder> create(const std::string& folder);
  OutputFolder(OutputFolder&& other) noexcept;
  OutputFolder& operator=(OutputFolder&&) = delete;
  ~OutputFolder();

  /// Where to write the next file: `stem` and `extension`, with a number between them when that
  /// name was given out before.
  [[nodiscard]] std::string next(const std::string& stem, const std::string& extension);
  /// The names files will have after commit(), in the order of next().
  [[nodiscard]] std::vector<std::string> targets() const;
  /// Replaces files of the same names. Fails: io.
  Status commit();

 private:
  OutputFolder() = default;
  std::filesystem::path folder_, hidden_;  // hidden_ empty: nothing to clear up
  bool made_ = false;                      // the folder itself, by us
  std::vector<std::string> names_;
};

}  // namespace kerb::lab
