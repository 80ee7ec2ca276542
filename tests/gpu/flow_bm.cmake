kerb_add_test(NAME gpu_flow_bm LABELS gpu
  SOURCES test_flow_bm.cpp
  LINKS kerb::gpu_flow)

# Times, not verdicts: run by hand.
if(KERB_CUDA)
  add_executable(bench_gpu_flow_bm bench_flow_bm.cpp)
  target_compile_features(bench_gpu_flow_bm PRIVATE cxx_std_20)
  target_link_libraries(bench_gpu_flow_bm
    PRIVATE kerb::gpu_flow kerb::cuda_runtime kerb::unity kerb::warnings kerb::sanitizers
    kerb::test_flags)
endif()
