// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/app/progress.hpp"

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace kerb::lab {

Progress::Progress(const Clock& clock, std::string what)
    : clock_{clock},
      what_{std::move(what)},
      start_{clock.now()},
      shown_{start_},
      is_terminal_{::isatty(STDERR_FILENO) == 1} {}

void Progress::show(std::size_t done, std::size_t all, const std::string& note) {
  const Nanos now = clock_.now();
  if (!is_terminal_ || all == 0 || now - start_ < std::chrono::seconds{1} ||
      now - shown_ < std::chrono::milliseconds{100})
    return;
  constexpr std::size_t kWidth = 32;
  const std::size_t filled = kWidth * done / all;
  const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
  const double gone = std::chrono::duration<double>(now - start_).count();
  const double left =
      done == 0 ? 0 : gone * static_cast<double>(all - done) / static_cast<double>(done);
  std::fprintf(stderr, "\r\033[K%s [%s] %zu of %zu, %.0f s left%s%s", what_.c_str(), bar.c_str(),
               done, all, left, note.empty() ? "" : ", ", note.c_str());
  std::fflush(stderr);
  shown_ = now;
  visible_ = true;
}

void Progress::clear() {
  if (visible_) std::fputs("\r\033[K", stderr);
  visible_ = false;
}

}  // namespace kerb::lab
