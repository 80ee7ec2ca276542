kerb_add_test(NAME unit_sim_people SOURCES simulator/test_people.cpp
  LINKS kerb::sim_people LABELS unit)
kerb_add_test(NAME unit_sim_colours SOURCES simulator/test_colours.cpp
  LINKS kerb::sim_people LABELS unit)
