// SPDX-License-Identifier: Apache-2.0
#include "drivers/lock/device_lock.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "hal/base/fault_point.hpp"

namespace kerb {
namespace {

constexpr std::size_t kShown = 50;  // characters of a place in an error, which also names a process

/// One name for one thing: the number of a device, else the path without links.
std::string identity(const std::string& place) {
  struct stat facts {};
  if (!place.empty() && place.front() == '/' && ::stat(place.c_str(), &facts) == 0 &&
      (S_ISCHR(facts.st_mode) || S_ISBLK(facts.st_mode)))
    return "device " + std::to_string(::major(facts.st_rdev)) + ":" +
           std::to_string(::minor(facts.st_rdev));
  if (place.find('/') == std::string::npos) return place;
  std::error_code error;
  const std::filesystem::path path = std::filesystem::weakly_canonical(place, error);
  return error ? place : path.string();
}

/// The end of a long name, and a number of all of it.
std::string shortened(const std::string& name, std::size_t most) {
  if (name.size() <= most) return name;
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  const std::string number = std::to_string(hash) + " ";
  return number + name.substr(name.size() - (most - number.size()));
}

struct Address {
  sockaddr_un name{};
  socklen_t size = 0;
};

Address address_of(const std::string& kind, const std::string& place) {
  Address out;
  out.name.sun_family = AF_UNIX;  // the first byte of the path stays 0: outside the file system
  const std::string prefix = "kerbwatch/" + kind + "/";
  const std::string text =
      prefix + shortened(identity(place), sizeof out.name.sun_path - 1 - prefix.size());
  std::memcpy(out.name.sun_path + 1, text.data(), text.size());
  out.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  return out;
}

/// "process 1234 (kerbwatch run --config car.toml)".
std::string owner_of(const Address& address) {
  const UniqueFd socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  ucred owner{};
  socklen_t size = sizeof owner;
  if (!socket ||
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address.name), address.size) !=
          0 ||
      ::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &owner, &size) != 0 || owner.pid <= 0)
    return "another process";
  std::string out = "process " + std::to_string(owner.pid);
  std::ifstream file{"/proc/" + std::to_string(owner.pid) + "/cmdline", std::ios::binary};
  std::string command{std::istreambuf_iterator<char>{file}, {}};
  while (!command.empty() && command.back() == '\0') command.pop_back();
  for (char& c : command)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  const std::size_t first = command.find(' ');
  if (const std::size_t slash = command.rfind('/', first); slash != std::string::npos)
    command.erase(0, slash + 1);  // without the folder of the program
  if (!command.empty()) out += " (" + command + ")";
  return out;
}

}  // namespace

Result<DeviceLock> DeviceLock::take(std::string_view kind, const std::string& place) {
  const Address address = address_of(std::string{kind}, place);
  UniqueFd socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  if (!socket) return Error{Errc::io, errno, "make a socket to lock", std::string_view{place}};
  if (fault_point("lock.take") ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address.name), address.size) != 0) {
    if (errno != EADDRINUSE) return Error{Errc::io, errno, "lock", std::string_view{place}};
    Error error{Errc::would_block, 0, "in use"};
    error.what.append(place.substr(0, kShown)).append(" by ").append(owner_of(address));
    return error;
  }
  // Who listens can be asked for its number, so many times: nobody accepts.
  if (::listen(socket.get(), SOMAXCONN) != 0)
    return Error{Errc::io, errno, "lock", std::string_view{place}};
  return DeviceLock{std::move(socket)};
}

}  // namespace kerb
