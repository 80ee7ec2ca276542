// SPDX-License-Identifier: Apache-2.0
#include "firmware/schema/parse.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "firmware/schema/toml_text.hpp"
#include "firmware/schema/words.hpp"

namespace kerb::schema {
[[noreturn]] static void parser_failed() {
  throw std::logic_error{"an assertion of toml++ failed"};
}
}  // namespace kerb::schema

// The only way to toml++, which is slow to compile: nothing else includes it. toml++ 3.3 asserts
// what a file may well not hold ("[.a]" is enough), and without assertions it lets the compiler
// assume it. Here a broken assumption refuses the file, in every build type. Give the parser only
// what check_text() takes.
#undef NDEBUG
#define TOML_ASSERT(holds) static_cast<void>((holds) || (::kerb::schema::parser_failed(), false))
#include <toml++/toml.h>

namespace kerb::schema {
namespace {

using File = std::shared_ptr<const std::string>;

/// More is refused by check_text(): reading one byte past the limit is enough to know.
constexpr std::size_t kReadAtMost = (1 << 20) + 1;
/// No file of ours is nested deeper. What is deeper becomes Kind::other with the text "...".
constexpr int kDeepest = 24;

Where where_of(const File& file, const toml::source_region& source) {
  return {file, static_cast<int>(source.begin.line), static_cast<int>(source.begin.column)};
}

Node convert(const toml::node& from, const File& file, const Where& where, int depth = 0) {
  Node out;
  out.where = where;
  if (depth > kDeepest) {
    out.kind = Node::Kind::other;
    out.text = "...";
  } else if (const toml::table* table = from.as_table()) {
    out.kind = Node::Kind::table;
    out.is_inline = table->is_inline();
    for (const auto& [key, value] : *table)
      out.entries.emplace_back(std::string{key.str()},
                               convert(value, file, where_of(file, key.source()), depth + 1));
  } else if (const toml::array* list = from.as_array()) {
    out.kind = Node::Kind::list;
    for (const toml::node& item : *list)
      out.items.push_back(convert(item, file, where_of(file, item.source()), depth + 1));
  } else if (const auto* text = from.as_string()) {
    out.kind = Node::Kind::text;
    out.text = text->get();
  } else if (const auto* integer = from.as_integer()) {
    out.kind = Node::Kind::integer;
    out.integer = integer->get();
    out.number = static_cast<double>(out.integer);
  } else if (const auto* number = from.as_floating_point()) {
    out.kind = Node::Kind::number;
    out.number = number->get();
  } else if (const auto* boolean = from.as_boolean()) {
    out.kind = Node::Kind::boolean;
    out.boolean = boolean->get();
  } else {
    out.kind = Node::Kind::other;
    std::ostringstream written;
    from.visit([&](const auto& value) {
      if constexpr (toml::is_value<decltype(value)>) written << value.get();
    });
    out.text = written.str();
  }
  return out;
}

Problem refused(const Where& where, std::string rule) { return {where, "", "", std::move(rule)}; }

}  // namespace

std::variant<Node, Problem> parse_tree(std::string_view text, const std::string& name) {
  const auto file = std::make_shared<const std::string>(name);
  if (const std::optional<TextProblem> problem = check_text(text))
    return refused({file, problem->place.line, problem->place.column}, problem->rule);
  try {
    const toml::table parsed = toml::parse(text, std::string_view{});
    return convert(parsed, file, {file, 0, 0});
  } catch (const toml::parse_error& error) {
    return refused(where_of(file, error.source()),
                   "not valid TOML: " + printable(error.description(), 160));
  } catch (const std::logic_error&) {
    const Place place = nameless_header(text);
    return refused(
        {file, place.line, place.column},
        place.line > 0 ? "not valid TOML: a table's name must follow '['" : "not valid TOML");
  } catch (const std::exception& error) {
    return refused({file, 0, 0}, "cannot be parsed: " + printable(error.what(), 160));
  }
}

std::variant<Node, Problem> read_tree(const std::string& path) {
  namespace fs = std::filesystem;
  const Where file{std::make_shared<const std::string>(path), 0, 0};
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return refused(file, "no such file");
  if (error) return refused(file, "cannot be read: " + error.message());
  if (status.type() == fs::file_type::directory)
    return refused(file, "is a directory, must be a file");
  if (status.type() != fs::file_type::regular) return refused(file, "must be a regular file");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream{std::fopen(path.c_str(), "rbe"),
                                                               &std::fclose};
  if (!stream) return refused(file, "cannot be read: " + std::generic_category().message(errno));
  std::string text(kReadAtMost, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), stream.get()));
  if (std::ferror(stream.get()) != 0)
    return refused(file, "cannot be read: " + std::generic_category().message(errno));
  return parse_tree(text, path);
}

}  // namespace kerb::schema
