# Earth Mover's Distance.
kerb_add_test(NAME unit_emd_solvers LABELS unit
  SOURCES gpu/test_emd_solvers.cpp gpu/emd_oracle.cpp
  LINKS kerb::gpu_emd)
kerb_add_test(NAME unit_emd_distances LABELS unit THREADED
  SOURCES gpu/test_emd_distances.cpp gpu/emd_oracle.cpp
  LINKS kerb::gpu_emd COUNTS_ALLOCATIONS)
kerb_add_test(NAME unit_emd_signatures LABELS unit
  SOURCES gpu/test_emd_signatures.cpp
  LINKS kerb::gpu_emd)
kerb_add_test(NAME unit_emd_targets LABELS unit
  SOURCES gpu/test_emd_targets.cpp gpu/emd_oracle.cpp
  LINKS kerb::gpu_emd)
kerb_add_test(NAME unit_emd_bands LABELS unit
  SOURCES gpu/test_emd_bands.cpp
  LINKS kerb::gpu_emd)
kerb_add_test(NAME unit_emd_matcher LABELS unit
  SOURCES gpu/test_emd_matcher.cpp
  LINKS kerb::gpu_emd COUNTS_ALLOCATIONS)
if(TARGET kerb::lab_pictures)
  kerb_add_test(NAME unit_tools_spectral SOURCES tools/test_spectral.cpp
    LINKS kerb::tools_spectral LABELS unit)
  kerb_add_test(NAME unit_tools_followers SOURCES tools/test_followers.cpp
    LINKS kerb::tools_spectral LABELS unit)
  kerb_add_test(NAME unit_tools_exact_emd SOURCES tools/test_exact_emd.cpp gpu/emd_oracle.cpp
    LINKS kerb::tools_emd kerb::tools_files LABELS unit)
  foreach(name emd sim_follow)
    kerb_add_test(NAME unit_tools_kerblab_${name} SOURCES tools/test_kerblab_${name}.cpp
      LINKS kerb::tools_bench kerb::hal kerb::json kerb::opencv LABELS unit RUNS kerblab)
  endforeach()
endif()
