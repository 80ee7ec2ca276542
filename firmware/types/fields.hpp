// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>

/// Plain data to bytes and back: field by field, so that no padding and no pointer gets in, little
/// endian, floating point by its bits. The same bytes on every machine.
///
/// One list of fields serves both ways. For a struct of ours it is a function beside it:
///
///   template <typename Fields>
///   void fields(Fields& f, FieldsOf<Fields, Person>& p) {
///     f(p.id, p.x_m, p.y_m);
///   }
///
/// A class whose state must survive has
///
///   void save(FieldWriter& out) const noexcept;  // all that its next step depends on
///   void load(FieldReader& in) noexcept;         // the same list; wrong bytes: in.ok() is false
///
/// and is after load() as it was at save(): the same steps give the same results, bit for bit.
/// Settings are not state: they are passed to the constructor. Nothing here allocates.
namespace kerb {

static_assert(std::endian::native == std::endian::little);

/// T as fields() takes it: const when it is written out, mutable when it is read in.
template <typename Fields, typename T>
using FieldsOf = std::conditional_t<Fields::kReads, T, const T>;

namespace fields_detail {
template <typename T>
inline constexpr bool kIsDuration = false;
template <typename R, typename P>
inline constexpr bool kIsDuration<std::chrono::duration<R, P>> = true;
template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <typename T>
inline constexpr bool kIsArray = std::is_array_v<T>;
template <typename T, std::size_t N>
inline constexpr bool kIsArray<std::array<T, N>> = true;
template <typename T>
inline constexpr bool kIsNumber =
    std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, long double>;
}  // namespace fields_detail

class FieldWriter {
 public:
  static constexpr bool kReads = false;
  explicit FieldWriter(std::span<std::byte> room) noexcept : room_{room} {}

  /// Numbers, bools, enumerations, durations, optionals, arrays of these, and structs with a
  /// fields() of their own.
  template <typename... T>
  void operator()(const T&... values) noexcept {
    (put(values), ...);
  }
  /// How many of an array are used; the reader refuses more than `most`.
  void count(int used, int most) noexcept {
    if (used < 0 || used > most) ok_ = false;
    put(static_cast<std::uint16_t>(used));
  }
  void bytes(std::span<const std::byte> from) noexcept {
    if (!ok_ || from.size() > room_.size() - size_) {
      ok_ = false;
      return;
    }
    if (!from.empty()) std::memcpy(room_.data() + size_, from.data(), from.size());
    size_ += from.size();
  }
  /// False when it did not fit: what was written is of no use.
  [[nodiscard]] bool ok() const noexcept { return ok_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  template <typename T>
  void put(const T& value) noexcept {
    if constexpr (fields_detail::kIsNumber<T>) {
      bytes(std::as_bytes(std::span{&value, 1}));
    } else if constexpr (std::is_same_v<T, bool>) {
      put(static_cast<std::uint8_t>(value ? 1 : 0));
    } else if constexpr (std::is_enum_v<T>) {
      put(static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (fields_detail::kIsDuration<T>) {
      put(static_cast<std::int64_t>(value.count()));
    } else if constexpr (fields_detail::kIsOptional<T>) {
      put(value.has_value());
      if (value) put(*value);
    } else if constexpr (fields_detail::kIsArray<T>) {
      for (const auto& item : value) put(item);
    } else {
      fields(*this, value);
    }
  }

  std::span<std::byte> room_;
  std::size_t size_ = 0;
  bool ok_ = true;
};

/// Safe with any bytes: a value that is missing or invalid stays as it was, and ok() is false.
class FieldReader {
 public:
  static constexpr bool kReads = true;
  explicit FieldReader(std::span<const std::byte> from) noexcept : rest_{from} {}

  template <typename... T>
  void operator()(T&... values) noexcept {
    (take(values), ...);
  }
  void count(int& used, int most) noexcept {
    std::uint16_t read = 0;
    take(read);
    if (read > most) fail();
    used = ok_ ? read : 0;
  }
  /// The next `size` bytes, where they are; empty when there are not so many.
  [[nodiscard]] std::span<const std::byte> bytes(std::size_t size) noexcept {
    if (!ok_ || size > rest_.size()) {
      fail();
      return {};
    }
    const std::span<const std::byte> out = rest_.first(size);
    rest_ = rest_.subspan(size);
    return out;
  }
  /// For callers that find a value invalid.
  void fail() noexcept { ok_ = false; }
  [[nodiscard]] bool ok() const noexcept { return ok_; }
  /// Whether it was read well, to the last byte.
  [[nodiscard]] bool complete() const noexcept { return ok_ && rest_.empty(); }
  [[nodiscard]] std::span<const std::byte> rest() const noexcept { return rest_; }

 private:
  template <typename T>
  void take(T& value) noexcept {
    if constexpr (fields_detail::kIsNumber<T>) {
      const std::span<const std::byte> from = bytes(sizeof value);
      if (ok_) std::memcpy(&value, from.data(), sizeof value);
    } else if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t read = 0;
      take(read);
      if (read > 1) fail();
      if (ok_) value = read != 0;
    } else if constexpr (std::is_enum_v<T>) {
      std::underlying_type_t<T> read{};
      take(read);
      if (ok_) value = static_cast<T>(read);
    } else if constexpr (fields_detail::kIsDuration<T>) {
      std::int64_t read = 0;
      take(read);
      if (ok_) value = T{static_cast<typename T::rep>(read)};
    } else if constexpr (fields_detail::kIsOptional<T>) {
      bool has = false;
      take(has);
      if (!has) {
        if (ok_) value.reset();
        return;
      }
      typename T::value_type read{};
      take(read);
      if (ok_) value = read;
    } else if constexpr (fields_detail::kIsArray<T>) {
      for (auto& item : value) take(item);
    } else {
      fields(*this, value);
    }
  }

  std::span<const std::byte> rest_;
  bool ok_ = true;
};

/// Something whose state can be saved, borrowed for a call.
class StateRef {
 public:
  template <typename T>
  requires requires(const T& object, FieldWriter& out) { object.save(out); }
  StateRef(const T& object) noexcept  // NOLINT(google-explicit-constructor): as a reference does
      : object_{&object}, save_{[](const void* from, FieldWriter& out) noexcept {
          static_cast<const T*>(from)->save(out);
        }} {}
  void save(FieldWriter& out) const noexcept { save_(object_, out); }

 private:
  const void* object_;
  void (*save_)(const void*, FieldWriter&) noexcept;
};

}  // namespace kerb
