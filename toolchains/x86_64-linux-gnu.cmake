# SPDX-License-Identifier: Apache-2.0
# The machine: 64-bit x86 Linux, with Debian's cross compiler. Enough to see that gpu/ compiles there.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER x86_64-linux-gnu-g++)
