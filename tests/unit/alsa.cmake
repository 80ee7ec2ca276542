set(dir ${CMAKE_CURRENT_LIST_DIR}/drivers/alsa)
kerb_add_test(NAME unit_tone_generator LABELS unit
  SOURCES ${dir}/test_tone_generator.cpp
  LINKS kerb::drivers_alsa)
kerb_add_test(NAME unit_alsa_playing LABELS unit
  SOURCES ${dir}/test_playing.cpp
  LINKS kerb::drivers_alsa)
kerb_add_test(NAME unit_alsa_tone LABELS unit THREADED
  SOURCES ${dir}/test_alsa_tone.cpp
  LINKS kerb::drivers_alsa Threads::Threads)
