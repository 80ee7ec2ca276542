// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/includes/include_rules.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>

namespace kerb::test {
namespace {

namespace fs = std::filesystem;

constexpr std::array kFolders = {"hal", "drivers", "gpu", "firmware", "tools", "tests"};
constexpr std::array kHeaders = {".hpp", ".h", ".cuh"};
constexpr std::array kSources = {".cpp", ".cu"};

// All of C++20, and the C headers under their C++ names.
constexpr std::string_view kStandard =
    " algorithm any array atomic barrier bit bitset charconv chrono codecvt compare complex "
    "concepts condition_variable coroutine deque exception execution filesystem format "
    "forward_list fstream functional future initializer_list iomanip ios iosfwd iostream "
    "istream iterator latch limits list locale map memory memory_resource mutex new numbers "
    "numeric optional ostream queue random ranges ratio regex scoped_allocator semaphore set "
    "shared_mutex source_location span sstream stack stdexcept stop_token streambuf string "
    "string_view syncstream system_error thread tuple type_traits typeindex typeinfo "
    "unordered_map unordered_set utility valarray variant vector version cassert cctype "
    "cerrno cfenv cfloat cinttypes climits clocale cmath csetjmp csignal cstdarg cstddef "
    "cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype ";

template <std::size_t N>
bool is_one_of(const std::array<const char*, N>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool is_standard(const std::string& header) {
  return kStandard.find(" " + header + " ") != std::string_view::npos;
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(), [text](std::string_view start) {
    return text.substr(0, start.size()) == start;
  });
}

bool is_cuda(std::string_view header) {
  return starts_with_any(header, {"cuda", "cub/", "thrust/", "cooperative_groups", "nvtx3/",
                                  "nvToolsExt", "device_launch_parameters", "driver_types.h",
                                  "vector_types.h", "mma.h", "curand", "cublas"});
}

bool is_header(std::string_view path) {
  return is_one_of(kHeaders, fs::path{path}.extension().string());
}

/// Whether a header's name tells that it is for the CUDA side only: *.cuh, *_cuda.hpp, cuda_*.hpp,
/// detail/.
bool says_cuda(const std::string& path) {
  const fs::path file{path};
  const std::string stem = file.stem().string();
  return file.extension() == ".cuh" || path.find("/detail/") != std::string::npos ||
         starts_with_any(stem, {"cuda_"}) ||
         (stem.size() > 5 && stem.compare(stem.size() - 5, 5, "_cuda") == 0);
}

/// "drivers" of "drivers/v4l2/x.hpp"; with depth 2 "drivers/v4l2". A file directly in a folder has
/// that folder.
std::string folder_of(std::string_view path, int depth = 1) {
  std::size_t end = 0;
  for (int i = 0; i < depth; ++i) {
    const std::size_t slash = path.find('/', i == 0 ? 0 : end + 1);
    if (slash == std::string_view::npos) break;
    end = slash;
  }
  return std::string{path.substr(0, end)};
}

bool is_main(std::string_view path) { return starts_with_any(path, {"firmware/main/"}); }
bool may_name_gpu(std::string_view path) {
  return is_main(path) || starts_with_any(path, {"firmware/vision/"});
}

/// Why `from` must not include `to`, both by their path from the top; empty when it may.
std::string against_the_arrows(const std::string& from, const std::string& to) {
  const std::string here = folder_of(from), there = folder_of(to);
  if (here == "tests") return "";
  if (there == "tests") return "only tests include tests";
  if (here == "tools") return "";
  if (there == "tools") return "only tools and tests include tools";
  if (there == "hal") return "";
  if (here == "hal") return "hal includes hal alone";
  if (here == "drivers") {
    if (there != "drivers") return "drivers include hal and drivers";
    const std::string folder = folder_of(to, 2);
    if (folder != folder_of(from, 2) && folder != "drivers/base")
      return "a driver does not know another";
    return "";
  }
  if (here == "gpu") return there == "gpu" ? "" : "gpu includes hal and gpu";
  if (is_main(from)) return "";
  if (there == "gpu" && may_name_gpu(from)) return "";
  if (there != "firmware")
    return "firmware includes hal and firmware; vision and main name gpu, main alone drivers";
  return is_main(to) ? "nobody includes main" : "";
}

std::string about_foreign(const std::string& path, const std::string& header) {
  const std::string folder = folder_of(path);
  if (is_one_of(kFolders, folder_of(header))) return "ours are included in quotes";
  if (folder == "hal" && !is_standard(header)) return "hal needs the standard library alone";
  const bool may_opencv =
      folder == "tools" || folder == "tests" || folder_of(path, 2) == "drivers/replay";
  if (starts_with_any(header, {"opencv"}) && !may_opencv)
    return "OpenCV is for drivers/replay, tools and tests";
  if (!is_cuda(header)) return "";
  if (folder == "drivers" || folder == "firmware") return "CUDA is for gpu";
  if (folder == "gpu" && is_header(path) && !says_cuda(path))
    return "public headers name no CUDA header";
  return "";
}

/// Whether a header brings in CUDA, itself or through one of ours.
bool brings_cuda(const std::string& header, const fs::path& top, std::set<std::string>& seen) {
  if (!seen.insert(header).second) return false;
  for (const SourceFile::Include& include : read_source(header, text_of(top / header)).includes) {
    if (!include.quoted && is_cuda(include.target)) return true;
    if (include.quoted && brings_cuda(include.target, top, seen)) return true;
  }
  return false;
}

/// The text with comments blanked, so that lines keep their numbers. Leaves strings alone.
std::string without_comments(std::string_view text) {
  std::string out{text};
  enum { code, line, block, quote } state = code;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool slash_next = out[i] == '/' && i + 1 < out.size();
    if (out[i] == '\n') {
      if (state != block) state = code;
    } else if (state == code && slash_next && out[i + 1] == '/') {
      state = line;
    } else if (state == code && slash_next && out[i + 1] == '*') {
      state = block;
    } else if (state == code && out[i] == '"') {
      state = quote;
    } else if (state == quote && out[i] == '\\') {
      ++i;
    } else if (state == quote && out[i] == '"') {
      state = code;
    } else if (state == block && out[i] == '*' && i + 1 < out.size() && out[i + 1] == '/') {
      out[i] = out[i + 1] = ' ';
      state = code;
    }
    if ((state == line || state == block) && out[i] != '\n') out[i] = ' ';
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

}  // namespace

std::string text_of(const fs::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

SourceFile read_source(std::string path, std::string_view text) {
  SourceFile file;
  file.path = std::move(path);
  file.has_spdx = starts_with_any(text, {"// SPDX-License-Identifier: Apache-2.0\n"});
  const std::string code = without_comments(text);
  int number = 0;
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t end = std::min(code.find('\n', at), code.size());
    std::string_view line = trimmed(std::string_view{code}.substr(at, end - at));
    at = end + 1;
    ++number;
    if (line.empty() || line.front() != '#') continue;
    line = trimmed(line.substr(1));
    if (starts_with_any(line, {"pragma once"})) file.has_pragma_once = true;
    if (!starts_with_any(line, {"include"})) continue;
    line = trimmed(line.substr(7));
    if (line.empty() || (line.front() != '"' && line.front() != '<')) continue;
    const std::size_t close = line.find(line.front() == '"' ? '"' : '>', 1);
    if (close == std::string_view::npos) continue;
    file.includes.push_back({number, line.front() == '"', std::string{line.substr(1, close - 1)}});
  }
  return file;
}

std::vector<SourceFile> read_tree(const fs::path& top) {
  std::vector<SourceFile> files;
  for (const char* folder : kFolders) {
    if (!fs::is_directory(top / folder)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator{top / folder}) {
      const std::string extension = entry.path().extension().string();
      if (!entry.is_regular_file() ||
          (!is_one_of(kHeaders, extension) && !is_one_of(kSources, extension)))
        continue;
      files.push_back(read_source(entry.path().lexically_relative(top).generic_string(),
                                  text_of(entry.path())));
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::vector<std::string> complaints(const SourceFile& file, const fs::path& top) {
  std::vector<std::string> found;
  if (!file.has_spdx) found.push_back(file.path + ":1: no SPDX line");
  if (is_header(file.path) && !file.has_pragma_once)
    found.push_back(file.path + ":1: no #pragma once");
  for (const SourceFile::Include& include : file.includes) {
    std::string why;
    if (!include.quoted) {
      why = about_foreign(file.path, include.target);
    } else if (!is_one_of(kFolders, folder_of(include.target)) ||
               include.target.find("..") != std::string::npos) {
      why = "not by its path from the top";
    } else if (!fs::is_regular_file(top / include.target)) {
      // CMake makes some from a template beside them.
      if (!fs::is_regular_file(top / (include.target + ".in"))) why = "there is no such file";
    } else {
      why = against_the_arrows(file.path, include.target);
      std::set<std::string> seen;
      if (why.empty() && folder_of(file.path) == "gpu" && is_header(file.path) &&
          !says_cuda(file.path) && says_cuda(include.target) &&
          brings_cuda(include.target, top, seen))
        why = "public headers name no CUDA header";
    }
    if (!why.empty())
      found.push_back(file.path + ":" + std::to_string(include.line) + ": includes " +
                      include.target + ": " + why);
  }
  return found;
}

}  // namespace kerb::test
