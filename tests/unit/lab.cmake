# The workbench: what benchmarks share, kerblab's parts, and the program as a person meets it.
kerb_add_test(NAME unit_tools_bench SOURCES tools/test_bench.cpp
  LINKS kerb::tools_bench LABELS unit)
if(TARGET kerb::tools_import)
  kerb_add_test(NAME unit_tools_network_file SOURCES tools/test_network_file.cpp
    LINKS kerb::tools_import kerb::json LABELS unit)
endif()
if(TARGET kerb::lab_pictures)
  kerb_add_test(NAME unit_tools_kerblab_parts SOURCES tools/test_kerblab_parts.cpp
    LINKS kerb::tools_kerblab kerb::lab_app kerb::lab_model kerb::lab_pictures kerb::tools_import kerb::opencv LABELS unit)
  kerb_add_test(NAME unit_tools_kerblab SOURCES tools/test_kerblab.cpp
    LINKS kerb::tools_bench kerb::gpu_hog kerb::hal kerb::json kerb::opencv LABELS unit RUNS kerblab)
  kerb_test_uses(unit_tools_kerblab DEFINES KERB_DEMO="$<TARGET_FILE:kerb_demo>")
  if(TEST unit_tools_kerblab)
    add_dependencies(tests kerb_demo)
  endif()
endif()
