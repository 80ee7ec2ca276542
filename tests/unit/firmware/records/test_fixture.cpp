// SPDX-License-Identifier: Apache-2.0
// What decides in the product, recorded and replayed; and two records in this folder that were made
// on another machine: crossing.kwr, of format 3, before fields had names, which is never made
// again; and crossing-4.kwr, of format 4. When the tracker, the contact judge or the warning logic
// are meant to decide otherwise than they did: raise kDecisionsVersion, add the digest that the
// test prints below, and make the second one again: unit_firmware_records fixture --write
// crossing-4.kwr
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include "firmware/lens/camera_geometry.hpp"
#include "firmware/records/old_formats.hpp"
#include "firmware/records/product_deciders.hpp"
#include "firmware/records/replay.hpp"
#include "tests/support/random.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/records/toy_drive.hpp"

namespace fs = std::filesystem;
using namespace kerb;
using namespace kerb::records;
using namespace kerb::records::test;

namespace {

using kerb::test::TempFolder;

const char* const kOldFixture = KERB_SOURCE_DIR "/tests/unit/firmware/records/crossing.kwr";
const char* const kFixture = KERB_SOURCE_DIR "/tests/unit/firmware/records/crossing-4.kwr";
constexpr double kSpeed = 10;  // m/s

RecordedSettings street_settings(std::size_t cameras) {
  RecordedSettings settings;
  settings.version = "fixture";
  settings.cameras.resize(cameras);
  for (std::size_t i = 0; i < cameras; ++i) {
    settings.cameras[i].name = i == 0 ? "front" : "side";
    settings.cameras[i].model.pitch_rad = -0.02;
    settings.cameras[i].model.k1 = -0.11;
    settings.cameras[i].model.yaw_rad = 0.1 * static_cast<double>(i);
  }
  return settings;
}

/// Somebody on the road, as a detector would have them, with its jitter.
void put(track::Senses& out, const Camera& camera, Ground at, double tall,
         kerb::test::Random& random, bool looks) {
  const auto foot = project(camera, at, 0), head = project(camera, at, tall);
  if (!foot || !head || at.x < 2 || out.count == track::Senses::kMost) return;
  const auto jitter = [&] { return static_cast<double>(random.next() % 1000) * 0.002 - 1; };
  const double h = foot->y - head->y;
  const auto i = static_cast<std::size_t>(out.count);
  if (h < 40 || foot->x < 0 || foot->x > camera.width || foot->y > camera.height) return;
  out.boxes[i] = {static_cast<float>(foot->x - 0.2 * h + jitter()),
                  static_cast<float>(head->y + jitter()), static_cast<float>(0.4 * h),
                  static_cast<float>(h + jitter()), static_cast<float>(14 + jitter())};
  out.looks[i].known = looks;
  if (looks)
    for (int k = 0; k < track::Signature::kSize; ++k)
      out.looks[i].values[static_cast<std::size_t>(k)] = k % 24 == out.count ? 0.7f : 0.3f / 23.0f;
  out.flow_says_moves[i] = looks;
  ++out.count;
}

/// Somebody walks along the pavement; from the fourth second on, somebody else crosses the road.
Sight crossing(const Camera& camera) {
  return [camera](std::size_t, Nanos at, track::Senses& out) {
    const double t = static_cast<double>((at - seconds{100}).count()) * 1e-9;
    kerb::test::Random random{static_cast<std::uint64_t>(at.count())};
    out.looked = true;
    out.vehicle.yaw_rate_radps = 0.001;
    out.pitch_rad = -0.02;
    out.pitch_sigma_rad = 0.004;
    out.view = {true, 45, 30 - 2 * (t - 4), 0.2, 2000, 1, 6, ViewLimit::light};  // it gets dark
    put(out, camera, {85 - (kSpeed - 1.2) * t, 5}, 1.8, random, false);
    if (t > 4) put(out, camera, {80 - kSpeed * t, -5.2 + 1.4 * (t - 4)}, 1.65, random, true);
  };
}

void assert_identical(const ReplayResult& result) {
  if (result.difference) TEST_FAIL_MESSAGE(result.difference->c_str());
  TEST_ASSERT_EQUAL_UINT64(result.rounds.count, result.rounds.same);
  TEST_ASSERT_EQUAL_UINT64(result.reports.count, result.reports.same);
  TEST_ASSERT_EQUAL_UINT64(result.states.count, result.states.same);
  TEST_ASSERT_TRUE(result.identical());
}

/// The record of driving through what `sight` has, for so long.
std::vector<std::byte> record_of(const RecordedSettings& settings, const Sight& sight, Nanos until,
                                 const std::string& folder, Nanos before = milliseconds{1500}) {
  FakeLog log;
  RecorderOptions options;
  options.path = folder;
  options.before = before;
  options.after = milliseconds{500};
  Result<std::unique_ptr<WarningRecorder>> recorder =
      WarningRecorder::open(options, settings, nullptr, log);
  TEST_ASSERT_OK(recorder);
  std::vector<std::unique_ptr<PeopleEstimator>> estimators;
  for (const RecordedCamera& camera : settings.cameras)
    estimators.push_back(make_people_estimator(camera));
  Drive<PeopleEstimator, WarningDecider> drive{
      std::move(estimators),
      WarningDecider{settings.rules.at(settings.sensitivity), fusion_of(settings)},
      recorder->get()};
  drive.pace = milliseconds{500};
  drive.run_until(until, sight, kSpeed);
  const RecorderStatus status = (*recorder)->status();
  TEST_ASSERT_EQUAL_UINT64(0, status.lost);
  TEST_ASSERT_FALSE(status.state_too_big);
  recorder->reset();
  const std::vector<std::string> files = files_of(folder);
  TEST_ASSERT_EQUAL_size_t_MESSAGE(1, files.size(), "nobody was warned of, or too often");
  return bytes_of(files[0]);
}

std::vector<std::byte> record_crossing(Nanos until, Nanos before) {
  const TempFolder folder;
  const RecordedSettings settings = street_settings(1);
  return record_of(settings, crossing(settings.cameras[0].model), until, folder.at("r"), before);
}
/// As the two fixtures were made; the second one ends within the warning, to be small.
std::vector<std::byte> record_old_fixture() {
  return record_crossing(seconds{110}, milliseconds{1500});
}
std::vector<std::byte> record_fixture() { return record_crossing(seconds{106}, seconds{1}); }

RecordFile parsed(std::vector<std::byte> bytes) {
  Result<RecordFile> file = RecordFile::parse(std::move(bytes), "record");
  TEST_ASSERT_OK(file);
  return std::move(*file);
}

RecordFile read_fixture(const char* path) {
  Result<RecordFile> file = RecordFile::read(path);
  TEST_ASSERT_OK(file);
  TEST_ASSERT_TRUE(file->whole());
  return std::move(*file);
}
ReplayResult replayed(const RecordFile& file) {
  Result<ReplayResult> result = replay(file, ProductDeciders{});
  TEST_ASSERT_OK(result);
  TEST_ASSERT_EQUAL_UINT64(0, result->lost);
  return *result;
}

TEST(a_record_from_another_machine_gives_the_same_decisions) {
  for (const char* path : {kOldFixture, kFixture}) {
    const RecordFile file = read_fixture(path);
    TEST_ASSERT_EQUAL_UINT16(path == kOldFixture ? 3 : 4, file.format());
    const RecordSummary summary = summarise(file);
    TEST_ASSERT_EQUAL_STRING("collision", name_of(summary.highest));
    TEST_ASSERT_GREATER_OR_EQUAL_INT(1, summary.cameras[0].most_people);
    TEST_ASSERT_TRUE(summary.shortest_ttc_s.has_value());
    const ReplayResult result = replayed(file);
    TEST_ASSERT_GREATER_THAN_UINT64(path == kOldFixture ? 300 : 100, result.rounds.count);
    TEST_ASSERT_FALSE(result.is_fault());
    if (result.same_version()) assert_identical(result);
    TEST_ASSERT_EQUAL_UINT32(path == kOldFixture ? 1 : kDecisionsVersion, result.decided_by);
    if (path == kFixture) assert_identical(result);
  }
}

/// Of what each version of the decisions decided in crossing.kwr.
struct Digest {
  std::uint32_t version, digest;
};
constexpr Digest kDigests[] = {{1, 0xA4113A54}, {2, 0xD00FAA57}, {3, 0x334F0EDA},
                               {4, 0x1CDCFBD3}, {5, 0x2F04CFF4}, {6, 0x2F04CFF4},
                               {7, 0xD71D4B05}, {8, 0xD71D4B05}, {9, 0x975BD425}};

TEST(decisions_change_only_with_their_version) {
  const std::uint32_t digest = replayed(read_fixture(kOldFixture)).digest;
  const auto known = std::find_if(std::begin(kDigests), std::end(kDigests),
                                  [](const Digest& d) { return d.version == kDecisionsVersion; });
  char text[200];
  std::snprintf(text, sizeof text, "kDecisionsVersion %u is new: add {%u, 0x%08X} to kDigests",
                kDecisionsVersion, kDecisionsVersion, digest);
  if (known == std::end(kDigests)) TEST_FAIL_MESSAGE(text);
  std::snprintf(
      text, sizeof text,
      "the decisions on crossing.kwr have changed (digest 0x%08X), their version has not: "
      "raise kDecisionsVersion in firmware/records/decisions_version.hpp",
      digest);
  if (known->digest != digest) TEST_FAIL_MESSAGE(text);
}

void assert_same_chunks(const RecordFile& there, const RecordFile& here, std::size_t least) {
  // The order of sources among each other is the writer's; each source's own is not.
  for (const std::uint8_t source : {std::uint8_t{0}, kControl}) {
    std::vector<Chunk> a, b;
    const auto is_source = [source](const Chunk& c) { return c.source == source; };
    std::ranges::copy_if(there.chunks(), std::back_inserter(a), is_source);
    std::ranges::copy_if(here.chunks(), std::back_inserter(b), is_source);
    const std::size_t count = std::min(a.size(), b.size());
    TEST_ASSERT_GREATER_THAN_size_t(least, count);
    for (std::size_t i = 0; i < count; ++i) {
      TEST_ASSERT_EQUAL_size_t(a[i].payload.size(), b[i].payload.size());
      TEST_ASSERT_EQUAL_MEMORY(a[i].payload.data(), b[i].payload.data(), a[i].payload.size());
    }
  }
}

TEST(the_same_drive_is_recorded_the_same_way_on_every_machine) {
  const RecordFile there = read_fixture(kFixture);
  const RecordFile here = parsed(record_fixture());
  TEST_ASSERT_EQUAL_STRING(there.table().text().c_str(), here.table().text().c_str());
  const Result<ReplayResult> result = replay(here, ProductDeciders{});
  TEST_ASSERT_OK(result);
  assert_identical(*result);
  assert_same_chunks(there, here, 50);
}

TEST(the_settings_of_as_many_cameras_as_there_may_be_fit_into_a_header) {
  RecordedSettings settings = street_settings(WarningLogic::kMostCameras);
  settings.version.assign(64, 'v');
  for (RecordedCamera& camera : settings.cameras) camera.name.assign(32, 'n');
  std::vector<std::byte> bytes(kMostSettings);
  FieldWriter out{bytes};
  out(kFormat, kDecisionsVersion, settings.version, std::uint32_t{0});
  out(RecordHeader{settings, seconds{1}, seconds{2}, WarningLevel::collision});
  TEST_ASSERT_TRUE(out.ok());
}

/// The bytes of the chunks have not changed since format 3, but for the header.
TEST(the_chunks_of_format_3_are_those_of_today) {
  if (kDecisionsVersion != 1 || field_table_of(ProductDeciders{}) != kTableOfOldFormats) return;
  assert_same_chunks(read_fixture(kOldFixture), parsed(record_old_fixture()), 200);
}

TEST(fifty_people_before_two_cameras_replay_too) {
  const TempFolder folder;
  const RecordedSettings settings = street_settings(2);
  const Sight crowd = [&](std::size_t camera, Nanos at, track::Senses& out) {
    const Camera& model = settings.cameras[camera].model;
    const double t = static_cast<double>((at - seconds{100}).count()) * 1e-9;
    kerb::test::Random random{static_cast<std::uint64_t>(at.count()) + camera};
    out.looked = at.count() % 3 != 0;  // the detector does not look at every frame
    if (!out.looked) return;
    for (int i = 0; i < 50; ++i)
      put(out, model, {36 - kSpeed * t + i % 7, -8.0 + 0.33 * i + 0.5 * t}, 1.5 + 0.01 * i, random,
          i % 2 == 0);
  };
  const RecordFile file = parsed(record_of(settings, crowd, milliseconds{102500}, folder.at("r")));
  TEST_ASSERT_GREATER_THAN_INT(10, summarise(file).cameras[1].most_people);
  const Result<ReplayResult> result = replay(file, ProductDeciders{});
  TEST_ASSERT_OK(result);
  assert_identical(*result);
  TEST_ASSERT_EQUAL_UINT64(0, result->lost);
}

TEST(states_that_make_no_sense_are_survived) {
  const std::vector<std::byte> good = bytes_of(kOldFixture);
  kerb::test::Random random{6};
  for (int i = 0; i < 12; ++i) {
    std::vector<std::byte> bytes = good;
    for (std::size_t at = sizeof kMagic; at < bytes.size();) {
      const ChunkHead head = head_of(std::span{bytes}.subspan(at));
      const std::span<std::byte> chunk =
          std::span{bytes}.subspan(at, ChunkHead::kSize + head.length);
      if (head.kind == ChunkKind::people_state || head.kind == ChunkKind::logic_state) {
        for (int k = 0; k < 3; ++k)
          chunk[ChunkHead::kSize + random.next() % head.length] =
              static_cast<std::byte>(random.next());
        seal(chunk);
      }
      at += chunk.size();
    }
    bytes.resize(bytes.size() / 4);  // enough to be followed for a while
    const RecordFile file = parsed(std::move(bytes));
    const Result<ReplayResult> result = replay(file, ProductDeciders{});
    TEST_ASSERT_FALSE(result && result->identical() && result->lost == 0);
  }
}

int write_fixture(const std::string& path) {
  const std::vector<std::byte> bytes = record_fixture();
  std::ofstream out{path, std::ios::binary};
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  out.flush();
  std::printf("%s: %zu bytes\n", path.c_str(), bytes.size());
  return out && bytes.size() > 1000 ? 0 : 1;
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  if (words.size() == 2 && words[0] == "--write")
    return write_fixture(words[1]) == 0 ? Start::done : Start::fail;
  return Start::run;
}
