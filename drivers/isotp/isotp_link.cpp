// SPDX-License-Identifier: Apache-2.0
#include "drivers/isotp/isotp_link.hpp"

#include <linux/can.h>
#include <linux/can/isotp.h>
#include <net/if.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "drivers/base/errors.hpp"
#include "hal/base/fault_point.hpp"

namespace kerb {
namespace {

Error open_failure(int err, const char* where, const std::string& interface) {
  switch (err) {
    case EAFNOSUPPORT:  // no CAN in this kernel
    case EPROTONOSUPPORT:
    case ESOCKTNOSUPPORT:
    case ENODEV:  // an interface of another kind
      return Error{Errc::unsupported, err, where, std::string_view{interface}};
    default:
      return open_error(err, where, interface);
  }
}

/// A socket that receives `rx` and sends `tx`. `listen`: never sends a flow control frame, so that
/// requests to all control units stay within one frame.
Result<UniqueFd> make_socket(const std::string& interface, unsigned index, std::uint32_t rx,
                             std::uint32_t tx, bool listen) {
  UniqueFd fd{::socket(PF_CAN, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, CAN_ISOTP)};
  if (!fd) return open_failure(errno, "make an ISO-TP socket", interface);
  can_isotp_options options{};
  options.flags = CAN_ISOTP_TX_PADDING | (listen ? CAN_ISOTP_LISTEN_MODE : 0U);
  options.frame_txtime = CAN_ISOTP_DEFAULT_FRAME_TXTIME;
  options.txpad_content = CAN_ISOTP_DEFAULT_PAD_CONTENT;
  options.rxpad_content = CAN_ISOTP_DEFAULT_PAD_CONTENT;
  if (::setsockopt(fd.get(), SOL_CAN_ISOTP, CAN_ISOTP_OPTS, &options, sizeof options) < 0)
    return open_failure(errno, "set up an ISO-TP socket", interface);
  sockaddr_can address{};
  address.can_family = AF_CAN;
  address.can_ifindex = static_cast<int>(index);
  address.can_addr.tp.rx_id = rx;
  address.can_addr.tp.tx_id = tx;
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0)
    return open_failure(errno, "bind an ISO-TP socket", interface);
  return fd;
}

bool is_id(std::uint32_t id) { return id <= CAN_SFF_MASK; }

}  // namespace

Result<std::unique_ptr<IsotpLink>> IsotpLink::open(const IsotpOptions& options,
                                                   const Clock& clock) {
  if (!is_id(options.request_id) || !is_id(options.response_id) || !is_id(options.functional_id) ||
      options.request_id == options.response_id || options.functional_id == options.response_id ||
      options.functional_id == options.request_id)
    return Error{Errc::invalid_argument, 0, "ISO-TP: three different identifiers of 11 bits"};
  std::unique_ptr<IsotpLink> link{new IsotpLink{options, clock}};
  if (Status connected = link->connect(); !connected) return connected.error();
  return link;
}

Status IsotpLink::connect() {
  const unsigned index = ::if_nametoindex(options_.interface.c_str());
  if (index == 0)
    return Error{Errc::not_found, errno, "find the CAN interface",
                 std::string_view{options_.interface}};
  Result<UniqueFd> physical = make_socket(options_.interface, index, options_.request_id,
                                          options_.response_id, /*listen=*/false);
  if (!physical) return physical.error();
  Result<UniqueFd> functional = make_socket(options_.interface, index, options_.functional_id,
                                            options_.response_id, /*listen=*/true);
  if (!functional) return functional.error();
  physical_ = std::move(*physical);
  functional_ = std::move(*functional);
  return Done{};
}

Error IsotpLink::fail(int err, const char* where) {
  const std::string_view name{options_.interface};
  switch (err) {
    case EAGAIN:
    case ENOBUFS:  // the interface's transmit queue is full
      return Error{Errc::would_block, err, where, name};
    case ENETDOWN:  // the sockets work again when it comes up
      return Error{Errc::gone, err, where, name};
    case ENODEV:  // unplugged: the sockets are dead, even if it returns
    case ENXIO:
    case EADDRNOTAVAIL:
      physical_.reset();
      functional_.reset();
      reopen_at_ = clock_.now() + kReopenEvery;
      return Error{Errc::gone, err, where, name};
    case ETIMEDOUT:  // the rest of a request did not come
    case EILSEQ:     // or came out of order
    case EBADMSG:
    case ECOMM:  // the tester did not take the rest of a response
    case EMSGSIZE:
      return Error{Errc::damaged, err, where, name};
    default:
      return Error{Errc::io, err, where, name};
  }
}

Status IsotpLink::receive_from(const UniqueFd& socket, bool functional, DiagnosticMessage& into) {
  // MSG_TRUNC: the length of the message itself, so that one that is too long is noticed.
  const ssize_t size =
      fault_point("isotp.receive")
          ? -1
          : ::recv(socket.get(), into.bytes.data(), into.bytes.size(), MSG_DONTWAIT | MSG_TRUNC);
  if (size < 0) return fail(errno == EINTR ? EAGAIN : errno, "receive over ISO-TP");
  if (size == 0 || static_cast<std::size_t>(size) > into.bytes.size())
    return fail(EMSGSIZE, "receive over ISO-TP");
  into.size = static_cast<std::size_t>(size);
  into.functional = functional;
  return Done{};
}

Status IsotpLink::receive(DiagnosticMessage& into) {
  if (!physical_) {
    const Nanos now = clock_.now();
    if (now < reopen_at_) return Error{Errc::gone, ENODEV, "receive over ISO-TP"};
    reopen_at_ = now + kReopenEvery;
    if (!connect())
      return Error{Errc::gone, ENODEV, "receive over ISO-TP", std::string_view{options_.interface}};
  }
  functional_first_ = !functional_first_;
  const bool first = functional_first_;
  Status got = receive_from(first ? functional_ : physical_, first, into);
  if (got || got.error().code != Errc::would_block) return got;
  return receive_from(first ? physical_ : functional_, !first, into);
}

Status IsotpLink::send(const DiagnosticMessage& response) {
  if (response.size == 0 || response.size > DiagnosticMessage::kCapacity)
    return Error{Errc::invalid_argument, 0, "send over ISO-TP: 1..4095 bytes"};
  if (!physical_) return Error{Errc::gone, ENODEV, "send over ISO-TP"};
  const ssize_t sent = fault_point("isotp.send")
                           ? -1
                           : ::send(physical_.get(), response.bytes.data(), response.size,
                                    MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent == static_cast<ssize_t>(response.size)) return Done{};
  Error error = fail(sent < 0 ? (errno == EINTR ? EAGAIN : errno) : EIO, "send over ISO-TP");
  // The error of a response before this one, which nobody has fetched yet.
  if (error.code == Errc::damaged) error.code = Errc::would_block;
  return error;
}

}  // namespace kerb
