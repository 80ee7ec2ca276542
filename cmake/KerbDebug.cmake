# Debug builds are those of the sanitizers, without optimisation: that compiles fastest. Here stand the
# targets whose loops would then cost the tests more time than -O1 costs the compiler.
foreach(target
    kerb_drivers_replay
    kerb_gpu_hog
    kerb_gpu_image
    kerb_gpu_memory
    kerb_sim_judge
    kerb_sim_people
    kerb_sim_world
    kerb_tools_flow
    kerb_tools_train)
  if(TARGET ${target})
    target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Debug>,$<COMPILE_LANGUAGE:CXX>>:-O1>)
  endif()
endforeach()
