// SPDX-License-Identifier: Apache-2.0
#include "firmware/schema/problem.hpp"

#include <algorithm>
#include <tuple>

#include "firmware/schema/words.hpp"

namespace kerb::schema {

std::string Problem::line() const {
  std::string out = where.file ? printable(*where.file, 1024) : "";
  if (where.line > 0) out += ':' + std::to_string(where.line) + ':' + std::to_string(where.column);
  out += ": ";
  if (!key.empty()) out += key + (value.empty() ? "" : " = " + value) + ": ";
  return out + rule;
}

void sort(std::vector<Problem>& problems) {
  std::ranges::stable_sort(problems, {}, [](const Problem& p) {
    return std::tuple{p.where.file ? *p.where.file : "", p.where.line, p.where.column};
  });
}

}  // namespace kerb::schema
