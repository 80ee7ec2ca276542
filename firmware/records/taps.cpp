// SPDX-License-Identifier: Apache-2.0
#include "firmware/records/taps.hpp"

#include <algorithm>

#include "firmware/threads/bell.hpp"

namespace kerb::records {
namespace {
constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr std::size_t kMostRound = 256;
}  // namespace

void CameraTap::before_step(Nanos now, const track::Senses& senses, StateRef estimator) noexcept {
  in_step_ = false;
  if (gap_ && !chunks_.push(ChunkKind::gap, now, 0, [](FieldWriter&) {})) {
    flags_.lost.fetch_add(1, kRelaxed);
    return;
  }
  // Behind a gap nothing can be followed but from a new state.
  if (gap_ || now >= state_due_) {
    bool fits = true;
    const bool pushed =
        chunks_.push(ChunkKind::people_state, now, kMostState, [&](FieldWriter& out) {
          estimator.save(out);
          fits = out.ok();
        });
    if (!fits) flags_.state_too_big.store(true, kRelaxed);
    if (pushed) {
      gap_ = false;
      state_due_ = now + kStatePeriod;
    } else if (gap_) {
      flags_.lost.fetch_add(1, kRelaxed);
      return;
    }
  }
  in_step_ =
      chunks_.push(ChunkKind::senses, now, kMostSenses, [&](FieldWriter& out) { out(senses); });
  if (in_step_) return;
  gap_ = true;
  flags_.lost.fetch_add(1, kRelaxed);
}

void CameraTap::after_step(Nanos now, const risk::PeopleReport& report) noexcept {
  if (!in_step_) return;
  if (chunks_.push(ChunkKind::report, now, kMostReport, [&](FieldWriter& out) { out(report); }))
    return;
  gap_ = true;
  flags_.lost.fetch_add(1, kRelaxed);
}

void CameraTap::picture(Nanos now, Nanos captured, const GreyView& grey) noexcept {
  if (pictures_ == nullptr || grey.data == nullptr || grey.width < 1 || grey.height < 1) return;
  const bool whole = want_whole_.load(kRelaxed);
  if (!whole && now < picture_due_) return;
  const int by = whole ? 1 : shrink_for(grey.width);
  const int width = grey.width / by, height = grey.height / by;
  const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  const std::size_t size = ChunkHead::kSize + kPictureHead + pixels;
  const std::span<std::byte> room = pictures_->claim(size);
  if (room.empty()) {
    flags_.pictures_lost.fetch_add(1, kRelaxed);
    return;
  }
  FieldWriter out{room.subspan(ChunkHead::kSize)};
  out(PictureHead{captured, PictureHead::Format::grey8, static_cast<std::uint8_t>(by),
                  static_cast<std::uint16_t>(width), static_cast<std::uint16_t>(height)});
  shrink(grey, by, reinterpret_cast<std::uint8_t*>(room.data() + ChunkHead::kSize + kPictureHead));
  put_head(room, ChunkKind::picture, camera_, now);
  pictures_->push(size);
  picture_due_ = now + kPicturePeriod;
  if (whole) want_whole_.store(false, kRelaxed);
}

ControlTap::ControlTap(ByteLane& lane, std::span<CameraTap* const> cameras, Bell& bell,
                       TapFlags& flags) noexcept
    : chunks_{lane, kControl}, bell_{bell}, flags_{flags} {
  std::copy_n(cameras.begin(), std::min(cameras.size(), cameras_.size()), cameras_.begin());
}

void ControlTap::lose() noexcept {
  gap_ = true;
  flags_.lost.fetch_add(1, kRelaxed);
}

void ControlTap::before_round(Nanos now, const Reports& reports, StateRef logic) noexcept {
  in_step_ = false;
  if (gap_ && !chunks_.push(ChunkKind::gap, now, 0, [](FieldWriter&) {})) return;
  if (gap_ || now >= state_due_) {
    bool fits = true;
    const std::size_t most = kMostState + Reports{}.size() * kMostReport;
    const bool pushed = chunks_.push(ChunkKind::logic_state, now, most, [&](FieldWriter& out) {
      out(LogicState<const Reports, const StateRef>{reports, logic});
      fits = out.ok();
    });
    if (!fits) flags_.state_too_big.store(true, kRelaxed);
    if (pushed) {
      gap_ = false;
      state_due_ = now + kStatePeriod;
    } else if (gap_) {
      return;
    }
  }
  in_step_ = true;
}

void ControlTap::after_round(Nanos now, const Reports& reports, const DriverSide& side,
                             const WarningDecision& decision) noexcept {
  if (decision.level > level_) {
    for (CameraTap* camera : cameras_)
      if (camera != nullptr) camera->want_whole();
  }
  Round round{now, {}, side, decision};
  for (std::size_t i = 0; i < reports.size(); ++i)
    if (reports[i] != nullptr) round.reports[i] = reports[i]->at;
  if (!in_step_ ||
      !chunks_.push(ChunkKind::round, now, kMostRound, [&](FieldWriter& out) { out(round); }))
    lose();
  if (decision.level == level_) return;
  const Marker marker{now, level_, decision.level};
  if (!chunks_.push(ChunkKind::marker, now, 64, [&](FieldWriter& out) { out(marker); })) lose();
  level_ = decision.level;
  bell_.ring();  // the writer polls every 50 ms; a warning wakes it at once
}

void ControlTap::vehicle(Nanos now, const CanFrame& frame) noexcept {
  if (!chunks_.push(ChunkKind::vehicle, now, 128, [&](FieldWriter& out) { out(frame); }))
    flags_.lost.fetch_add(1, kRelaxed);
}

}  // namespace kerb::records
