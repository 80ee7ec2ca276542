// SPDX-License-Identifier: Apache-2.0
#include "tests/board/raw_can.hpp"

#include <linux/can.h>
#include <linux/can/raw.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <ctime>

namespace kerb::board {
namespace {

using std::chrono::nanoseconds;

nanoseconds read_clock(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::chrono::seconds(now.tv_sec) + nanoseconds(now.tv_nsec);
}

/// SO_TIMESTAMPNS stamps by the calendar. Where that was set since, the frame came now.
RealClock::time_point monotonic(const timespec& calendar) {
  const nanoseconds age = read_clock(CLOCK_REALTIME) - std::chrono::seconds(calendar.tv_sec) -
                          nanoseconds(calendar.tv_nsec);
  const bool was_set = age < nanoseconds::zero() || age > std::chrono::seconds(60);
  return RealClock::now() - (was_set ? nanoseconds::zero() : age);
}

}  // namespace

File open_can(const std::string& interface, const std::vector<std::uint32_t>& ids) {
  File bus(::socket(PF_CAN, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, CAN_RAW));
  if (!bus) fail_with_errno("CAN socket");
  const int on = 1;
  if (::setsockopt(bus.get(), SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0)
    fail_with_errno("time stamps of CAN frames");
  std::vector<can_filter> filters;
  for (const std::uint32_t id : ids)
    filters.push_back({id, CAN_SFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG});
  if (!filters.empty() &&
      ::setsockopt(bus.get(), SOL_CAN_RAW, CAN_RAW_FILTER, filters.data(),
                   static_cast<socklen_t>(filters.size() * sizeof filters.front())) != 0)
    fail_with_errno("filters of a CAN socket");
  sockaddr_can address{};
  address.can_family = AF_CAN;
  address.can_ifindex = static_cast<int>(::if_nametoindex(interface.c_str()));
  if (::bind(bus.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    fail_with_errno("bind to " + interface);
  return bus;
}

bool write_can(const File& bus, const CanFrame& frame) {
  can_frame raw{};
  raw.can_id = frame.id | (frame.extended ? CAN_EFF_FLAG : 0);
  raw.len = frame.size;
  std::copy_n(frame.data.begin(), frame.size, raw.data);
  return ::write(bus.get(), &raw, sizeof raw) == ssize_t{sizeof raw};  // fails while it is down
}

std::optional<ReadFrame> read_can(const File& bus, int timeout_ms) {
  pollfd waiting{bus.get(), POLLIN, 0};
  if (::poll(&waiting, 1, timeout_ms) <= 0) return std::nullopt;
  can_frame raw{};
  iovec part{&raw, sizeof raw};
  alignas(cmsghdr) char control[256];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (::recvmsg(bus.get(), &message, 0) != ssize_t{sizeof raw}) return std::nullopt;  // down, once
  ReadFrame read;
  read.time = RealClock::now();
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS) continue;
    timespec stamp{};
    std::memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
    read.time = monotonic(stamp);
  }
  CanFrame& frame = read.frame;
  frame.id = raw.can_id & CAN_SFF_MASK;
  frame.extended = (raw.can_id & CAN_EFF_FLAG) != 0;
  frame.size = raw.len;
  std::copy_n(raw.data, std::min<std::size_t>(raw.len, sizeof raw.data), frame.data.begin());
  return read;
}

}  // namespace kerb::board
