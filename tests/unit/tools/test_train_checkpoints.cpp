// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/tools/train_pictures.hpp"
#include "tools/train/checkpoint.hpp"

namespace {

using namespace kerb;
using namespace kerb::train;
using kerb::test::TempFolder;

void expect_error(const Error& error, Errc code, const char* part) {
  TEST_ASSERT_EQUAL_STRING(name_of(code), name_of(error.code));
  const std::string line = describe(error);
  TEST_ASSERT_TRUE_MESSAGE(line.find(part) != std::string::npos, line.c_str());
}

Checkpoint some_checkpoint() {
  Checkpoint c;
  c.trainer = "cascade";
  c.settings = "grid 4\nseed 1\n";
  c.data = 77;
  c.log = "{}\n";
  c.state.assign(100000, std::byte{42});
  return c;
}

std::string text_of_file(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

TEST(a_checkpoint_comes_back_as_it_was) {
  const TempFolder folder;
  const std::string path = folder.at("c");
  TEST_ASSERT_OK(save(some_checkpoint(), path));
  const Result<Checkpoint> back = load_checkpoint(path);
  TEST_ASSERT_OK(back);
  TEST_ASSERT_TRUE(back->state == some_checkpoint().state);
  TEST_ASSERT_OK(check_same(*back, "cascade", "grid 4\nseed 1\n", 77));
}

TEST(a_damaged_checkpoint_is_refused_wherever_it_was_cut_or_altered) {
  const TempFolder folder;
  Checkpoint small = some_checkpoint();
  small.state.resize(20);
  TEST_ASSERT_OK(save(small, folder.at("c")));
  const std::string whole = text_of_file(folder.at("c"));
  for (std::size_t cut = 0; cut < whole.size(); ++cut)
    TEST_ASSERT_ERROR(Errc::damaged, load_checkpoint(folder.write("cut", whole.substr(0, cut))));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string other = whole;
    other[i] = static_cast<char>(other[i] ^ 4);
    TEST_ASSERT_ERROR(Errc::damaged, load_checkpoint(folder.write("cut", other)));
  }
  TEST_ASSERT_ERROR(Errc::not_found, load_checkpoint(folder.at("none")));
}

TEST(another_training_s_checkpoint_is_refused_with_what_differs) {
  const Checkpoint c = some_checkpoint();
  expect_error(check_same(c, "svm", c.settings, 77).error(), Errc::invalid_argument, "cascade");
  expect_error(check_same(c, "cascade", "grid 4\nseed 2\n", 77).error(), Errc::invalid_argument,
               "there 'seed 1', here 'seed 2'");
  expect_error(check_same(c, "cascade", c.settings, 78).error(), Errc::invalid_argument,
               "other pictures");
}

/// No file of this process may grow beyond `bytes`: what a full disk is like.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~SmallDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

 private:
  rlimit before_{};
};

TEST(a_full_disk_leaves_the_last_checkpoint_as_it_was) {
  const TempFolder folder;
  const std::string path = folder.at("c");
  TEST_ASSERT_OK(save(some_checkpoint(), path));
  const std::string before = text_of_file(path);
  Checkpoint next = some_checkpoint();
  next.state.assign(200000, std::byte{1});
  Status full = Done{};
  {
    const SmallDisk disk{150000};
    full = save(next, path);
  }
  expect_error(full.error(), Errc::io, path.c_str());
  TEST_ASSERT_TRUE(before == text_of_file(path));
  TEST_ASSERT_EQUAL_INT(1, std::distance(std::filesystem::directory_iterator{folder.path()},
                                         std::filesystem::directory_iterator{}));
}

}  // namespace
