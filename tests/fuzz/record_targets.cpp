// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include "firmware/records/product_deciders.hpp"
#include "firmware/records/replay.hpp"
#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"

namespace kerb::fuzz {
namespace {

using namespace kerb::records;

/// Puts every chunk's CRC right, as far as the lengths make sense.
void reseal(std::span<std::byte> bytes) {
  for (std::size_t at = sizeof kMagic; at + ChunkHead::kSize <= bytes.size();) {
    const std::size_t size = ChunkHead::kSize + std::size_t{head_of(bytes.subspan(at)).length};
    if (size > bytes.size() - at) return;
    seal(bytes.subspan(at, size));
    at += size;
  }
}

Bytes read(const char* name) {
  std::ifstream in{std::string{KERB_FUZZ_RECORD_FILES} + "/" + name, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

}  // namespace

void record(const std::uint8_t* data, std::size_t size) {
  const auto* first = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> bytes(first + (size > 0 ? 1 : 0), first + size);
  if (size > 0 && (data[0] & 1U) != 0) reseal(bytes);
  const Result<RecordFile> file = RecordFile::parse(std::move(bytes), "fuzzed");
  if (!file) {
    demand(!describe(file.error()).empty(), "errors say what");
    return;
  }
  demand(file->good_bytes() <= file->size(), "what is good is in the file");
  const RecordSummary summary = summarise(*file);
  demand(summary.rounds <= file->chunks().size(), "a round is a chunk");
  const Result<ReplayResult> result = replay(*file, ProductDeciders{});
  if (!result) return;
  demand(result->rounds.same <= result->rounds.count, "of all, some are the same");
  demand(result->identical() || result->difference || result->rounds.count == 0,
         "what differs is told");
  demand(!result->is_fault() || file->decisions_version() == kDecisionsVersion,
         "another version's is no fault");
}

void field_table(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const Result<FieldTable> table = FieldTable::parse(text);
  if (!table) return;
  demand(table->text() == text, "the table is its text");
  demand(!difference_of(*table, *table).any(), "a table is as itself");
  // The text's own bytes, as values.
  for (const FieldTable::Field& field : table->root().fields) {
    FieldTable::Lengths lengths{};
    std::span<const std::byte> bytes = std::as_bytes(std::span{data, size});
    if (table->skip(table->type(field.type), bytes, lengths))
      demand(size - bytes.size() >= table->type(field.type).least, "no value is shorter");
  }
}

std::vector<Bytes> record_seeds() {
  std::vector<Bytes> seeds;
  for (const char* name : {"crossing.kwr", "crossing-4.kwr"}) {
    Bytes bytes = read(name);
    demand(bytes.size() > 20000, "the records are there");
    bytes.resize(20000);
    for (const bool repair : {false, true}) {
      Bytes seed(1, repair ? 1 : 0);
      seed.insert(seed.end(), bytes.begin(), bytes.end());
      seeds.push_back(std::move(seed));
    }
    Bytes start(1, 1);  // changes hit the header, and its table of fields
    start.insert(start.end(), bytes.begin(), bytes.begin() + 7000);
    seeds.push_back(std::move(start));
  }
  return seeds;
}

std::vector<Bytes> field_table_seeds() {
  std::vector<Bytes> seeds;
  for (const std::string& text :
       {field_table_of(ProductDeciders{}), std::string{"A x:u8 y:?[3]f32\nB a:[]A n:[a]u16\n"},
        std::string{"A t:text\nB a:~[]A\nC b:[2]?A c:bool d:A"}})
    seeds.emplace_back(text.begin(), text.end());
  return seeds;
}

}  // namespace kerb::fuzz
