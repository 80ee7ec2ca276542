// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hal/base/result.hpp"

namespace kerb {

/// Which fields some bytes hold, by name and type: text, one line for each struct, the name of the
/// struct first. A struct is listed before the structs that hold it; the last line is the root.
///
///   Detection x:f32 y:f32 w:f32 h:f32 score:f32
///   Person id:u32 first_seen:i64 covariance:[16]f64 box:Detection
///
/// Types:
///   u8 i8 u16 i16 u32 i32 u64 i64 f32 f64   little-endian
///   bool       a byte, 0 or 1
///   text       a byte for the length, then so many bytes
///   Name       a struct from a line above
///   ?T         a bool; then a T if it is 1
///   [3]T       3 T
///   []Name     a list: u16 for the length, then so many structs
///   ~[]Name    a list that is left out altogether where the bytes end in front of it
///   [people]T  as many T as the list called `people` had, the last one of that name
class FieldTable {
 public:
  enum class Kind : std::uint8_t {
    u8,
    i8,
    u16,
    i16,
    u32,
    i32,
    u64,
    i64,
    f32,
    f64,
    boolean,
    text,
    optional,
    array,
    list,
    sized,
    structure
  };
  static constexpr std::size_t kMostText = std::size_t{32} << 10;
  static constexpr std::size_t kMostLists = 32;  ///< different names of lists

  struct Type {
    Kind kind = Kind::u8;
    std::uint32_t inner = 0;   ///< what it holds: a type; of a structure: a struct
    std::uint32_t length = 0;  ///< of an array
    std::uint32_t slot = 0;    ///< of a list and of what has its length: where that is kept
    bool tail = false;         ///< of a list: ~
    std::uint32_t fixed = 0;   ///< bytes, where it is always the same; 0: it is not
    std::uint32_t least = 0;   ///< bytes
  };
  struct Field {
    std::string name;
    std::uint32_t type = 0;
  };
  struct Struct {
    std::string name;
    std::vector<Field> fields;
    std::uint32_t fixed = 0, least = 0;  ///< as a Type's
  };
  using Lengths = std::array<std::uint16_t, kMostLists>;

  /// Any text is survived: what is not a table, or could describe endless bytes, is refused with
  /// `damaged`. Memory: a small multiple of the text.
  static Result<FieldTable> parse(std::string_view text);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] const Struct& root() const noexcept { return structs_.back(); }
  [[nodiscard]] const Type& type(std::uint32_t index) const noexcept { return types_[index]; }
  [[nodiscard]] const Struct& structure(std::uint32_t index) const noexcept {
    return structs_[index];
  }
  /// The struct that a field of the root is; null: there is no such field, or it is no struct.
  [[nodiscard]] const Struct* root_field(std::string_view name) const noexcept;
  /// Passes over a value. False: there are not enough bytes, or they make no sense.
  [[nodiscard]] bool skip(const Type& type, std::span<const std::byte>& bytes,
                          Lengths& lengths) const noexcept;

 private:
  class Parser;
  FieldTable() = default;
  [[nodiscard]] bool skip_struct(const Struct& s, std::span<const std::byte>& bytes,
                                 Lengths& lengths) const noexcept;
  [[nodiscard]] bool skip_many(std::uint32_t count, const Type& type,
                               std::span<const std::byte>& bytes, Lengths& lengths) const noexcept;

  std::string text_;
  std::vector<Type> types_;
  std::vector<Struct> structs_;
};

/// What a reader with the table `ours` finds in bytes with the table `theirs`. Fields are called
/// after the struct of ours (or theirs) that has them: "Person.height_m".
struct FieldDifference {
  std::vector<std::string> missing;  ///< ours has them, theirs does not: they keep their default
  std::vector<std::string> unknown;  ///< theirs has them, ours does not: passed over
  std::vector<std::string> retyped;  ///< the type does not fit: passed over, and default
  [[nodiscard]] bool any() const noexcept {
    return !missing.empty() || !unknown.empty() || !retyped.empty();
  }
};
[[nodiscard]] FieldDifference difference_of(const FieldTable& theirs, const FieldTable& ours);

/// Whether every value of one type of number is a value of the other.
[[nodiscard]] bool widens(FieldTable::Kind from, FieldTable::Kind to) noexcept;

}  // namespace kerb
