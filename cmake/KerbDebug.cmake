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

# Three checks of UndefinedBehaviorSanitizer are a third of what a source takes to compile under it. The product's sources
# have them all; tests (kerb::test_flags) and tools do without, and so does code of headers that a test instantiates. A target of its own, as the options of what a target links come
# after the target's own.
if(KERB_SANITIZE MATCHES undefined AND NOT KERB_FUZZ)
  add_library(kerb_fewer_checks INTERFACE)
  target_compile_options(kerb_fewer_checks INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=null,alignment,object-size>)
  function(kerb_with_fewer_checks folder)
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      get_target_property(type ${target} TYPE)
      if(type MATCHES "_LIBRARY$|EXECUTABLE" AND NOT type STREQUAL INTERFACE_LIBRARY)
        target_link_libraries(${target} PRIVATE kerb_fewer_checks)
      endif()
    endforeach()
    get_property(below DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
    foreach(subfolder IN LISTS below)
      kerb_with_fewer_checks(${subfolder})
    endforeach()
  endfunction()
  kerb_with_fewer_checks(${PROJECT_SOURCE_DIR}/tools)
endif()
