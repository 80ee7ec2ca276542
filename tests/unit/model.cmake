# Models and their files, searches, fusion: what the detectors share.
foreach(name search model model_file)
  kerb_add_test(NAME unit_hog_${name} SOURCES gpu/test_${name}.cpp LINKS kerb::gpu_hog LABELS unit)
endforeach()
# Looks at bits, so it must be compiled as gpu/hog is; and counts allocations.
kerb_add_test(NAME unit_hog_fusion LABELS unit
  SOURCES gpu/test_fusion.cpp ${PROJECT_SOURCE_DIR}/tests/support/allocations.cpp
  LINKS kerb::gpu_hog)
target_compile_options(unit_hog_fusion PRIVATE -ffp-contract=off)
# The importers, before OpenCV itself and what OpenCV 2.4 did.
if(TARGET kerb::opencv_objdetect)
  kerb_add_test(NAME unit_hog_model_import LABELS unit
    SOURCES gpu/test_model_import.cpp
    LINKS kerb::tools_import kerb::opencv_objdetect)
  target_compile_definitions(unit_hog_model_import PRIVATE
    KERB_DATA="${PROJECT_SOURCE_DIR}/../shared/data")
endif()
