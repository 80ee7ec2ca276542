kerb_add_test(NAME unit_spectral_watch
  SOURCES firmware/spectral/test_spectral_search.cpp
  LINKS kerb::firmware_spectral LABELS unit COUNTS_ALLOCATIONS)
