# SPDX-License-Identifier: Apache-2.0
# The machine: an NVIDIA Jetson, which is 64-bit Arm Linux with CUDA.
#
#   KERB_L4T_SYSROOT        variable or environment: the root file system of an L4T (Jetson Linux)
#                           board. Not set: Debian's multiarch libraries stand in for it.
#   KERB_CUDA_AARCH64_ROOT  variable or environment: include/ and lib/ of CUDA for aarch64. Not
#                           set: the sysroot's own when there is one, else .deps/cuda-aarch64,
#                           which `./kerb setup cross` fills.
#   CUDACXX                 environment: nvcc. Not set: on PATH, in /usr/local/cuda, in .deps/nvcc.
#
# Which GPUs to build for is the preset's to say.
foreach(_kerb_name KERB_L4T_SYSROOT KERB_CUDA_AARCH64_ROOT)
  if(NOT ${_kerb_name} AND DEFINED ENV{${_kerb_name}})
    set(${_kerb_name} "$ENV{${_kerb_name}}")
  endif()
  # Compiler checks read this file again in projects of their own: hand the values on.
  list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ${_kerb_name})
endforeach()
get_filename_component(_kerb_deps "${CMAKE_CURRENT_LIST_DIR}/../.deps" ABSOLUTE)

include("${CMAKE_CURRENT_LIST_DIR}/aarch64-linux-gnu.cmake")

if(KERB_L4T_SYSROOT)
  if(NOT EXISTS "${KERB_L4T_SYSROOT}/usr/lib/aarch64-linux-gnu")
    message(FATAL_ERROR
      "KERB_L4T_SYSROOT=${KERB_L4T_SYSROOT}: no usr/lib/aarch64-linux-gnu in it; expected the root "
      "file system of an L4T board")
  endif()
  set(CMAKE_SYSROOT "${KERB_L4T_SYSROOT}")
  set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
  set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
  set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
  set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
  set(ENV{PKG_CONFIG_SYSROOT_DIR} "${KERB_L4T_SYSROOT}")
  set(ENV{PKG_CONFIG_LIBDIR}
      "${KERB_L4T_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${KERB_L4T_SYSROOT}/usr/share/pkgconfig")
endif()

if(NOT KERB_CUDA_AARCH64_ROOT)
  foreach(_kerb_candidate
      "${KERB_L4T_SYSROOT}/usr/local/cuda/targets/aarch64-linux"
      "${KERB_L4T_SYSROOT}/usr/local/cuda/targets/sbsa-linux")
    if(KERB_L4T_SYSROOT AND NOT KERB_CUDA_AARCH64_ROOT AND EXISTS "${_kerb_candidate}/include/cuda_runtime.h")
      set(KERB_CUDA_AARCH64_ROOT "${_kerb_candidate}")
    endif()
  endforeach()
endif()
if(NOT KERB_CUDA_AARCH64_ROOT)
  set(KERB_CUDA_AARCH64_ROOT "${_kerb_deps}/cuda-aarch64")
endif()
if(NOT EXISTS "${KERB_CUDA_AARCH64_ROOT}/include/cuda_runtime.h")
  message(FATAL_ERROR
    "No CUDA for aarch64 in ${KERB_CUDA_AARCH64_ROOT}; ./kerb setup cross fetches it, "
    "KERB_CUDA_AARCH64_ROOT names another place")
endif()

if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(KERB_NVCC nvcc HINTS /usr/local/cuda/bin "${_kerb_deps}/nvcc/bin" NO_CMAKE_FIND_ROOT_PATH)
  mark_as_advanced(KERB_NVCC)
  if(KERB_NVCC)
    set(CMAKE_CUDA_COMPILER "${KERB_NVCC}")
  endif()
endif()
if(NOT CMAKE_CUDA_HOST_COMPILER)
  set(CMAKE_CUDA_HOST_COMPILER "${CMAKE_CXX_COMPILER}")
endif()

# nvcc's own libraries are for the building machine: the board's come before them. Headers it looks
# for in a folder of the target's, which only some installations have: the board's are told, and
# after them those that come with the compiler (fatbinary_section.h).
set(_kerb_nvcc "${CMAKE_CUDA_COMPILER}")
if(NOT _kerb_nvcc)
  set(_kerb_nvcc "$ENV{CUDACXX}")
endif()
get_filename_component(_kerb_nvcc "${_kerb_nvcc}" REALPATH)
get_filename_component(_kerb_nvcc_root "${_kerb_nvcc}/../../include" ABSOLUTE)
set(CMAKE_CUDA_FLAGS_INIT
    "-I${KERB_CUDA_AARCH64_ROOT}/include -I${_kerb_nvcc_root} -L${KERB_CUDA_AARCH64_ROOT}/lib")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-L${KERB_CUDA_AARCH64_ROOT}/lib")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-L${KERB_CUDA_AARCH64_ROOT}/lib")

# find_package(CUDAToolkit) then finds the board's headers and libraries.
set(CUDAToolkit_ROOT "${KERB_CUDA_AARCH64_ROOT}")
list(APPEND CMAKE_FIND_ROOT_PATH "${KERB_CUDA_AARCH64_ROOT}")
