# The product's detector: engine and fusion together. Counts allocations.
kerb_add_test(NAME unit_hog_detector LABELS unit
  SOURCES gpu/test_detector.cpp
  LINKS kerb::gpu_hog COUNTS_ALLOCATIONS)
# The same without a camera's picture, and with a network that looks again. Looks at bits.
kerb_add_test(NAME unit_hog_people_search LABELS unit
  SOURCES gpu/test_people_search.cpp
  LINKS kerb::gpu_hog COUNTS_ALLOCATIONS)
kerb_test_uses(unit_hog_people_search OPTIONS -ffp-contract=off)
# Where the models that come with the product are found.
kerb_add_test(NAME unit_hog_shipped_models LABELS unit SOURCES gpu/test_shipped_models.cpp
  LINKS kerb::gpu_hog)
kerb_test_uses(unit_hog_shipped_models DEFINES
  KERB_SOURCE_MODELS="${PROJECT_SOURCE_DIR}/models")
