// SPDX-License-Identifier: Apache-2.0
// The bus, the GPIO chip, the sound card and the watchdog of the board.
#include <linux/can.h>
#include <linux/can/raw.h>
#include <linux/gpio.h>
#include <linux/watchdog.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>

#include <cmath>
#include <numbers>
#include <optional>
#include <thread>

#include "tests/board/gpio_observer.hpp"
#include "tests/board/hardware_checks.hpp"
#include "tests/board/link.hpp"
#include "tests/board/posix.hpp"
#include "tests/board/sound.hpp"

namespace kerb::board {
namespace {

File open_bus(const char* interface) {
  File bus(::socket(PF_CAN, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, CAN_RAW));
  if (!bus) fail_with_errno("CAN socket");
  sockaddr_can address{};
  address.can_family = AF_CAN;
  address.can_ifindex = static_cast<int>(::if_nametoindex(interface));
  if (::bind(bus.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    fail_with_errno(std::string("bind to ") + interface);
  return bus;
}

int send(const File& bus, canid_t id, std::uint8_t value) {
  can_frame frame{};
  frame.can_id = id;
  frame.len = 1;
  frame.data[0] = value;
  return ::write(bus.get(), &frame, sizeof frame) == ssize_t{sizeof frame} ? 0 : errno;
}

std::optional<can_frame> receive(const File& bus, int timeout_ms) {
  pollfd waiting{bus.get(), POLLIN, 0};
  can_frame frame{};
  if (::poll(&waiting, 1, timeout_ms) <= 0) return std::nullopt;
  if (::read(bus.get(), &frame, sizeof frame) != ssize_t{sizeof frame}) return std::nullopt;
  return frame;
}

std::string level(const std::optional<LineState>& line) {
  if (!line) return "not held";
  return text("%s %s by \"%s\"", line->is_output ? "out" : "in", line->is_high ? "high" : "low",
              line->consumer.c_str());
}

}  // namespace

void check_bus(Checks& checks) {
  checks.group("CAN bus", [&] {
    const File from = open_bus("vcan0");
    const File to = open_bus("vcan0");
    int good = 0;
    for (std::uint8_t i = 0; i < 100; ++i) {
      const int error = send(from, 0x123, i);
      const auto frame = receive(to, 500);
      good += error == 0 && frame && frame->can_id == 0x123 && frame->data[0] == i;
    }
    checks.check(good == 100, "CAN frames arrive in order", text("%d of 100", good));

    set_link("vcan0", false);
    const int down = send(from, 0x123, 0);
    set_link("vcan0", true);
    const int up = send(from, 0x123, 7);
    checks.check(down == ENETDOWN && up == 0, "CAN interface down and up",
                 text("sending: %s, then %s", std::strerror(down), std::strerror(up)));
  });
}

void check_lines(Checks& checks) {
  checks.group("GPIO", [&] {
    constexpr int kLine = 7;
    const File chip("/dev/gpiochip0", O_RDWR);
    gpio_v2_line_request request{};
    request.num_lines = 1;
    request.offsets[0] = kLine;
    std::strncpy(request.consumer, "board", sizeof request.consumer - 1);
    request.config.flags = GPIO_V2_LINE_FLAG_OUTPUT;
    const auto before = observe_line(kLine);
    must_ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request, "request a GPIO line");
    File line(request.fd);
    gpio_v2_line_values values{.bits = 1, .mask = 1};
    must_ioctl(line, GPIO_V2_LINE_SET_VALUES_IOCTL, &values, "set a GPIO line");
    const auto high = observe_line(kLine);
    values.bits = 0;
    must_ioctl(line, GPIO_V2_LINE_SET_VALUES_IOCTL, &values, "clear a GPIO line");
    const auto low = observe_line(kLine);
    checks.check(!before && high && high->is_output && high->is_high && low && !low->is_high &&
                     low->consumer == "board",
                 "GPIO line seen from outside",
                 level(before) + ", then " + level(high) + ", then " + level(low));
  });
}

void check_sound(Checks& checks) {
  checks.group("sound", [&] {
    constexpr double kFrequency = 1000;
    constexpr double kPulses = 8;
    Sound recorder("hw:0,1", Sound::Direction::record);
    std::vector<std::int16_t> tone(2 * Sound::kRate);
    for (std::size_t i = 0; i < tone.size(); ++i) {
      const double t = static_cast<double>(i) / Sound::kRate;
      const bool on = t * kPulses - std::floor(t * kPulses) < 0.5;
      const double wave = std::sin(2 * std::numbers::pi * kFrequency * t);
      tone[i] = static_cast<std::int16_t>(on ? 16384 * wave : 0);
    }
    std::thread player([&] {
      Sound speaker("hw:0,0", Sound::Direction::play);
      speaker.play(tone);
    });
    const auto samples = recorder.record(1.5);
    player.join();
    const HeardTone heard = analyse(samples, Sound::kRate);
    checks.check(std::abs(heard.frequency_hz - kFrequency) < 50 &&
                     std::abs(heard.pulses_per_s - kPulses) < 0.5 &&
                     std::abs(heard.duty - 0.5) < 0.1 && heard.peak > 0.4,
                 "sound loops back",
                 text("%.0f Hz, %.1f pulses a second, duty %.2f, peak %.2f", heard.frequency_hz,
                      heard.pulses_per_s, heard.duty, heard.peak));
  });
}

void check_watchdog(Checks& checks) {
  checks.group("watchdog", [&] {
    const File watchdog("/dev/watchdog", O_WRONLY);
    watchdog_info info{};
    must_ioctl(watchdog, WDIOC_GETSUPPORT, &info, "WDIOC_GETSUPPORT");
    int seconds = 4;
    must_ioctl(watchdog, WDIOC_SETTIMEOUT, &seconds, "WDIOC_SETTIMEOUT");
    const bool disarmed = ::write(watchdog.get(), "V", 1) == 1;  // closing it is then no death
    checks.check(seconds == 4 && disarmed && (info.options & WDIOF_MAGICCLOSE) != 0,
                 "watchdog takes a time-out and a good-bye",
                 text("%s, %d s", reinterpret_cast<const char*>(info.identity), seconds));
  });
}

}  // namespace kerb::board
