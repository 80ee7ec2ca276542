# Headers that many sources of kerblab include, and that take the compiler longest: read once for all of its libraries.
# -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON (part alone of ./kerb test) shows that each source includes what it uses.
if(NOT TARGET kerblab)
  return()
endif()
set(libraries)
foreach(target kerb_tools_kerblab kerb_tools_calibrate)
  list(APPEND libraries ${target})
endforeach()
foreach(topic app bench calibrate detect ego emd eval flow model pictures plot sim spectral track train)
  list(APPEND libraries kerb_lab_${topic})
endforeach()

# Compiled as they are, but with no macro of theirs: one that these headers do not mention does not matter to GCC.
add_library(kerb_lab_headers STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/cmake/headers.cpp)
set_target_properties(kerb_lab_headers PROPERTIES UNITY_BUILD OFF)
target_compile_features(kerb_lab_headers PRIVATE cxx_std_20)
target_link_libraries(kerb_lab_headers PRIVATE kerb::cli11 kerb::json kerb::fmt kerb::warnings kerb::sanitizers)
target_precompile_headers(kerb_lab_headers PRIVATE
  <algorithm> <array> <chrono> <cmath> <cstdint> <cstdio> <filesystem> <fstream> <functional> <map> <memory> <optional>
  <span> <sstream> <string> <string_view> <utility> <variant> <vector> <CLI/CLI.hpp> <fmt/format.h> <nlohmann/json.hpp>)
if(KERB_OPENCV)
  target_link_libraries(kerb_lab_headers PRIVATE kerb::opencv)
  target_precompile_headers(kerb_lab_headers PRIVATE <opencv2/imgcodecs.hpp> <opencv2/imgproc.hpp>)
endif()
foreach(target IN LISTS libraries)
  if(TARGET ${target})
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL INTERFACE_LIBRARY)
      target_precompile_headers(${target} REUSE_FROM kerb_lab_headers)
    endif()
  endif()
endforeach()
