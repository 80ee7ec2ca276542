// SPDX-License-Identifier: Apache-2.0
#include "firmware/types/field_table.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

namespace kerb {
namespace {

using Kind = FieldTable::Kind;

constexpr std::uint32_t kMostBytes = std::uint32_t{1} << 25;  // of one value
constexpr std::size_t kMostStructs = 256, kMostFields = 256, kMostName = 80, kMostNesting = 4;

struct Number {
  std::string_view name;
  Kind kind;
  std::uint32_t bytes;  // of it
  int bits;             // that it can hold exactly, without the sign
  bool has_sign, is_float;
};
constexpr Number kNumbers[] = {
    {"u8", Kind::u8, 1, 8, false, false},    {"i8", Kind::i8, 1, 7, true, false},
    {"u16", Kind::u16, 2, 16, false, false}, {"i16", Kind::i16, 2, 15, true, false},
    {"u32", Kind::u32, 4, 32, false, false}, {"i32", Kind::i32, 4, 31, true, false},
    {"u64", Kind::u64, 8, 64, false, false}, {"i64", Kind::i64, 8, 63, true, false},
    {"f32", Kind::f32, 4, 24, true, true},   {"f64", Kind::f64, 8, 53, true, true},
};

const Number* number_of(Kind kind) noexcept {
  const auto found = std::find_if(std::begin(kNumbers), std::end(kNumbers),
                                  [&](auto& n) { return n.kind == kind; });
  return found == std::end(kNumbers) ? nullptr : &*found;
}

bool is_name(std::string_view text) noexcept {
  return !text.empty() && text.size() <= kMostName && !(text[0] >= '0' && text[0] <= '9') &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '.';
         });
}

std::uint32_t capped(std::uint64_t bytes) noexcept {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, kMostBytes + 1));
}

/// What stands before the next `end`; removed from `text` with it.
std::string_view next_part(std::string_view& text, char end) noexcept {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return part;
}

}  // namespace

bool widens(Kind from, Kind to) noexcept {
  const Number *a = number_of(from), *b = number_of(to);
  if (a == nullptr || b == nullptr) return false;
  if (from == to) return true;
  if (a->is_float) return b->is_float && b->bits >= a->bits;
  return b->bits >= a->bits && (b->has_sign || !a->has_sign);
}

class FieldTable::Parser {
 public:
  explicit Parser(FieldTable& out) : out_{out} {}

  bool line(std::string_view text) {
    Struct s;
    const std::string_view name = next_part(text, ' ');
    if (!is_name(name) || out_.structs_.size() == kMostStructs) return false;
    for (const Struct& other : out_.structs_)
      if (other.name == name) return false;
    s.name = name;
    std::uint64_t fixed = 0, least = 0;
    bool is_fixed = true;
    while (!text.empty()) {
      std::string_view field = next_part(text, ' ');
      const std::string_view called = next_part(field, ':');
      if (!is_name(called) || s.fields.size() == kMostFields) return false;
      for (const Field& other : s.fields)
        if (other.name == called) return false;
      const std::optional<std::uint32_t> type = parse_type(field, called, 0);
      if (!type) return false;
      const Type& parsed = out_.types_[*type];
      is_fixed = is_fixed && parsed.fixed != 0;
      fixed += parsed.fixed;
      least += parsed.least;
      s.fields.push_back({std::string{called}, *type});
    }
    s.least = capped(least);
    s.fixed = is_fixed ? capped(fixed) : 0;
    // What takes no bytes could be there without end.
    if (s.least == 0 || s.least > kMostBytes) return false;
    out_.structs_.push_back(std::move(s));
    return true;
  }

 private:
  std::optional<std::uint32_t> add(const Type& type) {
    if (type.least > kMostBytes || type.fixed > kMostBytes) return std::nullopt;
    out_.types_.push_back(type);
    return static_cast<std::uint32_t>(out_.types_.size() - 1);
  }

  std::optional<std::uint32_t> slot_of(std::string_view list) {
    const auto found = std::find(lists_.begin(), lists_.end(), list);
    if (found != lists_.end()) return static_cast<std::uint32_t>(found - lists_.begin());
    if (lists_.size() == kMostLists || !is_name(list)) return std::nullopt;
    lists_.emplace_back(list);
    return static_cast<std::uint32_t>(lists_.size() - 1);
  }

  std::optional<std::uint32_t> parse_type(std::string_view text, std::string_view field,
                                          std::size_t depth) {
    if (text.empty() || depth > kMostNesting) return std::nullopt;
    if (text[0] == '?') {
      const auto inner = parse_type(text.substr(1), field, depth + 1);
      if (!inner) return std::nullopt;
      return add({.kind = Kind::optional, .inner = *inner, .least = 1});
    }
    const bool tail = text[0] == '~';
    if (tail) text.remove_prefix(1);
    if (text.empty() || text[0] != '[') return tail ? std::nullopt : parse_plain(text);
    text.remove_prefix(1);
    if (text.find(']') == std::string_view::npos) return std::nullopt;
    const std::string_view length = next_part(text, ']');
    const auto inner = parse_type(text, field, depth + 1);
    if (!inner || out_.types_[*inner].least == 0) return std::nullopt;
    if (length.empty()) return parse_list(*inner, field, tail, depth);
    if (tail) return std::nullopt;
    return parse_many(length, *inner);
  }

  std::optional<std::uint32_t> parse_list(std::uint32_t inner, std::string_view field, bool tail,
                                          std::size_t depth) {
    const auto slot = slot_of(field);
    if (!slot || depth != 0 || out_.types_[inner].kind != Kind::structure) return std::nullopt;
    return add(
        {.kind = Kind::list, .inner = inner, .slot = *slot, .tail = tail, .least = tail ? 0U : 2U});
  }

  /// [16]T or [people]T
  std::optional<std::uint32_t> parse_many(std::string_view length, std::uint32_t inner) {
    const Type held = out_.types_[inner];
    if (length[0] < '0' || length[0] > '9') {
      const auto slot = slot_of(length);
      if (!slot) return std::nullopt;
      return add({.kind = Kind::sized, .inner = inner, .slot = *slot});
    }
    std::uint32_t count = 0;
    const auto read = std::from_chars(length.data(), length.data() + length.size(), count);
    if (read.ec != std::errc{} || read.ptr != length.data() + length.size() || count == 0)
      return std::nullopt;
    return add({.kind = Kind::array,
                .inner = inner,
                .length = count,
                .fixed = capped(std::uint64_t{count} * held.fixed),
                .least = capped(std::uint64_t{count} * held.least)});
  }

  std::optional<std::uint32_t> parse_plain(std::string_view text) {
    for (const Number& number : kNumbers)
      if (number.name == text)
        return add({.kind = number.kind, .fixed = number.bytes, .least = number.bytes});
    if (text == "bool") return add({.kind = Kind::boolean, .fixed = 1, .least = 1});
    if (text == "text") return add({.kind = Kind::text, .least = 1});
    for (std::size_t i = 0; i < out_.structs_.size(); ++i)
      if (out_.structs_[i].name == text)
        return add({.kind = Kind::structure,
                    .inner = static_cast<std::uint32_t>(i),
                    .fixed = out_.structs_[i].fixed,
                    .least = out_.structs_[i].least});
    return std::nullopt;
  }

  FieldTable& out_;
  std::vector<std::string> lists_;  // by their slot
};

Result<FieldTable> FieldTable::parse(std::string_view text) {
  const Error damaged{Errc::damaged, 0, "read fields: invalid table of fields"};
  if (text.size() > kMostText) return damaged;
  FieldTable table;
  table.text_ = text;
  Parser parser{table};
  while (!text.empty())
    if (!parser.line(next_part(text, '\n'))) return damaged;
  if (table.structs_.empty()) return damaged;
  return table;
}

const FieldTable::Struct* FieldTable::root_field(std::string_view name) const noexcept {
  for (const Field& field : root().fields)
    if (field.name == name && types_[field.type].kind == Kind::structure)
      return &structs_[types_[field.type].inner];
  return nullptr;
}

bool FieldTable::skip(const Type& type, std::span<const std::byte>& bytes,
                      Lengths& lengths) const noexcept {
  if (type.fixed != 0) {
    if (type.fixed > bytes.size()) return false;
    bytes = bytes.subspan(type.fixed);
    return true;
  }
  switch (type.kind) {
    case Kind::text: {
      if (bytes.empty() || std::to_integer<std::size_t>(bytes[0]) >= bytes.size()) return false;
      bytes = bytes.subspan(std::to_integer<std::size_t>(bytes[0]) + 1);
      return true;
    }
    case Kind::optional: {
      if (bytes.empty() || bytes[0] > std::byte{1}) return false;
      const bool has = bytes[0] == std::byte{1};
      bytes = bytes.subspan(1);
      return !has || skip(types_[type.inner], bytes, lengths);
    }
    case Kind::array:
      return skip_many(type.length, types_[type.inner], bytes, lengths);
    case Kind::list: {
      std::uint16_t count = 0;
      lengths[type.slot] = 0;
      if (type.tail && bytes.empty()) return true;
      if (bytes.size() < sizeof count) return false;
      std::memcpy(&count, bytes.data(), sizeof count);
      bytes = bytes.subspan(sizeof count);
      lengths[type.slot] = count;
      return skip_many(count, types_[type.inner], bytes, lengths);
    }
    case Kind::sized:
      return skip_many(lengths[type.slot], types_[type.inner], bytes, lengths);
    case Kind::structure:
      return skip_struct(structs_[type.inner], bytes, lengths);
    default:
      return false;
  }
}

bool FieldTable::skip_struct(const Struct& s, std::span<const std::byte>& bytes,
                             Lengths& lengths) const noexcept {
  for (const Field& field : s.fields)
    if (!skip(types_[field.type], bytes, lengths)) return false;
  return true;
}

bool FieldTable::skip_many(std::uint32_t count, const Type& type, std::span<const std::byte>& bytes,
                           Lengths& lengths) const noexcept {
  for (std::uint32_t i = 0; i < count; ++i)
    if (!skip(type, bytes, lengths)) return false;
  return true;
}

namespace {

/// Goes through two tables side by side.
class Comparison {
 public:
  Comparison(const FieldTable& theirs, const FieldTable& ours) : theirs_{theirs}, ours_{ours} {}

  FieldDifference run() {
    compare(theirs_.root(), ours_.root());
    return std::move(out_);
  }

 private:
  using Struct = FieldTable::Struct;
  using Type = FieldTable::Type;

  static const FieldTable::Field* find(const Struct& s, const std::string& name) {
    const auto found = std::find_if(s.fields.begin(), s.fields.end(),
                                    [&](const auto& field) { return field.name == name; });
    return found == s.fields.end() ? nullptr : &*found;
  }

  void compare(const Struct& theirs, const Struct& ours) {
    if (!done_.insert({&theirs, &ours}).second) return;
    for (const FieldTable::Field& field : ours.fields) {
      const FieldTable::Field* other = find(theirs, field.name);
      if (other == nullptr)
        out_.missing.push_back(ours.name + "." + field.name);
      else if (!fits(theirs_.type(other->type), ours_.type(field.type)))
        out_.retyped.push_back(ours.name + "." + field.name);
    }
    for (const FieldTable::Field& field : theirs.fields)
      if (find(ours, field.name) == nullptr) out_.unknown.push_back(theirs.name + "." + field.name);
  }

  /// As FieldReader reads.
  bool fits(const Type& theirs, const Type& ours) {
    if (widens(theirs.kind, ours.kind)) return true;
    if (theirs.kind != ours.kind) return false;
    switch (ours.kind) {
      case Kind::boolean:
      case Kind::text:
        return true;
      case Kind::array:
        if (theirs.length != ours.length) return false;
        [[fallthrough]];
      case Kind::optional:
      case Kind::list:
      case Kind::sized:
        return fits(theirs_.type(theirs.inner), ours_.type(ours.inner));
      case Kind::structure:
        compare(theirs_.structure(theirs.inner), ours_.structure(ours.inner));
        return true;
      default:
        return false;
    }
  }

  const FieldTable &theirs_, &ours_;
  std::set<std::pair<const Struct*, const Struct*>> done_;
  FieldDifference out_;
};

}  // namespace

FieldDifference difference_of(const FieldTable& theirs, const FieldTable& ours) {
  return Comparison{theirs, ours}.run();
}

}  // namespace kerb
