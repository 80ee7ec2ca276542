// SPDX-License-Identifier: Apache-2.0
#include "firmware/diagnostics/life_book.hpp"

#include <atomic>
#include <cerrno>
#include <exception>
#include <utility>

#include "firmware/threads/disk_thread.hpp"
#include "firmware/threads/newest.hpp"

namespace kerb::diagnostics {

struct LifeBook::Core {
  explicit Core(LifeBookOptions wanted) : options{std::move(wanted)} {}

  const LifeBookOptions options;
  DiskThread thread;
  Bell loaded;
  Result<LifeImage> kept{Error{Errc::timeout, 0, "read the counters"}};  ///< the thread's at first
  Newest<LifeImage> images;
  std::atomic<std::uint64_t> put{0};  ///< images that were given
  std::atomic<int> error{0};
  std::atomic<std::uint64_t> written{0};

  void run() noexcept {
    std::uint64_t sequence = load();
    loaded.ring();
    std::uint64_t done = 0;  // of `put`
    for (;;) {
      const bool stopping = thread.stopping();  // before looking: what was put before it is written
      const std::uint64_t wanted = put.load(std::memory_order_acquire);
      if (wanted != done && write(sequence + 1)) {
        ++sequence;
        done = wanted;
      }
      if (stopping) return;
      // One that the disk refused is tried again a while later.
      const auto again = SteadyClock::now() + std::chrono::seconds{10};
      thread.sleep_until(wanted != done ? again : SteadyClock::time_point::max());
    }
  }
  std::uint64_t load() noexcept {
    try {
      kept = load_life(options.path);
    } catch (const std::exception&) {
      kept = Error{Errc::io, ENOMEM, "read the counters"};
    }
    return kept ? kept->sequence : 0;
  }
  bool write(std::uint64_t sequence) noexcept {
    int err = ENOMEM;
    try {
      LifeImage image = images.latest();
      image.sequence = sequence;
      const Status saved = save_life(options.path, image);
      err = saved ? 0 : saved.error().native;
    } catch (const std::exception&) {  // memory may come back
    }
    error.store(err, std::memory_order_relaxed);
    if (err != 0) return false;
    written.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
};

LifeBook::LifeBook(std::shared_ptr<Core> core, const LifeImage& kept) noexcept
    : core_{std::move(core)},
      tally_{kept},
      interrupted_{kept.running},
      kept_switch_{kept.off_switch} {}

Result<std::unique_ptr<LifeBook>> LifeBook::open(const LifeBookOptions& options, Log& log) {
  auto core = std::make_shared<Core>(options);
  if (const int err = core->thread.start([core] { core->run(); }); err != 0)
    return Error{Errc::io, err, "counters: start their thread"};
  if (!core->loaded.wait_until(SteadyClock::now() + options.load_limit)) {
    core->thread.stop(Nanos::zero());  // it ends when the disk goes on
    return Error{Errc::timeout, ETIMEDOUT, "read the counters", std::string_view{options.path}};
  }
  LifeImage kept;
  if (core->kept) {
    kept = *core->kept;
  } else if (core->kept.error().code != Errc::not_found) {
    log.error("diagnostics", describe(core->kept.error()) + "; counters begin anew");
  }
  auto book = std::unique_ptr<LifeBook>{new LifeBook{std::move(core), kept}};
  book->put();  // this start, and that it runs
  return book;
}

LifeBook::~LifeBook() { core_->thread.stop(core_->options.shutdown_limit); }

void LifeBook::round(const LifeRound& round, const HealthMonitor& monitor) noexcept {
  tally_.round(round, monitor);
  if (!next_) next_ = round.now + core_->options.interval;
  if (round.now < *next_) return;
  next_ = round.now + core_->options.interval;
  put();
}

void LifeBook::keep(const KeptSwitch& off_switch) noexcept {
  if (tally_.image().off_switch == off_switch) return;
  tally_.keep(off_switch);
  put();
}

void LifeBook::finish() noexcept {
  tally_.finish();
  put();
}

void LifeBook::put() noexcept {
  core_->images.draft() = tally_.image();
  core_->images.publish();
  core_->put.fetch_add(1, std::memory_order_release);
  core_->thread.bell().ring();
}

int LifeBook::error() const noexcept { return core_->error.load(std::memory_order_relaxed); }
std::uint64_t LifeBook::written() const noexcept {
  return core_->written.load(std::memory_order_relaxed);
}

}  // namespace kerb::diagnostics
