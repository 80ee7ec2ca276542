// SPDX-License-Identifier: Apache-2.0
#include "firmware/diagnostics/dtc_store.hpp"

#include <atomic>
#include <cerrno>
#include <exception>
#include <utility>

#include "firmware/diagnostics/dtc_file.hpp"
#include "firmware/threads/disk_thread.hpp"
#include "firmware/threads/newest.hpp"

namespace kerb::diagnostics {

struct DtcStore::Core {
  explicit Core(DtcStoreOptions wanted) : options{std::move(wanted)} {}

  const DtcStoreOptions options;
  DiskThread thread;
  Newest<DtcImage> images;
  std::atomic<std::uint64_t> put{0};  ///< images that were given
  std::atomic<int> error{0};
  std::atomic<std::uint64_t> written{0};

  void write_until_stopped() noexcept {
    std::uint64_t done = 0;  // of `put`
    auto next = SteadyClock::now();
    for (;;) {
      const bool stopping = thread.stopping();  // before looking: what was put before it is written
      const std::uint64_t wanted = put.load(std::memory_order_acquire);
      if (wanted != done && (stopping || SteadyClock::now() >= next)) {
        if (write()) done = wanted;
        next = SteadyClock::now() + options.interval;
      }
      if (stopping) return;
      thread.sleep_until(wanted != done ? next : SteadyClock::time_point::max());
    }
  }

  bool write() noexcept {
    int err = ENOMEM;
    try {
      const Status saved = save_image(options.path, images.latest());
      err = saved ? 0 : saved.error().native;
    } catch (const std::exception&) {  // memory may come back
    }
    error.store(err, std::memory_order_relaxed);
    if (err != 0) return false;
    written.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
};

DtcStore::DtcStore(std::shared_ptr<Core> core) noexcept : core_{std::move(core)} {}

Result<std::unique_ptr<DtcStore>> DtcStore::open(const DtcStoreOptions& options) {
  auto core = std::make_shared<Core>(options);
  if (const int err = core->thread.start([core] { core->write_until_stopped(); }); err != 0)
    return Error{Errc::io, err, "trouble codes: start their thread"};
  return std::unique_ptr<DtcStore>{new DtcStore{std::move(core)}};
}

DtcStore::~DtcStore() { core_->thread.stop(core_->options.shutdown_limit); }

void DtcStore::put(const DtcImage& image) noexcept {
  core_->images.draft() = image;
  core_->images.publish();
  core_->put.fetch_add(1, std::memory_order_release);
  core_->thread.bell().ring();
}

DtcStoreStatus DtcStore::status() const noexcept {
  return {.error = core_->error.load(std::memory_order_relaxed),
          .written = core_->written.load(std::memory_order_relaxed)};
}

}  // namespace kerb::diagnostics
