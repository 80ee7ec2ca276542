// SPDX-License-Identifier: Apache-2.0
// From a warning to its record and back, with toys for what decides.
#include <sys/resource.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "firmware/records/replay.hpp"
#include "hal/picture_encoder.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/records/toy_drive.hpp"

namespace fs = std::filesystem;
using namespace kerb;
using namespace kerb::records;
using namespace kerb::records::test;

namespace {

using kerb::test::TempFolder;

RecordFile parsed(const std::vector<std::byte>& bytes) {
  Result<RecordFile> file = RecordFile::parse(bytes, "test");
  TEST_ASSERT_OK(file);
  return std::move(*file);
}

ReplayResult replayed(const RecordFile& file) {
  Result<ReplayResult> result = replay(file, ToyDeciders{});
  TEST_ASSERT_OK(result);
  return *result;
}

void assert_identical(const ReplayResult& result) {
  if (result.difference) TEST_FAIL_MESSAGE(result.difference->c_str());
  TEST_ASSERT_EQUAL_UINT64(result.rounds.count, result.rounds.same);
  TEST_ASSERT_EQUAL_UINT64(result.reports.count, result.reports.same);
  TEST_ASSERT_EQUAL_UINT64(result.states.count, result.states.same);
  TEST_ASSERT_TRUE(result.identical());
}

/// A recorder with a folder of its own, and a drive before it that waits for the writer twice a
/// second: what comes of it is the same on every machine.
struct Recording {
  explicit Recording(RecorderOptions wanted, std::unique_ptr<PictureEncoder> encoder = nullptr)
      : options{patient(std::move(wanted))} {
    if (options.path == RecorderOptions{}.path) options.path = folder.at("records");
    Result<std::unique_ptr<WarningRecorder>> opened =
        WarningRecorder::open(options, toy_settings(), std::move(encoder), log, ToyDeciders{});
    TEST_ASSERT_OK(opened);
    recorder = std::move(*opened);
    drive.emplace(toy_drive(recorder.get()));
    drive->pace = milliseconds{500};
  }

  /// So many seconds with somebody of that height in view.
  void run(int for_seconds, float height) {
    drive->run_until(drive->now() + seconds{for_seconds}, somebody(height), 10);
  }
  /// The same, and all of it is dealt with.
  void run_out(int for_seconds, float height) {
    run(for_seconds, height);
    TEST_ASSERT_TRUE(recorder->flush(kPatience));
  }
  void end() {
    drive.reset();
    recorder.reset();
  }
  [[nodiscard]] RecorderStatus status() const { return recorder->status(); }
  [[nodiscard]] std::vector<std::string> files() const { return files_of(options.path); }
  [[nodiscard]] RecordFile file(std::size_t index = 0) const {
    return parsed(bytes_of(files().at(index)));
  }

  TempFolder folder;
  FakeLog log;
  RecorderOptions options;
  std::unique_ptr<WarningRecorder> recorder;
  std::optional<Drive<ToyEstimator, ToyLogic>> drive;
};

TEST(a_warning_leaves_a_record_that_replays_bit_for_bit) {
  const RecordFile file = parsed(toy_record(2));
  TEST_ASSERT_TRUE(file.whole());
  const RecordedSettings& settings = file.header().settings;
  TEST_ASSERT_EQUAL_STRING("1.2.3", settings.version.c_str());
  TEST_ASSERT_EQUAL_size_t(2, settings.cameras.size());
  TEST_ASSERT_EQUAL_STRING("left", settings.cameras[1].name.c_str());
  TEST_ASSERT_EQUAL_DOUBLE(1001.25, settings.cameras[1].model.focal_px);

  const RecordSummary summary = summarise(file);
  TEST_ASSERT_EQUAL(static_cast<int>(WarningLevel::collision), static_cast<int>(summary.highest));
  // Three seconds before (begun with the state in front of them), the warning, one after.
  const Nanos before = file.header().began - summary.first;
  TEST_ASSERT_TRUE(before >= seconds{3} && before <= seconds{4} + milliseconds{50});
  TEST_ASSERT_TRUE(summary.warned >= milliseconds{900});
  TEST_ASSERT_TRUE(summary.last - file.header().began >= summary.warned + seconds{1});
  TEST_ASSERT_GREATER_THAN_UINT64(200, summary.vehicle_frames);
  TEST_ASSERT_GREATER_THAN_UINT64(150, summary.cameras[1].frames);
  TEST_ASSERT_EQUAL_INT(1, summary.cameras[1].most_people);
  TEST_ASSERT_EQUAL_UINT64(0, summary.gaps);

  const ReplayResult result = replayed(file);
  assert_identical(result);
  TEST_ASSERT_EQUAL_UINT64(summary.rounds, result.rounds.count);
  TEST_ASSERT_EQUAL_UINT64(0, result.lost);
  TEST_ASSERT_GREATER_THAN_UINT64(300, result.reports.count);
  TEST_ASSERT_GREATER_THAN_UINT64(10, result.states.count);
}

/// Changes the payload of the n-th chunk of a kind, so many bytes from its begin or, negative, from
/// its end, and makes its CRC right again.
std::vector<std::byte> with_changed(std::vector<std::byte> bytes, ChunkKind kind, int n,
                                    int at_byte) {
  for (std::size_t at = sizeof kMagic; at < bytes.size();) {
    const ChunkHead head = head_of(std::span{bytes}.subspan(at));
    const std::span<std::byte> chunk = std::span{bytes}.subspan(at, ChunkHead::kSize + head.length);
    if (head.kind == kind && n-- == 0) {
      chunk[at_byte < 0 ? chunk.size() - static_cast<std::size_t>(-at_byte)
                        : ChunkHead::kSize + static_cast<std::size_t>(at_byte)] ^= std::byte{1};
      seal(chunk);
      return bytes;
    }
    at += chunk.size();
  }
  TEST_FAIL_MESSAGE("no such chunk");
  return bytes;
}

TEST(a_changed_bit_is_found_by_the_replay) {
  const std::vector<std::byte> good = toy_record();
  struct Case {
    const char* name;
    ChunkKind kind;
    int n;
    int byte;
    const char* says;
  };
  // The box's x is behind captured, looked and count; the start state's x is the first field.
  for (const Case& c : {Case{"start state", ChunkKind::people_state, 0, 0, "camera front: person"},
                        Case{"later state", ChunkKind::people_state, 2, 0, "state differs"},
                        Case{"senses", ChunkKind::senses, 40, 11, "camera front: person"},
                        Case{"logic state", ChunkKind::logic_state, 2, -8, "logic's state"}}) {
    const ReplayResult result = replayed(parsed(with_changed(good, c.kind, c.n, c.byte)));
    TEST_ASSERT_TRUE_MESSAGE(result.difference.has_value(), c.name);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(result.difference->c_str(), c.says),
                                 result.difference->c_str());
  }
}

TEST(a_different_decision_is_told_with_its_time) {
  std::vector<std::byte> bytes = toy_record();
  const RecordFile file = parsed(bytes);
  int rounds = 0, n = -1;
  for (const Chunk& chunk : file.chunks()) {
    if (chunk.kind != ChunkKind::round) continue;
    Round round;
    FieldReader in{chunk.payload};
    in(round);
    if (n < 0 && round.decision.level == WarningLevel::collision) n = rounds;
    ++rounds;
  }
  TEST_ASSERT_GREATER_THAN_INT(0, n);
  // The person's number is the last field.
  const ReplayResult result = replayed(parsed(with_changed(bytes, ChunkKind::round, n, -4)));
  TEST_ASSERT_EQUAL_UINT64(result.rounds.count - 1, result.rounds.same);
  TEST_ASSERT_NOT_NULL(strstr(result.difference->c_str(), " s: collision, time to collision"));
}

/// Keeps the first 100 bytes, while its gate is open.
class ToyEncoder final : public PictureEncoder {
 public:
  explicit ToyEncoder(const std::atomic<bool>* gate = nullptr) : gate_{gate} {}
  Result<std::size_t> encode(ImageView<Space::host, const std::uint8_t> grey, std::uint8_t* out,
                             std::size_t room) override {
    if (gate_ != nullptr) gate_->wait(false);
    if (room < encoded_room(grey.width, grey.height)) return Error{Errc::would_block};
    for (int i = 0; i < 100; ++i) out[i] = grey.data[i];
    return std::size_t{100};
  }

 private:
  const std::atomic<bool>* gate_;
};

TEST(what_is_lost_is_marked_and_followed_again) {
  std::atomic<bool> gate{false};
  Recording one{{.after = seconds{1}, .camera_lane = 1 << 20, .control_lane = 1 << 20},
                std::make_unique<ToyEncoder>(&gate)};
  one.drive->pace = {};
  const Sight crowd = [](std::size_t, Nanos at, track::Senses& out) {
    somebody(kFar)(0, at, out);
    out.count = track::Senses::kMost;
    for (std::size_t i = 1; i < track::Senses::kMost; ++i) out.boxes[i] = out.boxes[0];
  };
  // A picture holds the writer up, and the lanes run full.
  const std::vector<std::uint8_t> pixels(64 * 36, 100);
  one.drive->picture = {pixels.data(), 64, 36, 64};
  one.drive->run_until(seconds{130}, crowd, 10);
  TEST_ASSERT_GREATER_THAN_UINT64(0, one.status().lost);
  gate = true;
  gate.notify_all();
  one.drive->picture = {};
  TEST_ASSERT_TRUE(one.recorder->flush(kPatience));
  one.drive->pace = milliseconds{500};
  one.run(2, kFar);
  one.run(1, kTooNear);
  one.run_out(3, 0);
  TEST_ASSERT_EQUAL_UINT64(1, one.status().written);

  const RecordFile file = one.file();
  TEST_ASSERT_GREATER_THAN_UINT64(0, summarise(file).gaps);
  const ReplayResult result = replayed(file);
  TEST_ASSERT_GREATER_THAN_UINT64(0, result.lost);
  assert_identical(result);  // what could be followed
  TEST_ASSERT_GREATER_THAN_UINT64(300, result.rounds.count);
}

TEST(a_writer_that_hangs_is_reported_until_it_goes_on) {
  std::atomic<bool> gate{false};
  Recording one{{.hang_limit = milliseconds{50}}, std::make_unique<ToyEncoder>(&gate)};
  TEST_ASSERT_TRUE(one.recorder->flush(kPatience));
  TEST_ASSERT_EQUAL_INT(0, one.status().error);
  one.drive->pace = {};
  const std::vector<std::uint8_t> pixels(64 * 36, 100);
  one.drive->picture = {pixels.data(), 64, 36, 64};
  one.run(2, kFar);
  const auto becomes = [&](int error) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (one.status().error != error && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
    return one.status().error == error;
  };
  const bool told = becomes(ETIMEDOUT);
  gate = true;
  gate.notify_all();
  TEST_ASSERT_TRUE(told);
  TEST_ASSERT_TRUE(becomes(0));
}

TEST(only_collisions_where_only_they_are_asked_for) {
  Recording one{{.after = seconds{1}, .from = WarningLevel::collision}};
  one.run(12, kNear);
  TEST_ASSERT_EQUAL(static_cast<int>(WarningLevel::information),
                    static_cast<int>(one.drive->level()));
  one.run_out(3, 0);
  TEST_ASSERT_EQUAL_UINT64(0, one.status().written);
  one.run(1, kTooNear);
  one.run_out(2, 0);
  TEST_ASSERT_EQUAL_UINT64(1, one.status().written);
  TEST_ASSERT_NOT_NULL(strstr(one.files()[0].c_str(), "-collision.kwr"));
}

TEST(a_second_warning_within_after_goes_into_the_same_record) {
  Recording one{{.after = seconds{2}}};
  one.run(5, 0);
  for (int i = 0; i < 3; ++i) {
    one.run(1, kTooNear);
    one.run(1, 0);
  }
  one.run_out(4, 0);
  TEST_ASSERT_EQUAL_UINT64(1, one.status().written);
  assert_identical(replayed(one.file()));
}

TEST(a_long_warning_is_cut_and_what_rose_late_has_a_record_of_its_own) {
  Recording one{{.before = seconds{2}, .after = seconds{2}, .longest = seconds{5}}};
  one.run(5, 0);
  one.run(4, kNear);
  one.run_out(21, kTooNear);  // rises a second before the cut
  TEST_ASSERT_EQUAL_UINT64(2, one.status().written);
  TEST_ASSERT_FALSE(one.status().recording);
  const std::vector<std::string> files = one.files();
  TEST_ASSERT_EQUAL_size_t(2, files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    const RecordFile file = one.file(i);
    assert_identical(replayed(file));
    const RecordSummary summary = summarise(file);
    TEST_ASSERT_TRUE(summary.last - summary.first <= seconds{9});
  }
  TEST_ASSERT_NOT_NULL(strstr(files[0].c_str(), "-information.kwr"));
  TEST_ASSERT_NOT_NULL(strstr(files[1].c_str(), "-collision.kwr"));
}

TEST(the_folder_stays_within_its_bounds_and_the_oldest_go_first) {
  Recording one{{.before = seconds{1}, .after = seconds{1}, .max_bytes = 1 << 20}};
  // A second of pictures is more than one record may take.
  const std::vector<std::uint8_t> pixels(320 * 180, 100);
  one.drive->picture = {pixels.data(), 320, 180, 320};
  for (int i = 0; i < 6; ++i) {
    one.run(2, 0);
    one.run(1, kTooNear);
    one.run_out(2, 0);
    std::uintmax_t total = 0;
    for (const std::string& path : one.files()) total += fs::file_size(path);
    TEST_ASSERT_LESS_OR_EQUAL_UINT64(one.options.max_bytes, total);
  }
  TEST_ASSERT_EQUAL_UINT64(6, one.status().written);
  TEST_ASSERT_EQUAL_UINT64(0, one.status().lost + one.status().pictures_lost);
  const std::vector<std::string> files = one.files();
  TEST_ASSERT_EQUAL_size_t(2, files.size());
  TEST_ASSERT_NOT_NULL(strstr(files.back().c_str(), "warning-000006-"));
  for (std::size_t i = 0; i < files.size(); ++i) {
    const RecordFile file = one.file(i);
    TEST_ASSERT_TRUE(file.whole());
    assert_identical(replayed(file));
    // However many pictures there were, the warning is in it to its end.
    const RecordSummary summary = summarise(file);
    TEST_ASSERT_EQUAL_UINT64(0, summary.gaps);
    TEST_ASSERT_GREATER_THAN_UINT64(4, summary.cameras[0].pictures);
    TEST_ASSERT_TRUE(summary.warned >= milliseconds{900});
    TEST_ASSERT_TRUE(summary.last - file.header().began >= summary.warned + seconds{1});
  }
}

TEST(a_warning_that_fills_its_record_ends_it_in_order) {
  Recording one{{.before = seconds{1}, .after = seconds{1}, .max_bytes = 3 << 19}};
  one.drive->run_until(seconds{102}, somebody(0), 10);
  const Sight crowd = [](std::size_t, Nanos at, track::Senses& out) {
    somebody(kTooNear)(0, at, out);
    out.count = track::Senses::kMost;
    for (std::size_t i = 1; i < track::Senses::kMost; ++i) out.boxes[i] = out.boxes[0];
  };
  one.drive->run_until(seconds{112}, crowd, 10);
  one.run_out(3, 0);
  TEST_ASSERT_EQUAL_UINT64(1, one.status().written);
  TEST_ASSERT_EQUAL_UINT64(0, one.status().lost);
  const RecordFile file = one.file();
  TEST_ASSERT_TRUE(file.whole());
  assert_identical(replayed(file));
  const RecordSummary summary = summarise(file);
  TEST_ASSERT_TRUE(summary.last - file.header().began < seconds{9});  // cut, within the warning
  TEST_ASSERT_TRUE(fs::file_size(one.files()[0]) <= one.options.max_bytes / 2);
}

TEST(records_of_a_power_cut_are_counted_kept_and_readable) {
  const TempFolder folder;
  std::vector<std::byte> bytes = toy_record();
  bytes.resize(bytes.size() / 3);
  const std::string text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  folder.write("records/warning-000041-20260101T000000Z-collision.kwr.part", text);
  Recording one{{.path = folder.at("records"), .after = seconds{1}}};
  one.run(5, kTooNear);
  one.run_out(5, 0);
  TEST_ASSERT_EQUAL_INT(1, one.status().left_over);
  TEST_ASSERT_TRUE(one.log.has("power cut"));
  const std::vector<std::string> files = one.files();
  TEST_ASSERT_EQUAL_size_t(2, files.size());
  TEST_ASSERT_NOT_NULL(strstr(files[1].c_str(), "warning-000042-"));
  const RecordFile file = one.file();
  TEST_ASSERT_FALSE(file.whole());
  const ReplayResult result = replayed(file);
  assert_identical(result);
  TEST_ASSERT_EQUAL_UINT64(0, result.lost);  // every round has its reports in front of it
}

TEST(the_end_of_the_program_ends_the_record) {
  Recording one{{}};
  one.run(5, 0);
  one.run_out(1, kTooNear);
  TEST_ASSERT_TRUE(one.status().recording);
  {  // What is on the disk while it is written is what a power cut leaves.
    TEST_ASSERT_NOT_NULL(strstr(one.files().at(0).c_str(), ".kwr.part"));
    const RecordFile cut = one.file();
    TEST_ASSERT_FALSE(cut.whole());
    assert_identical(replayed(cut));
  }
  one.end();
  TEST_ASSERT_EQUAL_size_t(1, one.files().size());
  const RecordFile file = one.file();
  TEST_ASSERT_TRUE(file.whole());
  assert_identical(replayed(file));
}

TEST(a_disk_that_refuses_is_told_once_and_tried_again) {
  const TempFolder folder;
  Recording one{{.path = folder.write("file", "not a folder") + "/records", .after = seconds{1}}};
  const auto warn = [&] {
    one.run(1, kTooNear);
    one.run_out(3, 0);
  };
  warn();
  warn();
  TEST_ASSERT_EQUAL_INT(ENOTDIR, one.status().error);
  TEST_ASSERT_GREATER_OR_EQUAL_UINT64(2, one.status().refused);
  int lines = 0;
  for (const FakeLog::Line& line : one.log.lines())
    if (line.level == LogLevel::error) ++lines;
  TEST_ASSERT_EQUAL_INT(1, lines);
  fs::remove(folder.path() / "file");
  warn();
  TEST_ASSERT_EQUAL_INT(0, one.status().error);
  TEST_ASSERT_EQUAL_UINT64(1, one.status().written);
}

TEST(a_disk_that_takes_records_again_says_so_before_one_is_due) {
  const TempFolder folder;
  Recording one{{.path = folder.write("file", "not a folder") + "/records",
                 .after = seconds{1},
                 .retry = milliseconds{1}}};
  one.run_out(2, 0);
  TEST_ASSERT_EQUAL_INT(ENOTDIR, one.status().error);
  TEST_ASSERT_EQUAL_UINT64(0, one.status().refused);
  fs::remove(folder.path() / "file");
  std::this_thread::sleep_for(milliseconds{2});
  one.run_out(1, 0);
  TEST_ASSERT_EQUAL_INT(0, one.status().error);
  TEST_ASSERT_TRUE(one.log.has("can be recorded again"));
  TEST_ASSERT_EQUAL_size_t(0, one.files().size());
  one.run(1, kTooNear);
  one.run_out(3, 0);
  TEST_ASSERT_EQUAL_size_t(1, one.files().size());
}

TEST(a_disk_that_is_full_half_way_leaves_what_can_be_read) {
  Recording one{{.after = seconds{1}, .retry = std::chrono::hours{1}}};
  one.drive->pace = milliseconds{100};
  one.run(10, kFar);
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const rlimit small{60'000, old.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  one.run(2, kTooNear);
  one.run(3, 0);
  const bool flushed = one.recorder->flush(kPatience);
  ::setrlimit(RLIMIT_FSIZE, &old);
  TEST_ASSERT_TRUE(flushed);
  TEST_ASSERT_EQUAL_INT(EFBIG, one.status().error);
  TEST_ASSERT_EQUAL_UINT64(0, one.status().written);
  one.end();
  const RecordFile file = one.file();
  TEST_ASSERT_FALSE(file.whole());
  assert_identical(replayed(file));
}

TEST(pictures_are_kept_small_and_one_whole_when_it_warns) {
  for (const bool encode : {false, true}) {
    Recording one{{.before = seconds{2}, .after = seconds{1}},
                  encode ? std::make_unique<ToyEncoder>() : nullptr};
    one.drive->pace = milliseconds{100};
    std::vector<std::uint8_t> pixels(1280 * 720);
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * 7);
    one.drive->picture = {pixels.data(), 1280, 720, 1280};
    one.run(5, 0);
    one.run(2, kTooNear);
    one.run_out(3, 0);
    TEST_ASSERT_EQUAL_UINT64(1, one.status().written);
    TEST_ASSERT_EQUAL_UINT64(0, one.status().pictures_lost);
    const RecordFile file = one.file();
    int small = 0, whole = 0;
    for (const Chunk& chunk : file.chunks()) {
      if (chunk.kind != ChunkKind::picture) continue;
      PictureHead head;
      FieldReader in{chunk.payload};
      in(head);
      TEST_ASSERT_TRUE(in.ok());
      TEST_ASSERT_EQUAL(
          static_cast<int>(encode ? PictureHead::Format::jpeg : PictureHead::Format::grey8),
          static_cast<int>(head.format));
      TEST_ASSERT_EQUAL_size_t(encode ? 100 : static_cast<std::size_t>(head.width) * head.height,
                               in.rest().size());
      if (head.shrunk == 1 && head.width == 1280 && head.height == 720) {
        ++whole;
        TEST_ASSERT_EQUAL_MEMORY(pixels.data(), in.rest().data(), 100);
        if (whole == 1) TEST_ASSERT_TRUE(chunk.at - file.header().began < milliseconds{50});
      }
      if (head.shrunk == 2 && head.width == 640 && head.height == 360) {
        ++small;
        const int mean = (pixels[0] + pixels[1] + pixels[1280] + pixels[1281] + 2) / 4;
        TEST_ASSERT_EQUAL_INT(mean, std::to_integer<int>(in.rest()[0]));
      }
    }
    TEST_ASSERT_EQUAL_INT(2, whole);  // information, then collision
    TEST_ASSERT_TRUE(small >= 28 && small <= 45);
    assert_identical(replayed(file));
  }
}

TEST(options_that_make_no_sense_are_refused) {
  FakeLog log;
  RecorderOptions options;
  TEST_ASSERT_OK(validate(options));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    WarningRecorder::open(options, RecordedSettings{}, nullptr, log));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    WarningRecorder::open(options, toy_settings(5), nullptr, log));
  options.before = Nanos::zero();
  TEST_ASSERT_ERROR(Errc::invalid_argument, validate(options));
  options = {};
  options.path.clear();
  TEST_ASSERT_ERROR(Errc::invalid_argument, validate(options));
  options = {};
  options.max_bytes = 1000;
  TEST_ASSERT_ERROR(Errc::invalid_argument, validate(options));
  options = {};
  options.from = WarningLevel::none;
  TEST_ASSERT_ERROR(Errc::invalid_argument, validate(options));
}

}  // namespace
