// SPDX-License-Identifier: Apache-2.0
// Records of programs with other fields and other versions of the decisions.
#include <algorithm>
#include <string>
#include <vector>

#include "firmware/records/old_formats.hpp"
#include "firmware/records/product_deciders.hpp"
#include "firmware/records/replay.hpp"
#include "tests/support/random.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/records/other_version.hpp"
#include "tests/unit/firmware/records/toy_drive.hpp"

using namespace kerb;
using namespace kerb::records;
using namespace kerb::records::test;

namespace {

const char* const kFixture = KERB_SOURCE_DIR "/tests/unit/firmware/records/crossing-4.kwr";

struct Fixture {
  std::vector<std::byte> bytes = bytes_of(kFixture);
  RecordFile file = parsed(bytes);
  OtherVersion other{file};

  static RecordFile parsed(const std::vector<std::byte>& bytes) {
    Result<RecordFile> file = RecordFile::parse(bytes, "record");
    TEST_ASSERT_OK(file);
    TEST_ASSERT_TRUE(file->whole());
    return std::move(*file);
  }
  [[nodiscard]] ReplayResult replayed() const {
    const RecordFile changed = parsed(other.written(bytes));
    Result<ReplayResult> result = replay(changed, ProductDeciders{});
    TEST_ASSERT_OK(result);
    TEST_ASSERT_EQUAL_UINT64(0, result->lost);
    TEST_ASSERT_GREATER_THAN_UINT64(100, result->rounds.count);
    return *result;
  }
};

void assert_identical(const ReplayResult& result) {
  if (result.difference) TEST_FAIL_MESSAGE(result.difference->c_str());
  TEST_ASSERT_EQUAL_UINT64(result.rounds.count, result.rounds.same);
  TEST_ASSERT_EQUAL_UINT64(result.reports.count, result.reports.same);
  TEST_ASSERT_EQUAL_UINT64(result.states.count, result.states.same);
  TEST_ASSERT_GREATER_THAN_UINT64(1, result.states.count);
  TEST_ASSERT_TRUE(result.identical());
}

TEST(without_a_change_it_is_the_same_file) {
  const Fixture f;
  TEST_ASSERT_TRUE(f.other.written(f.bytes) == f.bytes);
  const ReplayResult result = f.replayed();
  assert_identical(result);
  TEST_ASSERT_TRUE(result.same_version());
}

TEST(fields_that_are_not_known_are_passed_over) {
  Fixture f;
  const std::vector<std::string> structs = f.other.structs();
  for (const std::string& name : structs)
    if (name != "Record") f.other.add(name, "from_the_future");
  const ReplayResult result = f.replayed();
  assert_identical(result);
  TEST_ASSERT_FALSE(result.same_version());
  TEST_ASSERT_EQUAL_size_t(structs.size() - 1, result.fields.unknown.size());
  TEST_ASSERT_TRUE(result.fields.missing.empty() && result.fields.retyped.empty());
}

TEST(fields_that_are_missing_keep_their_default_and_are_named) {
  {  // nobody decides by it
    Fixture f;
    f.other.drop("Contact", "beside_m");
    const ReplayResult result = f.replayed();
    assert_identical(result);
    TEST_ASSERT_FALSE(result.same_version());
    TEST_ASSERT_EQUAL_size_t(1, result.fields.missing.size());
    TEST_ASSERT_EQUAL_STRING("Contact.beside_m", result.fields.missing[0].c_str());
  }
  {  // the tracker decides by it: other results, which are no fault
    Fixture f;
    f.other.drop("Senses", "vehicle");
    const ReplayResult result = f.replayed();
    TEST_ASSERT_TRUE(result.difference.has_value());
    TEST_ASSERT_FALSE(result.is_fault());
    TEST_ASSERT_EQUAL_STRING("Senses.vehicle", result.fields.missing[0].c_str());
    TEST_ASSERT_GREATER_THAN_UINT64(result.reports.same, result.reports.count);
  }
}

TEST(a_renamed_field_is_one_missing_and_one_unknown) {
  Fixture f;
  f.other.rename("Person", "seen", "noticed");
  const ReplayResult result = f.replayed();
  TEST_ASSERT_FALSE(result.is_fault());
  TEST_ASSERT_EQUAL_STRING("Person.seen", result.fields.missing.at(0).c_str());
  TEST_ASSERT_EQUAL_STRING("Person.noticed", result.fields.unknown.at(0).c_str());
}

TEST(renamed_structs_are_the_same) {
  Fixture f;
  f.other.rename_structs("Renamed");
  const ReplayResult result = f.replayed();
  assert_identical(result);
  TEST_ASSERT_TRUE(result.same_version());
}

TEST(another_order_of_fields_is_the_same) {
  Fixture f;
  for (const std::string& name : f.other.structs())
    if (name != "Senses") f.other.reverse(name);  // its last field must stay the last
  TEST_ASSERT_FALSE(f.other.written(f.bytes) == f.bytes);
  const ReplayResult result = f.replayed();
  assert_identical(result);
  TEST_ASSERT_TRUE(result.same_version());
}

TEST(another_version_may_decide_the_same) {
  Fixture f;
  f.other.drop("WarningDecision", "camera");
  f.other.decisions_version = kDecisionsVersion + 1;
  const ReplayResult result = f.replayed();
  assert_identical(result);
  TEST_ASSERT_EQUAL_UINT32(kDecisionsVersion + 1, result.decided_by);
  TEST_ASSERT_EQUAL_UINT32(kDecisionsVersion, result.replayed_by);
  TEST_ASSERT_FALSE(result.same_version());
}

/// The fixture with one byte of the n-th chunk of a kind changed.
std::vector<std::byte> with_changed(std::vector<std::byte> bytes, ChunkKind kind, int n,
                                    std::size_t byte) {
  for (std::size_t at = sizeof kMagic; at < bytes.size();) {
    const ChunkHead head = head_of(std::span{bytes}.subspan(at));
    const std::span<std::byte> chunk = std::span{bytes}.subspan(at, ChunkHead::kSize + head.length);
    if (head.kind == kind && n-- == 0) {
      chunk[ChunkHead::kSize + byte] ^= std::byte{1};
      seal(chunk);
    }
    at += chunk.size();
  }
  return bytes;
}

TEST(the_same_difference_is_a_fault_or_not_by_the_version) {
  for (const std::uint32_t version : {kDecisionsVersion, kDecisionsVersion + 1}) {
    Fixture f;
    f.bytes = with_changed(f.bytes, ChunkKind::senses, 40, 12);  // a detection's place
    f.other.decisions_version = version;
    const ReplayResult result = f.replayed();
    TEST_ASSERT_TRUE(result.difference.has_value());
    TEST_ASSERT_EQUAL(version == kDecisionsVersion, result.is_fault());
  }
}

TEST(tables_that_make_no_sense_are_refused) {
  const Fixture f;
  const std::string good = f.file.table().text();
  TEST_ASSERT_OK(FieldTable::parse(good));
  for (const char* bad : {"",
                          "\n",
                          "A",
                          "A ",
                          "A x",
                          "A x:",
                          "A :u8",
                          "A x:u9",
                          "A x:B",
                          "A x:u8 x:u8",
                          "A x:u8\nA x:u8",
                          "A x:A",
                          "1A x:u8",
                          "A 1x:u8",
                          "A x:[0]u8",
                          "A x:[]u8",
                          "A x:[u8",
                          "A x:[99999999999]u8",
                          "A x:[4000000000]u64",
                          "A x:[2]",
                          "A x:?",
                          "A x:~u8",
                          "A x:~[3]u8",
                          "A x:[y]u8",
                          "A x:u8 y:[2][x]u8",
                          "A x:????????u8",
                          "A x:[-1]u8",
                          "A x:[1 ]u8",
                          "A x:u8\nB y:?[]A",
                          "A\tx:u8",
                          "A x:u8\r"})
    TEST_ASSERT_ERROR(Errc::damaged, FieldTable::parse(bad));
  for (const char* fine : {"A x:u8", "A x:u8\n", "A x:u8 y:[x]u8", "A x:u8\nB y:[]A z:~[]A",
                           "A x:?u8\nB y:[7]?A", "A x:text\nB y:?[2]A"})
    TEST_ASSERT_OK(FieldTable::parse(fine));
  TEST_ASSERT_ERROR(Errc::damaged, FieldTable::parse(std::string(40000, 'x')));
  std::string many = "A x:u8\n";
  for (int i = 0; i < 300; ++i) many += "A" + std::to_string(i) + " x:u8\n";
  TEST_ASSERT_ERROR(Errc::damaged, FieldTable::parse(many));
  std::string doubled = "A0 x:u64\n";  // 2^60 bytes
  for (int i = 1; i < 60; ++i) {
    const std::string before = "A" + std::to_string(i - 1);
    doubled += "A" + std::to_string(i) + " x:" + before + " y:" + before + "\n";
  }
  TEST_ASSERT_ERROR(Errc::damaged, FieldTable::parse(doubled));
  for (std::size_t cut = 0; cut < good.size(); ++cut) (void)FieldTable::parse(good.substr(0, cut));
}

/// Any table in front of good chunks, with the right CRC: refused or read, and never a crash, a
/// hang or much memory.
TEST(records_with_changed_tables_are_survived) {
  const Fixture f;
  kerb::test::Random random{8};
  const FieldTable& table = f.file.table();
  std::vector<std::byte> start = f.bytes;
  start.resize(start.size() / 3);
  const std::size_t header = sizeof kMagic + ChunkHead::kSize;
  const std::size_t at = header + 2 + 4 + 1 + f.file.header().settings.version.size() + 4;
  int refused = 0, replayed = 0;
  for (int i = 0; i < 400; ++i) {
    std::vector<std::byte> bytes = start;
    for (std::uint64_t k = random.next() % 3 + 1; k > 0; --k) {
      // Often a character that the table has, so that many are still tables.
      const std::size_t from = random.next() % table.text().size();
      bytes[at + random.next() % table.text().size()] = std::byte(table.text()[from]);
    }
    const ChunkHead head = head_of(std::span{bytes}.subspan(sizeof kMagic));
    seal(std::span{bytes}.subspan(sizeof kMagic, ChunkHead::kSize + head.length));
    const Result<RecordFile> file = RecordFile::parse(std::move(bytes), "changed");
    if (!file) {
      ++refused;
      continue;
    }
    (void)summarise(*file);
    const Result<ReplayResult> result = replay(*file, ProductDeciders{});
    if (result) ++replayed;
    if (result && result->same_version()) TEST_ASSERT_FALSE(result->is_fault());
  }
  TEST_ASSERT_GREATER_THAN_INT(20, refused);
  TEST_ASSERT_GREATER_THAN_INT(20, replayed);
}

TEST(what_cannot_be_read_says_which_program_can) {
  for (const int format : {1, 2, 3, 5, 200}) {
    std::vector<std::byte> bytes = bytes_of(kFixture);
    const ChunkHead head = head_of(std::span{bytes}.subspan(sizeof kMagic));
    bytes[sizeof kMagic + ChunkHead::kSize] = static_cast<std::byte>(format);
    seal(std::span{bytes}.subspan(sizeof kMagic, ChunkHead::kSize + head.length));
    const Result<RecordFile> file = RecordFile::parse(bytes, "other");
    TEST_ASSERT_ERROR(Errc::unsupported, file);
    const std::string words = describe(file.error());
    const std::string wanted = "written by another version: format " + std::to_string(format) +
                               ": replay it with " +
                               (format == 1 ? "the version that wrote it" : "kerbwatch fixture");
    TEST_ASSERT_TRUE_MESSAGE(words.find(wanted) != std::string::npos, words.c_str());
  }
}

TEST(the_table_of_old_formats_is_a_table) {
  const Result<FieldTable> table = FieldTable::parse(kTableOfOldFormats);
  TEST_ASSERT_OK(table);
  const Result<FieldTable> own = FieldTable::parse(field_table_of(ProductDeciders{}));
  TEST_ASSERT_OK(own);
  // What this program would lack of an old record: nothing may get lost but the costs of the old
  // assignment and a mean of the old warning logic, which mean nothing today.
  for (const std::string& field : difference_of(*table, *own).unknown)
    if (field != "TrackerSettings.match" && field != "Candidates.items.mean_likelihood" &&
        field.find("MatchSettings.") != 0)
      TEST_FAIL_MESSAGE(field.c_str());
}

// Two versions of a small struct, read by each other.
struct Before {
  std::uint8_t level = 3;
  float height = 1.5F;
  std::int32_t count = -4;
  std::optional<std::uint16_t> person = 9;
  std::array<std::uint8_t, 3> marks{1, 2, 3};
  std::string name = "front";
  int items = 2;
  std::array<float, 4> values{0.5F, 0.25F};
  std::int64_t narrowed = 70000;
  std::array<std::uint8_t, 3> longer{7, 8, 9};
  std::uint8_t became_optional = 1;
};
template <typename F>
void fields(F& f, FieldsOf<F, Before>& b) {
  f.structure("Before")("level", b.level)("height", b.height)("count", b.count);
  f("person", b.person)("marks", b.marks)("name", b.name);
  f.list("items", b.items, 4, [&](std::size_t i) { f("value", b.values[i]); });
  f("narrowed", b.narrowed)("longer", b.longer)("became_optional", b.became_optional);
}
struct After {
  std::array<std::uint16_t, 3> marks{};
  std::optional<std::uint64_t> person;
  std::int16_t level = 0;
  double height = 0;
  std::int64_t count = 0;
  int items = 0;
  std::array<double, 4> values{}, weights{8, 8, 8, 8};
  std::string name;
  std::int16_t narrowed = 5;
  std::array<std::uint8_t, 4> longer{4, 4, 4, 4};
  std::optional<std::uint8_t> became_optional;
  double fresh = 2.5;
};
template <typename F>
void fields(F& f, FieldsOf<F, After>& a) {
  f.structure("After")("marks", a.marks)("person", a.person)("level", a.level);
  f("height", a.height)("count", a.count);
  f.list("items", a.items, 4,
         [&](std::size_t i) { f("weight", a.weights[i])("value", a.values[i]); });
  f("name", a.name)("narrowed", a.narrowed)("longer", a.longer);
  f("became_optional", a.became_optional)("fresh", a.fresh);
}

TEST(numbers_may_become_wider) {
  std::array<std::byte, 256> bytes{};
  FieldWriter out{bytes};
  out(Before{});
  FieldLister lister;
  lister(Before{});
  const Result<FieldTable> table = FieldTable::parse(lister.text());
  TEST_ASSERT_OK(table);
  After after;
  FieldReader in{std::span{bytes}.first(out.size()), *table, table->root()};
  in(after);
  TEST_ASSERT_TRUE(in.complete());
  TEST_ASSERT_EQUAL_INT(3, after.level);
  TEST_ASSERT_EQUAL_DOUBLE(1.5, after.height);
  TEST_ASSERT_EQUAL_INT64(-4, after.count);
  TEST_ASSERT_EQUAL_UINT64(9, after.person.value_or(0));
  TEST_ASSERT_EQUAL_UINT16(3, after.marks[2]);
  TEST_ASSERT_EQUAL_STRING("front", after.name.c_str());
  TEST_ASSERT_EQUAL_INT(2, after.items);
  TEST_ASSERT_EQUAL_DOUBLE(0.25, after.values[1]);
  TEST_ASSERT_EQUAL_DOUBLE(8, after.weights[1]);
  TEST_ASSERT_EQUAL_INT(5, after.narrowed);
  TEST_ASSERT_EQUAL_UINT8(4, after.longer[0]);
  TEST_ASSERT_FALSE(after.became_optional.has_value());
  TEST_ASSERT_EQUAL_DOUBLE(2.5, after.fresh);
  FieldLister other;
  other(After{});
  const Result<FieldTable> ours = FieldTable::parse(other.text());
  TEST_ASSERT_OK(ours);
  const FieldDifference difference = difference_of(*table, *ours);
  TEST_ASSERT_EQUAL_size_t(3, difference.retyped.size());
  TEST_ASSERT_EQUAL_size_t(2, difference.missing.size());
  TEST_ASSERT_EQUAL_size_t(0, difference.unknown.size());
  for (std::size_t size = 0; size < out.size(); ++size) {  // cut anywhere
    After cut;
    FieldReader reader{std::span{bytes}.first(size), *table, table->root()};
    reader(cut);
    TEST_ASSERT_FALSE(reader.complete());
  }
}

TEST(senses_with_likenesses_are_read_by_name) {
  const auto senses = std::make_unique<track::Senses>(), back = std::make_unique<track::Senses>();
  somebody(kNear)(0, Nanos{5}, *senses);
  senses->count = 3;
  senses->likenesses = 2;
  for (std::size_t i = 0; i < 2; ++i) {
    senses->like[i].id = static_cast<std::uint32_t>(40 + i);
    for (std::size_t k = 0; k < 3; ++k)
      senses->like[i].of[k] = static_cast<std::uint8_t>(10 * i + k + 1);
  }
  senses->view = {true, 45, 12.5, 0.2, 2000, 0.9, 6, ViewLimit::light};
  const Result<FieldTable> table = FieldTable::parse(field_table_of(ProductDeciders{}));
  TEST_ASSERT_OK(table);
  for (const int likenesses : {2, 0}) {
    senses->likenesses = likenesses;
    std::vector<std::byte> bytes(1 << 16), again(1 << 16);
    FieldWriter out{bytes}, out_again{again};
    out(*senses);
    *back = {};
    back->likenesses = 1;
    FieldReader in{std::span{bytes}.first(out.size()), *table, *table->root_field("senses")};
    in(*back);
    TEST_ASSERT_TRUE(in.complete());
    TEST_ASSERT_EQUAL_INT(likenesses, back->likenesses);
    out_again(*back);
    TEST_ASSERT_EQUAL_size_t(out.size(), out_again.size());
    TEST_ASSERT_EQUAL_MEMORY(bytes.data(), again.data(), out.size());
  }
}

}  // namespace
