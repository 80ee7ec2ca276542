// SPDX-License-Identifier: Apache-2.0
#include "drivers/alsa/alsa_tone.hpp"

#include <alsa/asoundlib.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "drivers/alsa/playing.hpp"
#include "drivers/alsa/tone_generator.hpp"
#include "drivers/base/errors.hpp"
#include "hal/base/fault_point.hpp"

namespace kerb {
namespace {

constexpr unsigned kLongestBufferUs = 40'000, kWantedBufferUs = 30'000, kWantedPeriodUs = 10'000;
// For room in the buffer; also how soon the thread sees that it should end.
constexpr int kWaitMs = 50;
constexpr int kPriority = 10;

void say_nothing(const char*, int, const char*, int, const char*, ...) {}

struct ClosePcm {
  void operator()(snd_pcm_t* pcm) const noexcept { ::snd_pcm_close(pcm); }
};
using Pcm = std::unique_ptr<snd_pcm_t, ClosePcm>;

struct Format {
  unsigned rate = 0, channels = 0;
  snd_pcm_uframes_t buffer = 0, period = 0;  // frames
};

Result<Format> configure(snd_pcm_t* pcm, const AlsaToneOptions& options) {
  const auto refused = [&](int err, const char* where) {
    return Error{Errc::unsupported, -err, where, std::string_view{options.device}};
  };
  Format format{.rate = options.rate_hz};
  snd_pcm_hw_params_t* hw = nullptr;
  snd_pcm_hw_params_alloca(&hw);
  int err = ::snd_pcm_hw_params_any(pcm, hw);
  if (err < 0) return refused(err, "query the sound device's capabilities");
  err = ::snd_pcm_hw_params_set_access(pcm, hw, SND_PCM_ACCESS_RW_INTERLEAVED);
  if (err >= 0) err = ::snd_pcm_hw_params_set_format(pcm, hw, SND_PCM_FORMAT_S16);
  if (err < 0) return refused(err, "set up the sound device for 16 bit samples");
  format.channels = 1;
  err = ::snd_pcm_hw_params_set_channels_near(pcm, hw, &format.channels);
  if (err >= 0) err = ::snd_pcm_hw_params_set_rate_near(pcm, hw, &format.rate, nullptr);
  if (err < 0) return refused(err, "set up the sound device's rate");
  unsigned longest = kLongestBufferUs, buffer_us = kWantedBufferUs, period_us = kWantedPeriodUs;
  err = ::snd_pcm_hw_params_set_buffer_time_max(pcm, hw, &longest, nullptr);
  if (err < 0) return refused(err, "set up the sound device for a buffer of 40 ms");
  err = ::snd_pcm_hw_params_set_period_time_near(pcm, hw, &period_us, nullptr);
  if (err >= 0) err = ::snd_pcm_hw_params_set_buffer_time_near(pcm, hw, &buffer_us, nullptr);
  if (err >= 0) err = ::snd_pcm_hw_params(pcm, hw);
  if (err < 0) return refused(err, "set up the sound device's buffer");
  ::snd_pcm_hw_params_get_buffer_size(hw, &format.buffer);
  ::snd_pcm_hw_params_get_period_size(hw, &format.period, nullptr);
  if (format.period == 0 || format.buffer < format.period)
    return refused(-EINVAL, "set up the sound device's buffer");

  snd_pcm_sw_params_t* sw = nullptr;
  snd_pcm_sw_params_alloca(&sw);
  err = ::snd_pcm_sw_params_current(pcm, sw);
  if (err >= 0) err = ::snd_pcm_sw_params_set_start_threshold(pcm, sw, format.period);
  if (err >= 0) err = ::snd_pcm_sw_params_set_avail_min(pcm, sw, format.period);
  if (err >= 0) err = ::snd_pcm_sw_params(pcm, sw);
  if (err < 0) return refused(err, "set up the sound device's start threshold");
  return format;
}

}  // namespace

struct AlsaTone::Player {
  Player(Pcm device, const Format& its_format, const std::string& its_name)
      : pcm{std::move(device)},
        format{its_format},
        name{std::string_view{its_name}},
        generator{static_cast<double>(its_format.rate)},
        mono(its_format.period),
        interleaved(its_format.period * its_format.channels),
        playing{its_format.buffer} {}

  // From the caller to the thread.
  struct Order {
    unsigned number = 0;
    std::optional<TonePattern> pattern;  // nothing: silence
  };
  void give(const std::optional<TonePattern>& pattern) {
    const std::lock_guard lock{mutex};
    order = Order{order.number + 1, pattern};
  }
  void obey() {
    Order latest;
    {
      const std::lock_guard lock{mutex};
      latest = order;
    }
    if (latest.number == obeyed) return;
    obeyed = latest.number;
    if (latest.pattern) {
      generator.play(*latest.pattern);
    } else {
      generator.stop();
    }
  }

  // The thread.
  void run() noexcept {
    snd_pcm_uframes_t left = 0;  // of the period at hand, not yet taken by the device
    while (!ending) {
      if (left == 0) left = make_period();
      const std::int16_t* from = interleaved.data() + (format.period - left) * format.channels;
      const snd_pcm_sframes_t taken =
          fault_point("alsa.write") ? -errno : ::snd_pcm_writei(pcm.get(), from, left);
      if (taken > 0) {
        left -= static_cast<snd_pcm_uframes_t>(taken);
        playing.takes(static_cast<std::uint64_t>(taken));
        hold_back(static_cast<snd_pcm_uframes_t>(taken));
      } else if (taken == 0 || taken == -EAGAIN) {
        wait_for_room();
      } else if (!recover(static_cast<int>(taken))) {
        return;
      }
    }
    ::snd_pcm_drop(pcm.get());
  }
  snd_pcm_uframes_t make_period() noexcept {
    obey();
    generator.fill(mono);
    for (std::size_t i = 0; i < mono.size(); ++i)
      std::fill_n(interleaved.begin() + static_cast<std::ptrdiff_t>(i * format.channels),
                  format.channels, mono[i]);
    return format.period;
  }
  void wait_for_room() noexcept {
    const int ready = ::snd_pcm_wait(pcm.get(), kWaitMs);
    if (ready < 0) {
      if (!recover(ready)) ending = true;
    } else if (ready == 0 && playing.had_no_room()) {
      ::snd_pcm_drop(pcm.get());
      ::snd_pcm_prepare(pcm.get());
    }
  }
  // False when the device was removed.
  bool recover(int err) noexcept {
    if (err == -EPIPE) ++underruns;
    if (err == -EINTR) return true;
    const bool hopeful = playing.may_recover() && err != -ENODEV;
    if (hopeful && ::snd_pcm_recover(pcm.get(), err, /*silent=*/1) == 0) return true;
    if (err == -ENODEV || ::snd_pcm_state(pcm.get()) == SND_PCM_STATE_DISCONNECTED) {
      playing.fail(ENODEV);
      return false;
    }
    playing.fail(-err);
    std::this_thread::sleep_for(std::chrono::milliseconds{kWaitMs});
    ::snd_pcm_drop(pcm.get());
    ::snd_pcm_prepare(pcm.get());
    return true;
  }
  // A sound device takes one second of samples per second. One that takes more ("null", a file) is
  // limited to that, so that this thread does not spin.
  void hold_back(snd_pcm_uframes_t frames) noexcept {
    const auto now = std::chrono::steady_clock::now();
    const auto room =
        std::chrono::duration<double>(static_cast<double>(format.buffer) / format.rate);
    played_until = std::max(played_until, now) +
                   std::chrono::nanoseconds{frames * 1'000'000'000ULL / format.rate};
    const auto ahead = played_until - now - room * 2;
    if (ahead.count() > 0) std::this_thread::sleep_for(ahead);
  }

  Status status() const {
    const int err = playing.error();
    if (err == 0) return Done{};
    return use_error(err, "play on the sound device", name.view());
  }

  Pcm pcm;
  const Format format;
  const Text<112> name;
  ToneGenerator generator;
  std::vector<std::int16_t> mono, interleaved;  // one period
  std::mutex mutex;
  Order order;
  unsigned obeyed = 0;
  std::chrono::steady_clock::time_point played_until{};
  std::atomic<bool> ending = false;
  Playing playing;
  std::atomic<unsigned> underruns = 0;
  std::thread thread;
};

Result<std::unique_ptr<AlsaTone>> AlsaTone::open(const AlsaToneOptions& options) {
  if (options.device.empty() || options.rate_hz < 8000 || options.rate_hz > 192'000)
    return Error{Errc::invalid_argument, 0, "open sound device: a name, and 8000 to 192000 Hz",
                 std::string_view{options.device}};
  ::snd_lib_error_set_handler(say_nothing);
  snd_pcm_t* raw = nullptr;
  const int err =
      fault_point("alsa.open")
          ? -errno
          : ::snd_pcm_open(&raw, options.device.c_str(), SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK);
  if (err == -EINVAL)  // a name that cannot be one
    return Error{Errc::not_found, EINVAL, "open sound device", std::string_view{options.device}};
  if (err < 0) return open_error(-err, "open sound device", options.device);
  Pcm pcm{raw};
  Result<Format> format = configure(pcm.get(), options);
  if (!format) return format.error();
  auto player = std::make_unique<Player>(std::move(pcm), *format, options.device);

  // Signals are for the main thread.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  int thread_error = 0;
  try {
    player->thread = std::thread{[p = player.get()] { p->run(); }};
    const pthread_t thread = player->thread.native_handle();
    ::pthread_setname_np(thread, "kerb-tone");
    // Ahead of the vision threads, where permitted: it needs little time, but needs it on time.
    const sched_param priority{.sched_priority = kPriority};
    static_cast<void>(::pthread_setschedparam(thread, SCHED_FIFO, &priority));
  } catch (const std::system_error& error) {
    thread_error = error.code().value();
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (thread_error != 0)
    return Error{Errc::io, thread_error, "start the sound thread",
                 std::string_view{options.device}};
  return std::unique_ptr<AlsaTone>{new AlsaTone{std::move(player)}};
}

AlsaTone::AlsaTone(std::unique_ptr<Player> player) : player_{std::move(player)} {}

AlsaTone::~AlsaTone() {
  player_->ending = true;
  player_->thread.join();
}

Status AlsaTone::play(const TonePattern& pattern) {
  if (!is_valid(pattern))
    return Error{Errc::invalid_argument, 0, "play a tone: pattern out of range", player_->name};
  player_->give(pattern);
  return player_->status();
}

Status AlsaTone::stop() {
  player_->give(std::nullopt);
  return player_->status();
}

unsigned AlsaTone::rate_hz() const noexcept { return player_->format.rate; }
unsigned AlsaTone::channels() const noexcept { return player_->format.channels; }
unsigned AlsaTone::buffer_ms() const noexcept {
  return static_cast<unsigned>(player_->format.buffer * 1000 / player_->format.rate);
}
unsigned AlsaTone::underruns() const noexcept { return player_->underruns; }

}  // namespace kerb
