kerb_add_test(NAME gpu_hog_detector LABELS gpu SOURCES test_detector.cpp LINKS kerb::gpu_hog)
