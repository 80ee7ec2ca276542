kerb_add_test(NAME gpu_image LABELS gpu
  SOURCES test_image.cpp
  LINKS kerb::gpu_image)

# Times, not verdicts: run by hand, see docs/results/image.md.
if(KERB_CUDA)
  add_executable(bench_gpu_image bench_image.cpp)
  target_compile_features(bench_gpu_image PRIVATE cxx_std_20)
  target_link_libraries(bench_gpu_image
    PRIVATE kerb::gpu_image kerb::cuda_runtime kerb::warnings kerb::sanitizers)
endif()
