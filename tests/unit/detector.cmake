# The product's detector: engine and fusion together. Counts allocations.
kerb_add_test(NAME unit_hog_detector LABELS unit
  SOURCES gpu/test_detector.cpp ${PROJECT_SOURCE_DIR}/tests/support/allocations.cpp
  LINKS kerb::gpu_hog)
# Where the models that come with the product are found.
kerb_add_test(NAME unit_hog_shipped_models LABELS unit SOURCES gpu/test_shipped_models.cpp
  LINKS kerb::gpu_hog)
target_compile_definitions(unit_hog_shipped_models PRIVATE
  KERB_SOURCE_MODELS="${PROJECT_SOURCE_DIR}/models")
