// SPDX-License-Identifier: Apache-2.0
#include "drivers/socketcan/can_link.hpp"

#include <linux/can/netlink.h>
#include <linux/capability.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/rtnetlink.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kerb::socketcan {
namespace {

// NLMSG_DATA without its C cast.
template <typename T>
T* payload(nlmsghdr* message) noexcept {
  return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(message) + NLMSG_HDRLEN);
}
template <typename T>
const T* payload(const nlmsghdr* message) noexcept {
  return reinterpret_cast<const T*>(reinterpret_cast<const std::byte*>(message) + NLMSG_HDRLEN);
}

// A netlink message under construction, in a buffer of its own.
class Request {
 public:
  Request(std::uint16_t type, std::uint16_t flags, unsigned sequence, int index) noexcept {
    head()->nlmsg_type = type;
    head()->nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
    head()->nlmsg_seq = sequence;
    head()->nlmsg_len = NLMSG_LENGTH(sizeof(ifinfomsg));
    auto* info = payload<ifinfomsg>(head());
    info->ifi_family = AF_UNSPEC;
    info->ifi_index = index;
  }
  rtattr* add(int type, const void* data, std::size_t size) noexcept {
    auto* attribute = reinterpret_cast<rtattr*>(buffer_ + NLMSG_ALIGN(head()->nlmsg_len));
    attribute->rta_type = static_cast<unsigned short>(type);
    attribute->rta_len = static_cast<unsigned short>(RTA_LENGTH(size));
    if (size > 0) std::memcpy(RTA_DATA(attribute), data, size);
    head()->nlmsg_len =
        static_cast<std::uint32_t>(NLMSG_ALIGN(head()->nlmsg_len) + RTA_ALIGN(attribute->rta_len));
    return attribute;
  }
  // Everything added since then becomes the content of `outer`.
  void close(rtattr* outer) noexcept {
    const auto* end = buffer_ + NLMSG_ALIGN(head()->nlmsg_len);
    outer->rta_len = static_cast<unsigned short>(end - reinterpret_cast<std::byte*>(outer));
  }
  [[nodiscard]] const void* data() const noexcept { return buffer_; }
  [[nodiscard]] std::size_t size() const noexcept {
    return reinterpret_cast<const nlmsghdr*>(buffer_)->nlmsg_len;
  }

 private:
  nlmsghdr* head() noexcept { return reinterpret_cast<nlmsghdr*>(buffer_); }
  alignas(nlmsghdr) std::byte buffer_[256] = {};  // the largest request here takes 76 bytes
};

struct Reply {
  alignas(nlmsghdr) std::byte buffer[16384];
};

// Sends the request and gives the answer to it. The kernel answers before sendto() returns, so that
// nothing here waits for a message. Null, with `err` set, when there is none or it says that the
// request failed.
const nlmsghdr* ask(int fd, const Request& request, unsigned sequence, Reply& reply, int& err) {
  err = EIO;
  while (::recv(fd, reply.buffer, sizeof reply.buffer, MSG_DONTWAIT) > 0) {
  }  // leftovers of a request that was cut short
  if (::send(fd, request.data(), request.size(), MSG_DONTWAIT) < 0) {
    err = errno;
    return nullptr;
  }
  const ssize_t got = ::recv(fd, reply.buffer, sizeof reply.buffer, MSG_DONTWAIT);
  if (got < 0) {
    err = errno;
    return nullptr;
  }
  auto left = static_cast<std::uint32_t>(got);
  for (auto* message = reinterpret_cast<const nlmsghdr*>(reply.buffer); NLMSG_OK(message, left);
       message = NLMSG_NEXT(message, left)) {
    if (message->nlmsg_seq != sequence) continue;
    if (message->nlmsg_type == NLMSG_ERROR) {
      err = message->nlmsg_len >= NLMSG_LENGTH(sizeof(nlmsgerr))
                ? -payload<nlmsgerr>(message)->error
                : EIO;
      return err == 0 ? message : nullptr;
    }
    err = 0;
    return message;
  }
  return nullptr;
}

// The attribute of this type among `size` bytes of attributes; null when it is not there.
const rtattr* find(const rtattr* first, std::size_t size, int type) {
  for (const rtattr* attribute = first; RTA_OK(attribute, size);
       attribute = RTA_NEXT(attribute, size))
    if ((attribute->rta_type & NLA_TYPE_MASK) == type) return attribute;
  return nullptr;
}
const rtattr* find_inside(const rtattr* outer, int type) {
  return outer == nullptr
             ? nullptr
             : find(static_cast<const rtattr*>(RTA_DATA(outer)), RTA_PAYLOAD(outer), type);
}

std::optional<CanState> to_state(std::uint32_t kernel_state) {
  switch (kernel_state) {
    case CAN_STATE_ERROR_ACTIVE:
      return CanState::active;
    case CAN_STATE_ERROR_WARNING:
      return CanState::warning;
    case CAN_STATE_ERROR_PASSIVE:
      return CanState::passive;
    case CAN_STATE_BUS_OFF:
      return CanState::bus_off;
    default:
      return CanState::down;  // stopped or asleep
  }
}

}  // namespace

Result<CanLink> CanLink::open(std::string interface) {
  UniqueFd control{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  if (!control) return Error{Errc::io, errno, "make a control socket", std::string_view{interface}};
  UniqueFd netlink{::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE)};
  if (!netlink) return Error{Errc::io, errno, "make a netlink socket", std::string_view{interface}};
  return CanLink{std::move(interface), std::move(control), std::move(netlink)};
}

LinkFacts CanLink::read() const noexcept {
  LinkFacts facts;
  ifreq request{};
  interface_.copy(request.ifr_name, IFNAMSIZ - 1);
  if (::ioctl(control_.get(), SIOCGIFINDEX, &request) < 0) return facts;
  const int index = request.ifr_ifindex;
  if (::ioctl(control_.get(), SIOCGIFHWADDR, &request) < 0) return facts;
  const bool is_can = request.ifr_hwaddr.sa_family == ARPHRD_CAN;
  if (::ioctl(control_.get(), SIOCGIFFLAGS, &request) < 0) return facts;
  const bool up = (request.ifr_flags & IFF_UP) != 0;
  if (::ioctl(control_.get(), SIOCGIFMTU, &request) < 0) return facts;
  return {index, is_can, up, request.ifr_mtu};
}

/// A number that the driver of a CAN controller tells of it; nothing when it has none.
std::optional<std::uint32_t> CanLink::can_number(int index, int type) const noexcept {
  Request request{RTM_GETLINK, 0, ++sequence_, index};
  const std::uint32_t no_statistics = RTEXT_FILTER_SKIP_STATS;
  request.add(IFLA_EXT_MASK, &no_statistics, sizeof no_statistics);
  Reply reply;
  int err = 0;
  const nlmsghdr* link = ask(netlink_.get(), request, sequence_, reply, err);
  if (link == nullptr || link->nlmsg_type != RTM_NEWLINK ||
      link->nlmsg_len < NLMSG_LENGTH(sizeof(ifinfomsg)))
    return std::nullopt;
  const auto* info = payload<ifinfomsg>(link);
  const auto* first = reinterpret_cast<const rtattr*>(reinterpret_cast<const std::byte*>(info) +
                                                      NLMSG_ALIGN(sizeof(ifinfomsg)));
  const rtattr* link_info =
      find(first, link->nlmsg_len - NLMSG_LENGTH(sizeof(ifinfomsg)), IFLA_LINKINFO);
  const rtattr* number = find_inside(find_inside(link_info, IFLA_INFO_DATA), type);
  if (number == nullptr || RTA_PAYLOAD(number) < sizeof(std::uint32_t)) return std::nullopt;
  std::uint32_t value = 0;
  std::memcpy(&value, RTA_DATA(number), sizeof value);
  return value;
}

std::optional<CanState> CanLink::controller_state(int index) const noexcept {
  const std::optional<std::uint32_t> state = can_number(index, IFLA_CAN_STATE);
  return state ? to_state(*state) : std::nullopt;
}

std::optional<std::uint32_t> CanLink::restart_ms(int index) const noexcept {
  return can_number(index, IFLA_CAN_RESTART_MS);
}

bool CanLink::may_restart() noexcept {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {};
  return ::syscall(SYS_capget, &header, sets) == 0 &&
         (sets[0].effective & 1U << CAP_NET_ADMIN) != 0;
}

Status CanLink::restart(int index) noexcept {
  // What `ip link set can0 type can restart` sends.
  Request request{RTM_NEWLINK, NLM_F_ACK, ++sequence_, index};
  rtattr* link_info = request.add(IFLA_LINKINFO, nullptr, 0);
  request.add(IFLA_INFO_KIND, "can", 3);
  rtattr* data = request.add(IFLA_INFO_DATA, nullptr, 0);
  const std::uint32_t yes = 1;
  request.add(IFLA_CAN_RESTART, &yes, sizeof yes);
  request.close(data);
  request.close(link_info);
  Reply reply;
  int err = 0;
  if (ask(netlink_.get(), request, sequence_, reply, err) != nullptr) return Done{};
  if (err == EBUSY) return Done{};  // no longer bus-off
  const bool cannot = err == EPERM || err == EACCES || err == EOPNOTSUPP || err == EINVAL;
  return Error{cannot ? Errc::unsupported : Errc::io, err, "restart the CAN controller",
               std::string_view{interface_}};
}

}  // namespace kerb::socketcan
