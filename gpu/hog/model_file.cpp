// SPDX-License-Identifier: Apache-2.0
#include "gpu/hog/model_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <utility>

#include "hal/base/crc32.hpp"

namespace kerb::hog {
namespace {

constexpr char kMagic[8] = {'K', 'W', 'M', 'O', 'D', 'E', 'L', '\0'};
constexpr std::size_t kHeader = 16, kChecksum = 4;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
Error
failure(Errc code, const char* format, ...) {
  char line[112];
  va_list values;
  va_start(values, format);
  std::vsnprintf(line, sizeof line, format, values);
  va_end(values);
  return {code, 0, "model file", line};
}

/// Values from the front of the bytes. After the first that is not there all are 0, and ok() is
/// false.
class Reader {
 public:
  Reader(const std::byte* data, std::size_t size, std::size_t at)
      : data_{data}, size_{size}, at_{at} {}

  std::uint32_t version = kModelFileVersion;  ///< of the file

  template <typename T>
  void operator()(T& value) {
    static_assert(std::is_integral_v<T> || std::is_floating_point_v<T>);
    if constexpr (std::is_same_v<T, double>) {
      std::uint32_t low = 0, high = 0;
      (*this)(low), (*this)(high);
      const std::uint64_t bits = std::uint64_t{high} << 32 | low;
      std::memcpy(&value, &bits, sizeof bits);
    } else if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t byte = 0;
      (*this)(byte);
      if (byte > 1) fail("neither yes nor no");
      value = byte == 1;
    } else if constexpr (std::is_same_v<T, float>) {
      std::uint32_t bits = 0;
      (*this)(bits);
      std::memcpy(&value, &bits, sizeof bits);
    } else {
      std::uint32_t bits = 0;
      if (!has(sizeof(T))) {
        fail("cut short");
      } else {
        for (std::size_t i = 0; i < sizeof(T); ++i)
          bits |= std::to_integer<std::uint32_t>(data_[at_ + i]) << (8 * i);
        at_ += sizeof(T);
      }
      value = static_cast<T>(bits);
    }
  }

  /// A table with room for as many as the file says, if it holds `bytes` for each.
  template <typename T>
  void table(std::vector<T>& table, std::uint32_t count, std::size_t bytes) {
    if (error_ != nullptr) return;
    if (count > (size_ - at_) / bytes) return fail("more entries than the file has room for");
    table.resize(count);
  }

  std::string text(std::size_t length) {
    if (!has(length)) {
      fail("cut short");
      return {};
    }
    std::string text(length, '\0');
    if (length > 0) std::memcpy(text.data(), data_ + at_, length);
    at_ += length;
    return text;
  }

  void fail(const char* error) {
    if (error_ != nullptr) return;
    error_ = error;
    failed_at_ = at_;
    at_ = size_;
  }
  void expect_end() {
    if (error_ == nullptr && at_ != size_) fail("bytes left over");
  }
  [[nodiscard]] bool ok() const { return error_ == nullptr; }
  [[nodiscard]] Error error() const {
    return failure(Errc::damaged, "at byte %zu: %s", failed_at_, error_);
  }

 private:
  [[nodiscard]] bool has(std::size_t bytes) const { return size_ - at_ >= bytes; }

  const std::byte* data_;
  std::size_t size_, at_, failed_at_ = 0;
  const char* error_ = nullptr;
};

class Writer {
 public:
  template <typename T>
  void operator()(const T& value) {
    static_assert(std::is_integral_v<T> || std::is_floating_point_v<T>);
    if constexpr (std::is_same_v<T, double>) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      (*this)(static_cast<std::uint32_t>(bits)), (*this)(static_cast<std::uint32_t>(bits >> 32));
    } else if constexpr (std::is_same_v<T, float>) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      (*this)(bits);
    } else if constexpr (std::is_same_v<T, std::int8_t>) {
      (*this)(static_cast<std::uint8_t>(value));
    } else {
      const auto bits = static_cast<std::uint32_t>(value);
      for (std::size_t i = 0; i < sizeof(T); ++i)
        bytes.push_back(static_cast<std::byte>(bits >> (8 * i)));
    }
  }
  void text(const char* data, std::size_t length) {
    for (std::size_t i = 0; i < length; ++i) bytes.push_back(static_cast<std::byte>(data[i]));
  }

  std::uint32_t version = kModelFileVersion;  ///< of the file
  std::vector<std::byte> bytes;
};

/// An enumerator; validate() refuses those there are not.
template <typename Io, typename T>
void choice(Io& io, T& value) {
  auto number = static_cast<std::uint8_t>(value);
  io(number);
  if constexpr (!std::is_const_v<T>) value = static_cast<T>(number);
}

// What is in the file, once for reading and writing. T is const for the Writer.
template <typename Io, typename T>
void pass(Io& io, T& value) {
  using Plain = std::remove_const_t<T>;
  if constexpr (std::is_arithmetic_v<Plain>) {
    io(value);
  } else if constexpr (std::is_same_v<Plain, Geometry>) {
    io(value.window_width), io(value.window_height);
    io(value.person_x), io(value.person_y), io(value.person_width), io(value.person_height);
    if (io.version >= 2) choice(io, value.scaling);
  } else if constexpr (std::is_same_v<Plain, Advice>) {
    io(value.threshold), io(value.scale_step), io(value.stride), io(value.padding);
    choice(io, value.fusion);
    io(value.overlap), io(value.of_smaller);
  } else if constexpr (std::is_same_v<Plain, Channels>) {
    auto bins = static_cast<std::uint8_t>(value.bins);
    io(bins);
    if constexpr (!std::is_const_v<T>) value.bins = bins;
    io(value.half_shifted), io(value.magnitude), io(value.colour);
  } else if constexpr (std::is_same_v<Plain, Stage>) {
    io(value.first), io(value.count), io(value.threshold);
  } else if constexpr (std::is_same_v<Plain, LinearLearner>) {
    io(value.x), io(value.y), io(value.width), io(value.height);
    io(value.offset), io(value.pass), io(value.fail), io(value.slope);
    for (auto& weight : value.weights) io(weight);
  } else if constexpr (std::is_same_v<Plain, TreeLearner>) {
    io(value.first_node), io(value.first_leaf), io(value.node_count), io(value.leaf_count);
  } else {
    static_assert(std::is_same_v<Plain, TreeNode>);
    io(value.x), io(value.y), io(value.width), io(value.height);
    io(value.divisor_x), io(value.divisor_y), io(value.divisor_width), io(value.divisor_height);
    io(value.channel), io(value.divisor), io(value.left), io(value.right), io(value.threshold);
  }
}

/// The part of the advice that came with version 3.
template <typename Io, typename T>
void pass_tracking(Io& io, T& advice) {
  io(advice.tracking_margin), io(advice.tracking.even), io(advice.tracking.sure);
}

/// How many bytes an entry takes in the file.
template <typename T>
std::size_t bytes_of() {
  static const std::size_t size = [] {
    Writer writer;
    const T value{};
    pass(writer, value);
    return writer.bytes.size();
  }();
  return size;
}

template <typename... T>
void write_tables(Writer& writer, const std::vector<T>&... tables) {
  (writer(static_cast<std::uint32_t>(tables.size())), ...);
  const auto write = [&writer](const auto& table) {
    for (const auto& entry : table) pass(writer, entry);
  };
  (write(tables), ...);
}
template <typename... T>
void read_tables(Reader& reader, std::vector<T>&... tables) {
  std::uint32_t counts[sizeof...(T)];
  for (std::uint32_t& count : counts) reader(count);
  const auto read = [&reader](auto& table, std::uint32_t count) {
    using Entry = typename std::remove_reference_t<decltype(table)>::value_type;
    reader.table(table, count, bytes_of<Entry>());
    for (auto& entry : table) pass(reader, entry);
  };
  const std::uint32_t* next = counts;
  (read(tables, *next++), ...);
}

void write(Writer& writer, const DenseModel& m) {
  pass(writer, m.geometry);
  writer(static_cast<std::uint8_t>(m.kind)), writer(m.gamma), writer(m.colour);
  writer(m.sigma), writer(m.clip), writer(m.bias);
  write_tables(writer, m.weights);
}
void write(Writer& writer, const CascadeModel& m) {
  pass(writer, m.geometry);
  pass(writer, m.channels);
  writer(m.cumulative);
  write_tables(writer, m.stages, m.linear, m.trees, m.nodes, m.leaves);
}
void read(Reader& reader, DenseModel& m) {
  pass(reader, m.geometry);
  std::uint8_t kind = 0;
  reader(kind), reader(m.gamma);
  if (reader.version >= 2) reader(m.colour);
  if (kind > static_cast<std::uint8_t>(DenseKind::integral)) reader.fail("no such kind of model");
  m.kind = static_cast<DenseKind>(kind);
  reader(m.sigma), reader(m.clip), reader(m.bias);
  read_tables(reader, m.weights);
}
void read(Reader& reader, CascadeModel& m) {
  pass(reader, m.geometry);
  pass(reader, m.channels);
  reader(m.cumulative);
  read_tables(reader, m.stages, m.linear, m.trees, m.nodes, m.leaves);
}

// The network that looks again came with version 4.
template <typename Io, typename T>
void pass_look(Io& io, T& look) {
  io(look.threshold), io(look.overlap), io(look.most), io(look.cascade_share);
  auto& crop = look.network.crop;
  io(crop.width), io(crop.height), io(crop.planes), io(crop.person_height);
}
template <typename Io, typename T>
void pass_layer(Io& io, T& layer) {
  io(layer.inputs), io(layer.outputs), io(layer.kernel_width), io(layer.kernel_height);
  io(layer.stride), io(layer.padding);
}
void write_look(Writer& writer, const std::optional<LookAgain>& look) {
  writer(look.has_value());
  if (!look) return;
  pass_look(writer, *look);
  writer(static_cast<std::uint32_t>(look->network.layers.size()));
  for (const net::Layer& layer : look->network.layers) {
    pass_layer(writer, layer);
    write_tables(writer, layer.weights, layer.bias, layer.factor);
  }
}
void read_look(Reader& reader, std::optional<LookAgain>& out) {
  bool there = false;
  reader(there);
  if (!there || !reader.ok()) return;
  LookAgain& look = out.emplace();
  pass_look(reader, look);
  std::uint32_t layers = 0;
  reader(layers);
  constexpr std::size_t kLeastLayer = 9 * 4;
  reader.table(look.network.layers, layers, kLeastLayer);
  for (net::Layer& layer : look.network.layers) {
    pass_layer(reader, layer);
    read_tables(reader, layer.weights, layer.bias, layer.factor);
  }
}

/// Closed at the end of its scope.
class File {
 public:
  explicit File(int fd) : fd_{fd} {}
  ~File() { close(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  bool close() {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 || ::close(fd) == 0;
  }

 private:
  int fd_;
};

/// The message first: a long path is cut, not the message.
Error about(Error error, const std::string& path) {
  error.what.append(error.what.empty() ? "" : " in ").append(path);
  return error;
}
Error system_error(Errc code, const char* where, const std::string& path) {
  return {code, errno, where, std::string_view{path}};
}

bool write_all(int fd, const std::vector<std::byte>& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

std::vector<std::byte> serialise(const Model& model) {
  Writer writer;
  writer.text(kMagic, sizeof kMagic);
  writer(kModelFileVersion);
  writer(std::uint32_t{0});  // the size, below
  writer(static_cast<std::uint8_t>(model.kind.index()));
  writer(static_cast<std::uint8_t>(model.name.size()));
  writer.text(model.name.data(), model.name.size());
  pass(writer, model.advice);
  std::visit([&writer](const auto& m) { write(writer, m); }, model.kind);
  pass_tracking(writer, model.advice);
  write_look(writer, model.look_again);
  const auto size = static_cast<std::uint32_t>(writer.bytes.size() + kChecksum);
  for (std::size_t i = 0; i < 4; ++i)
    writer.bytes[kHeader - 4 + i] = static_cast<std::byte>(size >> (8 * i));
  writer(crc32(writer.bytes.data(), writer.bytes.size()));
  return std::move(writer.bytes);
}

Result<Model> parse(const std::byte* data, std::size_t size) {
  if (size > kMaxModelFile)
    return failure(Errc::damaged, "%zu bytes: a model has 64 MiB at most", size);
  if (size < sizeof kMagic || std::memcmp(data, kMagic, sizeof kMagic) != 0)
    return failure(Errc::damaged, "not a model: it does not begin with KWMODEL");
  Reader header{data, size, sizeof kMagic};
  std::uint32_t version = 0, said = 0;
  header(version);
  if (header.ok() && (version < 1 || version > kModelFileVersion))
    return failure(Errc::unsupported, "version %lu; this program reads versions 1 to %lu",
                   static_cast<unsigned long>(version),
                   static_cast<unsigned long>(kModelFileVersion));
  header(said);
  if (!header.ok()) return header.error();
  if (said != size || size < kHeader + kChecksum)
    return failure(Errc::damaged, "%zu bytes, but it says it has %lu", size,
                   static_cast<unsigned long>(said));
  const std::size_t end = size - kChecksum;
  std::uint32_t checksum = 0;
  Reader{data, size, end}(checksum);
  if (checksum != crc32(data, end)) return failure(Errc::damaged, "its checksum is wrong");

  Reader reader{data, end, kHeader};
  reader.version = version;
  std::uint8_t kind = 0, length = 0;
  reader(kind), reader(length);
  Model model;
  model.name = reader.text(length);
  if (version >= 2) pass(reader, model.advice);
  if (kind == 0) {
    read(reader, model.kind.emplace<DenseModel>());
  } else if (kind == 1) {
    read(reader, model.kind.emplace<CascadeModel>());
  } else {
    reader.fail("no such kind of model");
  }
  if (version >= 3) pass_tracking(reader, model.advice);
  if (version >= 4) read_look(reader, model.look_again);
  reader.expect_end();
  if (!reader.ok()) return reader.error();
  if (Status ok = validate(model); !ok) return ok.error();
  return model;
}

Status save(const Model& model, const std::string& path) {
  if (Status ok = validate(model); !ok) return ok;
  const std::vector<std::byte> bytes = serialise(model);
  if (bytes.size() > kMaxModelFile)
    return about(failure(Errc::unsupported, "a model of more than 64 MiB"), path);
  // One name per process; a file left by a process that died is overwritten.
  const std::string temporary = path + ".new" + std::to_string(::getpid());
  File file{::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
  if (file.get() < 0) return system_error(Errc::io, "create model file", temporary);
  // On the disk before it has the name: a power cut must not leave an empty model.
  if (!write_all(file.get(), bytes) || ::fsync(file.get()) != 0 || !file.close() ||
      std::rename(temporary.c_str(), path.c_str()) != 0) {
    const Error error = system_error(Errc::io, "write model file", path);
    ::unlink(temporary.c_str());
    return error;
  }
  return Done{};
}

Result<Model> load(const std::string& path) {
  // O_NONBLOCK: a pipe without a writer would keep open() waiting.
  const File file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.get() < 0)
    return system_error(errno == ENOENT || errno == ENOTDIR ? Errc::not_found : Errc::io,
                        "open model file", path);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return system_error(Errc::io, "stat model file", path);
  if (!S_ISREG(info.st_mode))
    return about(failure(Errc::invalid_argument, "not a regular file"), path);
  if (info.st_size > static_cast<off_t>(kMaxModelFile))
    return about(failure(Errc::damaged, "more than 64 MiB"), path);
  std::vector<std::byte> bytes(static_cast<std::size_t>(info.st_size));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (n == 0) break;  // it shrank meanwhile: parse() will fail
    if (n < 0 && errno != EINTR) return system_error(Errc::io, "read model file", path);
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  Result<Model> model = parse(bytes.data(), done);
  if (!model) return about(model.error(), path);
  return model;
}

}  // namespace kerb::hog
