// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>

/// What toml++ 3.3 must not be given, or does not place. All of it is refused by TOML or useless in
/// a configuration, so nothing is lost.
namespace kerb::schema {

struct Place {
  int line = 0, column = 0;  ///< count from 1; 0: nowhere
};
struct TextProblem {
  std::string rule;
  Place place;
};

/// Refuses what is too large, no text, nested so deep that taking the tables apart would exhaust
/// the stack (one deeper for each dot in a key), or has a letter outside ASCII where only a comment
/// or a string of one line may have one: there the parser runs into undefined behaviour.
[[nodiscard]] std::optional<TextProblem> check_text(std::string_view text);

/// The first line that begins like a table but goes on without a name; nowhere when there is none.
[[nodiscard]] Place nameless_header(std::string_view text);

}  // namespace kerb::schema
