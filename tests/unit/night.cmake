# Operators for pictures taken in the dark.
foreach(name tone_curve temporal_filter)
  kerb_add_test(NAME unit_night_${name} LABELS unit
    SOURCES gpu/test_${name}.cpp
    LINKS kerb::gpu_night COUNTS_ALLOCATIONS)
endforeach()
