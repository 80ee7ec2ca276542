// SPDX-License-Identifier: Apache-2.0
#include "firmware/records/warning_recorder.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "firmware/records/product_deciders.hpp"
#include "firmware/records/record_writer.hpp"
#include "firmware/threads/disk_thread.hpp"
#include "hal/base/rules.hpp"

namespace kerb::records {
namespace {

constexpr Nanos kPoll =
    std::chrono::milliseconds{50};  // real time between two passes over the lanes
constexpr int kNice = 10;
constexpr std::size_t kHistory = std::size_t{8} << 20;  // beside pictures

std::size_t pixels_of(const Camera& model, int shrunk) {
  return static_cast<std::size_t>(model.width / shrunk) *
         static_cast<std::size_t>(model.height / shrunk);
}

/// What the pictures of `before` and three more seconds take: whole ones, and small ones that are
/// compressed to a quarter at worst.
std::size_t history_for(const RecorderOptions& options, const RecordedSettings& settings,
                        bool encoded) {
  std::size_t size = kHistory;
  if (!options.pictures) return size;
  const auto count =
      static_cast<std::size_t>((options.before + std::chrono::seconds{3}) / kPicturePeriod + 1);
  for (const RecordedCamera& camera : settings.cameras) {
    const std::size_t small = pixels_of(camera.model, shrink_for(camera.model.width));
    const std::size_t whole = pixels_of(camera.model, 1);
    size += encoded ? (count * small + 4 * whole) / 4 : count * small + 4 * whole;
  }
  return size;
}

}  // namespace

Status validate(const RecorderOptions& o) {
  using std::chrono::seconds;
  return check_rules(
      {{!o.path.empty(), "records: path must be set"},
       {o.before >= seconds{1} && o.before <= seconds{60}, "records: before: 1..60 s"},
       {o.after >= Nanos::zero() && o.after <= seconds{60}, "records: after: 0..60 s"},
       {o.longest >= seconds{1}, "records: longest: 1 s and more"},
       {o.max_bytes >= 1 << 20, "records: max_bytes: 1 MiB and more"},
       {o.from != WarningLevel::none, "records: from: information or collision"},
       {o.camera_lane >= 1 << 20 && o.control_lane >= 1 << 20, "records: lanes: 1 MiB and more"}});
}

/// All there is, shared by the recorder and its writer thread. Members below the lanes are the
/// writer's alone.
struct WarningRecorder::Core {
  Core(const RecorderOptions& options, const RecordedSettings& settings,
       std::unique_ptr<PictureEncoder> pictures, Log& lines, const Deciders& deciders)
      : limit{options.shutdown_limit},
        hang_limit{options.hang_limit},
        retry{options.retry},
        folder{options.path},
        control_lane{options.control_lane},
        log{&lines},
        encoder{std::move(pictures)},
        writer{options, settings, deciders, history_for(options, settings, encoder != nullptr)} {
    std::array<CameraTap*, WarningLogic::kMostCameras> taps{};
    std::size_t largest = 0;
    for (std::size_t i = 0; i < settings.cameras.size(); ++i) {
      const Camera& model = settings.cameras[i].model;
      lanes.push_back(std::make_unique<ByteLane>(options.camera_lane));
      // A second of small ones, or a whole one, which may be half as long as its lane.
      const std::size_t whole = pixels_of(model, 1) + 4096;
      if (options.pictures) picture_lanes.push_back(std::make_unique<ByteLane>(2 * whole));
      cameras.push_back(std::make_unique<CameraTap>(
          *lanes.back(), options.pictures ? picture_lanes.back().get() : nullptr,
          static_cast<std::uint8_t>(i), flags));
      taps[i] = cameras.back().get();
      if (encoder) largest = std::max(largest, encoded_room(model.width, model.height));
    }
    control = std::make_unique<ControlTap>(control_lane, taps, thread.bell(), flags);
    picture.resize(ChunkHead::kSize + kPictureHead + largest);
  }

  void write_until_stopped() noexcept;
  void drain();
  void take(std::span<std::byte> chunk);
  std::span<std::byte> encoded(std::span<std::byte> chunk);
  void note(int reason) noexcept;
  void note_folder(int reason);
  void try_again();
  void say(LogLevel level, const std::string& text) noexcept {
    const std::lock_guard lock{log_mutex};
    if (log != nullptr) log->write(level, "records", text);
  }

  const Nanos limit, hang_limit, retry;
  const std::string folder;
  DiskThread thread;
  std::atomic<bool> recording{false};
  std::atomic<int> error{0}, left_over{0};
  std::atomic<std::uint64_t> written{0}, refused{0}, passes{0};
  TapFlags flags;
  std::vector<std::unique_ptr<ByteLane>> lanes, picture_lanes;
  ByteLane control_lane;
  std::vector<std::unique_ptr<CameraTap>> cameras;
  std::unique_ptr<ControlTap> control;

  std::mutex log_mutex;  // the writer's and the destructor's
  Log* log;              // null once the recorder is gone and its writer left behind
  std::unique_ptr<PictureEncoder> encoder;
  RecordWriter writer;
  std::vector<std::byte> picture;
  bool refusing = false, reported_too_big = false;
  SteadyClock::time_point retry_at{};
};

void WarningRecorder::Core::note(int reason) noexcept {
  recording.store(writer.recording(), std::memory_order_relaxed);
  const std::uint64_t whole = writer.written();
  const bool finished = whole != written.exchange(whole, std::memory_order_relaxed);
  try {
    if (reason != 0) {
      refused.fetch_add(1, std::memory_order_relaxed);
      error.store(reason, std::memory_order_relaxed);
      retry_at = SteadyClock::now() + retry;
      if (!std::exchange(refusing, true))
        say(LogLevel::error, "no record of the warning: " + writer.path() + ": " +
                                 std::generic_category().message(reason));
    } else if (finished) {
      error.store(0, std::memory_order_relaxed);
      refusing = false;
      say(LogLevel::info, "a warning was recorded: " + writer.path());
    } else if (writer.recording()) {
      error.store(0, std::memory_order_relaxed);  // it took what came before the warning
    }
  } catch (const std::bad_alloc&) {  // a line less
  }
}

void WarningRecorder::Core::note_folder(int reason) {
  error.store(reason, std::memory_order_relaxed);
  retry_at = SteadyClock::now() + retry;
  refusing = true;
  say(LogLevel::error,
      "warnings cannot be recorded: " + folder + ": " + std::generic_category().message(reason));
}

/// After a refusal, while no warning is due: whether the disk takes records again is reported
/// before the next one.
void WarningRecorder::Core::try_again() {
  if (!refusing || writer.recording() || SteadyClock::now() < retry_at) return;
  retry_at = SteadyClock::now() + retry;
  const int reason = writer.probe();
  error.store(reason, std::memory_order_relaxed);
  if (reason != 0) return;
  refusing = false;
  say(LogLevel::info, "warnings can be recorded again: " + folder);
}

/// The picture's chunk with a compressed one in it, or as it was.
std::span<std::byte> WarningRecorder::Core::encoded(std::span<std::byte> chunk) {
  if (!encoder) return chunk;
  PictureHead head;
  FieldReader in{chunk.subspan(ChunkHead::kSize)};
  in(head);
  const GreyView grey{reinterpret_cast<const std::uint8_t*>(in.rest().data()), head.width,
                      head.height, head.width};
  constexpr std::size_t kHeads = ChunkHead::kSize + kPictureHead;
  const Result<std::size_t> size = encoder->encode(
      grey, reinterpret_cast<std::uint8_t*>(picture.data() + kHeads), picture.size() - kHeads);
  if (!size) return chunk;
  head.format = PictureHead::Format::jpeg;
  const std::span<std::byte> out = std::span{picture}.first(kHeads + *size);
  FieldWriter{out.subspan(ChunkHead::kSize)}(head);
  const ChunkHead was = head_of(chunk);
  put_head(out, ChunkKind::picture, was.source, was.at);
  return out;
}

void WarningRecorder::Core::take(std::span<std::byte> chunk) {
  thread.step();
  seal(chunk);
  const bool was = writer.recording();
  const std::uint64_t whole = writer.written();
  const int reason = writer.take(chunk);
  if (reason != 0 || was != writer.recording() || whole != writer.written()) note(reason);
}

void WarningRecorder::Core::drain() {
  // A round lies in its lane later than the reports it saw in theirs. So those that are there now
  // are taken after all frames that are there then: whatever is cut off a record, its rounds have
  // their reports in front of them.
  const std::uint64_t rounds = control_lane.pushed();
  for (const auto& lane : lanes) {
    const std::uint64_t until = lane->pushed();
    for (std::span<std::byte> chunk; !(chunk = lane->front(until)).empty(); lane->drop_front())
      take(chunk);
  }
  for (const auto& lane : picture_lanes) {
    const std::uint64_t until = lane->pushed();
    for (std::span<std::byte> chunk; !(chunk = lane->front(until)).empty(); lane->drop_front())
      take(encoded(chunk));
  }
  for (std::span<std::byte> chunk; !(chunk = control_lane.front(rounds)).empty();
       control_lane.drop_front())
    take(chunk);
  thread.step();
  if (const int reason = writer.flush(); reason != 0) note(reason);
  if (flags.state_too_big.load(std::memory_order_relaxed) && !std::exchange(reported_too_big, true))
    say(LogLevel::error, "a state is too large to be recorded: records cannot be replayed");
}

void WarningRecorder::Core::write_until_stopped() noexcept {
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNice);
  try {
    if (const int reason = writer.scan(); reason != 0)
      note_folder(reason);
    else if (const int parts = writer.left_over(); parts > 0)
      say(LogLevel::warning, std::to_string(parts) + " record(s) without an end: power cut");
    left_over.store(writer.left_over(), std::memory_order_relaxed);
  } catch (const std::exception&) {
    note(ENOMEM);
  }
  for (;;) {
    const bool stopping = thread.stopping();  // before draining
    try {
      drain();
      if (stopping) {
        const bool open = writer.recording();
        const int reason = writer.finish();
        if (open) note(reason);
      } else {
        try_again();
      }
    } catch (const std::exception&) {  // std::bad_alloc: memory may come back
      note(ENOMEM);
    }
    passes.fetch_add(1, std::memory_order_release);
    if (stopping) break;
    thread.sleep_until(SteadyClock::now() + kPoll);
  }
}

WarningRecorder::WarningRecorder(std::shared_ptr<Core> core) noexcept : core_{std::move(core)} {}

Result<std::unique_ptr<WarningRecorder>> WarningRecorder::open(
    const RecorderOptions& options, const RecordedSettings& settings,
    std::unique_ptr<PictureEncoder> encoder, Log& log) {
  return open(options, settings, std::move(encoder), log, ProductDeciders{});
}

Result<std::unique_ptr<WarningRecorder>> WarningRecorder::open(
    const RecorderOptions& options, const RecordedSettings& settings,
    std::unique_ptr<PictureEncoder> encoder, Log& log, const Deciders& deciders) {
  if (Status valid = validate(options); !valid) return valid.error();
  if (settings.cameras.empty() || settings.cameras.size() > WarningLogic::kMostCameras)
    return Error{Errc::invalid_argument, 0, "records: cameras: 1..4"};
  for (const RecordedCamera& camera : settings.cameras)
    if (camera.model.width < 1 || camera.model.height < 1 || camera.model.width > 4096 ||
        camera.model.height > 4096)
      return Error{Errc::invalid_argument, 0, "records: a camera's size: 1..4096",
                   std::string_view{camera.name}};
  auto core = std::make_shared<Core>(options, settings, std::move(encoder), log, deciders);
  if (const int reason = core->thread.start([core] { core->write_until_stopped(); }); reason != 0)
    return Error{Errc::io, reason, "records: start the writer's thread"};
  return std::unique_ptr<WarningRecorder>{new WarningRecorder{std::move(core)}};
}

WarningRecorder::~WarningRecorder() {
  if (core_->thread.stop(core_->limit)) return;
  const std::lock_guard lock{core_->log_mutex};
  core_->log = nullptr;  // what is left behind keeps the Core, and loses the log
}

CameraTap& WarningRecorder::camera(std::size_t index) noexcept { return *core_->cameras[index]; }
ControlTap& WarningRecorder::control() noexcept { return *core_->control; }

RecorderStatus WarningRecorder::status() const noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const bool hangs = core_->thread.stuck_for() > core_->hang_limit;
  return {.error = hangs ? ETIMEDOUT : core_->error.load(kRelaxed),
          .written = core_->written.load(kRelaxed),
          .refused = core_->refused.load(kRelaxed),
          .left_over = core_->left_over.load(kRelaxed),
          .lost = core_->flags.lost.load(kRelaxed),
          .pictures_lost = core_->flags.pictures_lost.load(kRelaxed),
          .recording = core_->recording.load(kRelaxed),
          .state_too_big = core_->flags.state_too_big.load(kRelaxed)};
}

bool WarningRecorder::flush(Nanos limit) noexcept {
  const auto deadline = SteadyClock::now() + limit;
  const std::uint64_t target = core_->passes.load(std::memory_order_acquire) + 2;
  while (core_->passes.load(std::memory_order_acquire) < target) {
    if (SteadyClock::now() >= deadline) return false;
    core_->thread.bell().ring();
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return true;
}

}  // namespace kerb::records
