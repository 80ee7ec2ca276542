// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <string_view>

#include "hal/base/clock.hpp"

/// Output to a descriptor of somebody else's making (standard error, standard output), which may be
/// a pipe that nobody reads or a terminal that was stopped: a plain write() would wait for ever.
/// The descriptor stays as it is: making it non-blocking would do so for every process that shares
/// it. Where another process fills the same pipe in the moment between the check and the write, the
/// write waits after all; so what must not wait runs on a thread of its own (see make_log()).
namespace kerb {

/// Writes the beginning of `text`, as much as fits at once, when there is room within `wait` of
/// real time. The bytes written; 0: no room; negative: -errno.
[[nodiscard]] ssize_t write_some(int fd, std::string_view text, Nanos wait) noexcept;

/// Writes all of it within `limit` of real time. 0, or the errno of what stopped it (ETIMEDOUT: no
/// room); a part may have been written.
[[nodiscard]] int write_within(int fd, std::string_view text, Nanos limit) noexcept;

}  // namespace kerb
