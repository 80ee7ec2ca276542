# The image operators beyond grey on a GPU, one program each.
foreach(name colours gradients remap resize sums)
  kerb_add_test(NAME gpu_${name} LABELS gpu
    SOURCES test_${name}.cpp
    LINKS kerb::gpu_image)
endforeach()

# Times, not verdicts: run by hand.
if(KERB_CUDA)
  add_executable(bench_integral bench_integral.cpp)
  target_compile_features(bench_integral PRIVATE cxx_std_20)
  target_link_libraries(bench_integral
    PRIVATE kerb::gpu_image kerb::cuda_runtime kerb::warnings kerb::sanitizers)
endif()
