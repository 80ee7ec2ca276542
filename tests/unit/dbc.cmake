kerb_add_test(NAME unit_dbc_reader SOURCES firmware/dbc/test_dbc.cpp LINKS kerb::firmware_dbc LABELS unit)
kerb_test_uses(unit_dbc_reader DEFINES KERB_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
