set(dir ${CMAKE_CURRENT_LIST_DIR})
kerb_add_test(NAME contract_watchdog_fake LABELS contract
  SOURCES ${dir}/watchdog_suite.cpp ${dir}/watchdog_fake.cpp
  LINKS kerb::hal)
kerb_add_test(NAME contract_watchdog_hardware LABELS contract
  SOURCES ${dir}/watchdog_suite.cpp ${dir}/watchdog_hardware.cpp
  LINKS kerb::drivers_watchdog)
kerb_add_test(NAME contract_watchdog_systemd LABELS contract
  SOURCES ${dir}/watchdog_suite.cpp ${dir}/watchdog_systemd.cpp
  LINKS kerb::drivers_watchdog)
