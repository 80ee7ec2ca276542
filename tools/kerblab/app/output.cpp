// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/app/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <system_error>
#include <utility>

#include "drivers/replay/picture.hpp"

namespace kerb::lab {
namespace {

namespace fs = std::filesystem;
using replay::failure;

/// All of it, to an open file; errno when not.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

fs::path folder_of(const std::string& path) {
  const fs::path folder = fs::path{path}.parent_path();
  return folder.empty() ? fs::path{"."} : folder;
}

/// A rename onto /dev/stdout would replace the link, not write to where it leads.
bool is_stdout(const std::string& path) { return path == "-" || path == "/dev/stdout"; }

bool is_null(const std::string& path) {
  struct stat one {
  }, null{};  // fs::equivalent() knows no devices
  return ::stat(path.c_str(), &one) == 0 && ::stat("/dev/null", &null) == 0 &&
         one.st_dev == null.st_dev && one.st_ino == null.st_ino;
}

}  // namespace

Status check_output(const std::string& path) {
  std::error_code ignored;
  if (is_stdout(path) || is_null(path)) return Done{};
  if (path.empty() || fs::is_directory(path, ignored))
    return failure(Errc::invalid_argument, "write: not a file name", path);
  // Opening a pipe waits for its reader, for ever perhaps.
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored))
    return failure(Errc::invalid_argument, "write: not a regular file", path);
  const fs::path folder = folder_of(path);
  if (!fs::is_directory(folder, ignored))
    return failure(Errc::not_found, "write: no such folder", folder.string());
  if (::access(folder.c_str(), W_OK) != 0)
    return failure(Errc::io, "write into", folder.string(), errno);
  return Done{};
}

Status check_apart(const std::vector<std::string>& outputs,
                   const std::vector<std::string>& inputs) {
  std::set<std::pair<dev_t, ino_t>> read;
  struct stat facts {};
  for (const std::string& input : inputs)
    if (::stat(input.c_str(), &facts) == 0) read.emplace(facts.st_dev, facts.st_ino);
  for (const std::string& output : outputs)
    if (!is_stdout(output) && ::stat(output.c_str(), &facts) == 0 &&
        read.count({facts.st_dev, facts.st_ino}) != 0)
      return failure(Errc::invalid_argument, "would overwrite an input", output);
  return Done{};
}

Status check_distinct(const std::vector<std::string>& outputs) {
  std::set<fs::path> known;
  std::error_code ignored;
  for (const std::string& output : outputs) {
    if (is_null(output)) continue;
    const fs::path place = is_stdout(output)
                               ? fs::path{"-"}
                               : fs::weakly_canonical(fs::absolute(output, ignored), ignored);
    if (!known.insert(place).second)
      return failure(Errc::invalid_argument, "two outputs have the same name", output);
  }
  return Done{};
}

Status write_output(const std::string& path, std::string_view text) {
  if (is_stdout(path)) {
    std::fflush(stdout);
    if (const int error = write_all(STDOUT_FILENO, text); error != 0)
      return failure(Errc::io, "write", "stdout", error);
    return Done{};
  }
  if (is_null(path)) return Done{};
  const fs::path name = fs::path{path}.filename();
  const std::string part = (folder_of(path) / ("." + name.string() + ".part")).string() + "." +
                           std::to_string(::getpid());
  const int fd = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return failure(Errc::io, "write", path, errno);
  int error = write_all(fd, text);
  if (::close(fd) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(part.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return Done{};
  ::unlink(part.c_str());
  return failure(Errc::io, "write", path, error);
}

Result<OutputFolder> OutputFolder::create(const std::string& folder) {
  OutputFolder out;
  out.folder_ = folder;
  std::error_code error;
  out.made_ = fs::create_directories(out.folder_, error);
  if (error) return failure(Errc::io, "create folder", folder, error.value());
  std::string pattern = (out.folder_ / ".kerblab-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return failure(Errc::io, "write into", folder, errno);
  out.hidden_ = pattern;
  return out;
}

OutputFolder::OutputFolder(OutputFolder&& other) noexcept
    : folder_{std::move(other.folder_)},
      hidden_{std::exchange(other.hidden_, {})},
      made_{std::exchange(other.made_, false)},
      names_{std::move(other.names_)} {}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (!hidden_.empty()) fs::remove_all(hidden_, ignored);
  if (made_) fs::remove(folder_, ignored);  // only when it is empty
}

std::string OutputFolder::next(const std::string& stem, const std::string& extension) {
  std::string name = stem + extension;
  for (int i = 2; std::find(names_.begin(), names_.end(), name) != names_.end(); ++i)
    name = stem + ("-" + std::to_string(i)).append(extension);
  names_.push_back(name);
  return (hidden_ / name).string();
}

std::vector<std::string> OutputFolder::targets() const {
  std::vector<std::string> paths;
  for (const std::string& name : names_) paths.push_back((folder_ / name).string());
  return paths;
}

Status OutputFolder::commit() {
  for (const std::string& name : names_)
    if (std::rename((hidden_ / name).c_str(), (folder_ / name).c_str()) != 0)
      return failure(Errc::io, "write", (folder_ / name).string(), errno);
  made_ = false;
  return Done{};
}

}  // namespace kerb::lab
