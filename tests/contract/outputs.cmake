set(dir ${CMAKE_CURRENT_LIST_DIR})
kerb_add_test(NAME contract_output_line_fake LABELS contract
  SOURCES ${dir}/outputs_line_suite.cpp ${dir}/outputs_line_fake.cpp
  LINKS kerb::hal)
kerb_add_test(NAME contract_output_line_gpio LABELS contract
  SOURCES ${dir}/outputs_line_suite.cpp ${dir}/outputs_line_gpio.cpp
  LINKS kerb::drivers_gpio)
kerb_add_test(NAME contract_tone_fake LABELS contract
  SOURCES ${dir}/outputs_tone_suite.cpp ${dir}/outputs_tone_fake.cpp
  LINKS kerb::hal)
kerb_add_test(NAME contract_tone_alsa LABELS contract THREADED
  SOURCES ${dir}/outputs_tone_suite.cpp ${dir}/outputs_tone_alsa.cpp
  LINKS kerb::drivers_alsa PkgConfig::ALSA Threads::Threads)
