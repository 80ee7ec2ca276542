// SPDX-License-Identifier: Apache-2.0
// The product for minutes or hours, with faults at random: what must hold whatever is broken. By
// hand, with the figures of docs/results/soak.md:
//
//   unit_firmware_soak soak --hours 1 --seed 7
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/support/test.hpp"
#include "tests/unit/firmware/soak/soak.hpp"

using namespace kerb;
using test::SoakFault;
using test::SoakOptions;
using test::SoakResult;

namespace {

SoakOptions options{.seed = 1, .minutes = 4};

unsigned long long n(std::uint64_t number) { return number; }

void print(const SoakResult& r) {
  std::printf("seed %llu, %d camera%s: %.1f minutes, %llu rounds, %llu power cuts\n",
              n(options.seed), options.cameras, options.cameras == 1 ? "" : "s", options.minutes,
              n(r.rounds), n(r.power_cuts));
  int faults = 0;
  for (const int count : r.faults) faults += count;
  std::printf("%d faults:", faults);
  for (int i = 0; i < test::soak_faults_built(); ++i)
    std::printf(" %s %d", name_of(static_cast<SoakFault>(i)),
                r.faults[static_cast<std::size_t>(i)]);
  std::printf(
      "\n%llu people on a collision course; a warning was due in %llu rounds and given in %llu\n",
      n(r.encounters), n(r.due), n(r.given));
  std::printf("%llu recoveries, the longest to ACTIVE and ready %.2f s\n", n(r.recoveries),
              static_cast<double>(r.longest_recovery.count()) * 1e-9);
  std::printf(
      "memory: %zu kB resident, %zu bytes in use, %llu allocations live; at the end %zu kB, "
      "%zu bytes, %llu\n",
      r.first.process.resident / 1024, r.first.process.in_use, n(r.first.live),
      r.last.process.resident / 1024, r.last.process.in_use, n(r.last.live));
  std::printf("most resident in each tenth, kB:");
  for (const std::size_t most : r.most_resident) std::printf(" %zu", most / 1024);
  std::printf("\n");
  std::printf(
      "files: %llu events of %llu runs, %llu repairs, %llu losses told; %llu records, %llu "
      "cut, %llu replayed to the bit\n",
      n(r.files.lines), n(r.files.runs), n(r.files.repairs), n(r.files.lost), n(r.files.records),
      n(r.files.cut_records), n(r.files.replayed));
  for (const auto& [name, count] : r.breaches)
    std::printf("BREACH %s: %llu\n", name.c_str(), n(count));
  for (const std::string& text : r.first_breaches) std::printf("  %s\n", text.c_str());
  for (const std::string& text : r.files.wrong) std::printf("FILE %s\n", text.c_str());
}

TEST(whatever_breaks_it_is_never_silent_dark_or_slow_to_come_back) {
  const SoakResult r = test::soak(options);
  print(r);
  TEST_ASSERT_TRUE(r.breaches.empty());
  TEST_ASSERT_TRUE(r.files.wrong.empty());
  // It was a test at all.
  TEST_ASSERT_GREATER_THAN_UINT64(static_cast<std::uint64_t>(options.minutes), r.encounters);
  TEST_ASSERT_GREATER_THAN_UINT64(static_cast<std::uint64_t>(options.minutes) * 10, r.given);
  TEST_ASSERT_GREATER_THAN_UINT64(static_cast<std::uint64_t>(options.minutes), r.recoveries);
  TEST_ASSERT_GREATER_THAN_UINT64(0, r.files.lines);
  TEST_ASSERT_GREATER_THAN_UINT64(0, r.files.replayed);
  if (options.minutes < 30 || test::ProcessMemory::kOwnAllocator) return;
  for (int i = 0; i < test::soak_faults_built(); ++i)
    TEST_ASSERT_GREATER_THAN_INT(0, r.faults[static_cast<std::size_t>(i)]);
  TEST_ASSERT_GREATER_THAN_UINT64(0, r.power_cuts);
  TEST_ASSERT_LESS_OR_EQUAL_size_t(r.first.process.in_use + 64 * 1024, r.last.process.in_use);
  TEST_ASSERT_LESS_OR_EQUAL_size_t(r.most_resident[1] + 1024 * 1024, r.most_resident[9]);
  TEST_ASSERT_LESS_OR_EQUAL_UINT64(r.first.live + 200, r.last.live);
}

}  // namespace

BEFORE_SUITE(words) {
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const double value = std::atof(words[i + 1].c_str());
    if (words[i] == "--hours") options.minutes = value * 60;
    if (words[i] == "--minutes") options.minutes = value;
    if (words[i] == "--seed") options.seed = static_cast<std::uint64_t>(value);
    if (words[i] == "--cameras") options.cameras = static_cast<int>(value);
  }
  options.progress = options.minutes >= 30;
  return kerb::test::Start::run;
}
