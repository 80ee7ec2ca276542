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
