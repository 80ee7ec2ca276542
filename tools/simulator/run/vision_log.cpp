// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/run/vision_log.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <type_traits>

#include "hal/base/crc32.hpp"

namespace kerb::sim {
namespace {

static_assert(std::endian::native == std::endian::little);
constexpr std::array<char, 8> kMagic{'K', 'W', 'V', 'I', 'S', 'I', 'O', '2'};
// Of earlier versions: without the view.
constexpr std::array<char, 8> kMagicOne{'K', 'W', 'V', 'I', 'S', 'I', 'O', '1'};
constexpr std::uint32_t kMost = 1U << 20;  // of anything: a damaged file asks for no more memory

class Writer {
 public:
  template <typename T>
  void value(const T& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* bytes = reinterpret_cast<const char*>(&v);
    out_.insert(out_.end(), bytes, bytes + sizeof(T));
  }
  template <typename T>
  void list(std::span<const T> items) {
    value(static_cast<std::uint32_t>(items.size()));
    const auto* bytes = reinterpret_cast<const char*>(items.data());
    out_.insert(out_.end(), bytes, bytes + items.size_bytes());
  }
  [[nodiscard]] const std::vector<char>& bytes() const noexcept { return out_; }

 private:
  std::vector<char> out_;
};

class Reader {
 public:
  explicit Reader(std::span<const char> in) : in_{in} {}
  template <typename T>
  void value(T& v) {
    take(&v, sizeof(T));
  }
  template <typename T>
  void list(T& items) {
    const std::uint32_t count = size(sizeof(typename T::value_type));
    items.resize(count);
    take(items.data(), count * sizeof(typename T::value_type));
  }
  /// How many follow, each of at least this size.
  std::uint32_t size(std::size_t each) {
    std::uint32_t count = 0;
    value(count);
    if (count > kMost || count * each > in_.size()) good_ = false;
    return good_ ? count : 0;
  }
  [[nodiscard]] bool good() const noexcept { return good_; }
  [[nodiscard]] bool at_end() const noexcept { return good_ && in_.empty(); }

 private:
  void take(void* to, std::size_t size) {
    if (size > in_.size()) good_ = false;
    if (!good_ || size == 0) return;
    std::memcpy(to, in_.data(), size);
    in_ = in_.subspan(size);
  }
  std::span<const char> in_;
  bool good_ = true;
};

void write(Writer& out, const ViewMeasurement& view) {
  out.value(static_cast<std::uint8_t>(view.known));
  for (const double v :
       {view.clear_m, view.distance_m, view.spread, view.visibility_m, view.sharpness, view.noise})
    out.value(v);
  out.value(view.limit);
}

void read(Reader& in, ViewMeasurement& view) {
  std::uint8_t known = 0;
  in.value(known);
  view.known = known != 0;
  for (double* v : {&view.clear_m, &view.distance_m, &view.spread, &view.visibility_m,
                    &view.sharpness, &view.noise})
    in.value(*v);
  in.value(view.limit);
}

void write(Writer& out, const VisionFrame& frame) {
  out.value(frame.captured.count());
  write(out, frame.view);
  out.list(std::span{frame.found});
  out.value(static_cast<std::uint32_t>(frame.looks.size()));
  for (const VisionFrame::Look& look : frame.looks) {
    out.value(look.box);
    out.value(look.signature.values);
  }
  out.value(static_cast<std::uint8_t>(frame.measured));
  out.list(std::span{frame.vectors});
  out.value(static_cast<std::uint32_t>(frame.spread));
}

void read(Reader& in, VisionFrame& frame, bool with_view) {
  Nanos::rep captured = 0;
  in.value(captured);
  frame.captured = Nanos{captured};
  if (with_view) read(in, frame.view);
  in.list(frame.found);
  frame.looks.resize(in.size(sizeof(Detection) + sizeof(track::Signature::values)));
  for (VisionFrame::Look& look : frame.looks) {
    in.value(look.box);
    look.signature.known = true;
    in.value(look.signature.values);
  }
  std::uint8_t measured = 0;
  in.value(measured);
  frame.measured = measured != 0;
  in.list(frame.vectors);
  std::uint32_t spread = 0;
  in.value(spread);
  frame.spread = std::min<std::size_t>(spread, frame.vectors.size());
}

}  // namespace

Status write_vision_log(const std::string& path, const VisionLog& log) {
  Writer out;
  out.value(kMagic);
  out.list(std::span{log.run});
  out.value(log.truth);
  out.list(std::span{log.detector});
  out.value(log.scores.even);
  out.value(log.scores.sure);
  out.value(static_cast<std::uint32_t>(log.frames.size()));
  for (const VisionFrame& frame : log.frames) write(out, frame);
  out.value(crc32(reinterpret_cast<const std::byte*>(out.bytes().data()), out.bytes().size()));
  std::ofstream file{path, std::ios::binary};
  file.write(out.bytes().data(), static_cast<std::streamsize>(out.bytes().size()));
  file.close();
  if (!file) return Error{Errc::io, errno, "write vision log", std::string_view{path}};
  return Done{};
}

Result<VisionLog> read_vision_log(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) return Error{Errc::not_found, errno, "read vision log", std::string_view{path}};
  const std::vector<char> bytes{std::istreambuf_iterator<char>{file}, {}};
  const Error bad{Errc::invalid_argument, 0, "not a vision log, or cut short",
                  std::string_view{path}};
  std::uint32_t sum = 0;
  if (bytes.size() < kMagic.size() + sizeof sum) return bad;
  const bool with_view = std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
  if (!with_view && std::memcmp(bytes.data(), kMagicOne.data(), kMagicOne.size()) != 0) return bad;
  const std::size_t size = bytes.size() - sizeof sum;
  std::memcpy(&sum, bytes.data() + size, sizeof sum);
  if (crc32(reinterpret_cast<const std::byte*>(bytes.data()), size) != sum) return bad;
  Reader in{std::span{bytes}.subspan(kMagic.size(), size - kMagic.size())};
  VisionLog log;
  in.list(log.run);
  in.value(log.truth);
  in.list(log.detector);
  in.value(log.scores.even);
  in.value(log.scores.sure);
  constexpr std::size_t kLeastFrame = 8 + 4 + 4 + 1 + 4 + 4;
  log.frames.resize(in.size(kLeastFrame));
  for (VisionFrame& frame : log.frames) read(in, frame, with_view);
  if (!in.at_end()) return bad;
  return log;
}

}  // namespace kerb::sim
