// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/app/marked_page.hpp"

#include <fmt/format.h>

#include "tools/files/text.hpp"
#include "tools/kerblab/app/output.hpp"

namespace kerb::lab {

Status MarkedPage::read(const std::string& path, const std::string& name) {
  const Result<std::string> page = files::read_text("--into", path);
  if (!page) return page.error();
  const std::string first = fmt::format("<!-- {}: begin -->", name);
  const std::size_t begin = page->find(first);
  const std::size_t end = page->find(fmt::format("<!-- {}: end -->", name));
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    return files::line_error("--into", path, 0,
                             fmt::format("the lines '{}' and '... end -->' are missing", first),
                             Errc::invalid_argument);
  path_ = path;
  before_ = page->substr(0, begin) + first + "\n";
  after_ = page->substr(end);
  return Done{};
}

Status MarkedPage::write(const std::string& between) const {
  return write_output(path_, before_ + between + after_);
}

}  // namespace kerb::lab
