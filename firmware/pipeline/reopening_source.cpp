// SPDX-License-Identifier: Apache-2.0
#include "firmware/pipeline/reopening_source.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace kerb {
namespace {

bool same_picture(const FrameSourceInfo& a, const FrameSourceInfo& b) {
  // With a mosaic the Bayer order has no meaning, and an expected source does not know it.
  const bool same_order = a.bayer == b.bayer || a.mosaic != 0;
  return a.format == b.format && same_order && a.mosaic == b.mosaic && a.width == b.width &&
         a.height == b.height;
}

/// Whether the source continues after this error. An error that FrameSource does not promise, such
/// as io, would be repeated for ever: the source then counts as gone.
bool goes_on(Errc code) {
  return code == Errc::timeout || code == Errc::damaged || code == Errc::no_signal ||
         code == Errc::would_block || code == Errc::end;
}

}  // namespace

ReopeningSource::ReopeningSource(std::unique_ptr<FrameSource> first, FrameSourceInfo expected,
                                 SourceOpener open, const Clock& clock, Log& log)
    : source_{std::move(first)},
      info_{source_ ? source_->info() : expected},
      open_{std::move(open)},
      clock_{clock},
      log_{log},
      retry_at_{clock.now() + kFirstWait} {}

Result<Frame> ReopeningSource::next(Nanos timeout) {
  if (!source_) {
    const Nanos now = clock_.now();
    const Nanos deadline = now + timeout;
    if (retry_at_ > now) clock_.sleep_until(std::min(retry_at_, deadline));
    if (clock_.now() < retry_at_ || !try_open(clock_.now())) return last_error_;
    timeout = std::max(deadline - clock_.now(), Nanos::zero());
  }
  Result<Frame> frame = source_->next(timeout);
  if (!frame) {
    if (!goes_on(frame.error().code)) lose(frame.error(), clock_.now());
    if (frame.error().code == Errc::damaged) log_damage(frame.error(), clock_.now());
    return frame;
  }
  wait_ = kFirstWait;  // it works: after the next loss, reopen soon
  if (std::exchange(rebase_, false) && any_frame_)
    sequence_offset_ = last_sequence_ + 1 - frame->sequence;
  frame->sequence += sequence_offset_;
  if (any_frame_ && frame->captured <= last_captured_) frame->captured = last_captured_ + Nanos{1};
  last_sequence_ = frame->sequence;
  last_captured_ = frame->captured;
  any_frame_ = true;
  return frame;
}

FrameCounters ReopeningSource::counters() const {
  FrameCounters sum = before_;
  if (source_) {
    const FrameCounters now = source_->counters();
    sum.delivered += now.delivered;
    sum.dropped += now.dropped;
    sum.damaged += now.damaged;
  }
  return sum;
}

void ReopeningSource::lose(const Error& why, Nanos now) {
  log_.warning("camera", std::string{info_.name.view()} + " lost: " + describe(why));
  last_error_ = why;
  last_error_.code = Errc::gone;
  before_ = counters();
  source_.reset();
  rebase_ = true;
  retry_at_ = now + wait_;
  wait_ = std::min(wait_ * 2, kLongestWait);
}

void ReopeningSource::log_damage(const Error& what, Nanos now) {
  if (now < log_damage_at_) return;
  log_.warning("camera", std::string{info_.name.view()} + ": frame damaged: " + describe(what));
  log_damage_at_ = now + kDamageSilence;
}

bool ReopeningSource::try_open(Nanos now) {
  Result<std::unique_ptr<FrameSource>> opened = open_();
  if (opened && same_picture((*opened)->info(), info_)) {
    source_ = std::move(*opened);
    rebase_ = true;
    reopened_.fetch_add(1);
    log_.info("camera", std::string{info_.name.view()} + " is back");
    return true;
  }
  if (opened) {
    last_error_ = Error{Errc::gone, 0, "reopen camera: its picture size or format has changed",
                        info_.name.view()};
  } else {
    last_error_ = opened.error();
    if (last_error_.code != Errc::no_signal) last_error_.code = Errc::gone;
  }
  retry_at_ = now + wait_;
  wait_ = std::min(wait_ * 2, kLongestWait);
  return false;
}

}  // namespace kerb
