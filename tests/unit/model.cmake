# Models and their files, searches, fusion: what the detectors share.
foreach(name search model model_file)
  kerb_add_test(NAME unit_hog_${name} SOURCES gpu/test_${name}.cpp LINKS kerb::gpu_hog LABELS unit)
endforeach()
# Looks at bits, so it must be compiled as gpu/hog is; and counts allocations.
kerb_add_test(NAME unit_hog_fusion LABELS unit
  SOURCES gpu/test_fusion.cpp ${PROJECT_SOURCE_DIR}/tests/support/allocations.cpp
  LINKS kerb::gpu_hog)
target_compile_options(unit_hog_fusion PRIVATE -ffp-contract=off)
