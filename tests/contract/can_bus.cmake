set(dir ${CMAKE_CURRENT_LIST_DIR})
kerb_add_test(NAME contract_can_bus_fake LABELS contract THREADED
  SOURCES ${dir}/can_bus_suite.cpp ${dir}/can_bus_fake.cpp
  LINKS kerb::hal Threads::Threads)
kerb_add_test(NAME contract_can_bus_socketcan LABELS contract THREADED
  SOURCES ${dir}/can_bus_suite.cpp ${dir}/can_bus_socketcan.cpp
  LINKS kerb::drivers_socketcan kerb::drivers_base Threads::Threads)
kerb_add_test(NAME contract_can_bus_slcan LABELS contract
  SOURCES ${dir}/can_bus_slcan.cpp
  LINKS kerb::drivers_socketcan kerb::drivers_base)
