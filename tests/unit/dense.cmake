# The dense detectors, against their definition; against OpenCV's HOGDescriptor where there is one.
# The first looks at bits, so it must be compiled as gpu/hog is.
kerb_add_test(NAME unit_hog_dense LABELS unit THREADED
  SOURCES gpu/test_dense.cpp ${PROJECT_SOURCE_DIR}/tests/support/allocations.cpp
  LINKS kerb::gpu_hog)
target_compile_options(unit_hog_dense PRIVATE -ffp-contract=off)
if(KERB_OPENCV AND TARGET kerb::opencv_objdetect)
  kerb_add_test(NAME unit_hog_dense_opencv LABELS unit
    SOURCES gpu/test_dense_opencv.cpp
    LINKS kerb::gpu_hog kerb::opencv_objdetect)
  target_compile_definitions(unit_hog_dense_opencv PRIVATE
    KERB_DATA_DEFAULT="${PROJECT_SOURCE_DIR}/../shared/data")
endif()
