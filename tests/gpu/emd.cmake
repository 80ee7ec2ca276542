kerb_add_test(NAME gpu_emd LABELS gpu
  SOURCES test_emd.cpp ${PROJECT_SOURCE_DIR}/tests/unit/gpu/emd_oracle.cpp
  LINKS kerb::gpu_emd)
kerb_add_test(NAME gpu_emd_pictures LABELS gpu
  SOURCES test_emd_pictures.cpp
  LINKS kerb::gpu_emd)
kerb_add_test(NAME gpu_emd_matcher LABELS gpu
  SOURCES test_emd_matcher.cpp
  LINKS kerb::gpu_emd)
