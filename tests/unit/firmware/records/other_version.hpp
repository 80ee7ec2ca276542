// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firmware/records/record_file.hpp"

namespace kerb::records::test {

/// Writes a record of format 4 as a program with other fields would have written it.
class OtherVersion {
 public:
  explicit OtherVersion(const RecordFile& file) : table_{file.table()} {
    std::string_view text = table_.text();
    while (!text.empty()) {
      std::string_view line = next(text, '\n');
      Line to{std::string{next(line, ' ')}, {}};
      while (!line.empty()) {
        const std::string_view field = next(line, ' ');
        to.fields.push_back({std::string{field}, std::string{field.substr(0, field.find(':'))}});
      }
      lines_.push_back(std::move(to));
    }
    decisions_version = file.decisions_version();
    version = file.header().settings.version;
  }

  std::uint32_t decisions_version;
  std::string version;

  void drop(std::string_view structure, std::string_view field) {
    std::erase_if(line(structure).fields, [&](const Field& f) { return f.from == field; });
  }
  void rename(std::string_view structure, std::string_view field, const std::string& to) {
    for (Field& f : line(structure).fields)
      if (f.from == field) f.text = to + f.text.substr(f.text.find(':'));
  }
  /// A u32 in front of the other fields.
  void add(std::string_view structure, const std::string& name) {
    std::vector<Field>& fields = line(structure).fields;
    fields.insert(fields.begin(), {name + ":u32", {}});
  }
  void reverse(std::string_view structure) {
    std::reverse(line(structure).fields.begin(), line(structure).fields.end());
  }
  void rename_structs(std::string_view suffix) {
    for (const Line& renamed : lines_)
      for (Line& l : lines_)
        for (Field& f : l.fields) {
          const std::size_t at = f.text.size() - std::min(f.text.size(), renamed.name.size());
          if (at > 0 && f.text.substr(at) == renamed.name && !is_word(f.text[at - 1]))
            f.text += suffix;
        }
    for (Line& l : lines_) l.name += suffix;
    suffix_ = suffix;
  }
  [[nodiscard]] std::vector<std::string> structs() const {
    std::vector<std::string> out;
    for (const Line& l : lines_) out.push_back(l.name);
    return out;
  }
  [[nodiscard]] std::string table() const {
    std::string text;
    for (const Line& l : lines_) {
      text += l.name;
      for (const Field& f : l.fields) text += " " + f.text;
      text += "\n";
    }
    return text;
  }

  /// `bytes`: the record itself.
  [[nodiscard]] std::vector<std::byte> written(std::span<const std::byte> bytes) const {
    std::vector<std::byte> out(bytes.begin(), bytes.begin() + sizeof kMagic);
    for (std::size_t at = sizeof kMagic; at < bytes.size();) {
      const ChunkHead head = head_of(bytes.subspan(at));
      std::span<const std::byte> payload = bytes.subspan(at + ChunkHead::kSize, head.length);
      at += ChunkHead::kSize + head.length;
      const std::size_t begin = out.size();
      out.resize(begin + ChunkHead::kSize);
      if (head.kind == ChunkKind::header) write_prefix(payload, out);
      if (const FieldTable::Struct* root = table_.root_field(name_of(head.kind))) {
        FieldTable::Lengths lengths{};
        copy_struct(*root, payload, out, lengths);
      }
      out.insert(out.end(), payload.begin(), payload.end());
      const std::span<std::byte> chunk = std::span{out}.subspan(begin);
      put_head(chunk, head.kind, head.source, head.at);
      seal(chunk);
    }
    return out;
  }

 private:
  using Kind = FieldTable::Kind;
  struct Field {
    std::string text;  // name:type
    std::string from;  // its name in the record; empty: it is new
  };
  struct Line {
    std::string name;
    std::vector<Field> fields;
  };

  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
  }
  static std::string_view next(std::string_view& text, char end) {
    const std::size_t at = std::min(text.find(end), text.size());
    const std::string_view part = text.substr(0, at);
    text.remove_prefix(std::min(at + 1, text.size()));
    return part;
  }
  Line& line(std::string_view name) {
    return *std::find_if(lines_.begin(), lines_.end(), [&](auto& l) { return l.name == name; });
  }
  [[nodiscard]] const Line& line_of(const FieldTable::Struct& s) const {
    return *std::find_if(lines_.begin(), lines_.end(),
                         [&](auto& l) { return l.name == s.name + suffix_; });
  }
  static void take(std::size_t size, std::span<const std::byte>& in, std::vector<std::byte>& out) {
    out.insert(out.end(), in.begin(), in.begin() + static_cast<std::ptrdiff_t>(size));
    in = in.subspan(size);
  }

  void write_prefix(std::span<const std::byte>& payload, std::vector<std::byte>& out) const {
    std::uint16_t format = 0;
    std::uint32_t number = 0, length = 0;
    std::string product;
    FieldReader in{payload};
    in(format, number, product, length);
    (void)in.bytes(length);
    payload = in.rest();
    const std::string text = table();
    std::vector<std::byte> prefix(text.size() + 300);
    FieldWriter to{prefix};
    to(format, decisions_version, version, static_cast<std::uint32_t>(text.size()));
    to.bytes(std::as_bytes(std::span{text}));
    out.insert(out.end(), prefix.begin(), prefix.begin() + static_cast<std::ptrdiff_t>(to.size()));
  }
  void copy_struct(const FieldTable::Struct& s, std::span<const std::byte>& in,
                   std::vector<std::byte>& out, FieldTable::Lengths& lengths) const {
    std::vector<std::pair<std::string, std::vector<std::byte>>> parts;
    for (const FieldTable::Field& field : s.fields) {
      parts.push_back({field.name, {}});
      copy(table_.type(field.type), in, parts.back().second, lengths);
    }
    for (const Field& field : line_of(s).fields) {
      const auto part = std::find_if(parts.begin(), parts.end(),
                                     [&](const auto& p) { return p.first == field.from; });
      if (part == parts.end())
        out.insert(out.end(), 4, std::byte{0xA5});
      else
        out.insert(out.end(), part->second.begin(), part->second.end());
    }
  }
  void copy(const FieldTable::Type& type, std::span<const std::byte>& in,
            std::vector<std::byte>& out, FieldTable::Lengths& lengths) const {
    std::uint16_t count = 0;
    switch (type.kind) {
      case Kind::optional:
        take(1, in, out);
        if (out.back() == std::byte{1}) copy(table_.type(type.inner), in, out, lengths);
        break;
      case Kind::array:
        for (std::uint32_t i = 0; i < type.length; ++i)
          copy(table_.type(type.inner), in, out, lengths);
        break;
      case Kind::list:
        if (type.tail && in.empty()) break;
        std::memcpy(&count, in.data(), sizeof count);
        take(sizeof count, in, out);
        lengths[type.slot] = count;
        [[fallthrough]];
      case Kind::sized:
        for (std::uint32_t i = 0; i < lengths[type.slot]; ++i)
          copy(table_.type(type.inner), in, out, lengths);
        break;
      case Kind::structure:
        copy_struct(table_.structure(type.inner), in, out, lengths);
        break;
      default: {
        std::span<const std::byte> rest = in;
        (void)table_.skip(type, rest, lengths);
        take(in.size() - rest.size(), in, out);
      }
    }
  }

  const FieldTable& table_;
  std::vector<Line> lines_;
  std::string suffix_;
};

}  // namespace kerb::records::test
