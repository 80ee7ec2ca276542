// SPDX-License-Identifier: Apache-2.0
// `kerbwatch replay` as a person meets it.
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "firmware/records/chunk.hpp"
#include "firmware/records/decisions_version.hpp"
#include "firmware/records/record_fields.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"

namespace fs = std::filesystem;
using namespace kerb;
using namespace kerb::records;

namespace {

using kerb::test::TempFolder;

const std::string kFolder = KERB_SOURCE_DIR "/tests/unit/firmware/records/";
const std::string kOldFixture = kFolder + "crossing.kwr", kFixture = kFolder + "crossing-4.kwr";

std::string read(const fs::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

struct Outcome {
  int code = -1;
  std::string out, err;
};

Outcome replay(const TempFolder& folder, const std::string& arguments) {
  const std::string out = folder.at("out"), err = folder.at("err");
  const std::string command =
      std::string{KERBWATCH} + " replay " + arguments + " >" + out + " 2>" + err;
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(out), read(err)};
}

void assert_has(const std::string& text, const char* part) {
  TEST_ASSERT_TRUE_MESSAGE(text.find(part) != std::string::npos, text.c_str());
}

/// With one bit of a chunk's payload changed, and its CRC right again. Negative: from its end.
std::string changed_text(std::string text, ChunkKind kind, int n, int byte) {
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span{text});
  for (std::size_t at = sizeof kMagic; at < bytes.size();) {
    const ChunkHead head = head_of(bytes.subspan(at));
    const std::span<std::byte> chunk = bytes.subspan(at, ChunkHead::kSize + head.length);
    if (head.kind == kind && n-- == 0) {
      chunk[byte < 0 ? chunk.size() - static_cast<std::size_t>(-byte)
                     : ChunkHead::kSize + static_cast<std::size_t>(byte)] ^= std::byte{1};
      seal(chunk);
    }
    at += chunk.size();
  }
  return text;
}
/// The fixture, changed.
std::string changed(ChunkKind kind, int n, int byte, const std::string& fixture = kFixture) {
  return changed_text(read(fixture), kind, n, byte);
}

/// A picture of 2 x 1 behind the header, as a recorder without an encoder leaves it.
std::string with_picture() {
  std::string text = read(kFixture);
  std::byte chunk[ChunkHead::kSize + kPictureHead + 2] = {};
  FieldWriter out{std::span{chunk}.subspan(ChunkHead::kSize)};
  out(PictureHead{Nanos{5}, PictureHead::Format::grey8, 2, 2, 1}, std::uint8_t{65},
      std::uint8_t{66});
  put_head(chunk, ChunkKind::picture, 0, Nanos{6});
  seal(chunk);
  const std::size_t behind = sizeof kMagic + ChunkHead::kSize +
                             head_of(std::as_bytes(std::span{text}).subspan(sizeof kMagic)).length;
  return text.insert(behind, reinterpret_cast<const char*>(chunk), sizeof chunk);
}

TEST(a_record_is_told_and_its_decisions_are_the_same) {
  const TempFolder folder;
  for (const std::string& fixture : {kOldFixture, kFixture}) {
    if (fixture == kOldFixture && kDecisionsVersion != 1) continue;  // decides otherwise
    const Outcome o = replay(folder, fixture);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.err.c_str());
    for (const char* part : {"kerbwatch fixture, 20", "before the collision warning), whole",
                             "camera front: ", "messages of the vehicle, 0 gaps",
                             "highest level collision", "decisions the same"})
      assert_has(o.out, part);
    TEST_ASSERT_TRUE_MESSAGE(o.out.find("decided by") == std::string::npos, o.out.c_str());
  }
}

/// Format 4: the version of the decisions is behind the format.
constexpr int kVersionAt = 2;

TEST(a_difference_of_versions_is_exit_code_3) {
  const TempFolder folder;
  const std::string decided = changed(ChunkKind::round, 180, -4);  // by another camera
  const std::string fault = folder.write("fault.kwr", decided);
  const std::string other = folder.write(
      "other.kwr", changed_text(decided, ChunkKind::header, 0, kVersionAt + 1));  // 256 later
  const Outcome o = replay(folder, other);
  TEST_ASSERT_EQUAL_INT_MESSAGE(3, o.code, o.err.c_str());
  const std::string versions = "decided by version " + std::to_string(kDecisionsVersion ^ 256) +
                               ", replayed by version " + std::to_string(kDecisionsVersion);
  assert_has(o.out, (versions + ": ").c_str());
  assert_has(o.out, ": 1 of 200 decisions differ, first at ");
  const auto line = nlohmann::json::parse(replay(folder, "--json " + other).out);
  TEST_ASSERT_EQUAL_STRING("versions", line.at("difference_of").get<std::string>().c_str());
  TEST_ASSERT_EQUAL_UINT32(kDecisionsVersion ^ 256, line.at("decided_by").get<std::uint32_t>());
  TEST_ASSERT_EQUAL_UINT32(kDecisionsVersion, line.at("replayed_by").get<std::uint32_t>());
  TEST_ASSERT_FALSE(line.at("identical").get<bool>());
  const Outcome f = replay(folder, "--json " + fault);
  TEST_ASSERT_EQUAL_INT(1, f.code);
  TEST_ASSERT_EQUAL_STRING(
      "fault", nlohmann::json::parse(f.out).at("difference_of").get<std::string>().c_str());
  // Another version that decides the same is no difference at all.
  const std::string same = folder.write("same.kwr", changed(ChunkKind::header, 0, kVersionAt + 1));
  TEST_ASSERT_EQUAL_INT(0, replay(folder, same).code);
  // The worst of several counts: broken, then a fault, then versions.
  TEST_ASSERT_EQUAL_INT(3, replay(folder, other + " " + same).code);
  TEST_ASSERT_EQUAL_INT(1, replay(folder, other + " " + fault + " " + same).code);
  TEST_ASSERT_EQUAL_INT(2, replay(folder, folder.at("missing.kwr") + " " + fault).code);
}

TEST(what_cannot_be_read_says_which_program_can) {
  const TempFolder folder;
  for (const std::string& fixture : {kOldFixture, kFixture}) {
    const Outcome o =
        replay(folder, folder.write("later.kwr", changed(ChunkKind::header, 0, 1, fixture)));
    TEST_ASSERT_EQUAL_INT(2, o.code);
    assert_has(o.err, "written by another version: format 2");
    assert_has(o.err, ": replay it with kerbwatch fixture");
  }
}

TEST(json_says_the_same) {
  const TempFolder folder;
  const Outcome o = replay(folder, "--json " + kFixture + " " + kFixture);
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.err.c_str());
  TEST_ASSERT_EQUAL_INT(2, static_cast<int>(std::count(o.out.begin(), o.out.end(), '\n')));
  const auto line = nlohmann::json::parse(o.out.substr(0, o.out.find('\n')));
  TEST_ASSERT_TRUE(line.at("identical").get<bool>());
  TEST_ASSERT_TRUE(line.at("whole").get<bool>());
  TEST_ASSERT_TRUE(line.at("difference").is_null());
  TEST_ASSERT_EQUAL_INT(line.at("rounds").at("count").get<int>(),
                        line.at("rounds").at("same").get<int>());
}

TEST(a_difference_is_exit_code_1_with_its_time) {
  const TempFolder folder;
  // The first byte of a detection's place: captured, looked and count are before it.
  const Outcome o = replay(folder, folder.write("other.kwr", changed(ChunkKind::senses, 40, 12)));
  TEST_ASSERT_EQUAL_INT_MESSAGE(1, o.code, o.err.c_str());
  assert_has(o.out, "first difference: ");
  assert_has(o.out, " s, camera front: person ");
}

TEST(a_power_cut_is_told_and_what_is_left_is_compared) {
  const TempFolder folder;
  const Outcome o = replay(folder, folder.write("cut.kwr.part", read(kFixture).substr(0, 40000)));
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.err.c_str());
  assert_has(o.out, "cut short: ");
  assert_has(o.out, "of 40000 bytes are good");
}

TEST(what_is_broken_is_one_line_and_exit_code_2) {
  const TempFolder folder;
  for (const std::string& path : {folder.write("text.kwr", "no record"), folder.at("missing.kwr"),
                                  folder.write("start.kwr", read(kFixture).substr(0, 100)),
                                  folder.write("other.kwr", changed(ChunkKind::header, 0, 0)),
                                  folder.write("empty.kwr.part", read(kFixture).substr(0, 5500))}) {
    const Outcome o = replay(folder, path);
    TEST_ASSERT_EQUAL_INT_MESSAGE(2, o.code, path.c_str());
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, static_cast<int>(std::count(o.err.begin(), o.err.end(), '\n')),
                                  o.err.c_str());
    assert_has(o.err, path.c_str());
    TEST_ASSERT_TRUE_MESSAGE(o.out.empty(), o.out.c_str());
  }
  TEST_ASSERT_EQUAL_INT(2, replay(folder, "").code);
}

TEST(pictures_are_written_out) {
  const TempFolder folder;
  const std::string seen = folder.at("seen/pictures");
  const Outcome o =
      replay(folder, "--pictures " + seen + " " + folder.write("one.kwr", with_picture()));
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, o.code, o.err.c_str());
  TEST_ASSERT_EQUAL_STRING("P5\n2 1\n255\nAB", read(fs::path{seen} / "one-0-0001.pgm").c_str());
}

}  // namespace
