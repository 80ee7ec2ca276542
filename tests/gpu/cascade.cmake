kerb_add_test(NAME gpu_cascade LABELS gpu SOURCES test_cascade.cpp LINKS kerb::gpu_hog)

# Every score on a folder of real pictures, CPU against CUDA; run by hand, see docs/results/hog.md.
add_executable(hog_pictures hog_pictures.cpp)
target_compile_features(hog_pictures PRIVATE cxx_std_20)
target_link_libraries(hog_pictures PRIVATE kerb::gpu_hog kerb::warnings kerb::sanitizers)
kerb_tests_want(wanted optimised)
if(wanted)
  add_dependencies(tests hog_pictures)
endif()
