set(dir ${CMAKE_CURRENT_LIST_DIR})
kerb_add_test(NAME contract_diagnostic_link_fake LABELS contract
  SOURCES ${dir}/diagnostic_link_suite.cpp ${dir}/diagnostic_link_fake.cpp
  LINKS kerb::hal)
kerb_add_test(NAME contract_diagnostic_link_isotp LABELS contract
  SOURCES ${dir}/diagnostic_link_suite.cpp ${dir}/diagnostic_link_isotp.cpp
  LINKS kerb::drivers_isotp kerb::drivers_base)
