# Unity, and kerb_add_test(). Unity comes from KERB_UNITY_DIR when it is there, else from its own repository.
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
add_library(kerb_unity STATIC ${unity_dir}/unity.c ${PROJECT_SOURCE_DIR}/tests/support/flush_output.c)
add_library(kerb::unity ALIAS kerb_unity)
set_target_properties(kerb_unity PROPERTIES UNITY_BUILD OFF)  # flush_output.c is left out where a test has its own
target_include_directories(kerb_unity SYSTEM PUBLIC ${unity_dir})
target_compile_definitions(kerb_unity PUBLIC UNITY_INCLUDE_DOUBLE UNITY_SUPPORT_64
  PRIVATE UNITY_OUTPUT_FLUSH=kerb_flush_output "UNITY_OUTPUT_FLUSH_HEADER_DECLARATION=kerb_flush_output(void)")

# Unity's macros cast the old way. A target of its own, linked after kerb::warnings, so that it has the last word.
add_library(kerb_test_flags INTERFACE)
add_library(kerb::test_flags ALIAS kerb_test_flags)
target_compile_options(kerb_test_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-old-style-cast>)
# A test is optimised less than what it tests: most of its time goes into the compiler.
target_compile_options(kerb_test_flags INTERFACE
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-O1>)

# Of the host's tests, CI builds the first for its part host and the second for its part dev; the presets tsan and
# arm64 build the next two, and part jetson of ./kerb test, where there is CUDA, the last.
add_custom_target(optimised_tests)
add_custom_target(sanitized_tests)
add_custom_target(threaded_tests)
add_custom_target(product_tests)
add_custom_target(gpu_tests)
if(TARGET kerbwatch)
  add_dependencies(product_tests kerbwatch)
endif()

# kerb_add_test(NAME unit_result SOURCES test_result.cpp LINKS kerb::hal [LABELS unit] [THREADED] [OPTIMISED]
#   [RUNS kerblab] [ARGS ...])
# One executable, one ctest entry. Exit code 77 says: what this test needs is not on this machine.
# THREADED marks what the tsan preset runs; such a program ends at its first failure. Unit tests of hal/, drivers/, gpu/ and firmware/ that need nothing
# of tools/ are labelled product, which the arm64 preset runs; it builds the contract tests too, for the bench.
# RUNS: a test of that program's command line, which it finds as the macro KERBLAB or KERBWATCH.
# OPTIMISED: with the sanitizers it does less, or it must give the same bits whatever the compiler did: CI runs it
# without them too. Labelled optimised, as are the unit tests of gpu/ and those labelled kerblab, which run that program
# or link its commands: they take long to compile, so CI runs these without the sanitizers alone.
function(kerb_add_test)
  cmake_parse_arguments(arg "THREADED;OPTIMISED" "NAME;RUNS" "SOURCES;LINKS;LABELS;ARGS" ${ARGN})
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_compile_features(${arg_NAME} PRIVATE cxx_std_20)
  target_include_directories(${arg_NAME} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${arg_NAME} PRIVATE ${arg_LINKS} kerb::unity kerb::warnings kerb::sanitizers
    kerb::test_flags)
  set_target_properties(${arg_NAME} PROPERTIES UNITY_BUILD OFF)  # a test's files are few, and its own
  add_test(NAME ${arg_NAME} COMMAND ${arg_NAME} ${arg_ARGS})
  if(arg_THREADED)
    target_sources(${arg_NAME} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/end_at_failure.cpp)
    list(APPEND arg_LABELS threaded)
    add_dependencies(threaded_tests ${arg_NAME})
  endif()
  list(GET arg_SOURCES 0 source)
  cmake_path(ABSOLUTE_PATH source NORMALIZE)
  cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests)
  if(source MATCHES "^unit/(hal|drivers|gpu|firmware)/" AND NOT "${arg_LINKS}" MATCHES "kerb::(sim|tools)_")
    list(APPEND arg_LABELS product)
    add_dependencies(product_tests ${arg_NAME})
  elseif(source MATCHES "^contract/")
    add_dependencies(product_tests ${arg_NAME})
  elseif(source MATCHES "^gpu/")
    add_dependencies(gpu_tests ${arg_NAME})
  endif()
  if(arg_RUNS)
    string(TOUPPER ${arg_RUNS} macro)
    target_compile_definitions(${arg_NAME} PRIVATE
      ${macro}="${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${arg_RUNS}>")
    add_dependencies(${arg_NAME} ${arg_RUNS})
    # Leaks are looked for everywhere else; here it would cost seconds for each of the many programs started.
    set_tests_properties(${arg_NAME} PROPERTIES ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
  endif()
  if("${arg_RUNS}" STREQUAL kerblab OR "kerb::tools_kerblab" IN_LIST arg_LINKS)
    list(APPEND arg_LABELS kerblab)
  endif()
  if(arg_OPTIMISED OR source MATCHES "^unit/gpu/" OR kerblab IN_LIST arg_LABELS)
    list(APPEND arg_LABELS optimised)
    add_dependencies(optimised_tests ${arg_NAME})
  endif()
  if(NOT kerblab IN_LIST arg_LABELS)
    add_dependencies(sanitized_tests ${arg_NAME})
  endif()
  set_tests_properties(${arg_NAME} PROPERTIES LABELS "${arg_LABELS}" SKIP_RETURN_CODE 77 TIMEOUT 300)
endfunction()
