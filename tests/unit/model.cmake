# Models and their files, searches, fusion: what the detectors share.
foreach(name search model model_file)
  kerb_add_test(NAME unit_hog_${name} SOURCES gpu/test_${name}.cpp LINKS kerb::gpu_hog LABELS unit)
endforeach()
# Looks at bits, so it must be compiled as gpu/hog is; and counts allocations.
kerb_add_test(NAME unit_hog_fusion LABELS unit
  SOURCES gpu/test_fusion.cpp
  LINKS kerb::gpu_hog COUNTS_ALLOCATIONS)
kerb_test_uses(unit_hog_fusion OPTIONS -ffp-contract=off)
# The importers, before OpenCV itself and what OpenCV 2.4 did.
if(TARGET kerb::opencv_objdetect)
  kerb_add_test(NAME unit_hog_model_import LABELS unit
    SOURCES gpu/test_model_import.cpp
    LINKS kerb::tools_import kerb::opencv_objdetect)
  kerb_test_uses(unit_hog_model_import DEFINES
    KERB_DATA="${PROJECT_SOURCE_DIR}/../shared/data")
endif()
