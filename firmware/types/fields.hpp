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
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "firmware/types/field_table.hpp"

/// Plain data to bytes and back: field by field, so that no padding and no pointer gets in, little
/// endian, floating point by its bits. The same bytes on every machine.
///
/// One list of named fields serves all ways. For a struct of ours it is a function beside it:
///
///   template <typename F>
///   void fields(F& f, FieldsOf<F, Person>& p) {
///     f.structure("Person")("id", p.id)("x_m", p.x_m)("y_m", p.y_m);
///   }
///
/// A class whose state must survive has
///
///   void save(FieldWriter& out) const noexcept;  // all that its next step depends on
///   void load(FieldReader& in) noexcept;         // the same list; wrong bytes: in.ok() is false
///   void describe(FieldLister& out) const;       // the same list
///
/// and is after load() as it was at save(): the same steps give the same results, bit for bit.
/// Settings are not state: they are passed to the constructor.
///
/// FieldWriter writes values and no names: it allocates nothing and is as fast as copying.
/// FieldLister writes the names and types, once, as a FieldTable. FieldReader reads bytes of this
/// program as they are; bytes of another version, with their FieldTable, by name: fields that this
/// program does not know are passed over, fields that are missing keep the value they have.
/// A name in a list is never used again for another meaning.
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
template <typename T>
inline constexpr bool kIsStruct = std::is_class_v<T> && !kIsDuration<T> && !kIsOptional<T> &&
                                  !kIsArray<T> && !std::is_same_v<T, std::string>;
/// What has no name in front of it. (A name is an array of characters.)
template <typename T>
concept Value = !std::is_same_v<std::remove_cv_t<std::remove_all_extents_t<T>>, char>;

using Kind = FieldTable::Kind;
template <typename T>
constexpr Kind kind_of() noexcept {
  if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4 ? Kind::f32 : Kind::f64;
  else if constexpr (std::is_signed_v<T>)
    return sizeof(T) == 1   ? Kind::i8
           : sizeof(T) == 2 ? Kind::i16
           : sizeof(T) == 4 ? Kind::i32
                            : Kind::i64;
  else
    return sizeof(T) == 1   ? Kind::u8
           : sizeof(T) == 2 ? Kind::u16
           : sizeof(T) == 4 ? Kind::u32
                            : Kind::u64;
}
}  // namespace fields_detail

class FieldWriter {
 public:
  static constexpr bool kReads = false;
  explicit FieldWriter(std::span<std::byte> room) noexcept : room_{room} {}

  /// The name of the struct whose fields follow.
  FieldWriter& structure(const char* /*name*/) noexcept { return *this; }
  /// Numbers, bools, enumerations, durations, texts, optionals, pointers that may be null, arrays
  /// of these, structs with a fields() of their own, and classes with save(), load() and
  /// describe().
  template <typename T>
  FieldWriter& operator()(const char* /*name*/, const T& value) noexcept {
    put(value);
    return *this;
  }
  /// So many items of an array.
  template <typename T>
  FieldWriter& array(const char* /*name*/, const T* items, std::size_t size) noexcept {
    for (std::size_t i = 0; i < size; ++i) put(items[i]);
    return *this;
  }
  /// A value that counts only if `has`.
  template <typename T>
  FieldWriter& optional(const char* /*name*/, bool has, const T& value) noexcept {
    put(has);
    if (has) put(value);
    return *this;
  }
  /// `count` items; `body(i)` lists the fields of one. The reader refuses more than `most`.
  template <typename Count, typename Body>
  FieldWriter& list(const char* /*name*/, const Count& count, int most, const Body& body) noexcept {
    put_count(static_cast<int>(count), most);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) body(i);
    return *this;
  }
  /// The same as the last field of a chunk: left out where there are no items.
  template <typename Count, typename Body>
  FieldWriter& tail_list(const char* name, const Count& count, int most,
                         const Body& body) noexcept {
    return count == 0 ? *this : list(name, count, most, body);
  }
  /// As many items as the list `list` has: `size`.
  template <typename T>
  FieldWriter& sized(const char* name, const char* /*list*/, const T* items, int size) noexcept {
    return array(name, items, static_cast<std::size_t>(size));
  }

  /// Values without a name: for what never changes, such as what stands in front of each chunk.
  template <fields_detail::Value... T>
  void operator()(const T&... values) noexcept {
    (put(values), ...);
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
  void put_count(int used, int most) noexcept {
    if (used < 0 || used > most) ok_ = false;
    put(static_cast<std::uint16_t>(used));
  }
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
    } else if constexpr (std::is_pointer_v<T>) {
      put(value != nullptr);
      if (value != nullptr) put(*value);
    } else if constexpr (fields_detail::kIsArray<T>) {
      for (const auto& item : value) put(item);
    } else if constexpr (std::is_same_v<T, std::string>) {
      const std::size_t size = value.size() < 255 ? value.size() : 255;  // the rest is cut off
      put(static_cast<std::uint8_t>(size));
      bytes(std::as_bytes(std::span{value.data(), size}));
    } else if constexpr (requires { value.save(*this); }) {
      value.save(*this);
    } else {
      fields(*this, value);
    }
  }

  std::span<std::byte> room_;
  std::size_t size_ = 0;
  bool ok_ = true;
};

/// Safe with any bytes: a value that is missing or invalid stays as it was, and ok() is false.
/// Allocates nothing (but for texts).
class FieldReader {
 public:
  static constexpr bool kReads = true;
  /// Bytes of this program: every field, in the order of the list.
  explicit FieldReader(std::span<const std::byte> from) noexcept : rest_{from} {}
  /// One struct in another version's bytes, by the names of its fields. `table` outlives this.
  FieldReader(std::span<const std::byte> from, const FieldTable& table,
              const FieldTable::Struct& root) noexcept
      : rest_{from}, table_{&table}, root_{&root} {}

  FieldReader& structure(const char* /*name*/) noexcept { return *this; }
  template <typename T>
  FieldReader& operator()(const char* name, T& value) noexcept {
    if (table_ == nullptr)
      take(value);
    else if (const FieldTable::Type* type = seek(name); type != nullptr && take_as(*type, value))
      pass();
    return *this;
  }
  template <typename T>
  FieldReader& array(const char* name, T* items, std::size_t size) noexcept {
    if (table_ == nullptr)
      for (std::size_t i = 0; i < size; ++i) take(items[i]);
    else if (const FieldTable::Type* type = seek(name); type != nullptr)
      if (type->kind == FieldTable::Kind::array && type->length == size &&
          take_items(*type, items, size))
        pass();
    return *this;
  }
  template <typename T>
  FieldReader& optional(const char* name, bool& has, T& value) noexcept {
    if (table_ == nullptr) {
      take(has);
      if (has) take(value);
    } else if (const FieldTable::Type* type = seek(name);
               type != nullptr && type->kind == FieldTable::Kind::optional) {
      take(has);
      if (!has || take_as(table_->type(type->inner), value))
        pass();
      else
        has = false;
    }
    return *this;
  }
  template <typename Count, typename Body>
  FieldReader& list(const char* name, Count& count, int most, const Body& body) noexcept {
    if (table_ == nullptr) {
      take_count(count, most);
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) body(i);
    } else {
      list_by_name(name, count, most, body);
    }
    return *this;
  }
  template <typename Count, typename Body>
  FieldReader& tail_list(const char* name, Count& count, int most, const Body& body) noexcept {
    if (table_ != nullptr || (ok_ && !rest_.empty())) return list(name, count, most, body);
    count = 0;
    return *this;
  }
  template <typename T>
  FieldReader& sized(const char* name, const char* /*list*/, T* items, int size) noexcept {
    if (table_ == nullptr) return array(name, items, static_cast<std::size_t>(size));
    if (const FieldTable::Type* type = seek(name); type != nullptr)
      if (type->kind == FieldTable::Kind::sized && lengths_[type->slot] == size &&
          take_items(*type, items, static_cast<std::size_t>(size)))
        pass();
    return *this;
  }

  template <fields_detail::Value... T>
  void operator()(T&... values) noexcept {
    (take_unnamed(values), ...);
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
  /// Where in another version's struct it reads.
  struct Place {
    const FieldTable::Struct* in = nullptr;
    std::span<const std::byte> begin, next;  // of the struct, and of its field `index`
    std::size_t index = 0;
  };

  template <typename Count>
  void take_count(Count& count, int most) noexcept {
    std::uint16_t read = 0;
    take(read);
    if (read > most) fail();
    count = static_cast<Count>(ok_ ? read : 0);
  }

  /// Times so far apart that their difference overflows make no sense: 146 years and more.
  template <typename T>
  void set_duration(std::int64_t read, T& value) noexcept {
    constexpr std::int64_t kMost = std::int64_t{1} << 62;
    if (read <= -kMost || read >= kMost) fail();
    if (ok_) value = T{static_cast<typename T::rep>(read)};
  }

  template <typename T>
  void take_unnamed(T& value) noexcept {
    if constexpr (fields_detail::kIsStruct<T>) {
      if (table_ != nullptr) {
        if (place_.in != nullptr)
          fail();  // only the root has no name
        else
          take_struct(*root_, value);
        return;
      }
    }
    take(value);
  }

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
      set_duration(read, value);
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
    } else if constexpr (std::is_same_v<T, std::string>) {
      std::uint8_t size = 0;
      take(size);
      const std::span<const std::byte> text = bytes(size);
      if (ok_) value.assign(reinterpret_cast<const char*>(text.data()), text.size());
    } else if constexpr (requires { value.load(*this); }) {
      value.load(*this);
    } else {
      fields(*this, value);
    }
  }

  /// The same of a value of another version's type. False: it does not fit, and was not read.
  template <typename T>
  bool take_as(const FieldTable::Type& type, T& value) noexcept {
    using fields_detail::Kind;
    if constexpr (fields_detail::kIsNumber<T>) {
      return take_number(type.kind, value);
    } else if constexpr (std::is_enum_v<T>) {
      auto read = static_cast<std::underlying_type_t<T>>(value);
      if (!take_number(type.kind, read)) return false;
      value = static_cast<T>(read);
      return true;
    } else if constexpr (fields_detail::kIsDuration<T>) {
      auto read = static_cast<std::int64_t>(value.count());
      if (!take_number(type.kind, read)) return false;
      set_duration(read, value);
      return true;
    } else if constexpr (fields_detail::kIsOptional<T>) {
      if (type.kind != Kind::optional) return false;
      bool has = false;
      take(has);
      if (!has) {
        if (ok_) value.reset();
        return true;
      }
      typename T::value_type read = value.value_or(typename T::value_type{});
      if (!take_as(table_->type(type.inner), read)) return false;
      if (ok_) value = read;
      return true;
    } else if constexpr (fields_detail::kIsArray<T>) {
      return type.kind == Kind::array && type.length == std::size(value) &&
             take_items(type, std::data(value), std::size(value));
    } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string>) {
      if (type.kind != (std::is_same_v<T, bool> ? Kind::boolean : Kind::text)) return false;
      take(value);
      return true;
    } else {
      if (type.kind != Kind::structure) return false;
      take_struct(table_->structure(type.inner), value);
      return true;
    }
  }
  template <typename T>
  bool take_items(const FieldTable::Type& type, T* items, std::size_t size) noexcept {
    for (std::size_t i = 0; i < size; ++i)
      if (!take_as(table_->type(type.inner), items[i])) return false;
    return true;
  }
  template <typename T>
  bool take_number(FieldTable::Kind kind, T& value) noexcept {
    using fields_detail::Kind;
    constexpr Kind kOwn = fields_detail::kind_of<T>();
    if (kind == kOwn) {
      take(value);
      return true;
    }
    if (!widens(kind, kOwn)) return false;
    switch (kind) {
      case Kind::u8:
        return take_converted<std::uint8_t>(value);
      case Kind::i8:
        return take_converted<std::int8_t>(value);
      case Kind::u16:
        return take_converted<std::uint16_t>(value);
      case Kind::i16:
        return take_converted<std::int16_t>(value);
      case Kind::u32:
        return take_converted<std::uint32_t>(value);
      case Kind::i32:
        return take_converted<std::int32_t>(value);
      case Kind::f32:
        return take_converted<float>(value);
      default:
        return false;
    }
  }
  template <typename From, typename T>
  bool take_converted(T& value) noexcept {
    From read{};
    take(read);
    // A narrower number of a record: its sign goes with it, on purpose.
    if (ok_) value = static_cast<T>(read);  // NOLINT(bugprone-signed-char-misuse)
    return true;
  }
  template <typename T>
  void take_struct(const FieldTable::Struct& in, T& value) noexcept {
    const Place outer = enter(in);
    if constexpr (requires { value.load(*this); })
      value.load(*this);
    else
      fields(*this, value);
    leave(outer);
  }
  template <typename Count, typename Body>
  void list_by_name(const char* name, Count& count, int most, const Body& body) noexcept {
    const FieldTable::Type* type = seek(name);
    if (type == nullptr || type->kind != FieldTable::Kind::list) return;
    if (type->tail && rest_.empty())
      count = 0;
    else
      take_count(count, most);
    lengths_[type->slot] = static_cast<std::uint16_t>(count);
    const FieldTable::Struct& item = table_->structure(table_->type(type->inner).inner);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count) && ok_; ++i) {
      const Place outer = enter(item);
      body(i);
      leave(outer);
    }
    pass();
  }

  Place enter(const FieldTable::Struct& in) noexcept;
  void leave(const Place& outer) noexcept;  ///< to the end of the struct that was entered
  /// Goes to this field of the struct it is in; null: there is none.
  const FieldTable::Type* seek(const char* name) noexcept;
  void pass() noexcept;  ///< the field was read

  std::span<const std::byte> rest_;
  bool ok_ = true;
  const FieldTable* table_ = nullptr;  // null: bytes of this program
  const FieldTable::Struct* root_ = nullptr;
  Place place_;
  FieldTable::Lengths lengths_{};
};

/// Writes the table of what a FieldWriter would write. Allocates.
class FieldLister {
 public:
  static constexpr bool kReads = false;

  FieldLister& structure(const char* name);
  template <typename T>
  FieldLister& operator()(const char* name, const T& value) {
    return add(name, type_of(value));
  }
  template <typename T>
  FieldLister& array(const char* name, const T* items, std::size_t size) {
    return add(name, "[" + std::to_string(size) + "]" + type_of(*items));
  }
  template <typename T>
  FieldLister& optional(const char* name, bool /*has*/, const T& value) {
    return add(name, "?" + type_of(value));
  }
  template <typename Count, typename Body>
  FieldLister& list(const char* name, const Count& /*count*/, int /*most*/, const Body& body) {
    return add(name, "[]" + item_of(name, body));
  }
  template <typename Count, typename Body>
  FieldLister& tail_list(const char* name, const Count& /*count*/, int /*most*/, const Body& body) {
    return add(name, "~[]" + item_of(name, body));
  }
  template <typename T>
  FieldLister& sized(const char* name, const char* list, const T* items, int /*size*/) {
    return add(name, std::string{"["} + list + "]" + type_of(*items));
  }

  /// The line of a struct or class whose fields are the whole table's.
  template <typename T>
  void operator()(const T& root) {
    (void)type_of(root);
  }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  struct Line {
    std::string name, fields;
    bool operator==(const Line&) const = default;
  };

  template <typename T>
  std::string type_of(const T& value) {
    if constexpr (fields_detail::kIsNumber<T>) {
      return number_name(fields_detail::kind_of<T>());
    } else if constexpr (std::is_same_v<T, bool>) {
      return "bool";
    } else if constexpr (std::is_enum_v<T>) {
      return number_name(fields_detail::kind_of<std::underlying_type_t<T>>());
    } else if constexpr (fields_detail::kIsDuration<T>) {
      return "i64";
    } else if constexpr (fields_detail::kIsOptional<T>) {
      return "?" + type_of(typename T::value_type{});
    } else if constexpr (std::is_pointer_v<T>) {
      return "?" + type_of(std::remove_cv_t<std::remove_pointer_t<T>>{});
    } else if constexpr (fields_detail::kIsArray<T>) {
      return "[" + std::to_string(std::size(value)) + "]" + type_of(value[0]);
    } else if constexpr (std::is_same_v<T, std::string>) {
      return "text";
    } else {
      open_.emplace_back();
      if constexpr (requires { value.describe(*this); })
        value.describe(*this);
      else
        fields(*this, value);
      return close();
    }
  }
  template <typename Body>
  std::string item_of(const char* name, const Body& body) {
    open_.push_back({open_.back().name + "." + name, {}});
    body(std::size_t{0});
    return close();
  }

  static const char* number_name(FieldTable::Kind kind) noexcept;
  FieldLister& add(const char* name, const std::string& type);
  std::string close();  ///< gives the line's name

  std::vector<Line> open_;
  std::vector<Line> listed_;
  std::string text_;
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
