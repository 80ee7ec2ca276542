set(dir ${CMAKE_CURRENT_LIST_DIR})
kerb_add_test(NAME unit_sim_world SOURCES ${dir}/test_world.cpp LINKS kerb::sim_world LABELS unit)
