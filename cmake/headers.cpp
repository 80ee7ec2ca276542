// SPDX-License-Identifier: Apache-2.0
// Nothing: a source for the library that is there for its headers (KerbHeaders.cmake).
