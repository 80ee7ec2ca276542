// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <string>
#include <string_view>

/// The only JSON writer of our own: for the event log and the text log, which append to a string
/// that already has room and must not allocate. Everything else uses nlohmann-json.
namespace kerb {

/// Appends `text` as a JSON string, quotes included (RFC 8259). Any bytes give valid UTF-8 on one
/// line: control characters are escaped, each ill-formed sequence becomes one U+FFFD.
void append_json(std::string& out, std::string_view text);
/// The shortest decimal that reads back as `value`; null when it is not finite.
void append_json(std::string& out, double value);
/// Appends `text` for a person: well-formed as above, with control characters as \n, \t, \x1b; no
/// quotes.
void append_printable(std::string& out, std::string_view text);
/// Appends 2026-01-31T12:34:56.789Z, to the millisecond (rounded down), of a time since 1970;
/// before that it is 1970.
void append_utc(std::string& out, std::chrono::nanoseconds since_epoch);

}  // namespace kerb
