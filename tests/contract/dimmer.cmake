set(dir ${CMAKE_CURRENT_LIST_DIR})
kerb_add_test(NAME contract_dimmer_fake LABELS contract
  SOURCES ${dir}/dimmer_suite.cpp ${dir}/dimmer_fake.cpp
  LINKS kerb::hal)
kerb_add_test(NAME contract_dimmer_pwm LABELS contract
  SOURCES ${dir}/dimmer_suite.cpp ${dir}/dimmer_pwm.cpp
  LINKS kerb::drivers_pwm)
