// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/schema/problem.hpp"

/// Reads the part of a DBC file that says how messages are laid out: BO_, SG_, the cycle times
/// (BA_ "GenMsgCycleTime") and which signals are floating-point (SIG_VALTYPE_). Everything else,
/// such as comments, is passed over.
namespace kerb::dbc {

enum class Multiplex : std::uint8_t {
  none,
  selector,  ///< "M": says which others there are
  selected   ///< "m3": there with some values of the selector only
};

struct Signal {
  std::string name;
  unsigned start = 0, length = 1;  ///< bits, numbered as in the file; see SignalBits
  bool big_endian = false, is_signed = false, is_float = false;
  double factor = 1, offset = 0;
  double low = 0, high = 0;  ///< both 0: the file states no range
  Multiplex multiplex = Multiplex::none;
  schema::Where where;
};

struct Message {
  std::uint32_t id = 0;
  bool extended = false;
  unsigned size = 0;  ///< bytes, 0..64
  std::string name;
  std::vector<Signal> signals;
  std::optional<int> cycle_ms;  ///< as the file says, its default included; never 0
  schema::Where where;
  [[nodiscard]] const Signal* find(std::string_view signal) const noexcept;
};

struct File {
  std::vector<Message> messages;
  std::vector<schema::Problem> problems;  ///< in the order of the file; with any, use no message
  [[nodiscard]] const Message* find(std::string_view message) const noexcept;
};

/// Reads a text of at most 4 MiB; `name` replaces the file's name. Any bytes are handled, nothing
/// is thrown. Signals lie within their messages, factors are not 0, numbers are finite.
[[nodiscard]] File parse(std::string_view text, const std::string& name);
/// The same for a file.
[[nodiscard]] File read(const std::string& path);

/// Where the bit stands, counted from the first byte's highest; of a signal, in their order from
/// its highest: for finding overlaps. `i` < signal.length.
[[nodiscard]] unsigned place_of_bit(const Signal& signal, unsigned i) noexcept;

}  // namespace kerb::dbc
