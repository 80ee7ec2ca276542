// SPDX-License-Identifier: Apache-2.0
// main() of every test program: the suites that its sources registered, and those to run of them.
#include "tests/support/test.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <string_view>

namespace kerb::test {
namespace {

constexpr int kSkipped = 77;

struct CaseEntry {
  const char* name;
  void (*function)();
  int line;
};
struct Suite {
  const char* file = "";
  std::string folder, name;
  std::vector<CaseEntry> cases;
  void (*set_up)() = nullptr;
  void (*tear_down)() = nullptr;
  void (*after)() = nullptr;
  Start (*before)(const Words&) = nullptr;
  int (*main)(const Words&) = nullptr;

  /// `contact`, or `risk/contact` where a program has two of that name.
  [[nodiscard]] bool answers_to(const std::string& word) const {
    return word == name || word == folder + "/" + name;
  }
};

std::deque<Suite>& all() {  // filled before main(), in whatever order the sources were linked
  static std::deque<Suite> suites;
  return suites;
}
Suite& suite_of(const char* file) {
  for (Suite& suite : all())
    if (std::string_view{suite.file} == file) return suite;
  const std::filesystem::path path{file};
  Suite& suite = all().emplace_back();
  suite.file = file;
  suite.folder = path.parent_path().filename().string();
  suite.name = path.stem().string();
  if (suite.name.rfind("test_", 0) == 0) suite.name.erase(0, 5);
  return suite;
}
template <typename T>
void set_once(T& slot, T value, const char* file, const char* what) {
  if (slot != nullptr) {
    std::fprintf(stderr, "%s: a second %s in one suite\n", file, what);
    std::abort();
  }
  slot = value;
}

const Suite* running = nullptr;

/// The number of failures, or 77.
int run(const Suite& suite, const Words& words) {
  if (suite.main != nullptr) return suite.main(words);
  if (suite.before != nullptr) switch (suite.before(words)) {
      case Start::run:
        break;
      case Start::skip:
        return kSkipped;
      case Start::done:
        return 0;
      case Start::fail:
        return 1;
    }
  running = &suite;
  UnityBegin(suite.file);
  for (const CaseEntry& each : suite.cases)
    UnityDefaultTestRun(each.function, each.name, each.line);
  const int failures = UNITY_END();
  running = nullptr;
  if (suite.after != nullptr) suite.after();
  return failures;
}

bool has_other_threads() {
  std::error_code error;
  int threads = 0;
  for (std::filesystem::directory_iterator at{"/proc/self/task", error}, end; !error && at != end;
       at.increment(error))
    ++threads;
  return threads > 1;
}

}  // namespace

registry::Case::Case(const char* file, const char* name, void (*function)(), int line) {
  suite_of(file).cases.push_back({name, function, line});
}
registry::Fixture::Fixture(const char* file, const char* kind, void (*function)()) {
  Suite& suite = suite_of(file);
  const std::string_view which{kind};
  set_once(which == "set_up"      ? suite.set_up
           : which == "tear_down" ? suite.tear_down
                                  : suite.after,
           function, file, kind);
}
registry::Before::Before(const char* file, Start (*function)(const Words&)) {
  set_once(suite_of(file).before, function, file, "BEFORE_SUITE");
}
registry::Main::Main(const char* file, int (*function)(const Words&)) {
  set_once(suite_of(file).main, function, file, "SUITE_MAIN");
}

namespace {

int list() {
  for (const Suite& suite : all()) {
    std::printf("%s/%s\n", suite.folder.c_str(), suite.name.c_str());
    for (const CaseEntry& each : suite.cases) std::printf("  %s\n", each.name);
  }
  return 0;
}

int run_program(Words words) {
  if (!words.empty() && words[0] == "--list") return list();
  const auto is_suite = [](const std::string& word) {
    return std::any_of(all().begin(), all().end(),
                       [&](const Suite& suite) { return suite.answers_to(word); });
  };
  const auto rest = std::find_if_not(words.begin(), words.end(), is_suite);
  const Words names{words.begin(), rest};
  const Words arguments{rest, words.end()};
  std::vector<const Suite*> chosen;
  for (const Suite& suite : all())
    if (names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
          return suite.answers_to(name);
        }))
      chosen.push_back(&suite);
  const bool takes_words = std::all_of(chosen.begin(), chosen.end(), [](const Suite* suite) {
    return suite->before != nullptr || suite->main != nullptr;
  });
  if (chosen.empty() || (!arguments.empty() && (names.empty() || !takes_words))) {
    std::fprintf(stderr, "no suite '%s' here, and none that takes it: --list names them\n",
                 arguments.empty() ? "" : arguments[0].c_str());
    return 2;
  }
  int failed = 0;
  std::size_t skipped = 0;
  for (const Suite* suite : chosen) {
    if (chosen.size() > 1) std::printf("== %s\n", suite->name.c_str());
    const int outcome = run(*suite, arguments);
    std::fflush(stdout);
    if (outcome == kSkipped)
      ++skipped;
    else if (outcome != 0)
      ++failed;
  }
  if (chosen.size() > 1)
    std::printf("%zu suites: %d failed, %zu skipped\n", chosen.size(), failed, skipped);
  if (failed > 0) return 1;
  return skipped == chosen.size() ? kSkipped : 0;
}

}  // namespace
}  // namespace kerb::test

extern "C" {

void setUp() {
  using kerb::test::running;
  if (running != nullptr && running->set_up != nullptr) running->set_up();
}
void tearDown() {
  using kerb::test::running;
  if (running != nullptr && running->tear_down != nullptr) running->tear_down();
}

/// What Unity calls to flush its output: after every test, and after a failure's line, before it
/// jumps.
void kerb_flush_output() {
  const bool over = Unity.CurrentTestFailed != 0 && kerb::test::has_other_threads();
  if (over) std::puts("\nThis test has threads: it ends here.\nFAIL");
  std::fflush(stdout);
  if (over) ::_exit(1);
}

}  // extern "C"

int main(int count, char** words) { return kerb::test::run_program({words + 1, words + count}); }
