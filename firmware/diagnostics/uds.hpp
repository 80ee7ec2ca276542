// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

/// What the diagnostic services have in common (ISO 14229-1).
namespace kerb::diagnostics {

/// Services that are answered.
namespace sid {
inline constexpr std::uint8_t kSession = 0x10;
inline constexpr std::uint8_t kReset = 0x11;
inline constexpr std::uint8_t kClear = 0x14;
inline constexpr std::uint8_t kReadDtc = 0x19;
inline constexpr std::uint8_t kReadData = 0x22;
inline constexpr std::uint8_t kOutputControl = 0x2F;
inline constexpr std::uint8_t kTesterPresent = 0x3E;
inline constexpr std::uint8_t kPositive = 0x40;  ///< added to the service in its response
inline constexpr std::uint8_t kNegative = 0x7F;
}  // namespace sid

/// Negative response codes; `none` is a positive response.
enum class Nrc : std::uint8_t {
  none = 0x00,
  service_not_supported = 0x11,
  sub_function_not_supported = 0x12,
  incorrect_length = 0x13,
  response_too_long = 0x14,
  conditions_not_correct = 0x22,
  request_out_of_range = 0x31,
  service_not_in_session = 0x7F
};

using Request = std::span<const std::uint8_t>;

/// A response under construction, in a room of fixed size. What does not fit is left out, and
/// noticed. Numbers are big-endian, as the standard has them.
class Response {
 public:
  explicit Response(std::span<std::uint8_t> room) noexcept : room_{room} {}

  Response& u8(std::uint8_t value) noexcept {
    if (size_ < room_.size())
      room_[size_++] = value;
    else
      too_long_ = true;
    return *this;
  }
  Response& u16(std::uint16_t value) noexcept {
    return u8(static_cast<std::uint8_t>(value >> 8)).u8(static_cast<std::uint8_t>(value & 0xFFU));
  }
  Response& u24(std::uint32_t value) noexcept {
    return u8(static_cast<std::uint8_t>(value >> 16 & 0xFFU))
        .u16(static_cast<std::uint16_t>(value & 0xFFFFU));
  }
  Response& u32(std::uint32_t value) noexcept {
    return u8(static_cast<std::uint8_t>(value >> 24)).u24(value & 0xFFFFFFU);
  }
  /// Exactly `length` bytes: cut off, or filled up with blanks.
  Response& text(std::string_view words, std::size_t length) noexcept {
    for (std::size_t i = 0; i < length; ++i)
      u8(i < words.size() ? static_cast<std::uint8_t>(words[i]) : std::uint8_t{' '});
    return *this;
  }
  void restart() noexcept {
    size_ = 0;
    too_long_ = false;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool too_long() const noexcept { return too_long_; }

 private:
  std::span<std::uint8_t> room_;
  std::size_t size_ = 0;
  bool too_long_ = false;
};

[[nodiscard]] inline std::uint16_t u16_at(Request bytes, std::size_t at) noexcept {
  return static_cast<std::uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}
[[nodiscard]] inline std::uint32_t u24_at(Request bytes, std::size_t at) noexcept {
  return std::uint32_t{bytes[at]} << 16 | u16_at(bytes, at + 1);
}

}  // namespace kerb::diagnostics
