set(dir ${CMAKE_CURRENT_LIST_DIR})
kerb_add_test(NAME contract_thermal_fake LABELS contract
  SOURCES ${dir}/thermal_suite.cpp ${dir}/thermal_fake.cpp
  LINKS kerb::hal)
kerb_add_test(NAME contract_thermal_sysfs LABELS contract
  SOURCES ${dir}/thermal_suite.cpp ${dir}/thermal_sysfs.cpp
  LINKS kerb::drivers_thermal)
