// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/hil/play_file.hpp"

#include <cmath>
#include <cstring>

namespace kerb::sim {
namespace {

constexpr std::string_view kMagic = "KWPLAY1\n";
constexpr std::uint32_t kMost = 1u << 20;                 // of anything that is counted
constexpr std::uint64_t kLongest_us = 1'000'000'000'000;  // eleven days

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
}
void put_time(std::string& out, double seconds) {
  put(out, static_cast<std::uint64_t>(std::llround(seconds * 1e6)), 8);
}

/// Reads on through the bytes; past their end everything is zero, and ok() says so.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_{bytes} {}
  std::uint64_t number(int bytes) {
    std::uint64_t value = 0;
    const std::string_view part = take(static_cast<std::size_t>(bytes));
    for (std::size_t i = 0; i < part.size(); ++i)
      value |= std::uint64_t{static_cast<std::uint8_t>(part[i])} << (8 * i);
    return value;
  }
  double time() {
    const std::uint64_t us = number(8);
    if (us > kLongest_us) ok_ = false;
    return static_cast<double>(us) * 1e-6;
  }
  std::string_view take(std::size_t count) {
    if (count > bytes_.size()) {
      ok_ = false;
      bytes_ = {};
      return {};
    }
    const std::string_view part = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return part;
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

Error broken(const char* what) { return Error{Errc::damaged, 0, "read play file", what}; }

}  // namespace

std::string render_play(const Play& play) {
  std::string out{kMagic};
  put(out, play.name.size(), 4);
  out += play.name;
  put_time(out, play.seconds);
  put(out, static_cast<std::uint64_t>(play.width), 4);
  put(out, static_cast<std::uint64_t>(play.height), 4);
  put(out, static_cast<std::uint64_t>(play.enlarge), 4);
  put(out, play.messages.size(), 4);
  put(out, play.pictures.size(), 4);
  for (const Play::Message& message : play.messages) {
    put_time(out, message.at);
    put(out, message.frame.id, 4);
    put(out, message.frame.size, 1);
    for (std::size_t i = 0; i < 8; ++i) put(out, message.frame.data[i], 1);
  }
  for (const Play::Shown& picture : play.pictures) {
    put_time(out, picture.at);
    out.append(picture.pixels.begin(), picture.pixels.end());
  }
  return out;
}

Result<Play> parse_play(std::string_view bytes) {
  Reader in{bytes};
  if (in.take(kMagic.size()) != kMagic) return broken("not a play file");
  Play play;
  const std::uint64_t letters = in.number(4);
  if (letters > 1000) return broken("name longer than 1000 characters");
  play.name = in.take(letters);
  play.seconds = in.time();
  play.width = static_cast<int>(in.number(4));
  play.height = static_cast<int>(in.number(4));
  play.enlarge = static_cast<int>(in.number(4));
  const std::uint64_t messages = in.number(4), pictures = in.number(4);
  if (!in.ok() || play.width < 1 || play.width > 4096 || play.height < 1 || play.height > 4096 ||
      play.enlarge < 1 || play.enlarge > 16 || messages > kMost || pictures > kMost)
    return broken("sizes or times out of range");
  for (std::uint64_t i = 0; i < messages && in.ok(); ++i) {
    Play::Message message;
    message.at = in.time();
    message.frame.id = static_cast<std::uint32_t>(in.number(4));
    message.frame.size = static_cast<std::uint8_t>(in.number(1));
    if (message.frame.size > 8 || message.frame.id > 0x7FF)
      return broken("not a classic CAN frame");
    for (std::size_t b = 0; b < 8; ++b)
      message.frame.data[b] = static_cast<std::uint8_t>(in.number(1));
    play.messages.push_back(message);
  }
  const auto size = static_cast<std::size_t>(play.width) * static_cast<std::size_t>(play.height);
  for (std::uint64_t i = 0; i < pictures && in.ok(); ++i) {
    Play::Shown picture;
    picture.at = in.time();
    const std::string_view pixels = in.take(size);
    picture.pixels.assign(pixels.begin(), pixels.end());
    play.pictures.push_back(std::move(picture));
  }
  if (!in.ok()) return broken("truncated, or a time out of range");
  if (!in.at_end()) return broken("data after its end");
  return play;
}

void enlarge(const Play& play, std::size_t picture, std::size_t stride,
             std::span<std::uint8_t> out) noexcept {
  const auto width = static_cast<std::size_t>(play.width);
  const auto times = static_cast<std::size_t>(play.enlarge);
  const std::uint8_t* in = play.pictures[picture].pixels.data();
  for (std::size_t y = 0; y < static_cast<std::size_t>(play.height); ++y) {
    std::uint8_t* first = out.data() + y * times * stride;
    for (std::size_t x = 0; x < width; ++x)
      for (std::size_t i = 0; i < times; ++i) first[x * times + i] = in[y * width + x];
    for (std::size_t i = 1; i < times; ++i) std::memcpy(first + i * stride, first, width * times);
  }
}

}  // namespace kerb::sim
