# How far people are seen: from a picture, and over time with the tracked people.
foreach(name view_meter view_estimator)
  kerb_add_test(NAME unit_visibility_${name} SOURCES firmware/visibility/test_${name}.cpp
    LINKS kerb::firmware_visibility kerb::firmware_lens LABELS unit COUNTS_ALLOCATIONS)
endforeach()
