// SPDX-License-Identifier: Apache-2.0
#include "firmware/records/record_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

namespace kerb::records {
namespace {

constexpr std::size_t kBuffer = std::size_t{256} << 10;
constexpr std::size_t kEndRoom = 64;  // kept for the last chunk
constexpr std::uint64_t kMostRecord = std::uint64_t{128} << 20;
constexpr std::uint64_t kNowhere = std::numeric_limits<std::uint64_t>::max();

}  // namespace

RecordWriter::RecordWriter(const RecorderOptions& options, RecordedSettings settings,
                           const Deciders& deciders, std::size_t history)
    : options_{options},
      settings_{std::move(settings)},
      decisions_version_{deciders.version()},
      table_{field_table_of(deciders)},
      header_(ChunkHead::kSize + kMostSettings + table_.size()),
      most_bytes_{std::min(kMostRecord, options.max_bytes / 2)},
      history_{history},
      store_{options.path, options.max_bytes, most_bytes_} {
  buffer_.reserve(kBuffer);
}

int RecordWriter::take(std::span<const std::byte> chunk) {
  const ChunkHead head = head_of(chunk);
  history_.push(chunk);
  if (recording())
    if (const int reason = write_if_followed(chunk); reason != 0) return refuse(reason);
  if (head.kind != ChunkKind::round) return 0;
  Round round;
  FieldReader in{chunk.subspan(ChunkHead::kSize)};
  in(round);
  return in.ok() ? judge(round.decision.level, head.at) : 0;
}

int RecordWriter::judge(WarningLevel level, Nanos at) {
  const bool rises = level > level_ && level >= options_.from;
  level_ = level;
  now_ = at;
  if (rises) last_rise_ = at;
  if (!recording()) return rises ? begin(at, level) : 0;
  if (level >= options_.from)
    calm_.reset();
  else if (!calm_)
    calm_ = at;
  if (calm_ && at - *calm_ >= options_.after) return finish();
  const bool full = size_ + kEndRoom + kMostSettings > most_bytes_;
  if (at - began_ < options_.longest && !full) return 0;
  if (const int reason = finish(); reason != 0) return reason;
  // What rose lately would have no after: it gets a record of its own, which may overlap this one.
  return !full && at - last_rise_ < options_.after ? begin(last_rise_, level) : 0;
}

int RecordWriter::begin(Nanos trigger, WarningLevel level) {
  const Nanos utc = std::chrono::system_clock::now().time_since_epoch() - (now_ - trigger);
  if (const int reason = store_.begin(level, utc); reason != 0) return refuse(reason);
  began_ = trigger;
  calm_.reset();
  size_ = sizeof kMagic;
  chunks_ = 0;
  followed_.fill(false);
  buffer_.clear();
  const std::span<const std::byte> magic = std::as_bytes(std::span{kMagic});
  buffer_.insert(buffer_.end(), magic.begin(), magic.end());

  FieldWriter out{std::span{header_}.subspan(ChunkHead::kSize)};
  out(kFormat, decisions_version_, settings_.version, static_cast<std::uint32_t>(table_.size()));
  out.bytes(std::as_bytes(std::span{table_}));
  out(RecordHeader{settings_, trigger, utc, level});
  if (!out.ok()) return refuse(EINVAL);
  const std::span<std::byte> chunk = std::span{header_}.first(ChunkHead::kSize + out.size());
  put_head(chunk, ChunkKind::header, kControl, now_);
  seal(chunk);
  int reason = write(chunk);
  if (reason == 0) reason = write_history(trigger - options_.before);
  if (reason == 0) reason = empty_buffer();
  if (reason == 0) reason = store_.sync();
  synced_ = Steady::now();
  return reason == 0 ? 0 : refuse(reason);
}

/// A replay begins with a state of the logic, and with a state of each camera's estimator that is
/// no later: so the record has the frames of all reports that the logic is given.
int RecordWriter::write_history(Nanos from) {
  std::uint64_t logic = kNowhere;
  Nanos logic_at{};
  history_.for_each([&](std::uint64_t position, std::span<const std::byte> chunk) {
    const ChunkHead head = head_of(chunk);
    if (head.kind != ChunkKind::logic_state || (logic != kNowhere && head.at > from)) return;
    logic = position;
    logic_at = head.at;
  });
  std::array<std::uint64_t, 256> people;
  people.fill(kNowhere);
  history_.for_each([&](std::uint64_t position, std::span<const std::byte> chunk) {
    const ChunkHead head = head_of(chunk);
    if (head.kind != ChunkKind::people_state) return;
    std::uint64_t& first = people[head.source];
    if (first == kNowhere || head.at <= logic_at) first = position;
  });
  int reason = 0;
  history_.for_each([&](std::uint64_t position, std::span<const std::byte> chunk) {
    const ChunkHead head = head_of(chunk);
    const bool wanted = head.kind == ChunkKind::picture ? head.at >= from
                        : head.source == kControl       ? position >= logic
                                                        : position >= people[head.source];
    if (wanted && reason == 0) reason = write(chunk);
  });
  followed_ = {};
  followed_[kControl] = logic != kNowhere;
  for (std::size_t i = 0; i < kControl; ++i) followed_[i] = people[i] != kNowhere;
  return reason;
}

int RecordWriter::write_if_followed(std::span<const std::byte> chunk) {
  const ChunkHead head = head_of(chunk);
  bool& followed = followed_[head.source];
  if (head.kind == ChunkKind::people_state || head.kind == ChunkKind::logic_state) followed = true;
  return followed || head.kind == ChunkKind::picture ? write(chunk) : 0;
}

int RecordWriter::write(std::span<const std::byte> chunk) {
  // Pictures leave a quarter of the room to what decides: a record that is full of them before the
  // warning would be of no use.
  const bool picture = head_of(chunk).kind == ChunkKind::picture;
  if (picture && size_ + chunk.size() > most_bytes_ / 4 * 3) return 0;
  if (size_ + chunk.size() + kEndRoom > most_bytes_) {
    size_ = most_bytes_;  // nothing more but its end; judge() sees it
    return 0;
  }
  if (buffer_.size() + chunk.size() > kBuffer)
    if (const int reason = empty_buffer(); reason != 0) return reason;
  size_ += chunk.size();
  ++chunks_;
  if (chunk.size() > kBuffer) return store_.append(chunk);
  buffer_.insert(buffer_.end(), chunk.begin(), chunk.end());
  return 0;
}

int RecordWriter::empty_buffer() {
  const int reason = store_.append(buffer_);
  buffer_.clear();
  return reason;
}

int RecordWriter::flush() {
  if (!recording()) return 0;
  if (const int reason = empty_buffer(); reason != 0) return refuse(reason);
  if (Steady::now() - synced_ < std::chrono::seconds{1}) return 0;
  synced_ = Steady::now();
  const int reason = store_.sync();
  return reason == 0 ? 0 : refuse(reason);
}

int RecordWriter::finish() {
  if (!recording()) return 0;
  std::array<std::byte, ChunkHead::kSize + sizeof chunks_> end{};
  FieldWriter out{std::span{end}.subspan(ChunkHead::kSize)};
  out(chunks_);
  put_head(end, ChunkKind::end, kControl, now_);
  seal(end);
  buffer_.insert(buffer_.end(), end.begin(), end.end());
  int reason = empty_buffer();
  if (reason == 0) reason = store_.finish();
  if (reason != 0) return refuse(reason);
  ++written_;
  return 0;
}

int RecordWriter::refuse(int reason) noexcept {
  store_.abandon();  // what is there can be read; the next warning tries again
  buffer_.clear();
  return reason;
}

}  // namespace kerb::records
