// SPDX-License-Identifier: Apache-2.0
#include "drivers/socketcan/socketcan_bus.hpp"

#include <linux/can/error.h>
#include <linux/can/raw.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "drivers/socketcan/can_codec.hpp"
#include "hal/base/fault_point.hpp"

namespace kerb {
namespace {

using socketcan::LinkFacts;
using namespace std::chrono_literals;

// How often a lost interface is searched for, and a faulty controller polled. Clock time.
constexpr Nanos kLookEvery = 20ms;
constexpr Nanos kAskEvery = 100ms;
// So that a flood of error frames cannot hold receive().
constexpr int kMostReadsPerCall = 256;

Nanos read_clock(clockid_t id) {
  timespec now{};
  ::clock_gettime(id, &now);
  return std::chrono::seconds{now.tv_sec} + Nanos{now.tv_nsec};
}

template <typename T>
bool set_option(int fd, int level, int name, const T& value) {
  return ::setsockopt(fd, level, name, &value, sizeof value) == 0;
}

// Waits until there is something to read, or an error to collect, for at most `real_time`.
void wait_readable(int fd, Nanos real_time) {
  pollfd wanted{.fd = fd, .events = POLLIN, .revents = 0};
  const Nanos time = std::max(real_time, Nanos::zero());
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(time);
  const timespec limit{.tv_sec = static_cast<time_t>(whole.count()),
                       .tv_nsec = static_cast<long>((time - whole).count())};
  ::ppoll(&wanted, 1, &limit, nullptr);  // a signal ends it early: the caller counts time itself
}

Status check(const SocketCanOptions& options) {
  if (options.interface.empty() || options.interface.size() >= IFNAMSIZ)
    return Error{Errc::invalid_argument, 0, "CAN interface name: 1 to 15 characters",
                 std::string_view{options.interface}};
  if (options.filters.size() > CAN_RAW_FILTER_MAX)
    return Error{Errc::invalid_argument, 0, "CAN filters: 512 at most",
                 std::string_view{options.interface}};
  for (const CanFilter& filter : options.filters)
    if (filter.id > (filter.extended ? CAN_EFF_MASK : CAN_SFF_MASK))
      return Error{Errc::invalid_argument, 0, "CAN filter: id out of range",
                   std::string_view{options.interface}};
  if (options.first_restart <= Nanos::zero() || options.longest_restart < options.first_restart)
    return Error{Errc::invalid_argument, 0, "CAN restart times: over zero, first <= longest",
                 std::string_view{options.interface}};
  return Done{};
}

}  // namespace

SocketCanBus::SocketCanBus(const SocketCanOptions& options, const Clock& clock,
                           socketcan::CanLink link)
    : options_{options},
      clock_{clock},
      link_{std::move(link)},
      backoff_{options.first_restart, options.longest_restart} {
  for (const CanFilter& filter : options.filters) filters_.push_back(socketcan::encode(filter));
}

Result<std::unique_ptr<SocketCanBus>> SocketCanBus::open(const SocketCanOptions& options,
                                                         const Clock& clock) {
  if (Status valid = check(options); !valid) return valid.error();
  Result<socketcan::CanLink> link = socketcan::CanLink::open(options.interface);
  if (!link) return link.error();
  const LinkFacts facts = link->read();
  if (facts.index == 0)
    return Error{Errc::not_found, ENODEV, "open CAN interface",
                 std::string_view{options.interface}};
  if (!facts.is_can)
    return Error{Errc::unsupported, 0, "open CAN interface: not a CAN interface",
                 std::string_view{options.interface}};
  std::unique_ptr<SocketCanBus> bus{new SocketCanBus{options, clock, std::move(*link)}};
  if (Status connected = bus->connect(facts); !connected) return connected.error();
  return bus;
}

// A new socket on the interface as it is now. (The kernel removes a socket's filters when its
// interface is removed.)
Status SocketCanBus::connect(const LinkFacts& facts) {
  UniqueFd fresh{::socket(PF_CAN, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, CAN_RAW)};
  if (!fresh) {
    const bool no_can = errno == EAFNOSUPPORT || errno == EPROTONOSUPPORT;
    return fail(no_can ? Errc::unsupported : Errc::io, errno, "make a CAN socket");
  }
  const int fd = fresh.get();
  if (!filters_.empty() &&
      ::setsockopt(fd, SOL_CAN_RAW, CAN_RAW_FILTER, filters_.data(),
                   static_cast<socklen_t>(filters_.size() * sizeof(can_filter))) < 0)
    return fail(Errc::io, errno, "set CAN filters");
  if (!set_option(fd, SOL_CAN_RAW, CAN_RAW_ERR_FILTER, can_err_mask_t{CAN_ERR_MASK}))
    return fail(Errc::io, errno, "ask for CAN error frames");
  if (!set_option(fd, SOL_SOCKET, SO_TIMESTAMPNS, 1))
    return fail(Errc::io, errno, "ask for CAN time stamps");
  set_option(fd, SOL_SOCKET, SO_RXQ_OVFL, 1);  // optional: a count of dropped frames
  fd_frames_ = options_.fd && set_option(fd, SOL_CAN_RAW, CAN_RAW_FD_FRAMES, 1);

  sockaddr_can address{};
  address.can_family = AF_CAN;
  address.can_ifindex = facts.index;
  if (fault_point("can.open") ||
      ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0)
    return fail(socketcan::means_down(errno) ? Errc::gone : Errc::io, errno, "bind a CAN socket");

  socket_ = std::move(fresh);
  index_ = facts.index;
  socket_drops_ = 0;
  fd_ready_ = fd_frames_ && facts.mtu >= static_cast<int>(CANFD_MTU);
  set_state(facts.up ? link_.controller_state(index_).value_or(CanState::active) : CanState::down);
  return Done{};
}

Status SocketCanBus::send(const CanFrame& frame) {
  if (!is_valid(frame)) return fail(Errc::invalid_argument, 0, "send a CAN frame");
  if (frame.fd && !fd_ready_)
    return fail(Errc::unsupported, 0, "send a CAN FD frame on a classic interface");
  // While bus-off the kernel takes frames and silently drops them, so they must not reach it.
  if (state_ == CanState::bus_off || state_ == CanState::down) {
    ++counters_.refused;
    return fail(Errc::gone, state_ == CanState::down ? ENETDOWN : 0,
                state_ == CanState::down ? "send on CAN" : "send on CAN: bus-off");
  }
  const socketcan::WireFrame wire = socketcan::encode(frame);
  ssize_t sent = 0;
  do {
    sent = fault_point("can.send")
               ? -1
               : ::send(socket_.get(), &wire.frame, wire.size, MSG_DONTWAIT | MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent == static_cast<ssize_t>(wire.size)) {
    ++counters_.sent;
    return Done{};
  }
  const int err = sent < 0 ? errno : EIO;
  ++counters_.refused;
  if (socketcan::means_down(err)) check_link(err);
  return fail(socketcan::send_failure(err), err, "send on CAN");
}

Result<CanFrame> SocketCanBus::receive(Nanos timeout) {
  timeout = std::clamp<Nanos>(timeout, Nanos::zero(), std::chrono::hours{24});  // no overflow below
  const Nanos deadline = clock_.now() + timeout;
  if (state_ == CanState::down) {
    check_link();
    if (state_ == CanState::down) return wait_while_down(timeout);
  }
  // Counts down by the time waited as well as by the clock: it must also end when the clock stands
  // still.
  Nanos left = timeout;
  for (int reads = 0; reads < kMostReadsPerCall;) {
    tend_bus();
    if (std::optional<Result<CanFrame>> got = read_one()) {
      if (*got || got->error().code != Errc::damaged) return *got;
      ++reads;  // an error frame: taken in
      continue;
    }
    left = std::min(left, deadline - clock_.now());
    if (left <= Nanos::zero()) break;
    const Nanos step = state_ == CanState::active ? left : std::min(left, kLookEvery);
    wait_readable(socket_.get(), clock_.real(step));
    left -= step;
  }
  return fail(Errc::timeout, 0, "receive from CAN");
}

Result<CanFrame> SocketCanBus::wait_while_down(Nanos timeout) {
  for (Nanos left = timeout; left > Nanos::zero(); left -= kLookEvery) {
    wait_readable(-1, clock_.real(std::min(left, kLookEvery)));
    check_link();
    if (state_ == CanState::down) continue;
    std::optional<Result<CanFrame>> got = read_one();
    if (got && *got) return *got;
    return fail(Errc::timeout, 0, "receive from CAN");
  }
  return fail(Errc::gone, ENETDOWN, "receive from CAN");
}

// One datagram: a frame, `damaged` for one that is not for the caller, another error, or nothing
// when none is there.
std::optional<Result<CanFrame>> SocketCanBus::read_one() {
  canfd_frame raw{};
  iovec place{.iov_base = &raw, .iov_len = sizeof raw};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(timespec)) + CMSG_SPACE(sizeof(std::uint32_t))];
  msghdr message{};
  message.msg_iov = &place;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t size =
      fault_point("can.receive") ? -1 : ::recvmsg(socket_.get(), &message, MSG_DONTWAIT);
  if (size < 0) {
    const int err = errno;
    if (err == EAGAIN || err == EWOULDBLOCK || err == EINTR) return std::nullopt;
    if (!socketcan::means_down(err)) return fail(Errc::io, err, "receive from CAN");
    check_link(err);
    // Down and up again meanwhile: an old message.
    if (state_ != CanState::down) return fail(Errc::damaged, err, "receive from CAN");
    return fail(Errc::gone, err, "receive from CAN");
  }
  Nanos received = clock_.now();
  take_control_messages(message, received);
  if (socketcan::is_error_frame(raw)) {
    take_error_frame(raw);
    return fail(Errc::damaged, 0, "CAN error frame");
  }
  std::optional<CanFrame> frame = socketcan::decode(raw, static_cast<std::size_t>(size));
  if (!frame) return fail(Errc::damaged, 0, "receive from CAN");
  frame->received = last_received_ = std::max(received, last_received_);
  ++counters_.received;
  return *frame;
}

void SocketCanBus::take_control_messages(const msghdr& message, Nanos& received) {
  msghdr& walked = const_cast<msghdr&>(message);  // CMSG_NXTHDR reads only
  for (cmsghdr* header = CMSG_FIRSTHDR(&walked); header != nullptr;
       header = CMSG_NXTHDR(&walked, header)) {
    if (header->cmsg_level != SOL_SOCKET) continue;
    if (header->cmsg_type == SO_TIMESTAMPNS) {
      timespec stamp{};
      std::memcpy(&stamp, CMSG_DATA(header), sizeof stamp);
      received = clock_.from_monotonic(
          socketcan::arrival(std::chrono::seconds{stamp.tv_sec} + Nanos{stamp.tv_nsec},
                             read_clock(CLOCK_REALTIME), read_clock(CLOCK_MONOTONIC)));
    } else if (header->cmsg_type == SO_RXQ_OVFL) {
      std::uint32_t drops = 0;
      std::memcpy(&drops, CMSG_DATA(header), sizeof drops);
      counters_.overruns += drops - socket_drops_;  // 32 bits that wrap
      socket_drops_ = drops;
    }
  }
}

void SocketCanBus::take_error_frame(const canfd_frame& frame) {
  ++counters_.error_frames;
  const socketcan::ErrorReport report = socketcan::decode_error(frame);
  if (report.receive_overflow) ++counters_.overruns;
  if (report.state) set_state(*report.state);
}

void SocketCanBus::set_state(CanState state) {
  const Nanos now = clock_.now();
  if (state == CanState::bus_off) {
    if (state_ != CanState::bus_off) ++counters_.bus_offs;
    backoff_.bus_off(now);
  } else if (state != CanState::down) {
    backoff_.back(now);
  }
  if (state != state_) next_check_ = now + kAskEvery;
  if (state != CanState::bus_off) restart_refusal_.reset();
  state_ = state;
}

// Brings state_ and the socket in line with the interface as the kernel has it now.
void SocketCanBus::check_link(int err) {
  const LinkFacts facts = link_.read();
  // The interface was removed: the socket stays unbound, even if one with the same index appears.
  if (facts.index == 0 || (err != 0 && err != ENETDOWN)) index_ = 0;
  if (facts.index == 0 || !facts.is_can || !facts.up) {
    set_state(CanState::down);
    return;
  }
  // Coming up starts with a new socket, so that old frames are not taken for new ones.
  if (facts.index != index_ || state_ == CanState::down) {
    if (!connect(facts)) set_state(CanState::down);  // removed again meanwhile: retry later
    return;
  }
  fd_ready_ = fd_frames_ && facts.mtu >= static_cast<int>(CANFD_MTU);
}

// A faulty controller is polled now and then: not every driver reports its recovery, and reports
// can be lost.
void SocketCanBus::tend_bus() {
  if (state_ == CanState::active || state_ == CanState::down) return;
  const Nanos now = clock_.now();
  if (state_ == CanState::bus_off && options_.restart && backoff_.take_due(now)) {
    const Status done = link_.restart(index_);
    // Where it is refused because of restart-ms, the kernel does it; where the driver has no such
    // setting (slcan), the adapter.
    restart_refusal_.reset();
    if (!done && link_.restart_ms(index_) == 0U) restart_refusal_ = done.error();
    next_check_ = now;
  }
  if (now < next_check_) return;
  next_check_ = now + kAskEvery;
  if (const std::optional<CanState> told = link_.controller_state(index_)) set_state(*told);
}

bool SocketCanBus::recovers_from_bus_off() const noexcept {
  const std::optional<std::uint32_t> restart_ms = link_.restart_ms(index_);
  return !restart_ms || *restart_ms > 0 || (options_.restart && socketcan::CanLink::may_restart());
}

Error SocketCanBus::fail(Errc code, int err, const char* where) const {
  return Error{code, err, where, std::string_view{options_.interface}};
}

}  // namespace kerb
