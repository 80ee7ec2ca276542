// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace kerb::schema {

/// One printable line of at most `limit` bytes, whatever the bytes were: others become \xNN, a cut
/// is shown as "...".
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 80);
/// The text in quotes, as TOML writes it; printable().
[[nodiscard]] std::string quoted(std::string_view text, std::size_t limit = 80);
/// The shortest decimal that reads back as the same number; never with an exponent. Beyond 1e15,
/// and for inf and nan, words for a message.
[[nodiscard]] std::string decimal(double value);
/// How many letters to insert, drop, change or swap with their neighbour to get from one word to
/// the other.
[[nodiscard]] int edit_distance(std::string_view a, std::string_view b);
/// The candidate that is so near that it was probably meant; empty when none is.
[[nodiscard]] std::string_view nearest(std::string_view word,
                                       std::span<const std::string_view> candidates);
/// "; did you mean 'width'?" for the nearest() candidate; empty when there is none.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string_view> candidates);
/// The key of a name in a table: "camera[0].width"; at the top, the name alone.
[[nodiscard]] std::string join(std::string_view table, std::string_view name);

}  // namespace kerb::schema
