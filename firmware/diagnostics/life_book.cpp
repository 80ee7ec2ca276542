// SPDX-License-Identifier: Apache-2.0
#include "firmware/diagnostics/life_book.hpp"

#include <cerrno>
#include <utility>

namespace kerb::diagnostics {

LifeBook::LifeBook(std::unique_ptr<ImageWriter<LifeImage>> writer, Nanos interval,
                   const LifeImage& kept) noexcept
    : writer_{std::move(writer)},
      interval_{interval},
      tally_{kept},
      interrupted_{kept.running},
      kept_switch_{kept.off_switch} {}

Result<std::unique_ptr<LifeBook>> LifeBook::open(const LifeBookOptions& options, Log& log) {
  struct File {
    std::string path;
    Result<LifeImage> kept{Error{Errc::io, ENOMEM, "read the counters"}};
    std::uint64_t sequence = 0;  ///< of the last image in it
  };
  const auto file = std::make_shared<File>(File{.path = options.path});
  const auto load = [file] {
    file->kept = load_life(file->path);
    if (file->kept) file->sequence = file->kept->sequence;
  };
  const auto save = [file](LifeImage image) {
    image.sequence = file->sequence + 1;
    const Status saved = save_life(file->path, image);
    if (saved) file->sequence = image.sequence;
    return saved;
  };
  auto writer = ImageWriter<LifeImage>::open({.shutdown_limit = options.shutdown_limit}, save, load,
                                             "counters: start their thread");
  if (!writer) return writer.error();
  if (!(*writer)->wait_until_loaded(options.load_limit))
    return Error{Errc::timeout, ETIMEDOUT, "read the counters", std::string_view{options.path}};
  LifeImage kept;
  if (file->kept) {
    kept = *file->kept;
  } else if (file->kept.error().code != Errc::not_found) {
    log.error("diagnostics", describe(file->kept.error()) + "; counters begin anew");
  }
  auto book = std::unique_ptr<LifeBook>{new LifeBook{std::move(*writer), options.interval, kept}};
  book->put();  // this start, and that it runs
  return book;
}

void LifeBook::round(const LifeRound& round, const HealthMonitor& monitor) noexcept {
  tally_.round(round, monitor);
  if (!next_) next_ = round.now + interval_;
  if (round.now < *next_) return;
  next_ = round.now + interval_;
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

void LifeBook::put() noexcept { writer_->put(tally_.image()); }

}  // namespace kerb::diagnostics
