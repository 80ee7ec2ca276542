// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace kerb {

/// A short text stored in the object: copies without allocating, and truncates a text that is too
/// long.
template <std::size_t Capacity>
class Text {
 public:
  constexpr Text() = default;
  Text(std::string_view text) noexcept { assign(text); }
  Text(const char* text) noexcept { assign(text == nullptr ? std::string_view{} : text); }

  void assign(std::string_view text) noexcept {
    size_ = std::min(text.size(), Capacity);
    if (size_ > 0)
      std::memcpy(chars_, text.data(), size_);  // an empty view may hold a null pointer
    chars_[size_] = '\0';
  }
  Text& append(std::string_view more) noexcept {
    const std::size_t n = std::min(more.size(), Capacity - size_);
    if (n > 0) std::memcpy(chars_ + size_, more.data(), n);
    size_ += n;
    chars_[size_] = '\0';
    return *this;
  }
  [[nodiscard]] std::string_view view() const noexcept { return {chars_, size_}; }
  [[nodiscard]] const char* c_str() const noexcept { return chars_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  friend bool operator==(const Text& a, const Text& b) noexcept { return a.view() == b.view(); }

 private:
  char chars_[Capacity + 1] = {};
  std::size_t size_ = 0;
};

}  // namespace kerb
