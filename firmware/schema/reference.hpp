// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "firmware/schema/schema.hpp"

/// What a schema says in words: in problems, in files, in docs/.
namespace kerb::schema {

/// "0.5..2.3 (m)"
[[nodiscard]] std::string range_text(const Field& field);
/// Completes "must be": range_text(), "one of noon, dusk", "true or false".
[[nodiscard]] std::string allowed(const Field& field);
/// The value of a field of `object`, as a file would have it; empty for what is unset or no single
/// value.
[[nodiscard]] std::string value_text(const Field& field, const void* object);
/// The same for a key such as "camera[0].width" of the table's `object`; empty for an unknown one,
/// and for one of an optional table that is not there.
[[nodiscard]] std::string value_at(const Table& table, const void* object, std::string_view key);
/// How a table is written whose key is `key`: "[can.vehicle]", "[[camera]]"; with the name `name`
/// in what is repeated: "walk = [{...}, ...]".
[[nodiscard]] std::string heading(const Field& field, const std::string& key,
                                  const std::string& name);
/// All keys in Markdown, a table for each TOML table, under headings of this level.
[[nodiscard]] std::string reference(const Table& root, int level);

}  // namespace kerb::schema
