// SPDX-License-Identifier: Apache-2.0
#include "firmware/events/rotating_file.hpp"
#include "tests/support/test.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/unit/firmware/events/scratch.hpp"

using kerb::RotatingFile;

namespace {

std::string line(int n) {
  return R"({"n":)" + std::to_string(n) + R"(,"pad":"xxxxxxxxxxxxxxxxxxxx"})" + "\n";
}

void expect_whole_lines(const std::string& bytes) {
  TEST_ASSERT_TRUE(bytes.empty() || bytes.back() == '\n');
  for (const std::string& text : lines_of(bytes))
    TEST_ASSERT_TRUE_MESSAGE(nlohmann::json::accept(text), text.c_str());
}

TEST(the_disk_never_holds_more_than_the_bounds) {
  for (const int files : {1, 2, 3, 7}) {
    const Scratch scratch;
    RotatingFile file{scratch.path(), 200, files};
    for (int i = 0; i < 300; ++i) {
      TEST_ASSERT_EQUAL_INT(0, file.append(line(i)));
      TEST_ASSERT_TRUE(scratch.bytes() <= 200U * static_cast<unsigned>(files));
      TEST_ASSERT_TRUE(scratch.files() <= files);
    }
    TEST_ASSERT_EQUAL_INT(files, scratch.files());
    // The newest lines are there, in order from the oldest file to the current one, without a gap.
    std::string all;
    for (int age = files - 1; age >= 0; --age)
      all += slurp(scratch.path() + (age == 0 ? "" : "." + std::to_string(age)));
    expect_whole_lines(all);
    int next = 300 - static_cast<int>(lines_of(all).size());
    for (const std::string& text : lines_of(all))
      TEST_ASSERT_EQUAL_INT(next++, nlohmann::json::parse(text)["n"].get<int>());
  }
}

TEST(a_file_torn_at_any_byte_of_its_last_two_lines_is_repaired) {
  const std::string first = line(1), whole = first + line(2) + line(3);
  for (std::size_t cut = first.size(); cut <= whole.size(); ++cut) {
    const Scratch scratch;
    spit(scratch.path(), whole.substr(0, cut));
    RotatingFile file{scratch.path(), 10000, 2};
    TEST_ASSERT_EQUAL_INT(0, file.append(line(4)));
    const std::string after = slurp(scratch.path());
    expect_whole_lines(after);
    // A line that lacks but its line feed is kept; nothing that was whole is lost.
    const std::size_t kept = cut + 1 >= whole.size()                    ? 3
                             : cut + 1 >= first.size() + line(2).size() ? 2
                                                                        : 1;
    TEST_ASSERT_EQUAL_INT(kept + 1, lines_of(after).size());
    const std::size_t good = kept == 3   ? whole.size()
                             : kept == 2 ? first.size() + line(2).size()
                                         : first.size();
    TEST_ASSERT_EQUAL_INT(cut > good ? cut - good : 0, file.take_bytes_cut());
    TEST_ASSERT_EQUAL_INT(0, file.take_bytes_cut());
  }
}

TEST(what_a_power_cut_leaves_is_cut_out) {
  struct Case {
    const char* name;
    std::string before, after;
  };
  const std::string nuls(5000, '\0');
  const Case cases[] = {
      {"zeros at the end", line(1) + nuls, line(1)},
      {"more zeros than the window", line(1) + std::string(3 << 20, '\0'), line(1)},
      {"nothing but zeros", nuls, ""},
      {"nothing but zeros, more than the window", std::string(3 << 20, '\0'), ""},
      {"a hole of zeros in the middle", line(1) + line(2).substr(0, 9) + nuls + "\n" + line(3),
       line(1) + line(3)},
      {"a blank line", line(1) + "\n" + line(2), line(1) + line(2)},
      {"no object", line(1) + "17\n\"x\"\n[]\n" + line(2), line(1) + line(2)},
      {"bytes that are not UTF-8", line(1) + "{\"a\":\"\xFF\"}\n", line(1)},
      {"nothing wrong", line(1) + line(2), line(1) + line(2)},
      {"empty", "", ""},
  };
  for (const Case& c : cases) {
    const Scratch scratch;
    spit(scratch.path(), c.before);
    RotatingFile file{scratch.path(), 8 << 20, 2};
    TEST_ASSERT_EQUAL_INT(0, file.open());
    TEST_ASSERT_EQUAL_STRING_MESSAGE(c.after.c_str(), slurp(scratch.path()).c_str(), c.name);
    TEST_ASSERT_EQUAL_INT_MESSAGE(c.before.size() - c.after.size(), file.take_bytes_cut(), c.name);
    TEST_ASSERT_EQUAL_INT(0, file.append(line(9)));
    TEST_ASSERT_EQUAL_STRING_MESSAGE((c.after + line(9)).c_str(), slurp(scratch.path()).c_str(),
                                     c.name);
  }
}

TEST(a_long_file_is_repaired_at_its_end_alone) {
  const Scratch scratch;
  std::string whole;
  while (whole.size() < (2U << 20)) whole += line(1);
  spit(scratch.path(), whole + line(2).substr(0, 20));
  RotatingFile file{scratch.path(), 8 << 20, 2};
  TEST_ASSERT_EQUAL_INT(0, file.open());
  TEST_ASSERT_TRUE(slurp(scratch.path()) == whole);
}

TEST(a_kill_between_two_renames_costs_nothing) {
  const Scratch scratch;  // .1 has become .2, and then the power went
  spit(scratch.path(), line(3));
  spit(scratch.path("events.jsonl.2"), line(2));
  spit(scratch.path("events.jsonl.3"), line(1));
  RotatingFile file{scratch.path(), 50, 4};
  TEST_ASSERT_EQUAL_INT(0, file.append(line(4)));
  for (int age = 0; age < 4; ++age)
    TEST_ASSERT_EQUAL_STRING(
        line(4 - age).c_str(),
        slurp(scratch.path() + (age == 0 ? "" : "." + std::to_string(age))).c_str());
}

TEST(bounds_that_were_lowered_hold_for_what_is_there) {
  const Scratch scratch;
  spit(scratch.path(), line(9));
  for (const int age : {1, 2, 3, 7, 12})
    spit(scratch.path() + "." + std::to_string(age), std::string(60, ' '));
  spit(scratch.path("events.jsonl.bak"), "mine");
  spit(scratch.path("events.jsonl.2x"), "mine");
  RotatingFile file{scratch.path(), 100, 3};
  TEST_ASSERT_EQUAL_INT(0, file.open());
  TEST_ASSERT_EQUAL_INT(5, scratch.files());  // the current one, .1, .2 and what is not ours
  TEST_ASSERT_TRUE(std::filesystem::exists(scratch.path("events.jsonl.2")));

  RotatingFile other{scratch.path("big"), 100, 3};
  std::string much;
  while (much.size() < 500) much += line(1);
  spit(scratch.path("big"), much);
  TEST_ASSERT_EQUAL_INT(0, other.append(line(2)));
  TEST_ASSERT_EQUAL_STRING(line(2).c_str(), slurp(scratch.path("big")).c_str());
  TEST_ASSERT_FALSE(std::filesystem::exists(scratch.path("big.1")));
}

TEST(a_line_the_disk_takes_only_in_part_is_taken_back) {
  const Scratch scratch;
  RotatingFile file{scratch.path(), 10000, 2};
  TEST_ASSERT_EQUAL_INT(0, file.append(line(1)));
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  rlimit tight = old;
  tight.rlim_cur = line(1).size() + 10;  // ten bytes of the next line still fit
  auto* handler = signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &tight);
  const int refused = file.append(line(2));
  const std::string meanwhile = slurp(scratch.path());
  setrlimit(RLIMIT_FSIZE, &old);
  signal(SIGXFSZ, handler);
  TEST_ASSERT_EQUAL_INT(EFBIG, refused);
  TEST_ASSERT_EQUAL_STRING(line(1).c_str(), meanwhile.c_str());
  TEST_ASSERT_EQUAL_INT(0, file.append(line(3)));
  TEST_ASSERT_EQUAL_STRING((line(1) + line(3)).c_str(), slurp(scratch.path()).c_str());
}

TEST(a_full_disk_is_enospc) {
  if (!std::filesystem::exists("/dev/full")) TEST_IGNORE_MESSAGE("no /dev/full here");
  const Scratch scratch;
  std::filesystem::create_symlink("/dev/full", scratch.path());
  RotatingFile file{scratch.path(), 10000, 2};
  TEST_ASSERT_EQUAL_INT(ENOSPC, file.append(line(1)));
  TEST_ASSERT_EQUAL_INT(ENOSPC, file.append(line(1)));
  std::filesystem::remove(scratch.path());
  TEST_ASSERT_EQUAL_INT(0, file.append(line(1)));
  TEST_ASSERT_EQUAL_STRING(line(1).c_str(), slurp(scratch.path()).c_str());
}

TEST(places_that_cannot_be_written_say_why_and_may_become_good) {
  const Scratch scratch;
  spit(scratch.path("folder"), "a file in the way");
  RotatingFile file{scratch.path("folder/deep/events.jsonl"), 10000, 2};
  TEST_ASSERT_EQUAL_INT(ENOTDIR, file.append(line(1)));
  std::filesystem::remove(scratch.path("folder"));
  TEST_ASSERT_EQUAL_INT(0, file.append(line(1)));
  TEST_ASSERT_EQUAL_STRING(line(1).c_str(),
                           slurp(scratch.path("folder/deep/events.jsonl")).c_str());

  RotatingFile folder{scratch.folder.string(), 10000, 2};
  TEST_ASSERT_EQUAL_INT(EISDIR, folder.append(line(1)));
  if (::mkfifo(scratch.path("pipe").c_str(), 0600) == 0) {  // O_RDWR opens it; nothing may wait
    RotatingFile pipe{scratch.path("pipe"), 10000, 2};
    (void)pipe.append(line(1));
  }
}

TEST(a_file_deleted_or_moved_is_made_anew) {
  const Scratch scratch;
  RotatingFile file{scratch.path(), 10000, 2};
  TEST_ASSERT_EQUAL_INT(0, file.append(line(1)));
  std::filesystem::remove(scratch.path());
  TEST_ASSERT_EQUAL_INT(0, file.append(line(2)));
  TEST_ASSERT_EQUAL_STRING(line(2).c_str(), slurp(scratch.path()).c_str());
  std::filesystem::rename(scratch.path(), scratch.path("taken"));
  TEST_ASSERT_EQUAL_INT(0, file.append(line(3)));
  TEST_ASSERT_EQUAL_STRING(line(3).c_str(), slurp(scratch.path()).c_str());
}

TEST(two_writers_do_not_share_a_file) {
  const Scratch scratch;
  RotatingFile one{scratch.path(), 10000, 2};
  TEST_ASSERT_EQUAL_INT(0, one.append(line(1)));
  RotatingFile two{scratch.path(), 10000, 2};
  TEST_ASSERT_EQUAL_INT(EWOULDBLOCK, two.append(line(2)));
  TEST_ASSERT_EQUAL_STRING(line(1).c_str(), slurp(scratch.path()).c_str());
}

TEST(two_writers_may_share_a_device) {
  const Scratch scratch;
  std::filesystem::create_symlink("/dev/null", scratch.path());
  RotatingFile one{scratch.path(), 10000, 2};
  TEST_ASSERT_EQUAL_INT(0, one.append(line(1)));
  RotatingFile two{scratch.path(), 10000, 2};
  TEST_ASSERT_EQUAL_INT(0, two.append(line(2)));
}

}  // namespace
