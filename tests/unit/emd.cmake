# Earth Mover's Distance.
kerb_add_test(NAME unit_emd_solvers LABELS unit
  SOURCES gpu/test_emd_solvers.cpp gpu/emd_oracle.cpp
  LINKS kerb::gpu_emd)
kerb_add_test(NAME unit_emd_distances LABELS unit THREADED
  SOURCES gpu/test_emd_distances.cpp gpu/emd_oracle.cpp
    ${PROJECT_SOURCE_DIR}/tests/support/allocations.cpp
  LINKS kerb::gpu_emd)
kerb_add_test(NAME unit_emd_signatures LABELS unit
  SOURCES gpu/test_emd_signatures.cpp
  LINKS kerb::gpu_emd)
kerb_add_test(NAME unit_emd_targets LABELS unit
  SOURCES gpu/test_emd_targets.cpp gpu/emd_oracle.cpp
  LINKS kerb::gpu_emd)
if(TARGET kerblab)
  kerb_add_test(NAME unit_tools_spectral SOURCES tools/test_spectral.cpp
    LINKS kerb::tools_spectral LABELS unit)
  kerb_add_test(NAME unit_tools_kerblab_emd SOURCES tools/test_kerblab_emd.cpp
    LINKS kerb::tools_bench kerb::hal kerb::json kerb::opencv LABELS unit RUNS kerblab)
endif()
