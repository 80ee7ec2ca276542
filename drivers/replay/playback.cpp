// SPDX-License-Identifier: Apache-2.0
#include "drivers/replay/playback.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace kerb::replay {

Result<std::unique_ptr<FrameSource>> Playback::open(std::unique_ptr<PictureReader> reader,
                                                    const CameraSettings& settings,
                                                    FrameMemory& memory, const Clock& clock) {
  const double rate = reader->rate_hz();
  if (!(rate > 0 && rate <= 1000))
    return failure(Errc::invalid_argument, "rate_hz (over 0, up to 1000)", std::to_string(rate));
  Result<std::shared_ptr<FramePool>> pool =
      FramePool::create(memory, settings.buffers, reader->layout().bytes);
  if (!pool) return pool.error();
  return std::unique_ptr<FrameSource>{
      new Playback{std::move(reader), *std::move(pool), settings.pace, clock}};
}

Playback::Playback(std::unique_ptr<PictureReader> reader, std::shared_ptr<FramePool> pool,
                   Pace pace, const Clock& clock)
    : reader_{std::move(reader)},
      pool_{std::move(pool)},
      pace_{pace},
      clock_{clock},
      start_{clock.now()} {}

Nanos Playback::due(std::uint64_t sequence) const {
  // From the start every time: adding periods up would drift.
  return start_ +
         Nanos{static_cast<Nanos::rep>(static_cast<double>(sequence) * 1e9 / reader_->rate_hz())};
}

std::uint64_t Playback::newest_due(Nanos now) const {
  const double periods = static_cast<double>((now - start_).count()) * reader_->rate_hz() / 1e9;
  auto newest = static_cast<std::uint64_t>(std::max(periods, 0.0));
  if (due(newest + 1) <= now) ++newest;  // the division may have rounded either way
  if (newest > 0 && due(newest) > now) --newest;
  return newest;
}

std::uint64_t Playback::oldest_kept() const {
  const std::uint64_t length = reader_->length();
  std::uint64_t newest = newest_due(clock_.now());
  if (length > 0 && newest >= length) newest = length - 1;  // a recording's end waits for us
  const auto kept = static_cast<std::uint64_t>(std::max(pool_->free_count(), 1));
  return newest >= kept ? newest - kept + 1 : 0;
}

Status Playback::wait_for(std::uint64_t sequence, Nanos timeout) const {
  const Nanos now = clock_.now();
  const Nanos instant = due(sequence);
  if (instant <= now) return Done{};
  if (instant - now <= timeout) {
    clock_.sleep_until(instant);
    return Done{};
  }
  if (timeout > Nanos::zero()) clock_.sleep_until(now + timeout);
  return failure(Errc::timeout, "wait for frame", reader_->name().view());
}

Result<Frame> Playback::next(Nanos timeout) {
  if (pool_->free_count() == 0)
    return failure(Errc::would_block, "every buffer is on loan", reader_->name().view());
  std::uint64_t sequence = next_;
  if (pace_ == Pace::real) {
    if (Status due_now = wait_for(sequence, timeout); !due_now) return due_now.error();
    sequence = std::max(sequence, oldest_kept());
    reader_->skip(sequence - next_);
  }
  const std::optional<std::uint32_t> index = pool_->take();
  if (!index) return failure(Errc::would_block, "every buffer is on loan", reader_->name().view());
  std::uint8_t* data = pool_->data(*index);
  FrameLease lease{pool_, *index};
  const Status picture = reader_->read(data);
  if (!picture && picture.error().code != Errc::damaged) return picture.error();

  counters_.dropped += sequence - next_;
  next_ = sequence + 1;
  if (!picture) {
    ++counters_.damaged;
    return picture.error();
  }
  ++counters_.delivered;
  return Frame{reader_->layout().view(data), sequence, due(sequence), std::move(lease)};
}

FrameSourceInfo Playback::info() const {
  const PictureLayout& layout = reader_->layout();
  FrameSourceInfo info;
  info.name = reader_->name();
  info.format = layout.format;
  info.mosaic = layout.mosaic;
  info.width = layout.width;
  info.height = layout.height;
  info.rate_hz = reader_->rate_hz();
  info.memory = "own";
  return info;
}

}  // namespace kerb::replay
