# The workbench: what benchmarks share, kerblab's parts, and the program as a person meets it.
kerb_add_test(NAME unit_tools_bench SOURCES tools/test_bench.cpp
  LINKS kerb::tools_bench LABELS unit)
if(TARGET kerblab)
  kerb_add_test(NAME unit_tools_kerblab_parts SOURCES tools/test_kerblab_parts.cpp
    LINKS kerb::tools_kerblab kerb::tools_import kerb::opencv LABELS unit)
  kerb_add_test(NAME unit_tools_kerblab SOURCES tools/test_kerblab.cpp
    LINKS kerb::tools_bench kerb::gpu_hog kerb::hal kerb::json kerb::opencv LABELS unit)
  target_compile_definitions(unit_tools_kerblab PRIVATE
    KERBLAB="${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:kerblab>")
  add_dependencies(unit_tools_kerblab kerblab)
  # Leaks are looked for everywhere else; here it would cost seconds for each of the many programs started.
  set_tests_properties(unit_tools_kerblab PROPERTIES ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
endif()
