kerb_add_test(NAME gpu_hog_detector LABELS gpu SOURCES test_detector.cpp LINKS kerb::gpu_hog)
kerb_add_test(NAME gpu_hog_people_search LABELS gpu SOURCES test_people_search.cpp LINKS kerb::gpu_hog)
# As the product makes it, from a camera's picture on: needs firmware/, which the cuda preset leaves out.
if(TARGET kerb::firmware_vision)
  kerb_add_test(NAME gpu_upright_detector LABELS gpu SOURCES test_upright_detector.cpp
    LINKS kerb::firmware_vision kerb::firmware_track kerb::drivers_replay kerb::gpu_hog kerb::gpu_image)
endif()
