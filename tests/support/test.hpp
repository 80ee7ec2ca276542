// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "tests/support/unity.hpp"

/// Tests that register themselves. A source file is a suite, named after the file without `test_`
/// and `.cpp`; the sources of a folder are one program (see kerb_add_test in cmake/KerbTest.cmake),
/// whose main() is tests/support/test.cpp:
///
///   unit_firmware_risk                 runs every suite
///   unit_firmware_risk contact         runs one
///   unit_firmware_risk contact --some  hands `--some` to it: its BEFORE_SUITE reads that
///   unit_firmware_risk --list          lists them, with their tests
///
/// Exit code 0: all passed; 1: a test failed; 2: no such suite; 77: every chosen suite says that
/// what it needs is not on this machine.
///
///   TEST(a_person_ahead_is_found) { TEST_ASSERT_EQUAL(1, find().size()); }
///   SET_UP() { g_folder = make_temp_folder(); }    before each test of this file; at most one
///   TEAR_DOWN() { fs::remove_all(g_folder); }      after each
///   BEFORE_SUITE(words) { ...; return Start::run; }  once, with the words of the command line
///   AFTER_SUITE() { gpu.reset(); }                 once, after the last test
///   SUITE_MAIN(words) { return run_contract(...); }  instead of TESTs: the number of failures, or
///   77
///
/// Unity leaves a failed test by longjmp, past destructors. Where the test had started threads,
/// they would go on with objects that are gone: so a program that has other threads when a test
/// fails ends there, and says so.
namespace kerb::test {

using Words = std::vector<std::string>;

/// What becomes of a suite: its tests run; it is skipped; it is over, done or failed.
enum class Start { run, skip, done, fail };

namespace registry {

/// Each adds something to the suite of the source file `file`. They live as long as the program.
struct Case {
  Case(const char* file, const char* name, void (*function)(), int line);
};
struct Fixture {
  Fixture(const char* file, const char* kind, void (*function)());
};
struct Before {
  Before(const char* file, Start (*function)(const Words&));
};
struct Main {
  Main(const char* file, int (*function)(const Words&));
};

}  // namespace registry
}  // namespace kerb::test

// __BASE_FILE__ is the source being compiled, also where a header of the tests has the macro.
#define TEST(name)                                                                         \
  static void test_##name();                                                               \
  static const ::kerb::test::registry::Case kerb_case_##name{__BASE_FILE__, "test_" #name, \
                                                             &test_##name, __LINE__};      \
  static void test_##name()

#define KERB_TEST_FIXTURE(kind)                                                             \
  static void kerb_suite_##kind();                                                          \
  static const ::kerb::test::registry::Fixture kerb_registered_##kind{__BASE_FILE__, #kind, \
                                                                      &kerb_suite_##kind};  \
  static void kerb_suite_##kind()
#define SET_UP() KERB_TEST_FIXTURE(set_up)
#define TEAR_DOWN() KERB_TEST_FIXTURE(tear_down)
#define AFTER_SUITE() KERB_TEST_FIXTURE(after)

#define BEFORE_SUITE(words)                                                               \
  static ::kerb::test::Start kerb_suite_before(const ::kerb::test::Words&);               \
  static const ::kerb::test::registry::Before kerb_registered_before{__BASE_FILE__,       \
                                                                     &kerb_suite_before}; \
  static ::kerb::test::Start kerb_suite_before([[maybe_unused]] const ::kerb::test::Words& words)

#define SUITE_MAIN(words)                                                                          \
  static int kerb_suite_main(const ::kerb::test::Words&);                                          \
  static const ::kerb::test::registry::Main kerb_registered_main{__BASE_FILE__, &kerb_suite_main}; \
  static int kerb_suite_main([[maybe_unused]] const ::kerb::test::Words& words)
