// SPDX-License-Identifier: Apache-2.0
// Records that were cut, damaged or made up: nothing crashes, nothing takes much memory, and what
// is whole is read.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "firmware/records/replay.hpp"
#include "tests/support/random.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/records/toy_drive.hpp"

using namespace kerb;
using namespace kerb::records;
using namespace kerb::records::test;

namespace {

/// Where each chunk of a good record begins; the last is its size.
std::vector<std::size_t> begins_of(const std::vector<std::byte>& bytes) {
  std::vector<std::size_t> out;
  std::size_t at = sizeof kMagic;
  while (at < bytes.size()) {
    out.push_back(at);
    at += ChunkHead::kSize + head_of(std::span{bytes}.subspan(at)).length;
  }
  out.push_back(at);
  return out;
}

/// A few chunks of each kind, between the header and the end of a real one.
std::vector<std::byte> few_chunks() {
  const std::vector<std::byte> all = toy_record();
  const std::vector<std::size_t> begins = begins_of(all);
  std::vector<std::byte> out(all.begin(), all.begin() + sizeof kMagic);
  int kept[16] = {};
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    const ChunkHead head = head_of(std::span{all}.subspan(begins[i]));
    const int most = head.kind == ChunkKind::senses || head.kind == ChunkKind::report ? 3
                     : head.kind == ChunkKind::round                                  ? 20
                                                                                      : 1;
    if (kept[static_cast<int>(head.kind)]++ >= most) continue;
    out.insert(out.end(), all.begin() + static_cast<std::ptrdiff_t>(begins[i]),
               all.begin() + static_cast<std::ptrdiff_t>(begins[i + 1]));
  }
  return out;
}
/// The same, its end saying how many there are.
std::vector<std::byte> small_record() {
  std::vector<std::byte> out = few_chunks();
  const std::vector<std::size_t> begins = begins_of(out);
  const std::span<std::byte> end = std::span{out}.subspan(begins[begins.size() - 2]);
  FieldWriter count{end.subspan(ChunkHead::kSize)};
  count(std::uint64_t{begins.size() - 2});
  seal(end);
  return out;
}

std::vector<std::byte> first_of(const std::vector<std::byte>& bytes, std::size_t size) {
  return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)};
}

TEST(cut_at_any_byte_the_whole_chunks_before_it_are_read) {
  const std::vector<std::byte> good = small_record();
  const std::vector<std::size_t> begins = begins_of(good);
  TEST_ASSERT_LESS_THAN_size_t(16000, good.size());
  for (std::size_t size = 0; size < good.size(); ++size) {
    const Result<RecordFile> file = RecordFile::parse(first_of(good, size), "cut");
    if (size < begins[1]) {  // without its header it is none
      TEST_ASSERT_FALSE(static_cast<bool>(file));
      continue;
    }
    TEST_ASSERT_OK(file);
    TEST_ASSERT_FALSE(file->whole());
    const auto whole = std::upper_bound(begins.begin(), begins.end(), size) - begins.begin() - 1;
    TEST_ASSERT_EQUAL_size_t(static_cast<std::size_t>(whole) - 1, file->chunks().size());
    TEST_ASSERT_EQUAL_size_t(begins[static_cast<std::size_t>(whole)], file->good_bytes());
  }
  const Result<RecordFile> file = RecordFile::parse(good, "whole");
  TEST_ASSERT_OK(file);
  TEST_ASSERT_TRUE(file->whole());
}

TEST(chunks_that_are_missing_are_noticed) {
  const Result<RecordFile> all = RecordFile::parse(toy_record(), "all");
  TEST_ASSERT_OK(all);
  TEST_ASSERT_TRUE(all->whole());
  const Result<RecordFile> few = RecordFile::parse(few_chunks(), "few");
  TEST_ASSERT_OK(few);
  TEST_ASSERT_FALSE(few->whole());
}

TEST(zeros_behind_a_cut_are_no_chunks) {  // as some file systems leave them
  std::vector<std::byte> bytes = small_record();
  const std::vector<std::size_t> begins = begins_of(bytes);
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(begins[7]), bytes.end(), std::byte{0});
  const Result<RecordFile> file = RecordFile::parse(bytes, "zeros");
  TEST_ASSERT_OK(file);
  TEST_ASSERT_FALSE(file->whole());
  TEST_ASSERT_EQUAL_size_t(6, file->chunks().size());
}

TEST(a_flipped_bit_ends_what_is_believed) {
  const std::vector<std::byte> good = small_record();
  const std::vector<std::size_t> begins = begins_of(good);
  kerb::test::Random random{1};
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::byte> bytes = good;
    const std::size_t at = random.next() % bytes.size();
    bytes[at] ^= std::byte{1} << (random.next() % 8);
    const Result<RecordFile> file = RecordFile::parse(bytes, "flipped");
    if (at < begins[1]) {
      TEST_ASSERT_FALSE(static_cast<bool>(file));
      continue;
    }
    TEST_ASSERT_OK(file);
    TEST_ASSERT_FALSE(file->whole());
    const auto chunk = std::upper_bound(begins.begin(), begins.end(), at) - begins.begin() - 1;
    TEST_ASSERT_EQUAL_size_t(static_cast<std::size_t>(chunk) - 1, file->chunks().size());
    const Result<ReplayResult> result = replay(*file, ToyDeciders{});
    TEST_ASSERT_OK(result);
    TEST_ASSERT_FALSE(result->difference.has_value());
  }
}

TEST(nonsense_with_a_right_crc_is_survived) {
  const std::vector<std::byte> good = small_record();
  const std::vector<std::size_t> begins = begins_of(good);
  kerb::test::Random random{2};
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::byte> bytes = good;
    const std::size_t n = random.next() % (begins.size() - 1);
    const std::span<std::byte> chunk =
        std::span{bytes}.subspan(begins[n], begins[n + 1] - begins[n]);
    for (std::uint64_t k = random.next() % 4 + 1; k > 0; --k)
      chunk[4 + random.next() % (chunk.size() - 4)] = static_cast<std::byte>(random.next());
    seal(chunk);
    const Result<RecordFile> file = RecordFile::parse(bytes, "nonsense");
    if (!file) {
      ++refused;
      continue;
    }
    const RecordSummary summary = summarise(*file);
    TEST_ASSERT_LESS_OR_EQUAL_UINT64(file->chunks().size(), summary.rounds);
    if (!replay(*file, ToyDeciders{})) ++refused;
  }
  TEST_ASSERT_GREATER_THAN_INT(100, refused);
}

TEST(what_is_no_record_is_refused_in_words) {
  const kerb::test::TempFolder folder;
  TEST_ASSERT_ERROR(Errc::not_found, RecordFile::read(folder.at("nothing.kwr")));
  TEST_ASSERT_ERROR(Errc::invalid_argument, RecordFile::read(folder.write("empty.kwr", "")));
  const Result<RecordFile> text = RecordFile::read(folder.write("text.kwr", "KWRECORT and more"));
  TEST_ASSERT_ERROR(Errc::invalid_argument, text);
  TEST_ASSERT_NOT_NULL(strstr(describe(text.error()).c_str(), "text.kwr"));
  TEST_ASSERT_ERROR(Errc::damaged, RecordFile::read(folder.write("bare.kwr", "KWRECORD")));
  TEST_ASSERT_FALSE(static_cast<bool>(RecordFile::read(folder.path().string())));  // a folder

  std::vector<std::byte> other = small_record();
  const std::vector<std::size_t> begins = begins_of(other);
  const std::span<std::byte> header = std::span{other}.subspan(begins[0], begins[1] - begins[0]);
  header[ChunkHead::kSize] = std::byte{99};
  seal(header);
  const Result<RecordFile> later = RecordFile::parse(other, "later");
  TEST_ASSERT_ERROR(Errc::unsupported, later);
  TEST_ASSERT_NOT_NULL(strstr(describe(later.error()).c_str(), "another version"));
}

/// An estimator of another version: it has something else to remember.
struct OtherEstimator {
  void step(const track::Senses&, risk::PeopleReport&) {}
  void save(FieldWriter& out) const noexcept { out("more", more); }
  void load(FieldReader& in) noexcept { in("more", more); }
  void describe(FieldLister& out) const { out.structure("OtherEstimator")("more", more); }
  std::array<double, 5> more{};
};
class OtherDeciders final : public Deciders {
 public:
  [[nodiscard]] std::uint32_t version() const override { return ToyDeciders::kVersion; }
  [[nodiscard]] std::unique_ptr<ReplayedEstimator> estimator(const RecordedCamera&) const override {
    return std::make_unique<EstimatorOf<OtherEstimator>>();
  }
  [[nodiscard]] std::unique_ptr<ReplayedLogic> logic(const RecordedSettings&) const override {
    return std::make_unique<LogicOf<ToyLogic>>();
  }
};

TEST(states_of_another_version_are_a_difference_of_versions) {
  const Result<RecordFile> file = RecordFile::parse(small_record(), "other");
  TEST_ASSERT_OK(file);
  const Result<ReplayResult> result = replay(*file, OtherDeciders{});
  TEST_ASSERT_OK(result);
  TEST_ASSERT_FALSE(result->same_version());
  TEST_ASSERT_FALSE(result->is_fault());
  TEST_ASSERT_TRUE(result->difference.has_value());
  TEST_ASSERT_EQUAL_size_t(1, result->fields.missing.size());
  TEST_ASSERT_EQUAL_STRING("OtherEstimator.more", result->fields.missing[0].c_str());
  TEST_ASSERT_EQUAL_size_t(2, result->fields.unknown.size());
  TEST_ASSERT_EQUAL_STRING("ToyEstimator.x", result->fields.unknown[0].c_str());
}

}  // namespace
