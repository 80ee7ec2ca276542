# The dense detectors, against their definition; against OpenCV's HOGDescriptor where there is one.
# The first looks at bits, so it must be compiled as gpu/hog is.
kerb_add_test(NAME unit_hog_dense LABELS unit THREADED
  SOURCES gpu/test_dense.cpp
  LINKS kerb::gpu_hog COUNTS_ALLOCATIONS)
kerb_test_uses(unit_hog_dense OPTIONS -ffp-contract=off)
if(KERB_OPENCV AND TARGET kerb::opencv_objdetect)
  kerb_add_test(NAME unit_hog_dense_opencv LABELS unit
    SOURCES gpu/test_dense_opencv.cpp
    LINKS kerb::gpu_hog kerb::opencv_objdetect)
  kerb_test_uses(unit_hog_dense_opencv DEFINES
    KERB_DATA_DEFAULT="${PROJECT_SOURCE_DIR}/../shared/data")
endif()
