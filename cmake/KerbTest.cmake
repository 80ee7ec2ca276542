find_package(Threads REQUIRED)
# Unity, and kerb_add_test(), which makes one program of the tests of a folder. Unity comes from KERB_UNITY_DIR when it is there, else from its own repository.
set(KERB_UNITY_DIR ${PROJECT_SOURCE_DIR}/.deps/unity CACHE PATH "Folder with unity.c and unity.h")
if(NOT EXISTS ${KERB_UNITY_DIR}/unity.c)
  include(FetchContent)
  FetchContent_Declare(unity
    URL https://github.com/ThrowTheSwitch/Unity/archive/v2.5.1.zip
    URL_HASH SHA256=af00e4ecfcb7546cc8e6d39fe3770fa100b19e59ff63f7b6dcbd3010eac9f35f
    SOURCE_SUBDIR none)
  FetchContent_MakeAvailable(unity)
  set(unity_dir ${unity_SOURCE_DIR}/src)
else()
  set(unity_dir ${KERB_UNITY_DIR})
endif()
add_library(kerb_unity STATIC ${unity_dir}/unity.c ${PROJECT_SOURCE_DIR}/tests/support/test.cpp)
add_library(kerb::unity ALIAS kerb_unity)
set_target_properties(kerb_unity PROPERTIES UNITY_BUILD OFF)
target_include_directories(kerb_unity SYSTEM PUBLIC ${unity_dir})
target_include_directories(kerb_unity PRIVATE ${PROJECT_SOURCE_DIR})
target_compile_features(kerb_unity PRIVATE cxx_std_20)
target_compile_definitions(kerb_unity PUBLIC UNITY_INCLUDE_DOUBLE UNITY_SUPPORT_64
  PRIVATE UNITY_OUTPUT_FLUSH=kerb_flush_output "UNITY_OUTPUT_FLUSH_HEADER_DECLARATION=kerb_flush_output(void)")

# Unity's macros cast the old way. A target of its own, linked after kerb::warnings, so that it has the last word.
add_library(kerb_test_flags INTERFACE)
add_library(kerb::test_flags ALIAS kerb_test_flags)
target_compile_options(kerb_test_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-old-style-cast>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # GCC 12 misjudges std::string, here where it is optimised less
  target_compile_options(kerb_test_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds>)
endif()
# A test is optimised less than what it tests: most of its time goes into the compiler.
target_compile_options(kerb_test_flags INTERFACE
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-O1>)
# See cmake/KerbDebug.cmake.
if(KERB_SANITIZE MATCHES undefined AND NOT KERB_FUZZ)
  target_link_libraries(kerb_test_flags INTERFACE kerb_fewer_checks)
endif()
# mold, where it is installed: it links a sanitizer's program in a tenth of the time.
find_program(KERB_MOLD mold)
mark_as_advanced(KERB_MOLD)
if(KERB_MOLD AND NOT CMAKE_CROSSCOMPILING)
  include(CheckLinkerFlag)
  check_linker_flag(CXX -fuse-ld=mold KERB_LINKS_WITH_MOLD)
  if(KERB_LINKS_WITH_MOLD)
    target_link_options(kerb_test_flags INTERFACE -fuse-ld=mold)
  endif()
endif()
target_link_libraries(kerb_unity PRIVATE kerb::warnings kerb::sanitizers kerb::test_flags)

# What nearly every test includes, read once for all programs: a third of what a test's source takes to compile. A program
# of its own, as it must be compiled as they are. -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON shows that each test includes what
# it uses.
add_executable(kerb_test_headers EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/cmake/headers.cpp)
target_compile_features(kerb_test_headers PRIVATE cxx_std_20)
target_include_directories(kerb_test_headers PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(kerb_test_headers PRIVATE kerb::unity kerb::warnings kerb::sanitizers kerb::test_flags)
set_target_properties(kerb_test_headers PROPERTIES UNITY_BUILD OFF)
target_precompile_headers(kerb_test_headers PRIVATE
  <algorithm> <array> <atomic> <chrono> <cmath> <cstdint> <cstdio> <cstdlib> <cstring> <filesystem> <fstream> <functional>
  <memory> <numeric> <optional> <random> <span> <sstream> <string> <string_view> <thread> <utility> <variant> <vector>
  ${PROJECT_SOURCE_DIR}/tests/support/test.hpp)

# Which tests a build has, by label. The presets and CI choose: a program then holds only what they run.
#   all        every test
#   optimised  those labelled optimised: CI's part host
#   sanitized  all but those labelled kerblab, and gpu without CUDA: CI's part dev
#   threaded   those labelled threaded: the preset tsan
#   races      those of them labelled product or contract: CI's part tsan
#   product    those labelled product or contract: the preset arm64, for qemu-user and the emulated board
#   bits       those labelled bits: part arm64 on amd64, unless --long is given
#   board      those labelled contract, and the other programs of the emulated board: the preset arm64 on an arm64 machine
#   gpu        those labelled gpu: CI's part jetson
# Several may be named, with commas between.
set(KERB_TESTS all CACHE STRING "Which tests are built: all, or of optimised,sanitized,threaded,races,product,bits,board,gpu")
string(REPLACE "," ";" kerb_tests "${KERB_TESTS}")
set(kerb_tests_for_board FALSE)  # whether the other programs of the emulated board are built
if(product IN_LIST kerb_tests OR board IN_LIST kerb_tests)
  set(kerb_tests_for_board TRUE)
endif()

# kerb_tests_want(RESULT LABELS): whether a test with these labels is one of them.
function(kerb_tests_want result labels)
  set(wanted FALSE)
  foreach(choice IN LISTS kerb_tests)
    if(choice STREQUAL all OR choice IN_LIST labels)
      set(wanted TRUE)
    elseif(choice STREQUAL sanitized AND NOT kerblab IN_LIST labels AND (KERB_CUDA OR NOT gpu IN_LIST labels))
      set(wanted TRUE)
    elseif(choice STREQUAL races AND threaded IN_LIST labels AND (product IN_LIST labels OR contract IN_LIST labels))
      set(wanted TRUE)
    elseif(choice MATCHES "^(product|board)$" AND contract IN_LIST labels)
      set(wanted TRUE)
    endif()
  endforeach()
  set(${result} ${wanted} PARENT_SCOPE)
endfunction()

# A test that hangs is ended after this many seconds: several times what the longest takes with the sanitizers on a busy
# machine, which may give it a quarter of a core.
set(KERB_TEST_TIMEOUT_S 1200)

# The programs of the chosen tests, and what these start.
add_custom_target(tests)

# kerb_test_program(RESULT SOURCE): the program of the folder that holds SOURCE: unit_hal, unit_drivers, unit_gpu,
# unit_firmware_risk, unit_tools, contract, gpu_tests ...
function(kerb_test_program result source)
  cmake_path(GET source PARENT_PATH folder)
  string(REGEX REPLACE "^(unit/(drivers|gpu|simulator))/.*" "\\1" folder "${folder}")
  string(REPLACE "/" "_" name "${folder}")
  if(name STREQUAL gpu)
    set(name gpu_tests)
  elseif(name STREQUAL fuzz)
    set(name unit_fuzz)
  endif()
  set(${result} ${name} PARENT_SCOPE)
endfunction()

# kerb_add_test(NAME unit_risk_contact SOURCES test_contact.cpp LINKS kerb::firmware_risk [LABELS unit] [ARGS ...]
#   [THREADED] [OPTIMISED] [COUNTS_ALLOCATIONS] [ALONE] [RUNS kerblab])
# One ctest entry, for the suites in those SOURCES that begin with test_ or, without such, for the last. They become part
# of their folder's program (tests/support/test.hpp).
# Exit code 77 says: what this test needs is not on this machine.
# THREADED marks what the tsan preset runs. Unit tests of hal/, drivers/, gpu/ and firmware/ that need nothing
# of tools/ are labelled product, which the arm64 preset runs; it builds the contract tests too, for the emulated board.
# RUNS: a test of that program's command line, which it finds as the macro KERBLAB or KERBWATCH.
# OPTIMISED: with the sanitizers it does less, or it must give the same bits whatever the compiler did: CI runs it
# without them too. Labelled optimised, as are the unit tests of gpu/ and those labelled kerblab, which run that program
# or link its commands: they take long to compile, so CI runs these without the sanitizers alone.
# COUNTS_ALLOCATIONS: uses tests/support/allocations.hpp, which replaces operator new in its whole program. Under
# AddressSanitizer, whose own finds a delete that does not fit its new, these suites have a program of their own.
# ALONE: has a program of its own, because it replaces something else of the C library.
function(kerb_add_test)
  cmake_parse_arguments(arg "THREADED;OPTIMISED;COUNTS_ALLOCATIONS;ALONE" "NAME;RUNS"
    "SOURCES;LINKS;LABELS;ARGS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "kerb_add_test(${arg_NAME}): what is '${arg_UNPARSED_ARGUMENTS}'?")
  endif()
  list(GET arg_SOURCES 0 source)
  cmake_path(ABSOLUTE_PATH source NORMALIZE)
  cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests)
  if(arg_THREADED)
    list(APPEND arg_LABELS threaded)
  endif()
  if(source MATCHES "^unit/(hal|drivers|gpu|firmware|support)/" AND NOT "${arg_LINKS}" MATCHES "kerb::(sim|tools|lab)_")
    list(APPEND arg_LABELS product)
  endif()
  if("${arg_RUNS}" STREQUAL kerblab OR "${arg_LINKS}" MATCHES "kerb::(tools_kerblab|lab_)")
    list(APPEND arg_LABELS kerblab)
  endif()
  if(arg_OPTIMISED OR source MATCHES "^unit/gpu/" OR kerblab IN_LIST arg_LABELS)
    list(APPEND arg_LABELS optimised)
  endif()
  # What another CPU may compute otherwise: the operators, exact arithmetic, and records, which go through all decisions.
  if(source MATCHES "^unit/(gpu|firmware/(exact|records|track))/" AND product IN_LIST arg_LABELS AND optimised IN_LIST arg_LABELS)
    list(APPEND arg_LABELS bits)
  endif()
  kerb_tests_want(wanted "${arg_LABELS}")
  if(NOT wanted)
    return()
  endif()

  if(arg_ALONE)
    set(program ${arg_NAME})
  else()
    kerb_test_program(program ${source})
    if(arg_COUNTS_ALLOCATIONS AND KERB_SANITIZE MATCHES address)
      set(program ${program}_allocations)
    endif()
  endif()
  if(NOT TARGET ${program})
    add_executable(${program})
    target_compile_features(${program} PRIVATE cxx_std_20)
    target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR})
    # Its files have names in common.
    set_target_properties(${program} PROPERTIES UNITY_BUILD OFF)
    target_link_libraries(${program} PRIVATE kerb::unity kerb::warnings kerb::sanitizers kerb::test_flags)
    target_precompile_headers(${program} REUSE_FROM kerb_test_headers)
    add_dependencies(tests ${program})
  endif()
  if(arg_COUNTS_ALLOCATIONS)
    list(APPEND arg_SOURCES ${PROJECT_SOURCE_DIR}/tests/support/allocations.cpp)
  endif()
  set(suites)
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    cmake_path(GET source STEM stem)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    if(stem MATCHES "^test_(.*)")
      list(APPEND suites ${folder}/${CMAKE_MATCH_1})
    elseif(NOT folder STREQUAL support)
      set(last ${folder}/${stem})
    endif()
    get_target_property(known ${program} SOURCES)
    if(NOT source IN_LIST known)
      target_sources(${program} PRIVATE ${source})
    endif()
  endforeach()
  if(NOT suites)
    set(suites ${last})
  endif()
  target_link_libraries(${program} PRIVATE ${arg_LINKS})
  set_property(GLOBAL PROPERTY KERB_TEST_${arg_NAME} "${program};${suites}")
  set_property(GLOBAL PROPERTY KERB_TEST_SOURCES_${arg_NAME} "${arg_SOURCES}")
  add_test(NAME ${arg_NAME} COMMAND ${program} ${suites} ${arg_ARGS})
  if(arg_RUNS)
    string(TOUPPER ${arg_RUNS} macro)
    target_compile_definitions(${program} PRIVATE
      ${macro}="${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${arg_RUNS}>")
    add_dependencies(${program} ${arg_RUNS})
    # Leaks are looked for everywhere else; here it would cost seconds for each of the many programs started.
    set_tests_properties(${arg_NAME} PROPERTIES ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
  endif()
  set_tests_properties(${arg_NAME} PROPERTIES LABELS "${arg_LABELS}" SKIP_RETURN_CODE 77 TIMEOUT ${KERB_TEST_TIMEOUT_S})
endfunction()

# kerb_test_uses(NAME [DEFINES ...] [OPTIONS ...] [LINKS ...] [INCLUDES ...]): what else that test's sources are compiled
# with, and what its program links. Does nothing where the build leaves the test out.
function(kerb_test_uses name)
  cmake_parse_arguments(arg "" "" "DEFINES;OPTIONS;LINKS;INCLUDES" ${ARGN})
  get_property(command GLOBAL PROPERTY KERB_TEST_${name})
  if(NOT command)
    return()
  endif()
  list(GET command 0 program)
  get_property(sources GLOBAL PROPERTY KERB_TEST_SOURCES_${name})
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    if(NOT source MATCHES "/tests/support/")
      set_property(SOURCE ${source} TARGET_DIRECTORY ${program} APPEND PROPERTY COMPILE_DEFINITIONS ${arg_DEFINES})
      set_property(SOURCE ${source} TARGET_DIRECTORY ${program} APPEND PROPERTY COMPILE_OPTIONS ${arg_OPTIONS})
      if(arg_OPTIONS)
        set_property(SOURCE ${source} TARGET_DIRECTORY ${program} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
      endif()
    endif()
  endforeach()
  target_link_libraries(${program} PRIVATE ${arg_LINKS})
  target_include_directories(${program} SYSTEM PRIVATE ${arg_INCLUDES})
endfunction()
