# SPDX-License-Identifier: Apache-2.0
# The machine: 64-bit Arm Linux, with compiler and libraries from Debian's multiarch packages.
# On amd64 that is g++-aarch64-linux-gnu and the :arm64 libraries; on arm64 the machine's own.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

if(NOT CMAKE_C_COMPILER)
  set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
endif()
if(NOT CMAKE_CXX_COMPILER)
  set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
endif()

# Multiarch keeps both machines' files under /usr, told apart by the folder's name above, by which
# CMake looks for libraries. What somebody built into /usr/local is for the building machine.
set(CMAKE_SYSTEM_IGNORE_PREFIX_PATH /usr/local)
set(ENV{PKG_CONFIG_DIR} "")
set(ENV{PKG_CONFIG_PATH} "")
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)

# Tests run under qemu-user, on an arm64 machine too: the same emulated CPU everywhere.
# The :arm64 packages bring the loader and the libraries to where an arm64 program looks for them;
# without them those of the cross compiler must do.
find_program(KERB_QEMU_AARCH64 NAMES qemu-aarch64 qemu-aarch64-static)
mark_as_advanced(KERB_QEMU_AARCH64)
if(KERB_QEMU_AARCH64 AND NOT DEFINED CMAKE_CROSSCOMPILING_EMULATOR)
  if(EXISTS /lib/ld-linux-aarch64.so.1 AND EXISTS /usr/lib/aarch64-linux-gnu/libstdc++.so.6)
    set(CMAKE_CROSSCOMPILING_EMULATOR "${KERB_QEMU_AARCH64}")
  else()
    set(CMAKE_CROSSCOMPILING_EMULATOR "${KERB_QEMU_AARCH64};-L;/usr/aarch64-linux-gnu")
  endif()
endif()
