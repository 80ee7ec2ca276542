// SPDX-License-Identifier: Apache-2.0
#include "tools/train/checkpoint.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdarg>
#include <cstdio>
#include <sstream>

#include "tools/train/bytes.hpp"
#include "tools/train/json_line.hpp"
#include "tools/train/pictures.hpp"

namespace kerb::train {
namespace {

constexpr std::uint64_t kMagic = 0x003150434e525457U;  // "WTRNCP1\0"

/// The message first: of a long path the end, with the file's name, is kept.
Error about(Errc code, const char* where, const std::string& path, int native = 0) {
  return failure(code, where, path, native);
}

struct Fd {
  int value = -1;
  ~Fd() {
    if (value >= 0) ::close(value);
  }
};

/// The first line of `a` that is not the same in `b`, as "name: 'x' there, 'y' here".
std::string first_difference(const std::string& there, const std::string& here) {
  std::istringstream a{there}, b{here};
  std::string x, y;
  while (true) {
    const bool more_a = static_cast<bool>(std::getline(a, x));
    const bool more_b = static_cast<bool>(std::getline(b, y));
    if (!more_a && !more_b) return "";
    if (!more_a) x.clear();
    if (!more_b) y.clear();
    if (x != y) return line_of("there '%s', here '%s'", x.c_str(), y.c_str());
  }
}

}  // namespace

std::string line_of(const char* format, ...) {
  char line[512];
  va_list values;
  va_start(values, format);
  std::vsnprintf(line, sizeof line, format, values);
  va_end(values);
  return line;
}

void SettingsText::add(std::string_view name, const std::string& value) {
  text_.append(name).append(" ").append(value).append("\n");
}

void SettingsText::add(std::string_view name, double value) {
  char text[40];
  const std::to_chars_result end = std::to_chars(text, text + sizeof text, value);
  add(name, std::string{text, end.ptr});
}

void SettingsText::add_geometry(const hog::Geometry& g) {
  add("window", std::to_string(g.window_width) + "x" + std::to_string(g.window_height));
  add("person_x", static_cast<double>(g.person_x));
  add("person_y", static_cast<double>(g.person_y));
  add("person_width", static_cast<double>(g.person_width));
  add("person_height", static_cast<double>(g.person_height));
  add("scaling", std::string{g.scaling == Scaling::octaves ? "octaves" : "plain"});
}

void SettingsText::add_searches(const std::vector<hog::SearchSettings>& searches) {
  for (const hog::SearchSettings& search : searches) {
    add("search_scale", search.scale_step);
    add("search_stride", search.stride);
    add("search_padding", search.padding);
    add("search_min_height", search.min_height);
  }
}

Status write_whole(const std::string& path, const void* data, std::size_t size) {
  const std::string temporary = path + ".new" + std::to_string(::getpid());
  int error = 0;
  {
    Fd file{::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
    if (file.value < 0) return about(Errc::io, "write", path, errno);
    const auto* bytes = static_cast<const char*>(data);
    for (std::size_t done = 0; error == 0 && done < size;) {
      const ssize_t n = ::write(file.value, bytes + done, size - done);
      if (n > 0) done += static_cast<std::size_t>(n);
      if (n < 0 && errno != EINTR) error = errno;
    }
    if (error == 0 && ::fsync(file.value) != 0) error = errno;
  }
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return Done{};
  ::unlink(temporary.c_str());
  return about(Errc::io, "write", path, error);
}

Status save(const Checkpoint& checkpoint, const std::string& path) {
  ByteWriter out;
  out.put(kMagic);
  out.put(checkpoint.trainer);
  out.put(checkpoint.settings);
  out.put(checkpoint.data);
  out.put(checkpoint.log);
  out.put(checkpoint.state);
  out.put(hash_bytes(out.bytes().data(), out.bytes().size()));
  return write_whole(path, out.bytes().data(), out.bytes().size());
}

Result<Checkpoint> load_checkpoint(const std::string& path) {
  // O_NONBLOCK: a pipe without a writer would keep open() waiting.
  const Fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.value < 0)
    return about(errno == ENOENT ? Errc::not_found : Errc::io, "read checkpoint", path, errno);
  struct stat info {};
  if (::fstat(file.value, &info) != 0 || !S_ISREG(info.st_mode))
    return about(Errc::damaged, "checkpoint: not a regular file", path);
  std::vector<std::byte> bytes(static_cast<std::size_t>(info.st_size));
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::read(file.value, bytes.data() + done, bytes.size() - done);
    if (n == 0) break;
    if (n < 0 && errno != EINTR) return about(Errc::io, "read checkpoint", path, errno);
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  ByteReader in{bytes};
  std::uint64_t magic = 0, hash = 0;
  Checkpoint checkpoint;
  in.get(magic);
  if (!in.ok() || magic != kMagic)
    return about(Errc::damaged, "not a checkpoint of this program", path);
  in.get(checkpoint.trainer);
  in.get(checkpoint.settings);
  in.get(checkpoint.data);
  in.get(checkpoint.log);
  in.get(checkpoint.state);
  in.get(hash);
  if (!in.at_end() || hash != hash_bytes(bytes.data(), bytes.size() - sizeof hash))
    return about(Errc::damaged, "checkpoint truncated or altered", path);
  return checkpoint;
}

Status check_same(const Checkpoint& checkpoint, const std::string& trainer,
                  const std::string& settings, std::uint64_t data) {
  if (checkpoint.trainer != trainer)
    return failure(Errc::invalid_argument, "the checkpoint belongs to another trainer",
                   checkpoint.trainer);
  if (const std::string difference = first_difference(checkpoint.settings, settings);
      !difference.empty())
    return failure(Errc::invalid_argument, "the checkpoint has other settings", difference);
  if (checkpoint.data != data)
    return failure(Errc::invalid_argument, "the checkpoint was made from other pictures",
                   "files were added, removed or altered since");
  return Done{};
}

}  // namespace kerb::train
