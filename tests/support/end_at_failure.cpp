// SPDX-License-Identifier: Apache-2.0
// Unity leaves a failed test by longjmp, past destructors: threads it had started would go on with
// objects that are gone, and crash or hang instead of saying what failed. So a test program with
// threads (THREADED in kerb_add_test) ends at its first failure, before that jump.
#include <unistd.h>
#include <unity.h>

#include <cstdio>

/// What Unity calls to flush its output: after every test, and after a failure's line.
extern "C" void kerb_flush_output() {
  if (Unity.CurrentTestFailed != 0) std::puts("\nThis test has threads: it ends here.\nFAIL");
  std::fflush(stdout);
  if (Unity.CurrentTestFailed != 0) ::_exit(1);
}
