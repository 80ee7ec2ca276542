// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

#include "firmware/threads/disk_thread.hpp"
#include "firmware/threads/newest.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/result.hpp"

namespace kerb::diagnostics {

/// Times are real time: they are about a disk.
struct ImageWriterOptions {
  Nanos interval{};                                ///< between two writes; zero: each at once
  Nanos retry = std::chrono::seconds{10};          ///< after one that the disk refused
  Nanos shutdown_limit = std::chrono::seconds{2};  ///< longest time of the destructor
};

struct ImageWriterStatus {
  int error = 0;  ///< errno of the last write; 0: it succeeded
  std::uint64_t written = 0;
};

/// Writes the newest image to a file, on a thread of its own: a disk that hangs holds nobody, and
/// one that refuses an image gets the newest again after a while.
template <typename Image>
class ImageWriter {
 public:
  using Save = std::function<Status(const Image&)>;

  /// On the thread, `load` runs once before all else, `save` for each image that is written. Both
  /// must own what they use: the thread outlives this when a disk hangs. Fails: io (`what`: no
  /// thread to be had).
  static Result<std::unique_ptr<ImageWriter>> open(const ImageWriterOptions& options, Save save,
                                                   std::function<void()> load, const char* what) {
    auto core = std::make_shared<Core>(options, std::move(save), std::move(load));
    if (const int err = core->thread.start([core] { core->run(); }); err != 0)
      return Error{Errc::io, err, what};
    return std::unique_ptr<ImageWriter>{new ImageWriter{std::move(core)}};
  }
  /// Writes what waits, and returns within shutdown_limit, whatever the disk does.
  ~ImageWriter() {
    core_->thread.stop(core_->loaded_in_time ? core_->options.shutdown_limit : Nanos::zero());
  }
  ImageWriter(const ImageWriter&) = delete;
  ImageWriter& operator=(const ImageWriter&) = delete;

  /// Waits until `load` is through; false: it takes longer, and this must not be used any more.
  [[nodiscard]] bool wait_until_loaded(Nanos limit) {
    core_->loaded_in_time = core_->loaded.wait_until(SteadyClock::now() + limit);
    return core_->loaded_in_time;
  }
  /// Replaces what is to be written. Never waits, never allocates. One thread.
  void put(const Image& image) noexcept {
    core_->images.draft() = image;
    core_->images.publish();
    core_->put.fetch_add(1, std::memory_order_release);
    core_->thread.bell().ring();
  }
  [[nodiscard]] ImageWriterStatus status() const noexcept {
    return {.error = core_->error.load(std::memory_order_relaxed),
            .written = core_->written.load(std::memory_order_relaxed)};
  }

 private:
  struct Core {
    Core(const ImageWriterOptions& wanted, Save save_with, std::function<void()> load_with)
        : options{wanted}, save{std::move(save_with)}, load{std::move(load_with)} {}

    const ImageWriterOptions options;
    const Save save;
    const std::function<void()> load;
    DiskThread thread;
    Bell loaded;
    bool loaded_in_time = true;  // of the owner
    Newest<Image> images;
    std::atomic<std::uint64_t> put{0};  ///< images that were given
    std::atomic<int> error{0};
    std::atomic<std::uint64_t> written{0};

    void run() noexcept {
      try {
        if (load) load();
      } catch (const std::exception&) {  // no memory: as if there were nothing
      }
      loaded.ring();
      std::uint64_t done = 0;  // of `put`
      auto next = SteadyClock::now();
      for (;;) {
        const bool stopping =
            thread.stopping();  // before looking: what was put before it is written
        const std::uint64_t wanted = put.load(std::memory_order_acquire);
        if (wanted != done && (stopping || SteadyClock::now() >= next)) {
          const bool saved = write();
          if (saved) done = wanted;
          next = SteadyClock::now() + (saved ? options.interval : options.retry);
        }
        if (stopping) return;
        thread.sleep_until(wanted != done ? next : SteadyClock::time_point::max());
      }
    }
    bool write() noexcept {
      int err = ENOMEM;
      try {
        const Status saved = save(images.latest());
        err = saved ? 0 : saved.error().native;
      } catch (const std::exception&) {  // memory may come back
      }
      error.store(err, std::memory_order_relaxed);
      if (err != 0) return false;
      written.fetch_add(1, std::memory_order_relaxed);
      return true;
    }
  };
  explicit ImageWriter(std::shared_ptr<Core> core) noexcept : core_{std::move(core)} {}

  std::shared_ptr<Core> core_;
};

}  // namespace kerb::diagnostics
