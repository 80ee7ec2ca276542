# Writes OUT, the function kerb::lab::commit(): the commit of SOURCE, and a checksum of what was changed since.
set(commit "")
find_program(git git)
if(git)
  set(ENV{GIT_OPTIONAL_LOCKS} 0)
  execute_process(COMMAND ${git} -C ${SOURCE} rev-parse --short=12 HEAD
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${git} -C ${SOURCE} diff HEAD --no-ext-diff --binary
    OUTPUT_VARIABLE changes ERROR_QUIET)
  if(commit AND changes)
    string(SHA1 sum "${changes}")
    string(SUBSTRING ${sum} 0 8 sum)
    string(APPEND commit "+${sum}")
  endif()
endif()
set(text "// SPDX-License-Identifier: Apache-2.0
// Written by commit.cmake.
#include \"tools/kerblab/app/command.hpp\"

namespace kerb::lab {
const char* commit() noexcept { return \"${commit}\"; }
}  // namespace kerb::lab
")
set(before "")
if(EXISTS ${OUT})
  file(READ ${OUT} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${OUT} "${text}")
endif()
