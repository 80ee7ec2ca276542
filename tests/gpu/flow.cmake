kerb_add_test(NAME gpu_flow_bm LABELS gpu
  SOURCES test_flow_bm.cpp
  LINKS kerb::gpu_flow)
kerb_add_test(NAME gpu_flow_lk LABELS gpu
  SOURCES test_flow_lk.cpp
  LINKS kerb::gpu_flow)

# Times, not verdicts: run by hand.
if(KERB_CUDA)
  add_executable(bench_gpu_flow bench_flow.cpp)
  target_compile_features(bench_gpu_flow PRIVATE cxx_std_20)
  target_link_libraries(bench_gpu_flow
    PRIVATE kerb::gpu_flow kerb::cuda_runtime kerb::unity kerb::warnings kerb::sanitizers
    kerb::test_flags)
endif()
